"""The linear model of a pronoun's form, laid out for speed: every token brings its own rows of weights.

Weights and word classes are the tables `form_weights.csv` and `form_classes.csv`, made by `recipes/forms.py`.
"""

import csv
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from equipoise.text.rewriting.find.lexicon import TABLES
from equipoise.text.rewriting.find.tokens import END

MOST_TOKENS = 200_000
_NONE: dict[Any, float] = {}
_PAIRS, _TRIPLES = "nopqrstuvwA", "xyzB"
# The features in which a token comes first, by its place; W stands for its word, G for its group.
_ROWS = {1: (("s", "G"), ("z", "G")), 2: tuple(zip("oprtuxAB", "WGGWGGWW", strict=True))}
_ROWS[3] = tuple(zip("nqvwy", "WGWGG", strict=True))
WORD, GROUP, ENDING, SHAPE, LAST = range(5)
"""The facts of a token, as `Facts` has them."""
SINGLES = (
    (("m", GROUP),),
    (("d", WORD), ("l", GROUP)),
    (("c", WORD), ("g", LAST), ("k", GROUP)),
    (("a", WORD), ("e", ENDING), ("h", GROUP)),
    (("b", WORD), ("f", ENDING), ("i", GROUP)),
    (("j", GROUP),),
)
"""The features of one token, by its place: from the third before the pronoun (0) to the third after (5)."""
JOINTS = {
    "n": ((3, WORD), (4, WORD)),
    "o": ((2, WORD), (3, WORD)),
    "p": ((2, GROUP), (3, GROUP)),
    "q": ((3, GROUP), (4, GROUP)),
    "r": ((2, GROUP), (4, GROUP)),
    "s": ((1, GROUP), (2, GROUP)),
    "t": ((2, WORD), (3, GROUP)),
    "u": ((2, GROUP), (3, WORD)),
    "v": ((3, WORD), (4, GROUP)),
    "w": ((3, GROUP), (4, WORD)),
    "x": ((2, GROUP), (3, GROUP), (4, GROUP)),
    "y": ((3, GROUP), (4, GROUP), (5, GROUP)),
    "z": ((1, GROUP), (2, GROUP), (3, GROUP)),
    "A": ((2, WORD), (3, SHAPE), (4, GROUP)),
    "B": ((2, WORD), (3, GROUP), (4, GROUP)),
}
"""The features of several tokens, in the order in which they are added up: the place and the fact of each."""


class Facts(NamedTuple):
    """What the model knows of a token: word, class, ending with shape, shape, and the last three letters."""

    word: str
    group: str
    ending: str
    shape: str
    last: str


def single_features(place: int, token: Facts) -> tuple[str, ...]:
    """What one token says by itself, from the third before (0) to the third after (5)."""
    return tuple(kind + token[fact] for kind, fact in SINGLES[place])


class Rows(dict[str, tuple[Any, ...]]):
    """What a token brings to one place: its own weights added up, its facts, and its rows of weights."""

    def __init__(self, place: int, facts: Mapping[str, Facts], model: "Model") -> None:
        super().__init__()
        self.place, self.facts, self.model = place, facts, model

    def __missing__(self, token: str) -> tuple[Any, ...]:
        """Work it out when a token is first met here; the memory stays bounded."""
        if len(self) >= MOST_TOKENS:
            self.clear()
        facts, weights = self.facts[token], self.model.weights
        score = 0.0
        for name in single_features(self.place, facts):  # `sum` rounds differently from Python 3.12 on
            score += weights.get(name, 0.0)
        first = {"W": facts.word, "G": facts.group}
        rows = (self.model.rows.get((kind, first[by]), _NONE) for kind, by in _ROWS.get(self.place, ()))
        self[token] = row = (score, facts.word, facts.group, facts.shape, *rows)
        return row


class Model:
    """The linear model of one pronoun."""

    def __init__(self, facts: Mapping[str, Facts], weights: Mapping[str, float]) -> None:
        self.facts, self.weights, self.intercept = facts, weights, weights[""]
        self.rows: dict[tuple[str, str], dict[Any, float]] = {}
        for name, weight in weights.items():
            first, *others = name[1:].split(" ")
            if name[:1] in _PAIRS and others:
                self.rows.setdefault((name[0], first), {})[others[0]] = weight
            elif name[:1] in _TRIPLES and others:
                self.rows.setdefault((name[0], first), {})[others[0], others[1]] = weight
        self.places = tuple(Rows(place, facts, self) for place in range(6))

    def score(self, before: Sequence[str], after: Sequence[str]) -> float:
        """The log odds that a noun goes with the pronoun: the weights of all `forms.features`, added up."""
        place_0, place_1, place_2, place_3, place_4, place_5 = self.places
        single_0, _, _, _ = place_0[before[-3]]
        single_1, _, _, _, row_s, row_z = place_1[before[-2]]
        single_2, _, group_1, _, row_o, row_p, row_r, row_t, row_u, row_x, row_a, row_b = place_2[before[-1]]
        single_3, next_1, class_1, shape_1, row_n, row_q, row_v, row_w, row_y = place_3[after[0]]
        single_4, next_2, class_2, _ = place_4[after[1]]
        single_5, _, class_3, _ = place_5[after[2]]
        both = class_1, class_2
        score: float = self.intercept + single_0 + single_1 + single_2
        score += single_3 + single_4 + single_5
        score += row_n.get(next_2, 0.0)
        score += row_o.get(next_1, 0.0)
        score += row_p.get(class_1, 0.0)
        score += row_q.get(class_2, 0.0)
        score += row_r.get(class_2, 0.0)
        score += row_s.get(group_1, 0.0)
        score += row_t.get(class_1, 0.0)
        score += row_u.get(next_1, 0.0)
        score += row_v.get(class_2, 0.0)
        score += row_w.get(next_2, 0.0)
        score += row_x.get(both, 0.0)
        score += row_y.get((class_2, class_3), 0.0)
        score += row_z.get((group_1, class_1), 0.0)
        score += row_a.get(shape_1 + class_2, 0.0)
        return score + float(row_b.get(both, 0.0))


