"""The whole command on 38 novels: under a minute, in little memory, with the leans one expects."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

COMMAND = """
import resource, sys
from pathlib import Path
from equipoise.cli import main
try:
    main(sys.argv[1:])
except SystemExit as stop:
    assert not stop.code
used = resource.getrusage(resource.RUSAGE_SELF)
# VmHWM, because ru_maxrss still holds the peak of the process that started this one.
peak = Path("/proc/self/status").read_text().split("VmHWM:")[1].split()[0]
print(used.ru_utime + used.ru_stime, peak, file=sys.stderr)
"""


@pytest.mark.slow
def test_novels(shared_data: Callable[[str], Path], tmp_path: Path) -> None:
    """Processor seconds are asserted, so that a busy machine does not matter."""
    books = str(shared_data("books/paragraphs.jsonl"))
    options = ["--text", "text", "--group", "author", "--out", str(tmp_path / "out"), "--json"]
    run = subprocess.run(
        [sys.executable, "-c", COMMAND, "corpus", books, *options], capture_output=True, text=True, check=True
    )
    survey = json.loads(run.stdout)
    seconds, kilobytes = map(float, run.stderr.split("\n")[-2].split())
    assert seconds < 60
    assert kilobytes < 500_000
    assert survey["documents"] == 115_034
    overall = {row["category"]: row for row in survey["categories"] if row["by"] == "all"}
    assert overall["career"]["log_odds_low"] > 0
    assert overall["appearance"]["log_odds_high"] < 0
    assert overall["family"]["log_odds_high"] < 0
    authors = {row["level"]: row["share_women"] for row in survey["mentions"] if row["role"] == "all"}
    assert authors["l-m-montgomery"] > 0.6 > 0.4 > authors["jack-london"]
