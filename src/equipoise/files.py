"""The one way to touch a disk: write beside and rename, SHA-256, compressed reading, the cache folder."""

import bz2
import gzip
import hashlib
import lzma
import os
import platform
import re
import shutil
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any, BinaryIO, cast

from equipoise.errors import UserError, explained_writing

CACHE_VARIABLE = "EQUIPOISE_CACHE"
PART, OLD = "part", "old"
_MACHINE = f"{zlib.crc32(platform.node().encode()):08x}"
"""Part of the names of unfinished files: a process number says nothing about another machine's processes."""

_PACKED: dict[str, Callable[..., Any]] = {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}


@contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """Yield a file to write. Once complete it replaces the path; a failure leaves the old file in place.

    It is opened by the system's own rules, so that it has the mode that any new file of the user has.
    """
    clear_leftovers(path)
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
    clear_leftovers(folder)
    fresh, old = _beside(folder), _beside(folder, OLD)
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


def _beside(path: Path, kind: str = PART) -> Path:
    """A name beside a path that no other process uses."""
    return path.with_name(f".{path.name}-{_MACHINE}-{os.getpid()}-{os.urandom(4).hex()}.{kind}")


def clear_leftovers(path: Path) -> None:
    """Remove what killed processes of this machine left beside a path; put back what one had moved away."""
    name = re.compile(rf"\.{re.escape(path.name)}-{_MACHINE}-(\d+)-[0-9a-f]{{8}}\.({PART}|{OLD})")
    left = [
        (one, match[2])
        for one in (path.parent.iterdir() if path.parent.is_dir() else ())
        if (match := name.fullmatch(one.name)) and not _is_alive(int(match[1]))
    ]
    for one, kind in left:
        if kind == OLD and not path.exists():
            one.rename(path)
        elif one.is_dir():
            shutil.rmtree(one, ignore_errors=True)
        else:
            one.unlink(missing_ok=True)


def _is_alive(process: int) -> bool:
    """Whether a process of this machine still runs; Windows cannot be asked without ending it."""
    if os.name == "nt":
        return True
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


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
    """A file to read bytes from: unpacked if its name ends in .gz, .bz2 or .xz, or a member of a zip archive.

    A member is named by the archive's path and its own (books.zip/one.txt), a single one by the first alone.
    """
    archive = archive_of(path)
    if archive is not None:
        member = path.relative_to(archive).as_posix()
        names = members_of(archive)
        inside = member if path != archive else names[0] if len(names) == 1 else ""
        if inside not in names:
            raise UserError(
                f"{path} holds {', '.join(names[:5])}.", f"Name one of them, as {path / names[0]}."
            )
        with zipfile.ZipFile(archive) as held:
            source: Any = held.open(inside)
    else:
        inside, source = path.name, path
    packed = _PACKED.get(Path(inside).suffix.lower())
    if packed:
        return cast(BinaryIO, packed(source))
    return cast(BinaryIO, path.open("rb") if archive is None else source)


def archive_of(path: Path) -> Path | None:
    """Return the zip archive that a path names or points into."""
    for one in (path, *path.parents):
        if one.suffix.lower() == ".zip" and one.is_file():
            return one
    return None


def members_of(archive: Path) -> list[str]:
    """The files in a zip archive, in order."""
    try:
        with zipfile.ZipFile(archive) as held:
            names = sorted(one.filename for one in held.infolist() if not one.is_dir())
    except (OSError, zipfile.BadZipFile) as error:
        raise UserError(
            f"{archive} cannot be unpacked: {error}.", "Check that it is a zip archive."
        ) from error
    return [name for name in names if not name.startswith("__MACOSX/")]


def unpacked_name(path: Path) -> Path:
    """The path as it is called once it is unpacked: books.csv.gz is books.csv."""
    if path.suffix.lower() == ".zip" and path.is_file():
        names = members_of(path)
        return path / names[0] if len(names) == 1 else path
    return path.with_suffix("") if path.suffix.lower() in _PACKED else path


def size_of(path: Path) -> int:
    """The bytes of a file on the disk, and of a member of an archive its bytes unpacked."""
    archive = archive_of(path)
    if archive is None or archive == path:
        return path.stat().st_size
    with zipfile.ZipFile(archive) as held:
        return held.getinfo(path.relative_to(archive).as_posix()).file_size


def cache_folder() -> Path:
    """The folder for answers and downloads: `EQUIPOISE_CACHE`, or the system's cache folder of the user."""
    named = os.environ.get(CACHE_VARIABLE)
    if named:
        return Path(named)
    from platformdirs import user_cache_path

    return user_cache_path("equipoise", appauthor=False)
