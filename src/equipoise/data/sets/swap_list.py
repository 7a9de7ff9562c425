"""A user's own list of words to exchange, such as the one of WinoBias (Zhao et al. 2018)."""

from pathlib import Path

from equipoise.data.reading import LINE, numbered_lines, read_table
from equipoise.errors import UserError
from equipoise.text.swaps import PRONOUNS

COLUMNS = ("male", "female")


def read_swap_list(path: Path) -> dict[str, tuple[str, ...]]:
    """The partners of every word, in lower case.

    A CSV or TSV has the columns male and female; any other file two words a line. A word becomes what stands
    to its right; a word that only stands on the right becomes what stands to its left.
    """
    right: dict[str, dict[str, None]] = {}
    left: dict[str, dict[str, None]] = {}
    for line, (one, other) in _pairs(path):
        if not one or not other or one == other:
            raise UserError(
                f"{path}, line {line}: {one!r} and {other!r} are not two words to exchange.",
                "Give two different words in each row.",
            )
        right.setdefault(one, {})[other] = None
        left.setdefault(other, {})[one] = None
    partners = {word: tuple(known) for word, known in {**left, **right}.items()}
    for word, options in partners.items():
        if len(options) > 1 and word not in PRONOUNS:
            raise UserError(
                f"{path}: {word!r} would become {' or '.join(map(repr, options))}.",
                "Give each word one partner; only her and his may have two.",
            )
    return partners


def _pairs(path: Path) -> list[tuple[int, tuple[str, str]]]:
    if path.suffix.lower() in (".csv", ".tsv", ".tab"):
        rows = read_table(path, COLUMNS).to_dict("records")
        return [(row[LINE], (row["male"].strip().lower(), row["female"].strip().lower())) for row in rows]
    pairs = []
    for line, text in numbered_lines(path).items():
        words = text.lower().split()
        if len(words) != 2:
            raise UserError(
                f"{path}, line {line}: {text!r} is not two words.",
                "Write two words a line, or a CSV with the columns male and female.",
            )
        pairs.append((line, (words[0], words[1])))
    return pairs
