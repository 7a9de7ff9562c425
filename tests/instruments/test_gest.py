"""GEST: scores and rates by hand, the authors' summaries from their own scores, and the real weights."""

from collections.abc import Callable
from dataclasses import replace
from math import exp, log
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import tiny
from designs import answered, designed, result_of

from equipoise.errors import UserError
from equipoise.instruments.base import Settings
from equipoise.instruments.gest import FRAMES, NOT_ASKED
from equipoise.measuring import measure
from equipoise.models.loading.networks import wrap_model
from equipoise.models.options import RunOptions
from equipoise.models.questions import WordScores
from equipoise.models.table import TableModel

SENTENCES = "sentence,stereotype\nI cried.,1\nI sewed.,4\nI won.,9\nI led them.,13\n"
MALE = {"I cried.": 0.2, "I sewed.": 0.4, "I won.": 0.6, "I led them.": 0.8}
LN10 = log(10)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "sentences.csv"
    path.write_text(SENTENCES)
    return path


def fills() -> dict[str, dict[str, float]]:
    return {
        frame.format(said): {words[0]: share, words[1]: 0.1}
        for said, share in MALE.items()
        for frame, words in FRAMES.values()
    }


@pytest.mark.parametrize(("variant", "base"), [("corrected", 10.0), ("as-published", exp(1))])
def test_scores_rates_and_gap_by_hand(file: Path, variant: str, base: float) -> None:
    result = measure(TableModel(fills()), "gest", Settings(data=str(file), variant=variant))
    scores = {said: np.log10(share / 0.1) for said, share in MALE.items()}
    assert len(result.items) == 16
    assert result.items["score"].tolist()[:4] == pytest.approx(list(scores.values()))
    rate = result.value("rate", stereotype="1 emotional and irrational", frame="he-said-after")
    assert rate == pytest.approx(base ** scores["I cried."])
    men, women = (scores["I won."] + scores["I led them."]) / 2, (scores["I cried."] + scores["I sewed."]) / 2
    assert result.value("gap") == pytest.approx((men - women) * LN10)
    assert result.value("stereotype-rate") == pytest.approx(base ** (men - women))
    assert result.value("score", side="men") == pytest.approx(men)


def test_a_causal_model_is_asked_for_the_next_word(file: Path) -> None:
    network = wrap_model(
        tiny.network("gpt2"), tiny.tokenizer("byte-bpe"), name="gpt2", options=RunOptions(cache=False)
    )
    items = measure(network, "gest", Settings(data=str(file))).items
    assert set(items.loc[items["dropped"] == NOT_ASKED, "frame"]) == {"he-said-before", "man-said-before"}
    row = items[(items["frame"] == "he-said-after") & (items["sentence"] == "1")].iloc[0]
    assert row["nats"] == pytest.approx(next_word(network, '"I cried.",', (" he", " she")), abs=1e-4)


def next_word(model: Any, prefix: str, words: tuple[str, str]) -> float:
    """The log ratio of two continuations, token by token."""
    import torch

    totals = []
    for word in words:
        start = model.tokenizer(prefix, return_tensors="pt").input_ids[:, :-1]  # without </s>
        ids = model.tokenizer(prefix + word, return_tensors="pt").input_ids[:, :-1]
        with torch.no_grad():
            logs = model.transformers_model(input_ids=ids).logits[0].double().log_softmax(-1)
        assert ids[0, : start.shape[1]].tolist() == start[0].tolist()
        places = range(start.shape[1], ids.shape[1])
        totals.append(sum(float(logs[place - 1, ids[0, place]]) for place in places))
    return totals[0] - totals[1]


def test_an_unknown_stereotype_is_refused(tmp_path: Path) -> None:
    (tmp_path / "bad.csv").write_text("sentence,stereotype\nI cried.,17\n")
    with pytest.raises(UserError, match="line 2: there is no stereotype '17'"):
        measure(TableModel({}), "gest", Settings(data=str(tmp_path / "bad.csv")))


def test_the_published_summaries_follow_from_the_published_scores(shared_data: Callable[[str], Path]) -> None:
    """r_i and g_s of bert-base-uncased, frame by frame, as the authors' formulas give them."""
    folder = shared_data("gest/gest.csv").parent
    design = designed("gest", variant="as-published", data_dir=folder.parent)
    scores = published(folder, "mlm_bert-base-uncased")
    answers = {
        (item, "blank"): WordScores(("he", "she"), (float(score * LN10), 0.0), (1, 1))
        for item, score in zip(design.items["item"], scores.ravel(), strict=True)
    }
    result = result_of("gest", design, answers)
    numbers = pd.read_csv(folder / "gest.csv")["stereotype"]
    for place, frame in enumerate(FRAMES):
        means = pd.Series(scores[place]).groupby(numbers).mean()
        rates = result.estimates.query("key == 'rate' and by == 'frame x stereotype'")
        rates = rates[rates["level"].str.startswith(f"{frame} x ")]
        by_number = {
            int(level.split(" x ")[1].split()[0]): value
            for level, value in zip(rates["level"], rates["value"], strict=True)
        }
        assert by_number == pytest.approx(np.exp(means).to_dict())
        ratio = np.exp(means.loc[8:].mean() - means.loc[:7].mean())
        assert result.value("stereotype-rate", frame=frame) == pytest.approx(ratio)


@pytest.mark.slow
def test_forty_published_scores_on_the_real_weights(bert: Any, shared_data: Callable[[str], Path]) -> None:
    folder = shared_data("gest/gest.csv").parent
    design = designed("gest", data_dir=folder.parent)
    drawn = np.random.default_rng(0).choice(len(design.items), size=40, replace=False)
    some = replace(design, items=design.items.iloc[drawn].reset_index(drop=True))
    answers = answered("gest", some, bert)
    ours = [np.subtract(*answers[item, "blank"].logprobs) / LN10 for item in some.items["item"]]
    assert ours == pytest.approx(published(folder, "mlm_bert-base-uncased").ravel()[drawn], abs=2e-3)


def published(folder: Path, name: str) -> Any:
    """The authors' scores: a row for each frame."""
    return np.array([np.loadtxt(folder / f"{name}_template-{place}.txt") for place in range(4)])
