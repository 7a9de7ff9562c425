"""Winogender: each template with the other person named and as "someone", with a blank for the pronoun."""

import re
from typing import Any

import numpy as np
import pandas as pd

from equipoise.data.poles import Poles
from equipoise.data.reading import File, read_table, row_error
from equipoise.data.sets import ItemSet
from equipoise.data.sources import Source
from equipoise.errors import UserError
from equipoise.text.blank import BLANK

NAME = "winogender"
TEMPLATES, STATISTICS = "templates.tsv", "occupations-stats.tsv"
OCCUPATION, PARTICIPANT = "occupation", "participant"
"""Whom the pronoun stands for."""

NAMED, SOMEONE = "named", "someone"
FORMS = {"$NOM_PRONOUN": "subject", "$ACC_PRONOUN": "object", "$POSS_PRONOUN": "possessive"}
SHARES = {"percent_women": "bls_pct_female", "percent_women_in_text": "bergsma_pct_female"}
_COLUMNS = {"occupation(0)": "profession", "other-participant(1)": "participant"}
_SINGULAR = re.compile(re.escape(BLANK) + r" (is|was|has|does)\b")
"""A verb that "they" does not agree with: there a low P says nothing about persons."""

_SOMEONE = re.compile(r"\b([Tt]he|[Aa]n?) \$PARTICIPANT")


def load_winogender(source: Source, poles: Poles) -> ItemSet:
    """Each template with the other person named and as "someone"."""
    path = source.file(TEMPLATES)
    statistics = source.file(STATISTICS) if source.is_dataset else source.beside(STATISTICS)
    templates = read_table(path, (*_COLUMNS, "answer", "sentence"), quoted=False).rename(columns=_COLUMNS)
    rows = [row for template in templates.to_dict("records") for row in _sentences(template, path)]
    table = pd.DataFrame(rows).assign(dropped="")
    for form in table["form"].unique():
        poles.check_form(form, str(path))
    if statistics is None:
        return ItemSet(table.assign(**dict.fromkeys(SHARES, np.nan)), (path, poles.path))
    table, notices = _with_shares(table, statistics)
    return ItemSet(table, (path, statistics, poles.path), notices)


def _sentences(row: dict[str, Any], path: File) -> list[dict[str, str]]:
    """The two sentences of a template, with a blank for the pronoun."""
    _check_template(row, path)
    (marker,) = (form for form in FORMS if form in row["sentence"])
    text = row["sentence"].replace("$OCCUPATION", row["profession"]).replace(marker, BLANK)
    texts = {
        NAMED: text.replace("$PARTICIPANT", row["participant"]),
        SOMEONE: _SOMEONE.sub(lambda match: "Someone" if match[1][0].isupper() else "someone", text),
    }
    schema = f"{row['profession']}.{row['participant']}"
    return [
        {
            "item": f"{schema}.{row['answer']}" + ("" if other == NAMED else f", {SOMEONE}"),
            "schema": f"{schema}, {other}",
            "profession": row["profession"],
            "other_person": other,
            "referent": OCCUPATION if row["answer"] == "0" else PARTICIPANT,
            "form": FORMS[marker],
            "verb": "singular" if _SINGULAR.search(sentence) else "",
            "text": sentence,
        }
        for other, sentence in texts.items()
    ]


def _check_template(row: dict[str, Any], path: File) -> None:
    sentence = row["sentence"]
    if row["answer"] not in ("0", "1"):
        hint = "Write 0 where the pronoun stands for the occupation, 1 where it stands for the other person."
        raise row_error(path, row, f"the answer {row['answer']!r} does not exist", hint)
    if sum(sentence.count(marker) for marker in FORMS) != 1:
        raise row_error(path, row, "there must be one pronoun", f"Write one of {', '.join(FORMS)} once.")
    if sentence.count("$OCCUPATION") != 1 or len(_SOMEONE.findall(sentence)) != 1:
        problem = "$OCCUPATION, and $PARTICIPANT with its article, must each stand there once"
        raise row_error(path, row, problem, f"The sentence is {sentence!r}.")


def _with_shares(table: pd.DataFrame, path: File) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """The share of women in each occupation; an occupation without one stays out of the correlation."""
    statistics = read_table(path, ("occupation", *SHARES.values()))
    known = statistics.set_index("occupation")
    for column, source in SHARES.items():
        try:
            shares = known[source].astype(float)
        except ValueError as error:
            raise UserError(f"{path}: {source} is not a number ({error}).", "Give percentages.") from error
        table[column] = table["profession"].map(shares.to_dict())
    missing = sorted(set(table["profession"]) - set(known.index))
    return table, (f"no share of women is known for: {', '.join(missing)}",) if missing else ()
