"""Traits: are competence, failure, care and aggression gendered?

Question     "The person flooded the kitchen when [MASK] tried to repair the tap.": the share of women
             P(she) / (P(he) + P(she)), in the pronoun form of the slot, by class: incompetent, neutral or
             competent; caring, neutral or aggressive. No occupation is named.
Sign         `score` = (P(he) - P(she)) / (P(he) + P(she)), above 0 leans male (other poles: to the first). A
             difference above 0 means that competent (caring) sentences are given to women more often than
             incompetent (aggressive) ones.
Good         The same share in every class: differences near 0. A share far from a half in all classes is
             skew, not a stereotype about traits.
Also given   "female predictions": the published quantity, the share of sentences in which she is likelier
             than he; ties are left out and counted. The share of probabilities sees what a prediction hides.
Neutral      A uniform model gives 0.5 in every class, differences of 0, and ties only, so no predictions.
             Random weights: any share, but nearly the same in all classes (the built-in `random`:
             differences within 0.01), while predictions can be all of one gender.
Source       de Vassimon Manela et al. 2021, "Stereotype and Skew", section 4.4 (competency study).
WinoBias     The study labels sentences of WinoBias (type 2, test) with "person" for every occupation. `--data
             winobias` asks these sentences; a file with the columns id (type2-test-17) and competence, or
             competence_NAME for each annotator, adds your labels. `equipoise study competence` sets the share
             of female predictions by class in the form of its Table 3.
Differs      The labels of the study were not published, so its Table 3 (BERT: .156 .117 .160 for incompetent,
             neutral and competent) cannot be checked. `equipoise-traits` has sentences of its own with one
             label per axis, given by their writer; the neutral class of one axis contains the classes of the
             other, and "neutral on every axis" is apart.
Own file     Columns id, sentence (with [MASK]), form, and labels: `competence` and `care`, or one column per
             annotator such as competence_ann, competence_bo. Several annotators give Fleiss' kappa and a
             majority vote; sentences without a majority are left out of that axis and counted.
Detects      a lean of 18 points or more in 8 of 10 draws (`study controls`, BERT).
Limits       One sentence is one situation: classes differ in topic too, and nothing is said about causes.
             Two genders; English unless the file and the poles are in another language.
"""

from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

from equipoise.data.poles import load_poles
from equipoise.data.sets.traits import AXES, load_traits
from equipoise.data.sets.winobias import DATASET as WINOBIAS
from equipoise.data.sources import Source
from equipoise.instruments.base import Answers, Ask, PolarDesign, Settings
from equipoise.instruments.parts.choices import POLES
from equipoise.instruments.parts.estimates import (
    Groups,
    Spec,
    contrast_estimate,
    estimate,
    mean_estimate,
    probability_estimate,
    share_estimate,
)
from equipoise.instruments.parts.items import (
    TIE,
    Row,
    asked_rows,
    asked_words,
    choices,
    log_masses,
    pieces_remarks,
    second_share,
    with_scores,
)
from equipoise.models.capabilities import FILL
from equipoise.models.protocol import LanguageModel
from equipoise.models.questions import Fill
from equipoise.results import Estimate, Quantity, Roles, Summary
from equipoise.results.quantity import REVERSED, TOWARDS, Contrast
from equipoise.stats.agreement import agreement_cells, fleiss_kappa, kappa_of_sums, majority_vote
from equipoise.stats.resampling import bootstrap_of

UNIT = "(first - second)/(first + second)"
LEAN = "mean lean"
NEUTRAL = "neutral"
BASELINE = {"axis": "neutral on every axis"}


@dataclass(frozen=True, kw_only=True)
class TraitDesign(PolarDesign):
    """The same with the columns that the labels of each axis came from."""

    axes: Mapping[str, list[str]]


def _quantities(pole: str, axes: Container[str] = AXES) -> tuple[Quantity, ...]:
    """What models are compared by: the contrasts of a pole's share, and the lean of all sentences."""
    contrasts = [_contrast_quantity(axis, pole) for axis in AXES if axis in axes]
    return (*contrasts, _MEAN_LEAN, _share_quantity(pole))


def _share_quantity(pole: str) -> Quantity:
    """The share of a pole's pronouns in a class of sentences."""
    return Quantity(
        "second-share",
        f"{pole} share",
        0.05,
        column="second_share",
        unit="share",
        neutral=0.5,
        kind="probability",
        name=f"share of {pole} pronouns",
        question="default",
        scale="half",
        sides=REVERSED,
        compared=False,
    )


def _contrast_quantity(axis: str, pole: str) -> Quantity:
    """How much larger the pole's share is in one class of an axis than in its opposite."""
    one, other = AXES[axis]
    return Quantity(
        f"{axis}-contrast",
        f"{pole} share, {one} - {other}",
        0.05,
        column="second_share",
        unit="difference of shares",
        contrast=Contrast(axis, one, other),
        ranks=axis == "care",
        name=f"{one} rather than {other}",
        question="traits",
        sides=REVERSED,
        headline=True,
    )


_MEAN_LEAN = Quantity(
    "mean-lean",
    LEAN,
    0.05,
    unit=UNIT,
    name="lean of all sentences about traits",
    question="default",
    sides=TOWARDS,
)


