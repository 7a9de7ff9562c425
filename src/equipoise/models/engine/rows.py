"""Rows: what a neural network is really asked, without a word of language in it."""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import isnan
from typing import NamedTuple

import numpy as np

from equipoise.models.questions import Vector

Ask = tuple[int, int]
"""A position in the row and the token id whose log P is wanted there."""

Tops = dict[int, list[tuple[int, float]]]
"""The likeliest ids with their log P, by position."""


SHARED = "shared"
"""The mode of rows that are run as trees."""


class VectorSpec(NamedTuple):
    """Which hidden layer is wanted, averaged over which positions."""

    layer: int
    positions: tuple[int, ...]


@dataclass(frozen=True)
class Row:
    """Token ids to run as they stand, and what is wanted of them.

    A row that is classified asks for its labels by number, at position 0; `segments` tells its two texts
    apart, where the network wants to know. A row with a `target` is read by an encoder, and what is wanted
    stands in the target, which the decoder reads.
    """

    ids: tuple[int, ...]
    asks: tuple[Ask, ...] = ()
    tops: tuple[tuple[int, int], ...] = ()
    weighed: bool = False
    vectors: tuple[VectorSpec, ...] = ()
    classified: bool = False
    segments: tuple[int, ...] = ()
    target: tuple[int, ...] = ()
    shared: bool = False
    """Whether it may be run in one tree with rows that begin alike: only what comes before a place counts."""

    @property
    def mode(self) -> str:
        """Rows of one mode can share a batch; all vectors of a row come from one pass."""
        if self.classified:
            return "classified"
        if self.vectors:
            return "vectors"
        if self.target:
            return "target"
        if self.shared and not (self.weighed or self.tops):
            return SHARED
        return "weighed" if self.weighed else "plain"

    @cached_property
    def key(self) -> bytes:
        """What the answer depends on besides the model: the ids, the mode, the segments and the target."""
        digest = hashlib.blake2b(np.asarray(self.ids, dtype=np.int32).tobytes(), digest_size=16)
        if self.mode not in ("plain", SHARED):  # a tree gives the same answers
            digest.update(self.mode.encode())
        if more := (*self.segments, *self.target):
            digest.update(np.asarray(more, dtype=np.int32).tobytes())
        return digest.digest()


@dataclass
class RowAnswer:
    """What the network said of one row."""

    logprobs: dict[Ask, float] = field(default_factory=dict)
    tops: Tops = field(default_factory=dict)
    weights: list[float] = field(default_factory=list)
    vectors: dict[VectorSpec, Vector] = field(default_factory=dict)

    def covers(self, row: Row) -> bool:
        """Whether everything the row asks is here."""
        if any(spec not in self.vectors for spec in row.vectors):
            return False
        if row.weighed and len(self.weights) != len(row.ids):
            return False
        if any(len(self.tops.get(position, ())) < count for position, count in row.tops):
            return False
        return all(ask in self.logprobs for ask in row.asks)

    def is_sound(self) -> bool:
        """Whether everything said is a number, and nothing NaN."""
        said = [*self.logprobs.values(), *self.weights]
        said += [value for pairs in self.tops.values() for _, value in pairs]
        vectors = (float(vector.sum()) for vector in self.vectors.values())
        return not (isnan(sum(said)) or any(map(isnan, vectors)))

    def joined(self, older: "RowAnswer") -> "RowAnswer":
        """This answer with what an older one knew besides."""
        return RowAnswer(
            older.logprobs | self.logprobs,
            _longer_tops(older.tops, self.tops),
            self.weights or older.weights,
            older.vectors | self.vectors,
        )


def _longer_tops(older: Tops, newer: Tops) -> Tops:
    """At each position the longer list of likeliest ids."""
    kept = {at: pairs for at, pairs in older.items() if len(pairs) > len(newer.get(at, ()))}
    return newer | kept


def merge(rows: Iterable[Row]) -> dict[bytes, Row]:
    """Distinct rows by key, each with the union of what was asked of it."""
    merged: dict[bytes, Row] = {}
    for row in rows:
        key = row.key
        earlier = merged.get(key)
        merged[key] = row if earlier is None else _union(earlier, row)
    return merged


def _union(first: Row, second: Row) -> Row:
    """One row that asks what both ask."""
    counts = dict(first.tops)
    for position, count in second.tops:
        counts[position] = max(count, counts.get(position, 0))
    asks = tuple(dict.fromkeys(first.asks + second.asks))
    vectors = tuple(dict.fromkeys(first.vectors + second.vectors))
    return replace(first, asks=asks, tops=tuple(counts.items()), vectors=vectors)
