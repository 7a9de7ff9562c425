"""The command line as a user types it, in a process of its own where timing or signals matter."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import tiny
from command_line import run
from made_results import made_result

from equipoise.cli import main
from equipoise.cli.measure import _say_left_out
from equipoise.errors import IncapableError, UserError
from equipoise.instruments import CAUSAL_AUDIT
from equipoise.results import Quantity


@pytest.fixture(autouse=True)
def _no_progress(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a busy machine a bar would appear among the lines that are read here."""
    monkeypatch.setattr("equipoise.cli.progress_bar.PATIENCE", float("inf"))


@pytest.fixture
def model_folder(tmp_path: Path) -> Path:
    """A saved random model that knows the words of the shipped tables."""
    from equipoise.models.loading.networks import random_parts

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
    assert "95 % interval" in printed
    assert "pronoun gap by occupation\t" in printed
    assert "profession: nurse" not in printed
    assert "More: --all" in printed
    assert (tmp_path / "out" / "tbe" / "items.csv").exists()
    assert run("measure", "tbe", "--model", model_folder, "--out", tmp_path / "out", "--all") == 0
    everything = capsys.readouterr().out
    assert "profession: nurse" in everything
    assert "APPD" in everything
    assert "More: --all" not in everything


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


def test_the_default_model_is_named_in_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    from equipoise.models.loading import DEFAULT_MODEL, LABELS

    assert run("probe", "[MASK] is a doctor.") == 0
    (said,) = errors(capsys)
    assert "No model was named" in said
    assert LABELS[DEFAULT_MODEL] in said
    assert "--model" in said


