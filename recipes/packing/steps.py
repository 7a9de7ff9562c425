"""How finely to round each row and column: the same expected harm for every weight.

With rounding error step^2 / 12 and a code whose length falls by one bit when the step is halved,
a given file size does least harm when step^2 times the sensitivity of the weight is the same
everywhere. The sensitivity of weight (r, c) is the weight of row r times the part of input c that
the later inputs cannot make up for (what error compensation leaves over).
"""

from dataclasses import dataclass

import torch

from recipes.packing.calibrate import EmbeddingStatistics, LayerStatistics
from recipes.packing.gptq import inverse_factor
from recipes.packing.settings import Recipe

WIDEST_SPREAD = 8.0
STEPS_PER_SPREAD = 30


@dataclass(frozen=True)
class RoundingPlan:
    """For one matrix: the factor for compensation, and steps up to one common multiplier."""

    factor: torch.Tensor
    row_step: torch.Tensor
    column_step: torch.Tensor
    fixed: bool = False

    def steps(self, multiplier: float) -> tuple[torch.Tensor, torch.Tensor]:
        """Row and column steps as they will be stored, exact in half precision."""
        factor = 1.0 if self.fixed else multiplier
        return (self.row_step * factor).half().float(), self.column_step.half().float()


def plan_layer(statistics: LayerStatistics, *, damping: float) -> RoundingPlan:
    """The plan of a linear layer from its inputs and gradients."""
    return _plan(statistics.mean_hessian(), statistics.row_weight, damping=damping)


def plan_embeddings(statistics: EmbeddingStatistics, counts: torch.Tensor, *, recipe: Recipe) -> RoundingPlan:
    """The plan of tied word embeddings; words count by their frequency to a power below one."""
    share = (counts.float() + 1).pow(recipe.frequency_power)
    hessian = statistics.read + statistics.written
    return _plan(hessian, share / share.sum(), damping=recipe.damping)


def plan_evenly(weight: torch.Tensor) -> RoundingPlan:
    """The plan of a matrix calibration did not see: about seven bits, whatever the multiplier."""
    columns = weight.shape[1]
    spread = weight.std(1).clamp_min(torch.finfo(torch.float16).tiny)
    return RoundingPlan(torch.eye(columns), spread / STEPS_PER_SPREAD, torch.ones(columns), fixed=True)


def _plan(hessian: torch.Tensor, row_weight: torch.Tensor, *, damping: float) -> RoundingPlan:
    factor = inverse_factor(hessian, damping=damping)
    column_step, column_level = _bounded(factor.diagonal())
    row_step, row_level = _bounded(row_weight.clamp_min(torch.finfo(torch.float32).tiny).rsqrt())
    return RoundingPlan(factor, row_step * row_level * column_level, column_step)


def _bounded(steps: torch.Tensor) -> tuple[torch.Tensor, float]:
    """Steps around their geometric mean, none too far from it, and that mean."""
    level = float(steps.log().mean().exp())
    return (steps / level).clamp(1 / WIDEST_SPREAD, WIDEST_SPREAD), level
