"""A choice is declared once: everything else follows, as a copy of the package with one more shows."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[1] / "src" / "equipoise"

A_NEW_CHOICE = """
import json, sys
import equipoise as eq
from equipoise.cli import main
from equipoise.errors import UserError

def run(*words):
    try:
        main(list(words))
    except SystemExit as stop:
        return stop.code
    return 0

folder = sys.argv[1]
assert run("measure", "--help") == 0
said = ["measure", "weat", "--model", "random", "--whiten", "--depth", "3", "--out", folder]
assert run(*said) == 0
saved = eq.load_result(folder + "/weat")
assert saved.choices == {"whiten": "True"}, saved.choices
assert run("measure", "tbe", "--model", "random", "--whiten", "--out", folder) == 2
given = eq.measure("random", "weat", whiten=True)
assert given.choices == saved.choices
plain = eq.measure("random", "weat")
plain.provenance["model"] |= {"fingerprint": "another", "name": "another"}
try:
    eq.compare(saved, plain)
except UserError as error:
    assert "whiten" in error.message, error
else:
    raise AssertionError("unlike things were compared")
"""


def test_a_new_choice_is_declared_in_one_file_and_read_in_another(tmp_path: Path) -> None:
    """In a copy of the package: a choice of vectors that changes the score, and a run option."""
    package = tmp_path / "equipoise"
    shutil.copytree(PACKAGE, package, ignore=shutil.ignore_patterns("__pycache__"))
    declared = package / "instruments" / "parts" / "vector_choice.py"
    first, whiten = (
        "    layer: str = choice(",
        '    whiten: bool = choice(False, "Whiten.", may_differ=False)\n',
    )
    declared.write_text(declared.read_text().replace(first, whiten + first, 1))
    reader = package / "instruments" / "parts" / "association_tests.py"
    reader.write_text(reader.read_text().replace("reads = (", 'reads = ("whiten", ', 1))
    run = package / "models" / "options.py"
    run.write_text(
        run.read_text().replace(
            "    device: str", '    depth: int = option(12, "How many layers to run.")\n    device: str', 1
        )
    )
    arguments = [sys.executable, "-c", A_NEW_CHOICE, str(tmp_path / "out")]
    copy = {**os.environ, "PYTHONPATH": str(tmp_path)}
    done = subprocess.run(
        arguments,
        env=copy,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "--whiten" in done.stdout
    assert "--depth" in done.stdout
