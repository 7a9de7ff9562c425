"""Gender probe: can a classifier read a word's leaning from its vector?

Question     A kernel ridge classifier is fitted on nine tenths of the words and asked for the last tenth, ten
             times. accuracy is the share of held-out words whose leaning (by the labour statistics or a
             stereotype) it gets right, both leanings weighing the same in the fit.
Sign         score = the classifier's decision for a held-out word: above 0 it says male.
Good         accuracy near 0.5: gender cannot be read back. After a projection that hides it stays high.
p            Fisher's exact test of decision against leaning.
Variants     linear: what a linear layer could use. rbf: a Gaussian kernel finds curved borders too, as the
             published probe. Words are asked alone; with `--layer all` at every layer.
Neutral      Random vectors give 0.5, give or take 0.035 for our 213 words.
Source       Gonen and Goldberg 2019, "Lipstick on a Pig" (an SVM with a Gaussian kernel: 88.9 % on word2vec
             after a projection).
Data         As `direct-bias`.
Limits       Topics help the probe: words of one topic lean alike. Compare before and after.
"""

import pandas as pd

from equipoise.instruments.base import Answers
from equipoise.instruments.parts.leanings import (
    LeaningDesign,
    OfLeanings,
    WordSpace,
    accuracy_quantity,
    accuracy_summary,
    read_right,
    score_words,
    signs_of,
)
from equipoise.results import Summary
from equipoise.stats.clusters import Floats
from equipoise.stats.directions import held_out_decisions


class GenderProbe(OfLeanings):
    """A classifier of leaning on held-out words."""

    name = "gender-probe"
    title = "Gender probe: can a classifier read a word's leaning off its vector?"
    variants = ("linear", "rbf")
    quantities = (accuracy_quantity("held-out words whose leaning is read right"),)

    def score(self, design: LeaningDesign, answers: Answers) -> pd.DataFrame:
        """The decision for every word by a classifier that has not seen it."""

        def decisions(space: WordSpace, rows: pd.DataFrame) -> Floats:
            settings = design.settings
            return held_out_decisions(
                space.words, signs_of(rows), kernel=settings.variant, seed=settings.seed
            )

        items = score_words(design, answers, decisions)
        return items.assign(correct=read_right(items))

    def summarise(self, design: LeaningDesign, items: pd.DataFrame) -> Summary:
        """The share of held-out words read right, and p."""
        return accuracy_summary(items, self.quantities[0])
