"""Measuring: by name or object, data read once, answers by key, nothing usable refused, spelling told."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import tiny
from designs import answered, designed, result_of

import equipoise as eq
from equipoise.errors import UserError
from equipoise.instruments import load_instrument
from equipoise.instruments.base import Ask, Settings
from equipoise.instruments.tbe import TemplateBased
from equipoise.measuring import audit, audit_fitting, measure
from equipoise.models.loading import load_model
from equipoise.models.loading.networks import wrap_model
from equipoise.models.options import RunOptions
from equipoise.models.table import TableModel
from equipoise.results import Result, Roles

TEMPLATES = "id,category,form,template\nt1,work,subject,[MASK] is a <profession>.\n"
PROFESSIONS = "profession,category,gender,percent_women\nnurse,work,,87\npilot,work,,9\n"


def measured(folder: Path, professions: str, family: str = "bert") -> Result:
    (folder / "templates.csv").write_text(TEMPLATES, encoding="utf-8")
    (folder / "professions.csv").write_text(professions, encoding="utf-8")
    words = tiny.tokenizer(tiny.TOKENIZER_OF.get(family, "wordpiece"))
    settings = RunOptions(cache=False)
    model = wrap_model(tiny.network(family), words, name=family, options=settings)
    return measure(model, "tbe", Settings(data=str(folder)))


def about_spelling(result: Result) -> list[str]:
    return [one for one in result.notices if "cannot spell" in one]


def test_a_profession_that_the_model_cannot_spell_is_told(tmp_path: Path) -> None:
    """Its score is that of a sentence about an unknown token."""
    result = measured(tmp_path, PROFESSIONS + "☃,work,,50\n")
    texts = set(result.items["text"])
    odd = {text for text in texts if "☃" in text}
    assert 0 < len(odd) < len(texts)
    assert about_spelling(result) == [
        f"{len(odd)} of {len(texts)} texts hold something that 'bert' cannot spell and reads as its "
        "unknown token, the first: '[MASK] is a ☃.'"
    ]


@pytest.mark.parametrize(
    ("family", "professions"), [("bert", PROFESSIONS), ("roberta", PROFESSIONS + "☃,work,,50\n")]
)
def test_nothing_is_told_of_texts_that_it_can_spell(tmp_path: Path, family: str, professions: str) -> None:
    """The blank is not an unknown word, and a byte-level tokenizer spells anything."""
    assert about_spelling(measured(tmp_path, professions, family)) == []


def test_a_table_misreads_nothing() -> None:
    assert not TableModel({"[MASK] is a ☃.": {"he": 0.5}}).misreads("[MASK] is a ☃.")


WORDS = {"he": 0.3, "she": 0.2, "they": 0.1, "him": 0.3, "her": 0.2, "them": 0.1, "his": 0.4, "their": 0.1}
PAIRS = pd.DataFrame(
    {
        "category": ["occupation", "occupation", "neutral"],
        "stereotype": ["The nurse lost her keys.", "The pilot lost his keys.", "We ate soup on Monday."],
        "counterpart": ["The nurse lost his keys.", "The pilot lost her keys.", "We ate soup on Tuesday."],
    }
)
TRAITS = pd.DataFrame(
    {
        "id": ["a", "b"],
        "sentence": ["The person fell when [MASK] ran.", "The person won when [MASK] ran."],
        "form": ["subject", "subject"],
        "competence": ["incompetent", "competent"],
    }
)


def template_folder(folder: Path) -> Path:
    (folder / "templates.csv").write_text(TEMPLATES, encoding="utf-8")
    (folder / "professions.csv").write_text(PROFESSIONS, encoding="utf-8")
    return folder


def test_a_model_and_an_instrument_by_their_names() -> None:
    by_name = eq.measure("random", "traits")
    by_object = eq.measure(load_model("random"), load_instrument("traits"), Settings())
    pd.testing.assert_frame_equal(by_name.items, by_object.items)
    assert by_name.model == "random"


@pytest.mark.parametrize("several", [["tbe", "sbe"], ("tbe", "sbe"), {"tbe", "sbe"}])
def test_several_instruments_are_for_audit(several: Any) -> None:
    with pytest.raises(UserError, match=r"takes one instrument and was given a \w+ of 2") as caught:
        measure("random", several)
    assert "equipoise.audit(model, [...])" in caught.value.hint


def test_an_audit_of_one_name_is_an_audit_of_one() -> None:
    (result,) = eq.audit(TableModel(words=WORDS), "traits")
    assert result.instrument == "traits"


@pytest.mark.parametrize("ask", [measure, audit])
def test_what_is_no_model_is_refused_by_its_kind(ask: Any) -> None:
    """The usual case: a network of transformers, handed over as it is."""
    with pytest.raises(UserError, match="A BertForMaskedLM was given where a model is expected") as caught:
        ask(tiny.network("bert"), "traits")
    assert "wrap_model" in caught.value.hint


def test_an_audit_takes_names_objects_and_settings_of_each(tmp_path: Path) -> None:
    chosen = {"tbe": Settings(data=str(template_folder(tmp_path)))}
    first, second = audit(TableModel(words=WORDS), [TemplateBased(), "traits"], chosen)
    assert (first.instrument, second.instrument) == ("tbe", "traits")
    assert first.items.query("variation == 'original'")["item"].tolist() == ["t1:nurse", "t1:pilot"]


def test_an_audit_of_what_fits_says_what_was_left_out() -> None:
    words = tiny.tokenizer(tiny.TOKENIZER_OF["gpt2"])
    causal = wrap_model(tiny.network("gpt2"), words, name="gpt2", options=RunOptions(cache=False))
    results, left_out = audit_fitting(causal, ["traits", "lpbs"])
    assert [result.instrument for result in results] == ["traits"]
    assert "a causal model cannot hide other words" in left_out["lpbs"].message


def test_an_audit_takes_the_variant_that_the_model_can_be_asked(tmp_path: Path) -> None:
    """The pairs of CrowS-Pairs by whole sentence, as lm-eval asks them, and with a word on why."""
    words = tiny.tokenizer(tiny.TOKENIZER_OF["gpt2"])
    causal = wrap_model(tiny.network("gpt2"), words, name="gpt2", options=RunOptions(cache=False))
    pairs = pd.DataFrame(
        {
            "sent_more": [f"She met {at} men." for at in "abcdef"],
            "sent_less": [f"He met {at} men." for at in "abcdef"],
        }
    )
    (result,), _ = audit_fitting(causal, ["crows-pairs"], {"crows-pairs": Settings(data=pairs)})
    assert result.provenance["instrument"]["variant"] == "whole-sentence"
    asked = causal.score([pairs["sent_more"][0], pairs["sent_less"][0]]).groupby("sentence")["logprob"].sum()
    assert result.items["score"][0] == pytest.approx(asked[0] - asked[1], abs=1e-5)
    assert any("because a causal model cannot score a sentence by the rule" in one for one in result.notices)
    chosen = {"crows-pairs": Settings(data=pairs, variant="nangia2020")}
    _, left_out = audit_fitting(causal, ["crows-pairs"], chosen)
    assert "whole-sentence" in left_out["crows-pairs"].hint


def test_choices_are_settings_by_another_way(tmp_path: Path) -> None:
    folder = template_folder(tmp_path)
    one = measure(TableModel(words=WORDS), "tbe", Settings(data=str(folder), seed=3))
    other = measure(TableModel(words=WORDS), "tbe", data=folder, seed=3)
    pd.testing.assert_frame_equal(one.estimates, other.estimates)
    assert one.provenance["seed"] == other.provenance["seed"] == 3


def test_a_misspelt_choice_gets_a_suggestion() -> None:
    with pytest.raises(UserError, match="There is no choice of measure called 'varient'") as caught:
        measure(TableModel(words=WORDS), "tbe", varient="corrected")
    assert caught.value.hint.startswith("Did you mean 'variant'?")


def test_a_negative_seed_is_refused() -> None:
    with pytest.raises(UserError, match="The seed is -1") as caught:
        measure(TableModel(words=WORDS), "tbe", seed=-1)
    assert caught.value.hint == "Give a whole number of 0 or more."


@pytest.mark.parametrize("seed", ["3", 1.5, None])
def test_a_seed_that_is_no_whole_number_is_refused(seed: Any) -> None:
    with pytest.raises(UserError, match="The seed is") as caught:
        measure(TableModel(words=WORDS), "tbe", seed=seed)
    assert caught.value.hint == "Give a whole number of 0 or more."


def test_a_path_and_a_number_of_numpy_can_be_saved(tmp_path: Path) -> None:
    poles = tmp_path / "poles.csv"
    poles.write_text("pole,form,word\nmale,subject,he\nfemale,subject,she\n", encoding="utf-8")
    folder = template_folder(tmp_path)
    result = measure(TableModel(words=WORDS), "tbe", data=folder, poles=poles, seed=np.int64(3))
    read = eq.load_result(result.save(tmp_path / "out"))
    # A result that is passed on does not tell the folders of who measured it.
    assert (read.provenance["seed"], read.poles) == (3, f"{tmp_path.name}/poles.csv")


@pytest.mark.parametrize(
    ("ask", "said"),
    [
        (lambda model: audit(model, ["traits"], {"Traits": Settings()}), "called 'Traits'"),
        (lambda model: audit(model, ["traits"], Settings()), "A Settings was given where settings by"),
        (lambda model: audit(model, None), "A NoneType was given where instruments are expected"),
        (lambda model: measure(model, "traits", {"seed": 1}), "A dict was given as settings"),
        (lambda model: measure(model, "traits", data=[1]), "A list was given as data"),
        (lambda model: measure(model, "traits", data=pd.Series(["x"])), "A Series was given as data"),
    ],
)
def test_what_would_be_ignored_or_misread_is_refused(ask: Any, said: str) -> None:
    with pytest.raises(UserError, match=said):
        ask(TableModel(words=WORDS))


class Repeating(TemplateBased):
    """Asks everything twice under one role."""

    def ask(self, design: Any, model: Any) -> Iterator[Ask]:
        for ask in super().ask(design, model):
            yield from (ask, ask)


class WithoutScores(TemplateBased):
    """Forgets the column that everything rests on."""

    def score(self, design: Any, answers: Any) -> pd.DataFrame:
        return super().score(design, answers).drop(columns="score")


class WithoutRows(TemplateBased):
    """Reads a file and keeps nothing of it."""

    def design(self, source: Any, settings: Any) -> Any:
        whole = super().design(source, settings)
        return replace(whole, items=whole.items.iloc[:0])


class Half:
    """Declares everything and does nothing."""

    name, title, datasets, variants, needs, reads = "half", "half", ("x",), ("v",), (), ()
    roles, quantities = Roles(), ()


@pytest.mark.parametrize(
    ("instrument", "said"),
    [
        (Repeating(), "tbe asks 2 questions for the item 't1:nurse"),
        (WithoutScores(), "tbe: `score` gave items without the column score"),
        (WithoutRows(), "tbe: `design` gave items without any row"),
        (Half(), "does not declare design, ask, score, summarise"),
    ],
)
def test_an_instrument_of_ones_own_is_told_what_it_lacks(instrument: Any, said: str, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=said):
        measure(TableModel(words=WORDS), instrument, data=template_folder(tmp_path))


class Meddler(TableModel):
    """A model that is asked after the user's files were changed and deleted."""

    def __init__(self, folder: Path) -> None:
        super().__init__(words=WORDS)
        self.folder = folder

    def answer(self, questions: Sequence[Any]) -> Any:
        (self.folder / "templates.csv").unlink()
        (self.folder / "professions.csv").write_text("profession,category\nspy,work\n", encoding="utf-8")
        return super().answer(questions)


