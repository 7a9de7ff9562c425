"""CrowS-Pairs: a sentence that stereotypes more beside one that stereotypes less, checked line by line.

A finding flags a pair and never drops it (Blodgett et al. 2021 found faults in many of these pairs).
"""

import pandas as pd

from equipoise.data.lint import CODES, flag_notices, lint_pairs
from equipoise.data.reading import LINE, File, Shape, check_rows, read_table
from equipoise.data.sets import ItemSet
from equipoise.data.sources import Source
from equipoise.errors import UserError, unknown_name

GENDER, EVERY_TYPE = "crows-pairs", "crows-pairs-all"
FILE = "crows_pairs_anonymized.csv"
DIRECTIONS = ("stereo", "antistereo")
FLAGS = {
    "length difference": "words were added or removed",
    "non-minimal edit": "too many words were replaced",
    **{code: CODES[code] for code in ("casing", "punctuation", "spacing", "article", "duplicate")},
    "no-difference": CODES["no-difference"],
}
"""What a pair can be flagged for, in words."""

_SHAPE = {"bias_type": "category", "sent_more": "stereotype", "sent_less": "counterpart"}
_WORD = r"[^\W_]+"
_NUMBER = ""
"""The published file's first column has no name; it numbers the pairs."""


def load_crows(source: Source) -> ItemSet:
    """The gender pairs, every pair, or the pairs of the user's file."""
    path = source.file(FILE)
    table = read_crows(path, bias_type="gender" if source.name == GENDER else "")
    return ItemSet(table.assign(dropped=""), (path,), flag_notices(table, FLAGS))


def read_crows(path: File, *, bias_type: str = "") -> pd.DataFrame:
    """The pairs of a file with sent_more and sent_less, of one bias type or of all, with their flags."""
    sentences = ("sent_more", "sent_less")
    missing = {"stereo_antistereo": DIRECTIONS[0], "bias_type": "unnamed", "anon_writer": ""}
    directions = {"stereo_antistereo": DIRECTIONS}
    table = read_table(path, sentences)
    table = table.assign(**{name: value for name, value in missing.items() if name not in table})
    check_rows(table, path, Shape(required=sentences, filled=sentences, one_of=directions))
    table = table.rename(columns={"stereo_antistereo": "direction"})
    table["item"] = _names(table)
    table["cluster"] = table["anon_writer"].where(table["anon_writer"] != "", table["item"])
    if bias_type:
        table = _slice(table, bias_type, path)
    table["flags"] = _flags(table)
    table = table.rename(columns=_SHAPE)
    columns = ["item", "category", "direction", "cluster", "stereotype", "counterpart", "flags", LINE]
    return table[columns].reset_index(drop=True)


def _names(table: pd.DataFrame) -> pd.Series:
    """The published number of each pair where the file has it, else its line."""
    if _NUMBER in table and table[_NUMBER].is_unique:
        return "pair " + table[_NUMBER]
    return "line " + table[LINE].astype(str)


def _slice(table: pd.DataFrame, bias_type: str, path: File) -> pd.DataFrame:
    chosen = table[table["bias_type"] == bias_type]
    if chosen.empty:
        error = unknown_name("bias type", bias_type, table["bias_type"].unique())
        raise UserError(f"{path}: {error.message}", error.hint)
    return chosen.copy()


def _flags(table: pd.DataFrame) -> list[str]:
    """What the linter says of each pair; how long a sentence should be is not its business here."""
    pairs = table.rename(columns={"item": "id", "sent_more": "stereotype", "sent_less": "counterpart"})
    codes_of: dict[str, dict[str, None]] = {name: {} for name in table["item"]}
    counts = zip(*(table[side].str.count(_WORD) for side in ("sent_more", "sent_less")), strict=True)
    is_unequal = {name: more != less for name, (more, less) in zip(table["item"], counts, strict=True)}
    for finding in lint_pairs(pairs[["id", "stereotype", "counterpart"]]):
        code = finding.code
        if code == "non-minimal":
            code = "length difference" if is_unequal[finding.id] else "non-minimal edit"
        if code in FLAGS:
            codes_of[finding.id][code] = None
    return [", ".join(codes) for codes in codes_of.values()]
