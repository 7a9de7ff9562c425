"""Matrices as small integers times a row step and a column step, with an entropy code.

A matrix is `integers * row_step[:, None] * column_step[None, :]`. The integers, one signed byte
each (the few that are larger are listed apart), are written with a Huffman code: the DEFLATE
format without matching, RFC 1951, which Python reads at some 200 MB/s. Weights are bell-shaped, so
their integers take far fewer bits than a fixed width that covers their range. The code is rebuilt
every 32 thousand integers; rows or columns with similar steps are written next to each other, so
that each stretch gets a code that suits it.
"""

import zlib
from dataclasses import dataclass, fields

import torch

RAW_DEFLATE = -zlib.MAX_WBITS
MOST_MEMORY = 9
LARGEST_BYTE = 127

Steps = tuple[torch.Tensor, torch.Tensor]


@dataclass(frozen=True)
class PackedMatrix:
    """A matrix as it is stored: steps in half precision, the coded integers, and the far ones.

    `far_places` and `far_integers` list the integers that do not fit into a signed byte.
    """

    row_step: torch.Tensor
    column_step: torch.Tensor
    stream: torch.Tensor
    far_places: torch.Tensor
    far_integers: torch.Tensor
    by_row: bool

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns of the matrix."""
        return len(self.row_step), len(self.column_step)

    def tensors(self) -> dict[str, torch.Tensor]:
        """The parts that go into the file, by name."""
        names = [part.name for part in fields(self) if part.name != "by_row"]
        return {name: getattr(self, name) for name in names}

    def nbytes(self) -> int:
        """How many bytes the parts take in a file."""
        return sum(part.numel() * part.element_size() for part in self.tensors().values())


def pack_matrix(integers: torch.Tensor, *, row_step: torch.Tensor, column_step: torch.Tensor) -> PackedMatrix:
    """Store integers and steps, line by line along whichever axis makes the smaller file."""
    steps = (row_step.half(), column_step.half())
    candidates = [_pack_along(integers, steps, by_row=by_row) for by_row in (True, False)]
    return min(candidates, key=PackedMatrix.nbytes)


def unpack_matrix(matrix: PackedMatrix) -> torch.Tensor:
    """The matrix in single precision."""
    values = _unpack_lines(matrix).to(torch.float32)
    values.view(-1)[matrix.far_places.long()] = matrix.far_integers.float()
    values *= matrix.row_step.float()[:, None]
    values *= matrix.column_step.float()[None, :]
    return values


def unpack_integers(matrix: PackedMatrix) -> torch.Tensor:
    """The integers of a stored matrix, the far ones included."""
    integers = _unpack_lines(matrix).to(torch.int16)
    integers.view(-1)[matrix.far_places.long()] = matrix.far_integers
    return integers


def compress_bytes(data: bytes) -> bytes:
    """Bytes with a Huffman code that is renewed as their distribution changes."""
    coder = zlib.compressobj(9, zlib.DEFLATED, RAW_DEFLATE, MOST_MEMORY, zlib.Z_HUFFMAN_ONLY)
    return coder.compress(data) + coder.flush()


def decompress_bytes(stream: bytes, *, count: int) -> bytes:
    """The bytes of a coded stream; one of another length or broken raises ValueError."""
    try:
        data = zlib.decompress(stream, RAW_DEFLATE, max(count, 1))
    except zlib.error as mistake:
        raise ValueError(f"a coded stream is broken ({mistake})") from None
    if len(data) != count:
        raise ValueError(f"a coded stream holds {len(data)} integers instead of {count}")
    return data


def _pack_along(integers: torch.Tensor, steps: Steps, *, by_row: bool) -> PackedMatrix:
    near = integers.clamp(-LARGEST_BYTE, LARGEST_BYTE)
    far = (near != integers).flatten().nonzero().flatten()
    lines = (near if by_row else near.T)[_line_order(steps, by_row=by_row)].to(torch.int8)
    stream = compress_bytes(lines.contiguous().numpy().tobytes())
    return PackedMatrix(
        row_step=steps[0],
        column_step=steps[1],
        stream=torch.frombuffer(bytearray(stream), dtype=torch.uint8),
        far_places=far.to(torch.int32),
        far_integers=integers.flatten()[far].to(torch.int16),
        by_row=by_row,
    )


def _line_order(steps: Steps, *, by_row: bool) -> torch.Tensor:
    """Lines from the finest step to the coarsest, so that neighbours suit the same code."""
    return torch.argsort(steps[0] if by_row else steps[1], stable=True)


def _unpack_lines(matrix: PackedMatrix) -> torch.Tensor:
    rows, columns = matrix.shape
    data = decompress_bytes(matrix.stream.numpy().tobytes(), count=rows * columns)
    lines = torch.frombuffer(bytearray(data), dtype=torch.int8)
    lines = lines.view((rows, columns) if matrix.by_row else (columns, rows))
    order = _line_order((matrix.row_step, matrix.column_step), by_row=matrix.by_row)
    ordered = lines.index_select(0, torch.argsort(order))
    return ordered if matrix.by_row else ordered.T.contiguous()
