"""Controls: does an instrument find a lean that was put in, and does it find none where there is none?

A known dose, in nats, is added to the model's answers: where an item names an occupation with a share of
women in the labour statistics (for `traits`, `completions` and `sbe` by the class of the item), the
stereotyped side becomes that much likelier. Each draw takes items anew (occupations, words or pairs)
with replacement, after the model's own lean was taken off. `found` is the share of draws above neutral
by their interval; the detection limit is the smallest dose found in 80 %.

Nothing may be found in the negative controls: no dose; a placebo, whose dose points to either side by
chance, word by word; random weights; and the model averaged with its own answers to exchanged texts.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import expit, logit

from equipoise.errors import UnaskableError, UserError
from equipoise.instruments import DEFAULT_AUDIT, load_instrument
from equipoise.instruments.base import Ask, Design, Instrument, Settings
from equipoise.instruments.parts.unaskable import drop_unaskable
from equipoise.models.neural.language import NeuralModel
from equipoise.models.protocol import LanguageModel
from equipoise.models.questions import Score, TopFill, WordScores
from equipoise.results import Quantity
from equipoise.results.comparison.differences import value_of
from equipoise.results.items import rows_of
from equipoise.results.numbers import shown
from equipoise.studies.steps import Keeping, Plan, Step
from equipoise.text.sides import FEMALE, MALE

DOSES = (0.1, 0.25, 0.5, 1.0, 2.0)
DRAWS, NEGATIVE_DRAWS, RANDOM_MODELS = 20, 100, 3
POWER, ALARMS = 0.8, 0.07
HALF = 50.0
PRIOR = "prior"
"""The role of questions that hide the profession: nothing is added to their answers."""

Row = Mapping[str, Any]


@dataclass(frozen=True)
class Rule:
    """The quantity that a dose should move, and the side of an item's dose: 1 men, -1 women, 0 none."""

    quantity: str
    side: Callable[[Row], int]


def workforce_side(row: Row) -> int:
    """1 for an occupation of mostly men, -1 for one of mostly women by labour statistics, 0 without any."""
    share = float(row["percent_women"] or "nan")
    return 0 if share != share else 1 if share < HALF else -1


RULES = {
    "sbe": Rule("mean-sld", lambda row: int(row["part"] == "pair")),
    "tbe": Rule("appd", lambda row: abs(workforce_side(row))),
    "association": Rule("oriented-association", workforce_side),
    "stereotype-skew": Rule("preference-type-2", workforce_side),
    "traits": Rule("care-contrast", lambda row: {"caring": -1, "aggressive": 1}.get(row["care"], 0)),
    "completions": Rule("favour", lambda row: -1 if row["sentiment"] == "positive" else 1),
}


@dataclass(frozen=True)
class Controls:
    """Every dose and every negative control of every instrument, and the detection limits."""

    positive: pd.DataFrame
    negative: pd.DataFrame
    limits: pd.DataFrame
    sentences: list[str]


@dataclass(frozen=True)
class _Asked:
    """An instrument with what a model answered it."""

    instrument: Instrument[Any]
    design: Design
    asks: list[Ask]
    answers: list[Any]

    @property
    def quantity(self) -> Quantity:
        """The quantity that a dose should move."""
        declared = self.design.quantities or self.instrument.quantities
        return next(one for one in declared if one.key == RULES[self.instrument.name].quantity)

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
    one_side = gender or {"first": MALE, "second": FEMALE}.get(ask.role.split(",")[0], "")
    if one_side:
        half = tilt / 2 if one_side == MALE else -tilt / 2
        return replace(answer, logprobs=tuple(value + half for value in answer.logprobs))
    he, she, *others = answer.logprobs
    both = np.logaddexp(he, she)
    share = expit(logit(np.exp(he - both)) + tilt)
    return replace(answer, logprobs=(float(both + np.log(share)), float(both + np.log1p(-share)), *others))


