"""The entropy code gives back exactly what went in, and steps multiply as written."""

import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from equipoise.models.loading.packed import decompress_bytes, unpack_matrix
from recipes.packing.coding import compress_bytes, pack_matrix, unpack_integers


def _random_integers(rows: int, columns: int, *, bits: int, seed: int) -> torch.Tensor:
    generator = torch.Generator().manual_seed(seed)
    limit = 2 ** (bits - 1)
    return torch.randint(-limit + 1, limit, (rows, columns), generator=generator).to(torch.int16)


def _random_steps(count: int, *, seed: int) -> torch.Tensor:
    return 0.01 + torch.rand(count, generator=torch.Generator().manual_seed(seed))


@settings(max_examples=60, deadline=None)
@given(
    bits=st.integers(2, 16), rows=st.integers(1, 40), columns=st.integers(1, 40), seed=st.integers(0, 10**6)
)
def test_integers_of_every_width_come_back_exactly(bits: int, rows: int, columns: int, seed: int) -> None:
    integers = _random_integers(rows, columns, bits=bits, seed=seed)
    row_step, column_step = _random_steps(rows, seed=seed), _random_steps(columns, seed=seed + 1)
    packed = pack_matrix(integers, row_step=row_step, column_step=column_step)
    assert torch.equal(unpack_integers(packed), integers)
    halves = (row_step.half().double()[:, None], column_step.half().double()[None, :])
    exact = integers.double() * halves[0] * halves[1]
    torch.testing.assert_close(unpack_matrix(packed).double(), exact, rtol=1e-6, atol=0)


def test_bell_shaped_integers_cost_little_more_than_their_entropy() -> None:
    generator = torch.Generator().manual_seed(3)
    integers = (torch.randn(400, 500, generator=generator) * 9).round().to(torch.int16)
    counts = torch.bincount(integers.flatten().long() + 127).double()
    share = counts[counts > 0] / counts.sum()
    entropy = -float((share * share.log()).sum()) / math.log(2)
    packed = pack_matrix(integers, row_step=torch.ones(400), column_step=torch.ones(500))
    bits = 8 * packed.stream.numel() / integers.numel()
    assert entropy <= bits <= entropy + 0.08


def test_lines_of_like_scale_next_to_each_other_make_a_smaller_file() -> None:
    generator = torch.Generator().manual_seed(4)
    spread = torch.where(torch.arange(600) % 2 == 0, 2.0, 40.0)
    integers = (torch.randn(600, 300, generator=generator) * spread[:, None]).round().to(torch.int16)
    told_apart = pack_matrix(integers, row_step=1 / spread, column_step=torch.ones(300))
    mixed = pack_matrix(integers, row_step=torch.ones(600), column_step=torch.ones(300))
    assert told_apart.by_row
    assert told_apart.nbytes() < 0.92 * mixed.nbytes()


def test_a_broken_or_short_stream_is_an_error() -> None:
    stream = compress_bytes(bytes(range(200)))
    assert decompress_bytes(stream, count=200) == bytes(range(200))
    with pytest.raises(ValueError, match="200 integers instead of 201"):
        decompress_bytes(stream, count=201)
    with pytest.raises(ValueError, match="broken"):
        decompress_bytes(stream[:-20], count=200)
