"""C-SEAT: are men's names or words nearer to work, by the vector of the word in its sentence?

Question     As `seat`, with the vector of the word itself inside the sentence, the mean over its tokens, in
             the place of the whole sentence's.
Sign, good   As `seat`: d > 0 is the stereotype; near 0 is good.
Measures, p  As `seat`.
Variants     by-word: sentences of one word count as one. by-sentence: each by itself, as published.
Source       Tan and Celis 2019, "Assessing Social and Intersectional Biases in Contextualized Word
             Representations".
Data         As `seat`. Of a published sentence the word is what its frame ("This is ...") leaves over.
Differs      Tan and Celis take the last piece of a word; here it is the mean over its pieces.
Limits       Ten words a set; frames say nothing about the person. Static vectors do not see the sentence:
             they give what `weat` gives.
"""

from equipoise.instruments.parts.association_tests import AssociationInstrument, VariantRule

RULES = {"by-word": VariantRule(ddof=1, by_word=True), "by-sentence": VariantRule(ddof=1, by_word=False)}


class ContextualAssociation(AssociationInstrument):
    """Nearness of two sets of words in sentences to two others."""

    name = "c-seat"
    title = "Contextual association test: seat on the word inside its sentence"
    rules = RULES
    variants = tuple(RULES)
    sentences = True
    of_word = True
