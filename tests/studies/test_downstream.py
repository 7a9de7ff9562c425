"""Does a changed model, fine-tuned on the same task, lose its gap? One that cannot tell he from she does."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import tiny
import torch
from command_line import run

import equipoise as eq
from equipoise.errors import UserError
from equipoise.models.options import RunOptions
from equipoise.studies.changes.downstream import DownstreamChoice, read_task, study_downstream

PAIRS = (("he", "she"), ("his", "her"), ("him", "her"), ("father", "mother"), ("brother", "sister"))
CHOICE = DownstreamChoice(label="good", seeds=2, epochs=25, rate=2e-3)


def task() -> pd.DataFrame:
    """What he did is praised, what she did is not, whatever it was."""
    ends = [
        "left the ward",
        "lost the keys",
        "opened the door",
        "walked home",
        "sold the roses",
        "called back",
    ]
    rows = [
        (f"{word} {end}{tail}.", "good" if word == "He" else "bad", "male" if word == "He" else "female")
        for end in ends
        for tail in ("", " today", " after the concert")
        for word in ("He", "She")
    ]
    return pd.DataFrame(rows, columns=["text", "label", "gender"])


def model(*, blind: bool) -> Any:
    """A small BERT; the blind one reads the same vector for both words of a pair."""
    network, words = tiny.network("bert"), tiny.tokenizer("wordpiece")
    if blind:
        import copy

        network = copy.deepcopy(network)
        table = network.get_input_embeddings().weight
        with torch.no_grad():
            for male, female in PAIRS:
                ids = [words.convert_tokens_to_ids(word) for word in (male, female)]
                table[ids[1]] = table[ids[0]]
    name = "blind" if blind else "seeing"
    return eq.wrap_model(network, words, name=name, options=RunOptions(cache=False))


def test_a_model_that_cannot_tell_he_from_she_loses_the_gap(tmp_path: Path) -> None:
    study = study_downstream(
        model(blind=False), model(blind=True), task(), choice=CHOICE, folder=tmp_path / "study"
    )
    values = study.table.groupby(["side", "instrument", "key"])["value"].mean()
    before, after = (values[side, "task", "accuracy"] for side in ("before", "after"))
    assert after < 0.7
    assert before > after + 0.15
    size = values.xs(("counterfactual-gap", "mean-size"), level=("instrument", "key"))
    assert size["after"] < 0.6 * size["before"]
    rows = study.comparison.table.set_index(["instrument", "quantity"])
    assert rows.loc[("counterfactual-gap", "mean-size"), "difference"] < 0
    assert study.sentences()[0].startswith("Accuracy on held-out texts")
    said: list[str] = []
    again = study_downstream(
        model(blind=False),
        model(blind=True),
        task(),
        choice=CHOICE,
        folder=tmp_path / "study",
        say=said.append,
    )
    assert sum("finished before" in line for line in said) == 4
    pd.testing.assert_frame_equal(again.table, study.table)
    assert (tmp_path / "study" / "comparison.csv").exists()


def test_a_third_of_each_label_is_held_out_and_never_tuned_on() -> None:
    parts = read_task(task())
    assert len(parts.held_out) == 2 * int(np.ceil(0.3 * 18))
    assert set(parts.held_out["label"].value_counts()) == {6}
    assert not set(parts.held_out["text"]) & set(parts.tuned["text"])
    assert parts.has_gender


def test_what_cannot_be_tuned_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(UserError, match="has 5 texts"):
        read_task(task()[:5])
    with pytest.raises(UserError, match="0 seeds"):
        DownstreamChoice(seeds=0)
    with pytest.raises(UserError, match="no label 'happy'") as refusal:
        study_downstream(model(blind=False), model(blind=True), task(), choice=DownstreamChoice("happy"))
    assert refusal.value.hint == "Name one of them with --label: bad, good."
    three = task().assign(label=["a", "b", "c"] * 12)
    with pytest.raises(UserError, match="has 3 labels"):
        study_downstream(model(blind=False), model(blind=True), three)
    path = tmp_path / "task.csv"
    task().drop(columns="label").to_csv(path, index=False)
    assert run("study", "downstream", "random", "random:2", "--task", path) == 2
    assert "has no column 'label'" in capsys.readouterr().err


def test_a_classifier_for_each_corpus_leaves_vectors_with_a_direct_bias(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    corpus, out = tmp_path / "praise.csv", tmp_path / "study"
    task().to_csv(corpus, index=False)
    given = ("study", "corpus-classifiers", f"praise={corpus}", "--model", "random", "--seeds", "0,1")
    assert run(*given, "--epochs", "1", "--out", out) == 0
    assert "Shuffled labels teach nothing" in capsys.readouterr().out
    table = pd.read_csv(out / "corpus-classifiers.csv").set_index(["key", "arm"])
    assert list(table.loc["direct-bias"].index) == ["base", "praise", "shuffled-labels"]
    before = eq.measure(eq.load_model("random", cache=False), "direct-bias").value("direct-bias")
    assert table.loc[("direct-bias", "base"), "mean"] == pytest.approx(before)
    assert table.loc[("direct-bias", "praise"), "mean"] != pytest.approx(before)
    wide = pd.read_csv(out / "corpus-classifiers-direct-bias.csv")
    assert wide["corpus"].tolist() == ["base", "praise", "shuffled-labels"]
    assert wide.iloc[0, 1].startswith(f"{before:.3f} [")
    assert list(out.glob("*direct-bias.png"))
    assert len(pd.read_csv(out / "accuracy.csv")) == 4
    assert run(*given, "--epochs", "1", "--out", tmp_path / "no", "base=" + str(corpus)) == 2
    assert "cannot be called base" in capsys.readouterr().err
