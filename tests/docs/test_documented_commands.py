"""Every command of README and docs exists, with options that exist; `test_documents_run.py` runs them."""

import re
import shlex
from pathlib import Path
from typing import Any

import pytest
import typer
from fenced_files import fenced_blocks

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def commands(document: Path) -> list[str]:
    """The lines of a document that call equipoise, without their comments and with broken lines joined."""
    blocks = [
        block for language, block in fenced_blocks(document.read_text(encoding="utf-8")) if not language
    ]
    lines = [line for block in blocks for line in block.replace("\\\n", " ").splitlines()]
    return [re.sub(r"\s+#.*$", "", line) for line in lines if line.startswith("equipoise ")]


def inline_commands(document: Path) -> list[str]:
    """Commands inside a sentence, which may leave things out."""
    prose = re.sub(r"^```.*?^```$", "", document.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    return re.findall(r"`equipoise ([a-z]+)[^`]*`", " ".join(prose.split()))


ALL = [(document.name, line) for document in DOCUMENTS for line in commands(document)]


def check(command: Any, words: list[str]) -> None:
    """Parse the words as the command line would, without running anything."""
    while hasattr(command, "commands"):
        assert words, "a group of commands by itself"
        assert words[0] in command.commands, f"there is no command {words[0]}"
        command, words = command.commands[words[0]], words[1:]
    command.make_context("equipoise", words)


@pytest.fixture(scope="module")
def equipoise_command() -> Any:
    from equipoise.cli.commands import app

    return typer.main.get_command(app)


@pytest.mark.parametrize(("document", "line"), ALL, ids=[f"{name}: {line}" for name, line in ALL])
def test_the_command_line_takes_it(document: str, line: str, equipoise_command: Any) -> None:
    check(equipoise_command, shlex.split(line)[1:])


def test_a_wrong_option_would_be_noticed(equipoise_command: Any) -> None:
    for words in (["measure", "tbe", "--nonsense"], ["check"], ["compare"], ["probe", "a", "b"]):
        with pytest.raises(Exception, match=r"No such option|Missing|unexpected extra argument"):
            check(equipoise_command, words)
    with pytest.raises(AssertionError, match="no command"):
        check(equipoise_command, ["nonsense"])


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_commands_in_sentences_exist(document: Path, equipoise_command: Any) -> None:
    assert set(inline_commands(document)) <= set(equipoise_command.commands)


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_python_of_the_documents_compiles(document: Path) -> None:
    for language, block in fenced_blocks(document.read_text(encoding="utf-8")):
        if language == "python":
            compile(block, document.name, "exec")


def test_make_targets_of_the_documents_exist() -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    for document in DOCUMENTS:
        text = document.read_text(encoding="utf-8")
        named = set(re.findall(r"(?:^|`)make ([a-z-]+)", text, re.MULTILINE))
        assert named <= targets, document.name
