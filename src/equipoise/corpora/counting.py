"""Counting a block of documents: gendered words around target words, document by document.

A pair is a gendered mention and another word within the window around it. Windows stay inside a document,
or inside a sentence.
"""

from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import repeat
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from equipoise.corpora.tokens import MARKS, tokens
from equipoise.corpora.vocabulary import Integers, Vocabulary
from equipoise.text.sentences import sentence_spans

Floats = NDArray[np.float64]
ANYWHERE = 2**40


class TargetCounts(NamedTuple):
    """Counts of target items near male and female mentions, one row for each document with any."""

    document: Integers
    item: Integers
    male: Floats
    female: Floats


@dataclass(frozen=True)
class BlockCounts:
    """What was counted in each document of a block."""

    words: Floats
    pairs: Floats
    """All pairs: documents x (male, female)."""
    mentions: Floats
    """Mentions: documents x roles x (male, female)."""
    targets: TargetCounts


@dataclass(frozen=True)
class _Stream:
    """All words of a block in a row, each with its number among words, its text and that text's bounds."""

    ids: Integers
    place: Integers
    document: Integers
    first: Integers
    last: Integers


def count_block(texts: Sequence[str], vocabulary: Vocabulary, window: int) -> BlockCounts:
    """Count in the texts of documents within `window` words either side; 0 stands for the whole sentence."""
    stream = _stream(texts, vocabulary, sentences=window == 0)
    reach = window or ANYWHERE
    n = len(texts)
    male, female = vocabulary.male[stream.ids], vocabulary.female[stream.ids]
    mentioned = np.flatnonzero(male | female)
    low, high = _bounds(stream, mentioned, reach)
    genders = np.stack([male[mentioned], female[mentioned]], axis=1).astype(np.float64)
    pairs = np.zeros((n, 2))
    np.add.at(pairs, stream.document[mentioned], genders * (high - low)[:, None])
    mentions = np.zeros((n, len(ROLES), 2))
    for role, holds in enumerate(mention_roles(stream.ids, mentioned, vocabulary)):
        np.add.at(mentions[:, role], stream.document[mentioned[holds]], genders[holds])
    words = _sums(stream.document, vocabulary.is_word[stream.ids], n)
    targets = _target_counts(stream, vocabulary, mentioned, genders, reach)
    return BlockCounts(words, pairs, mentions, targets)


def _stream(texts: Sequence[str], vocabulary: Vocabulary, *, sentences: bool) -> _Stream:
    ids, lengths, owners = array("q"), [], []
    number_of = vocabulary.ids.get
    for owner, text in enumerate(texts):
        for piece in [text[start:end] for start, end in sentence_spans(text)] if sentences else [text]:
            before = len(ids)
            ids.extend(map(number_of, tokens(piece), repeat(0)))
            ids.append(vocabulary.boundary)
            lengths.append(len(ids) - before)
            owners.append(owner)
    numbers = np.frombuffer(ids, dtype=np.int64) if ids else np.zeros(0, dtype=np.int64)
    place = np.cumsum(vocabulary.is_word[numbers])
    ends = np.cumsum(lengths, dtype=np.int64)
    last = place[ends - 1] if len(ends) else place
    first = np.concatenate([[0], last])[:-1] + 1
    units = np.repeat(np.arange(len(lengths)), lengths)
    owner_of = np.asarray(owners, dtype=np.int64)
    return _Stream(numbers, place, owner_of[units], first[units], last[units])


def _bounds(stream: _Stream, at: Integers, reach: int) -> tuple[Integers, Integers]:
    """The first and the last word of the window around each of some words."""
    low = np.maximum(stream.place[at] - reach, stream.first[at])
    return low, np.minimum(stream.place[at] + reach, stream.last[at])


