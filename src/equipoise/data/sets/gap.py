"""Pronouns whose person a name tells: GAP's contexts, or our own sentences with first names."""

import pandas as pd

from equipoise.data.poles import Poles, load_poles
from equipoise.data.reading import own_table, read_table
from equipoise.data.sets import ItemSet
from equipoise.data.sources import Source
from equipoise.errors import UserError
from equipoise.text.blank import BLANK
from equipoise.text.rewriting import Policy, rewrite
from equipoise.text.rewriting.find.first_names import load_names

OWN, GAP = "equipoise-named", "gap"
FILE, OWN_FILE = "gap-test.tsv", "named-pronouns.csv"
NAMES_EACH = 3
"""First names of either sex in every sentence of our own."""

COMMON_NAMES = 60
_FEMALE = {"she", "her", "hers", "herself"}
_FORMS = {
    **dict.fromkeys(("he", "she"), "subject"),
    **dict.fromkeys(("himself", "herself"), "reflexive"),
    "him": "object",
    "hers": "possessive-independent",
}


def load_named_pronouns(source: Source) -> ItemSet:
    """Texts with one blank, where the pronoun that stood there (`right`) agrees with somebody named."""
    if source.name == OWN:
        return ItemSet(_own(), (source.file(OWN_FILE),))
    path = source.file(FILE)
    required = ("ID", "Text", "Pronoun", "Pronoun-offset")
    table = read_table(path, required, quoted=False)
    poles = load_poles()
    rows = [_row(row, poles, path) for row in table.to_dict("records")]
    return ItemSet(pd.DataFrame(rows), (path,))


def _row(row: dict[str, str], poles: Poles, path: object) -> dict[str, str]:
    text, pronoun = row["Text"], row["Pronoun"]
    start = int(row["Pronoun-offset"]) if row["Pronoun-offset"].isdigit() else -1
    if text[start : start + len(pronoun)] != pronoun or start < 0:
        raise UserError(
            f"{path}, line {row['line']}: {pronoun!r} does not stand at {row['Pronoun-offset']}.",
            "Give GAP's file as it was published.",
        )
    blanked = text[:start] + BLANK + text[start + len(pronoun) :]
    word = pronoun.lower()
    form = _FORMS.get(word) or ("possessive" if word == "his" else _form_of_her(text, start))
    gender = "female" if word in _FEMALE else "male"
    return _item(poles, gender, item=row["ID"], text=blanked, form=form, cluster=row["ID"])


def _form_of_her(text: str, start: int) -> str:
    """What *her* is at its place: an object where the rewriter would write *him*."""
    changes = rewrite(text, policy=Policy(definitional="swap")).changes
    new = next((one.new.lower() for one in changes if one.start == start), "his")
    return "object" if new == "him" else "possessive"


def _own() -> pd.DataFrame:
    """Every sentence with some common first names of either sex, others in each."""
    rows, poles = [], load_poles()
    for number, row in enumerate(own_table(OWN_FILE).to_dict("records")):
        for gender in poles.pair:
            names = common_names(gender)
            for turn in range(NAMES_EACH):
                name = names[(number * NAMES_EACH + turn) % len(names)]
                text = row["template"].replace("<name>", name)
                named = f"{row['id']}, {name}"
                rows.append(_item(poles, gender, item=named, text=text, form=row["form"], cluster=row["id"]))
    return pd.DataFrame(rows)


def common_names(gender: str) -> list[str]:
    """The commonest first names of one sex that are not words besides."""
    column = f"{gender}_per_100k"
    named = [one for one in load_names().census if one.kind == "plain" and one.gender == gender]
    return [one.name.title() for one in sorted(named, key=lambda one: -int(getattr(one, column)))][
        :COMMON_NAMES
    ]


def _item(poles: Poles, gender: str, **cells: str) -> dict[str, str]:
    """A row with the pronoun that is right in its form and the one of the other side."""
    words = poles.pair_at(cells["form"])
    other = next(pole for pole in poles.pair if pole != gender)
    return {**cells, "gender": gender, "right": words[gender][0], "other": words[other][0], "dropped": ""}
