"""Words and person phrases by pole, such as male and female; lists are matched in lower case."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from equipoise.errors import UserError

MALE, FEMALE = "male", "female"
"""The two sides of gendered language, as every table and word list calls them."""

PERSON = "<person>"
NEITHER = "neither"


@dataclass(frozen=True)
class WordLists:
    """The words of the poles as they are written; whether a word is among them is asked in lower case."""

    words: Mapping[str, tuple[str, ...]]

    @property
    def names(self) -> tuple[str, str]:
        """The two poles that are compared, the first one first."""
        first, second, *_ = self.words
        return first, second

    @property
    def others(self) -> tuple[str, ...]:
        """The poles beyond these two, such as they."""
        return tuple(self.words)[2:]

    def pole_of(self, word: str) -> str:
        """The pole whose list holds the word, or `neither`."""
        return self._lookup.get(word.strip().lower(), NEITHER)

    @cached_property
    def _lookup(self) -> dict[str, str]:
        return {word.lower(): pole for pole, words in self.words.items() for word in words}


def word_lists(words: Mapping[str, Iterable[str]], source: object) -> WordLists:
    """Lists without repeats; a word that stands in two would count for either, so it is refused."""
    lists = {pole: _distinct(given) for pole, given in words.items()}
    counts = Counter(word.lower() for listed in lists.values() for word in listed)
    if shared := sorted(word for word, count in counts.items() if count > 1):
        raise UserError(
            f"{source}: {', '.join(shared)} is in the lists of two poles.",
            "Leave a word that can be either out of both lists.",
        )
    for pole, listed in lists.items():
        if not listed:
            raise UserError(f"{source}: there is no word for the pole {pole!r}.", "Add at least one.")
    return WordLists(lists)


def with_person(template: str, phrase: str) -> str:
    """The template with a person phrase in its slot; a sentence begins with a capital."""
    text = template.replace(PERSON, phrase)
    return text[:1].upper() + text[1:] if template.startswith(PERSON) else text


def _distinct(words: Iterable[str]) -> tuple[str, ...]:
    """The words that are not empty, each once however it is capitalised."""
    spelled: dict[str, str] = {}
    for word in words:
        if word.strip():
            spelled.setdefault(word.strip().lower(), word.strip())
    return tuple(spelled.values())
