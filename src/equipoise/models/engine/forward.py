"""One forward pass: a batch of rows in, what was asked of each row out."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

import torch

from equipoise.errors import UserError, shortage
from equipoise.models.engine.places import Place, find_places, pad, read_asked, read_tops
from equipoise.models.engine.plan import Answered, Batch
from equipoise.models.engine.rows import Row, RowAnswer
from equipoise.models.neural.network import Network


@dataclass(frozen=True)
class Forward:
    """A network and how its rows are padded: all that is needed to answer a batch."""

    network: Network
    padding_id: int

    def sibling(self) -> "Forward":
        """The same on the same weights, for another thread."""
        return Forward(self.network.sibling(), self.padding_id)

    def answer(self, batch: Batch) -> list[Answered]:
        """Run a batch; on out-of-memory run its halves."""
        try:
            answers = self.compute([row for _, row in batch])
        except (RuntimeError, MemoryError) as error:
            if shortage(error) != "memory":
                raise
            if len(batch) == 1:
                raise UserError(
                    f"A single row of {len(batch[0][1].ids)} tokens does not fit in memory.",
                    "Free memory, use a smaller model, or shorten the sentence.",
                ) from error
            middle = len(batch) // 2
            return [pair for half in (batch[:middle], batch[middle:]) for pair in self.answer(half)]
        return [(key, answer) for (key, _), answer in zip(batch, answers, strict=True)]

    def compute(self, rows: list[Row]) -> list[RowAnswer]:
        """Run rows of one mode in one forward pass."""
        ids, attention = pad(rows, self.padding_id, self.network.device)
        if rows[0].vectors:
            return self._vectors(rows, ids, attention)
        answers = self._logprobs(rows, ids, attention)
        if rows[0].weighed:
            for row, answer, weights in zip(
                rows, answers, self.network.attended(ids, attention).tolist(), strict=True
            ):
                answer.weights = weights[: len(row.ids)]
        return answers

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
        for logits in self._logits_at(places, ids, attention):
            here = list(islice(waiting, len(logits)))
            read_asked(answers, here, logits)
            read_tops(answers, here, logits)
        return answers

    def _logits_at(
        self, places: list[Place], ids: torch.Tensor, attention: torch.Tensor | None
    ) -> Iterator[torch.Tensor]:
        """Logits at the places, in chunks; at every position only for a family that does not split."""
        numbers = torch.tensor([place.row for place in places], device=ids.device)
        positions = torch.tensor([place.position for place in places], device=ids.device)
        if self.network.splits:
            yield from self.network.logits(self.network.hidden_at(ids, attention, (numbers, positions)))
        else:
            yield self.network.whole(ids, attention)[numbers, positions]