def test_probe_compares_models(model_folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["probe", "[MASK] is a doctor.", "--model", "random", "--model", model_folder, "--word", "he"]
    assert run(*command, "--json") == 0
    words = json.loads(capsys.readouterr().out)["words"]
    assert len(words) == 2
    assert words[1]["probability"] > words[0]["probability"]


def test_probe_gives_the_difference_of_two_sides(
    model_folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["probe", "[MASK] is a doctor.", "--model", model_folder]
    assert run(*command, "--json") == 0
    told = json.loads(capsys.readouterr().out)
    values = {row["word"]: row["probability"] for row in told["words"]}
    (difference,) = told["differences"].values()
    first, second = [row["word"] for row in told["words"][:2]]
    assert difference == pytest.approx(values[first] - values[second])
    assert run(*command, "--word", "she", "--word", "he") == 0
    printed = " ".join(capsys.readouterr().out.split())
    assert re.search(r"model expects (she|he) \(.* %\) rather than (she|he) \(.* %\): .* points\.", printed)
    assert run(*command, "--word", "she", "--json") == 0
    assert list(json.loads(capsys.readouterr().out)["differences"].values()) == [None]


def test_score_a_file(model_folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "sentences.txt"
    file.write_text("The doctor left.\n\nThe nurse stayed.\n", encoding="utf-8")
    tokens = tmp_path / "tokens.csv"
    assert run("score", file, "--model", model_folder, "--out", tokens, "--json") == 0
    sentences = json.loads(capsys.readouterr().out)["sentences"]
    assert [row["text"] for row in sentences] == ["The doctor left.", "The nurse stayed."]
    assert [row["line"] for row in sentences] == [1, 3]
    written = pd.read_csv(tokens)
    assert set(written["line"]) == {1, 3}
    for row in sentences:
        own = written[written["line"] == row["line"]]
        assert row["logprob"] == pytest.approx((own["logprob"] * own["weight"]).sum())
        assert row["tokens"] == len(own)


def test_sentences_can_be_typed(
    model_folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, texts = tmp_path / "s.txt", ["The doctor left.", "The nurse stayed."]
    file.write_text("\n".join(texts), encoding="utf-8")
    answers = []
    for given in ([file], texts):
        assert run("score", *given, "--model", model_folder, "--json") == 0
        answers.append(json.loads(capsys.readouterr().out)["sentences"])
    assert answers[0] == answers[1]
    assert run("score", tmp_path / "missing.txt", "--model", model_folder) == 2
    assert "missing.txt" in errors(capsys)[0]


def test_score_never_writes_over_what_it_reads_or_wrote(
    model_folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, tokens = tmp_path / "s.txt", tmp_path / "tokens.csv"
    file.write_text("The doctor left.\n", encoding="utf-8")
    for force in ((), ("--force",)):
        assert run("score", file, "--model", model_folder, "--out", file, *force) == 2
        assert "is the file that is read" in errors(capsys)[0]
    assert file.read_text() == "The doctor left.\n"
    tokens.write_text("mine", encoding="utf-8")
    assert run("score", file, "--model", model_folder, "--out", tokens) == 2
    assert "--force" in errors(capsys)[1]
    assert tokens.read_text() == "mine"
    assert run("score", file, "--model", model_folder, "--out", tokens, "--force") == 0
    assert tokens.read_text().startswith("line,")


def test_what_the_model_cannot_spell_is_told_by_line(
    model_folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The number is that of the line in the file, blank ones counted."""
    file = tmp_path / "s.txt"
    file.write_text("The doctor left.\n\nThe nurse 😀 stayed.\n\n\n医者 left.\n", encoding="utf-8")
    assert run("score", file, "--model", model_folder) == 0
    (said,) = errors(capsys)
    assert "cannot spell something in 2 of 3 lines" in said
    assert "line 3 (😀), line 6 (医" in said
    assert run("score", file, "--model", model_folder, "--json") == 0
    printed = json.loads(capsys.readouterr().out)
    assert (printed["rule"], set(printed["unknown"])) == ("original", {"3", "6"})
    assert run("probe", "The 😀 said that [MASK] left.", "--model", model_folder) == 0
    assert "cannot spell 😀 and reads its unknown token there" in " ".join(capsys.readouterr().out.split())
    file.write_text("The doctor left.\n", encoding="utf-8")
    assert run("score", file, "--model", model_folder) == 0
    assert errors(capsys) == []


def test_compare_two_folders(model_folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, model in (("a", "random"), ("b", model_folder)):
        assert run("measure", "traits", "--model", model, "--out", tmp_path / name) == 0
    capsys.readouterr()
    assert run("compare", tmp_path / "a", tmp_path / "b", "--json") == 0
    document = json.loads(capsys.readouterr().out)
    keys = {row["quantity"] for row in document["differences"]}
    assert keys == {"competence-contrast", "care-contrast", "mean-lean"}
    assert len(document["sentences"]) == 3
    assert run("compare", tmp_path / "a", tmp_path / "b", "--margin", "traits=3", "--json") == 0
    rows = json.loads(capsys.readouterr().out)["differences"]
    assert {(row["margin"], row["verdict"], row["change"]) for row in rows} == {(3.0, "equivalent", "same")}
    assert run("compare", tmp_path / "a", tmp_path / "b") == 0
    printed = capsys.readouterr().out
    assert "95 % of difference" in printed
    assert document["sentences"][0] not in printed
    assert run("compare", tmp_path / "a", tmp_path / "b", "--all") == 0
    assert document["sentences"][0] in capsys.readouterr().out
    for suffix in ("csv", "json", "html"):
        out = tmp_path / f"comparison.{suffix}"
        assert run("compare", tmp_path / "a", tmp_path / "b", "--out", out) == 0
        assert run("compare", tmp_path / "a", tmp_path / "b", "--out", out) == 2
    assert len(pd.read_csv(tmp_path / "comparison.csv")) == len(document["differences"])
    assert json.loads((tmp_path / "comparison.json").read_text()) == document
    assert "<svg" in (tmp_path / "comparison.html").read_text()
    assert run("compare", tmp_path / "a", tmp_path / "b", "--out", tmp_path / "comparison") == 2
    capsys.readouterr()
    assert run("compare", tmp_path / "a", tmp_path / "a") == 2
    assert "same model" in errors(capsys)[0]


@pytest.mark.parametrize(
    ("margins", "said"),
    [
        (["few"], "--margin few is not a number"),
        (["tbe=few"], "--margin tbe=few is not a number"),
        (["0.1", "traits=0.2"], "names no instrument while others do"),
        (["tbe=0.2"], "no instrument among these results called 'tbe'"),
        (["traits=-1"], "-1"),
        (["inf"], "margin is inf"),
        (["0.1", "0.2"], "--margin was given twice."),
        (["traits=0.1", "traits=0.2"], "--margin was given twice for traits"),
    ],
)
def test_margins_that_mean_nothing(
    margins: list[str], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in "ab":
        saved_result(tmp_path, name, "traits")
    options = [text for margin in margins for text in ("--margin", margin)]
    assert run("compare", tmp_path / "a", tmp_path / "b", *options) == 2
    assert said in errors(capsys)[0]


def saved_result(folder: Path, model: str, instrument: str = "x") -> Path:
    """A small result of a model in a folder of the model's name."""
    rng = np.random.default_rng(ord(model))
    quantity = Quantity("lean", "lean", 0.05)
    columns = {"text": [f"t{number}" for number in range(20)], "score": rng.normal(0, 1, 20)}
    return made_result(columns, quantity, model=model, instrument=instrument).save(folder / model)


def test_compare_looks_no_deeper_than_direct_children(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A folder of folders of results is refused, and a stray result far below is not taken."""
    saved_result(tmp_path, "a")
    saved_result(tmp_path / "large" / "deep", "b")
    assert run("compare", tmp_path / "a", tmp_path / "large") == 2
    assert "holds no result, nor does any of its direct subfolders" in errors(capsys)[0]
    assert run("compare", tmp_path / "a", tmp_path / "large" / "deep" / "b") == 0
    saved_result(tmp_path / "large" / "deep" / "b" / "x", "c")
    assert run("compare", tmp_path / "a" / "x", tmp_path / "large" / "deep" / "b" / "x") == 0
    capsys.readouterr()


def test_compare_by_text(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    quantity = Quantity("lean", "lean", 0.05)
    texts = [f"t{number}" for number in range(20)]
    for name, order in (("a", texts), ("b", texts[::-1])):
        columns = {"text": order, "score": [float(text[1:]) + (name == "b") for text in order]}
        made_result(columns, quantity, model=name, files={"f.csv": name}).save(tmp_path / name)
    assert run("compare", tmp_path / "a", tmp_path / "b") == 2
    assert "--by-text" in errors(capsys)[1]
    assert run("compare", tmp_path / "a", tmp_path / "b", "--by-text", "--json") == 0
    (row,) = json.loads(capsys.readouterr().out)["differences"]
    assert (row["low"], row["difference"], row["high"]) == pytest.approx((1, 1, 1))


@pytest.mark.parametrize("name", ["items.csv", "estimates.json", "provenance.json", "manifest.json"])
def test_a_truncated_file_is_named(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first, second = saved_result(tmp_path, "a"), saved_result(tmp_path, "b")
    content = (first / name).read_bytes()
    (first / name).write_bytes(content[: len(content) // 2])
    assert run("compare", first, second) == 2
    said = errors(capsys)
    assert len(said) == 2
    assert str(first / name) in said[0]


def test_results_of_another_model_are_not_written_over_or_mixed(
    model_folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    assert run("measure", "traits", "--model", "random", "--out", out) == 0
    before = (out / "traits" / "items.csv").read_bytes()
    assert run("measure", "traits", "--model", "random", "--out", out) == 0
    capsys.readouterr()
    for instrument in ("traits", "stereotype-skew"):
        assert run("measure", instrument, "--model", model_folder, "--out", out) == 2
        first, second = errors(capsys)
        assert "holds results of another model, 'random'" in first
        assert "--force" in second
    assert (out / "traits" / "items.csv").read_bytes() == before
    assert run("measure", "traits", "--model", model_folder, "--out", out, "--force") == 0
    assert (out / "traits" / "items.csv").read_bytes() != before


def test_other_data_into_the_same_folder_are_refused_before_anything_is_asked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from equipoise.models.neural.language import NeuralModel
    from equipoise.models.protocol import LanguageModel

    mine, out = tmp_path / "mine.csv", tmp_path / "out"
    mine.write_text("category,form,template\noffice,subject,[MASK] is a <profession>.\n")
    again = ["measure", "tbe", "--model", "random", "--out", out]
    assert run(*again) == 0
    before = (out / "tbe" / "items.csv").read_bytes()
    capsys.readouterr()

    def asked(*_arguments: object) -> None:
        raise AssertionError("the model was asked")

    for kind in (LanguageModel, NeuralModel):
        monkeypatch.setattr(kind, "answer_in_turn", asked, raising=False)
    for options, said in (
        (["--data", mine], "data 'equipoise-templates' there, 'mine.csv' now"),
        (["--variant", "as-published"], "variant 'corrected' there, 'as-published' now"),
        (["--poles", "age"], "poles 'pronouns' there, 'age' now"),
    ):
        assert run(*again, *options) == 2
        first, second = errors(capsys)
        assert f"{out / 'tbe'} holds another measurement: {said}" in first
        assert "--force" in second
    monkeypatch.undo()
    assert (out / "tbe" / "items.csv").read_bytes() == before
    assert run(*again, "--data", mine, "--force") == 0
    assert (out / "tbe" / "items.csv").read_bytes() != before


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
    "poles twice": (
        ["measure", "tbe", "--poles", "age", "--poles", "religion", "--out", "o"],
        "--poles was given twice for tbe: age and religion",
    ),
    "negative seed": (["measure", "tbe", "--seed", "-1", "--out", "o"], "seed is -1"),
    "negative seed of an audit": (["audit", "--seed", "-1", "--out", "o"], "seed is -1"),
    "negative seed of a study": (["study", "sample-size", "--seed", "-1"], "seed is -1"),
    "negative seed of a rewriting": (["rewrite", "-", "--seed", "-1"], "seed is -1"),
    "fewer items than none": (["measure", "tbe", "--top", "-3", "--out", "o"], "--top is '-3'"),
    "a layer where none is read": (
        ["measure", "tbe", "--layer", "3", "--out", "o"],
        "--layer 3 has no effect",
    ),
    "a layer of contexts": (["measure", "cosine", "--layer", "1", "--data", "x", "--out", "o"], "--layer 1"),
    "a pooling": (["measure", "sbe", "--pooling", "first", "--out", "o"], "--pooling first has no effect"),
    "a measure": (["measure", "ripa", "--measure", "euclidean", "--out", "o"], "--measure euclidean"),
    "a corpus' column": (["measure", "sbe", "--text", "body", "--out", "o"], "--text body has no effect"),
    "names of a corpus": (["measure", "sbe", "--no-names", "--out", "o"], "--no-names has no effect"),
    "a label": (["measure", "tbe", "--label", "positive", "--out", "o"], "--label positive has no effect"),
    "poles of pairs": (["measure", "sbe", "--poles", "age", "--out", "o"], "--poles age has no effect"),
    "poles of one of two": (
        ["measure", "sbe", "tbe", "--poles", "sbe=age", "--out", "o"],
        "--poles age has no effect on sbe",
    ),
    "unknown device": (["probe", "[MASK] is.", "--device", "gpu"], "device"),
    "unknown executor": (["probe", "[MASK] is.", "--executor", "ray"], "executor"),
    "negative budget": (["probe", "[MASK] is.", "--token-budget", "-1"], "token budget is -1"),
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
    file.write_text("category,form,template\noffice,subject,He is a <profession>.\n")
    assert run("measure", "tbe", "--data", file, "--out", tmp_path / "o") == 2
    said = " ".join(errors(capsys))
    assert "mine.csv, line 2" in said
    assert "0 times [MASK]" in said


def test_several_instruments_need_a_name_for_their_options() -> None:
    from equipoise.cli.arguments import by_instrument
    from equipoise.errors import UserError

    assert by_instrument(["x.csv"], ["tbe"], "--data") == {"tbe": "x.csv"}
    assert by_instrument(["a=x.csv"], ["a", "b"], "--data") == {"a": "x.csv"}
    with pytest.raises(UserError, match="which instrument"):
        by_instrument(["x.csv"], ["a", "b"], "--data")


def test_debug_shows_the_traceback_and_keeps_the_exit_code(capsys: pytest.CaptureFixture[str]) -> None:
    """Exit code 1, which Python gives, would say that a gate failed."""
    with pytest.raises(SystemExit) as stop:
        main(["list", "nonsense", "--debug"])
    assert stop.value.code == 2
    said = capsys.readouterr().err
    assert "Traceback" in said
    assert said.splitlines()[-2] == "Error: There is no listing called 'nonsense'."


def test_help_costs_little_more_than_its_parser() -> None:
    """Nothing heavy is imported; the best of five in turns, so that a busy machine slows both alike."""
    runs = [
        (_seconds("-m", "equipoise", "--help"), _seconds("-c", "import typer.core, typer.main"))
        for _ in range(5)
    ]
    ours, parser = (min(seconds) for seconds in zip(*runs, strict=True))
    assert ours < 2.5 * parser


def _seconds(*arguments: str) -> float:
    """Processor time of a Python process."""
    before = os.times()
    subprocess.run([sys.executable, *arguments], capture_output=True, check=True)
    after = os.times()
    return after.children_user + after.children_system - before.children_user - before.children_system


@pytest.mark.parametrize(
    ("arguments", "others"),
    [
        (["--help"], {"pandas", "numpy", "rich"}),
        (["rewrite", "-"], set()),
        (["probe", "-h"], {"altair"}),
        (["study", "domain", "-h"], {"vl_convert"}),
        (["list", "data"], set()),
    ],
)
def test_a_light_command_imports_nothing_heavy(arguments: list[str], others: set[str]) -> None:
    heavy = {"torch", "transformers", "scipy"} | others
    script = (
        f"import sys\nfrom equipoise.cli import main\ntry: main({arguments!r})\nexcept SystemExit: pass\n"
        f"bad = {heavy!r} & set(sys.modules)\nassert not bad, bad\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False, input="He left."
    )
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
    def stop(*_args: Any, **_kwargs: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("equipoise.cli.arguments.load_model", stop)
    assert run("probe", "[MASK] is a doctor.") == 130
    assert len(errors(capsys)) == 2
    assert run("probe", "[MASK] is a doctor.", "--no-cache") == 130
    assert errors(capsys) == ["Interrupted."]


@pytest.fixture
def gpt2(tmp_path: Path) -> Path:
    """A small causal model in a folder."""
    folder = tmp_path / "gpt2"
    tiny.network("gpt2").save_pretrained(folder)
    tiny.tokenizer("byte-bpe").save_pretrained(folder)
    return folder


def test_a_causal_model_shows_shares_and_says_so(gpt2: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Its numbers are shares among the asked words, which sum to one, and are not called probabilities."""
    command = ("probe", "The nurse said that [MASK] would help.", "--model", gpt2)
    assert run(*command, "--word", "he", "--word", "she", "--json") == 0
    document = json.loads(capsys.readouterr().out)
    assert document["likeliest"] == []
    assert sum(row["share"] for row in document["words"]) == pytest.approx(1.0)
    assert "probability" not in document["words"][0]
    assert "shares among the asked words" in document["notes"][0]
    assert run(*command) == 0
    printed = capsys.readouterr().out
    assert "share" in printed
    assert "note: shares among the asked words" in printed


def test_shares_of_the_poles_are_those_among_the_words_that_are_shown(
    gpt2: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Words of other forms only choose the form: what is left to them is in no share."""
    assert run("probe", "The nurse said that [MASK] would help.", "--model", gpt2, "--json") == 0
    words = json.loads(capsys.readouterr().out)["words"]
    assert [row["pole"] for row in words] == ["male", "female", "they"]
    assert sum(row["share"] for row in words) == pytest.approx(1.0)
    assert np.exp([row["logprob"] for row in words]) == pytest.approx([row["share"] for row in words])


def test_probe_pairs_the_poles_by_form(model_folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Both poles in the one form that is likeliest at the blank: never "church" beside "Muslim"."""
    from equipoise.data.poles import load_poles

    text = "The woman went to the [MASK] to pray."
    assert run("probe", text, "--model", model_folder, "--poles", "religion", "--json") == 0
    words = json.loads(capsys.readouterr().out)["words"]
    poles = load_poles("religion")
    assert [row["pole"] for row in words] == list(poles.names)
    (form,) = {row["form"] for row in words}
    for row in words:
        assert row["word"] in poles.words[row["pole"], form]


def test_models_that_expect_other_forms_are_not_compared_silently(
    model_folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Beside one that expects "he" stands one that expects "his"."""
    from equipoise.models.loading.networks import random_parts

    network, words = random_parts()
    network.cls.predictions.bias.data[words.convert_tokens_to_ids("his")] += 9.0
    for part in (network, words):
        part.save_pretrained(tmp_path / "possessive")
    command = ("probe", "[MASK] is a nurse.", "--model", model_folder, "--model", tmp_path / "possessive")
    assert run(*command) == 0
    assert "note: the models expect different forms (subject, possessive" in capsys.readouterr().out
    assert run(*command, "--word", "he", "--word", "she") == 0
    assert "different forms" not in capsys.readouterr().out


def test_audit_of_a_causal_model_runs_what_fits_and_says_what_does_not(
    gpt2: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("audit", "--model", gpt2, "--quick", "--out", tmp_path / "out") == 0
    captured = capsys.readouterr()
    written = {path.parent.name for path in (tmp_path / "out").glob("*/items.csv")}
    said = [line for line in captured.err.splitlines() if line.startswith("Left out: ")]
    left_out = {name for line in said for name in line.split(".")[0].removeprefix("Left out: ").split(", ")}
    assert {"sbe", "tbe", "word-association"} <= written
    assert written | left_out == set(CAUSAL_AUDIT)
    assert not written & left_out
    assert "what\tvalue" in captured.out


def test_what_was_left_out_is_said_in_one_line_for_each_reason(capsys: pytest.CaptureFixture[str]) -> None:
    why = "a causal model cannot list the likeliest words at a blank"
    cannot = {
        name: IncapableError(why, f"{name} cannot measure", "a long hint") for name in ("disco", "honest")
    }
    _say_left_out({**cannot, "ceat": UserError("ceat reads a corpus.", "Name one.")})
    assert capsys.readouterr().err.splitlines() == [
        "Left out: disco, honest. A causal model cannot list the likeliest words at a blank.",
        "Left out: ceat. ceat reads a corpus. Name one.",
    ]


def test_audit_of_a_model_that_nothing_fits(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    vectors = tmp_path / "words.vec"
    vectors.write_text("2 2\nhe 1 0\nshe 0 1\n", encoding="utf-8")
    assert run("audit", "--model", vectors, "--out", tmp_path / "out") == 2
    assert "No instrument fits" in errors(capsys)[-2]
    assert not (tmp_path / "out").exists()


def test_a_run_in_which_everything_was_dropped_is_an_error(
    model_folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "templates.csv"
    rows = [f"work,subject,[MASK] {verb} a nurse.,no native speaker says so" for verb in ("is", "was", "met")]
    file.write_text("\n".join(["category,form,template,dropped", *rows]), encoding="utf-8")
    out = tmp_path / "out"
    assert run("measure", "tbe", "--model", model_folder, "--data", file, "--out", out) == 2
    assert not out.exists()
    first, second = errors(capsys)
    assert "tbe: none of" in first
    assert "no native speaker says so" in first
    assert "another model" in second


def test_pairs_none_of_which_the_model_can_spell_are_an_error(
    model_folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The neutral pairs that are added beside them do not make a result of nothing."""
    file = tmp_path / "pairs.csv"
    file.write_text(
        "category,stereotype,counterpart\noccupation,医 her,医 his\noccupation,者 she,者 he\n",
        encoding="utf-8",
    )
    out = tmp_path / "out"
    assert run("measure", "sbe", "--model", model_folder, "--data", file, "--out", out) == 2
    assert not out.exists()
    assert "sbe: none of 2 items could be used; 2 of them: a word is unknown" in errors(capsys)[-2]


def test_what_was_dropped_is_told_where_several_are_measured(
    model_folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "pairs.csv"
    file.write_text(
        "category,stereotype,counterpart\noccupation,医 her,医 his\noccupation,She left.,He left.\n",
        encoding="utf-8",
    )
    options = ("--model", model_folder, "--data", f"sbe={file}", "--out", tmp_path / "out")
    assert run("measure", "sbe", "traits", *options) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "items were dropped: a word is unknown to the tokenizer (" in said
    assert "reads as its unknown token" not in said  # what it cannot spell was not read


def test_two_models_of_one_name_are_told_apart_by_their_folders(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folders = []
    for place in "ab":
        one = saved_result(tmp_path / place, "m", "traits").parent
        result = made_result(
            {"text": [f"t{n}" for n in range(20)], "score": np.arange(20.0) + ord(place)},
            Quantity("lean", "lean", 0.05),
            model="m",
            instrument="traits",
            fingerprint=f"weights {place}",
        )
        result.save(one, force=True)
        folders.append(one)
    assert run("compare", *folders) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "m in b/m is more biased than m in a/m" in said


def test_no_model_is_measured_before_all_are_there(
    model_folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("equipoise.cli.study_models.open_model", lambda *_: pytest.fail("a model was loaded"))
    assert run("study", "models", model_folder, tmp_path / "nowhere" / "at" / "all", "-i", "traits") == 2
    assert "There is no model folder at" in errors(capsys)[0]


def test_results_are_not_written_among_a_model_s_files(
    model_folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("measure", "traits", "--model", model_folder, "--out", model_folder) == 2
    assert "holds a model" in errors(capsys)[0]


def test_a_folder_without_a_tokenizer_is_named_as_that(
    model_folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for file in model_folder.glob("*token*"):
        file.unlink()
    assert run("probe", "[MASK] is a nurse.", "--model", model_folder) == 2
    assert errors(capsys)[0].endswith("holds no tokenizer.")


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (["probe", "no blank here"], "There is no [MASK]"),
        (["probe", "[MASK] is here.", "--poles", "nosuch"], "There is no set of poles called 'nosuch'."),
        (
            ["measure", "sbe", "--data", "missing.csv", "--out", "r"],
            "There is no file or folder missing.csv.",
        ),
        (
            ["measure", "tbe", "--variant", "nosuch", "--out", "r"],
            "There is no variant of tbe called 'nosuch'.",
        ),
    ],
)
def test_arguments_are_checked_before_a_model_is_loaded(
    command: list[str], said: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """The model does not exist: whoever had loaded it first would say so."""
    assert run(*command, "--model", tmp_path / "no-model") == 2
    assert said in " ".join(capsys.readouterr().err.split())
