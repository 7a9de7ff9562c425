"""Preparing: an instrument reads its data and says what it will ask; with the answers it gives a result."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timezone
from typing import Any, TypeVar

import pandas as pd

from equipoise.data.reading import file_sha256
from equipoise.data.sources import altered_problem
from equipoise.errors import UserError
from equipoise.instruments.base import (
    Ask,
    Design,
    Instrument,
    PolarDesign,
    Settings,
    describe_instrument,
    refuse_all_dropped,
    refuse_incomplete,
    refuse_repeated_asks,
    refuse_repeated_names,
    refuse_undeclared_headlines,
)
from equipoise.instruments.parts.choices import fixed_choices, recorded_choices
from equipoise.instruments.parts.groups import columns_of, with_group_estimates, with_groups
from equipoise.models.loading import portable_name
from equipoise.models.protocol import LanguageModel, require, unaskable_reason
from equipoise.models.questions import Question, Raw, Score
from equipoise.models.static import STATIC
from equipoise.results import Quantity, Result, Summary
from equipoise.results.estimate import estimates_table
from equipoise.results.reading import readings
from equipoise.results.records import column_kinds, fixed
from equipoise.results.result import describe_versions
from equipoise.samples import whole_run, without_partial
from equipoise.text.gendered import FEMALE, MALE


@dataclass(frozen=True)
class Prepared:
    """An instrument with what it read and what it asks, waiting for answers.

    The files are hashed when they are read: by the time of the answers they may have changed.
    """

    model: LanguageModel
    instrument: Instrument[Any]
    design: Design
    asks: list[Ask]
    hashes: Mapping[str, str]
    altered: tuple[str, ...]

    def without_unaskable(self) -> "Prepared":
        """The same without the items that the model cannot be asked."""
        design, asks = drop_unaskable(self.instrument.name, self.model, self.design, self.asks)
        return replace(self, design=design, asks=asks)

    def result(self, answers: Sequence[Any]) -> Result:
        """Read the answers and summarise."""
        keyed = {(ask.item, ask.role): answer for ask, answer in zip(self.asks, answers, strict=True)}
        items = self.instrument.score(self.design, keyed)
        if "dropped" in items:  # items of which none has answers have no column of scores either
            refuse_all_dropped(self.instrument.name, items)
        refuse_incomplete(self.instrument.name, items, ("item", "score", "dropped"), "score")
        summary = self._summary(self.design, items)
        refuse_undeclared_headlines(self.instrument.name, summary.estimates, self.quantities())
        provenance = self._provenance(items, summary)
        return Result(self.instrument.name, items, estimates_table(summary.estimates), provenance)

    def sampled(self, answers: Mapping[tuple[str, str], Any], blocks: pd.Series, last: int) -> Result:
        """The result of the items that were asked up to a block, as a sample of the whole run."""
        asked = self.design.items["item"].map(blocks) <= last
        share = float(asked.mean())
        if share == 1:
            return self.result([answers[ask.item, ask.role] for ask in self.asks])
        part = replace(self.design, items=self.design.items[asked].reset_index(drop=True))
        names = set(part.items["item"])
        one = replace(self, design=part, asks=[ask for ask in self.asks if ask.item in names])
        keys = [(ask.item, ask.role) for ask in one.asks]
        items = self.instrument.score(part, {key: answers[key] for key in keys})
        refuse_all_dropped(self.instrument.name, items)
        quantities = self.quantities()
        summary = self._summary(part, items)
        summary = summary._replace(estimates=without_partial(summary.estimates, quantities))
        provenance = one._provenance(items, summary)
        total, seed = len(self.design.items), self.design.settings.seed
        percent = fixed(100 * share, 0)
        said = f"a sample of {percent} %: {len(items):,} of {total:,} items, drawn with seed {seed}"
        provenance["data"]["notices"].insert(0, said)
        provenance["sample"] = {"share": share, "asked": len(items), "of": total, "seed": seed}
        ends = whole_run(self.instrument, part, items, self.design.items, quantities)
        provenance["sample"] |= {"whole": ends}
        return Result(self.instrument.name, items, estimates_table(summary.estimates), provenance)

    def _summary(self, design: Design, items: pd.DataFrame) -> Summary:
        """What the instrument says of its items, and what the groups of `--by` say."""
        summary, by = self.instrument.summarise(design, items), columns_of(design.settings.by)
        if not by:
            return summary
        return with_group_estimates(summary, items, by, self.quantities(), self.instrument.roles)

    def measured(self) -> dict[str, Any]:
        """What is measured, of which model, on which data and by which choices."""
        settings, model = self.design.settings, self.model
        is_table = isinstance(settings.data, pd.DataFrame)
        return {
            "instrument": describe_instrument(self.instrument, settings.variant),
            "model": {
                "name": portable_name(model.name),
                "kind": model.kind,
                "fingerprint": model.fingerprint,
                "precision": model.precision,
                "notes": list(model.notes),
            },
            "data": {
                "name": "table" if is_table else portable_name(str(settings.data)),
                "poles": portable_name(settings.poles),
                "files": dict(self.hashes),
            },
            "choices": recorded_choices(settings),
            "fixed_choices": fixed_choices(settings),
            "seed": settings.seed,
        }

    def _provenance(self, items: pd.DataFrame, summary: Summary) -> dict[str, Any]:
        measured = self.measured()
        measured["data"] |= {"notices": [*self._notices(items), *summary.remarks]}
        return measured | {
            "sentences": [*readings(summary.estimates, self.quantities()), *summary.sentences],
            "questions": len(self.asks),
            "roles": {name: list(columns) for name, columns in asdict(self.instrument.roles).items()},
            "quantities": [quantity.to_record() for quantity in self.quantities()],
            "columns": column_kinds(items),
            "versions": describe_versions(),
            "created": datetime.now(timezone.utc).isoformat(timespec="seconds"),
        }

    def quantities(self) -> tuple[Quantity, ...]:
        """Every declared quantity, its sides named after the poles that were asked."""
        poles = self.design.poles.pair if isinstance(self.design, PolarDesign) else (MALE, FEMALE)
        declared = self.design.quantities or self.instrument.quantities
        return tuple(quantity.of_poles(*poles) for quantity in declared)

    def _notices(self, items: pd.DataFrame) -> list[str]:
        kept = set(items["item"][items["dropped"] == ""])
        # A word without a vector is named also where it is the reason that an item was dropped.
        asks = [ask for ask in self.asks if ask.item in kept or self.model.kind == STATIC]
        return [
            *self.design.notices,
            *self.altered,
            *dropped_notice(items),
            *misread_notice(self.model, asks),
        ]


def cost(asks: Sequence[Ask]) -> int:
    """Roughly how many words a model reads to answer: a scored text is read once for each of them."""
    return sum(_words_read(question) for question in {ask.question for ask in asks})


def _words_read(question: Question) -> int:
    if isinstance(question, Raw):
        return len(question.ids)
    words = question.text.count(" ") + 1
    return words**2 if isinstance(question, Score) else words


def prepare(model: LanguageModel, instrument: Instrument[Any], settings: Settings) -> Prepared:
    """Read what the instrument needs and collect its questions."""
    require(model, *instrument.needs, by=instrument.name)
    settings = settings.completed(instrument)
    resolved = settings.source(instrument)
    if not isinstance(settings.data, pd.DataFrame):
        settings = replace(settings, data=resolved.name)
    by = columns_of(settings.by)
    design = with_groups(instrument.design(resolved, settings), by)
    refuse_incomplete(instrument.name, design.items, ("item", "dropped"), "design")
    refuse_repeated_names(instrument.name, design.items)
    refuse_all_dropped(instrument.name, design.items)
    hashes = {file.name: file_sha256(file) for file in design.files}
    altered = tuple(filter(None, (altered_problem(file, resolved.name) for file in design.files)))
    asks = list(instrument.ask(design, model))
    if not asks:
        raise UserError(
            f"{instrument.name}: {model.name!r} can be asked none of the items.",
            "Use another model or other data: these texts may be too long for it.",
        )
    refuse_repeated_asks(instrument.name, asks)
    return Prepared(model, instrument, design, asks, hashes, altered)


REASONS = 3
"""Reasons why items were dropped that are named."""

NAMED = 20
"""Words without a vector that are named; all are counted."""


def dropped_notice(items: pd.DataFrame) -> list[str]:
    """How many items were dropped, and why: the usual reasons first."""
    reasons = Counter(items["dropped"][items["dropped"] != ""]).most_common(REASONS)
    if not reasons:
        return []
    count = int((items["dropped"] != "").sum())
    told = "; ".join(f"{reason} ({number:,})" for reason, number in reasons)
    return [f"{count:,} of {len(items):,} items were dropped: {told}"]


def misread_notice(model: LanguageModel, asks: Sequence[Ask]) -> list[str]:
    """Published texts are measured as they stand, so one that the model cannot spell is told, not refused."""
    questions = (ask.question for ask in asks)
    texts = list(dict.fromkeys(question.text for question in questions if not isinstance(question, Raw)))
    misread = [text for text in texts if model.misreads(text)]
    if not misread:
        return []
    if model.kind == STATIC:
        words = list(dict.fromkeys(word for text in misread for word in model.unknown_parts(text)))
        return [f"{model.name!r} has no vector for {len(words):,} words: {', '.join(words[:NAMED])}"]
    return [
        f"{len(misread):,} of {len(texts):,} texts hold something that {model.name!r} cannot spell and reads "
        f"as its unknown token, the first: {misread[0]!r}"
    ]


D = TypeVar("D", bound=Design)
MOST = 0.5
"""An instrument is refused if it loses more than this share of its items."""


def drop_unaskable(name: str, model: LanguageModel, design: D, asks: Sequence[Ask]) -> tuple[D, list[Ask]]:
    """The design with unaskable items dropped, and what is still asked; refused if it is most of them."""
    reasons: dict[str, str] = {}
    for ask in asks:
        if ask.item not in reasons and (reason := unaskable_reason(model, ask.question)):
            reasons[ask.item] = reason
    items = design.items
    is_open = items["dropped"].eq("")
    affected = is_open & items["item"].isin(reasons)
    if affected.sum() < len(reasons) or affected.sum() > MOST * is_open.sum():
        ((reason, _),) = Counter(reasons.values()).most_common(1)
        raise UserError(
            f"{name}: {len(reasons):,} of {is_open.sum():,} items cannot be asked of {model.name!r}; the "
            f"most frequent reason: {reason}.",
            "Use another model or other data.",
        )
    dropped = items["dropped"].where(~affected, items["item"].map(reasons))
    left = [ask for ask in asks if ask.item not in reasons]
    return replace(design, items=items.assign(dropped=dropped)), left
