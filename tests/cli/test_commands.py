"""The command line as a user types it, in a process of its own where timing or signals matter."""

import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
import tiny
from command_line import run

from equipoise.cli import main


@pytest.fixture
def model_folder(tmp_path: Path) -> Path:
    """A saved random model that knows the words of the shipped tables."""
    from equipoise.models.random_weights import random_parts

    network, words = random_parts()
    network.cls.predictions.bias.data[words.convert_tokens_to_ids("he")] += 1.0
    network.save_pretrained(tmp_path / "model")
    words.save_pretrained(tmp_path / "model")
    return tmp_path / "model"


def errors(capsys: pytest.CaptureFixture[str]) -> list[str]:
    return capsys.readouterr().err.strip().splitlines()


def test_measure_writes_a_result_and_prints_a_table(
    model_folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("measure", "tbe", "--model", model_folder, "--out", tmp_path / "out") == 0
    printed = capsys.readouterr().out
    assert "kept / dropped" in printed
    assert (tmp_path / "out" / "tbe" / "items.csv").exists()


def test_json_is_one_document_on_stdout(
    model_folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("measure", "tbe", "--model", model_folder, "--out", tmp_path / "out", "--json") == 0
    (document,) = json.loads(capsys.readouterr().out)
    assert document["instrument"] == "tbe"
    for command in (
        ["list", "--json"],
        ["cache", "info", "--json"],
        ["probe", "[MASK] is a doctor.", "--model", model_folder, "--json"],
    ):
        assert run(*command) == 0
        json.loads(capsys.readouterr().out)


def test_audit_writes_every_result_of_the_default_set(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from equipoise.instruments import DEFAULT_AUDIT

    assert run("audit", "--model", "random", "--out", tmp_path) == 0
    assert sorted(path.parent.name for path in tmp_path.glob("*/items.csv")) == sorted(DEFAULT_AUDIT)


def test_the_default_model_is_named_in_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    from equipoise.models.names import DEFAULT_MODEL

    assert run("probe", "[MASK] is a doctor.") == 0
    (said,) = errors(capsys)
    assert "No model was named" in said
    assert DEFAULT_MODEL in said
    assert "--model" in said


def test_probe_compares_models(model_folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["probe", "[MASK] is a doctor.", "--model", "random", "--model", model_folder, "--word", "he"]
    assert run(*command, "--json") == 0
    words = json.loads(capsys.readouterr().out)["words"]
    assert len(words) == 2
    assert words[1]["probability"] > words[0]["probability"]


def test_score_a_file(model_folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "sentences.txt"
    file.write_text("The doctor left.\n\nThe nurse stayed.\n", encoding="utf-8")
    tokens = tmp_path / "tokens.csv"
    assert run("score", file, "--model", model_folder, "--out", tokens, "--json") == 0
    sentences = json.loads(capsys.readouterr().out)["sentences"]
    assert [one["text"] for one in sentences] == ["The doctor left.", "The nurse stayed."]
    assert tokens.read_text().startswith("sentence,position,token,logprob,weight")


def test_compare_two_folders(model_folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("measure", "tbe", "--model", "random", "--out", tmp_path / "a") == 0
    assert run("measure", "tbe", "--model", model_folder, "--out", tmp_path / "b") == 0
    capsys.readouterr()
    assert run("compare", tmp_path / "a", tmp_path / "b", "--json") == 0
    rows = json.loads(capsys.readouterr().out)
    assert {row["verdict"] for row in rows} <= {"lower", "higher", "equivalent", "not enough items"}
    assert run("compare", tmp_path / "a", tmp_path / "a") == 2
    assert "same model" in errors(capsys)[0]


def test_cache_info_and_clear(model_folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run("probe", "[MASK] is a doctor.", "--model", model_folder)
    capsys.readouterr()
    assert run("cache", "info", "--json") == 0
    assert json.loads(capsys.readouterr().out)["models"][0]["answers"] > 0
    assert run("cache", "clear") == 0
    assert run("cache", "info", "--json") == 0
    assert json.loads(capsys.readouterr().out.split("\n", 1)[1])["models"] == []


BAD = {
    "unknown model": (["probe", "[MASK] is.", "--model", "./nowhere"], "no model folder"),
    "unknown instrument": (["measure", "tbee", "--out", "o"], "no instrument called 'tbee'"),
    "no blank": (["probe", "He is a doctor."], "no [MASK]"),
    "two blanks": (["probe", "[MASK] is a [MASK]."], "2 blanks"),
    "unknown poles": (["probe", "[MASK] is.", "--poles", "pronoun"], "pronouns"),
    "unknown listing": (["list", "instrument"], "instruments"),
    "unknown variant": (["measure", "tbe", "--variant", "nope", "--out", "o"], "variant of tbe"),
    "unknown data": (["measure", "tbe", "--data", "nope", "--out", "o"], "data set or file"),
    "unknown precision": (["probe", "[MASK] is.", "--precision", "fp8"], "precision"),
    "missing file": (["score", "nowhere.txt"], "cannot be read"),
    "no result": (["compare", "nowhere", "nowhere"], "no folder"),
}


@pytest.mark.parametrize("case", BAD)
def test_a_mistake_is_two_lines_and_exit_code_2(
    case: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    arguments, message = BAD[case]
    assert run(*arguments) == 2
    said = [
        line for line in errors(capsys) if "No model was named" not in line and "Name another" not in line
    ]
    assert len(said) == 2, said
    assert message in " ".join(said)


@pytest.mark.parametrize(
    ("content", "message"),
    [(b"", "empty"), (b"\xff\xfe\xfa", "UTF-8"), (b"   \n\n", "empty")],
)
def test_bad_files(content: bytes, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "bad.txt"
    file.write_bytes(content)
    assert run("score", file) == 2
    assert message in errors(capsys)[0]


def test_a_template_file_without_a_blank_names_the_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "mine.csv"
    file.write_text("category,slot,template\noffice,subject,He is a <profession>.\n")
    assert run("measure", "tbe", "--data", file, "--out", tmp_path / "o") == 2
    said = " ".join(errors(capsys))
    assert "mine.csv, line 2" in said
    assert "0 blanks" in said


def test_several_instruments_need_a_name_for_their_options() -> None:
    from equipoise.cli.options import by_instrument
    from equipoise.errors import UserError

    assert by_instrument(["x.csv"], ["tbe"], "--data") == {"tbe": "x.csv"}
    assert by_instrument(["a=x.csv"], ["a", "b"], "--data") == {"a": "x.csv"}
    with pytest.raises(UserError, match="which instrument"):
        by_instrument(["x.csv"], ["a", "b"], "--data")


def test_debug_shows_the_traceback() -> None:
    from equipoise.errors import UserError

    with pytest.raises(UserError):
        main(["list", "nonsense", "--debug"])


def test_help_is_quick() -> None:
    """Under half a second, the best of five in processes of their own: nothing heavy is imported."""
    best = min(_seconds("--help") for _ in range(5))
    assert best < 0.5


def _seconds(*arguments: str) -> float:
    start = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-m", "equipoise", *arguments], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return time.perf_counter() - start


def test_help_imports_neither_torch_nor_pandas() -> None:
    script = (
        "import sys\nfrom equipoise.cli import main\n"
        "try: main(['--help'])\nexcept SystemExit: pass\n"
        "bad = {'torch', 'transformers', 'pandas', 'scipy'} & set(sys.modules)\nassert not bad, bad\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_a_mistyped_command_gets_a_suggestion(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("mesure") == 2
    assert "measure" in capsys.readouterr().err


def test_completion_knows_the_instruments() -> None:
    from equipoise.cli.measure import _complete_instrument

    assert "tbe" in _complete_instrument("t")


def test_interruption_is_two_lines_and_130(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    import equipoise.models as models

    def stop(*_args: Any, **_kwargs: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(models, "load_model", stop)
    assert run("probe", "[MASK] is a doctor.") == 130
    assert len(errors(capsys)) == 2


def test_tiny_models_probe_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "gpt2"
    tiny.network("gpt2").save_pretrained(folder)
    tiny.tokenizer("byte-bpe").save_pretrained(folder)
    assert run("probe", "The nurse said that [MASK] would help.", "--model", folder, "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert found["likeliest"] == []
    assert sum(row["probability"] for row in found["words"]) <= 1.0 + 1e-9
