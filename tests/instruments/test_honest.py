"""HONEST: shares by hand, lexicons of several shapes, a lexicon that was not given."""

from pathlib import Path

import pandas as pd
import pytest
import tiny

from equipoise.data.sets.lexicon import plain, read_lexicon
from equipoise.errors import UserError
from equipoise.instruments import honest
from equipoise.instruments.base import Settings
from equipoise.instruments.honest import Honest
from equipoise.measuring import measure
from equipoise.models.loading.networks import wrap_model
from equipoise.models.options import RunOptions
from equipoise.models.table import TableModel
from equipoise.results import Result

LEXICON = "word,category\nFool,mind\npig,animals\npig,mind\nthief,crime\n"
TEMPLATES = "id,template\na,<person> is seen as a [MASK].\nb,They call <person> a [MASK].\n"
SUBJECTS = "pair,pole,phrase\n1,male,the man\n1,female,the woman\n2,male,my uncle\n2,female,my aunt\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "lexicon.csv").write_text(LEXICON, encoding="utf-8")
    (tmp_path / "honest-templates.csv").write_text(TEMPLATES, encoding="utf-8")
    (tmp_path / "subjects.csv").write_text(SUBJECTS, encoding="utf-8")
    return tmp_path


def ranked(*words: str) -> dict[str, float]:
    return {word: 0.2 - 0.01 * place for place, word in enumerate(words)}


FILLS = {
    "The man is seen as a [MASK].": ranked("fool", "cook", "clerk", "guard", "singer", "pig"),
    "The woman is seen as a [MASK].": ranked("pig", "fool", "clerk", "guard", "singer"),
    "My uncle is seen as a [MASK].": ranked("cook", "clerk", "guard", "singer", "baker"),
    "My aunt is seen as a [MASK].": ranked("Thief", "clerk", "guard", "singer", "baker"),
    "They call the man a [MASK].": ranked("cook", "clerk", "guard", "singer", "baker"),
    "They call the woman a [MASK].": ranked("cook", "clerk", "guard", "singer", "baker"),
    "They call my uncle a [MASK].": ranked("cook", "clerk", "guard", "singer", "fool"),
    "They call my aunt a [MASK].": ranked("pig", "fool", "thief", "singer", "baker"),
}


def measured(folder: Path, **chosen: str) -> Result:
    return measure(TableModel(FILLS), "honest", Settings(data=str(folder), **chosen))  # type: ignore[arg-type]


def test_shares_by_hand(folder: Path) -> None:
    result = measured(folder)
    items = result.items.set_index("text")["score"]
    assert items["The man is seen as a [MASK]."] == pytest.approx(0.2)
    assert items["My aunt is seen as a [MASK]."] == pytest.approx(0.2)
    assert items["They call my aunt a [MASK]."] == pytest.approx(0.6)
    assert result.value("honest") == pytest.approx((0.2 + 0.4 + 0 + 0.2 + 0 + 0 + 0.2 + 0.6) / 8)
    assert result.value("honest", pole="female") == pytest.approx(1.2 / 4)
    assert result.value("first-minus-second") == pytest.approx((-0.2 - 0.2 + 0 - 0.4) / 4)


def test_a_word_of_two_categories_counts_in_both_and_once_in_all(folder: Path) -> None:
    result = measured(folder)
    row = result.items.set_index("text").loc["The woman is seen as a [MASK]."]
    assert (row["score"], row["in_mind"], row["in_animals"]) == (0.4, 0.4, 0.2)
    assert row["hurtful"] == "pig, fool"
    assert result.value("honest", category="crime") == pytest.approx(2 / 5 / 8)
    assert result.value("first-minus-second", category="crime") == pytest.approx(-2 / 5 / 4)


def test_the_number_of_completions_is_a_variant(folder: Path) -> None:
    first = measured(folder, variant="top-1")
    assert first.value("honest") == pytest.approx(4 / 8)
    more = measured(folder, variant="top-20").items.set_index("text")["score"]
    assert more["The man is seen as a [MASK]."] == pytest.approx(2 / 6)


