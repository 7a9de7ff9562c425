"""Direct bias: how much of a gender-neutral word lies along the direction from women to men?

Question     The gender direction is the first principal component of pairs such as woman and man, each around
             its own middle. direct-bias is the mean over professions and other gender-neutral words of
             |cosine with the direction| (strictness c = 1).
Sign         score = cosine with the direction: above 0 the word lies towards men.
Good         direct-bias near 0. separation, the mean of words that lean to men (by the labour statistics or
             by stereotype) less that of words that lean to women, near 0: it says that the direction orders
             words as the world does.
Variants     alone: the word as a text of its own. in-frames: the word inside six short sentences, the mean of
             its vectors; for contextual models the fairer one.
Neutral      Random vectors of width d give about 0.8 / sqrt(d): 0.11 for 50, 0.03 for 768. Vectors of a layer
             that share one direction give more, whatever the words mean: read `separation` beside it.
Also given   explained, the share of the pairs' variance that the direction has.
Source       Bolukbasi et al. 2016, "Man is to Computer Programmer as Woman is to Homemaker?".
Data         213 words and 14 pairs of our own; yours as a table of word and leaning.
Limits       A projection removes this number by construction and may leave the rest (`neighbourhood`,
             `clustering`, `gender-probe`): it cannot prove that bias is gone.
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
    word_spaces,
)
from equipoise.results import Quantity, Summary
from equipoise.stats.clusters import Floats
from equipoise.stats.directions import cosines_with, pair_direction

KEY, UNIT = "direct-bias", "cosine"
EXPLAINED = "explained"


class DirectBias(OfLeanings):
    """Mean size of the cosine of gender-neutral words with the gender direction."""

    name = "direct-bias"
    title = "Direct bias: gender-neutral words along the direction from women to men"
    quantities = lean_quantities(
        Quantity(
            *(KEY, "mean size of the cosine with the direction", 0.01),
            unit=UNIT,
            scale="cosine",
            name="size of the gendered part of a neutral word",
        )
    )

    def score(self, design: LeaningDesign, answers: Answers) -> pd.DataFrame:
        """The cosine of every word with the direction."""
        items = score_words(design, answers, _cosines)
        top = list(word_spaces(design, answers).values())[-1]
        return items.assign(**{EXPLAINED: pair_direction(top.male, top.female).share})

    def summarise(self, design: LeaningDesign, items: pd.DataFrame) -> Summary:
        """The mean size of the cosines, the separation, and how much of the pairs the direction explains."""
        estimates = lean_estimates(items, self.quantities)
        spec = Spec(EXPLAINED, "share of the pairs' variance along the direction", "share")
        estimates.append(count_estimate(spec, items[EXPLAINED].iloc[0], n=len(design.pairs)))
        return Summary(estimates, remarks=missing_words(items))


def _cosines(space: WordSpace, rows: pd.DataFrame) -> Floats:
    return cosines_with(space.words, pair_direction(space.male, space.female).vector)
