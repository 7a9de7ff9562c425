"""The rooms of the rewriter: small, without circles, short chains, and a rule is a row of a table."""

import ast
import csv
import os
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[3] / "src" / "equipoise"
REWRITING = PACKAGE / "text" / "rewriting"
MOST_MODULES, LONGEST_CHAIN = 20, 8


def module_of(path: Path) -> str:
    return ".".join(("equipoise", *path.relative_to(PACKAGE).with_suffix("").parts)).removesuffix(".__init__")


MODULES = {module_of(path): path for path in REWRITING.rglob("*.py")}


@cache
def imported(module: str) -> frozenset[str]:
    tree = ast.parse(MODULES[module].read_text(encoding="utf-8"))
    names = {node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    return frozenset(names & MODULES.keys())


def chain(module: str) -> int:
    return 1 + max(map(chain, imported(module)), default=0)


def room_of(module: str) -> str:
    return MODULES[module].parent.name


def test_no_room_is_large_and_no_chain_long() -> None:
    rooms = [room_of(module) for module in MODULES]
    assert max(map(rooms.count, rooms)) <= MOST_MODULES
    assert max(map(chain, MODULES)) <= LONGEST_CHAIN


def test_no_room_imports_one_that_imports_it() -> None:
    pairs = {(room_of(one), room_of(other)) for one in MODULES for other in imported(one)}
    assert not [(one, other) for one, other in pairs if one != other and (other, one) in pairs]


def rewritten_by_copy(folder: Path, text: str) -> str:
    """What a copy of the package in a folder makes of a text."""
    code = "import sys; from equipoise.text.rewriting import rewrite; print(rewrite(sys.argv[1]).text)"
    environment = os.environ | {"PYTHONPATH": str(folder)}
    command = [sys.executable, "-c", code, text]
    return subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout.strip()


def copied(folder: Path) -> Path:
    """A copy of what rewriting needs."""
    package = folder / "equipoise"
    shutil.copytree(PACKAGE / "text", package / "text", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(PACKAGE / "errors.py", package)
    (package / "__init__.py").touch()
    return package / "text"


def test_a_rule_is_one_row_and_a_word_list_another(tmp_path: Path) -> None:
    """A new rule touches `form_rules.csv`; words that it shares with others go into `word_sets.csv`."""
    text = "They brought her spice."
    folder = copied(tmp_path)
    rules, sets = folder / "rewriting/tables/form_rules.csv", folder / "languages/en/word_sets.csv"
    assert rewritten_by_copy(tmp_path, text) == "They brought his spice."
    with rules.open(encoding="utf-8", newline="") as file:
        columns = next(csv.reader(file))
    row = dict.fromkeys(columns, "") | {"pronoun": "her", "form": "him", "rule": "seasoned", "margin": "2"}
    row |= {"first": "brought", "next": "{seasoning}", "after": "<closed>"}
    with rules.open("a", encoding="utf-8", newline="") as file:
        csv.DictWriter(file, columns, lineterminator="\n").writerow(row)
    with sets.open("a", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerow(("seasoning", "spice spices", ""))
    assert rewritten_by_copy(tmp_path, text) == "They brought him spice."


def test_a_pair_of_words_is_one_row(tmp_path: Path) -> None:
    words = copied(tmp_path) / "rewriting/tables/words.csv"
    assert rewritten_by_copy(tmp_path, "A zorkress sang.") == "A zorkress sang."
    with words.open("a", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerow(("zork", "zorkress", "role", "both", "", ""))
    assert rewritten_by_copy(tmp_path, "A zorkress sang.") == "A zork sang."