def _target_counts(
    stream: _Stream, vocabulary: Vocabulary, mentioned: Integers, genders: Floats, reach: int
) -> TargetCounts:
    starts = vocabulary.target_starts
    many = starts[stream.ids + 1] - starts[stream.ids]
    at = np.flatnonzero(many)
    low, high = _bounds(stream, at, reach)
    places = stream.place[mentioned]
    sums = np.concatenate([np.zeros((1, 2)), np.cumsum(genders, axis=0)])
    near = sums[np.searchsorted(places, high, "right")] - sums[np.searchsorted(places, low, "left")]
    # A target that is itself a gendered word is not near itself.
    near -= np.stack([vocabulary.male[stream.ids[at]], vocabulary.female[stream.ids[at]]], axis=1)
    some = near.sum(axis=1) > 0
    at, near, many = at[some], near[some], many[at[some]]
    source = np.repeat(np.arange(len(at)), many)
    within = np.arange(len(source)) - np.repeat(np.cumsum(many) - many, many)
    items = vocabulary.target_items[starts[stream.ids[at[source]]] + within]
    size = len(vocabulary.targets.items)
    keys, inverse = np.unique(stream.document[at[source]] * size + items, return_inverse=True)
    male, female = (_sums(inverse, near[source, side], len(keys)) for side in (0, 1))
    return TargetCounts(keys // size, keys % size, male, female)


def _sums(places: Integers, values: NDArray[Any], size: int) -> Floats:
    """The sum of the values at each of `size` places."""
    return np.asarray(np.bincount(places, values, minlength=size), dtype=np.float64)


ROLES = ("all", "subject", "object", "possessive", "undecided", "speaker")
TITLES = (
    "mr",
    "mrs",
    "ms",
    "sir",
    "lady",
    "lord",
    "madame",
    "monsieur",
    "king",
    "queen",
    "prince",
    "princess",
)
Mask = NDArray[np.bool_]


def mention_roles(ids: Integers, mentioned: Integers, vocabulary: Vocabulary) -> Sequence[Mask]:
    """For each of `ROLES`, which mentions have it."""
    if not len(mentioned):
        return [np.zeros(0, dtype=bool)] * len(ROLES)
    padded = np.concatenate([np.full(3, vocabulary.boundary), ids, np.full(4, vocabulary.boundary)])
    at = mentioned + 3
    word = padded[at]
    verb = padded[_verb_place(padded, at, vocabulary)]
    is_verb = vocabulary.kinds["verb"] | vocabulary.kinds["speech"]
    inverted = _after_speech(padded, at, vocabulary)
    speech = vocabulary.kinds["speech"]

    her = vocabulary.mask("her")[word]
    her_alone = (
        her & (_closes(vocabulary) | vocabulary.kinds["function"] | _before_noun(vocabulary))[padded[at + 1]]
    )
    pronoun = vocabulary.mask("he", "she", "him", "her", "his", "hers", "himself", "herself")[word]
    genitive = ~pronoun & vocabulary.mask("'s")[padded[at + 1]]
    possessive = vocabulary.mask("his", "hers")[word] | (her & ~her_alone) | genitive
    subject = vocabulary.mask("he", "she")[word] | (~pronoun & ~genitive & (is_verb[verb] | inverted))
    by_form = vocabulary.mask("him", "himself", "herself")[word] | her_alone
    objective = by_form | (~pronoun & ~genitive & ~subject & _after_preposition(padded, at, vocabulary))
    speaker = subject & (speech[verb] | inverted)
    undecided = ~(possessive | subject | objective)
    return [np.ones(len(at), dtype=bool), subject, objective, possessive, undecided, speaker]


def _closes(vocabulary: Vocabulary) -> Mask:
    """Which numbers end a phrase: marks, the end of a text, and the endings of contractions."""
    return ~vocabulary.is_word


def _before_noun(vocabulary: Vocabulary) -> Mask:
    """Which numbers begin a phrase of their own, so that *her* before them is an object."""
    opens = vocabulary.mask(
        "the", "a", "an", "this", "these", "my", "your", "our", "their", "his", "its", "any"
    )
    return vocabulary.kinds["preposition"] | opens


def _verb_place(padded: Integers, at: Integers, vocabulary: Vocabulary) -> Integers:
    """Where the verb of a subject would stand: after it, and after the name that follows a title."""
    titled = vocabulary.mask(*TITLES)[padded[at]]
    dotted = titled & vocabulary.mask(".")[padded[at + 1]]
    return at + 1 + dotted + titled


def _after_speech(padded: Integers, at: Integers, vocabulary: Vocabulary) -> Mask:
    """Mentions in "said she," and "said the woman,": a verb of speech before and a mark behind."""
    speech, determiner = vocabulary.kinds["speech"], vocabulary.kinds["determiner"]
    marks = vocabulary.mask(*MARKS) | vocabulary.mask("\n")
    before = speech[padded[at - 1]] | (determiner[padded[at - 1]] & speech[padded[at - 2]])
    objects = vocabulary.mask("him", "her", "his", "hers", "himself", "herself")[padded[at]]
    return before & marks[padded[at + 1]] & ~objects


def _after_preposition(padded: Integers, at: Integers, vocabulary: Vocabulary) -> Mask:
    preposition, determiner = vocabulary.kinds["preposition"], vocabulary.kinds["determiner"]
    one, two = determiner[padded[at - 1]], determiner[padded[at - 2]]
    return (
        preposition[padded[at - 1]]
        | (one & preposition[padded[at - 2]])
        | (one & two & preposition[padded[at - 3]])
    )
