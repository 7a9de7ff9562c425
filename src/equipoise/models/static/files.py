"""Files of word vectors: GloVe and word2vec text, word2vec binary, npy with a vocabulary."""

from pathlib import Path

from equipoise.errors import UserError
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
        from equipoise.models.static.arrays import read_array

        return read_array(path)
    if path.name.endswith(BINARY):
        from equipoise.models.static.binaries import read_binary

        return read_binary(path)
    from equipoise.models.static.texts import read_text_vectors

    return read_text_vectors(path)
