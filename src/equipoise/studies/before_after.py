"""Before and after: any instruments on two models, and the price beside the gain.

The same items are asked of both models and compared one by one. Beside what of the bias went stand what the
model must keep (definitional words, pronouns of named people, Alice and Bob, held-out text) and how far it
moved on gender-neutral text; in words: whether bias fell, whether the model broke, or whether pronouns were
merely flattened, as the thesis found of fine-tuning on substituted text (Figs. 10 to 12).
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pandas as pd

from equipoise.errors import UserError
from equipoise.instruments.base import Settings
from equipoise.measuring import ModelSource, as_model, audit_fitting
from equipoise.mitigations.saving import RECORD, add_price
from equipoise.models.base import LanguageModel, TopFill
from equipoise.results import Result
from equipoise.results.comparison import Comparison, compare
from equipoise.studies.divergence import divergence
from equipoise.studies.gain import gain_table, leanings_table, price_table, verdict_sentences
from equipoise.studies.price import Price
from equipoise.studies.steps import Plan, Step, StudyRun

INSTRUMENTS = ("tbe", "stereotype-skew", "sbe")
SECONDS = 180.0
"""A guess for one model of BERT-base's size on two cores; the time left is judged by what was taken."""


@dataclass(frozen=True)
class BeforeAfter:
    """What went, what it cost, every lean before and after, the whole comparison, and it all in words."""

    gain: pd.DataFrame
    price: pd.DataFrame
    leanings: pd.DataFrame | None
    comparison: Comparison
    sentences: tuple[str, ...]

    def tables(self) -> dict[str, pd.DataFrame]:
        """The tables by the names of their files."""
        tables = {"gain.csv": self.gain, "price.csv": self.price, "comparison.csv": self.comparison.table}
        return tables if self.leanings is None else tables | {"leanings.csv": self.leanings}


@dataclass(frozen=True)
class Choice:
    """What is measured: instruments, their settings and the price."""

    instruments: Sequence[str] = INSTRUMENTS
    settings: Mapping[str, Settings] | None = None
    price: Price = field(default_factory=Price)

    def measured(self, model: LanguageModel) -> list[Result]:
        """Every instrument that fits the model, and the price; what does not fit is not compared."""
        return audit_fitting(model, [*self.instruments, self.price], self.settings)[0]

    def record(self) -> dict[str, object]:
        """What the numbers depend on."""
        chosen = {name: str(one) for name, one in (self.settings or {}).items()}
        return {"instruments": list(self.instruments), "settings": chosen, "price": str(self.price)}


def before_after(
    before: ModelSource,
    after: ModelSource,
    choice: Choice | None = None,
    *,
    folder: Path | None = None,
    say: Callable[[str], None] = lambda _sentence: None,
    force: bool = False,
) -> BeforeAfter:
    """Measure both models and compare them; with a folder, a killed study goes on at the finished step."""
    chosen = choice or Choice()
    first, second = as_model(before), as_model(after)
    if first.fingerprint == second.fingerprint:
        raise UserError(
            f"{first.name!r} and {second.name!r} are the same model.",
            "Name the model before and after a change.",
        )
    study = StudyRun(folder, _plan(first, second, chosen), say, force)
    results = [
        study.results(step, lambda model=model: chosen.measured(model))  # type: ignore[misc]
        for step, model in (("before", first), ("after", second))
    ]
    moved = study.table("neutral text", lambda: divergence_table(first, second, chosen.price))
    made = compared(results[0], results[1], moved)
    study.finish(made.sentences, made.tables())
    fill_card(Path(second.name), first, made.sentences)
    return made


def fill_card(folder: Path, before: LanguageModel, sentences: Sequence[str]) -> None:
    """Put gain and price into the card of a model that was made from the one before; others have none."""
    path = folder / RECORD
    if not path.is_file():
        return
    base = json.loads(path.read_text(encoding="utf-8")).get("base", {})
    if base.get("fingerprint") == before.fingerprint:
        add_price(folder, sentences)


def compared(before: Sequence[Result], after: Sequence[Result], moved: pd.DataFrame) -> BeforeAfter:
    """The study from results that were measured before."""
    comparison = compare(before, after)
    gain = gain_table(comparison, before)
    price = price_table(comparison)
    leanings = None
    pairs = {
        result.instrument: (result, other) for result in before for other in after if _same(result, other)
    }
    if "tbe" in pairs:
        leanings = leanings_table(*pairs["tbe"])
    sentences = verdict_sentences(gain, price, leanings)
    sentences += [_divergence_sentence(row) for row in moved.to_dict("records")]
    full = pd.concat([price, moved], ignore_index=True) if len(moved) else price
    return BeforeAfter(gain, full, leanings, comparison, tuple(sentences))


def divergence_table(before: LanguageModel, after: LanguageModel, price: Price) -> pd.DataFrame:
    """One row: how far the second model moved on gender-neutral text; none if it cannot be asked that."""
    blanks = price.neutral_blanks()
    if not blanks or not (before.can_answer(TopFill) and after.can_answer(TopFill)):
        return pd.DataFrame(
            columns=["instrument", "quantity", "label", "before", "after", "low", "high", "n"]
        )
    mean = divergence(before, after, blanks)
    row = {
        "instrument": price.name,
        "quantity": "divergence",
        "label": "KL divergence on gender-neutral text, in nats",
        "before": 0.0,
        "after": mean.value,
        "low": mean.low,
        "high": mean.high,
        "n": mean.n,
    }
    return pd.DataFrame([row])


def _plan(first: LanguageModel, second: LanguageModel, choice: Choice) -> Plan:
    steps = (
        Step("before", f"Measure {first.name}", SECONDS),
        Step("after", f"Measure {second.name}", SECONDS),
        Step("neutral text", "Compare both on gender-neutral text", SECONDS / 20),
    )
    settings = {"before": first.fingerprint, "after": second.fingerprint, **choice.record()}
    return Plan("before-after", f"Before and after: {first.name}, {second.name}", settings, steps)


def _same(result: Result, other: Result) -> bool:
    return result.instrument == other.instrument


def _divergence_sentence(row: Mapping[object, float]) -> str:
    interval = f"[{row['low']:.4f}, {row['high']:.4f}]"
    return f"On gender-neutral text the model moved by {row['after']:.4f} nats {interval} (0: not at all)."
