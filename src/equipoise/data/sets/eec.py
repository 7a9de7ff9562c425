"""The Equity Evaluation Corpus as Bartl et al. 2020 used it: persons beside emotion words.

The emotion word stands in the column `profession`, where all corpora of persons have what is said of the
person, and the emotion in `group`.
"""

import pandas as pd

from equipoise.data.reading import File, read_table
from equipoise.data.sets import ItemSet
from equipoise.data.sets.person_rows import (
    ENGLISH,
    finished_table,
    locate,
    numbered_partners,
    spans_as_columns,
)

NAME = "eec"
FILE = "Equity-Evaluation-Corpus.csv"
MARK = "Emotion word"
"""The column by which a file is known to be this corpus."""

_COLUMNS = ("Sentence", "Template", "Person", "Gender", "Race", "Emotion", MARK)


def read_eec(file: File) -> ItemSet:
    """Pronouns and noun phrases as persons; sentences with a first name or no emotion word are not used."""
    published = read_table(file, _COLUMNS)
    named = published["Race"] != ""
    without = ~named & (published[MARK] == "")
    rows = []
    for row in published[~named & ~without].to_dict("records"):
        sentence, phrase = locate(row, str(row[MARK]), file)
        rows.append(
            {
                "gender": row["Gender"],
                "phrase": phrase,
                "published_template": row["Template"],
                "profession": row[MARK],
                "group": row["Emotion"],
                "percent_women": float("nan"),
                "title": "",
                "problem": "",
            }
            | spans_as_columns(sentence)
        )
    notices = (
        f"{file.name}: {named.sum()} sentences about persons with a first name are not used: most names are "
        "several word pieces",
        f"{file.name}: {without.sum()} sentences without an emotion word are not used: there is no attribute",
    )
    table = finished_table(numbered_partners(pd.DataFrame(rows)), ENGLISH)
    return ItemSet(table, (file,), notices)
