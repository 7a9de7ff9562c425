"""Clustering: do two clusters of words fall apart by gender?

Question     2-means on the unit vectors of words that lean to men or women (by the labour statistics or a
             stereotype). accuracy is the share of words in the cluster of their leaning, under the better of
             the two namings of the clusters.
Sign         score = 1 for a word in the male cluster, -1 in the female one.
Good         accuracy near 0.5: the words do not fall apart by gender.
p            Fisher's exact test of cluster against leaning.
Variants     alone and in-frames, as `direct-bias`.
Neutral      Never below 0.5, because the better naming counts: random vectors of our 213 words give 0.53 on
             average and rarely more than 0.57.
Source       Gonen and Goldberg 2019, "Lipstick on a Pig": 92.5 % on word2vec after a projection.
Data         As `direct-bias`. Published: the 500 words of each gender that lay furthest along the direction
             before the projection; bring such a list.
Limits       The strongest difference between words need not be gender: professions against other words is
             one, so clusters of `--data` of one kind say more.
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
from equipoise.stats.directions import two_clusters


class Clustering(OfLeanings):
    """Two clusters of words against their leaning."""

    name = "clustering"
    title = "Clustering: two clusters of words against their leaning"
    quantities = (accuracy_quantity("words in the cluster of their leaning"),)

    def score(self, design: LeaningDesign, answers: Answers) -> pd.DataFrame:
        """The cluster of every word, named so that more words are in that of their leaning."""

        def clusters(space: WordSpace, rows: pd.DataFrame) -> Floats:
            sides = 2.0 * two_clusters(space.words, seed=design.settings.seed) - 1
            return sides if (sides * signs_of(rows)).mean() >= 0 else -sides

        items = score_words(design, answers, clusters)
        return items.assign(correct=read_right(items))

    def summarise(self, design: LeaningDesign, items: pd.DataFrame) -> Summary:
        """The share of words in the cluster of their leaning, and p."""
        return accuracy_summary(items, self.quantities[0])
