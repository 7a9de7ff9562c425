"""RIPA: how much of a gender-neutral word lies along the difference of a male and a female word?

Question     ripa(w) = mean over pairs (m, f) of w . (m - f) / |m - f|. Unlike a cosine it keeps the length of
             the word's vector, in which word vectors hold how often a word stands near either.
Sign         Above 0 the word lies towards men.
Good         ripa, the mean size over words, near 0; separation (words that lean to men less words that lean
             to women) near 0.
Variants     alone and in-frames, as `direct-bias`.
Neutral      Random vectors of length L give about 0.8 L / sqrt(width). The unit is the vectors' own: compare
             models only if their vectors have the same length; separation in deviations is also given.
Source       Ethayarajh, Duvenaud and Hirst 2019, "Understanding Undesirable Word Embedding Associations".
Data         As `direct-bias`.
Limits       As `direct-bias`: a projection brings it to 0 by construction.
"""

import pandas as pd

from equipoise.instruments.base import Answers
from equipoise.instruments.parts.estimates import Spec, count_estimate
from equipoise.instruments.parts.leanings import (
    LeaningDesign,
    OfLeanings,
    WordSpace,
    lean_estimates,
    lean_quantities,
    missing_words,
    score_words,
)
from equipoise.results import Quantity, Summary
from equipoise.stats.clusters import Floats
from equipoise.stats.directions import mean_products
from equipoise.stats.significance import cohens_d
from equipoise.text.gendered import MALE

KEY, UNIT = "ripa", "length"


class RelationalInnerProduct(OfLeanings):
    """Mean size of the inner product with the pairs' differences."""

    name = "ripa"
    title = "Relational inner product: gender-neutral words along each pair's difference"
    quantities = lean_quantities(
        Quantity(
            *(KEY, "mean size of the inner product with a pair", 0.05),
            unit=UNIT,
            scale="length",
            name="size of the gendered part of a neutral word",
        )
    )

    def score(self, design: LeaningDesign, answers: Answers) -> pd.DataFrame:
        """The mean inner product of every word."""
        return score_words(design, answers, _products)

    def summarise(self, design: LeaningDesign, items: pd.DataFrame) -> Summary:
        """The mean size, the separation, and the separation in deviations."""
        male = items["leaning"] == MALE
        size = cohens_d(items.loc[male, "score"], items.loc[~male, "score"])
        spec = Spec("separation-in-deviations", "separation in standard deviations", "d")
        known = int(items["score"].notna().sum())
        estimates = [
            *lean_estimates(items, self.quantities),
            count_estimate(spec, size, n=known, dropped=len(items) - known),
        ]
        return Summary(estimates, remarks=missing_words(items))


def _products(space: WordSpace, rows: pd.DataFrame) -> Floats:
    return mean_products(space.words, space.male, space.female)
