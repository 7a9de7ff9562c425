"""Words and person phrases for two poles, such as male and female; lists are matched in lower case."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from equipoise.errors import UserError

PERSON = "<person>"
NEITHER = "neither"


@dataclass(frozen=True)
class WordLists:
    """The words of two poles as they are written; whether a word is among them is asked in lower case."""

    words: Mapping[str, tuple[str, ...]]

    @property
    def names(self) -> tuple[str, str]:
        """The two poles, the first one first."""
        first, second = self.words
        return first, second

    def pole_of(self, word: str) -> str:
        """The pole whose list holds the word, or `neither`."""
        return self._lookup.get(word.strip().lower(), NEITHER)

    @cached_property
    def _lookup(self) -> dict[str, str]:
        return {word.lower(): pole for pole, words in self.words.items() for word in words}


def word_lists(words: Mapping[str, Iterable[str]], source: object) -> WordLists:
    """Two lists without repeats; a word that stands in both would count for either, so it is refused."""
    lists = {pole: _distinct(given) for pole, given in words.items()}
    first, second = ({word.lower() for word in listed} for listed in lists.values())
    if first & second:
        raise UserError(
            f"{source}: {', '.join(sorted(first & second))} stands in the lists of both poles.",
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
