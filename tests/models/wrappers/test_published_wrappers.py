"""Prior normalisation and self-debias against arithmetic by hand."""

import numpy as np
import pytest

from equipoise.errors import UserError
from equipoise.models.questions import Fill, Score, TopFill
from equipoise.models.table import TableModel
from equipoise.models.wrappers.prior import PriorNormalised
from equipoise.models.wrappers.self_debias import ANNOUNCEMENT, SelfDebiased

TEXT = "The nurse said that [MASK] left."
PLAIN = {"he": 0.3, "she": 0.5, "they": 0.1}


def test_a_pair_is_shared_by_what_the_people_raise() -> None:
    model = TableModel(
        {TEXT: PLAIN, "The [MASK] said that [MASK] left.": {"he": 0.6, "she": 0.2, "they": 0.1}}
    )
    (answer,) = PriorNormalised(model).answer([Fill(TEXT, ("he", "she", "they"))])
    ratios = np.array([0.3 / 0.6, 0.5 / 0.2])
    np.testing.assert_allclose(np.exp(answer.logprobs), [*(0.8 * ratios / ratios.sum()), 0.1])


def test_a_text_without_people_keeps_its_answer() -> None:
    model = TableModel({"It rained when [MASK] left.": PLAIN})
    (answer,) = PriorNormalised(model).answer([Fill("It rained when [MASK] left.", ("he", "she"))])
    assert answer.probability("she") == pytest.approx(0.5)
    with pytest.raises(UserError, match="cannot list the likeliest"):
        PriorNormalised(model).answer([TopFill(TEXT)])


def test_what_the_announcement_raises_is_damped() -> None:
    model = TableModel({TEXT: PLAIN, ANNOUNCEMENT + TEXT: {"he": 0.2, "she": 0.54, "they": 0.1}})
    (answer,) = SelfDebiased(model).answer([Fill(TEXT, ("he", "she"))])
    damped = 0.5 * np.exp(-50 * 0.04)
    scale = 1 - (0.5 - damped)
    np.testing.assert_allclose(np.exp(answer.logprobs), [0.3 / scale, damped / scale])
    (top,) = SelfDebiased(model).answer([TopFill(TEXT, 1)])
    assert top.words == ("he",)
    assert SelfDebiased(model, decay=0.0).answer([Fill(TEXT, ("she",))])[0].probability(
        "she"
    ) == pytest.approx(0.5)


def test_self_debias_scores_no_sentences() -> None:
    model = SelfDebiased(TableModel({}))
    assert model.rules == ()
    with pytest.raises(UserError, match="cannot score a sentence"):
        model.answer([Score("A nurse left.")])
    with pytest.raises(UserError, match="decay is -1"):
        SelfDebiased(TableModel({}), decay=-1.0)
