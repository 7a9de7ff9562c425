"""Net neutral: does an inference model conclude a person's gender from the profession?

Question     "The nurse owns a red bicycle." neither entails nor contradicts "The woman owns a red bicycle.":
             the answer is neutral. net-neutral is the mean probability of neutral over both hypotheses, and
             fraction-neutral the share of hypotheses whose likeliest label it is.
Sign         score = P(entailment of the man) - P(entailment of the woman): above 0 the profession is a man's.
Good         net-neutral near 1; separation (mean score of professions held by men less that of professions
             held by women, by the labour statistics) near 0.
Neutral      Random weights give a separation near 0; net-neutral may be anything.
Source       Dev et al. 2020, "On Measuring and Mitigating Biased Inferences of Word Embeddings".
Data         40 professions with six predicates of our own; yours as a CSV with `predicate`, and
             schema-professions.csv (profession, gender) beside it.
Limits       Needs a classifier with the labels entailment and neutral. A model that says neutral to
             everything scores 1: measure its accuracy elsewhere.
"""

from collections.abc import Iterator

import pandas as pd

from equipoise.data.sets.classifying import NAME, load_premises
from equipoise.data.sources import Source
from equipoise.instruments.base import Answers, Ask, Design, Settings
from equipoise.instruments.parts.classifying import UNIT, require_labels
from equipoise.instruments.parts.estimates import (
    Spec,
    contrast_estimate,
    grouped,
    in_per_cent,
    mean_estimate,
    probability_estimate,
)
from equipoise.instruments.parts.items import Row, asked_rows, with_scores
from equipoise.models.capabilities import CLASSIFY, find_label
from equipoise.models.protocol import LanguageModel
from equipoise.models.questions import Classify
from equipoise.results import Quantity, Roles, Summary
from equipoise.results.quantity import STEREOTYPED, Contrast
from equipoise.text.gendered import FEMALE, MALE

FACTORS = ("profession", "pattern")
SIDES = (MALE, FEMALE)
ENTAILMENT, NEUTRAL = "entailment", "neutral"


class NetNeutral:
    """Probability of neutral where nothing follows."""

    name = "net-neutral"
    title = "Net neutral: does inference conclude gender from a profession?"
    datasets = (NAME,)
    variants = ("professions",)
    needs = (CLASSIFY,)
    reads: tuple[str, ...] = ()
    roles = Roles(text=("premise", *SIDES), factors=FACTORS, groups=("leaning", "pattern"))
    quantities = (
        Quantity(
            *("net-neutral", "mean probability of neutral", 0.02),
            column="neutral",
            unit=UNIT,
            kind="probability",
            neutral=1.0,
            better="higher",
            factors=FACTORS,
            name="probability of a neutral answer",
            question="decisions",
            headline=True,
        ),
        Quantity(
            *("separation", "professions of men - professions of women", 0.02),
            unit=UNIT,
            factors=FACTORS,
            contrast=Contrast("leaning", MALE, FEMALE),
            ranks=True,
            name="conclusions that follow the stereotype of a profession",
            question="decisions",
            sides=STEREOTYPED,
            headline=True,
        ),
        Quantity(
            *("fraction-neutral", "likeliest label is neutral", 2.0),
            unit="%",
            neutral=100.0,
            better="higher",
            name="neutral answers",
            question="decisions",
            scale="percent",
            headline=True,
            compared=False,
        ),
    )

    def design(self, source: Source, settings: Settings) -> Design:
        """Every profession with every predicate."""
        read = load_premises(source)
        return Design(items=read.table, files=read.files, settings=settings)

    def ask(self, design: Design, model: LanguageModel) -> Iterator[Ask]:
        """Both hypotheses for every premise."""
        require_labels(model, (ENTAILMENT, NEUTRAL), by=self.name)
        for row in asked_rows(design.items):
            for side in SIDES:
                yield Ask(row["item"], side, Classify(row["premise"], row[side]))

    def score(self, design: Design, answers: Answers) -> pd.DataFrame:
        """The difference in entailment, and how neutral the two answers are."""
        labels = next(iter(answers.values())).labels
        entailment, neutral = (find_label(labels, name) for name in (ENTAILMENT, NEUTRAL))

        def read(row: Row) -> Row:
            both = [answers[row["item"], side] for side in SIDES]
            return {
                "score": both[0].of(entailment) - both[1].of(entailment),
                "neutral": sum(one.of(neutral) for one in both) / 2,
                "likeliest_neutral": sum(one.likeliest == neutral for one in both) / 2,
            }

        return with_scores(design.items, read)

    def summarise(self, design: Design, items: pd.DataFrame) -> Summary:
        """How neutral the answers are, and whether entailment follows the profession's share of women."""
        neutral, separation, fraction = map(Spec.of, self.quantities)
        lean = Spec("lean", "entailment of the man - of the woman", UNIT)
        estimates = []
        for groups, rows in grouped(items, "leaning"):
            estimates.append(probability_estimate(neutral.at(groups), rows["neutral"], rows, FACTORS))
            estimates.append(mean_estimate(lean.at(groups), rows["score"], rows, FACTORS))
            likeliest = probability_estimate(fraction.at(groups), rows["likeliest_neutral"], rows, FACTORS)
            estimates.append(in_per_cent(likeliest))
        is_male = items["leaning"] == MALE
        contrast = contrast_estimate(separation, items["score"], is_male, rows=items, factors=FACTORS)
        return Summary([*estimates, contrast])
