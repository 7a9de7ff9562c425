"""The versions that a clean clone installs: complete, and as `make newest` writes them."""

import re
from pathlib import Path

import pytest

from recipes.constraints import HEAD, constraints

ROOT = Path(__file__).parents[2]


def test_one_line_a_package_without_this_project_and_pytorch() -> None:
    installed = [("torch", "2.13.0+cpu"), ("SciPy", "1.17.1"), ("equipoise", "0.1.0"), ("altair", "6.3.0")]

    assert constraints(installed) == HEAD + (
        "altair==6.3.0; python_version >= '3.11'\nscipy==1.17.1; python_version >= '3.11'\n"
    )


def test_everything_that_the_tests_need_has_a_version() -> None:
    tomllib = pytest.importorskip("tomllib", reason="Python 3.10 reads no TOML of itself")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    asked = [*project["dependencies"], *extras["dev"], *extras["docs"]]
    names = {re.split(r"[<>=;\[]", line)[0].strip().lower().replace("_", "-") for line in asked}
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    held = {line.split("==")[0].replace("_", "-") for line in lines if not line.startswith("#")}

    assert names - held == {"torch", "tomli", "equipoise"}
