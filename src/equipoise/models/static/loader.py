"""Read word vectors from a file, or from a folder that holds changed ones."""

from pathlib import Path

from equipoise.models.options import RunOptions
from equipoise.models.static import VECTORS, StaticModel
from equipoise.models.static.files import SUFFIXES, read_vectors


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
