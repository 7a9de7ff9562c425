"""Before and after: any instruments on two models, and the price beside the gain.

The same items are asked of both models and compared one by one. The study says how much of the bias was
removed, whether the model kept what it must know (definitional words, pronouns of named people, Alice and
Bob, held-out text), and how far it moved on gender-neutral text. Its sentences tell whether bias fell, the
model broke, or pronouns were merely flattened, as the thesis found after fine-tuning on substituted text.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from equipoise.errors import UserError
from equipoise.instruments.base import Settings
from equipoise.measuring import ModelSource, as_model, audit_fitting
from equipoise.mitigations.saving import RECORD, add_price, read_record
from equipoise.models.protocol import LanguageModel
from equipoise.models.questions import TopFill
from equipoise.results import Result
from equipoise.results.comparison import Comparison, compare
from equipoise.results.comparison.differences import UNKNOWN
from equipoise.results.reading import sentence_start
from equipoise.results.records import TOO_FEW, shown
from equipoise.stats.repeats import over_repeats
from equipoise.studies.changes.elsewhere import elsewhere_table
from equipoise.studies.changes.gain import gain_table, leanings_table, price_table, verdict_sentences
from equipoise.studies.changes.price import Price, divergence
from equipoise.studies.papers.association_tables import papers_of
from equipoise.studies.steps import Plan, Step, StudyRun

SEED_COLUMNS = ("seeds", "seed_sd", "seeds_low", "seeds_high")
"""How many trainings a row rests on, their standard deviation, and the interval of their mean."""

KEY = ["instrument", "quantity"]


def over_seeds(tables: Sequence[pd.DataFrame], share: str) -> pd.DataFrame:
    """Means of the rows of a gain or a price; `low` and `high` are over items, `seeds_...` over seeds.

    The interval over items is the mean of those of the trainings: all were asked the same items, so that
    more trainings do not make it narrower.
    """
    together = pd.concat(tables, ignore_index=True)
    columns = [*tables[0].columns, *SEED_COLUMNS]
    rows = [_one_row(rows, share) for _, rows in together.groupby(KEY, sort=False)]
    return pd.DataFrame(rows, columns=columns)


def mean_leanings(tables: Sequence[pd.DataFrame | None]) -> pd.DataFrame | None:
    """Every lean after the change, as the mean over trainings."""
    known = [table for table in tables if table is not None]
    if len(known) < 2:
        return known[0] if known else None
    after = np.mean([table["after"].to_numpy(dtype=float) for table in known], axis=0)
    return known[0].assign(after=after)


def seed_sentences(gain: pd.DataFrame, price: pd.DataFrame) -> list[str]:
    """How far trainings with other seeds lie apart: a difference between methods below that is noise."""
    said = []
    for table, share, what in ((gain, "removed", "share removed"), (price, "loss", "share lost")):
        for row in table[table["seeds"] > 1].to_dict("records"):
            if np.isnan(row["seed_sd"]):
                continue
            interval = f"[{shown(row['seeds_low'])}, {shown(row['seeds_high'])}] over seeds"
            said.append(
                f"{row['label']}: {what} {shown(row[share])} {interval}, "
                f"sd {shown(row['seed_sd'])} over {row['seeds']} trainings."
            )
    return said


def _one_row(rows: pd.DataFrame, share: str) -> dict[str, Any]:
    repeats = over_repeats(rows[share].tolist())
    means = {name: float(rows[name].mean()) for name in ("after", share, "low", "high")}
    changes = set(rows["change"])
    return {
        **rows.iloc[0].to_dict(),
        **means,
        "n": int(rows["n"].min()),
        "change": changes.pop() if len(changes) == 1 else UNKNOWN,
        "seeds": len(rows),
        "seed_sd": repeats.sd,
        "seeds_low": repeats.interval.low,
        "seeds_high": repeats.interval.high,
    }


INSTRUMENTS = ("tbe", "association", "stereotype-skew", "traits")
"""One forward pass an item; `sbe`, which hides every token in turn, costs twice as much as all of these."""

TUNED = (
    *("counterfactual", "dropout", "reminders", "pronoun-resolution", "pretraining"),
    *("self-distillation", "head-refit"),
)
"""Mitigations that come out differently with another seed; others are the same, or draw other sentences."""

ONE_TRAINING = (
    "This is one training: how far another seed would lie from it is not known. "
    "mitigate --seeds 0,1,2 makes several, which this study takes together."
)
SECONDS = 150.0
"""A guess for one model of BERT-base's size on two cores; the time left is judged by what was taken."""


