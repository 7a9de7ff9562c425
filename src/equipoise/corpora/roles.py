"""The role of a gendered mention in its clause, where rules can tell: subject, object, possessive, speaker.

Pronouns say it by their form; *her* is possessive before a word that is no function word. A noun is a subject
before a verb, possessive before 's, an object after a preposition (with up to two determiners or common
adjectives between); any other noun is left undecided. A speaker is a subject before a verb of speech ("she
said", "Mrs Hall replied") or after one and before a mark ("said the woman,"); speakers are subjects too.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from equipoise.corpora.tokens import MARKS
from equipoise.corpora.vocabulary import Integers, Vocabulary

ROLES = ("all", "subject", "object", "possessive", "undecided", "speaker")
TITLES = (
    "mr",
    "mrs",
    "ms",
    "sir",
    "lady",
    "lord",
    "madame",
    "monsieur",
    "king",
    "queen",
    "prince",
    "princess",
)
Mask = NDArray[np.bool_]


def mention_roles(ids: Integers, mentioned: Integers, vocabulary: Vocabulary) -> Sequence[Mask]:
    """For each of `ROLES`, which mentions have it."""
    if not len(mentioned):
        return [np.zeros(0, dtype=bool)] * len(ROLES)
    padded = np.concatenate([np.full(3, vocabulary.boundary), ids, np.full(4, vocabulary.boundary)])
    at = mentioned + 3
    word = padded[at]
    verb = padded[_verb_place(padded, at, vocabulary)]
    is_verb = vocabulary.kinds["verb"] | vocabulary.kinds["speech"]
    inverted = _after_speech(padded, at, vocabulary)
    speech = vocabulary.kinds["speech"]

    her = vocabulary.mask("her")[word]
    her_alone = (
        her & (_closes(vocabulary) | vocabulary.kinds["function"] | _before_noun(vocabulary))[padded[at + 1]]
    )
    pronoun = vocabulary.mask("he", "she", "him", "her", "his", "hers", "himself", "herself")[word]
    genitive = ~pronoun & vocabulary.mask("'s")[padded[at + 1]]
    possessive = vocabulary.mask("his", "hers")[word] | (her & ~her_alone) | genitive
    subject = vocabulary.mask("he", "she")[word] | (~pronoun & ~genitive & (is_verb[verb] | inverted))
    by_form = vocabulary.mask("him", "himself", "herself")[word] | her_alone
    objective = by_form | (~pronoun & ~genitive & ~subject & _after_preposition(padded, at, vocabulary))
    speaker = subject & (speech[verb] | inverted)
    undecided = ~(possessive | subject | objective)
    return [np.ones(len(at), dtype=bool), subject, objective, possessive, undecided, speaker]


def _closes(vocabulary: Vocabulary) -> Mask:
    """Which numbers end a phrase: marks, the end of a text, and the endings of contractions."""
    return ~vocabulary.is_word


def _before_noun(vocabulary: Vocabulary) -> Mask:
    """Which numbers begin a phrase of their own, so that *her* before them is an object."""
    opens = vocabulary.mask(
        "the", "a", "an", "this", "these", "my", "your", "our", "their", "his", "its", "any"
    )
    return vocabulary.kinds["preposition"] | opens


def _verb_place(padded: Integers, at: Integers, vocabulary: Vocabulary) -> Integers:
    """Where the verb of a subject would stand: after it, and after the name that follows a title."""
    titled = vocabulary.mask(*TITLES)[padded[at]]
    dotted = titled & vocabulary.mask(".")[padded[at + 1]]
    return at + 1 + dotted + titled


def _after_speech(padded: Integers, at: Integers, vocabulary: Vocabulary) -> Mask:
    """Mentions in "said she," and "said the woman,": a verb of speech before and a mark behind."""
    speech, determiner = vocabulary.kinds["speech"], vocabulary.kinds["determiner"]
    marks = vocabulary.mask(*MARKS) | vocabulary.mask("\n")
    before = speech[padded[at - 1]] | (determiner[padded[at - 1]] & speech[padded[at - 2]])
    objects = vocabulary.mask("him", "her", "his", "hers", "himself", "herself")[padded[at]]
    return before & marks[padded[at + 1]] & ~objects


def _after_preposition(padded: Integers, at: Integers, vocabulary: Vocabulary) -> Mask:
    preposition, determiner = vocabulary.kinds["preposition"], vocabulary.kinds["determiner"]
    one, two = determiner[padded[at - 1]], determiner[padded[at - 2]]
    return (
        preposition[padded[at - 1]]
        | (one & preposition[padded[at - 2]])
        | (one & two & preposition[padded[at - 3]])
    )
