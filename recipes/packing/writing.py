"""A packed folder as it is written: the tensors, and the description that loading checks."""

import hashlib
import json
from pathlib import Path

from safetensors.torch import save

from equipoise.files import sha256
from equipoise.models.loading.packed import (
    CONFIG_FILE,
    DESCRIPTION_FILE,
    FORMAT_VERSION,
    TENSOR_FILE,
    PackedModel,
)


def write_packed(folder: Path, model: PackedModel) -> str:
    """Write tensors and description beside the `config.json` that is there; the SHA-256."""
    tensors = {f"{name}:half": value.half() for name, value in model.plain.items()}
    for name, matrix in model.matrices.items():
        tensors |= {f"{name}:{part}": value for part, value in matrix.tensors().items()}
    data = save({name: tensors[name].contiguous() for name in sorted(tensors)})
    (folder / TENSOR_FILE).write_bytes(data)
    description = {
        "format_version": FORMAT_VERSION,
        "architecture": model.architecture,
        "config_sha256": sha256(folder / CONFIG_FILE),
        "tensor_file": TENSOR_FILE,
        "tensor_sha256": hashlib.sha256(data).hexdigest(),
        "schemes": _schemes(model),
        "tied": model.tied,
    }
    text = json.dumps(description, indent=1, sort_keys=True) + "\n"
    (folder / DESCRIPTION_FILE).write_text(text, encoding="utf-8")
    return str(description["tensor_sha256"])


def _schemes(model: PackedModel) -> dict[str, str]:
    schemes = dict.fromkeys(model.plain, "half")
    return schemes | {n: "rows" if m.by_row else "columns" for n, m in model.matrices.items()}
