"""Gender probe: can a word's leaning be read off its vector?

Question     A kernel ridge classifier is fitted on nine tenths of the words and asked for the last tenth, ten
             times. accuracy is the share of held-out words whose leaning (by the labour statistics or a
             stereotype) it gets right, both leanings weighing the same in the fit.
Sign         score = the classifier's decision for a held-out word: above 0 it says male.
Good         accuracy near 0.5: gender cannot be read back. After a projection that hides it stays high.
p            Fisher's exact test of decision against leaning.
Variants     linear: what a linear layer could use. rbf: a Gaussian kernel finds curved borders too, as the
             published probe. Words are asked alone; with `--layer all` at every layer.
Zero         Random vectors give 0.5, give or take 0.035 for our 213 words.
Source       Gonen and Goldberg 2019, "Lipstick on a Pig" (an SVM with a Gaussian kernel: 88.9 % on word2vec
             after a projection).
Data         As `direct-bias`.
Limits       Topics help the probe: words of one topic lean alike. Compare before and after.
"""

from collections.abc import Iterator

import numpy as np
import pandas as pd

from equipoise.data.sets.leanings import NAME
from equipoise.data.sources import Source
from equipoise.instruments.base import Answers, Ask, Settings
from equipoise.instruments.parts.leaning_estimates import FACTORS, accuracy_estimates, accuracy_quantity
from equipoise.instruments.parts.leanings import (
    LeaningDesign,
    WordSpace,
    ask_leanings,
    leaning_design,
    missing_words,
    score_words,
    signs_of,
)
from equipoise.models.base import LanguageModel
from equipoise.models.capabilities import EMBED
from equipoise.results import Roles, Summary
from equipoise.stats.clusters import Floats
from equipoise.stats.directions import held_out_decisions


class GenderProbe:
    """A classifier of leaning on held-out words."""

    name = "gender-probe"
    title = "Gender probe: can a classifier read a word's leaning off its vector?"
    datasets = (NAME,)
    variants = ("linear", "rbf")
    needs = (EMBED,)
    roles = Roles(text=("word",), factors=FACTORS, groups=("leaning", "group"))
    quantities = (accuracy_quantity("held-out words whose leaning is read right"),)

    def design(self, source: Source, settings: Settings) -> LeaningDesign:
        """The words and the pairs."""
        return leaning_design(source, settings, in_frames=False)

    def ask(self, design: LeaningDesign, model: LanguageModel) -> Iterator[Ask]:
        """The vectors of words and pairs."""
        return ask_leanings(design, model)

    def score(self, design: LeaningDesign, answers: Answers) -> pd.DataFrame:
        """The decision for every word by a classifier that has not seen it."""

        def decisions(space: WordSpace, rows: pd.DataFrame) -> Floats:
            settings = design.settings
            return held_out_decisions(
                space.words, signs_of(rows), kernel=settings.variant, seed=settings.seed
            )

        items = score_words(design, answers, decisions)
        right = (items["score"] * signs_of(items) > 0).astype(float)
        return items.assign(correct=right.where(items["score"].notna(), np.nan))

    def summarise(self, design: LeaningDesign, items: pd.DataFrame) -> Summary:
        """The share of held-out words read right, and p."""
        return Summary(accuracy_estimates(items, self.quantities[0]), remarks=missing_words(items))
