"""Poles: the words that stand for male and female, or for any other groups, by grammatical form."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from equipoise.data.reading import LANGUAGES, TABLES, Shape, read_rows
from equipoise.errors import UserError, unknown_name

DEFAULT_POLES = "pronouns"
GENDER_POLES = (DEFAULT_POLES, "neo-pronouns")
"""Shipped poles whose first two are the pronouns of men and women."""


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
    def pair(self) -> tuple[str, str]:
        """The two poles that are compared, the first one first."""
        first, second = self.names[:2]
        return first, second

    @property
    def others(self) -> tuple[str, ...]:
        """The poles beyond the two that are compared, such as they."""
        return self.names[2:]

    @property
    def are_genders(self) -> bool:
        """Whether men and women are compared, in that order, so that shares of women say something."""
        return self.pair == ("male", "female")

    @property
    def forms(self) -> tuple[str, ...]:
        """The grammatical forms in the file's order."""
        return tuple(dict.fromkeys(form for _, form in self.words))

    def at(self, form: str) -> dict[str, tuple[str, ...]]:
        """The words of each pole in one form."""
        if form not in self.forms:
            raise unknown_name(f"form in the poles {self.name!r}", form, self.forms)
        return {pole: self.words.get((pole, form), ()) for pole in self.names}

    def pair_at(self, form: str) -> dict[str, tuple[str, ...]]:
        """The words of the two poles that are compared, in one form."""
        words = self.at(form)
        return {pole: words[pole] for pole in self.pair}

    def check_form(self, form: str, where: str, *, poles: tuple[str, ...] = ()) -> None:
        """Refuse a form that these poles do not have, or for which one of them has no word."""
        if form not in self.forms:
            raise UserError(
                f"{where}: the form {form!r} does not exist.",
                f"The poles {self.name!r} have: {', '.join(self.forms)}.",
            )
        for pole in poles or self.names:
            if not self.words.get((pole, form)):
                raise UserError(
                    f"{where}: the pole {pole!r} of {self.path} has no word of the form {form!r}.",
                    "Add a word for it.",
                )

    def check_gender(self, gender: str, where: str) -> None:
        """Refuse the gender of a word that is none of the poles; without one it is an occupation's."""
        known = ("male", "female", *self.names)
        if gender not in ("", *known):
            raise UserError(
                f"{where}: the gender {gender!r} is not a pole.",
                f"Leave it empty for an occupation, or write one of {', '.join(dict.fromkeys(known))}.",
            )


def shipped_poles() -> dict[str, Path]:
    """The files of the shipped poles by name; those of a language are its pronouns (`pronouns-de`)."""
    files = {path.stem.removeprefix("poles-"): path for path in TABLES.glob("poles-*.csv")}
    files |= {f"{DEFAULT_POLES}-{path.parent.name}": path for path in LANGUAGES.glob("*/poles.csv")}
    return dict(sorted(files.items()))


def load_poles(name: str | Path = DEFAULT_POLES) -> Poles:
    """Shipped poles by name (`pronouns`, ...), or a user's file with columns pole, form, word."""
    path, shipped = Path(name), shipped_poles()
    if not path.suffix:
        if str(name) not in shipped:
            raise unknown_name("set of poles", str(name), list(shipped))
        path = shipped[str(name)]
    table = read_rows(path, Shape(required=("pole", "form", "word"), filled=("word",)))
    words: dict[tuple[str, str], tuple[str, ...]] = {}
    for row in table.to_dict("records"):
        key = (row["pole"].strip(), row["form"].strip())
        words[key] = (*words.get(key, ()), row["word"].strip())
    called = next(
        (known for known, file in shipped.items() if file == path), path.stem.removeprefix("poles-")
    )
    poles = Poles(called, words, path)
    if len(poles.names) < 2:
        raise UserError(
            f"{path} names {len(poles.names)} pole where two are needed.",
            "Give words for at least two poles.",
        )
    for form in poles.forms:
        of_word: dict[str, str] = {}
        for pole, given in poles.at(form).items():
            for word in given:
                if of_word.setdefault(word.lower(), pole) != pole:
                    raise UserError(
                        f"{path}: {word.lower()!r} stands for both {of_word[word.lower()]!r} and {pole!r} "
                        f"in the form {form!r}.",
                        "Give each pole words of its own: a word cannot differ from itself.",
                    )
    return poles
