"""The one way to touch a disk: write beside and rename, SHA-256, compressed reading, the cache folder."""

import bz2
import gzip
import hashlib
import lzma
import os
import shutil
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import BinaryIO, cast

from equipoise.errors import explained_writing

CACHE_VARIABLE = "EQUIPOISE_CACHE"
_PACKED: dict[str, type[gzip.GzipFile | bz2.BZ2File | lzma.LZMAFile]] = {
    ".gz": gzip.GzipFile,
    ".bz2": bz2.BZ2File,
    ".xz": lzma.LZMAFile,
}


@contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """A file to write that takes the path's place once it is whole; a failure leaves what was there.

    It is opened by the system's own rules, so that it has the mode that any new file of the user has.
    """
    beside = _beside(path)
    try:
        with beside.open("xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        beside.replace(path)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise


def write_beside(path: Path, content: str | bytes) -> None:
    """Write text as UTF-8, or bytes; what was there before stays until all of it is written."""
    with replacing(path) as file:
        file.write(content.encode("utf-8", "replace") if isinstance(content, str) else content)


@contextmanager
def replacing_folder(folder: Path) -> Iterator[Path]:
    """An empty folder that takes the path's place once everything in it is written."""
    fresh, old = _beside(folder), _beside(folder, "old")
    fresh.mkdir()
    try:
        yield fresh
        if folder.exists():
            folder.rename(old)
        fresh.rename(folder)
    finally:
        if old.exists() and not folder.exists():
            old.rename(folder)
        shutil.rmtree(fresh, ignore_errors=True)
        shutil.rmtree(old, ignore_errors=True)


def _beside(path: Path, kind: str = "part") -> Path:
    """A name beside a path that no other process uses."""
    return path.with_name(f".{path.name}-{os.getpid()}-{os.urandom(4).hex()}.{kind}")


def resumable_writing(*paths: Path) -> AbstractContextManager[None]:
    """Explain a failure to write one of these, after which the same command resumes."""
    hint = "What is finished is kept: make room, and run the same command again to resume."
    return explained_writing(" or ".join(map(str, paths)), hint)


def sha256(path: Path) -> str:
    """The SHA-256 of a file's bytes, in hexadecimal; memory does not grow with the file."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()


def open_binary(path: Path) -> BinaryIO:
    """A file to read bytes from, unpacked if its name ends in .gz, .bz2 or .xz."""
    packed = _PACKED.get(path.suffix.lower())
    return cast(BinaryIO, packed(path)) if packed else path.open("rb")


def cache_folder() -> Path:
    """The folder for answers and downloads: `EQUIPOISE_CACHE`, or the system's cache folder of the user."""
    named = os.environ.get(CACHE_VARIABLE)
    if named:
        return Path(named)
    from platformdirs import user_cache_path

    return user_cache_path("equipoise", appauthor=False)
