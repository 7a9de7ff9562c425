"""Where Equipoise keeps what it fetches and computes."""

import os
from pathlib import Path

CACHE_VARIABLE = "EQUIPOISE_CACHE"


def cache_folder() -> Path:
    """The folder for answers and downloads: `EQUIPOISE_CACHE`, or the user's cache folder."""
    named = os.environ.get(CACHE_VARIABLE)
    if named:
        return Path(named)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "equipoise"


def data_folder() -> Path:
    """Where downloaded data sets are kept."""
    return cache_folder() / "data"
