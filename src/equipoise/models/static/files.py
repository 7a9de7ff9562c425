"""Files of word vectors: GloVe and word2vec text, word2vec binary, npy with a vocabulary."""

from pathlib import Path

from equipoise.errors import UserError
from equipoise.models.options import RunOptions
from equipoise.models.static import VECTORS, StaticModel
from equipoise.models.static.table import WordVectors

TEXT = (".vec", ".txt", ".vec.gz", ".txt.gz")
BINARY = (".bin", ".bin.gz")
ARRAY = (".npy",)
SUFFIXES = (*TEXT, *BINARY, *ARRAY)


def read_vectors(path: Path) -> WordVectors:
    """The words and vectors of a file, by what its name ends in."""
    try:
        vectors = _read(path)
    except OSError as error:
        raise UserError(
            f"{path} cannot be read: {error.strerror or error}.", "Give a readable file of word vectors."
        ) from error
    except MemoryError as error:
        raise UserError(
            f"{path} does not fit in memory.", "Free memory, or give vectors of fewer words or numbers."
        ) from error
    return vectors.checked(path)


def _read(path: Path) -> WordVectors:
    if path.name.endswith(ARRAY):
        from equipoise.models.static.binaries import read_array

        return read_array(path)
    if path.name.endswith(BINARY):
        from equipoise.models.static.binaries import read_binary

        return read_binary(path)
    from equipoise.models.static.texts import read_text_vectors

    return read_text_vectors(path)


class VectorsLoader:
    """Loads word-vector models."""

    def accepts(self, name: str) -> bool:
        """Whether there are word vectors under the name."""
        path = Path(name).expanduser()
        if path.is_dir():
            return (path / VECTORS).is_file() and not (path / "config.json").exists()
        return path.name.endswith(SUFFIXES) and path.is_file()

    def check(self, name: str, options: RunOptions) -> None:
        """A name that was accepted is there."""

    def load(self, name: str, options: RunOptions) -> StaticModel:
        """The model of the file or folder."""
        return load_static(Path(name).expanduser())


def load_static(path: Path) -> StaticModel:
    """The model of a file of word vectors, or of a folder that holds them."""
    return StaticModel(read_vectors(path / VECTORS if path.is_dir() else path), name=path.name)
