"""One vocabulary of what models can be asked, and what follows from it."""

from pathlib import Path

import numpy as np
import pytest
from tiny import wrapped

from equipoise.errors import UserError
from equipoise.models.capabilities import FILL, RAW_ROWS, TOP_FILL, score_by
from equipoise.models.protocol import LanguageModel, Tokenized, require
from equipoise.models.questions import Embed, Fill, Raw, Score, TopFill
from equipoise.models.static import StaticModel
from equipoise.models.table import TableModel

STATIC = StaticModel({"he": np.ones(2, dtype=np.float32)}, name="vectors")
QUESTIONS = {
    Fill: Fill("[MASK] is a doctor.", ("he",)),
    TopFill: TopFill("[MASK] is a doctor.", 2),
    Score: Score("He is a doctor."),
    Embed: Embed("He is a doctor."),
    Raw: Raw((2, 9, 3), 1, (9,)),
}


@pytest.mark.parametrize("family", ["bert", "gpt2", "bart"])
def test_what_a_model_says_it_answers_it_answers(family: str, tmp_path: Path) -> None:
    model = wrapped(family, tmp_path)
    assert isinstance(model, LanguageModel)
    assert isinstance(model, Tokenized)
    for kind, question in QUESTIONS.items():
        if model.can_answer(kind):
            assert len(model.answer([question])) == 1
        else:
            with pytest.raises(UserError, match="cannot"):
                model.answer([question])
    for rule in model.rules:
        assert score_by(rule) in model.capabilities
        assert np.isfinite(model.answer([Score("He is a doctor.", rule)])[0].total)


def test_the_capabilities_of_each_kind(tmp_path: Path) -> None:
    rules = ("original", "within-word-l2r", "unmasked", "unmasked-attention")
    assert wrapped("bert", tmp_path).rules == wrapped("bart", tmp_path).rules == rules
    causal = wrapped("gpt2", tmp_path)
    able = {"fill", "embed", "generate", "raw-rows", "score:left-to-right", "start:newline"}
    assert causal.capabilities == able
    assert (causal.rules, causal.can_answer(TopFill)) == (("left-to-right",), False)
    assert STATIC.capabilities == {"embed"}
    assert (STATIC.rules, STATIC.can_answer(Score)) == ((), False)
    assert TableModel().rules == ("original",)
    for model in (STATIC, TableModel()):
        assert isinstance(model, LanguageModel)
        assert not isinstance(model, Tokenized)


def test_a_lacking_capability_is_refused_in_two_lines(tmp_path: Path) -> None:
    causal = wrapped("gpt2", tmp_path)
    require(causal, FILL, RAW_ROWS, score_by("left-to-right"), by="tbe")
    with pytest.raises(UserError) as caught:
        require(causal, FILL, TOP_FILL, by="disco")
    assert caught.value.message == (
        "disco cannot measure 'gpt2': a causal model cannot list the likeliest words at a blank."
    )
    assert caught.value.hint.startswith(
        "It can fill a blank with given words, embed a text, write a text, score a sentence."
    )
    with pytest.raises(UserError, match="score a sentence by the rule 'unmasked'") as caught:
        require(causal, score_by("unmasked"), by="aul", hint="Take a masked model.")
    assert caught.value.hint == "Take a masked model."


def test_the_parts_that_become_unknown(tmp_path: Path) -> None:
    model = wrapped("bert", tmp_path)
    assert model.unknown_parts("She 😀 met 猫 and the nurse 中 today.") == ["😀", "猫", "中"]
    assert model.unknown_parts("She met [MASK].") == []
    assert model.misreads("a 😀") is True
    assert model.misreads("She met him.") is False
    assert TableModel().unknown_parts("😀") == []
