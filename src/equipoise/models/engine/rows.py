"""Rows: what a neural network is really asked, without a word of language in it."""

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np

from equipoise.models.base import Vector

Ask = tuple[int, int]
"""A position in the row and the token id whose log P is wanted there."""


class VectorSpec(NamedTuple):
    """Which hidden layer is wanted, averaged over which positions."""

    layer: int
    positions: tuple[int, ...]


@dataclass(frozen=True)
class Row:
    """Token ids to run as they stand, and what is wanted of them."""

    ids: tuple[int, ...]
    asks: tuple[Ask, ...] = ()
    tops: tuple[tuple[int, int], ...] = ()
    weighed: bool = False
    vector: VectorSpec | None = None

    @property
    def mode(self) -> str:
        """Rows of one mode can share a batch."""
        if self.vector is not None:
            return f"vector:{self.vector.layer}"
        return "weighed" if self.weighed else "plain"

    @cached_property
    def key(self) -> bytes:
        """What the answer depends on besides the model: the ids and the mode."""
        digest = hashlib.blake2b(np.asarray(self.ids, dtype=np.int32).tobytes(), digest_size=16)
        if self.vector is not None or self.weighed:
            digest.update(repr((self.mode, self.vector)).encode())
        return digest.digest()


@dataclass
class RowAnswer:
    """What the network said of one row."""

    logprobs: dict[Ask, float] = field(default_factory=dict)
    tops: dict[int, list[tuple[int, float]]] = field(default_factory=dict)
    weights: list[float] = field(default_factory=list)
    vector: Vector | None = None

    def covers(self, row: Row) -> bool:
        """Whether everything the row asks is here."""
        if row.vector is not None:
            return self.vector is not None
        if row.weighed and len(self.weights) != len(row.ids):
            return False
        if any(len(self.tops.get(position, ())) < count for position, count in row.tops):
            return False
        return all(ask in self.logprobs for ask in row.asks)

    def joined(self, older: "RowAnswer | None") -> "RowAnswer":
        """This answer with what an older one knew besides."""
        if older is None:
            return self
        return RowAnswer(
            older.logprobs | self.logprobs,
            older.tops | self.tops,
            self.weights or older.weights,
            older.vector if self.vector is None else self.vector,
        )


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
    return Row(first.ids, asks, tuple(counts.items()), first.weighed, first.vector)


def batches(rows: Sequence[tuple[bytes, Row]], budget: int) -> list[list[tuple[bytes, Row]]]:
    """Batches of one mode and nearly one length under a token budget, longest first.

    A batch that is already half full ends where the length changes, so that most batches need no padding.
    The order depends on the rows alone: a run that is resumed forms the same batches again.
    """
    ordered = sorted(rows, key=lambda pair: (pair[1].mode, -len(pair[1].ids), pair[0]))
    packed: list[list[tuple[bytes, Row]]] = []
    for pair in ordered:
        current = packed[-1] if packed else None
        if current is None or not _fits(current, pair[1], budget):
            packed.append([pair])
        else:
            current.append(pair)
    return packed


def tokens_in(batch: Sequence[tuple[bytes, Row]]) -> int:
    """How many tokens a batch runs, padding included."""
    return len(batch) * max(len(row.ids) for _, row in batch)


def _fits(batch: list[tuple[bytes, Row]], row: Row, budget: int) -> bool:
    first = batch[0][1]
    longest = len(first.ids)
    if first.mode != row.mode or longest * (len(batch) + 1) > budget:
        return False
    return len(row.ids) == longest or longest * len(batch) < budget // 2
