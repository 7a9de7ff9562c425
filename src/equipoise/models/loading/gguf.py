"""GGUF files, the quantised form that llama.cpp runs: read as a causal model, made whole once in fp32."""

from contextlib import redirect_stderr
from importlib.util import find_spec
from io import StringIO
from pathlib import Path

import transformers

from equipoise.errors import UserError
from equipoise.models.loading.checkpoints import Checkpoint, kind_of, load_network, quiet

SUFFIX = ".gguf"
NEEDED = ("gguf", "accelerate")
"""What transformers reads such a file with."""


def is_gguf(name: str) -> bool:
    """Whether a name is that of a GGUF file."""
    return name.lower().endswith(SUFFIX)


def read_gguf(name: str, path: Path) -> Checkpoint:
    """The network and tokenizer that a GGUF file holds."""
    where = {"gguf_file": path.name, "trust_remote_code": False, "local_files_only": True}
    folder = str(path.parent.resolve())
    try:
        with quiet(), redirect_stderr(StringIO()):  # a bar that no setting of transformers hides
            kind = kind_of(transformers.AutoConfig.from_pretrained(folder, **where), name)
            if kind != "causal":
                raise UserError(
                    f"{name!r} holds a {kind} model; of GGUF files only causal models are read.",
                    "Give the model's folder as save_pretrained writes it.",
                )
            network = load_network(folder, kind, where)
            return Checkpoint(kind, network, transformers.AutoTokenizer.from_pretrained(folder, **where))
    except UserError:
        raise
    except Exception as error:
        raise UserError(
            f"{name!r} cannot be read as a GGUF file: {' '.join(str(error).split())[:200]}",
            "Copy or download it again, or give the model's folder with safetensors weights.",
        ) from error


def find_gguf(name: str) -> Path:
    """The path of a GGUF file, refused if it is absent or cannot be read here."""
    path = Path(name).expanduser()
    if not path.is_file():
        raise UserError(f"There is no file {name!r}.", "Give the path of a GGUF file, or a model folder.")
    lacking = [package for package in NEEDED if find_spec(package) is None]
    if lacking:
        raise UserError(
            f"{name!r} is a GGUF file, which cannot be read without {' and '.join(lacking)}.",
            "Install them with: pip install gguf accelerate",
        )
    return path
