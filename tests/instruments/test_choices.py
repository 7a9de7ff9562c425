"""Choices: an instrument reads what it says it reads; what none reads is refused, in Python too."""

from dataclasses import dataclass
from typing import Any

import pytest

from equipoise.corpora.sampling import CorpusChoice
from equipoise.errors import UserError
from equipoise.instruments import INSTRUMENTS, load_instrument
from equipoise.instruments.base import Settings
from equipoise.instruments.parts.choices import CHOSEN_LAYER, POLES, POOLING
from equipoise.instruments.parts.vector_choice import VectorChoice
from equipoise.measuring import audit, measure
from equipoise.models import load_model
from equipoise.models.base import LanguageModel
from equipoise.models.table import TableModel

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


def test_every_instrument_says_what_it_reads() -> None:
    assert all(hasattr(load_instrument(name), "reads") for name in INSTRUMENTS)


def test_a_choice_that_one_of_several_reads_is_taken() -> None:
    vectors = VectorChoice(layer="0")
    settings = {name: Settings(vectors=vectors) for name in ("tbe", "weat")}
    with pytest.raises(UserError, match="--layer 0 means nothing to tbe") as caught:
        audit("no model is loaded", ["tbe"], settings)
    assert "weat, seat, c-seat, ceat" in caught.value.hint
    assert {result.instrument for result in audit(load_model("random"), ["tbe", "weat"], settings)} == {
        "tbe",
        "weat",
    }


def test_what_nothing_reads_is_refused_before_a_model_is_loaded() -> None:
    for choices in ({"poles": "age"}, {"label": "positive"}, {"corpus": CorpusChoice(groups=("paper",))}):
        with pytest.raises(UserError, match="means nothing to sbe"):
            measure("no model is loaded", "sbe", **choices)


def test_an_instrument_of_a_user_may_read_anything() -> None:
    class Mine:
        """An instrument that does not say what it reads."""

        def __getattr__(self, name: str) -> Any:
            if name == "reads":
                raise AttributeError(name)
            return getattr(load_instrument("sbe"), name)

    with pytest.raises(UserError, match="was told nothing"):
        measure(TableModel(words={"he": 0.5, "she": 0.5}), Mine(), poles="age")  # type: ignore[arg-type]