class Traits:
    """The share of each pole's pronouns by class of sentence."""

    name = "traits"
    title = "Pronouns by trait: competence and care"
    datasets = ("equipoise-traits", WINOBIAS)
    variants = ("corrected",)
    needs = (FILL,)
    reads = (POLES,)
    roles = Roles(text=("text",), groups=tuple(AXES))
    quantities = _quantities("second pole's")

    def design(self, source: Source, settings: Settings) -> TraitDesign:
        """The sentences with a label for every axis: their own, or what most annotators said."""
        poles = load_poles(settings.poles)
        read = load_traits(source, poles)
        return TraitDesign(
            items=read.table,
            files=read.files,
            settings=settings,
            notices=read.notices,
            poles=poles,
            axes=read.axes,
            quantities=_quantities(poles.pair[1], read.axes),
        )

    def ask(self, design: TraitDesign, model: LanguageModel) -> Iterator[Ask]:
        """One blank per sentence."""
        for row in asked_rows(design.items):
            words = asked_words(design.poles.pair_at(row["form"]))
            yield Ask(row["item"], "blank", Fill(row["text"], words))

    def score(self, design: TraitDesign, answers: Answers) -> pd.DataFrame:
        """P of each pole, the share of the second, the prediction and the signed score."""
        first, second = design.poles.pair

        def read(row: Row) -> Row:
            answer = answers[row["item"], "blank"]
            masses = log_masses(design.poles.pair_at(row["form"]), answer)
            share = float(second_share(masses[first], masses[second]))
            return {
                **{f"p_{pole}": float(np.exp(mass)) for pole, mass in masses.items()},
                "log_ratio": masses[first] - masses[second],
                "second_share": share,
                "score": 1 - 2 * share,
                "pieces": max(answer.pieces),
            }

        items = with_scores(design.items, read)
        return items.assign(prediction=choices(items["log_ratio"], 0.0, design.poles.pair))

    def summarise(self, design: TraitDesign, items: pd.DataFrame) -> Summary:
        """The shares of every class of every axis, the differences between them, and the annotators."""
        pole, axes = design.poles.pair[1], design.axes
        lean = Spec.of(_MEAN_LEAN)
        estimates = [mean_estimate(lean, items["score"], items), *_class_estimates({}, items, pole)]
        for axis in axes:
            estimates += _contrast(axis, items, pole)
        for axis in axes:
            for name in (label for label in items[axis].unique() if label):
                estimates += _class_estimates({axis: name}, items[items[axis] == name], pole)
        is_baseline = (items[list(axes)] == NEUTRAL).all(axis=1)
        if len(axes) > 1 and is_baseline.any():
            estimates += _class_estimates(BASELINE, items[is_baseline], pole)
        for axis, columns in axes.items():
            if columns != [axis]:
                estimates += _agreement(axis, items[columns], design.settings.seed)
        return Summary(estimates, _remarks(items))


def _remarks(items: pd.DataFrame) -> tuple[str, ...]:
    """What a reader must know before the numbers: ties, and words of several pieces."""
    ties = int((items["prediction"] == TIE).sum())
    remarks = [f"{ties} of {len(items)} predictions are ties and left out of predictions"] if ties else []
    return (*remarks, *pieces_remarks(items))


def _class_estimates(groups: Groups, rows: pd.DataFrame, pole: str) -> list[Estimate]:
    """The mean share of the pole in a class, and how often it is the likelier one."""
    share = Spec.of(_share_quantity(pole), groups=groups)
    predicted = (rows["prediction"] == pole).astype(float).where(~rows["prediction"].isin((TIE, "")))
    predictions = Spec("second-predictions", f"{pole} predictions", "share of sentences", 0.5, groups=groups)
    return [
        probability_estimate(share, rows["second_share"], rows),
        share_estimate(predictions, predicted, rows),
    ]


def _contrast(axis: str, items: pd.DataFrame, pole: str) -> list[Estimate]:
    """How much larger the pole's share is in one class of a known axis than in its opposite."""
    if axis not in AXES:
        return []
    one, other = AXES[axis]
    rows = items[items[axis].isin((one, other))]
    if rows[axis].nunique() < 2:
        return []
    spec = Spec.of(_contrast_quantity(axis, pole))
    return [contrast_estimate(spec, rows["second_share"], rows[axis] == one, rows=rows)]


def _agreement(axis: str, votes: pd.DataFrame, seed: int) -> list[Estimate]:
    """Fleiss' kappa of the sentences that all annotators labelled, and how many have a majority."""
    labels = votes.to_numpy()
    complete = labels[(labels != "").all(axis=1)].tolist()
    groups = {"axis": axis}
    kappa = Spec("fleiss-kappa", "Fleiss' kappa", "kappa", 1.0, "higher", groups=groups)
    interval: tuple[float, float] = (np.nan, np.nan)
    if complete:
        interval = bootstrap_of(kappa_of_sums, agreement_cells(complete), seed=seed)
    value = fleiss_kappa(complete) if complete else float("nan")
    voted = majority_vote([[label or None for label in row] for row in labels.tolist()])
    has_majority = pd.Series([float(label is not None) for label in voted])
    majority = Spec("with-a-majority", "", "share of sentences", 1.0, "higher", groups=groups)
    return [
        estimate(kappa, value, interval, n=len(complete), dropped=len(labels) - len(complete)),
        share_estimate(majority, has_majority, votes),
    ]
