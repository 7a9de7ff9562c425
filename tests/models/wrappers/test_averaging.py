"""Counterfactual averaging against means worked out by hand, and as a distribution over a vocabulary."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tiny

from equipoise.models.loading.networks import wrap_model
from equipoise.models.options import RunOptions
from equipoise.models.questions import Fill, Raw, Score, TokenScores, TopFill
from equipoise.models.table import TableModel
from equipoise.models.wrappers.averaging import AveragedModel, mean_of_scores
from equipoise.text.rewriting import rewrite
from equipoise.text.rewriting.mirroring import Mirror

FILLS = {
    "[MASK] is a nurse.": {"he": 0.1, "she": 0.7, "they": 0.05},
    "John is a nurse and [MASK] works.": {"he": 0.5, "she": 0.3},
    "Patricia is a nurse and [MASK] works.": {"he": 0.1, "she": 0.8},
    "[MASK] is pregnant.": {"he": 0.1, "she": 0.6},
    "The nurse lost [MASK] keys.": {"his": 0.2, "her": 0.6, "him": 0.01, "hers": 0.03},
}


def loaded(family: str = "bert") -> Any:
    words = tiny.tokenizer(tiny.TOKENIZER_OF.get(family, "wordpiece"))
    return wrap_model(tiny.network(family), words, name=family, options=RunOptions(cache=False))


def probabilities(text: str, *words: str) -> list[float]:
    (answer,) = AveragedModel(TableModel(FILLS)).answer([Fill(text, words)])
    return [answer.probability(word) for word in words]


def test_a_text_that_tells_no_gender_gives_equal_pronouns() -> None:
    assert probabilities("[MASK] is a nurse.", "he", "she", "they") == pytest.approx([0.4, 0.4, 0.05])


def test_a_name_still_tells_the_pronoun() -> None:
    assert probabilities("John is a nurse and [MASK] works.", "he", "she") == pytest.approx([0.65, 0.2])


def test_a_definitional_text_keeps_its_answer() -> None:
    assert probabilities("[MASK] is pregnant.", "he", "she") == pytest.approx([0.1, 0.6])


def test_forms_meet_their_partners() -> None:
    expected = [0.4, 0.4, 0.02, 0.02]
    assert probabilities("The nurse lost [MASK] keys.", "his", "her", "him", "hers") == pytest.approx(
        expected
    )


def test_the_likeliest_words_are_those_of_the_mean() -> None:
    (answer,) = AveragedModel(TableModel(FILLS)).answer([TopFill("John is a nurse and [MASK] works.", 1)])
    assert answer.words == ("he",)
    assert answer.probability("he") == pytest.approx(0.65)


@pytest.mark.parametrize("text", ["the nurse lost [MASK] keys.", "his father taught [MASK] at school."])
def test_the_answer_is_a_distribution(text: str) -> None:
    model = loaded()
    ids = model.tokens.encode(text).ids
    place = ids.index(model.tokens.mask_id)
    (answer,) = AveragedModel(model).answer([Raw(ids, place, tuple(range(len(tiny.tokenizer("wordpiece")))))])
    (own,) = model.answer([Raw(ids, place, tuple(range(len(tiny.tokenizer("wordpiece")))))])
    assert np.exp(answer.logprobs).sum() == pytest.approx(1.0, abs=1e-5)
    assert answer.logprobs != own.logprobs


def test_a_row_with_a_name_keeps_its_answer_because_names_differ_in_length() -> None:
    model = loaded("roberta")
    text = "The nurse saw John when <mask> came."
    ids = model.tokens.encode(text.replace("<mask>", model.tokens.token(model.tokens.mask_id))).ids
    question = Raw(ids, ids.index(model.tokens.mask_id), tuple(range(50)))
    (mean,), (own,) = AveragedModel(model).answer([question]), model.answer([question])
    assert mean.logprobs == pytest.approx(own.logprobs)


@pytest.mark.parametrize("family", ["bert", "roberta", "xlm-roberta", "gpt2"])
def test_a_sentence_and_its_mirror_image_score_the_same(family: str) -> None:
    sentence = "The old carpenter lost his keys, so her brother opened the door."
    model = AveragedModel(loaded(family))
    turned = rewrite(sentence).text
    assert turned == "The old carpenter lost her keys, so his sister opened the door."
    own, other = model.answer([Score(sentence), Score(turned)])
    inner_own, inner_other = model.inner.answer([Score(sentence), Score(turned)])
    assert own.total == pytest.approx(other.total, abs=1e-4)
    assert inner_own.total != pytest.approx(inner_other.total, abs=1e-2)


def test_tokens_are_averaged_one_by_one() -> None:
    model = loaded()
    sentence = "He is a doctor and she is an engineer."
    turned = rewrite(sentence).text
    (mean,), (own, other) = (
        AveragedModel(model).answer([Score(sentence)]),
        model.answer([Score(sentence), Score(turned)]),
    )
    assert len(own.logprobs) == len(other.logprobs)
    expected = [
        np.log((np.exp(a) + np.exp(b)) / 2) for a, b in zip(own.logprobs, other.logprobs, strict=True)
    ]
    np.testing.assert_allclose(mean.logprobs, expected, rtol=1e-6)


def test_a_word_of_other_pieces_shares_the_mean_of_the_whole_word() -> None:
    own = TokenScores(("jo", "##hn", "ran"), (-1.0, -2.0, -0.5), ((0, 2), (2, 4), (5, 8)), (1.0,) * 3)
    other = TokenScores(("patricia", "ran"), (-1.0, -1.5), ((0, 8), (9, 12)), (1.0,) * 2)
    mean = mean_of_scores(own, other, rewrite("John ran").changes)
    name = np.log((np.exp(-3.0) + np.exp(-1.0)) / 2)
    assert sum(mean.logprobs[:2]) == pytest.approx(name)
    assert mean.logprobs[0] - mean.logprobs[1] == pytest.approx(1.0)
    assert mean.logprobs[2] == pytest.approx(np.log((np.exp(-0.5) + np.exp(-1.5)) / 2))


def test_a_mirror_word_that_cannot_be_spelled_leaves_the_answer(tmp_path: Path) -> None:
    model = TableModel({"A [MASK] spoke.": {"king": 0.2}})
    (answer,) = AveragedModel(model).answer([Fill("A [MASK] spoke.", ("king",))])
    assert answer.probability("king") == pytest.approx(0.2)
    assert Mirror().word("king", is_possessive=False) == "queen"