def test_everything_is_read_once(tmp_path: Path) -> None:
    folder = template_folder(tmp_path)
    undisturbed = measure(TableModel(words=WORDS), "tbe", data=folder)
    meddled = measure(Meddler(folder), "tbe", data=folder)
    assert not (folder / "templates.csv").exists()
    pd.testing.assert_frame_equal(meddled.items, undisturbed.items)
    pd.testing.assert_frame_equal(meddled.estimates, undisturbed.estimates)
    assert meddled.data_hashes == undisturbed.data_hashes
    assert meddled.notices == undisturbed.notices


class Backwards(TemplateBased):
    """The same method that asks its questions in another order."""

    def ask(self, design: Any, model: Any) -> Iterator[Ask]:
        yield from reversed(list(super().ask(design, model)))


def test_answers_are_found_by_their_key(tmp_path: Path) -> None:
    """Every sentence has probabilities of its own, so that an answer to another question would show."""
    design = designed("tbe", data=str(template_folder(tmp_path)))
    fills = {
        text: {"he": 0.5 / (number + 1), "she": 0.1, "they": 0.1}
        for number, text in enumerate(design.items["text"])
    }
    forwards, backwards = (
        measure(TableModel(fills), instrument, data=tmp_path) for instrument in (TemplateBased(), Backwards())
    )
    pd.testing.assert_frame_equal(backwards.items, forwards.items)
    assert forwards.items.drop_duplicates("text")["score"].is_unique


