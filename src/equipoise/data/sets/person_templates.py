"""Templates with one slot for a person and one blank: "The hotel hired <person> as a [MASK]."."""

import pandas as pd

from equipoise.data.reading import LINE, File, read_table, refuse_repeats, with_columns
from equipoise.errors import UserError
from equipoise.text.blank import BLANK
from equipoise.text.gendered import PERSON


def read_person_templates(file: File) -> pd.DataFrame:
    """The columns id and template, and topic if there is one."""
    table = read_table(file, ("id", "template"))
    refuse_repeats(table, ("id",), file)
    for row in table.to_dict("records"):
        for mark in (PERSON, BLANK):
            if row["template"].count(mark) != 1:
                raise UserError(
                    f"{file}, line {row[LINE]}: {row['template']!r} has {row['template'].count(mark)} "
                    f"times {mark} where one is expected.",
                    f"Write {PERSON} where the person goes and {BLANK} where the model fills a word in.",
                )
    return with_columns(table, ("topic",))
