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


def unpack_matrix(matrix: PackedMatrix) -> torch.Tensor:
    """The matrix in single precision."""
    values = near_integers(matrix).to(torch.float32)
    values.view(-1)[matrix.far_places.long()] = matrix.far_integers.float()
    values *= matrix.row_step.float()[:, None]
    values *= matrix.column_step.float()[None, :]
    return values


def near_integers(matrix: PackedMatrix) -> torch.Tensor:
    """The integers that fit into a byte, in the places of the matrix; the far ones are cut off."""
    rows, columns = matrix.shape
    data = decompress_bytes(matrix.stream.numpy().tobytes(), count=rows * columns)
    lines = torch.frombuffer(bytearray(data), dtype=torch.int8)
    lines = lines.view((rows, columns) if matrix.by_row else (columns, rows))
    order = line_order((matrix.row_step, matrix.column_step), by_row=matrix.by_row)
    ordered = lines.index_select(0, torch.argsort(order))
    return ordered if matrix.by_row else ordered.T.contiguous()


def line_order(steps: Steps, *, by_row: bool) -> torch.Tensor:
    """Lines from the finest step to the coarsest, so that neighbours suit the same code."""
    return torch.argsort(steps[0] if by_row else steps[1], stable=True)


def decompress_bytes(stream: bytes, *, count: int) -> bytes:
    """The bytes of a coded stream; one of another length or broken raises ValueError."""
    try:
        data = zlib.decompress(stream, RAW_DEFLATE, max(count, 1))
    except zlib.error as mistake:
        raise ValueError(f"a coded stream is broken ({mistake})") from None
    if len(data) != count:
        raise ValueError(f"a coded stream holds {len(data)} integers instead of {count}")
    return data
