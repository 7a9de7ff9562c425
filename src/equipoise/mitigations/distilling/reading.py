"""What the untouched model makes of every example, read once before the tuning."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import torch

from equipoise.mitigations.distilling.network import UpperLayers
from equipoise.mitigations.distilling.rows import Example, batches
from equipoise.models.engine.forward import padded

BUDGET = 4_000
"""Tokens that are read at once where nothing is learned."""

Report = Callable[[int], None]
"""Told how many tokens were worked on."""


@dataclass(frozen=True)
class Read:
    """An example as the untouched model read it: the states below the tuned layers, and those of masks."""

    below: torch.Tensor
    own: torch.Tensor
    """Last hidden states at the asked places and the kept ones `[asked + kept, width]`."""

    mirrored: torch.Tensor | None
    """Those at the places that mirror the asked ones `[asked, width]`; None where nothing is turned."""


def read_examples(
    upper: UpperLayers, examples: Sequence[Example], padding: int, report: Report
) -> list[Read]:
    """What the untouched model makes of every example and of its mirror image."""
    below: dict[int, torch.Tensor] = {}
    own = _states(upper, [one.ids for one in examples], padding, below, report)
    turned = [
        at for at, one in enumerate(examples) if one.mirrored_ids is not None and one.mirrored_ids != one.ids
    ]
    rows = [examples[at].mirrored_ids or () for at in turned]
    other = dict(zip(turned, _states(upper, rows, padding, None, report), strict=True))
    reads = []
    for at, one in enumerate(examples):
        mirrored = None
        if one.mirrored_ids is not None:
            asked = [place for place, _ in one.asked]
            mirrored = other[at][list(one.mirrored_places)] if at in other else own[at][asked]
        places = torch.tensor([*(place for place, _ in one.asked), *one.kept])
        reads.append(Read(below[at], own[at][places].clone(), None if mirrored is None else mirrored.clone()))
    return reads


@torch.no_grad()
def _states(
    upper: UpperLayers,
    rows: Sequence[Sequence[int]],
    padding: int,
    below: dict[int, torch.Tensor] | None,
    report: Report,
) -> list[torch.Tensor]:
    """The last hidden states of rows, in their order; those below the tuned layers are kept where wanted."""
    states: dict[int, torch.Tensor] = {}
    for batch in batches([len(row) for row in rows], BUDGET, np.random.default_rng(0)):
        ids, attention = padded([rows[at] for at in batch], padding)
        lower = upper.lower(ids, attention)
        last = upper.upper(lower, attention)
        for number, at in enumerate(batch):
            states[at] = last[number, : len(rows[at])].clone()
            if below is not None:
                below[at] = lower[number, : len(rows[at])].clone()
        report(ids.numel())
    return [states[at] for at in range(len(rows))]