@dataclass(frozen=True)
class BeforeAfter:
    """What went, what it cost, every lean before and after, the whole comparison, and it all in words."""

    gain: pd.DataFrame
    price: pd.DataFrame
    leanings: pd.DataFrame | None
    comparison: Comparison
    sentences: tuple[str, ...]
    papers: Mapping[str, pd.DataFrame] = field(default_factory=dict)
    """The tables of the papers, by the names of their files."""

    def tables(self) -> dict[str, pd.DataFrame]:
        """The tables by the names of their files."""
        tables = {"gain.csv": self.gain, "price.csv": self.price, "comparison.csv": self.comparison.table}
        tables |= {} if self.leanings is None else {"leanings.csv": self.leanings}
        return tables | dict(self.papers)


@dataclass(frozen=True)
class MeasuredBy:
    """What is measured: instruments, their settings and the price."""

    instruments: Sequence[str] = INSTRUMENTS
    settings: Mapping[str, Settings] | None = None
    price: Price = field(default_factory=Price)

    def measured(self, model: LanguageModel) -> list[Result]:
        """Every instrument that fits the model, and the price; what does not fit is not compared."""
        return audit_fitting(model, [*self.instruments, self.price], self.settings)[0]

    def record(self) -> dict[str, object]:
        """Record everything that the numbers depend on."""
        chosen = {name: str(one) for name, one in (self.settings or {}).items()}
        return {"instruments": list(self.instruments), "settings": chosen, "price": str(self.price)}


def before_after(
    before: ModelSource,
    after: ModelSource | Sequence[ModelSource],
    choice: MeasuredBy | None = None,
    *,
    folder: Path | None = None,
    say: Callable[[str], None] = lambda _sentence: None,
    force: bool = False,
) -> BeforeAfter:
    """Measure the models and compare them; with a folder, a killed study goes on at the finished step.

    Several models after are one change made with several seeds: the tables have their mean, the interval
    over items, and the noise of the seeds.
    """
    chosen = choice or MeasuredBy()
    first = as_model(before)
    changed = [as_model(one) for one in _as_list(after)]
    _refuse_twins([first, *changed])
    steps = ["after"] if len(changed) == 1 else [f"after-{place}" for place in range(len(changed))]
    study = StudyRun(folder, _plan(first, dict(zip(steps, changed, strict=True)), chosen), say, force)
    measured = [
        study.results(step, lambda model=model: chosen.measured(model))  # type: ignore[misc]
        for step, model in zip(["before", *steps], [first, *changed], strict=True)
    ]
    moved = study.table("neutral text", lambda: _moved_table(first, changed, chosen.price))
    made = compared(measured[0], measured[1:], moved)
    papers = papers_of(measured[0], measured[1:])
    if papers is not None:
        made = replace(made, sentences=(*made.sentences, *papers.sentences), papers=papers.tables)
    if len(changed) == 1 and _was_tuned(Path(changed[0].name)):
        made = replace(made, sentences=(*made.sentences, ONE_TRAINING))
    study.finish(made.sentences, made.tables())
    for one in changed:
        fill_card(Path(one.name), first, made.sentences)
    return made


def _as_list(after: ModelSource | Sequence[ModelSource]) -> list[ModelSource]:
    is_several = isinstance(after, Sequence) and not isinstance(after, str)
    return list(after) if is_several else [after]  # type: ignore[arg-type, list-item]


def seed_folders(folder: Path) -> list[Path]:
    """The folders of one change made with several seeds, as `mitigate --seeds` writes them; else itself."""
    return sorted(path for path in folder.glob("seed-*") if (path / RECORD).is_file()) or [folder]


def _was_tuned(folder: Path) -> bool:
    """Whether the card of a folder says that the model was tuned, so that another seed gives another one."""
    return (folder / RECORD).is_file() and str(read_record(folder).get("mitigation")) in TUNED


