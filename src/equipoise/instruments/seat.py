"""SEAT: are men's names or words nearer to work, strength or science, inside sentences?

Question     As `weat`, with the vector of a short sentence about the word, such as "They were talking about
             <word>.", in the word's place.
Sign         d > 0: first targets nearer to first attributes: the stereotype, as our tests are written. Of the
             published ones the first targets or the first attributes are male.
Good         d near 0.
Measures, p  As `weat`. Sentences of one word are not independent: the p permutes whole words and the
             interval draws them. The published p treats every sentence as a word of its own.
Variants     by-word: the mean over a sentence's own tokens. bias-bench: over all tokens, with those that the
             tokenizer adds, every sentence a unit of its own. On bert-base-uncased the published tests 6, 6b,
             7, 7b, 8 and 8b then give bias-bench's .931 .090 -.124 .937 .783 .858.
Neutral      As `weat`.
Source       May et al. 2019, "On Measuring Social Biases in Sentence Encoders"; Meade et al. 2022, "An
             Empirical Survey of the Effectiveness of Debiasing Techniques".
Data         Ten tests of our own in six frames; the published ones by name (seat) or path.
Limits       A sentence's vector is mostly its frame: the layer, the pooling and the measure decide as much as
             the words do (`--layer all`, `--pooling first`). d need not follow what a model does in use.
"""

from equipoise.instruments.parts.association_tests import AssociationInstrument, VariantRule
from equipoise.models.questions import MEAN_WITH_SPECIAL

RULES = {
    "by-word": VariantRule(ddof=1, by_word=True),
    "bias-bench": VariantRule(ddof=1, by_word=False, pooling=MEAN_WITH_SPECIAL),
}


class SentenceAssociation(AssociationInstrument):
    """Nearness of sentences around two sets of words to those around two others."""

    name = "seat"
    title = "Sentence association test: weat on sentences around the words"
    rules = RULES
    variants = tuple(RULES)
    sentences = True
