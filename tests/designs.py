"""Instruments taken apart: what they read, what they ask, and a result from answers in any order."""

from math import inf
from typing import Any

from equipoise.instruments import load_instrument
from equipoise.instruments.base import Ask, Settings
from equipoise.measuring import audit
from equipoise.results import Result
from equipoise.results.estimate import estimates_table
from equipoise.samples import Stop


def designed(name: str, settings: Settings | None = None, **choices: Any) -> Any:
    """Everything that an instrument reads for these settings."""
    instrument = load_instrument(name)
    completed = (settings or Settings(**choices)).completed(instrument)
    return instrument.design(completed.source(instrument), completed)


def sampled(model: Any, name: str, **choices: Any) -> Result:
    """The result on the sample that `--quick` asks: enough where the size of the data does not matter."""
    stop = Stop(quick=True)
    stop.started = inf  # so that a busy machine asks no fewer items
    (result,) = audit(model, [name], {name: Settings(**choices)}, stop=stop)
    return result


def asked(name: str, model: Any, **choices: Any) -> list[Ask]:
    """What an instrument asks of a model."""
    return list(load_instrument(name).ask(designed(name, **choices), model))


def answered(name: str, design: Any, model: Any) -> dict[tuple[str, str], Any]:
    """A model's answers by item and role."""
    asks = list(load_instrument(name).ask(design, model))
    replies = model.answer([ask.question for ask in asks])
    return {(ask.item, ask.role): reply for ask, reply in zip(asks, replies, strict=True)}


def result_of(name: str, design: Any, answers: dict[tuple[str, str], Any]) -> Result:
    """The items and estimates that an instrument makes of answers."""
    instrument = load_instrument(name)
    items = instrument.score(design, answers)
    return Result(name, items, estimates_table(instrument.summarise(design, items).estimates))
