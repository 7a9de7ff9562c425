"""WEAT: are men's names or words nearer to work, strength or science than women's?

Question     s(w) = mean nearness of a target word w to the first attributes - mean nearness to the second.
             The effect size d is the mean of s over the first targets less that over the second, in standard
             deviations of s over all targets.
Sign         d > 0: first targets (in our tests male) nearer to first attributes (work, technology, intellect,
             strength, science), second targets to second attributes: the stereotype. At most 2 (or -2).
Good         d near 0. Cohen's words: 0.2 small, 0.5 medium, 0.8 large.
Measures     Cosine by default; Euclidean, Manhattan and Mahalanobis distance (shrunk covariance of the words
             of this run) are in every result too, because the choice can turn the sign (`--measure`).
p            One-sided as published: how often permuting the targets gives a difference as large. Up
             to 36 targets every permutation is counted; beyond, 100,000 are drawn without repeats. p has the
             interval of its own error, d one over the target words; attributes are taken as given.
Variants     sample: deviation with n - 1. wefe: that of the population, as in WEFE 1.0.1, whose d is larger
             by sqrt(n / (n - 1)); names x career/family on GloVe 6B 50d is 1.764 there.
Neutral      Random vectors give d around 0 with a deviation of about sqrt(4 / n): 0.45 for 20 targets.
Source       Caliskan, Bryson and Narayanan 2017, "Semantics derived automatically from language corpora".
Data         Ten tests of our own; the published ones by name (seat) or path.
Differs      WEFE draws targets with repeats, unseeded, for its p; ours permutes them.
Limits       Ten words a set are a choice, and d is a ratio: it can be large where the difference is tiny, so
             read `difference` too. A contextual model reads the word alone, which it rarely saw in training:
             `seat` and `c-seat` give it a sentence.
"""

from equipoise.instruments.parts.association_tests import AssociationInstrument, VariantRule

RULES = {"sample": VariantRule(ddof=1, by_word=True), "wefe": VariantRule(ddof=0, by_word=True)}


class WordAssociation(AssociationInstrument):
    """Nearness of two sets of words to two others."""

    name = "weat"
    title = "Word association test: are male words nearer to work, strength, science?"
    rules = RULES
    variants = tuple(RULES)
