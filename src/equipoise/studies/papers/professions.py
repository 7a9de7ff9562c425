"""Professions before and after: APPD of each, whether it was read about in training, and the line between.

Figures 8 to 12 and 14 to 19 of the thesis: bars of APPD by category before and after a mitigation with marks
for professions that the training text names, the same for words that are gendered by definition, and after
against before with a fitted line. A slope near 0 means that everything went to neutral, near 1 that nothing
happened. Professions that the text does not name and that moved as far as the others show flattening rather
than learning.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from equipoise.corpora.opening import CorpusTexts
from equipoise.errors import UserError
from equipoise.instruments.parts.fragility import originals
from equipoise.instruments.tbe import GUARD
from equipoise.results import Result
from equipoise.results.comparison.pairing import check_comparable
from equipoise.results.records import fixed, shown, told
from equipoise.stats.correlation import pearson
from equipoise.stats.means import mean_with_interval
from equipoise.studies.steps import Plan

INSTRUMENT = "tbe"
FEWEST = 3


@dataclass(frozen=True)
class FittedLine:
    """The fitted line of after on before and Pearson's r, with 95 % intervals over professions."""

    group: str
    slope: float
    low: float
    high: float
    intercept: float
    r: float
    r_low: float
    r_high: float
    r_squared: float
    n: int


@dataclass(frozen=True)
class Professions:
    """A row per profession; the lines of all, and of those read about and not; sentences."""

    table: pd.DataFrame
    lines: pd.DataFrame
    sentences: list[str]


def professions_study(before: Result, after: Result, corpus: CorpusTexts | None = None) -> Professions:
    """APPD of every profession in two results of the template-based evaluation."""
    for result in (before, after):
        if result.instrument != INSTRUMENT:
            raise UserError(
                f"A result of {result.instrument} was given where one of {INSTRUMENT} is read.",
                f"Write one with `equipoise measure {INSTRUMENT} --model M --out DIR`.",
            )
    check_comparable([before, after])
    sides = {"before": before, "after": after}
    tables = [_appd(result, name) for name, result in sides.items()]
    means = tables[0].join(tables[1], how="inner").dropna(subset=list(sides)).reset_index()
    if corpus is not None:
        counts = mentions(list(means["profession"]), [document.text for document in corpus.documents])
        means["mentions"] = [counts[word] for word in means["profession"]]
        means["seen"] = means["mentions"] > 0
    lines = pd.DataFrame(_lines(means))
    return Professions(means, lines, _in_words(means, lines))


def professions_plan(before: Result, after: Result) -> Plan:
    """What stands above the study on a page: the two models."""
    settings = {"before": before.fingerprint, "after": after.fingerprint}
    return Plan("professions", f"Professions: {before.model}, {after.model}", settings, ())


def mentions(words: Sequence[str], texts: Sequence[str]) -> dict[str, int]:
    """How often each profession stands in the texts, in the singular or the plural."""
    listed = sorted({word.lower() for word in words if word}, key=len, reverse=True)
    if not listed:
        return dict.fromkeys(words, 0)
    pattern = re.compile(rf"\b({'|'.join(map(re.escape, listed))})(?:s|es)?\b", re.IGNORECASE)
    counts = Counter(match[1].lower() for text in texts for match in pattern.finditer(text))
    return {word: counts[word.lower()] for word in words}


def _appd(result: Result, side: str) -> pd.DataFrame:
    """APPD of every profession with its interval over templates, under the name of a side.

    A guard template without a slot is about its category (Pregnancy); any other one names no profession.
    """
    items = originals(result.items)
    items = items[items["dropped"] == ""]
    named = items["profession"].fillna("")
    about = named.where((named != "") | (items["part"] != GUARD), items["category"].str.lower())
    items = items.assign(profession=about)[about != ""]
    rows = {}
    for key, same in items.groupby(["part", "category", "profession"], sort=False):
        mean = mean_with_interval(same["score"].to_numpy(dtype=float), [same["template"]])
        rows[key] = {side: mean.value, f"{side}_low": mean.low, f"{side}_high": mean.high}
    index = pd.MultiIndex.from_tuples(rows, names=["part", "category", "profession"])
    return pd.DataFrame(rows.values(), index=index)


def _lines(means: pd.DataFrame) -> list[FittedLine]:
    work = means[means["part"] == "occupation"]
    groups = {"all professions": work, "gendered by definition": means[means["part"] == "guard"]}
    if "seen" in means:
        groups |= {"in the training text": work[work["seen"]], "not in it": work[~work["seen"]]}
    return [fitted(name, rows) for name, rows in groups.items() if len(rows) >= FEWEST]


def fitted(name: str, rows: pd.DataFrame) -> FittedLine:
    """Least squares with the usual interval of its slope, and how well the line fits."""
    from scipy.stats import linregress, t

    before, after = (rows[side].to_numpy(dtype=float) for side in ("before", "after"))
    related = pearson(before, after)
    fit = (related.value, *related.interval, related.value**2, len(rows))
    if np.ptp(before) == 0:
        return FittedLine(name, np.nan, np.nan, np.nan, float(after.mean()), *fit)
    line = linregress(before, after)
    half = float(t.ppf(0.975, len(rows) - 2)) * float(line.stderr)
    slope = float(line.slope)
    return FittedLine(name, slope, slope - half, slope + half, float(line.intercept), *fit)


def _in_words(means: pd.DataFrame, lines: pd.DataFrame) -> list[str]:
    work = means[means["part"] == "occupation"]
    first, last = (float(work[side].abs().mean()) for side in ("before", "after"))
    said = [f"Mean |APPD| of {len(work)} professions: {shown(first)} before, {shown(last)} after."]
    said += [
        f"Slope of after on before, {row['group']}: {told(row['slope'], row['low'], row['high'])}, "
        f"r = {told(row['r'], row['r_low'], row['r_high'])}, "
        + (f"R² = {fixed(row['r_squared'], 2)}, " if row["r_squared"] == row["r_squared"] else "")
        + f"n = {row['n']}."
        for row in lines.to_dict("records")
    ]
    if "seen" in means:
        moved = (work["after"] - work["before"]).abs()
        seen, unseen = (moved[work["seen"] == flag] for flag in (True, False))
        if len(seen) and len(unseen):
            said.append(
                f"Professions in the training text moved by {shown(seen.mean())} on average, others by "
                f"{shown(unseen.mean())}."
            )
    return said
