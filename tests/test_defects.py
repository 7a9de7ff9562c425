"""The defects D1 to D20 of other tools, each as a test that ours does not have it.

Tested elsewhere: D1, D11 (models/test_loading), D3 (models/test_engine), D7, D19 (stats/test_significance),
D17 (models/test_rules). D14, D15 and D20 are slips of other programs (a default that crashes, removed library
calls, an inverted flag) whose like is covered by running every command with its defaults, warnings as errors.
"""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import tiny
import torch

from equipoise.errors import UserError
from equipoise.measuring import measure
from equipoise.models.loading import load_model
from equipoise.models.loading.networks import wrap_model
from equipoise.models.options import RunOptions
from equipoise.models.questions import Fill, Score, TopFill
from equipoise.models.table import TableModel
from equipoise.results import Quantity, Result
from equipoise.results.comparison import compare
from equipoise.results.estimate import estimates_table


@pytest.fixture
def model(tmp_path: Path) -> Any:
    settings = RunOptions(store=tmp_path / "answers.sqlite")
    return wrap_model(tiny.network("bert"), tiny.tokenizer("wordpiece"), name="bert", options=settings)


def test_d1_a_random_model_is_told_from_a_trained_one(tmp_path: Path) -> None:
    """Scores must change with the weights: two seeds of one architecture differ."""
    words = tiny.tokenizer("wordpiece")
    totals = []
    for seed in (1, 2):
        settings = RunOptions(store=tmp_path / "answers.sqlite")
        one = wrap_model(tiny.network("bert", seed=seed), words, name="bert", options=settings)
        totals.append(one.answer([Score("He is a doctor.")])[0].total)
    assert abs(totals[0] - totals[1]) > 1e-3


def test_d2_a_comparison_uses_both_measurements_of_both_models() -> None:
    def result(name: str, scores: list[float]) -> Result:
        items = pd.DataFrame({"item": ["a", "b", "c"], "score": scores, "dropped": ""})
        provenance = {
            "instrument": {"name": "x", "variant": "v"},
            "model": {"name": name, "fingerprint": name},
            "quantities": [Quantity("mean", "mean", 0.1).to_record()],
        }
        return Result("x", items, estimates_table([]), provenance)

    row = compare(result("one", [0.1, 0.2, 0.6]), result("two", [0.4, 0.3, 0.5])).table.iloc[0]
    assert row["first_value"] == pytest.approx(0.3)
    assert row["second_value"] == pytest.approx(0.4)
    assert row["difference"] == pytest.approx(0.1)


def test_d4_the_word_goes_into_the_asked_blank_and_no_other(model: Any) -> None:
    text = "[MASK] is a [MASK]."
    first, second = model.answer([Fill(text, ("he",), blank=0), Fill(text, ("he",), blank=1)])
    mask, he = model.mask_id, model.tokens.encode("He is a doctor.").ids[1]
    ids = list(model.tokens.encode("[MASK] is a [MASK].").ids)
    places = [place for place, token in enumerate(ids) if token == mask]
    with torch.no_grad():
        logits = model.transformers_model(input_ids=torch.tensor([ids])).logits[0].double()
    expected = torch.log_softmax(logits, dim=-1)
    assert first.logprobs[0] == pytest.approx(float(expected[places[0], he]), abs=1e-4)
    assert second.logprobs[0] == pytest.approx(float(expected[places[1], he]), abs=1e-4)


def test_d5_padding_is_the_padding_token_and_is_not_attended(model: Any) -> None:
    """A short sentence scores the same alone and in one batch with a long one."""
    short, long = "He is a doctor.", tiny.CORPUS[0]
    assert model.engine.forward.padding_id == model.tokenizer.pad_token_id
    rows = [row for text in (short, long) for row in model.ask(Score(text)).rows]
    together = model.engine.compute(rows)
    for row, found in zip(rows, together, strict=True):
        alone = model.engine.compute([row])[0]
        assert found.logprobs[row.asks[0]] == pytest.approx(alone.logprobs[row.asks[0]], abs=1e-5)


