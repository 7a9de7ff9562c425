"""Controls: does an instrument find a lean that was put in, and does it find none where there is none?

A known dose, in nats, is added to the model's answers: where an item names an occupation with a share of
women in the labour statistics (for `traits`, `completions` and `sbe` by the class of the item), the
stereotyped side becomes that much likelier. Each draw takes items anew (occupations, words or pairs) with
replacement, and a coin exchanges the two sides of each: so the model has no lean of its own and keeps its
spread. `found` is the share of draws above neutral by their interval; the detection limit is the smallest
dose found in 80 %. One dose is also put into the weights, by tuning on sentences that follow the statistics.

Nothing may be found in the negative controls: no dose; a placebo, whose dose points to either side by
chance; pairs that differ in a weekday, a town or a verb; random weights; and the model averaged with its
answers to exchanged texts. A whole model is a false alarm where the page would call its lean certain and more
than negligible: random weights do prefer a word to another, by next to nothing.

Only what the estimate rests on is asked, and of models with random weights a sample of that.

Why a coin, and not the mean taken off: items less their mean are skewed where a few occupations lean far,
and a mean of 40 skewed values lies beyond its 95 % interval in up to 13 % of draws. Without a lean the two
sides are exchangeable, so that no item is skewed.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from equipoise.errors import UserError
from equipoise.instruments import DEFAULT_AUDIT
from equipoise.instruments.base import Settings
from equipoise.models.neural.language import NeuralModel
from equipoise.models.neural.masked import MaskedModel
from equipoise.models.protocol import LanguageModel
from equipoise.results import Quantity
from equipoise.results.comparison.differences import value_of
from equipoise.results.reading import CERTAIN, NEGLIGIBLE, Measured, certainty_of, size_of, two_digits
from equipoise.results.records import fixed, told
from equipoise.results.result import rows_of
from equipoise.stats.means import mean_with_interval
from equipoise.studies.proof.doses import RULES, Rule, always, ask_model
from equipoise.studies.proof.planting import tuned_on_stereotypes
from equipoise.studies.steps import Keeping, Plan, Step

DOSES = (0.1, 0.25, 0.5, 1.0, 2.0)
DRAWS, NEGATIVE_DRAWS, RANDOM_MODELS = 20, 1000, 5
SAMPLE = 0.12
"""The share of the items that models with random weights are asked, as in `audit --quick`."""

POWER, ALARMS = 0.8, 0.07

PLANTED = ("instrument", "estimate", "unit", "change", "low", "high", "n")


@dataclass(frozen=True)
class Controls:
    """Every dose, in answers and in weights, every negative control, and the detection limits."""

    positive: pd.DataFrame
    planted: pd.DataFrame
    negative: pd.DataFrame
    limits: pd.DataFrame
    sentences: list[str]


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
    doses = sorted(doses)
    identity = {
        "model": model.fingerprint,
        "instruments": list(instruments),
        "doses": doses,
        "draws": draws,
        "design": "coin",
        "sample": SAMPLE,
        "random models": RANDOM_MODELS,
    }
    steps = [Step(name, f"Add {len(doses)} doses to the answers of {name}", 120) for name in instruments]
    steps += [Step("untrained", f"Measure {RANDOM_MODELS} draws of random weights", 400)]
    steps += [Step("averaged", "Measure the model averaged over exchanged texts", 200)]
    steps += [Step("tuned", "Put a dose into the weights by tuning, and measure", 300)]
    study = (keeping or Keeping()).begin(Plan("controls", "Controls that can fail", identity, steps))
    parts = [
        study.table(name, partial(_of_instrument, model, name, settings=one, doses=doses, draws=draws))
        for name, one in chosen.items()
    ]
    parts.append(
        study.table("untrained", lambda: _of_models(_untrained(model), chosen, "random weights", SAMPLE))
    )
    parts.append(study.table("averaged", lambda: _of_models(_averaged(model), chosen, "averaged model")))
    planted = study.table("tuned", lambda: _planted(model, chosen))
    table = pd.concat([part for part in parts if len(part)], ignore_index=True)
    positive = table[table["control"] == "dose"].reset_index(drop=True)
    negative = table[table["control"] != "dose"].reset_index(drop=True)
    limits = pd.DataFrame([_limit(rows) for _, rows in positive.groupby("instrument", sort=False)])
    sentences = [_headline(limits, negative), *_limits_in_words(limits)]
    sentences += [*_planted_in_words(planted), *_alarms_in_words(negative)]
    tables = {"limits.csv": limits, "doses.csv": positive, "weights.csv": planted, "negative.csv": negative}
    study.finish(sentences, tables)
    return Controls(positive, planted, negative, limits, sentences)


def _of_instrument(
    model: LanguageModel, name: str, *, settings: Settings, doses: Sequence[float], draws: int
) -> pd.DataFrame:
    """A row for each dose, then for no dose and for the placebo."""
    asked, rule = ask_model(model, name, settings), RULES[name]
    quantity, plain = asked.quantity, asked.items()
    own = value_of(plain, quantity).value
    rows = []

    def add(control: str, dose: float, change: float, share: float, count: int) -> None:
        rows.append(
            _row(quantity, {"instrument": name, "control": control, "dose": dose}, change, share, count)
        )

    for dose in doses:
        moved = asked.items(dose)
        sides = _Sides.of(plain, (moved, asked.items(-dose)), quantity, rule)
        add("dose", dose, value_of(moved, quantity).value - own, sides.found(draws), draws)
    weakest = _Sides.of(plain, (plain, plain), quantity, rule)
    add("no dose", 0.0, float("nan"), weakest.found(NEGATIVE_DRAWS, either=True), NEGATIVE_DRAWS)
    alarms = sides.found(NEGATIVE_DRAWS, either=True, placebo=True)
    add("placebo", doses[-1], float("nan"), alarms, NEGATIVE_DRAWS)
    if rule.without_gender:
        neutral = replace(quantity, where={**quantity.where, "part": rule.without_gender})
        others = _Sides.of(plain, (plain, plain), neutral, rule)
        alarms = others.found(NEGATIVE_DRAWS, either=True)
        add("pairs without gender", 0.0, float("nan"), alarms, NEGATIVE_DRAWS)
    return pd.DataFrame(rows)


@dataclass(frozen=True)
class _Sides:
    """The rows of a quantity with their scores under a dose, also as if he and she had changed places."""

    rows: pd.DataFrame
    quantity: Quantity
    drawn: str
    dosed: "dict[tuple[int, int], npt.NDArray[np.float64]]"
    """Scores by which side the coin calls the first and by the direction of the dose."""

    @classmethod
    def of(
        cls, plain: pd.DataFrame, moved: Sequence[pd.DataFrame], quantity: Quantity, rule: Rule
    ) -> "_Sides":
        """Scores that a dose moved up and down, as they are and mirrored about what prefers neither side."""
        rows = rows_of(plain, quantity)
        above, below = (one.loc[rows.index, quantity.column].to_numpy(dtype=float) for one in moved)
        even = 2 * rule.even
        scores = {(1, 1): above, (1, -1): below, (-1, 1): even - below, (-1, -1): even - above}
        return cls(rows, quantity, rule.drawn, scores)

    def found(self, draws: int, *, either: bool = False, placebo: bool = False) -> float:
        """The share of draws whose interval lies above neutral, or to either side of it."""
        labels = self.rows[self.drawn].to_numpy()
        places = [one.to_numpy() for one in pd.Series(np.arange(len(labels))).groupby(labels).groups.values()]
        rng = np.random.default_rng(0)
        neutral, column, hits = self.quantity.neutral, self.quantity.column, 0
        for _ in range(draws):
            drawn = rng.integers(len(places), size=len(places))
            coins = rng.choice([-1, 1], size=(2, len(places)))
            ways = coins[1] if placebo else np.ones(len(places), dtype=int)
            at = [places[one] for one in drawn]
            values = [self.dosed[coin, way][one] for coin, way, one in zip(coins[0], ways, at, strict=True)]
            numbers = np.repeat(np.arange(len(at)), [len(one) for one in at]).astype(str)
            sample = self.rows.iloc[np.concatenate(at)].reset_index(drop=True)
            mean = value_of(
                sample.assign(**{column: np.concatenate(values), self.drawn: numbers}), self.quantity
            )
            hits += bool(mean.low > neutral or (either and mean.high < neutral))
        return hits / draws


def _planted(model: LanguageModel, chosen: Mapping[str, Settings]) -> pd.DataFrame:
    """How far a dose in the weights moves each instrument that asks of occupations, item by item."""
    asked = {name: one for name, one in chosen.items() if RULES[name].planted}
    if not asked or not isinstance(model, MaskedModel):
        return pd.DataFrame(columns=list(PLANTED))
    tuned = tuned_on_stereotypes(model)
    rows = []
    for name, settings in asked.items():
        sign = RULES[name].planted or always
        before, after = (ask_model(one, name, settings) for one in (model, tuned))
        table = rows_of(before.items(), before.quantity)
        signs = np.array([float(sign(row)) for row in table.to_dict("records")])
        later = after.items().loc[table.index, before.quantity.column].astype(float)
        moved = (later - table[before.quantity.column].astype(float)) * np.where(signs == 0, np.nan, signs)
        mean = mean_with_interval(moved, [table[one] for one in before.quantity.factors])
        named = (name, before.quantity.label, before.quantity.unit)
        rows.append(dict(zip(PLANTED, (*named, mean.value, mean.low, mean.high, mean.n), strict=True)))
    return pd.DataFrame(rows, columns=list(PLANTED))


def _untrained(model: LanguageModel) -> list[LanguageModel]:
    """Draws of the same architecture with random weights; none for a model without weights."""
    from equipoise.models.loading.networks import random_controls

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


def _of_models(
    models: Sequence[LanguageModel], chosen: Mapping[str, Settings], control: str, share: float = 1.0
) -> pd.DataFrame:
    """Whether each instrument calls the lean of a model certain that should have none."""
    rows = []
    for model in models:
        for name, settings in chosen.items():
            try:
                asked = ask_model(model, name, settings, share)
            except UserError:
                continue  # the averaged model cannot be asked for everything
            mean, quantity = value_of(asked.items(), asked.quantity), asked.quantity
            read = Measured(mean.value, mean.low, mean.high, quantity.neutral)
            is_large = size_of(mean.value - quantity.neutral, quantity) != NEGLIGIBLE
            alarm = float(is_large and certainty_of(read, quantity) == CERTAIN)
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


def _headline(limits: pd.DataFrame, negative: pd.DataFrame) -> str:
    """Whether every test finds what was put in and keeps quiet otherwise, in one sentence."""
    blind = limits["instrument"][limits["limit"].isna()].tolist()
    often = negative[(negative["draws"] > 1) & (negative["found"] > ALARMS)]
    loud = often["instrument"].unique().tolist()
    sighted = f"{len(limits) - len(blind)} of {len(limits)} tests find a lean that was put in"
    missed = f"; {' and '.join(blind)} found none of the doses often enough" if blind else ""
    wrong = f"Too many false alarms: {' and '.join(loud)}, in" if loud else "No test raises false alarms in"
    return f"{sighted}{missed}. {wrong} more than {ALARMS:.0%} of draws."


def in_unit(number: float, unit: str) -> str:
    """A lean in words: points, or nats with how much likelier one side becomes."""
    if unit != "nats":
        return f"{two_digits(100 * number)} points"
    return f"{two_digits(number)} nats ({two_digits(float(np.exp(number)))} times as likely)"


def _limits_in_words(limits: pd.DataFrame) -> list[str]:
    said = []
    for row in limits.to_dict("records"):
        often = f"in {fixed(10 * POWER, 0)} of 10 draws"
        limit = (
            f"finds a lean of {in_unit(row['limit'], row['unit'])} or more {often}"
            if row["limit"] == row["limit"]
            else "finds none of the doses often enough"
        )
        rise = "" if row["rises"] else " Its estimate does not rise with every dose."
        said.append(f"{row['instrument']} {limit}.{rise}")
    return said


def _planted_in_words(planted: pd.DataFrame) -> list[str]:
    said = []
    for row in planted.to_dict("records"):
        moved = told(row["change"], row["low"], row["high"], places=3)
        verdict = "finds" if row["low"] > 0 else "does not find"
        said.append(f"{row['instrument']} {verdict} the lean in the weights: {moved} {row['unit']}.")
    return said


def _alarms_in_words(negative: pd.DataFrame) -> list[str]:
    said = []
    for control, rows in negative.groupby("control", sort=False):
        total = int(rows["draws"].sum())
        alarms = round(float((rows["found"] * rows["draws"]).sum()))
        said.append(f"False alarms with {control}: {alarms:,} of {total:,} ({alarms / total:.1%}).")
    return said
