"""Rows that begin alike, laid out as trees: what they share is run once.

A causal model's state at a place depends on the tokens before it only. So the two sides of a pair, and the
words at one blank, can be run as one tree of tokens in which each token sees its ancestors and nothing else.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise, takewhile

import torch

from equipoise.models.engine.rows import Row, RowAnswer

WIDTH = 128
"""Tokens of a tree, unless one row has more: the cost of attention rises with the square of it."""


@dataclass(frozen=True)
class Tree:
    """Several rows as one: its tokens, how deep each stands, which it follows, and where rows have theirs."""

    ids: list[int]
    depths: list[int]
    parents: list[int]
    members: list[Row]
    nodes: list[list[int]]

    @property
    def row(self) -> Row:
        """What the members ask, asked of the tree's own tokens."""
        asks = {
            (nodes[place], token): None
            for row, nodes in zip(self.members, self.nodes, strict=True)
            for place, token in row.asks
        }
        return Row(tuple(self.ids), tuple(asks))

    def answers(self, answer: RowAnswer) -> Iterator[RowAnswer]:
        """The answer of each member."""
        for row, nodes in zip(self.members, self.nodes, strict=True):
            yield RowAnswer(
                {(place, token): answer.logprobs[nodes[place], token] for place, token in row.asks}
            )


def shared_length(first: Sequence[int], second: Sequence[int]) -> int:
    """How many ids two rows begin with."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(first, second, strict=False)))


def cut_into_trees(rows: Sequence[Row]) -> Iterator[list[Row]]:
    """Rows in the order of their ids, cut where a tree is full.

    In this order no row shares more with an earlier one than with the one just before it.
    """
    members: list[Row] = []
    size = 0
    for row in rows:
        more = len(row.ids) - (shared_length(members[-1].ids, row.ids) if members else 0)
        if members and size + more > WIDTH:
            yield members
            members, size, more = [], 0, len(row.ids)
        members.append(row)
        size += more
    if members:
        yield members


def tree_size(members: Sequence[Row]) -> int:
    """How many tokens a tree of these rows has."""
    known = (shared_length(one.ids, two.ids) for one, two in pairwise(members))
    return sum(len(row.ids) for row in members) - sum(known)


def grow(members: Sequence[Row]) -> Tree:
    """The tree of some rows in the order of their ids."""
    tree = Tree([], [], [], list(members), [])
    before: Sequence[int] = ()
    for row in members:
        shared = shared_length(before, row.ids)
        nodes = tree.nodes[-1][:shared] if tree.nodes else []
        for depth in range(shared, len(row.ids)):
            tree.parents.append(nodes[-1] if nodes else -1)
            nodes.append(len(tree.ids))
            tree.ids.append(row.ids[depth])
            tree.depths.append(depth)
        tree.nodes.append(nodes)
        before = row.ids
    return tree


def laid_out(
    trees: Sequence[Tree], padding_id: int, device: torch.device, *, width: int | None = None
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Ids and depths `[trees, width]`, and which tokens each token sees `[trees, 1, width, width]`.

    Padding sees itself alone, because a token that sees nothing has no answer at all.
    """
    width = width or max(len(tree.ids) for tree in trees)
    ids = torch.full((len(trees), width), padding_id)
    depths = torch.zeros((len(trees), width), dtype=torch.long)
    seen = torch.eye(width, dtype=torch.bool).repeat(len(trees), 1, 1)
    for number, tree in enumerate(trees):
        size = len(tree.ids)
        ids[number, :size] = torch.tensor(tree.ids)
        depths[number, :size] = torch.tensor(tree.depths)
        sees = seen[number].numpy()
        for node, parent in enumerate(tree.parents):
            if parent >= 0:
                sees[node] |= sees[parent]
    return ids.to(device), depths.to(device), seen[:, None].to(device)
