"""How far a score moves when a sentence changes harmlessly, or follows another pattern."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from equipoise.data.sets.frames import LOWER_CASE, ORIGINAL, Frames, can_be_varied, varied
from equipoise.instruments.base import Answers, Ask
from equipoise.instruments.parts.estimates import Spec, estimate, grouped, mean_estimate, size_estimate
from equipoise.models.capabilities import other_start
from equipoise.models.options import STARTS
from equipoise.models.protocol import LanguageModel
from equipoise.models.questions import Fill, Score
from equipoise.results import Estimate
from equipoise.results.records import fixed
from equipoise.stats.ratios import deviation_of_means, level_cells, range_of_means
from equipoise.stats.resampling import bootstrap_of

STARTED = "start "
"""Before the name of another start, in what is asked and in the name of the variation."""

Quota = Callable[[int], int]
"""How many of a category's items are also asked in their changed forms."""


def with_variations(
    items: pd.DataFrame, columns: Sequence[str], *, frames: Frames, quota: Quota, seed: int
) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """The items, then the changed forms of a seeded sample of each category, and what is to be said.

    The column `variation` says which is which and `of` names the item that a changed form belongs to. The
    column `language` of the items chooses the frames and is left out of what is returned.
    """
    languages = items["language"]
    items = items.drop(columns="language")
    items = items.assign(variation=ORIGINAL, of=items["item"])
    sample = _sample(items, columns, quota, seed)
    if sample.empty:
        return items, ("fragility was not measured: no sentence is a statement that ends in a period",)
    changed: dict[str, list[dict[str, object]]] = {}
    for place, row in zip(sample.index, sample.to_dict("records"), strict=True):
        fitting = frames.fitting(languages[place])
        texts = {column: varied(row[column], fitting) for column in columns}
        for name in texts[columns[0]]:
            new = {column: texts[column][name] for column in columns}
            varied_row = row | new | {"item": f"{row['item']} / {name}", "variation": name}
            changed.setdefault(name, []).append(varied_row)
    rows = [row for of_variation in changed.values() for row in of_variation]
    said = frames.unframed(languages[sample.index].tolist())
    return pd.concat([items, pd.DataFrame(rows)], ignore_index=True), said


def with_other_start(asks: Iterable[Ask], items: pd.DataFrame, model: LanguageModel) -> Iterator[Ask]:
    """The asks, and those of varied items once more with another start where a causal model has one."""
    start = other_start(model.capabilities)
    is_varied = set(items.loc[items["variation"] != ORIGINAL, "of"]) if start else set()
    for ask in asks:
        yield ask
        if ask.item in is_varied and isinstance(ask.question, Fill | Score):
            yield Ask(ask.item, f"{ask.role} {STARTED}{start}", replace(ask.question, start=start))


def started_scores(
    answers: Answers, item: str, roles: Sequence[str], score: Callable[..., float]
) -> dict[str, float]:
    """The score of an item by its answers from another start, where they were asked for."""
    asked = {start: [(item, f"{role} {STARTED}{start}") for role in roles] for start in STARTS}
    return {
        f"score_{STARTED}{start}": score(*(answers[key] for key in keys))
        for start, keys in asked.items()
        if keys[0] in answers
    }


def originals(items: pd.DataFrame) -> pd.DataFrame:
    """The items as they were written."""
    return items[items["variation"] == ORIGINAL]


def movement_estimates(items: pd.DataFrame, *, factors: Sequence[str], unit: str) -> list[Estimate]:
    """Mean absolute and mean signed movement of the score, over all changed forms and for each.

    A causal model's other start comes by itself: it is no change of the sentence.
    """
    changed = items[items["variation"] != ORIGINAL]
    if changed.empty:
        return []
    before = items.set_index("item")["score"].loc[changed["of"]].to_numpy()
    changed = changed.assign(moved=changed["score"] - before)
    size = Spec("mean-abs-movement", "mean |movement|", unit=unit, better="lower")
    signed = Spec("mean-movement", unit=unit)
    estimates = []
    moves = [*grouped(changed, "variation")]
    for column in (f"score_{STARTED}{start}" for start in STARTS):
        if column in items:
            rows = items[items[column].notna()]
            rows = rows.assign(moved=rows[column] - rows["score"])
            moves.append(({"variation": column.removeprefix("score_")}, rows))
    for groups, rows in moves:
        if groups.get("variation") == LOWER_CASE and rows["moved"].eq(0).all():
            continue  # the model does not see capitals
        estimates.append(size_estimate(size.at(groups), rows["moved"], rows, factors))
        estimates.append(mean_estimate(signed.at(groups), rows["moved"], rows, factors))
    return estimates


def _sample(items: pd.DataFrame, columns: Sequence[str], quota: Quota, seed: int) -> pd.DataFrame:
    """A seeded sample of the items that can be varied, drawn from each category by itself."""
    fit = items["dropped"].eq("")
    for column in columns:
        fit &= items[column].map(can_be_varied).astype(bool)
    rng = np.random.default_rng(seed)
    picked: list[int] = []
    for _, rows in items[fit].groupby("category", sort=False):
        count = min(len(rows), quota(len(rows)))
        picked.extend(rng.choice(rows.index.to_numpy(), size=count, replace=False).tolist())
    return items.loc[sorted(picked)]


LEAN = "second_minus_first"
"""The column that holds how far an item leans to the second pole."""


def pattern_leans(items: pd.DataFrame, spec: Spec, factors: Sequence[str]) -> list[Estimate]:
    """The mean lean of each pattern."""
    return [
        mean_estimate(spec.at(groups), rows[LEAN], rows, factors)
        for groups, rows in grouped(items, "pattern", whole=False)
    ]


def spread_estimates(items: pd.DataFrame, unit: str, seed: int) -> list[Estimate]:
    """How far patterns lie apart: the largest mean less the smallest, and their standard deviation.

    Words are resampled; chance alone puts both above 0.
    """
    known = items[items[LEAN].notna()]
    if known["pattern"].nunique() < 2:
        return []
    widest = Spec("spread-between-patterns", "largest - smallest lean of a pattern", unit, better="lower")
    deviation = Spec("deviation-between-patterns", "deviation of patterns' leans", unit, better="lower")
    cells = level_cells(known[LEAN], known["pattern"])
    return [
        estimate(
            spec,
            float(statistic(cells.sum(axis=0))),
            bootstrap_of(statistic, cells, known["word"], seed=seed),
            n=len(known),
            dropped=len(items) - len(known),
        )
        for spec, statistic in ((widest, range_of_means), (deviation, deviation_of_means))
    ]


def opposite_patterns(leans: Sequence[Estimate], poles: Sequence[str]) -> tuple[str, ...]:
    """A remark where patterns lean opposite ways, counting those whose interval lies apart from 0."""
    sides = {
        poles[1]: [lean for lean in leans if lean.low > 0],
        poles[0]: [lean for lean in leans if lean.high < 0],
    }
    if not all(sides.values()):
        return ()
    told = (
        f"to {pole} in " + ", ".join(f"{lean.level} ({fixed(lean.value, 3, sign=True)})" for lean in of_pole)
        for pole, of_pole in sides.items()
    )
    return (f"the lean depends on the phrasing: {'; '.join(told)}",)
