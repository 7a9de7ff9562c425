"""What an instrument gives for no knowledge at all: the same architecture with random weights, several times.

One draw of random weights is one opinion of chance and need not be neutral; the spread over several draws
says how far from neutral a number is by chance alone, whatever it claims to measure.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import pandas as pd

from equipoise.errors import UserError
from equipoise.instruments.base import Settings
from equipoise.measuring import audit
from equipoise.models.neural.language import NeuralModel
from equipoise.models.protocol import LanguageModel
from equipoise.results import Result
from equipoise.results.records import shown
from equipoise.studies.steps import Plan

DRAWS = 5
FEWEST = 3
COLUMNS = (
    *("instrument", "estimate", "by", "level", "model_value", "low", "high"),
    *("random_mean", "random_sd", "random_lowest", "random_highest", "draws", "outside"),
)


@dataclass(frozen=True)
class RandomControl:
    """The headline estimates of a model beside those of its random twins, and every result."""

    table: pd.DataFrame
    results: tuple[Result, ...]
    controls: tuple[Result, ...]

    def plan(self) -> Plan:
        """What stands above the study on a page."""
        first = self.results[0]
        settings = {"model": first.fingerprint, "controls": [one.fingerprint for one in self.controls]}
        return Plan("control", f"Control: {first.model} beside random weights", settings, ())

    def sentences(self) -> list[str]:
        """Each headline beside what random weights give, in words."""
        return [_sentence(row) for row in self.table.to_dict("records")]


def random_weights_control(
    model: LanguageModel,
    instruments: Sequence[str] = ("tbe",),
    *,
    draws: int = DRAWS,
    settings: dict[str, Settings] | None = None,
) -> RandomControl:
    """Measure a model and several draws of its architecture with random weights."""
    from equipoise.models.loading.networks import random_controls

    if not isinstance(model, NeuralModel):
        raise UserError(
            f"{model.name!r} is a {model.kind} model: it has no weights to draw at random.",
            "Name a masked, causal or encoder-decoder language model.",
        )
    if draws < FEWEST:
        raise UserError(f"{draws} draws are too few to show a spread.", f"Ask for at least {FEWEST}.")
    results = audit(model, instruments, settings)
    # A model that is itself a draw of random weights is not its own control.
    others = (twin for twin in random_controls(model, draws + 1) if twin.fingerprint != model.fingerprint)
    controls = [result for twin in islice(others, draws) for result in audit(twin, instruments, settings)]
    rows = [row for result in results for row in _rows(result, controls)]
    return RandomControl(pd.DataFrame(rows, columns=list(COLUMNS)), tuple(results), tuple(controls))


def _sentence(row: Mapping[Any, Any]) -> str:
    where = f" ({row['by']} {row['level']})" if row["by"] else ""
    told = f"{row['instrument']}, {row['estimate']}{where}: {shown(row['model_value'])}"
    if not row["draws"]:
        return f"{told}; no draw of random weights could be asked."
    between = f"{row['draws']} draws of random weights give {shown(row['random_lowest'])} to"
    holds_draws = row["low"] <= row["random_highest"] and row["high"] >= row["random_lowest"]
    verdict = "no more than chance gives"
    if row["outside"]:
        verdict = "beyond them, but not surely" if holds_draws else "beyond all of them"
    return f"{told}; {between} {shown(row['random_highest'])}: {verdict}."


def _rows(result: Result, controls: Sequence[Result]) -> list[dict[str, object]]:
    """The headlines of one instrument, each beside the same estimate of every draw."""
    key = ["key", "by", "level"]
    drawn = pd.concat([one.estimates for one in controls if one.instrument == result.instrument])
    rows = []
    for headline in result.headlines().to_dict("records"):
        same = (drawn[key] == pd.Series({name: headline[name] for name in key})).all(axis=1)
        values = drawn.loc[same, "value"].dropna()
        rows.append(
            {
                "instrument": result.instrument,
                "estimate": headline["label"],
                "by": headline["by"],
                "level": headline["level"],
                "model_value": headline["value"],
                "low": headline["low"],
                "high": headline["high"],
                "random_mean": values.mean(),
                "random_sd": values.std(),
                "random_lowest": values.min(),
                "random_highest": values.max(),
                "draws": len(values),
                "outside": bool(len(values) and not values.min() <= headline["value"] <= values.max()),
            }
        )
    return rows
