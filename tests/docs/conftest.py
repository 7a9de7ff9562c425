"""The small models that documents are run with, saved once."""

from pathlib import Path

import pytest
from documents import save_models
from packable import tiny_source

__all__ = ["models", "tiny_source"]


@pytest.fixture(scope="session")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_models(tmp_path_factory.mktemp("models"))
