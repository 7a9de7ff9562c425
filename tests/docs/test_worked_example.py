"""The worked example, from the audit to the proof: every command as printed, on a small random model."""

from pathlib import Path

import pytest
from documents import ROOT, run_line
from fenced_files import fenced_blocks

TEXT = (ROOT / "docs" / "worked-example.md").read_text(encoding="utf-8")
COMMANDS = [
    line
    for language, block in fenced_blocks(TEXT)
    if not language
    for line in block.splitlines()
    if line.startswith("equipoise ")
]


@pytest.mark.slow
def test_every_command_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for language, block in fenced_blocks(TEXT):
        if language == "toml":
            name, _, rules = block.partition("\n")
            Path(name.removeprefix("# file: ")).write_text(rules, encoding="utf-8")
    for line in COMMANDS:
        run_line(line.replace(" embedded ", " random "))
    page = Path("proof.html").read_text(encoding="utf-8")
    assert 'data-chart="before-after-leans"' in page
    assert Path("figures/before-after-leans.svg").exists()


def test_it_goes_all_the_way() -> None:
    """Audit, mitigation, proof, comparison, gate and page, in this order."""
    steps = [line.split()[1] for line in COMMANDS]
    wanted = ["audit", "mitigate", "study", "measure", "compare", "check", "report"]
    assert [step for step in dict.fromkeys(steps) if step in wanted] == wanted


def test_its_pictures_exist_and_are_small() -> None:
    import re

    pictures = re.findall(r"!\[[^\]]+\]\(([^)]+)\)", TEXT)
    assert len(pictures) >= 3
    for name in pictures:
        assert (ROOT / "docs" / name).stat().st_size < 150_000, name
