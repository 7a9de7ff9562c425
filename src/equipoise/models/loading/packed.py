"""The packed folder: one safetensors file with its description, and `packed.json` with its hash.

A packed file is used whole or not at all: format version, architecture, configuration, SHA-256
and the list of tensors are all checked before any weight is handed out.

A matrix is `integers * row_step[:, None] * column_step[None, :]`. The integers, one signed byte
each (the few that are larger are listed apart), are written with a Huffman code: the DEFLATE
format without matching, RFC 1951, which Python reads at some 200 MB/s. Weights are bell-shaped, so
their integers take far fewer bits than a fixed width that covers their range. The code is rebuilt
every 32 thousand integers; rows or columns with similar steps are written next to each other, so
that each stretch gets a code that suits it.
"""

import hashlib
import json
import zlib
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load

from equipoise.errors import UserError, shortage
from equipoise.files import sha256

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


FORMAT_VERSION = 1
TENSOR_FILE = "model.packed.safetensors"
DESCRIPTION_FILE = "packed.json"
CONFIG_FILE = "config.json"
AGAIN = "Pack or copy the folder again; a packed file is never loaded in part."


@dataclass(frozen=True)
class PackedModel:
    """Coded matrices, the other tensors in half precision, and names that share a tensor."""

    architecture: str
    matrices: dict[str, PackedMatrix]
    plain: dict[str, torch.Tensor]
    tied: dict[str, str] = field(default_factory=dict)


def is_packed(folder: Path) -> bool:
    """Whether a folder says that it holds a packed model."""
    return (folder / DESCRIPTION_FILE).is_file()


def load_packed(folder: Path) -> dict[str, torch.Tensor]:
    """The state dict of a packed folder in single precision, after every check has passed."""
    description = read_description(folder)
    _check_config(folder, description)
    data = _checked_bytes(folder / TENSOR_FILE, str(description["tensor_sha256"]))
    try:
        state = _unpack(_parse(load(data), description))
    except Exception as mistake:
        if shortage(mistake):
            raise
        message = f"{folder / TENSOR_FILE} does not hold what {DESCRIPTION_FILE} says: {mistake}."
        raise UserError(message, AGAIN) from None
    return state


def read_description(folder: Path) -> dict[str, Any]:
    """`packed.json`, refused when it is not there, not readable, or of another version."""
    path = folder / DESCRIPTION_FILE
    if not path.is_file():
        raise UserError(f"{folder} holds no {DESCRIPTION_FILE}.", "Name a folder with a packed model.")
    try:
        description = json.loads(path.read_text(encoding="utf-8"))
    except ValueError:
        raise UserError(f"{path} is not readable as JSON.", AGAIN) from None
    version = description.get("format_version") if isinstance(description, dict) else None
    if version != FORMAT_VERSION:
        message = f"{path} has format version {version!r}; this package reads {FORMAT_VERSION}."
        raise UserError(message, "Pack the model again, or use the package version that made it.")
    missing = {"architecture", "config_sha256", "tensor_sha256", "schemes", "tied"} - {*description}
    if missing:
        raise UserError(f"{path} lacks {', '.join(sorted(missing))}.", AGAIN)
    return dict(description)


def _check_config(folder: Path, description: dict[str, Any]) -> None:
    path = folder / CONFIG_FILE
    if not path.is_file():
        raise UserError(f"{folder} holds no {CONFIG_FILE}.", AGAIN)
    try:
        architecture = json.loads(path.read_text(encoding="utf-8")).get("model_type")
    except (ValueError, AttributeError):
        raise UserError(f"{path} is not readable as JSON.", AGAIN) from None
    if architecture != description["architecture"]:
        message = (
            f"The weights are for the architecture {description['architecture']}, {path} says {architecture}."
        )
        raise UserError(message, AGAIN)
    if sha256(path) != description["config_sha256"]:
        raise UserError(f"{path} is not the configuration the weights were packed with.", AGAIN)


def _checked_bytes(path: Path, expected: str) -> bytes:
    if not path.is_file():
        raise UserError(f"{path} is missing.", AGAIN)
    data = path.read_bytes()
    digest = hashlib.sha256(data).hexdigest()
    if digest != expected:
        message = f"{path} is damaged or was altered: SHA-256 {digest}, expected {expected}."
        raise UserError(message, AGAIN)
    return data


def _parse(tensors: dict[str, torch.Tensor], description: dict[str, Any]) -> PackedModel:
    matrices, plain = {}, {}
    for name, scheme in description["schemes"].items():
        if scheme == "half":
            plain[name] = tensors[f"{name}:half"]
        elif scheme in ("rows", "columns"):
            matrices[name] = _parse_matrix(tensors, name, by_row=scheme == "rows")
        else:
            raise ValueError(f"unknown scheme {scheme!r} for {name}")
    return PackedModel(description["architecture"], matrices, plain, description["tied"])


def _parse_matrix(tensors: dict[str, torch.Tensor], name: str, *, by_row: bool) -> PackedMatrix:
    return PackedMatrix(
        row_step=tensors[f"{name}:row_step"],
        column_step=tensors[f"{name}:column_step"],
        stream=tensors[f"{name}:stream"],
        far_places=tensors[f"{name}:far_places"],
        far_integers=tensors[f"{name}:far_integers"],
        by_row=by_row,
    )


def _unpack(packed: PackedModel) -> dict[str, torch.Tensor]:
    """Largest matrices first, so that no thread is left with one at the end."""
    largest = sorted(packed.matrices, key=lambda name: -packed.matrices[name].stream.numel())
    state = {name: value.float() for name, value in packed.plain.items()}
    with ThreadPoolExecutor() as pool:
        unpacked = pool.map(unpack_matrix, (packed.matrices[name] for name in largest))
        state |= dict(zip(largest, unpacked, strict=True))
    return state | {name: state[same] for name, same in packed.tied.items()}