@pytest.mark.parametrize("name", ["sbe", "lpbs", "traits"])
def test_answers_may_come_in_any_order(name: str) -> None:
    model = load_model("random", cache=False)
    design = designed(name)
    design = type(design)(**{**vars(design), "items": design.items.head(12)})
    answers = answered(name, design, model)
    keys = list(answers)
    shuffled = {key: answers[key] for key in (*keys[1::2], *reversed(keys[::2]))}
    assert list(shuffled) != keys
    instrument: Any = load_instrument(name)
    pd.testing.assert_frame_equal(instrument.score(design, shuffled), instrument.score(design, answers))


def test_pairs_as_a_table() -> None:
    result = measure(load_model("random", cache=False), "sbe", data=PAIRS)
    assert result.items.query("variation == 'original'")["item"].tolist() == ["line 2", "line 3", "line 4"]
    assert result.provenance["data"]["name"] == "table"
    assert "the given table" in result.data_hashes


def test_templates_as_a_table(tmp_path: Path) -> None:
    table = pd.DataFrame(
        {"category": ["medical"], "form": ["subject"], "template": ["[MASK] is a <profession>."]}
    )
    path = tmp_path / "mine.csv"
    table.to_csv(path, index=False)
    given, read = (measure(TableModel(words=WORDS), "tbe", data=data) for data in (table, path))
    pd.testing.assert_frame_equal(given.items, read.items)


