"""Estimates of words that lean to men or women: sizes, separation of the two, accuracy of telling them."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from equipoise.instruments.parts.estimates import (
    Groups,
    Spec,
    contrast_estimate,
    estimate,
    grouped,
    share_estimate,
    size_estimate,
)
from equipoise.instruments.parts.leanings import FACTORS, missing_words, read_right, score_columns
from equipoise.results import Estimate, Quantity, Summary
from equipoise.results.quantity import STEREOTYPED, Contrast
from equipoise.text.sides import FEMALE, MALE

ACCURACY = "accuracy"


def separation_quantity(unit: str, *, margin: float, scale: str, ranks: bool = False) -> Quantity:
    """Words that lean to men less words that lean to women."""
    return Quantity(
        "separation",
        "male-leaning - female-leaning words",
        margin,
        unit=unit,
        factors=FACTORS,
        contrast=Contrast("leaning", MALE, FEMALE),
        ranks=ranks,
        name="gap between words about men and words about women",
        question="words",
        scale=scale,
        sides=STEREOTYPED,
        headline=True,
    )


def lean_quantities(size: Quantity) -> tuple[Quantity, Quantity]:
    """The mean size of the scores, as `size` names it, and the separation."""
    separation = separation_quantity(size.unit, margin=size.margin, scale=size.scale)
    shared = replace(separation, contrast=None, sides=(), better="lower", kind="size", ranks=True)
    return replace(shared, key=size.key, label=size.label, name=size.name), separation


def accuracy_quantity(label: str) -> Quantity:
    """The share of words that are told right."""
    return Quantity(
        *(ACCURACY, label, 0.05),
        column="correct",
        unit="share",
        neutral=0.5,
        kind="share",
        factors=FACTORS,
        ranks=True,
        name=label,
        question="words",
        scale="half",
        sides=STEREOTYPED,
        headline=True,
    )


def lean_estimates(items: pd.DataFrame, quantities: Sequence[Quantity]) -> list[Estimate]:
    """Size and separation over all words, in every group, and at every layer."""
    size, separation = quantities
    spec = Spec.of(size)
    estimates = [
        size_estimate(spec.at(groups), rows[column], rows, FACTORS)
        for groups, rows, column in _parts(items, "group", "leaning")
    ]
    return [*estimates, *separation_estimates(items, separation)]


def separation_estimates(items: pd.DataFrame, quantity: Quantity) -> list[Estimate]:
    """The separation over all words, in groups that have words of both leanings, and at every layer."""
    spec = Spec.of(quantity)
    return [
        contrast_estimate(spec.at(groups), rows[column], rows["leaning"] == MALE, rows=rows, factors=FACTORS)
        for groups, rows, column in _parts(items, "group")
        if rows["leaning"].nunique() == 2
    ]


def accuracy_summary(items: pd.DataFrame, quantity: Quantity) -> Summary:
    """The share told right over all words, in every group and at every layer; and p over all."""
    spec = Spec.of(quantity)
    estimates = [
        share_estimate(spec.at(groups), read_right(rows, column), rows, FACTORS)
        for groups, rows, column in _parts(items, "group", "leaning")
    ]
    known = items[items["score"].notna()]
    p = Spec("p", "p (Fisher's exact test)", "p", neutral=np.nan, better="none")
    value = _fisher_p(known)
    estimates.append(estimate(p, value, (value, value), n=len(known), dropped=len(items) - len(known)))
    return Summary(estimates, remarks=missing_words(items))


def _parts(items: pd.DataFrame, *columns: str) -> list[tuple[Groups, pd.DataFrame, str]]:
    """All words and those of each group by the score, then all words by the score of each layer."""
    parts = [(groups, rows, "score") for groups, rows in grouped(items, *columns)]
    return [*parts, *((groups, items, column) for column, groups in score_columns(items).items() if groups)]


def _fisher_p(rows: pd.DataFrame) -> float:
    """P that leaning and what was said of it have nothing to do with each other."""
    from scipy.stats import fisher_exact

    said, male = rows["score"] > 0, rows["leaning"] == MALE
    table = [[int((said & male).sum()), int((~said & male).sum())]]
    table += [[int((said & ~male).sum()), int((~said & ~male).sum())]]
    return float(fisher_exact(table).pvalue)
