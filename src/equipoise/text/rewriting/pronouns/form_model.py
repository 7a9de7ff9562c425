"""The linear model of a pronoun's form, laid out for speed: every token brings its own rows of weights."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

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
