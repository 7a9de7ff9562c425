"""What is added touches at most two files: everything else follows, as copies of the package show."""

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

folder, words = sys.argv[1:]
assert run("measure", "--help") == 0
said = ["measure", "weat", "--model", "random", "--data", words, "--whiten", "--depth", "3", "--out", folder]
assert run(*said) == 0
saved = eq.load_result(folder + "/weat")
assert saved.choices == {"whiten": "True"}, saved.choices
assert run("measure", "tbe", "--model", "random", "--whiten", "--out", folder) == 2
given = eq.measure("random", "weat", data=words, whiten=True)
assert given.choices == saved.choices
plain = eq.measure("random", "weat", data=words)
plain.provenance["model"] |= {"fingerprint": "another", "name": "another"}
try:
    eq.compare(saved, plain)
except UserError as error:
    assert "whiten" in error.message, error
else:
    raise AssertionError("unlike things were compared")
"""


WORDS = """test,role,set,word
t,first target,science,atom
t,first target,science,star
t,second target,art,poem
t,second target,art,dance
t,first attribute,men,he
t,first attribute,men,man
t,second attribute,women,she
t,second attribute,women,woman
"""


def test_a_new_choice_is_declared_in_one_file_and_read_in_another(tmp_path: Path) -> None:
    """In a copy of the package: a choice of vectors that changes the score, and a run option."""
    package = copied(tmp_path)
    declared = package / "instruments" / "base.py"
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
    (tmp_path / "words.csv").write_text(WORDS)
    said = said_by_the_copy(tmp_path, A_NEW_CHOICE, str(tmp_path / "out"), str(tmp_path / "words.csv"))
    assert "--whiten" in said
    assert "--depth" in said


A_BACK_END = '''
import numpy as np

from equipoise.models.options import RunOptions
from equipoise.models.static import StaticModel


class CountedLoader:
    """Vectors made of the letters of a word."""

    def accepts(self, name: str) -> bool:
        return name.startswith("letters:")

    def check(self, name: str, options: RunOptions) -> None:
        """Nothing is read."""

    def load(self, name: str, options: RunOptions) -> StaticModel:
        words = name.removeprefix("letters:").split(",")
        rows = {word: np.array([len(word), word.count("e"), 1], np.float32) for word in words}
        return StaticModel(rows, name=name)
'''

USE_OF_ALL = """
import equipoise as eq
from equipoise.data.poles import load_poles
from equipoise.models.questions import Embed
from equipoise.text.rewriting import rewrite

model = eq.load_model("letters:she,he")
answers = model.answer([Embed("she"), Embed("he")])
assert [answer.vector.tolist() for answer in answers] == [[3, 1, 1], [2, 1, 1]]
assert rewrite("They brought her spice after the meal.").text == "They brought his spice after the meal."
assert load_poles("french").at("subject") == {"male": ("il",), "female": ("elle",)}
"""


def test_a_back_end_a_rule_and_a_table_of_another_language_touch_two_files_at_most(tmp_path: Path) -> None:
    """A back-end is its module and a line of the index; a rule, or the words of a language, are a table's."""
    package = copied(tmp_path)
    (package / "models" / "letters.py").write_text(A_BACK_END)
    after_line(
        package / "models/loading/__init__.py",
        "    {",
        '        "letters": "equipoise.models.letters:CountedLoader",',
    )
    after_line(
        package / "text/rewriting/tables/form_rules.csv",
        "pronoun,",
        "her,his,seasoned,5,,,brought,spice,after,,,,",
    )
    (package / "data/tables/poles-french.csv").write_text(
        "pole,form,word\nmale,subject,il\nfemale,subject,elle\n"
    )
    said_by_the_copy(tmp_path, USE_OF_ALL)


def copied(folder: Path) -> Path:
    """A copy of the package without the model that ships."""
    skipped = shutil.ignore_patterns("__pycache__", "embedded")
    return Path(shutil.copytree(PACKAGE, folder / "equipoise", ignore=skipped))


def after_line(path: Path, beginning: str, new: str) -> None:
    """Put a line behind the first one that begins so."""
    lines = path.read_text().splitlines()
    place = next(number for number, line in enumerate(lines) if line.startswith(beginning))
    path.write_text("\n".join([*lines[: place + 1], new, *lines[place + 1 :], ""]))


def said_by_the_copy(folder: Path, program: str, *arguments: str) -> str:
    """What a program says that imports the copy; it must end well."""
    done = subprocess.run(
        [sys.executable, "-c", program, *arguments],
        env={**os.environ, "PYTHONPATH": str(folder)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout
