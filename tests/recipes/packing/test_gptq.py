"""Error compensation against plain loops and against rounding to the nearest."""

import numpy as np
import pytest
import torch

from recipes.packing.gptq import (
    inverse_factor,
    round_to_nearest,
    round_with_compensation,
    rounding_loss,
)


def _correlated_inputs(columns: int, *, seed: int) -> torch.Tensor:
    generator = torch.Generator().manual_seed(seed)
    mixing = torch.randn(columns, columns, generator=generator)
    return torch.randn(600, columns, generator=generator) @ mixing


def _compensate_slowly(weight: np.ndarray, hessian: np.ndarray, steps: np.ndarray) -> np.ndarray:
    """Round one weight at a time and solve for the best change of all weights after it."""
    left = weight.copy()
    for column in range(weight.shape[1]):
        rounded = np.round(left[:, column] / steps[:, column]) * steps[:, column]
        error = rounded - left[:, column]
        later = slice(column + 1, None)
        gain = np.linalg.solve(hessian[later, later], hessian[later, column])
        left[:, later] -= np.outer(error, gain)
        left[:, column] = rounded
    return left


def test_the_factor_is_a_cholesky_factor_of_the_damped_inverse() -> None:
    inputs = _correlated_inputs(20, seed=1).double()
    hessian = inputs.T @ inputs / len(inputs)
    factor = inverse_factor(hessian, damping=0.02).double()
    damped = hessian + 0.02 * hessian.diagonal().mean() * torch.eye(20)
    torch.testing.assert_close(factor.T @ factor @ damped, torch.eye(20).double(), rtol=0, atol=1e-4)
    assert torch.equal(factor, factor.triu())


def test_blocks_give_what_solving_for_the_rest_one_weight_at_a_time_gives() -> None:
    generator = torch.Generator().manual_seed(2)
    weight = torch.randn(7, 150, generator=generator)
    inputs = _correlated_inputs(150, seed=3) + torch.randn(600, 150, generator=generator)
    hessian = inputs.T @ inputs / 600
    row_step = 0.2 + 0.1 * torch.rand(7, generator=generator)
    column_step = 0.5 + torch.rand(150, generator=generator)
    factor = inverse_factor(hessian, damping=0.0)
    integers = round_with_compensation(weight, factor, row_step=row_step, column_step=column_step)
    steps = np.outer(row_step, column_step).astype(float)
    slow = _compensate_slowly(weight.double().numpy(), hessian.double().numpy(), steps)
    same = np.isclose(integers.numpy() * steps, slow, atol=1e-4)
    assert same.mean() > 0.98  # single precision may tip a weight that lies between two steps


@pytest.mark.parametrize("seed", range(5))
def test_compensation_does_less_harm_than_rounding_to_the_nearest(seed: int) -> None:
    weight = torch.randn(30, 64, generator=torch.Generator().manual_seed(seed))
    inputs = _correlated_inputs(64, seed=seed + 50)
    hessian = inputs.T @ inputs / len(inputs)
    row_step, column_step = torch.full((30,), 0.2), torch.ones(64)
    factor = inverse_factor(hessian, damping=0.01)
    compensated = round_with_compensation(weight, factor, row_step=row_step, column_step=column_step)
    nearest = round_to_nearest(weight, row_step, column_step)
    harm = [float(rounding_loss(weight, 0.2 * q.float(), hessian).sum()) for q in (compensated, nearest)]
    assert harm[0] < 0.6 * harm[1]


def test_uncorrelated_inputs_leave_nothing_to_compensate() -> None:
    weight = torch.randn(9, 40, generator=torch.Generator().manual_seed(1))
    row_step, column_step = torch.full((9,), 0.13), torch.ones(40)
    factor = inverse_factor(torch.eye(40), damping=0.0)
    compensated = round_with_compensation(weight, factor, row_step=row_step, column_step=column_step)
    assert torch.equal(compensated, round_to_nearest(weight, row_step, column_step))
