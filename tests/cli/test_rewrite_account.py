"""The account of `equipoise rewrite` as a page, and what a full disk or a refusal leaves behind."""

import csv
import json
import re
import resource
import subprocess
import sys
from html import unescape
from pathlib import Path

import pytest

TEXTS = (
    "Mr. Smith lost her keys & <script>alert(1)</script> his hat.",
    "She was pregnant. He sent her flowers.",
    "Rain.",
    "Nothing is hers.",
)


def rewrite(*arguments: str, limit: int = 0) -> subprocess.CompletedProcess[str]:
    def limited() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    return subprocess.run(
        [sys.executable, "-m", "equipoise", "rewrite", *arguments],
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=limited if limit else None,
    )


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "texts.jsonl"
    rows = [json.dumps({"text": text}) for text in TEXTS]
    path.write_text("\n".join([*rows[:3], "no json", rows[3]]) + "\n", encoding="utf-8")
    return path


def columns(page: str) -> list[tuple[str, str]]:
    """Both texts of every document shown, without their marks."""
    pairs = re.findall(r'<div class="pair"><p>(.*?)</p><p>(.*?)</p></div>', page, re.DOTALL)
    return [
        tuple(unescape(re.sub(r"</?(?:ins|del|span)[^>]*>", "", side)) for side in pair) for pair in pairs
    ]


def test_the_page_shows_both_texts_and_every_entry(source: Path, tmp_path: Path) -> None:
    out, page = tmp_path / "out.jsonl", tmp_path / "account.html"
    done = rewrite(str(source), "--out", str(out), "--account", str(page))
    assert done.returncode == 0, done.stderr
    shown = page.read_text(encoding="utf-8")
    new = [json.loads(line)["text"] for line in out.read_text(encoding="utf-8").splitlines()]
    assert columns(shown) == [(TEXTS[place], new[place]) for place in (0, 1, 3)]
    assert "<script" not in shown
    assert "line 4: not JSON" in shown
    with (tmp_path / "account.csv").open(encoding="utf-8", newline="") as file:
        entries = list(csv.DictReader(file))
    changes = [entry for entry in entries if entry["action"] == "change"]
    assert shown.count("<del ") == len(changes)
    assert shown.count('<span class="skip" ') == 2 * (len(entries) - len(changes))
    assert 'class="doubt" title="pronoun: given">him</ins> flowers' in shown
    # Mr, his, He; her, her, hers change sides, and She stays: three and four before and after
    assert shown.count("1 female") == 2


def test_what_exists_is_not_written_over(source: Path, tmp_path: Path) -> None:
    (tmp_path / "account.html").write_text("mine")
    (tmp_path / "account.csv").write_text("mine")
    for name in ("account.html", "account.csv"):
        refused = rewrite(
            str(source), "--out", str(tmp_path / "out.jsonl"), "--account", str(tmp_path / name)
        )
        assert refused.returncode == 2
        assert "exists" in refused.stderr
        assert (tmp_path / name).read_text() == "mine"
    wrong = rewrite(str(source), "--text", "body", "--out", str(tmp_path / "none.jsonl"))
    assert (wrong.returncode, "None of the 5 rows has a text" in wrong.stderr) == (2, True)
    assert not (tmp_path / "none.jsonl").exists()
    lost = rewrite(str(source), "--out", str(tmp_path / "no" / "out.jsonl"))
    assert (lost.returncode, "There is no folder" in lost.stderr) == (2, True)


def test_a_full_disk_in_the_middle_loses_nothing(tmp_path: Path) -> None:
    source, out, whole = (tmp_path / name for name in ("a.txt", "b.txt", "c.txt"))
    source.write_text("".join(f"He saw her on day {day}.\n" for day in range(6_000)), encoding="utf-8")
    stopped = rewrite(str(source), "--out", str(out), limit=90_000)
    assert stopped.returncode == 2
    assert "cannot be written" in stopped.stderr
    assert "the same command again" in stopped.stderr
    resumed = rewrite(str(source), "--out", str(out))
    assert resumed.returncode == 0, resumed.stderr
    assert rewrite(str(source), "--out", str(whole)).returncode == 0
    assert out.read_bytes() == whole.read_bytes()
    assert not out.with_name("b.txt.progress").exists()
    account = tmp_path / "d.csv"
    stopped = rewrite(str(source), "--out", str(out), "--account", str(account), "--force", limit=90_000)
    assert f"{out} or {account} cannot be written" in " ".join(stopped.stderr.split())
