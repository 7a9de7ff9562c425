"""Asking for long lists of words at a blank: those of one piece share one row, however many they are."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import pandas as pd

from equipoise.instruments.base import Ask
from equipoise.instruments.parts.items import asked_rows
from equipoise.models.neural.words import Tokens, place_word, starts_sentence
from equipoise.models.protocol import LanguageModel
from equipoise.models.questions import Fill, Raw
from equipoise.text.blank import BLANK
from equipoise.text.gendered import WordLists


class ListedWord(NamedTuple):
    """A word of a pole's list and the ids it becomes in a blank; none if the tokenizer lacks one."""

    word: str
    pole: str
    ids: tuple[int, ...]


def list_asks(model: LanguageModel, items: pd.DataFrame, lists: WordLists) -> Iterator[Ask]:
    """Every list at the blank of every item, in the role of its pole, and by name at the first of them."""
    tokens = tokens_of(model)
    if tokens is not None:
        yield from _row_asks(tokens, items, lists)
        return
    for number, row in enumerate(asked_rows(items)):
        for pole, words in lists.words.items():
            question = Fill(row["text"], words, unknown_as_nan=True)
            yield Ask(row["item"], pole, question)
            if number == 0:
                yield Ask(row["item"], by_name(pole), question)


def by_name(pole: str) -> str:
    """The role in which the first item is asked which words of a pole there are."""
    return f"{pole}, by name"


def tokens_of(model: Any) -> Tokens | None:
    """The tokenizer of a model that runs rows of ids; others are asked word by word."""
    if not model.can_answer(Raw):
        return None
    tokens: Tokens = model.tokens
    return tokens


def listed_words(tokens: Tokens, text: str, lists: WordLists) -> list[ListedWord]:
    """Every listed word with what it becomes in the blank of a text."""
    placed = []
    for pole, words in lists.words.items():
        for word in words:
            ids = place_word(tokens, text, word).pieces
            placed.append(ListedWord(word, pole, () if tokens.unknown_id in ids else ids))
    return placed


class _WholeWords(NamedTuple):
    """The words of each list that are one piece, by name and by id, and a word that shows where they go."""

    names: dict[str, tuple[str, ...]]
    wanted: dict[str, tuple[int, ...]]
    sample: str


def _whole_words(tokens: Tokens, text: str, lists: WordLists) -> _WholeWords:
    whole = [listed for listed in listed_words(tokens, text, lists) if len(listed.ids) == 1]
    by_pole = {pole: [listed for listed in whole if listed.pole == pole] for pole in lists.words}
    return _WholeWords(
        {pole: tuple(listed.word for listed in of_pole) for pole, of_pole in by_pole.items()},
        {
            pole: tuple(dict.fromkeys(listed.ids[0] for listed in of_pole))
            for pole, of_pole in by_pole.items()
        },
        whole[0].word if whole else lists.words[lists.names[0]][0],
    )


def _row_asks(tokens: Tokens, items: pd.DataFrame, lists: WordLists) -> Iterator[Ask]:
    """One row per item, asked for the words of one piece."""
    known: dict[tuple[bool, str, str], _WholeWords] = {}
    for number, row in enumerate(asked_rows(items)):
        text, around = row["text"], _surroundings(row["text"])
        if around not in known:
            known[around] = _whole_words(tokens, text, lists)
        whole = known[around]
        placed = place_word(tokens, text, whole.sample)
        place, ids = placed.slot[0], list(placed.encoded.ids)
        ids[place] = int(tokens.mask_id or 0)
        for pole in lists.words:
            yield Ask(row["item"], pole, Raw(tuple(ids), place, whole.wanted[pole]))
            if number == 0:
                yield Ask(row["item"], by_name(pole), Fill(text, whole.names[pole]))


def _surroundings(text: str) -> tuple[bool, str, str]:
    """What decides which pieces a word becomes in a blank: a sentence's start, and what touches the blank."""
    left, _, right = text.partition(BLANK)
    return starts_sentence(left), left[-1:], right[:1]
