"""The papers page: every item is there, every command it names exists, every file it names is tested."""

import re
from pathlib import Path
from typing import Any

import pytest
import typer

from equipoise.instruments import INSTRUMENTS
from equipoise.mitigations import MITIGATIONS

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "papers.md").read_text(encoding="utf-8")
SECTIONS = {part.splitlines()[0]: part for part in re.split(r"^## ", PAGE, flags=re.MULTILINE)[1:]}
ITEMS = {
    "Towards a Robust Gender Bias Evaluation (GBEF)": {"Table": range(1, 6), "Figure": range(1, 20)},
    "Stereotype and Skew": {"Table": range(1, 4), "Figure": range(1, 5)},
    "BEC-Pro": {"Table": range(1, 7), "Figure": range(1, 7)},
    "Gender bias in news": {"Figure": range(1, 17)},
    "Completions (GBM)": {"Table": range(1, 4)},
}
"""The tables and figures that each study numbers."""

FEWEST = 82
COLUMNS = 5


def rows(section: str) -> list[list[str]]:
    """The cells of the table whose first column is `item`."""
    lines = section.splitlines()
    start = next(place for place, line in enumerate(lines) if line.startswith("| item |"))
    table = []
    for line in lines[start + 2 :]:
        if not line.startswith("|"):
            break
        table.append([cell.strip() for cell in line.strip().strip("|").split("|")])
    return table


def numbers(text: str, kind: str) -> set[int]:
    """The numbers of the tables or figures that an item names, as in "Figures 2 to 5, 13 to 16"."""
    found: set[int] = set()
    name = r"(?:Fig\.|Figures?)" if kind == "Figure" else r"Tables?"
    for listed in re.findall(rf"{name} ((?:\d+(?: to \d+)?(?:, | and )?)+)", text):
        for first, last in re.findall(r"(\d+)(?: to (\d+))?", listed):
            found |= set(range(int(first), int(last or first) + 1))
    return found


@pytest.mark.parametrize("study", ITEMS)
@pytest.mark.parametrize("kind", ["Table", "Figure"])
def test_every_table_and_figure_has_a_row(study: str, kind: str) -> None:
    named = set().union(*(numbers(cells[0], kind) for cells in rows(SECTIONS[study])))
    assert set(ITEMS[study].get(kind, ())) <= named


def test_every_item_has_its_cells() -> None:
    every = [cells for section in SECTIONS.values() for cells in rows(section)]
    assert len(every) >= FEWEST
    assert all(len(cells) == COLUMNS and cells[0] for cells in every)
    assert sum("future work" in cells[0].lower() for cells in every) >= 8
    assert len({cells[0] for cells in every}) == len(every)


def test_every_command_of_a_row_exists() -> None:
    from equipoise.cli.commands import app

    command: Any = typer.main.get_command(app)
    studies = command.commands["study"].commands
    for section in SECTIONS.values():
        for cells in rows(section):
            for text in re.findall(r"`([^`]+)`", cells[1]):
                first, *words = text.split()
                known = command.commands.get(first)
                named = [word for word in words if re.fullmatch(r"[a-z][a-z-]+", word)]
                if first == "study":
                    assert named[0] in studies, text
                elif first == "measure":
                    asked = named[: next((at for at, word in enumerate(words) if word[0] == "-"), len(words))]
                    assert set(asked) <= set(INSTRUMENTS), text
                elif first == "mitigate":
                    assert named[0] in MITIGATIONS, text
                elif known is not None and words and words[0].startswith("--"):
                    assert words[0] in {name for option in known.params for name in option.opts}, text


def test_every_file_of_a_row_is_asserted_by_a_test() -> None:
    """The tests of the commands look for the files, with their rows and columns."""
    tests = "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / "tests").rglob("test_*.py"))
    shown = [cells[2] for section in SECTIONS.values() for cells in rows(section)]
    files = {name for cell in shown for name in re.findall(r"`([a-z0-9-]+\.csv)`", cell)}
    assert len(files) > 12
    assert {name for name in files if name not in tests and f'"{Path(name).stem}"' not in tests} == set()


def test_no_placeholder_is_left() -> None:
    assert (
        re.findall(r"\b[A-Z_]{5,}\b", re.sub(r"`[^`]*`|BERT\w*|OntoNotes|FOLDER|WEAT|CEAT", "", PAGE)) == []
    )
