"""Choices: an instrument reads what it says it reads; what none reads is refused, in Python too."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from equipoise.choices import choices_of
from equipoise.corpora.opening import CorpusChoice
from equipoise.errors import UserError
from equipoise.instruments import INSTRUMENTS, load_instrument
from equipoise.instruments.base import Settings, VectorChoice, refuse_undeclared
from equipoise.instruments.parts.choices import CHOSEN_LAYER, POLES, POOLING
from equipoise.measuring import audit, measure
from equipoise.models.loading import load_model
from equipoise.models.protocol import LanguageModel
from equipoise.studies.changes.price import Price
from equipoise.studies.training.resolving import HeldOutPronouns

SHIPPED = [
    name
    for name in INSTRUMENTS
    if any(one.startswith("equipoise-") for one in load_instrument(name).datasets)
    and not {"classify"} & set(load_instrument(name).needs)
    and name != "honest"  # which needs a list of words that does not ship
]
WATCHED = {POLES, CHOSEN_LAYER, POOLING}
READ: set[str] = set()


@dataclass(frozen=True)
class WatchedVectors(VectorChoice):
    """A choice of vectors that writes down what is read of it."""

    def __getattribute__(self, name: str) -> Any:
        READ.add(name)
        return super().__getattribute__(name)


@dataclass(frozen=True)
class WatchedSettings(Settings):
    """Settings that write down what is read of them."""

    def __getattribute__(self, name: str) -> Any:
        READ.add(name)
        return super().__getattribute__(name)


@pytest.fixture(scope="module")
def model() -> LanguageModel:
    return load_model("random", cache=False)


@pytest.mark.parametrize("name", SHIPPED)
def test_an_instrument_reads_what_it_says(name: str, model: LanguageModel) -> None:
    instrument: Any = load_instrument(name)
    settings = WatchedSettings(variant=instrument.variants[0], vectors=WatchedVectors())
    source = settings.source(instrument)
    READ.clear()
    design = instrument.design(source, settings)
    for _ in zip(range(3), instrument.ask(design, model), strict=False):
        pass
    rule = getattr(instrument, "rules", {}).get(settings.variant)
    fixed_pooling = {POOLING} if getattr(rule, "pooling", "") else set()
    assert (READ & WATCHED) | fixed_pooling == WATCHED & set(instrument.reads)


@pytest.mark.parametrize("instrument", [*map(load_instrument, INSTRUMENTS), Price(), HeldOutPronouns()])
def test_every_instrument_declares_all_of_the_protocol(instrument: Any) -> None:
    refuse_undeclared(instrument)
    known = choices_of(Settings)
    assert set(instrument.reads) <= {*(one.name for one in known), *(one.group for one in known)}


def test_a_choice_of_a_group_may_be_named_by_itself() -> None:
    whole = measure("random", "weat", vectors=VectorChoice(layer="0"))
    apart = measure("random", "weat", layer="0")
    assert apart.choices == whole.choices == {"layer": "0"}
    assert apart.estimates.equals(whole.estimates)


def test_a_choice_that_one_of_several_reads_is_taken() -> None:
    vectors = VectorChoice(layer="0")
    settings = {name: Settings(vectors=vectors) for name in ("tbe", "weat")}
    with pytest.raises(UserError, match="--layer 0 has no effect on tbe") as caught:
        audit("no model is loaded", ["tbe"], {"tbe": settings["tbe"]})
    assert "weat, seat, c-seat, ceat" in caught.value.hint
    assert {result.instrument for result in audit(load_model("random"), ["tbe", "weat"], settings)} == {
        "tbe",
        "weat",
    }


def test_what_nothing_reads_is_refused_before_a_model_is_loaded() -> None:
    for choices in ({"poles": "age"}, {"label": "positive"}, {"corpus": CorpusChoice(groups=("paper",))}):
        with pytest.raises(UserError, match="has no effect on sbe"):
            measure("no model is loaded", "sbe", **choices)


def test_a_fault_in_a_file_is_told_before_a_model_is_loaded(tmp_path: Path) -> None:
    pairs = tmp_path / "pairs.csv"
    pairs.write_text("category,stereotype,counterpart\nsports,He left early.,She left early.\n", "utf-8")
    with pytest.raises(UserError, match="line 2: there is no category called 'sports'"):
        measure("no model is loaded", "sbe", data=pairs)


class Mine:
    """Sentence pairs as an instrument of a user's own, which leaves out what it is told to."""

    def __init__(self, *left_out: str) -> None:
        self.left_out = left_out

    def __getattr__(self, name: str) -> Any:
        if name in self.left_out:
            raise AttributeError(name)
        return getattr(load_instrument("sbe"), name)


def test_an_instrument_of_a_user_is_held_to_what_it_says_it_reads() -> None:
    with pytest.raises(UserError, match="--poles age has no effect on sbe"):
        measure("no model is loaded", Mine(), poles="age")


@pytest.mark.parametrize("left_out", [("reads",), ("name", "variants")])
def test_an_instrument_that_leaves_a_declaration_out_is_refused_in_words(left_out: tuple[str, ...]) -> None:
    for run in (lambda one: measure("no model", one), lambda one: audit("no model", [one])):
        with pytest.raises(UserError, match=f"Mine does not declare {', '.join(left_out)}") as caught:
            run(Mine(*left_out))
        assert "docs/extending.md" in caught.value.hint
