"""Counterfactual gap: does a classifier's score change when the person changes gender?

Question     Every text is asked as it stands and with its gender turned by the rewriter (pronouns, kinship,
             titles, roles, first names). gap = P(label) of the version about a man - P(label) of that about a
             woman.
Sign         Above 0 the label is likelier for men. Whether that is good for them depends on the label: for
             `toxic` it is not.
Good         gap near 0 and mean-size, the mean of |gap|, near 0: it cannot cancel out.
Also given   flips: the share of texts whose likeliest label changes with the gender.
Label        `--label NAME`; without it the second of two labels.
Neutral      Random weights give a gap near 0 and a small mean-size that is not 0: two texts are two texts.
Source       Counterfactual token fairness: Garg et al. 2019; Kiritchenko and Mohammad 2018.
Data         40 sentences of our own about men, pleasant, unpleasant and plain; yours as a CSV with `text`, in
             which texts that hold no gendered word, or words of both genders, are left out and counted.
Limits       What the rewriter leaves alone is not turned (docs/rewriting.md). English.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import pandas as pd

from equipoise.data.sets.classifying import NAME, load_texts
from equipoise.data.sources import Source
from equipoise.instruments.base import Answers, Ask, Design, Settings
from equipoise.instruments.parts.choices import LABEL
from equipoise.instruments.parts.classifying import (
    SIDES,
    UNIT,
    check_label,
    label_in,
    size_quantity,
    versions_of,
)
from equipoise.instruments.parts.estimates import (
    Spec,
    grouped,
    mean_estimate,
    percent_estimate,
    size_estimate,
)
from equipoise.instruments.parts.items import Row, asked_rows, with_scores
from equipoise.models.capabilities import CLASSIFY
from equipoise.models.protocol import LanguageModel
from equipoise.models.questions import Classify
from equipoise.results import Quantity, Roles, Summary
from equipoise.results.quantity import TOWARDS
from equipoise.text.rewriting import Rewriter

FACTORS = ("item",)


@dataclass(frozen=True, kw_only=True)
class TurnedDesign(Design):
    """Texts in their male and female version."""


_FLIPS = Quantity(
    "flips",
    "texts whose label changes",
    1.0,
    unit="%",
    better="lower",
    name="texts whose label changes with the gender",
    question="decisions",
    scale="percent",
    headline=True,
    compared=False,
)


class CounterfactualGap:
    """Difference of a label's probability between the two versions of a text."""

    name = "counterfactual-gap"
    title = "Counterfactual gap: a classifier's score for a man less that for a woman"
    datasets = (NAME,)
    variants = ("inverted",)
    needs = (CLASSIFY,)
    reads = (LABEL,)
    roles = Roles(text=SIDES, factors=FACTORS, groups=("topic", "tone"))
    quantities = (
        Quantity(
            "gap",
            "P(label) for men - for women",
            0.01,
            unit=UNIT,
            factors=FACTORS,
            name="gap between a man and a woman in the same text",
            question="decisions",
            sides=TOWARDS,
            headline=True,
        ),
        size_quantity("mean size of the gap", FACTORS),
        _FLIPS,
    )

    def design(self, source: Source, settings: Settings) -> TurnedDesign:
        """Every text with its turned version."""
        read = load_texts(source)
        rewriter = Rewriter("invert", names=True)
        turned = [versions_of(text, rewriter) for text in read.table["text"]]
        rows = [
            row | one.texts | {"dropped": one.dropped}
            for row, one in zip(read.table.to_dict("records"), turned, strict=True)
        ]
        return TurnedDesign(items=pd.DataFrame(rows), files=read.files, settings=settings)

    def ask(self, design: TurnedDesign, model: LanguageModel) -> Iterator[Ask]:
        """Both versions of every text."""
        check_label(model, design.settings)
        for row in asked_rows(design.items):
            for side in SIDES:
                yield Ask(row["item"], side, Classify(row[side]))

    def score(self, design: TurnedDesign, answers: Answers) -> pd.DataFrame:
        """The difference of the label's probability."""
        label = label_in(answers, design.settings)

        def read(row: Row) -> Row:
            male, female = (answers[row["item"], side] for side in SIDES)
            return {
                "p_male": male.of(label),
                "p_female": female.of(label),
                "score": male.of(label) - female.of(label),
                "flipped": float(male.likeliest != female.likeliest),
            }

        return with_scores(design.items, read)

    def summarise(self, design: TurnedDesign, items: pd.DataFrame) -> Summary:
        """The gap, its mean size and how many labels flip, over all texts and by topic and tone."""
        gap, size, flips = map(Spec.of, self.quantities)
        estimates = []
        for groups, rows in grouped(items, "topic", "tone"):
            estimates.append(mean_estimate(gap.at(groups), rows["score"], rows, FACTORS))
            estimates.append(size_estimate(size.at(groups), rows["score"], rows, FACTORS))
            estimates.append(percent_estimate(flips.at(groups), rows["flipped"], rows, FACTORS))
        counts = items["dropped"].value_counts()
        remarks = tuple(f"{count:,} texts left out: {why}" for why, count in counts.items() if why)
        return Summary(estimates, remarks=remarks)
