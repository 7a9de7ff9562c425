"""Packages of others: listed, measured, compared and exported like ours; a broken one stops nothing."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from equipoise.data.sources import DATA, resolve
from equipoise.errors import UserError
from equipoise.instruments import INSTRUMENTS, audit_names, declared_quantities, load_instrument
from equipoise.mitigations import MITIGATIONS
from equipoise.models.loading import LOADERS, load_model, refuse_absent
from equipoise.models.options import RunOptions
from equipoise.report.exports import EXPORTS
from equipoise.report.page.contents import card_of

ROOT = Path(__file__).resolve().parents[1]
PLUGIN = ROOT / "examples" / "plugin"

BROKEN = """\
[equipoise.instruments]
broken = broken_package:Nothing
tbe = broken_package:Taken
greetings = broken_package:Second
half = half_package:Half
explodes = half_package:Explodes

[equipoise.mitigations]
broken = broken_package:Nothing

[equipoise.exports]
broken = broken_package:Nothing

[equipoise.models]
broken = broken_package:Nothing

[equipoise.data]
broken = broken_package:Nothing
"""

HALF = """\
class Half:
    name = "half"


class Explodes:
    def __init__(self):
        raise ValueError("no")
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the example package, installed by pip, and a package that raises when it is imported."""
    folder = tmp_path_factory.mktemp("site")
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-index"]
    built = subprocess.run(
        [*pip, "--no-deps", "--no-build-isolation", "--target", folder, PLUGIN],
        capture_output=True,
        text=True,
    )
    assert built.returncode == 0, built.stderr
    (folder / "broken_package.py").write_text("raise RuntimeError('out of order')\n", "utf-8")
    (folder / "half_package.py").write_text(HALF, "utf-8")
    described = folder / "zbroken-1.0.dist-info"
    described.mkdir()
    (described / "METADATA").write_text("Metadata-Version: 2.1\nName: zbroken\nVersion: 1.0\n", "utf-8")
    (described / "entry_points.txt").write_text(BROKEN, "utf-8")
    return folder


def run(site: Path, *arguments: object) -> subprocess.CompletedProcess[str]:
    """One command of ours in a process that has both packages installed."""
    command = [sys.executable, "-m", "equipoise", *map(str, arguments)]
    paths = os.pathsep.join((str(site), str(ROOT / "src"), os.environ.get("PYTHONPATH", "")))
    return subprocess.run(
        command, capture_output=True, text=True, env=os.environ | {"PYTHONPATH": paths, "COLUMNS": "200"}
    )


def test_a_package_is_listed_and_a_broken_one_named(site: Path) -> None:
    listed = run(site, "list", "instruments", "--json")
    rows = {row["name"]: row["what"] for row in json.loads(listed.stdout)["instruments"]}
    assert rows["greetings"] == "Does the model expect a man or a woman to be greeted?"
    assert "broken" not in rows
    listed = run(site, "list")
    assert listed.returncode == 0, listed.stderr
    said = " ".join((listed.stdout + listed.stderr).split())
    assert "broken (zbroken), because it cannot be loaded: RuntimeError('out of order')" in said
    assert "tbe (zbroken), because the name is taken by Equipoise" in said
    assert "greetings (zbroken), because the name is taken by equipoise-greetings" in said
    assert "half (zbroken), because it cannot be loaded: The instrument Half does not declare title" in said
    assert "explodes (zbroken), because it cannot be loaded: ValueError('no')" in said
    for kind in ("instruments", "mitigations", "exports", "models", "data"):
        assert f"Left out of {kind}: broken (zbroken), because it cannot be loaded: RuntimeError" in said


@pytest.fixture
def installed(site: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Both packages are installed for this process."""
    indexes = (INSTRUMENTS, MITIGATIONS, EXPORTS, LOADERS, DATA)
    monkeypatch.syspath_prepend(str(site))
    for index in indexes:
        index.__dict__.pop("_others", None)
    yield
    monkeypatch.undo()
    for index in indexes:
        index.__dict__.pop("_others", None)
        index.problems.clear()


@pytest.mark.usefixtures("installed")
def test_broken_packages_stop_nothing_that_they_have_no_part_in(tmp_path: Path) -> None:
    assert "greetings" in audit_names()
    assert not {"broken", "half", "explodes"} & set(audit_names())
    assert load_model("random").kind == "masked"
    assert declared_quantities("half") == {}
    assert card_of("explodes") == []
    assert resolve("", ("equipoise-pairs",), reader="sbe").name == "equipoise-pairs"
    with pytest.raises(UserError):
        refuse_absent(str(tmp_path / "nothing"), RunOptions())
    for name in ("half", "explodes", "broken"):
        with pytest.raises(
            UserError, match=f"The instrument '{name}' of the package zbroken cannot be loaded"
        ):
            load_instrument(name)


def test_a_broken_one_is_refused_in_two_lines(site: Path, tmp_path: Path) -> None:
    refused = run(site, "measure", "broken", "--model", "random", "--out", tmp_path / "results")
    assert refused.returncode == 2
    said, hint = refused.stderr.splitlines()[-2:]
    assert said.endswith("'broken' of the package zbroken cannot be loaded: RuntimeError('out of order').")
    assert hint == "Update or uninstall zbroken; everything else works without it."


def test_a_package_is_measured_compared_reported_and_exported(site: Path, tmp_path: Path) -> None:
    for draw in (1, 2):
        measured = run(
            site, "measure", "greetings", "--model", f"random:{draw}", "--out", tmp_path / str(draw)
        )
        assert measured.returncode == 0, measured.stderr
    compared = run(site, "compare", tmp_path / "1", tmp_path / "2")
    assert "sir rather than madam" in compared.stdout
    assert run(site, "export", tmp_path / "1", "--format", "keys").stdout == "greetings.expected\n"
    page = tmp_path / "page.html"
    assert run(site, "report", tmp_path / "1", "--out", page).returncode == 0
    shown = page.read_text("utf-8")
    assert "Greetings: a man or a woman expected" in shown
    assert "Five English greetings say nothing about other texts." in shown
