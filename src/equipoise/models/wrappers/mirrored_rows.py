"""Rows of token ids with women and men exchanged, word by word where both words are one piece."""

from dataclasses import replace
from functools import cached_property
from typing import Any

from equipoise.models.questions import Raw
from equipoise.text.blank import BLANK
from equipoise.text.rewriting.mirroring import Mirror
from equipoise.text.rewriting.persons import CAPITALISED


class MirroredRows:
    """Turns rows of ids that must keep their length and places."""

    def __init__(self, tokens: Any, mirror: Mirror) -> None:
        self.tokens = tokens
        self.mirror = mirror

    def turned(self, question: Raw) -> Raw | None:
        """The row and the wanted ids on the other side; None where the blank's sentence is left alone.

        It is left alone with a name too, for a row must keep its length.
        """
        text = self._text(question)
        blank = self.mirror.blank(text)
        if blank is None or self._names(text) - self._names(blank.text):
            return None
        slot, context = self._partners[blank.is_possessive], self._partners[True]
        return replace(
            question,
            ids=tuple(context.get(one, one) for one in question.ids),
            wanted=tuple(slot.get(one, one) for one in question.wanted),
        )

    def _names(self, text: str) -> set[str]:
        """Capitalised words that are in no pair of gendered words."""
        gendered = {word for pair in self.mirror.pairs for word in pair}
        words = {match.group() for match in CAPITALISED.finditer(text)}
        return {word for word in words if word.lower() not in gendered}

    def _text(self, question: Raw) -> str:
        """The row in words, with its one asked blank; other masks are left out."""
        words = []
        for place, one in enumerate(question.ids):
            token = self.tokens.token(one)
            if place == question.position:
                words.append(BLANK)
            elif token.startswith("##") and words:
                words[-1] += token[2:]
            elif not token.startswith(("[", "<")):
                words.append(token.lstrip("\u0120\u2581"))
        return " ".join(words)

    def pairs(self, *, is_possessive: bool) -> list[tuple[int, int]]:
        """Return ids of male and female partner words of one piece each, for both forms of a blank."""
        forms = (("his", "her"), ("him", "hers")) if is_possessive else (("him", "her"), ("his", "hers"))
        pairs = [*self._nouns, *((self._id(male), self._id(female)) for male, female in forms)]
        return [(male, female) for male, female in pairs if male is not None and female is not None]

    @cached_property
    def _nouns(self) -> list[tuple[int | None, int | None]]:
        return [(self._id(male), self._id(female)) for male, female in self.mirror.pairs]

    @cached_property
    def _partners(self) -> tuple[dict[int, int], dict[int, int]]:
        """Both ways, for a blank that asks for no possessive, and for one that does."""
        other, possessive = (
            {one: two for pair in self.pairs(is_possessive=form) for one, two in (pair, pair[::-1])}
            for form in (False, True)
        )
        return other, possessive

    def _id(self, word: str) -> int | None:
        return one_piece(self.tokens, word)


def one_piece(tokens: Any, word: str) -> int | None:
    """The id of a word that is one piece in the middle of a sentence; None if it is several or unknown."""
    encoded = tokens.encode(f"the {word} .")
    places = encoded.positions((4, 4 + len(word)))
    is_known = len(places) == 1 and encoded.ids[places[0]] != tokens.unknown_id
    return int(encoded.ids[places[0]]) if is_known else None