_DASHES = frozenset(("-", "--", "---", "–", "—"))
_QUOTES = frozenset(('"', "“", "”", "``", "''"))
# Persons are alike to the model, so that it may learn from "my" and "me", and reads either gender alike.
_ALIKE = {
    **dict.fromkeys(("he", "i", "we", "they"), "she"),
    **dict.fromkeys(("his", "him", "hers", "my", "me", "our", "us", "their", "them"), "her"),
    **dict.fromkeys(("himself", "myself", "ourselves", "themselves"), "herself"),
    **{"man": "woman", "men": "women", "mr": "mrs", "ms": "mrs", "miss": "mrs", "boy": "girl"},
    **{"father": "mother", "husband": "wife", "daughter": "son", "brother": "sister"},
}


class TokenFacts(dict[str, Facts]):
    """The facts of any token, worked out when it is first met."""

    def __init__(self, classes: Mapping[str, str]) -> None:
        super().__init__()
        self.classes = classes

    def __missing__(self, token: str) -> Facts:
        """Work out the facts of a token; the memory stays bounded."""
        if len(self) >= MOST_TOKENS:
            self.clear()
        word, shape = plain_word(token or END), _shape(token or END)
        ending = shape + word[-3:]
        alike = _ALIKE.get(word, word)
        self[token] = facts = Facts(alike, self._group(word, ending), ending, shape, alike[-3:])
        return facts

    def _group(self, word: str, ending: str) -> str:
        known = self.classes.get(word) or self.classes.get(word.rpartition("-")[2])
        if known:
            return known
        if word.endswith("'s"):
            return "'s"
        return ending[0] + ending[-2:] if ending[0] in "aA" else ending[0]


def plain_word(token: str) -> str:
    """A token in lower case with one kind of number, dash, quotation mark and apostrophe."""
    if token[0].isdigit():
        return "0"
    if token in _DASHES:
        return "—"
    return '"' if token in _QUOTES else token.lower().replace("’", "'")


def _shape(token: str) -> str:
    """A for a capital, a for another letter, 0 for a digit, else the mark itself."""
    first = token[0]
    if first.isalpha():
        return "A" if first.isupper() else "a"
    return "0" if first.isdigit() else first


def features(facts: Mapping[str, Facts], before: Sequence[str], after: Sequence[str]) -> tuple[str, ...]:
    """The features of the linear model: of each of six tokens alone, and of tokens together."""
    tokens = (*before[-3:], *after[:3])
    alone = (name for place, token in enumerate(tokens) for name in single_features(place, facts[token]))
    return (*alone, *joint_features(facts, before, after))


def joint_features(
    facts: Mapping[str, Facts], before: Sequence[str], after: Sequence[str]
) -> tuple[str, ...]:
    """What tokens say together."""
    known = [facts[token] for token in (*before[-3:], *after[:3])]
    return tuple(
        kind + "".join(known[place][fact] + ("" if fact == SHAPE else " ") for place, fact in reads)[:-1]
        for kind, reads in JOINTS.items()
    )


@cache
def _facts() -> TokenFacts:
    classes = read_classes(TABLES / "form_classes.csv")
    with (TABLES / "form_nouns.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):  # nouns that novels seldom or never use
            classes.update(dict.fromkeys(row["words"].split(), classes[row["like"]]))
    return TokenFacts(classes)


@cache
def form_model(word: str) -> Model:
    """The linear model of "her" or "his"."""
    with (TABLES / "form_weights.csv").open(encoding="utf-8", newline="") as file:
        rows = csv.DictReader(file)
        weights = {row["feature"]: int(row["weight"]) / 100 for row in rows if row["pronoun"] == word}
    return Model(_facts(), weights)


def read_classes(path: Path) -> dict[str, str]:
    """The class of every word in a table with a row per class."""
    with path.open(encoding="utf-8", newline="") as file:
        return {word: row["class"] for row in csv.DictReader(file) for word in row["words"].split()}
