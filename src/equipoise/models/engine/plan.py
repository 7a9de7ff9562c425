"""The plan of a run: what the store answers already, and the batches that are still to run.

A causal model's state at a place depends on the tokens before it only. So the two sides of a pair, and the
words at one blank, run as one tree of tokens in which each token sees its ancestors and nothing else. What
they share runs once.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise, takewhile

import torch

from equipoise.models.engine.rows import SHARED, Row, RowAnswer, merge
from equipoise.models.engine.store import AnswerStore

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


LEAST_BUDGET = 256
"""Tokens per forward pass below which lanes gain nothing over all threads on one batch."""

Batch = list[tuple[bytes, Row]]
Answered = tuple[bytes, RowAnswer]
Store = AnswerStore[RowAnswer]


@dataclass(frozen=True)
class Plan:
    """The keys of the rows asked, the answers known, the batches still to run."""

    keys: list[bytes]
    known: dict[bytes, RowAnswer]
    open_batches: list[Batch]

    @property
    def open_tokens(self) -> int:
        """How many tokens are still to run, padding included."""
        return sum(tokens_in(batch) for batch in self.open_batches)


def make_plan(rows: Sequence[Row], store: Store, *, budget: int, lanes: int) -> Plan:
    """What the store answers already and which batches are still to run.

    A batch is committed whole, so a resumed run repeats the very batches that the killed one would have
    run. Rows left over from batches that another plan answered in part are packed anew.
    """
    (plan,) = make_plans([rows], store, budget=budget, lanes=lanes)
    return plan


def make_plans(
    parts: Sequence[Sequence[Row]], store: AnswerStore[RowAnswer], *, budget: int, lanes: int
) -> list[Plan]:
    """A plan for each part, to be run in this order: what one part learns, the later ones know.

    A row of several parts is run once, with the first of them, for everything that any of them asks.
    """
    distinct = merge(row for rows in parts for row in rows)
    stored = store.read(list(distinct))
    known = {key: answer for key, answer in stored.items() if answer.covers(distinct[key])}
    plans: list[Plan] = []
    planned: set[bytes] = set()
    for rows in parts:
        keys = [row.key for row in rows]
        own = {key: distinct[key] for key in keys if key not in planned}
        planned |= own.keys()
        per_pass = budget_per_pass(own.values(), budget, lanes)
        plans.append(Plan(keys, known, _open_batches(own, known, per_pass)))
    return plans


def still_open(plan: Plan, store: Store) -> list[Batch]:
    """The open batches without what another thread has answered since the plan was made."""
    rows = dict(pair for batch in plan.open_batches for pair in batch)
    stored = store.read(list(rows))
    plan.known.update({key: answer for key, answer in stored.items() if answer.covers(rows[key])})
    left = ([pair for pair in batch if pair[0] not in plan.known] for batch in plan.open_batches)
    return [batch for batch in left if batch]


def _open_batches(rows: Mapping[bytes, Row], known: Collection[bytes], per_pass: int) -> list[Batch]:
    waiting: list[Batch] = []
    remainder: Batch = []
    for batch in batches(list(rows.items()), per_pass):
        left = [pair for pair in batch if pair[0] not in known]
        if len(left) == len(batch):
            waiting.append(batch)
        else:
            remainder.extend(left)
    open_batches = waiting + batches(remainder, per_pass)
    # The small ones fill the end of the shorter lane.
    return sorted(open_batches, key=tokens_in, reverse=True)


def budget_per_pass(rows: Collection[Row], budget: int, lanes: int) -> int:
    """A lane's part of the budget; less where there are too few rows to keep every lane busy."""
    most = budget // lanes
    fair = sum(len(row.ids) for row in rows) // (2 * lanes)
    return min(most, fair) if lanes > 1 and fair >= LEAST_BUDGET else most


def batches(rows: Sequence[tuple[bytes, Row]], budget: int) -> list[Batch]:
    """Batches of one mode and nearly one length under a token budget, longest first.

    A batch that is already half full ends where the length changes, so that most batches need no padding.
    The order depends on the rows alone: a run that is resumed forms the same batches again.
    """
    alike = [pair for pair in rows if pair[1].mode == SHARED]
    others = [pair for pair in rows if pair[1].mode != SHARED]
    ordered = sorted(others, key=lambda pair: (pair[1].mode, -len(pair[1].ids), pair[0]))
    packed = list(_batches_of_trees(alike, budget))
    for pair in ordered:
        current = packed[-1] if packed else None
        if current is None or not _fits(current, pair[1], budget):
            packed.append([pair])
        else:
            current.append(pair)
    return packed


def _batches_of_trees(rows: Sequence[tuple[bytes, Row]], budget: int) -> Iterator[Batch]:
    """Batches of rows in the order of their ids, cut between trees: cut again, a batch has the same ones."""
    pairs = sorted(rows, key=lambda pair: pair[1].ids)
    ordered = iter(pairs)
    batch: Batch = []
    count = longest = 0
    for tree in cut_into_trees([row for _, row in pairs]):
        size = tree_size(tree)
        wide = max(longest, size)
        is_alike = not count or 4 * min(longest, size) >= 3 * wide or 8 * count * longest < budget
        if batch and (wide * (count + 1) > budget or not is_alike):
            yield batch
            batch, count, wide = [], 0, size
        batch += islice(ordered, len(tree))
        count, longest = count + 1, wide
    if batch:
        yield batch


def tokens_in(batch: Sequence[tuple[bytes, Row]]) -> int:
    """How many tokens a batch runs, padding included."""
    if batch[0][1].mode == SHARED:
        sizes = [tree_size(tree) for tree in cut_into_trees([row for _, row in batch])]
        return len(sizes) * max(sizes)
    return len(batch) * max(len(row.ids) for _, row in batch)


def _fits(batch: Batch, row: Row, budget: int) -> bool:
    first = batch[0][1]
    longest = len(first.ids)
    if first.mode != row.mode or longest * (len(batch) + 1) > budget:
        return False
    return len(row.ids) == longest or longest * len(batch) < budget // 2