def test_traits_as_a_table() -> None:
    result = measure(TableModel(words=WORDS), "traits", data=TRAITS)
    assert result.value("second-share") == pytest.approx(0.4)
    assert result.value("competence-contrast") == pytest.approx(0.0)


@pytest.mark.parametrize(
    ("name", "table", "said"),
    [
        ("sbe", PAIRS.assign(counterpart=PAIRS["stereotype"]), "the given table, line 2: the two sentences"),
        ("sbe", PAIRS.assign(category="ocupation"), "the given table, line 2: there is no category"),
        ("sbe", PAIRS.drop(columns="category"), "the given table has no column 'category'"),
        ("sbe", PAIRS.head(0), "the given table has no rows"),
        ("traits", TRAITS.assign(form=["subject", "dual"]), "the given table, line 3: the form 'dual'"),
        ("traits", TRAITS.assign(id="a"), "the given table, line 3: 'a' stands already in line 2"),
        (
            "tbe",
            pd.DataFrame({"category": ["x"], "form": ["subject"], "template": ["No blank."]}),
            "the given table, line 2: 0 times [MASK]",
        ),
    ],
)
def test_a_bad_table_is_named_with_its_line(name: str, table: pd.DataFrame, said: str) -> None:
    with pytest.raises(UserError) as caught:
        designed(name, data=table)
    assert said in caught.value.message


def test_a_table_where_only_a_file_will_do() -> None:
    with pytest.raises(UserError, match="A table was given where"):
        designed("stereoset", data=PAIRS)


def test_items_that_could_none_of_them_be_used_are_no_result(tmp_path: Path) -> None:
    words = tiny.tokenizer("cased-wordpiece")
    model = wrap_model(tiny.network("electra"), words, name="electra", options=RunOptions(cache=False))
    pairs = PAIRS.assign(
        stereotype=["ŒŒ lost her keys.", "ŒŒ lost his hat.", "ŒŒ ate."],
        counterpart=["ŒŒ lost his keys.", "ŒŒ lost her hat.", "ŒŒ slept."],
    )
    with pytest.raises(UserError, match=r"sbe: none of .* items could be used.*unknown to the tokenizer"):
        measure(model, "sbe", data=pairs)


def test_data_that_are_not_there_get_a_suggestion() -> None:
    with pytest.raises(UserError, match="equipoise-templates"):
        designed("tbe", data="equipoise-template")
    with pytest.raises(UserError, match="tbe does not read the data set 'winobias'"):
        designed("tbe", data="winobias")


def test_a_score_of_a_part_needs_no_measurement(tmp_path: Path) -> None:
    """The pieces of an instrument give what `measure` gives."""
    folder = template_folder(tmp_path)
    design, model = designed("tbe", data=str(folder)), TableModel(words=WORDS)
    by_hand = result_of("tbe", design, answered("tbe", design, model))
    pd.testing.assert_frame_equal(by_hand.estimates, measure(model, "tbe", data=folder).estimates)


class Unasked(TableModel):
    """A model that must not be asked anything."""

    def answer(self, questions: Sequence[Any]) -> Any:
        raise AssertionError(f"{len(questions)} questions were asked")


def test_data_without_a_usable_item_are_refused_before_the_model_is_asked() -> None:
    table = pd.DataFrame({"category": ["x"], "form": ["subject"], "template": ["Yesterday [MASK] slept."]})
    with pytest.raises(
        UserError, match="lpbs: none of 1 items could be used; 1 of them: the template has no"
    ):
        measure(Unasked(words=WORDS), "lpbs", data=table)
