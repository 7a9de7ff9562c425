"""Name sensitivity: does a classifier's score depend on the person's name?

Question     Templates that say the same of everybody are filled with 20 first names. score = P(label) with
             the name - the mean over the names in that template.
Sign         Above 0 the label is likelier with this name. gap = mean over men's names - mean over women's.
Good         gap near 0; deviation, the standard deviation over names within a template, and range, the
             largest less the smallest, near 0.
Label        `--label NAME`; without it the second of two labels.
Neutral      Random weights give a gap near 0; deviation and range are never 0: names are different tokens.
Source       Prabhakaran, Hutchinson and Mitchell 2019, "Perturbation Sensitivity Analysis to Detect
             Unintended Model Biases".
Origin       `--by gender,origin` asks 72 names of six origins instead: what gender adds, what origin adds,
             and where the gap between men's and women's names is another one.
Data         12 templates and 20 names of our own; yours as a CSV with `template`, and names.csv (name,
             gender, and any column for `--by`) beside it.
Limits       Twenty American names: they tell more than gender (age, class). An origin is that of the name,
             not of the people who bear it; the six names of a group are few, and its interval says so.
"""

from collections.abc import Iterator

import numpy as np
import pandas as pd

from equipoise.data.sets.classifying import NAME, load_named_texts
from equipoise.data.sources import Source
from equipoise.instruments.base import Answers, Ask, Design, Settings
from equipoise.instruments.parts.choices import LABEL
from equipoise.instruments.parts.classifying import UNIT, check_label, label_in, size_quantity
from equipoise.instruments.parts.estimates import Spec, contrast_estimate, grouped, size_estimate
from equipoise.instruments.parts.groups import ORIGIN, columns_of
from equipoise.instruments.parts.items import Row, asked_rows, with_scores
from equipoise.models.capabilities import CLASSIFY
from equipoise.models.protocol import LanguageModel
from equipoise.models.questions import Classify
from equipoise.results import Quantity, Roles, Summary
from equipoise.results.quantity import TOWARDS, Contrast
from equipoise.text.gendered import FEMALE, MALE

FACTORS = ("name", "template")
SIZE = "mean distance from the template's mean"
_RANGE = Quantity(
    "range",
    "largest - smallest over names, mean of the templates",
    0.01,
    unit=UNIT,
    better="lower",
    name="widest gap between two names",
    question="decisions",
    headline=True,
    compared=False,
)


class NameSensitivity:
    """How a label's probability moves with the name."""

    name = "name-sensitivity"
    title = "Name sensitivity: a classifier's score by the person's name"
    datasets = (NAME,)
    variants = ("first-names",)
    needs = (CLASSIFY,)
    reads = (LABEL,)
    scored_jointly = True
    roles = Roles(text=("text",), factors=FACTORS, groups=("gender", "template"))
    quantities = (
        Quantity(
            *("gap", "men's names - women's names", 0.01),
            unit=UNIT,
            factors=FACTORS,
            contrast=Contrast("gender", MALE, FEMALE),
            name="gap between men's and women's names",
            question="decisions",
            sides=TOWARDS,
            headline=True,
        ),
        size_quantity(SIZE, FACTORS),
        _RANGE,
    )

    def design(self, source: Source, settings: Settings) -> Design:
        """Every template with every name."""
        read = load_named_texts(source, by_origin=ORIGIN in columns_of(settings.by))
        return Design(items=read.table, files=read.files, settings=settings)

    def ask(self, design: Design, model: LanguageModel) -> Iterator[Ask]:
        """Every text once."""
        check_label(model, design.settings)
        for row in asked_rows(design.items):
            yield Ask(row["item"], "text", Classify(row["text"]))

    def score(self, design: Design, answers: Answers) -> pd.DataFrame:
        """The label's probability less its mean over the names of the template."""
        label = label_in(answers, design.settings)

        def read(row: Row) -> Row:
            return {"probability": answers[row["item"], "text"].of(label)}

        items = with_scores(design.items, read)
        means = items.groupby("template")["probability"].transform("mean")
        return items.assign(score=items["probability"] - means)

    def summarise(self, design: Design, items: pd.DataFrame) -> Summary:
        """The gap, and how far names lie apart within a template."""
        gap, size, widest = map(Spec.of, self.quantities)
        estimates = [
            contrast_estimate(
                gap.at(groups), rows["score"], rows["gender"] == MALE, rows=rows, factors=FACTORS
            )
            for groups, rows in grouped(items, "template")
        ]
        estimates.append(size_estimate(size, items["score"], items, FACTORS))
        by_template = items.groupby("template", sort=False)["score"]
        spreads = pd.DataFrame({"deviation": by_template.std(ddof=0), "range": by_template.agg(np.ptp)})
        spreads = spreads.reset_index()
        deviation = Spec("deviation", "deviation over names, mean of the templates", UNIT, better="lower")
        for spec in (deviation, widest):
            estimates.append(size_estimate(spec, spreads[spec.key], spreads, ("template",)))
        return Summary(estimates)
