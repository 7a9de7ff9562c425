"""Professions before and after: APPD of each, whether it was read about in training, and the line between.

Figures 8 to 10 of the thesis: bars of APPD by category before and after a mitigation, marks for professions
that stood in the training text, and after against before with a fitted line. A slope near 0 means that
everything went to neutral; near 1 that nothing happened; professions that were never read about and moved as
far as the others show flattening rather than learning.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from equipoise.corpora.named import CorpusTexts
from equipoise.errors import UserError
from equipoise.results import Result
from equipoise.results.comparison.pairing import check_comparable
from equipoise.results.numbers import fixed
from equipoise.studies.steps import Plan

INSTRUMENT = "tbe"
FEWEST = 3


@dataclass(frozen=True)
class Line:
    """The fitted line of after on before, with the 95 % interval of its slope over professions."""

    group: str
    slope: float
    low: float
    high: float
    intercept: float
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
    means = pd.DataFrame({name: _appd(result) for name, result in sides.items()}).dropna().reset_index()
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


def _appd(result: Result) -> pd.Series:
    items = result.items
    items = items[(items["variation"] == "original") & (items["dropped"] == "") & (items["profession"] != "")]
    return items.groupby(["part", "category", "profession"], sort=False)["score"].mean()


def _lines(means: pd.DataFrame) -> list[Line]:
    work = means[means["part"] == "occupation"]
    groups = {"all professions": work, "gendered by definition": means[means["part"] == "guard"]}
    if "seen" in means:
        groups |= {"in the training text": work[work["seen"]], "not in it": work[~work["seen"]]}
    return [fitted(name, rows) for name, rows in groups.items() if len(rows) >= FEWEST]


def fitted(name: str, rows: pd.DataFrame) -> Line:
    """Least squares with the usual interval of its slope."""
    from scipy.stats import linregress, t

    before = rows["before"].to_numpy()
    if np.ptp(before) == 0:
        return Line(name, float("nan"), float("nan"), float("nan"), float(rows["after"].mean()), len(rows))
    line = linregress(before, rows["after"].to_numpy())
    half = float(t.ppf(0.975, len(rows) - 2)) * float(line.stderr)
    slope = float(line.slope)
    return Line(name, slope, slope - half, slope + half, float(line.intercept), len(rows))


def _in_words(means: pd.DataFrame, lines: pd.DataFrame) -> list[str]:
    work = means[means["part"] == "occupation"]
    first, last = (float(work[side].abs().mean()) for side in ("before", "after"))
    said = [f"Mean |APPD| of {len(work)} professions: {fixed(first, 3)} before, {fixed(last, 3)} after."]
    said += [
        f"Slope of after on before, {row['group']}: {fixed(row['slope'], 2)} "
        f"[{fixed(row['low'], 2)}, {fixed(row['high'], 2)}], n = {row['n']}."
        for row in lines.to_dict("records")
    ]
    if "seen" in means:
        moved = (work["after"] - work["before"]).abs()
        seen, unseen = (moved[work["seen"] == flag] for flag in (True, False))
        if len(seen) and len(unseen):
            said.append(
                f"Professions in the training text moved by {fixed(seen.mean(), 3)} on average, others by "
                f"{fixed(unseen.mean(), 3)}."
            )
    return said
