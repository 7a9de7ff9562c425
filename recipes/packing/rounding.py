"""All matrices of a model rounded to one file size: plans, the common multiplier, the integers."""

import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch

from equipoise.errors import UserError
from equipoise.models.loading.packed import PackedMatrix
from recipes.packing.calibrate import Statistics, linear_layers
from recipes.packing.coding import pack_matrix
from recipes.packing.gptq import round_to_nearest, round_with_compensation
from recipes.packing.settings import Recipe
from recipes.packing.steps import (
    RoundingPlan,
    plan_embeddings,
    plan_evenly,
    plan_layer,
)

SMALLEST_MATRIX = 4096
FIRST_MULTIPLIER = 2.0**-10
HEADER_BYTES_PER_NAME = 160
MOST_ATTEMPTS = 8
ACCEPTED_SLACK = 0.002

logger = logging.getLogger(__name__)

Rounding = Callable[[torch.Tensor, RoundingPlan, float], PackedMatrix]


@dataclass(frozen=True)
class Source:
    """The weights to pack, sorted by how: planned matrices, and the tensors kept as they are."""

    matrices: dict[str, torch.Tensor]
    plain: dict[str, torch.Tensor]
    tied: dict[str, str]


def sort_weights(model: Any) -> Source:
    """Split a state dict into large matrices, other tensors, and repeated names of the same."""
    matrices: dict[str, torch.Tensor] = {}
    plain: dict[str, torch.Tensor] = {}
    tied: dict[str, str] = {}
    seen: dict[int, str] = {}
    for name, value in model.state_dict().items():
        if value.data_ptr() in seen:
            tied[name] = seen[value.data_ptr()]
            continue
        seen[value.data_ptr()] = name
        large = value.dim() == 2 and value.numel() >= SMALLEST_MATRIX
        (matrices if large else plain)[name] = value
    return Source(matrices, plain, tied)


def plan_matrices(
    model: Any, statistics: Statistics, *, counts: torch.Tensor, recipe: Recipe
) -> dict[str, RoundingPlan]:
    """A plan for every matrix: measured where calibration saw it, even elsewhere."""
    words = model.get_input_embeddings().weight.data_ptr()
    plans: dict[str, RoundingPlan] = {}
    for name, value in sort_weights(model).matrices.items():
        layer = name.removesuffix(".weight")
        if layer in linear_layers(model):
            plans[name] = plan_layer(statistics.layers[layer], damping=recipe.damping)
        elif value.data_ptr() == words:
            plans[name] = plan_embeddings(statistics.embeddings, counts, recipe=recipe)
        else:
            plans[name] = plan_evenly(value)
    return plans


def round_model(
    source: Source, plans: dict[str, RoundingPlan], *, target_bytes: int
) -> dict[str, PackedMatrix]:
    """Rounded matrices that together with the plain tensors just fit into the target."""
    names = len(source.plain) + 5 * len(source.matrices)
    plain_bytes = sum(2 * value.numel() for value in source.plain.values())
    room = target_bytes - plain_bytes - names * HEADER_BYTES_PER_NAME
    fitted = _fit(source, plans, FIRST_MULTIPLIER, room=room, rounding=_nearest)
    packed = _fit(source, plans, fitted[0], room=room, rounding=_compensated)
    return packed[1]


def _fit(
    source: Source,
    plans: dict[str, RoundingPlan],
    multiplier: float,
    *,
    room: int,
    rounding: Rounding,
) -> tuple[float, dict[str, PackedMatrix]]:
    """Adjust the multiplier until the size is right: halving it costs one bit for each weight."""
    weights = sum(value.numel() for value in source.matrices.values())
    for _attempt in range(MOST_ATTEMPTS):
        packed = {n: rounding(w, plans[n], multiplier) for n, w in source.matrices.items()}
        size = sum(matrix.nbytes() for matrix in packed.values())
        logger.info("rounding: multiplier %.3g gives %d bytes", multiplier, size)
        if (1 - ACCEPTED_SLACK) * room <= size <= room:
            return multiplier, packed
        multiplier *= 2.0 ** (8 * (size - (1 - ACCEPTED_SLACK / 2) * room) / weights)
    raise UserError(
        f"The weights do not fit into {room} bytes, about {8 * room / weights:.1f} bits each.",
        "Give target_bytes a value between 3 and 8 bits for each weight.",
    )


def _nearest(weight: torch.Tensor, plan: RoundingPlan, multiplier: float) -> PackedMatrix:
    row_step, column_step = plan.steps(multiplier)
    integers = round_to_nearest(weight, row_step, column_step)
    return pack_matrix(integers, row_step=row_step, column_step=column_step)


def _compensated(weight: torch.Tensor, plan: RoundingPlan, multiplier: float) -> PackedMatrix:
    row_step, column_step = plan.steps(multiplier)
    integers = round_with_compensation(weight, plan.factor, row_step=row_step, column_step=column_step)
    return pack_matrix(integers, row_step=row_step, column_step=column_step)
