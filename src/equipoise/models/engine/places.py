"""Where in a batch something is wanted, and reading it off the logits there."""

from collections.abc import Sequence
from typing import NamedTuple

import torch

from equipoise.models.engine.rows import Row, RowAnswer


class Place(NamedTuple):
    """One position of one row of a batch, the ids wanted there and how many of the likeliest."""

    row: int
    position: int
    wanted: list[int]
    top: int


def pad(
    rows: Sequence[Row], padding_id: int, device: torch.device
) -> tuple[torch.Tensor, torch.Tensor | None]:
    """The ids as one tensor, and an attention mask only if some row is shorter than another."""
    longest = max(len(row.ids) for row in rows)
    padded = [row.ids + (padding_id,) * (longest - len(row.ids)) for row in rows]
    ids = torch.tensor(padded, device=device)
    if all(len(row.ids) == longest for row in rows):
        return ids, None
    attended = [[1] * len(row.ids) + [0] * (longest - len(row.ids)) for row in rows]
    return ids, torch.tensor(attended, device=device)


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


def read_asked(answers: list[RowAnswer], places: list[Place], logits: torch.Tensor) -> None:
    """Write log P of every wanted id into the answers; the difference is taken in double precision."""
    index = [number for number, place in enumerate(places) for _ in place.wanted]
    tokens = [token for place in places for token in place.wanted]
    normaliser = torch.logsumexp(logits, dim=-1).cpu().double()  # not every device has doubles
    values = (logits[index, tokens].cpu().double() - normaliser[index]).tolist()
    for number, token, value in zip(index, tokens, values, strict=True):
        place = places[number]
        answers[place.row].logprobs[place.position, token] = value


def read_tops(answers: list[RowAnswer], places: list[Place], logits: torch.Tensor) -> None:
    """Write the likeliest ids of every place that wants them into the answers."""
    for place, scores in zip(places, logits, strict=True):
        if place.top:
            logprobs = torch.log_softmax(scores.cpu().double(), dim=-1)
            values, tokens = logprobs.topk(min(place.top, len(scores)))
            pairs = list(zip(tokens.tolist(), values.tolist(), strict=True))
            answers[place.row].tops[place.position] = pairs