def controls(
    model: LanguageModel,
    instruments: Sequence[str] = DEFAULT_AUDIT,
    *,
    doses: Sequence[float] = DOSES,
    draws: int = DRAWS,
    settings: Mapping[str, Settings] | None = None,
    keeping: Keeping | None = None,
) -> Controls:
    """Positive and negative controls of each instrument, step by step."""
    unknown = [name for name in instruments if name not in RULES]
    if unknown:
        raise UserError(
            f"There are no controls for {', '.join(unknown)}.", f"Name some of {', '.join(RULES)}."
        )
    chosen = {name: (settings or {}).get(name, Settings()) for name in instruments}
    told = {
        "model": model.fingerprint,
        "instruments": list(instruments),
        "doses": list(doses),
        "draws": draws,
    }
    steps = [Step(name, f"Add {len(doses)} doses to the answers of {name}", 120) for name in instruments]
    steps += [Step("untrained", f"Measure {RANDOM_MODELS} draws of random weights", 600)]
    steps += [Step("averaged", "Measure the model averaged over exchanged texts", 400)]
    study = (keeping or Keeping()).begin(Plan("controls", "Controls that can fail", told, steps))
    parts = [
        study.table(name, partial(_of_instrument, model, name, settings=one, doses=doses, draws=draws))
        for name, one in chosen.items()
    ]
    parts.append(study.table("untrained", lambda: _of_models(_untrained(model), chosen, "random weights")))
    parts.append(study.table("averaged", lambda: _of_models(_averaged(model), chosen, "averaged model")))
    table = pd.concat([part for part in parts if len(part)], ignore_index=True)
    positive = table[table["control"] == "dose"].reset_index(drop=True)
    negative = table[table["control"] != "dose"].reset_index(drop=True)
    limits = pd.DataFrame([_limit(rows) for _, rows in positive.groupby("instrument", sort=False)])
    sentences = [*_limits_in_words(limits), _alarms_in_words(negative)]
    study.finish(sentences, {"limits.csv": limits, "doses.csv": positive, "negative.csv": negative})
    return Controls(positive, negative, limits, sentences)


def _ask(model: LanguageModel, name: str, settings: Settings) -> _Asked:
    instrument = load_instrument(name)
    completed = settings.completed(instrument)
    design = instrument.design(completed.source(instrument), completed)
    asks = list(instrument.ask(design, model))
    try:
        answers = model.answer([ask.question for ask in asks])
    except UnaskableError:
        design, asks = drop_unaskable(name, model, design, asks)
        answers = model.answer([ask.question for ask in asks])
    return _Asked(instrument, design, list(asks), list(answers))


def _of_instrument(
    model: LanguageModel, name: str, *, settings: Settings, doses: Sequence[float], draws: int
) -> pd.DataFrame:
    """A row for each dose, then for no dose and for the placebo."""
    asked = _ask(model, name, settings)
    quantity, plain = asked.quantity, asked.items()
    own = value_of(plain, quantity).value
    rows = []
    for dose in doses:
        moved = asked.items(dose)
        share = _found(plain, moved, quantity, draws)
        value = value_of(moved, quantity).value - own
        rows.append(
            _row(quantity, {"instrument": name, "control": "dose", "dose": dose}, value, share[0], draws)
        )
    for control, strongest in (("no dose", 0.0), ("placebo", max(doses))):
        moved = asked.items(strongest) if strongest else plain
        _, either = _found(plain, moved, quantity, NEGATIVE_DRAWS, placebo=True)
        rows.append(
            _row(
                quantity,
                {"instrument": name, "control": control, "dose": strongest},
                float("nan"),
                either,
                NEGATIVE_DRAWS,
            )
        )
    return pd.DataFrame(rows)


def _found(
    plain: pd.DataFrame, moved: pd.DataFrame, quantity: Quantity, draws: int, *, placebo: bool = False
) -> tuple[float, float]:
    """The shares of draws whose interval lies above neutral, and to either side of it."""
    rows = rows_of(plain, quantity)
    factor = quantity.factors[-1] if quantity.factors else "item"
    column = quantity.column
    change = moved.loc[rows.index, column].astype(float) - rows[column].astype(float)
    centred = rows[column].astype(float) - _own_lean(rows, quantity)
    places = [
        group.to_numpy() for _, group in pd.Series(np.arange(len(rows))).groupby(rows[factor].to_numpy())
    ]
    rng = np.random.default_rng(0)
    above = either = 0
    for _ in range(draws):
        drawn = rng.integers(len(places), size=len(places))
        signs = rng.choice([-1.0, 1.0], size=len(places)) if placebo else np.ones(len(places))
        at = np.concatenate([places[one] for one in drawn])
        labels = np.repeat(np.arange(len(drawn)), [len(places[one]) for one in drawn])
        values = centred.to_numpy()[at] + change.to_numpy()[at] * signs[labels]
        sample = rows.iloc[at].assign(**{column: values, factor: labels.astype(str)})
        mean = value_of(sample.reset_index(drop=True), quantity)
        above += bool(mean.low > quantity.neutral)
        either += bool(mean.low > quantity.neutral or mean.high < quantity.neutral)
    return above / draws, either / draws


