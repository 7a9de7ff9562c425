"""Writing a file: beside its place first, then renamed, so that no half of one is ever there."""

import os
import tempfile
from pathlib import Path


def write_beside(path: Path, content: str | bytes) -> None:
    """Write text as UTF-8, or bytes; what was there before stays until all of it is written."""
    handle, name = tempfile.mkstemp(prefix=f".{path.name}-", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content.encode("utf-8", "replace") if isinstance(content, str) else content)
        mask = os.umask(0)
        os.umask(mask)
        Path(name).chmod(0o666 & ~mask)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
