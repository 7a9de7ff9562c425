"""Error-compensated rounding: each column's rounding error is passed on to the columns after it.

The method is GPTQ (Frantar et al., "GPTQ: Accurate Post-Training Quantization for Generative
Pre-trained Transformers", ICLR 2023). Departures: every column may have its own step, so the
order of the columns is left as it is, and integers are not clipped to a few bits, because they
are stored with an entropy code.
"""

import torch

LARGEST_INTEGER = 32767
COLUMNS_PER_BLOCK = 128


def inverse_factor(hessian: torch.Tensor, *, damping: float) -> torch.Tensor:
    """The upper Cholesky factor of the inverse of a damped Hessian."""
    damped = hessian.double().clone()
    diagonal = damped.diagonal()
    diagonal += damping * diagonal.mean() + torch.finfo(torch.float32).tiny
    inverse = torch.cholesky_inverse(torch.linalg.cholesky(damped))
    factor: torch.Tensor = torch.linalg.cholesky(inverse, upper=True)
    return factor.float()


def round_to_nearest(weight: torch.Tensor, row_step: torch.Tensor, column_step: torch.Tensor) -> torch.Tensor:
    """The integers of plain rounding, without any compensation."""
    scaled = weight / (row_step[:, None] * column_step[None, :])
    return scaled.round().clamp(-LARGEST_INTEGER, LARGEST_INTEGER).to(torch.int16)


def round_with_compensation(
    weight: torch.Tensor, factor: torch.Tensor, *, row_step: torch.Tensor, column_step: torch.Tensor
) -> torch.Tensor:
    """The integers of a matrix, column by column, each error spread over what is still to come."""
    left = weight.clone()
    integers = torch.empty(weight.shape, dtype=torch.int16)
    for start in range(0, weight.shape[1], COLUMNS_PER_BLOCK):
        stop = min(start + COLUMNS_PER_BLOCK, weight.shape[1])
        errors = torch.empty(weight.shape[0], stop - start)
        for column in range(start, stop):
            step = row_step * column_step[column]
            rounded = (left[:, column] / step).round().clamp(-LARGEST_INTEGER, LARGEST_INTEGER)
            integers[:, column] = rounded.to(torch.int16)
            error = (left[:, column] - rounded * step) / factor[column, column]
            left[:, column:stop] -= error[:, None] * factor[column, column:stop]
            errors[:, column - start] = error
        left[:, stop:] -= errors @ factor[start:stop, stop:]
    return integers


def rounding_loss(weight: torch.Tensor, rounded: torch.Tensor, hessian: torch.Tensor) -> torch.Tensor:
    """For each row the error on the layer's output: change . Hessian . change."""
    change = weight - rounded
    return ((change @ hessian) * change).sum(1)
