"""The linear model of a pronoun's form, laid out for speed: every token brings its own rows of weights."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

MOST_TOKENS = 200_000
_NONE: dict[Any, float] = {}
_PAIRS, _TRIPLES = "nopqrstuvwA", "xyzB"
# The features in which a token comes first, by its place; W stands for its word, G for its group.
_ROWS = {1: (("s", "G"), ("z", "G")), 2: tuple(zip("oprtuxAB", "WGGWGGWW", strict=True))}
_ROWS[3] = tuple(zip("nqvwy", "WGWGG", strict=True))
_FAR = ("m", "d", "l", "j")
"""The features of single tokens other than the one before and the two after the pronoun."""
_ROUNDING = 1e-9


_ZERO = (0.0, 0.0)
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
        beyond = self.model.beyond.get((self.place, facts.group), self.model.always[self.place])
        self[token] = row = (score, facts.word, facts.group, facts.shape, *rows, *beyond)
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
        self.beyond, self.always = self._bounds()
        self.places = tuple(Rows(place, facts, self) for place in range(6))

    def _bounds(self) -> tuple[dict[tuple[int, str], tuple[float, float]], tuple[tuple[float, ...], ...]]:
        """The least and the most that tokens farther away may add, by the groups of the nearest two."""
        by_feature: dict[tuple[str, str], list[float]] = {}
        for name, weight in self.weights.items():
            kind, parts = name[:1], name[1:].split(" ")
            if kind in ("s", "z", "y") and len(parts) > 1:  # the group before the pronoun, and after it
                by_feature.setdefault((kind, parts[0] if kind == "y" else parts[1]), []).append(weight)
            elif kind in _FAR:
                by_feature.setdefault((kind, ""), []).append(weight)
        ranges = {key: (min(0.0, *some), max(0.0, *some)) for key, some in by_feature.items()}
        far = _added([ranges.get((kind, ""), _ZERO) for kind in _FAR])
        groups = {group for kind, group in ranges if kind in "szy"}
        beyond = {}
        for group in groups:
            near = ranges.get(("s", group), _ZERO), ranges.get(("z", group), _ZERO)
            beyond[2, group] = _added([far, *near])
            beyond[3, group] = ranges.get(("y", group), _ZERO)
        return beyond, ((), (), far, _ZERO, (), ())

    def leaning(self, last: str, first: str, second: str) -> int:
        """1 where a noun goes with the pronoun, 0 where none does, 2 where three tokens do not settle it."""
        _, _, place_2, place_3, place_4, _ = self.places
        single_2, _, _, _, row_o, row_p, row_r, row_t, row_u, row_x, row_a, row_b, low, high = place_2[last]
        single_3, next_1, class_1, shape_1, row_n, row_q, row_v, row_w, _, low_y, high_y = place_3[first]
        single_4, next_2, class_2, _ = place_4[second]
        both = class_1, class_2
        score: float = self.intercept + single_2 + single_3 + single_4
        score += row_n.get(next_2, 0.0) + row_o.get(next_1, 0.0) + row_p.get(class_1, 0.0)
        score += row_q.get(class_2, 0.0) + row_r.get(class_2, 0.0) + row_t.get(class_1, 0.0)
        score += row_u.get(next_1, 0.0) + row_v.get(class_2, 0.0) + row_w.get(next_2, 0.0)
        score += row_x.get(both, 0.0) + row_a.get(shape_1 + class_2, 0.0) + row_b.get(both, 0.0)
        if score + low + low_y > _ROUNDING:
            return 1
        return 0 if score + high + high_y < -_ROUNDING else 2

    def score(self, before: Sequence[str], after: Sequence[str]) -> float:
        """The log odds that a noun goes with the pronoun: the weights of all `forms.features`, added up."""
        place_0, place_1, place_2, place_3, place_4, place_5 = self.places
        single_0, _, _, _ = place_0[before[-3]]
        single_1, _, _, _, row_s, row_z = place_1[before[-2]]
        single_2, _, group_1, _, row_o, row_p, row_r, row_t, row_u, row_x, row_a, row_b, *_ = place_2[
            before[-1]
        ]
        single_3, next_1, class_1, shape_1, row_n, row_q, row_v, row_w, row_y, _, _ = place_3[after[0]]
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


def _added(ranges: Sequence[tuple[float, float]]) -> tuple[float, float]:
    """The range of a sum whose parts have these ranges."""
    return sum(low for low, _ in ranges), sum(high for _, high in ranges)
