"""Cosines of words in one context: against transformers' own hidden states, and means by plain loops."""

import math
from typing import Any

import numpy as np
import pandas as pd
import pytest
import tiny
import torch

from equipoise.corpora.opening import CorpusChoice
from equipoise.errors import UserError
from equipoise.instruments.base import Settings
from equipoise.instruments.cosine import cosine, target_scatter
from equipoise.measuring import measure
from equipoise.models.neural.masked import MaskedModel
from equipoise.models.static import StaticModel
from equipoise.models.table import TableModel
from equipoise.results import Result
from equipoise.results.comparison.differences import value_of

TARGETS = "category,word\nwork,doctor\nwork,engineer\nhome,door\nplace,door\n"
TEXTS = (
    "He is a doctor at the door.",
    "She is an engineer, a doctor.",
    "The doctor told him to open the door before the door closed.",
    "Her brother is an engineer.",
)


@pytest.fixture
def model() -> MaskedModel:
    return MaskedModel(tiny.network("bert"), tiny.tokenizer("wordpiece"), name="tiny")


@pytest.fixture
def choice(tmp_path: Any) -> CorpusChoice:
    path = tmp_path / "targets.csv"
    path.write_text(TARGETS, encoding="utf-8")
    return CorpusChoice(targets=path)


def corpus(times: int = 1) -> pd.DataFrame:
    rows = [(f"{place}-{number}", text) for number in range(times) for place, text in enumerate(TEXTS)]
    return pd.DataFrame(rows, columns=["id", "text"])


def measured(model: Any, choice: CorpusChoice, *, times: int = 1, variant: str = "") -> Result:
    return measure(model, "cosine", Settings(variant=variant, corpus=choice), data=corpus(times))


def hidden_states(text: str, words: tuple[str, str]) -> list[tuple[np.ndarray, np.ndarray]]:
    """The mean vector of each word's tokens at every layer, by transformers alone."""
    tokenizer, network = tiny.tokenizer("wordpiece"), tiny.network("bert")
    encoded = tokenizer(text, return_tensors="pt", return_offsets_mapping=True)
    offsets = encoded.pop("offset_mapping")[0].tolist()
    with torch.no_grad():
        layers = network.base_model(**encoded, output_hidden_states=True).hidden_states
    places = []
    for word in words:
        start = text.index(word)
        end = start + len(word)
        places.append([n for n, (a, b) in enumerate(offsets) if a < end and b > start and b > a])
    return [tuple(layer[0, where].mean(dim=0).numpy() for where in places) for layer in layers]


def test_items_and_cosines_are_those_of_the_hidden_states(model: MaskedModel, choice: CorpusChoice) -> None:
    items = measured(model, choice, variant="all-layers").items.set_index("item")
    assert items[["gender", "target", "categories", "distance"]].to_numpy().tolist() == [
        ["male", "doctor", "work", 2],
        ["male", "door", "home; place", 5],
        ["female", "engineer", "work", 2],
        ["female", "doctor", "work", 4],
        ["male", "doctor", "work", 1],
        ["male", "door", "home; place", 3],
        ["female", "engineer", "work", 3],
    ]
    row = items.iloc[2]
    for layer, (gendered, target) in enumerate(hidden_states(TEXTS[1], ("She", "engineer"))):
        assert row[f"layer_{layer}"] == pytest.approx(cosine(gendered, target), abs=1e-5)
    assert row["score"] == row["layer_2"]
    last = measured(model, choice).items
    assert last["score"].tolist() == pytest.approx(items["score"].tolist(), abs=1e-6)


