"""Poles: the words that stand for male and female, or for any other groups, by grammatical form."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from equipoise.data.reading import LINE, TABLES, read_table
from equipoise.errors import UserError, unknown_name

DEFAULT_POLES = "pronouns"


@dataclass(frozen=True)
class Poles:
    """Words by pole and form; a positive score leans to the first pole, a negative one to the second."""

    name: str
    words: Mapping[tuple[str, str], tuple[str, ...]]
    path: Path

    @property
    def names(self) -> tuple[str, ...]:
        """The poles in the file's order."""
        return tuple(dict.fromkeys(pole for pole, _ in self.words))

    @property
    def forms(self) -> tuple[str, ...]:
        """The grammatical forms in the file's order."""
        return tuple(dict.fromkeys(form for _, form in self.words))

    def at(self, form: str) -> dict[str, tuple[str, ...]]:
        """The words of each pole in one form."""
        if form not in self.forms:
            raise unknown_name(f"slot type in the poles {self.name!r}", form, self.forms)
        return {pole: self.words.get((pole, form), ()) for pole in self.names}


def load_poles(name: str | Path = DEFAULT_POLES) -> Poles:
    """Shipped poles by name (`pronouns`, ...), or a user's file with columns pole, form, word."""
    path = Path(name)
    if not path.suffix:
        path = TABLES / f"poles-{name}.csv"
        if not path.exists():
            known = [file.stem.removeprefix("poles-") for file in TABLES.glob("poles-*.csv")]
            raise unknown_name("set of poles", str(name), known)
    table = read_table(path, ("pole", "form", "word"))
    words: dict[tuple[str, str], tuple[str, ...]] = {}
    for row in table.to_dict("records"):
        if not row["word"].strip():
            raise UserError(f"{path}, line {row[LINE]}: no word.", "Give a word for each row.")
        key = (row["pole"].strip(), row["form"].strip())
        words[key] = (*words.get(key, ()), row["word"].strip())
    poles = Poles(path.stem.removeprefix("poles-"), words, path)
    if len(poles.names) < 2:
        raise UserError(
            f"{path} names {len(poles.names)} pole where two are needed.",
            "Give words for at least two poles.",
        )
    return poles