def test_d6_effect_sizes_take_sets_of_unequal_size() -> None:
    from equipoise.stats.significance import cohens_d

    a, b = np.array([1.0, 2.0, 3.0, 4.0]), np.array([0.0, 1.0])
    pooled = np.sqrt((3 * a.var(ddof=1) + 1 * b.var(ddof=1)) / 4)
    assert cohens_d(a, b) == pytest.approx((a.mean() - b.mean()) / pooled)


def test_d8_a_word_of_several_pieces_is_scored_piece_by_piece(model: Any) -> None:
    """One value per piece (the diagonal), not every piece at every place."""
    (found,) = model.answer([Fill("They asked the [MASK].", ("phlebotomist",))])
    assert found.pieces[0] > 1
    rows = model.ask(Fill("They asked the [MASK].", ("phlebotomist",))).rows
    assert len(rows) == found.pieces[0]
    assert all(len(row.asks) == 1 for row in rows)


def test_d9_a_sentence_score_gathers_its_own_tokens(model: Any) -> None:
    (found,) = model.answer([Score("He is a doctor.")])
    assert len(found.logprobs) == len(found.tokens)
    assert all(value < 0 for value in found.logprobs)


def test_d10_a_word_outside_the_top_five_has_its_exact_probability(model: Any) -> None:
    text = "[MASK] is a doctor."
    top = model.answer([TopFill(text, 5)])[0].words
    word = next(word for word in ("he", "she", "they", "him") if word not in top)
    (found,) = model.answer([Fill(text, (word,))])
    assert np.isfinite(found.logprobs[0])
    everything = model.answer([TopFill(text, len(model.tokenizer))])[0]
    assert found.logprobs[0] == pytest.approx(everything.logprobs[everything.words.index(word)], abs=1e-6)


def test_d12_the_sign_of_a_difference_is_kept() -> None:
    words = {
        "he": 0.1,
        "she": 0.4,
        "him": 0.1,
        "her": 0.4,
        "his": 0.1,
        "they": 0.1,
        "them": 0.1,
        "their": 0.1,
    }
    result = measure(TableModel(words=words), "tbe")
    assert result.value("appd") == pytest.approx(-0.3)
    assert (result.items["score"] < 0).all()


def test_d13_variants_that_differ_are_never_compared_under_one_name() -> None:
    words = dict.fromkeys(("he", "she", "him", "her", "his"), 0.1)
    data = pd.DataFrame(
        {"category": ["medical"], "form": ["subject"], "template": ["[MASK] is a <profession>."]}
    )
    one = measure(TableModel(words=words, name="one"), "lpbs", data=data, variant="one-mask")
    other_model = TableModel(words=words | {"he": 0.2}, name="two")
    other = measure(other_model, "lpbs", data=data, variant="as-published")
    assert json.loads(json.dumps(one.provenance))["instrument"]["variant"] == "one-mask"
    with pytest.raises(UserError, match="'one-mask' and 'as-published' are different"):
        compare(one, other)


def test_d16_values_are_natural_logarithms_of_probabilities(model: Any) -> None:
    table = model.fill("[MASK] is a doctor.", ["he", "she"])
    np.testing.assert_allclose(np.exp(table["logprob"]), table["probability"])


def test_d18_pads_are_never_masks_and_nothing_is_cut(model: Any) -> None:
    """The authors' rows can still be run on purpose, as raw rows; questions never make them."""
    for question in (Score(tiny.CORPUS[0]), Fill("[MASK] is a doctor.", ("he",))):
        for row in model.ask(question).rows:
            assert row.ids.count(model.mask_id) == 1
            assert row.ids[-1] == model.tokenizer.sep_token_id


def test_d20_flags_mean_what_they_say() -> None:
    """`can_answer` is True for what is answered and False for what is refused."""
    table = TableModel(words={"he": 0.5})
    assert table.can_answer(Fill)
    assert not load_model("random", cache=False).can_answer(str)
