"""A new back-end is one folder and one line of the index: shown on a copy of the package."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import equipoise

LOADERS = Path("equipoise", "models", "loading", "__init__.py")
PARROT = '''"""A model that says the same of every word."""

import math
from collections.abc import Sequence
from typing import Any

from equipoise.models.capabilities import FILL
from equipoise.models.options import RunOptions
from equipoise.models.protocol import AnsweringModel
from equipoise.models.questions import Fill, Question, WordScores


class Parrot(AnsweringModel):
    """Every word is as likely as every other."""

    kind = "parrot"
    capabilities = frozenset({FILL})
    fingerprint = "parrot"

    def __init__(self, name: str) -> None:
        self.name = name

    def answer(self, questions: Sequence[Question]) -> list[Any]:
        asked = [one.words for one in questions if isinstance(one, Fill)]
        return [WordScores(words, (-math.log(2),) * len(words), (1,) * len(words)) for words in asked]


class ParrotLoader:
    """Reads `parrot:NAME`."""

    def accepts(self, name: str) -> bool:
        return name.startswith("parrot:")

    def check(self, name: str, options: RunOptions) -> None:
        pass

    def load(self, name: str, options: RunOptions) -> Parrot:
        return Parrot(name)
'''


def test_a_new_back_end_is_one_folder_and_one_line(tmp_path: Path) -> None:
    source = Path(equipoise.__file__).parent
    shutil.copytree(source, tmp_path / "equipoise", ignore=shutil.ignore_patterns("embedded", "__pycache__"))
    index = (tmp_path / LOADERS).read_text(encoding="utf-8")
    line = '    "parrot": "equipoise.models.parrot:ParrotLoader",\n'
    first = '    "models",\n    {\n'
    (tmp_path / LOADERS).write_text(index.replace(first, first + line), encoding="utf-8")
    (tmp_path / "equipoise" / "models" / "parrot").mkdir()
    (tmp_path / "equipoise" / "models" / "parrot" / "__init__.py").write_text(PARROT, encoding="utf-8")
    script = (
        "import equipoise as eq\n"
        "result = eq.measure('parrot:polly', 'tbe')\n"
        "print(result.items.score.abs().max(), len(result.items))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert float(done.stdout.split()[0]) == 0.0
    assert int(done.stdout.split()[1]) > 100