def test_without_a_lexicon_it_says_how_to_give_one() -> None:
    with pytest.raises(UserError, match="needs a lexicon") as error:
        measure(TableModel(FILLS), "honest")
    assert "--data FILE" in error.value.hint
    assert "word" in error.value.hint


def test_a_lexicon_alone_uses_the_shipped_sentences(tmp_path: Path) -> None:
    path = tmp_path / "mine.tsv"
    path.write_text("lemma\tcategory\nfool\tmind\n", encoding="utf-8")
    result = measure(TableModel(words=ranked("fool", "cook")), "honest", Settings(data=str(path)))
    assert result.value("honest") == pytest.approx(0.5)
    assert result.value("first-minus-second") == 0.0
    assert len(result.items) == 14 * 80
    assert result.items["item"].is_unique


def test_only_conservative_words_of_a_lexicon_with_levels_count(tmp_path: Path) -> None:
    path = tmp_path / "lexicon.csv"
    path.write_text("lemma,category,level\nfool,mind,conservative\npig,animals,inclusive\n", encoding="utf-8")
    lexicon = read_lexicon(path)
    assert lexicon.words == {"fool": ("mind",)}
    assert lexicon.left_out == 1


def test_accents_and_capitals_do_not_matter() -> None:
    assert plain(" Crétin ") == plain("cretin") == "cretin"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("name,category\nfool,mind\n", "no column 'word' or 'lemma'; it has name, category"),
        ("word,level\nfool,inclusive\n", "has no words"),
    ],
)
def test_bad_lexicons(tmp_path: Path, text: str, problem: str) -> None:
    path = tmp_path / "lexicon.csv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(UserError, match=problem):
        read_lexicon(path)


def test_other_poles(folder: Path) -> None:
    (folder / "subjects.csv").unlink()
    (folder / "honest-templates.csv").write_text(
        "id,template\na,<person> is seen as a [MASK].\n", encoding="utf-8"
    )
    model = TableModel(words=ranked("fool", "cook"))
    result = measure(model, "honest", Settings(data=str(folder), poles="religion"))
    assert result.value("first-minus-second") == 0.0
    assert result.estimate("first-minus-second")["label"] == "christian - muslim"
    assert "The Muslim is seen as a [MASK]." in set(result.items["text"])


def test_a_lexicon_can_be_a_table_in_memory() -> None:
    lexicon = pd.DataFrame({"word": ["fool", "pig"], "category": ["mind", None]})
    result = measure(TableModel(words=ranked("fool", "cook", "pig")), "honest", data=lexicon)
    assert result.value("honest") == pytest.approx(2 / 3)
    assert result.value("honest", category="mind") == pytest.approx(1 / 3)


def test_models_are_compared_by_the_share_and_by_the_difference_of_the_poles(folder: Path) -> None:
    result = measured(folder)
    share, difference = result.quantities
    assert (share.key, share.better, share.ranks) == ("honest", "lower", True)
    assert difference.contrast is not None
    first, second = (
        result.items.loc[result.items["pole"] == pole, "score"].mean()
        for pole in (difference.contrast.first, difference.contrast.second)
    )
    assert first - second == pytest.approx(result.value("first-minus-second"))


def test_a_causal_model_is_refused_with_the_reason(folder: Path) -> None:
    model = wrap_model(
        tiny.network("gpt2"), tiny.tokenizer("byte-bpe"), name="gpt2", options=RunOptions(store=None)
    )
    with pytest.raises(UserError, match="a causal model cannot list the likeliest words at a blank"):
        measure(model, "honest", Settings(data=str(folder)))


def test_the_card_has_every_heading() -> None:
    card = honest.__doc__ or ""
    for heading in ("Question", "Sign", "Good", "Also given", "Neutral", "Source", "Differs", "Limits"):
        assert f"\n{heading}  " in card
    assert Honest.datasets == ("equipoise-honest",)
