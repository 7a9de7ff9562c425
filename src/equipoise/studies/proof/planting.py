"""A known dose in the weights: tuning on sentences in which every occupation has its statistical pronoun."""

from collections.abc import Mapping
from typing import Any

import pandas as pd

from equipoise.data.reading import own_table
from equipoise.mitigating import mitigate
from equipoise.mitigations.counterfactual import Counterfactual
from equipoise.models.neural.masked import MaskedModel
from equipoise.text.languages.en.articles import indefinite_article

HALF = 50.0
TUNING_EPOCHS = 4
TUNING_SENTENCES = (
    "{He} has worked as {a} {job} for years.",
    "Everybody here knows that {he} is {a} {job}.",
    "The {job} said that {he} was tired.",
    "The {job} lost {his} keys on the train.",
    "After school {he} wanted to become {a} {job}.",
    "Ask the {job} whether {he} can come tomorrow.",
)
"""What a dose in the weights is tuned on; no sentence stands in an instrument."""


def workforce_side(row: Mapping[str, Any]) -> int:
    """1 for an occupation of mostly men, -1 for one of mostly women by labour statistics, 0 without any."""
    share = float(row["percent_women"] or "nan")
    return 0 if share != share else 1 if share < HALF else -1


def tuned_on_stereotypes(model: MaskedModel) -> MaskedModel:
    """A copy of the model tuned on the sentences below."""
    tuning = Counterfactual(mode="unchanged", epochs=TUNING_EPOCHS, learning_rate=5e-5, validation=0.0)
    tuned = mitigate(model, tuning, corpus=pd.DataFrame({"text": stereotyped_sentences()})).model
    assert isinstance(tuned, MaskedModel)
    return tuned


def stereotyped_sentences() -> list[str]:
    """Sentences in which every occupation has the pronoun of most people who do it, by labour statistics."""
    said = []
    for row in own_table("occupations.csv").to_dict("records"):
        side, job = workforce_side(row), row["profession"]
        if side:
            he, his = ("he", "his") if side > 0 else ("she", "her")
            words = {"he": he, "He": he.capitalize(), "his": his, "job": job, "a": indefinite_article(job)}
            said += [sentence.format(**words) for sentence in TUNING_SENTENCES]
    return said