def test_means_by_plain_loops_over_targets_layers_and_genders(
    model: MaskedModel, choice: CorpusChoice
) -> None:
    result = measured(model, choice, times=12, variant="all-layers")
    rows = result.items.to_dict("records")

    def mean(gender: str, column: str = "score", **where: str) -> float:
        chosen = [
            row[column]
            for row in rows
            if row["gender"] == gender and all(row[name] == level for name, level in where.items())
        ]
        return sum(chosen) / len(chosen)

    assert result.value("difference") == pytest.approx(mean("male") - mean("female"))
    assert result.value("cosine-male", target="door") == pytest.approx(mean("male", target="door"))
    assert result.value("cosine-male", category="place") == pytest.approx(mean("male", target="door"))
    of_doctor = mean("male", target="doctor") - mean("female", target="doctor")
    assert result.value("difference", target="doctor") == pytest.approx(of_doctor)
    # engineers are women only and doors men only: doctor is the one word with both
    assert result.value("difference-within-words") == pytest.approx(of_doctor)
    assert math.isnan(result.value("difference", target="engineer"))
    assert result.value("difference", layer="0") == pytest.approx(
        mean("male", "layer_0") - mean("female", "layer_0")
    )
    scatter = target_scatter(result.items).set_index("target")
    assert scatter.loc["doctor", ["n_male", "n_female"]].tolist() == [24, 12]
    assert scatter.loc["doctor", "difference"] == pytest.approx(of_doctor)
    assert scatter.loc["engineer", "n_male"] == 0


def test_the_vector_at_the_mask_is_that_of_a_text_with_the_mask_in_it(
    model: MaskedModel, choice: CorpusChoice
) -> None:
    """The published code: the gendered word is hidden, and its vector is that of the mask."""
    items = measured(model, choice, variant="at-mask").items.set_index("item")
    mask = tiny.tokenizer("wordpiece").mask_token
    masked = TEXTS[1].replace("She", mask)
    gendered, target = hidden_states(masked, (mask, "engineer"))[-1]
    assert items.iloc[2]["score"] == pytest.approx(cosine(gendered, target), abs=1e-5)
    assert items.iloc[2]["score"] != pytest.approx(measured(model, choice).items.iloc[2]["score"], abs=1e-3)


def test_a_model_without_a_mask_cannot_be_asked_at_one(choice: CorpusChoice) -> None:
    with pytest.raises(UserError, match="at-mask hides words"):
        measured(StaticModel({"he": np.ones(2, np.float32)}, name="v"), choice, variant="at-mask")


def test_the_quantity_is_the_estimate(model: MaskedModel, choice: CorpusChoice) -> None:
    result = measured(model, choice, times=3)
    shown, value = result.estimate("difference"), value_of(result.items, result.quantities[0])
    assert (shown["value"], shown["low"], shown["high"]) == pytest.approx(
        (value.value, value.low, value.high)
    )
    assert 1 <= len(result.headlines()) <= 3


def test_a_text_too_long_is_dropped_and_no_target_is_refused(choice: CorpusChoice) -> None:
    model = MaskedModel(tiny.network("bert"), tiny.tokenizer("wordpiece"), name="tiny")
    long = pd.DataFrame({"text": [TEXTS[0], "He is a doctor. " + "The old carpenter lost his keys. " * 12]})
    result = measure(model, "cosine", Settings(corpus=choice), data=long)
    dropped = result.items["dropped"].tolist()
    assert dropped[:2] == ["", ""]
    assert "longer than the model reads" in dropped[2]
    assert result.items["score"].isna().tolist() == [False, False, True]
    with pytest.raises(UserError, match="no context with a gendered word and a target word"):
        measure(model, "cosine", Settings(corpus=choice), data=pd.DataFrame({"text": ["He left."]}))


def test_cosine_by_hand() -> None:
    one, other = np.array([3.0, 4.0], dtype=np.float32), np.array([4.0, 3.0], dtype=np.float32)
    assert cosine(one, other) == pytest.approx(24 / 25)
    assert cosine(one, -one) == pytest.approx(-1)
    assert math.isnan(cosine(one, np.zeros(2, dtype=np.float32)))


def test_a_model_without_layers_gives_what_it_has(choice: CorpusChoice) -> None:
    """The table model has one vector for a text, so every cosine is 1."""
    model = TableModel(vectors={text: [1.0, 2.0] for text in TEXTS})
    result = measured(model, choice, variant="all-layers")
    assert result.items["score"].tolist() == pytest.approx([1.0] * 7)
    assert not [name for name in result.items if name.startswith("layer_")]
