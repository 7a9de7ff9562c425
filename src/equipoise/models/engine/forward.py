"""One forward pass: a batch of rows in, what was asked of each row out."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple, Protocol

import torch

from equipoise.errors import UserError, shortage
from equipoise.models.engine.plan import Answered, Batch, cut_into_trees, grow, laid_out
from equipoise.models.engine.rows import SHARED, Row, RowAnswer


class Forward(Protocol):
    """A network and how its rows are padded: all that is needed to answer a batch."""

    @property
    def device(self) -> torch.device:
        """Where it runs."""

    def sibling(self) -> "Forward":
        """The same on the same weights, for another thread."""

    def compute(self, rows: list[Row]) -> list[RowAnswer]:
        """Run rows of one mode in one forward pass."""


class LanguageNetwork(Protocol):
    """A language model, as far as the engine runs it; see `neural.network`."""

    device: torch.device
    splits: bool
    """Whether the head can be run by itself, on the hidden states of some places only."""

    def sibling(self) -> "LanguageNetwork":
        """The same network on the same weights, for another thread."""

    def hidden_at(
        self, ids: torch.Tensor, attention: torch.Tensor | None, places: tuple[torch.Tensor, torch.Tensor]
    ) -> torch.Tensor:
        """Last hidden states `[places, width]`."""

    def hidden_in_trees(self, ids: torch.Tensor, depths: torch.Tensor, seen: torch.Tensor) -> torch.Tensor:
        """Last hidden states `[trees, length, width]` of tokens that see some of those before them."""

    def logits(self, hidden: torch.Tensor) -> Iterator[torch.Tensor]:
        """The head on hidden states, in chunks."""

    def whole(self, ids: torch.Tensor, attention: torch.Tensor | None) -> torch.Tensor:
        """Logits at every position `[rows, length, vocabulary]`."""

    def decoded(
        self, ids: torch.Tensor, attention: torch.Tensor | None, target: torch.Tensor
    ) -> torch.Tensor:
        """Logits at every position of what the decoder reads."""

    def layers(
        self, ids: torch.Tensor, attention: torch.Tensor | None, wanted: Collection[int]
    ) -> dict[int, torch.Tensor]:
        """Hidden states of the wanted layers."""

    def attended(self, ids: torch.Tensor, attention: torch.Tensor | None) -> torch.Tensor:
        """How much attention each token receives."""


def answer_batch(forward: Forward, batch: Batch) -> list[Answered]:
    """Run a batch; on out-of-memory run its halves."""
    try:
        answers = forward.compute([row for _, row in batch])
    except (RuntimeError, MemoryError) as error:
        if shortage(error) != "memory":
            raise
        if len(batch) == 1:
            raise UserError(
                f"A single row of {len(batch[0][1].ids)} tokens does not fit in memory.",
                "Free memory, use a smaller model, or shorten the sentence.",
            ) from error
        middle = len(batch) // 2
        return [pair for half in (batch[:middle], batch[middle:]) for pair in answer_batch(forward, half)]
    return [(key, answer) for (key, _), answer in zip(batch, answers, strict=True)]


@dataclass(frozen=True)
class LanguageForward:
    """The forward pass of a language model."""

    network: LanguageNetwork
    padding_id: int

    @property
    def device(self) -> torch.device:
        """Where it runs."""
        return self.network.device

    def sibling(self) -> "LanguageForward":
        """The same on the same weights, for another thread."""
        return LanguageForward(self.network.sibling(), self.padding_id)

    def compute(self, rows: list[Row]) -> list[RowAnswer]:
        """Run rows of one mode in one forward pass."""
        if rows[0].mode == SHARED:
            return self._in_trees(rows)
        ids, attention = padded_if_needed([row.ids for row in rows], self.padding_id, self.network.device)
        if rows[0].vectors:
            return self._vectors(rows, ids, attention)
        answers = self._logprobs(rows, ids, attention)
        if rows[0].weighed:
            for row, answer, weights in zip(
                rows, answers, self.network.attended(ids, attention).tolist(), strict=True
            ):
                answer.weights = weights[: len(row.ids)]
        return answers

    def _in_trees(self, rows: list[Row]) -> list[RowAnswer]:
        """Log P of the asked ids, what rows begin with alike being run once."""
        trees = [grow(members) for members in cut_into_trees(rows)]
        asked = [tree.row for tree in trees]
        answers = [RowAnswer() for _ in trees]
        places = find_places(asked)
        states = self.network.hidden_in_trees(*laid_out(trees, self.padding_id, self.network.device))
        numbers, positions = _indices(places, states.device)
        waiting = iter(places)
        for logits in self.network.logits(states[numbers, positions]):
            _read_asked(answers, list(islice(waiting, len(logits))), logits)
        return [one for tree, answer in zip(trees, answers, strict=True) for one in tree.answers(answer)]

    def _vectors(self, rows: list[Row], ids: torch.Tensor, attention: torch.Tensor | None) -> list[RowAnswer]:
        """The mean hidden state over the positions of each of a row's vectors, at that vector's layer."""
        layers = {spec.layer for row in rows for spec in row.vectors}
        states = self.network.layers(ids, attention, layers)
        return [
            RowAnswer(
                vectors={
                    spec: states[spec.layer][number, list(spec.positions)].mean(dim=0).cpu().numpy()
                    for spec in row.vectors
                }
            )
            for number, row in enumerate(rows)
        ]

    def _logprobs(
        self, rows: list[Row], ids: torch.Tensor, attention: torch.Tensor | None
    ) -> list[RowAnswer]:
        """Log P of the asked ids, normalised over the vocabulary at their own position."""
        answers = [RowAnswer() for _ in rows]
        places = find_places(rows)
        waiting = iter(places)
        target = None
        if rows[0].target:
            target, _ = padded([row.target for row in rows], self.padding_id, self.network.device)
        for logits in self._logits_at(places, (ids, attention, target)):
            here = list(islice(waiting, len(logits)))
            _read_asked(answers, here, logits)
            _read_tops(answers, here, logits)
        return answers

    def _logits_at(
        self,
        places: list["Place"],
        inputs: tuple[torch.Tensor, torch.Tensor | None, torch.Tensor | None],
    ) -> Iterator[torch.Tensor]:
        """Logits at the places, in chunks; at every position only for a family that does not split."""
        ids, attention, target = inputs
        numbers, positions = _indices(places, ids.device)
        if target is not None:
            yield self.network.decoded(ids, attention, target)[numbers, positions]
        elif self.network.splits:
            yield from self.network.logits(self.network.hidden_at(ids, attention, (numbers, positions)))
        else:
            yield self.network.whole(ids, attention)[numbers, positions]


def padded(
    rows: Sequence[Sequence[int]], padding_id: int, device: torch.device | None = None
) -> tuple[torch.Tensor, torch.Tensor]:
    """Rows of ids as one tensor with padding at their ends, and which cells are not padding."""
    longest = max(map(len, rows))
    ids = [[*row, *[padding_id] * (longest - len(row))] for row in rows]
    attended = [[1] * len(row) + [0] * (longest - len(row)) for row in rows]
    return torch.tensor(ids, device=device), torch.tensor(attended, device=device)


def padded_if_needed(
    rows: Sequence[Sequence[int]], padding_id: int, device: torch.device
) -> tuple[torch.Tensor, torch.Tensor | None]:
    """The same, without an attention mask if all rows are of one length: then none is faster."""
    if len({*map(len, rows)}) == 1:
        return torch.tensor([[*row] for row in rows], device=device), None
    return padded(rows, padding_id, device)


class Place(NamedTuple):
    """One position of one row of a batch, the ids wanted there and how many of the likeliest."""

    row: int
    position: int
    wanted: list[int]
    top: int


def find_places(rows: Sequence[Row]) -> list[Place]:
    """Every position of a batch where something is wanted, once."""
    places: dict[tuple[int, int], Place] = {}
    for number, row in enumerate(rows):
        for position, token in row.asks:
            place = places.setdefault((number, position), Place(number, position, [], 0))
            place.wanted.append(token)
        for position, count in row.tops:
            wanted = places[number, position].wanted if (number, position) in places else []
            places[number, position] = Place(number, position, wanted, count)
    return list(places.values())


def _indices(places: Sequence[Place], device: torch.device) -> tuple[torch.Tensor, torch.Tensor]:
    """Row and position of each place."""
    at = torch.tensor([(place.row, place.position) for place in places], device=device)
    return at[:, 0], at[:, 1]


def _read_asked(answers: list[RowAnswer], places: list[Place], logits: torch.Tensor) -> None:
    """Write log P of every wanted id into the answers; the difference is taken in double precision."""
    index = [number for number, place in enumerate(places) for _ in place.wanted]
    tokens = [token for place in places for token in place.wanted]
    normaliser = torch.logsumexp(logits, dim=-1).cpu().double()  # not every device has doubles
    values = (logits[index, tokens].cpu().double() - normaliser[index]).tolist()
    for number, token, value in zip(index, tokens, values, strict=True):
        place = places[number]
        answers[place.row].logprobs[place.position, token] = value


def _read_tops(answers: list[RowAnswer], places: list[Place], logits: torch.Tensor) -> None:
    """Write the likeliest ids of every place that wants them into the answers."""
    for place, scores in zip(places, logits, strict=True):
        if place.top:
            logprobs = torch.log_softmax(scores.cpu().double(), dim=-1)
            values, tokens = logprobs.topk(min(place.top, len(scores)))
            pairs = list(zip(tokens.tolist(), values.tolist(), strict=True))
            answers[place.row].tops[place.position] = pairs
