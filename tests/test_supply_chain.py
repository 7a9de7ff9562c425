"""What is shipped: reproducible packages with their notices, a lock, a bill of materials, licences."""

import csv
import hashlib
import json
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

from recipes.constraints import LEFT_OUT as UNPINNED

ROOT = Path(__file__).resolve().parents[1]
LEFT_OUT = shutil.ignore_patterns(".venv", ".git", "build", "dist", "results", "__pycache__", ".*_cache")


def built(source: Path, out: Path, what: str) -> Path:
    """A package built by the backend itself, without a network."""
    call = f"import hatchling.build as b; print(b.build_{what}({str(out)!r}))"
    out.mkdir()
    done = subprocess.run([sys.executable, "-c", call], cwd=source, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return out / done.stdout.split()[-1]


def sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


@pytest.mark.slow
def test_packages_are_reproducible_and_the_sdist_builds_and_tests_itself(tmp_path: Path) -> None:
    copies = [Path(shutil.copytree(ROOT, tmp_path / name, ignore=LEFT_OUT)) for name in ("one", "two")]
    wheels = [built(copy, tmp_path / f"wheel-{copy.name}", "wheel") for copy in copies]
    sources = [built(copy, tmp_path / f"sdist-{copy.name}", "sdist") for copy in copies]
    assert sha256(wheels[0]) == sha256(wheels[1])
    assert sha256(sources[0]) == sha256(sources[1])
    with zipfile.ZipFile(wheels[0]) as wheel:
        names = [name for name in wheel.namelist() if "/licenses/" in name]
    assert {Path(name).name for name in names} >= {"LICENSE", "bundled.txt", "NOTICE"}
    with tarfile.open(sources[0]) as packed:
        packed.extractall(tmp_path / "unpacked", filter="data")
    (unpacked,) = (tmp_path / "unpacked").iterdir()
    assert sha256(built(unpacked, tmp_path / "wheel-sdist", "wheel")) == sha256(wheels[0])
    some = ["tests/stats", "tests/text/test_mentions.py", "tests/test_supply_chain.py"]
    command = [sys.executable, "-m", "pytest", "-q", "-m", "not slow", "-p", "no:cacheprovider", *some]
    done = subprocess.run(command, cwd=unpacked, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-2000:]


def test_the_lock_the_bill_and_the_licences_name_the_same_packages() -> None:
    lines = (ROOT / "requirements.lock").read_text("utf-8").splitlines()[1:]
    locked = {line.split(" ")[0] for line in lines}
    assert all(re.fullmatch(r"\S+==\S+ --hash=sha256:[0-9a-f]{64}", line) for line in lines)
    bill = json.loads((ROOT / "sbom.cdx.json").read_text("utf-8"))
    assert (bill["bomFormat"], bill["specVersion"]) == ("CycloneDX", "1.6")
    assert {f"{one['name']}=={one['version']}" for one in bill["components"]} == locked
    with (ROOT / "LICENSES/dependencies.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert {f"{row['name']}=={row['version']}" for row in rows} == locked
    assert all(row["licence"] for row in rows)


def test_the_lock_is_of_the_tested_versions() -> None:
    """A new, moved or removed dependency makes the lock stale; `recipes/supply_chain.py` writes it anew."""
    constraints = (ROOT / "constraints.txt").read_text("utf-8").splitlines()
    tested = {line.split(";")[0].lower() for line in constraints if not line.startswith("#")}
    lines = (ROOT / "requirements.lock").read_text("utf-8").lower().splitlines()[1:]
    locked = {line.split(" ")[0].partition("+")[0] for line in lines}
    left_out = {one for one in locked - tested if one.split("==")[0] in UNPINNED}
    assert (locked - tested - left_out, tested - locked) == (set(), set())


def test_every_bundled_library_has_its_notice() -> None:
    notices = (ROOT / "LICENSES/bundled.txt").read_text("utf-8")
    for owner in ("University of Washington Interactive Data Lab", "Mike Bostock", "OpenJS", "Google AI"):
        assert owner in notices