def _own_lean(rows: pd.DataFrame, quantity: Quantity) -> "pd.Series[float]":
    """What is taken off every row so that the quantity is neutral: the lean of its class."""
    values = rows[quantity.column].astype(float)
    if quantity.contrast is None:
        return pd.Series(values.mean() - quantity.neutral, index=rows.index)
    return values.groupby(rows[quantity.contrast.column]).transform("mean")


def _untrained(model: LanguageModel) -> list[LanguageModel]:
    """Draws of the same architecture with random weights; none for a model without weights."""
    from equipoise.models.loading.random_weights import random_controls

    if not isinstance(model, NeuralModel):
        return []
    others = (
        twin for twin in random_controls(model, RANDOM_MODELS + 1) if twin.fingerprint != model.fingerprint
    )
    return list(islice(others, RANDOM_MODELS))


def _averaged(model: LanguageModel) -> list[LanguageModel]:
    """The model averaged with its answers to exchanged texts."""
    from equipoise.models.wrappers.averaging import AveragedModel

    return [AveragedModel(model)] if isinstance(model, NeuralModel) else []


def _of_models(models: Sequence[LanguageModel], chosen: Mapping[str, Settings], control: str) -> pd.DataFrame:
    """Whether the interval of each instrument excludes neutral for models that should have no lean."""
    rows = []
    for model in models:
        for name, settings in chosen.items():
            try:
                asked = _ask(model, name, settings)
            except UserError:
                continue  # the averaged model cannot be asked for everything
            mean, quantity = value_of(asked.items(), asked.quantity), asked.quantity
            alarm = float(mean.low > quantity.neutral or mean.high < quantity.neutral)
            rows.append(
                _row(quantity, {"instrument": name, "control": control, "dose": 0.0}, mean.value, alarm, 1)
            )
    return pd.DataFrame(rows)


def _row(
    quantity: Quantity, told: Mapping[str, Any], value: float, share: float, draws: int
) -> dict[str, Any]:
    """One control of one instrument: `told` names the instrument, the control and the dose."""
    named = {"estimate": quantity.label, "unit": quantity.unit}
    return {**told, **named, "change": value, "found": share, "draws": draws}


def _limit(rows: pd.DataFrame) -> dict[str, Any]:
    """The smallest dose that is found often enough, as a dose and in the unit of the estimate; the slope."""
    ordered = rows.sort_values("dose")
    strong = ordered[ordered["found"] >= POWER]
    changes = ordered["change"].to_numpy(dtype=float)
    slope = float(np.polyfit([0.0, *ordered["dose"]], [0.0, *changes], 1)[0])
    first = ordered.iloc[0]
    return {
        "instrument": first["instrument"],
        "estimate": first["estimate"],
        "unit": first["unit"],
        "slope": slope,
        "rises": bool((np.diff([0.0, *changes]) > 0).all()),
        "limit_dose": float(strong["dose"].iloc[0]) if len(strong) else float("nan"),
        "limit": float(strong["change"].iloc[0]) if len(strong) else float("nan"),
    }


def _limits_in_words(limits: pd.DataFrame) -> list[str]:
    said = []
    for row in limits.to_dict("records"):
        named = f"{row['instrument']}, {row['estimate']}"
        rise = "rises with the dose" if row["rises"] else "does NOT rise with every dose"
        limit = (
            f"finds a lean of {shown(row['limit'])} {row['unit']} or more in {POWER:.0%} of draws"
            if row["limit"] == row["limit"]
            else "finds none of the doses often enough"
        )
        said.append(f"{named}: {limit}; it {rise} ({shown(row['slope'])} per nat).")
    return said


def _alarms_in_words(negative: pd.DataFrame) -> str:
    told = []
    for control, rows in negative.groupby("control", sort=False):
        share = float(np.average(rows["found"], weights=rows["draws"]))
        told.append(f"{control} {share:.1%} of {int(rows['draws'].sum())}")
    return f"False alarms (at most {ALARMS:.0%} wanted): {'; '.join(told)}."
