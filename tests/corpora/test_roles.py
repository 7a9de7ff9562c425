"""Roles of mentions in sentences whose grammar is plain."""

import numpy as np
import pytest

from equipoise.corpora.counting import ROLES, mention_roles
from equipoise.corpora.tokens import tokens
from equipoise.corpora.vocabulary import Vocabulary, gendered_words, load_targets

VOCABULARY = Vocabulary(load_targets(), gendered_words())


def roles_of(sentence: str) -> list[str]:
    """The roles of each mention, joined by a plus sign."""
    ids = np.array([VOCABULARY.ids.get(word, 0) for word in tokens(sentence)])
    mentioned = np.flatnonzero(VOCABULARY.male[ids] | VOCABULARY.female[ids])
    held = mention_roles(ids, mentioned, VOCABULARY)
    return [
        "+".join(role for role, holds in zip(ROLES[1:], held[1:], strict=True) if holds[place])
        for place in range(len(mentioned))
    ]


@pytest.mark.parametrize(
    ("sentence", "roles"),
    [
        ("He saw her.", ["subject", "object"]),
        ("She lost her keys.", ["subject", "possessive"]),
        ("Nobody gave her the letter.", ["object"]),
        ("We told him that it was hers.", ["object", "possessive"]),
        ("He hurt himself.", ["subject", "object"]),
        ("The woman was tired.", ["subject"]),
        ("They went with the old woman.", ["object"]),
        ("The woman's coat", ["possessive"]),
        ("“No,” she said.", ["subject+speaker"]),
        ("“No,” said the woman, and left.", ["subject+speaker"]),
        ("“No,” said he.", ["subject+speaker"]),
        ("Mrs. Hall replied at once.", ["subject+speaker"]),
        ("Mr Hall was there.", ["subject"]),
        ("They told her.", ["object"]),
        ("A strange old woman", ["undecided"]),
    ],
)
def test_roles(sentence: str, roles: list[str]) -> None:
    assert roles_of(sentence) == roles


def test_no_mention_has_no_role() -> None:
    assert roles_of("The dog ran.") == []
