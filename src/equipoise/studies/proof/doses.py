"""Doses: what a known lean adds to a model's answers, and which items an estimate rests on."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import expit, logit

from equipoise.data.sets.pairs import NEUTRAL, PAIR
from equipoise.errors import UnaskableError
from equipoise.instruments import load_instrument
from equipoise.instruments.base import Ask, Design, Instrument, Settings
from equipoise.instruments.sbe import OTHER_RULE
from equipoise.models.protocol import LanguageModel
from equipoise.models.questions import Score, TopFill, WordScores
from equipoise.preparing import drop_unaskable
from equipoise.results import Quantity
from equipoise.results.result import rows_of
from equipoise.samples import BLOCKS, blocks_of
from equipoise.studies.proof.planting import workforce_side
from equipoise.text.gendered import FEMALE, MALE

PRIOR = "prior"
"""The role of questions that hide the profession: nothing is added to their answers."""
Row = Mapping[str, Any]


@dataclass(frozen=True)
class Rule:
    """The quantity that a dose should move, which side each item's dose is on, and what is drawn.

    A side is 1 for men, -1 for women, 0 for none. `even` is the score of an item that prefers neither side.
    `planted` gives the sign with which a dose in the weights moves the score; None where it does not.
    """

    quantity: str
    side: Callable[[Row], int]
    drawn: str = "profession"
    even: float = 0.0
    planted: Callable[[Row], int] | None = None
    without_gender: str = ""
    """The part whose pairs differ in no gendered word."""


def always(_row: Row) -> int:
    return 1


def _care_side(row: Row) -> int:
    return {"caring": -1, "aggressive": 1}.get(row["care"], 0)


RULES = {
    "sbe": Rule("mean-sld", lambda row: int(row["part"] == PAIR), "cluster", 0.0, always, NEUTRAL),
    "tbe": Rule("appd", lambda row: abs(workforce_side(row)), planted=workforce_side),
    "association": Rule("oriented-association", workforce_side, planted=always),
    "stereotype-skew": Rule("preference-type-2", workforce_side, planted=always),
    "traits": Rule("care-contrast", _care_side, "item", even=0.5),
    "completions": Rule("favour", lambda row: -1 if row["sentiment"] == "positive" else 1, "word"),
}


@dataclass(frozen=True)
class Asked:
    """An instrument with what a model answered it."""

    instrument: Instrument[Any]
    design: Design
    asks: list[Ask]
    answers: list[Any]

    @property
    def quantity(self) -> Quantity:
        """The quantity that a dose should move."""
        return _quantity(self.instrument, self.design)

    def items(self, dose: float = 0.0) -> pd.DataFrame:
        """The scored items with a dose added to the answers."""
        rule, rows = RULES[self.instrument.name], self.design.items.set_index("item", drop=False)
        sides = {item: rule.side(row) for item, row in zip(rows.index, rows.to_dict("records"), strict=True)}
        genders = rows["gender"].to_dict() if self.instrument.name == "association" else {}
        keyed = {
            (ask.item, ask.role): dosed(ask, answer, dose * sides[ask.item], str(genders.get(ask.item, "")))
            for ask, answer in zip(self.asks, self.answers, strict=True)
        }
        return self.instrument.score(self.design, keyed)


def dosed(ask: Ask, answer: Any, tilt: float, gender: str = "") -> Any:
    """An answer in which men became `tilt` nats likelier against women; a pair's stereotype likewise."""
    question = ask.question
    if not tilt or ask.role == PRIOR:
        return answer
    if isinstance(question, Score):
        half = tilt / 2 if ask.role == "stereotype" else -tilt / 2
        return replace(answer, logprobs=(*answer.logprobs[:-1], answer.logprobs[-1] + half))
    if not isinstance(answer, WordScores) or isinstance(question, TopFill):
        return answer
    one_side = gender or ask.role.split(",")[0]
    if one_side in (MALE, FEMALE):
        half = tilt / 2 if one_side == MALE else -tilt / 2
        return replace(answer, logprobs=tuple(value + half for value in answer.logprobs))
    he, she, *others = answer.logprobs
    both = np.logaddexp(he, she)
    share = expit(logit(np.exp(he - both)) + tilt)
    return replace(answer, logprobs=(float(both + np.log(share)), float(both + np.log1p(-share)), *others))


def _quantity(instrument: Instrument[Any], design: Design) -> Quantity:
    """The quantity that a dose should move."""
    declared = design.quantities or instrument.quantities
    return next(one for one in declared if one.key == RULES[instrument.name].quantity)


def ask_model(model: LanguageModel, name: str, settings: Settings, share: float = 1.0) -> Asked:
    """What the estimate rests on, or a share of it, with the model's answers."""
    instrument = load_instrument(name)
    completed = settings.completed(instrument)
    design = instrument.design(completed.source(instrument), completed)
    quantity, placebo = _quantity(instrument, design), RULES[name].without_gender
    kept = rows_of(design.items, quantity)
    if placebo:
        others = replace(quantity, where={**quantity.where, "part": placebo})
        kept = pd.concat([kept, rows_of(design.items, others)])
    design = replace(design, items=kept.reset_index(drop=True))
    if share < 1:
        chosen = design.items["item"].map(blocks_of(instrument, design, [quantity])) <= BLOCKS.index(share)
        design = replace(design, items=design.items[chosen].reset_index(drop=True))
    names = set(design.items["item"])
    asks = [
        ask
        for ask in instrument.ask(design, model)
        if ask.item in names and not ask.role.endswith(OTHER_RULE)
    ]
    try:
        answers = model.answer([ask.question for ask in asks])
    except UnaskableError:
        design, asks = drop_unaskable(name, model, design, asks)
        answers = model.answer([ask.question for ask in asks])
    return Asked(instrument, design, list(asks), list(answers))
