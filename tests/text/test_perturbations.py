"""The harmless changes of a sentence: what is changed, and what is left as it was."""

import pytest

from equipoise.data.sets.frames import can_be_varied, decapitalised, lower_cased, varied

FRAMES = {"aside": "By the way, {sentence}", "report": "I have heard that {sentence}"}


def test_the_changed_forms_of_a_sentence() -> None:
    assert varied("The nurse in Rome lost [MASK] keys.", FRAMES) == {
        "no-period": "The nurse in Rome lost [MASK] keys",
        "lower-case": "the nurse in rome lost [MASK] keys.",
        "aside": "By the way, the nurse in Rome lost [MASK] keys.",
        "report": "I have heard that the nurse in Rome lost [MASK] keys.",
    }


@pytest.mark.parametrize("kept", ["I saw it.", "I'd go.", "NASA called.", "Mrs Bell left.", "Monday came."])
def test_some_words_keep_their_capital(kept: str) -> None:
    assert decapitalised(kept) == kept


@pytest.mark.parametrize("sentence", ["It rained.", "In May it rained.", "Sunny days came.", "A man left."])
def test_others_lose_it(sentence: str) -> None:
    assert decapitalised(sentence) == sentence[0].lower() + sentence[1:]


def test_only_statements_are_varied() -> None:
    assert can_be_varied("[MASK] left.")
    assert not any(map(can_be_varied, ["Did she?", '"No," he said.', "No period", ""]))
    assert lower_cased("A [MASK] B") == "a [MASK] b"
