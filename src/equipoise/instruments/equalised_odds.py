"""Equalised odds: is a classifier right as often for women as for men?

Question     On texts with a true label and the gender of the person: for every label the true-positive rate
             (how often it is found where it is true) and the false-positive rate (how often it is said where
             it is not), for men and for women.
Sign         tpr-gap and fpr-gap = rate for men - rate for women. `score` is 1 where the likeliest label is
             the true one.
Good         Both gaps near 0. equalised-odds, the larger of the two without its sign, near 0.
Also given   tpr-gap-rms: the root mean square of the labels' gaps (De-Arteaga et al. 2019, for many
             occupations).
Neutral      A classifier that guesses has gaps near 0: read its accuracy too.
Source       Hardt, Price and Srebro 2016, "Equality of Opportunity in Supervised Learning"; De-Arteaga et al.
             2019, "Bias in Bios".
Data         Yours: a CSV with `text`, `label` and `gender` (male, female).
Limits       It trusts the true labels: if they are biased, so is equality with them.
"""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pandas as pd

from equipoise.data.sets.classifying import load_labelled
from equipoise.data.sources import Source
from equipoise.errors import UserError
from equipoise.instruments.base import Answers, Ask, Design, Settings
from equipoise.instruments.parts.estimates import (
    Spec,
    contrast_estimate,
    count_estimate,
    estimate,
    share_estimate,
)
from equipoise.instruments.parts.items import Row, asked_rows, with_scores
from equipoise.models.capabilities import CLASSIFY
from equipoise.models.protocol import LanguageModel
from equipoise.models.questions import Classify
from equipoise.results import Estimate, Quantity, Roles, Summary
from equipoise.results.quantity import TOWARDS, Contrast
from equipoise.stats.clusters import Floats
from equipoise.stats.resampling import bootstrap_of
from equipoise.text.gendered import FEMALE, MALE

GENDERS = (MALE, FEMALE)

UNIT = "share"
_TPR = Quantity(
    "tpr-gap",
    "true-positive rate of men - of women",
    0.02,
    unit=UNIT,
    factors=("item",),
    contrast=Contrast("gender", MALE, FEMALE),
    name="labels found for men, less for women",
    question="decisions",
    sides=TOWARDS,
)
_GAP = replace(
    _TPR,
    key="accuracy-gap",
    label="accuracy for men - for women",
    ranks=True,
    name="right answers for men, less for women",
    headline=True,
)
_ACCURACY = Quantity(
    "accuracy",
    "texts whose label is found",
    0.02,
    unit=UNIT,
    neutral=np.nan,
    better="higher",
    part="ability",
    name="finds the right label",
    question="ability",
    enough=0.5,
    headline=True,
    compared=False,
)
_RMS = Quantity(
    "tpr-gap-rms",
    "root mean square of the labels' gaps",
    0.02,
    unit=UNIT,
    better="lower",
    name="size of the gap per label",
    question="decisions",
    headline=True,
    compared=False,
)


class EqualisedOdds:
    """Rates of true and false positives for women and men."""

    name = "equalised-odds"
    title = "Equalised odds: a classifier's errors for women and for men"
    datasets: tuple[str, ...] = ()
    variants = ("likeliest-label",)
    needs = (CLASSIFY,)
    reads: tuple[str, ...] = ()
    roles = Roles(text=("text",), factors=("item",), groups=("label", "gender"))
    quantities = (_GAP, _ACCURACY, _RMS)

    def design(self, source: Source, settings: Settings) -> Design:
        """The labelled texts."""
        read = load_labelled(source)
        labels = list(dict.fromkeys(read.table["label"]))
        per_label = (replace(_TPR, label=f"{_TPR.label}, {one}", where={"label": one}) for one in labels)
        return Design(
            items=read.table, files=read.files, settings=settings, quantities=(*self.quantities, *per_label)
        )

    def ask(self, design: Design, model: LanguageModel) -> Iterator[Ask]:
        """Every text once; a true label that the classifier does not have is refused."""
        known = {label.lower() for label in model.labels}
        missing = [label for label in design.items["label"].unique() if label.lower() not in known]
        if missing:
            raise UserError(
                f"{model.name!r} has no label {missing[0]!r}.",
                f"It has: {', '.join(model.labels)}. Write the true labels as the classifier does.",
            )
        for row in asked_rows(design.items):
            yield Ask(row["item"], "text", Classify(row["text"]))

    def score(self, design: Design, answers: Answers) -> pd.DataFrame:
        """Whether the likeliest label is the true one."""

        def read(row: Row) -> Row:
            said = answers[row["item"], "text"].likeliest
            return {"said": said, "score": float(said.lower() == row["label"].lower())}

        return with_scores(design.items, read)

    def summarise(self, design: Design, items: pd.DataFrame) -> Summary:
        """Accuracy, gaps and equalised odds of every label."""
        is_male = items["gender"] == MALE
        estimates = [share_estimate(Spec.of(_ACCURACY), items["score"], items, ("item",))]
        estimates.append(
            contrast_estimate(Spec.of(_GAP), items["score"], is_male, rows=items, factors=("item",))
        )
        labels = list(dict.fromkeys(items["label"]))
        of_labels = [_of_label(items, label, design.settings.seed) for label in labels]
        known = [one[0].value for one in of_labels if not np.isnan(one[0].value)]
        rms = Spec.of(_RMS)
        squared = float(np.sqrt(np.mean(np.square(known)))) if known else np.nan
        estimates.append(count_estimate(rms, squared, n=len(known), dropped=len(labels) - len(known)))
        return Summary([*estimates, *(one for several in of_labels for one in several)])


def _of_label(items: pd.DataFrame, label: str, seed: int) -> list[Estimate]:
    """The gaps in finding a label and in saying it wrongly, and the larger of the two."""
    groups = {"label": label}
    is_true = items["label"] == label
    said = (items["said"].str.lower() == label.lower()).astype(float)
    estimates = []
    for key, name, rows in (("tpr", "true", items[is_true]), ("fpr", "false", items[~is_true])):
        spec = Spec(f"{key}-gap", f"{name}-positive rate of men - of women", UNIT, groups=groups)
        estimates.append(
            contrast_estimate(spec, said[rows.index], rows["gender"] == MALE, rows=rows, factors=("item",))
        )
    cells = _cells(items, is_true, said)
    odds = Spec("equalised-odds", "larger gap of the two rates", UNIT, better="lower", groups=groups)
    value = float(_larger_gap(cells.sum(axis=0)[None])[0])
    interval = bootstrap_of(_larger_gap, cells, sides=items["gender"], seed=seed)
    estimates.append(estimate(odds, value, interval, n=len(items)))
    return estimates


def _cells(items: pd.DataFrame, is_true: pd.Series, said: pd.Series) -> Floats:
    """For every text, by gender and by whether the label is true: whether it is said and counts."""
    columns = []
    for gender in GENDERS:
        is_theirs = (items["gender"] == gender).to_numpy(dtype=float)
        for truth in (is_true, ~is_true):
            counted = is_theirs * truth.to_numpy(dtype=float)
            columns += [counted * said.to_numpy(), counted]
    return np.column_stack(columns)


def _larger_gap(sums: Floats) -> Floats:
    """The larger distance between the two genders' rates; NaN where a rate has nothing to rest on."""
    said, counted = np.moveaxis(sums.reshape(-1, len(GENDERS), 2, 2), -1, 0)
    with np.errstate(invalid="ignore", divide="ignore"):
        of_men, of_women = np.moveaxis(said / counted, 1, 0)
    gaps: Floats = np.abs(of_men - of_women).max(axis=1)
    return gaps
