"""Mistakes of typing: two lines and exit code 2, with what was probably meant."""

import json
import re
import subprocess
import sys

import pytest
from command_line import run

from equipoise.cli.commands import CACHE, COMMANDS, EXAMPLES, STUDIES, Loaded
from equipoise.cli.mitigate import PRESETS
from equipoise.mitigations import MITIGATIONS, mitigation_class


@pytest.mark.parametrize(
    ("typed", "said", "hint"),
    [
        (["prob", "x"], "no command of `equipoise` called 'prob'", "Did you mean 'probe'?"),
        (["study", "model"], "no command of `equipoise study` called 'model'", "Did you mean 'models'?"),
        (["cache", "cleer"], "no command of `equipoise cache` called 'cleer'", "Did you mean 'clear'?"),
        (
            ["probe", "x", "--modle", "m"],
            "no option '--modle' of `equipoise probe`",
            "Did you mean '--model'?",
        ),
        (["--versio"], "no option '--versio' of `equipoise`", "Did you mean '--version'?"),
        (["compare", "--qqq"], "no option '--qqq'", "`equipoise compare --help` shows"),
        (["probe"], "`equipoise probe` was given no TEXT", "Give TEXT: A sentence with one blank"),
        (["measure", "tbe"], "`equipoise measure` was given no --out", "Give --out: Folder"),
        (["probe", "x", "y"], "something that it does not take: y", "quotes"),
        (
            ["probe", "x", "--top", "many"],
            "--top is 'many' where a whole number of 1 or more",
            "of 1 or more",
        ),
        (["probe", "x", "--top=0"], "--top is '0' where a whole number of 1 or more", "of 1 or more"),
        (["app", "--port", "99999"], "--port is '99999' where a whole number from 1 to 65535", "65535"),
        (["measure", "tbe", "--out"], "'--out' requires an argument", "--help"),
        (["measure", "tbe", "--data", "", "--out", "x"], "An argument behind --data is empty", "unset?"),
        (["measure", "tbe", "--data=", "--out", "x"], "An argument behind --data is empty", "unset?"),
        (["compare", " ", "x"], "An argument is empty", "unset?"),
    ],
)
def test_a_mistake_of_typing_is_two_lines(
    typed: list[str], said: str, hint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(*typed) == 2
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 2
    assert lines[0].startswith("Error: ")
    assert said in lines[0]
    assert hint in lines[1]


def test_a_command_without_anything_shows_its_help(capsys: pytest.CaptureFixture[str]) -> None:
    run("study")
    captured = capsys.readouterr()
    assert "before-after" in captured.out + captured.err
    assert "Error" not in captured.err


@pytest.mark.parametrize("group", [(), ("study",)])
def test_help_has_the_whole_sentence_of_every_command(
    group: tuple[str, ...], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    assert run(*group, "--help") == 0
    shown = capsys.readouterr().out
    assert max(map(len, shown.splitlines())) <= 80
    said = " ".join(shown.split())
    assert "..." not in said.replace("[ARGS]...", "")
    for commands in {(): COMMANDS, ("study",): STUDIES}[group].values():
        for name, (_, sentence) in commands.items():
            assert f"{name} {sentence}" in said


def test_every_command_of_the_tables_can_be_loaded() -> None:
    for commands in (COMMANDS, STUDIES, CACHE):
        loaded = Loaded(commands)
        assert [loaded[name].name for name in loaded] == list(loaded)


def test_help_is_quick_and_grouped(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("measure", "-h") == 0
    shown = capsys.readouterr().out
    places = [shown.index(f"{heading}:\n") for heading in ("Model", "Output", "Data", "Corpus", "Running")]
    assert places == sorted(places)
    assert "Example: equipoise" in shown


def test_the_presets_in_the_help_of_mitigate_are_all_there_are() -> None:
    known = {name: ", ".join(mitigation_class(name).presets) for name in MITIGATIONS}
    assert {name: presets for name, presets in known.items() if presets} == PRESETS


@pytest.mark.parametrize("kind", ["poles", "formats", "studies"])
def test_everything_with_a_name_can_be_listed(kind: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("list", kind, "--json") == 0
    (rows,) = json.loads(capsys.readouterr().out).values()
    expected = {"poles": "pronouns", "formats": "model-card", "studies": "before-after"}
    assert expected[kind] in [row["name"] for row in rows]


def test_no_help_loads_a_model_library_or_takes_long() -> None:
    """Every command in one process: torch and scipy stay out, and it takes a few seconds at most."""
    script = (
        "import sys, time\n"
        "from equipoise.cli import main\n"
        "from equipoise.cli.commands import COMMANDS, STUDIES\n"
        "names = [[n] for part in COMMANDS.values() for n in part]\n"
        "names += [['study', n] for part in STUDIES.values() for n in part]\n"
        "start = time.process_time()\n"
        "for name in names:\n"
        "    try: main([*name, '--help'])\n"
        "    except SystemExit as stop: assert not stop.code, name\n"
        "    bad = {'torch', 'transformers', 'scipy', 'statsmodels', 'vl_convert'} & set(sys.modules)\n"
        "    assert not bad, (name, bad)\n"
        "assert time.process_time() - start < 5\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_in_help_uses_only_options_that_are_there(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    command, *given = EXAMPLES[name].split()
    path = [command] if command == name else [command, name]
    assert run(*path, "--help") == 0
    shown = capsys.readouterr().out
    assert "Example: equipoise" in shown
    required = re.findall(r"--[a-z-]+ <(?:(?!--).)*?required", shown, re.DOTALL)
    assert {word for word in given if word.startswith("--")} <= set(re.findall(r"--[a-z-]+", shown))
    assert all(row.split()[0] in given for row in required), required