def _refuse_twins(models: Sequence[LanguageModel]) -> None:
    """The same weights twice would be an unchanged model, or a training counted twice."""
    names: dict[str, str] = {}
    for model in models:
        if model.fingerprint in names:
            raise UserError(
                f"{names[model.fingerprint]!r} and {model.name!r} are the same model.",
                "Name the model before and after a change.",
            )
        names[model.fingerprint] = model.name


def fill_card(folder: Path, before: LanguageModel, sentences: Sequence[str]) -> None:
    """Put gain and price into the card of a model that was made from the one before; others have none."""
    if not (folder / RECORD).is_file():
        return
    base = read_record(folder).get("base")
    if isinstance(base, dict) and base.get("fingerprint") == before.fingerprint:
        add_price(folder, sentences)


def compared(before: Sequence[Result], after: Sequence[Sequence[Result]], moved: pd.DataFrame) -> BeforeAfter:
    """The study from results that were measured before: of one model after, or of one for each seed."""
    comparisons = [compare(before, one) for one in after]
    gain = over_seeds([gain_table(one, before) for one in comparisons], "removed")
    price = over_seeds([price_table(one) for one in comparisons], "loss")
    leanings = mean_leanings([_leanings(before, one) for one in after])
    sentences = verdict_sentences(gain, price, leanings) + seed_sentences(gain, price)
    sentences += [_moved_sentence(row) for row in moved.to_dict("records")]
    full = pd.concat([price, moved.assign(seeds=len(after))], ignore_index=True) if len(moved) else price
    table = pd.concat([one.table for one in comparisons], ignore_index=True)
    notes = tuple(dict.fromkeys(note for one in comparisons for note in one.notes))
    whole = Comparison(table, comparisons[0].alone, notes)
    return BeforeAfter(gain, full, leanings, whole, tuple(sentences))


def _leanings(before: Sequence[Result], after: Sequence[Result]) -> pd.DataFrame | None:
    pairs = [(one, two) for one in before for two in after if one.instrument == two.instrument == "tbe"]
    return leanings_table(*pairs[0]) if pairs else None


def _moved_table(before: LanguageModel, after: Sequence[LanguageModel], price: Price) -> pd.DataFrame:
    """Return rows of means: how far models moved on neutral text, what a probe reads, and other poles."""
    tables = [
        pd.concat(parts, ignore_index=True)
        for one in after
        for parts in [[divergence_table(before, one, price), elsewhere_table(before, one)]]
    ]
    means = pd.concat(tables, ignore_index=True).groupby(["instrument", "quantity", "label"], sort=False)
    return tables[0] if len(tables) == 1 else means.mean().reset_index().astype({"n": int})


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


def _plan(first: LanguageModel, changed: Mapping[str, LanguageModel], choice: MeasuredBy) -> Plan:
    steps = [Step("before", f"Measure {first.name}", SECONDS)]
    steps += [Step(step, f"Measure {model.name}", SECONDS) for step, model in changed.items()]
    steps.append(
        Step(
            "neutral text",
            "Compare them on neutral text, other poles and by a probe",
            len(changed) * SECONDS / 4,
        )
    )
    prints = [model.fingerprint for model in changed.values()]
    settings = {"before": first.fingerprint, "after": prints[0] if len(prints) == 1 else prints}
    title = f"Before and after: {', '.join(model.name for model in (first, *changed.values()))}"
    return Plan("before-after", title, {**settings, **choice.record()}, steps)


def _moved_sentence(row: Mapping[Any, Any]) -> str:
    """The divergence, what a probe still reads, or how much another pole leans."""
    is_known = row["low"] == row["low"]
    interval = f"[{shown(row['low'])}, {shown(row['high'])}]" if is_known else f"({TOO_FEW})"
    if row["quantity"] == "divergence":
        moved = f"{shown(row['after'])} nats {interval}"
        return f"On gender-neutral text its answers moved by {moved} (KL divergence; 0 is not at all)."
    if not row["n"]:
        return f"{sentence_start(row['label'])} could not be asked: a word is unknown to the model."
    moved = f"{shown(row['before'])} before, {shown(row['after'])} {interval} after"
    if row["quantity"] == "probe":
        return f"A probe still reads stereotypes off the hidden states: r = {moved}."
    return f"{sentence_start(row['label'])}: {moved}."
