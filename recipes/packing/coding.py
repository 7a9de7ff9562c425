"""The writing half of the entropy code that `equipoise.models.loading.packed` describes and reads."""

import zlib

import torch

from equipoise.models.loading.packed import RAW_DEFLATE, PackedMatrix, Steps, line_order, near_integers

MOST_MEMORY = 9
LARGEST_BYTE = 127


def pack_matrix(integers: torch.Tensor, *, row_step: torch.Tensor, column_step: torch.Tensor) -> PackedMatrix:
    """Store integers and steps, line by line along whichever axis makes the smaller file."""
    steps = (row_step.half(), column_step.half())
    candidates = [_pack_along(integers, steps, by_row=by_row) for by_row in (True, False)]
    return min(candidates, key=PackedMatrix.nbytes)


def unpack_integers(matrix: PackedMatrix) -> torch.Tensor:
    """The integers of a stored matrix, the far ones included."""
    integers = near_integers(matrix).to(torch.int16)
    integers.view(-1)[matrix.far_places.long()] = matrix.far_integers
    return integers


def compress_bytes(data: bytes) -> bytes:
    """Bytes with a Huffman code that is renewed as their distribution changes."""
    coder = zlib.compressobj(9, zlib.DEFLATED, RAW_DEFLATE, MOST_MEMORY, zlib.Z_HUFFMAN_ONLY)
    return coder.compress(data) + coder.flush()


def _pack_along(integers: torch.Tensor, steps: Steps, *, by_row: bool) -> PackedMatrix:
    near = integers.clamp(-LARGEST_BYTE, LARGEST_BYTE)
    far = (near != integers).flatten().nonzero().flatten()
    lines = (near if by_row else near.T)[line_order(steps, by_row=by_row)].to(torch.int8)
    stream = compress_bytes(lines.contiguous().numpy().tobytes())
    return PackedMatrix(
        row_step=steps[0],
        column_step=steps[1],
        stream=torch.frombuffer(bytearray(stream), dtype=torch.uint8),
        far_places=far.to(torch.int32),
        far_integers=integers.flatten()[far].to(torch.int16),
        by_row=by_row,
    )
