"""Which gender stands near which words: counts, PMI and log-odds with intervals over documents.

Counted are pairs of a gendered mention and another word within the window around it. For a target t with m
male and f female pairs, among M male and F female pairs of any word (C = M + F):

- log-odds = ln((m + k M/C) / (f + k F/C)) - ln(M/F), with k = 1: how much more often the mention beside t is
  male than it is beside any word. The prior of one pair, split as all pairs are, draws words with few pairs
  to 0. Positive leans male, negative female.
- PMI with male = ln(m C / ((m + f) M)), with female likewise, in nats and without a prior; PMI with male
  minus PMI with female is the log-odds without a prior.

Intervals are of 95 %, over documents: the estimate is linearised, each document contributes its share (a
document is a cluster: its pairs are not independent), and Student's t has as many degrees of freedom as
documents with the target, less one. Groups below `FEWEST_DOCUMENTS` documents or `FEWEST_PAIRS` pairs have
no estimate: too few.
"""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from equipoise.corpora.counting import ROLES, BlockCounts
from equipoise.corpora.documents import Document
from equipoise.corpora.vocabulary import Integers, Targets
from equipoise.errors import UserError
from equipoise.stats.clusters import wilson
from equipoise.text.gendered import FEMALE, MALE

Floats = NDArray[np.float64]
ALL = ("all", "")
MOST_GROUPS = 2000
"""Groups of all groupings together; more are an identifier, not a grouping."""

BASE = ("documents", "words", "m", "f", "mm", "ff", "mf")
"""Of all pairs in a document: male m, female f, their squares and product."""

MENTION = ("documents", "m", "f", "mm", "ff", "mf")
TARGET = ("documents", "m", "f", "mm", "ff", "mf", "mM", "mF", "fM", "fF")
"""Pairs with a target (m, f) and their products with all pairs of the document (M, F)."""


class Moments:
    """Sums for every group: of all pairs, of mentions by role, of pairs with each target item."""

    def __init__(self, n_items: int, groups: Sequence[tuple[str, str]] = (ALL,)) -> None:
        self.codes = {tuple(group): code for code, group in enumerate(groups)}
        self.n_items = n_items
        self.base = np.zeros((len(groups), len(BASE)))
        self.mentions = np.zeros((len(groups), len(ROLES), len(MENTION)))
        self.targets = np.zeros((len(groups), n_items, len(TARGET)))

    @property
    def groups(self) -> list[tuple[str, str]]:
        """The groups as (grouping, level), all documents first."""
        return [(by, level) for by, level in self.codes]

    def add(self, documents: Sequence[Document], counts: BlockCounts) -> None:
        """Add a block to the sums of every group its documents belong to."""
        self._add_grouping(np.zeros(len(documents), dtype=np.int64), counts)
        for by in documents[0].groups if documents else ():
            codes = [self._code(by, document.groups[by]) for document in documents]
            self._add_grouping(np.asarray(codes, dtype=np.int64), counts)

    def _code(self, by: str, level: str) -> int:
        if (by, level) not in self.codes:
            if len(self.codes) > MOST_GROUPS:
                raise UserError(
                    f"There are more than {MOST_GROUPS} groups by {', '.join({by for by, _ in self.codes})}.",
                    "Group by a column with fewer values, or map its values with --groups-file.",
                )
            self.codes[by, level] = len(self.codes)
            if len(self.codes) > len(self.base):
                self._grow()
        return self.codes[by, level]

    def _grow(self) -> None:
        more = len(self.base)
        self.base, self.mentions, self.targets = (
            np.concatenate([sums, np.zeros((more, *sums.shape[1:]))])
            for sums in (self.base, self.mentions, self.targets)
        )

    def _add_grouping(self, codes: NDArray[np.int64], counts: BlockCounts) -> None:
        pairs, target = counts.pairs, counts.targets
        own = _products(pairs[:, 0], pairs[:, 1])
        rows = np.column_stack([np.ones(len(codes)), counts.words, *own])
        np.add.at(self.base, codes, rows)
        for role in range(len(ROLES)):
            male, female = counts.mentions[:, role].T
            rows = np.column_stack([(male + female) > 0, *_products(male, female)])
            np.add.at(self.mentions[:, role], codes, rows)
        whole = pairs[target.document]
        crossed = [side * whole[:, other] for side in (target.male, target.female) for other in (0, 1)]
        ones = np.ones(len(target.item))
        rows = np.column_stack([ones, *_products(target.male, target.female), *crossed])
        np.add.at(self.targets, (codes[target.document], target.item), rows)


def _products(male: Floats, female: Floats) -> list[Floats]:
    return [male, female, male * male, female * female, male * female]


FEWEST_DOCUMENTS = 5
FEWEST_PAIRS = 20
PRIOR = 1.0
"""Pairs that are added to each target, split between the genders as all pairs are."""

TOO_FEW = "too few"
LEVEL = 0.95


def cooccurrence_table(moments: Moments, targets: Targets) -> pd.DataFrame:
    """A row for each group and each category and word."""
    groups, items = moments.groups, targets.items
    base = dict(zip(BASE, moments.base[: len(groups), None, :].transpose(2, 0, 1), strict=True))
    target = dict(zip(TARGET, moments.targets[: len(groups)].transpose(2, 0, 1), strict=True))
    estimates = _estimates(target, base)
    few = (target["documents"] < FEWEST_DOCUMENTS) | (target["m"] + target["f"] < FEWEST_PAIRS)
    table = pd.DataFrame(
        {
            "by": np.repeat([by for by, _ in groups], len(items)),
            "level": np.repeat([level for _, level in groups], len(items)),
            "category": [category for category, _ in items] * len(groups),
            "word": [word for _, word in items] * len(groups),
            "male": target["m"].ravel().astype(int),
            "female": target["f"].ravel().astype(int),
            "documents": target["documents"].ravel().astype(int),
        }
    )
    for name, values in estimates.items():
        table[name] = np.where(few, np.nan, values).ravel()
    return table.assign(note=np.where(few, TOO_FEW, "").ravel())


def _estimates(target: dict[str, Floats], base: dict[str, Floats]) -> dict[str, Floats]:
    """Log-odds and both PMI with their intervals, for groups x items."""
    m, f, whole_m, whole_f = target["m"], target["f"], base["m"], base["f"]
    pairs = whole_m + whole_f
    # What is divided by nothing is not known and becomes NaN; such rows are shown as too few.
    with np.errstate(divide="ignore", invalid="ignore"):
        male, female = m + PRIOR * whole_m / pairs, f + PRIOR * whole_f / pairs
        log_odds = np.log(male / female) - np.log(whole_m / whole_f)
        slopes = (1 / male, -1 / female, -1 / whole_m, 1 / whole_f)
        row = _with_interval("log_odds", log_odds, slopes, (target, base))
        near = m + f
        pmi_male = np.where(m > 0, np.log(m * pairs / (near * whole_m)), np.nan)
        slopes = (1 / m - 1 / near, -1 / near, 1 / pairs - 1 / whole_m, 1 / pairs)
        row |= _with_interval("pmi_male", pmi_male, slopes, (target, base))
        pmi_female = np.where(f > 0, np.log(f * pairs / (near * whole_f)), np.nan)
        slopes = (-1 / near, 1 / f - 1 / near, 1 / pairs, 1 / pairs - 1 / whole_f)
        return row | _with_interval("pmi_female", pmi_female, slopes, (target, base))


def _with_interval(
    name: str, value: Floats, slopes: tuple[Any, ...], sums: tuple[dict[str, Floats], dict[str, Floats]]
) -> dict[str, Floats]:
    from scipy.special import stdtrit

    target, base = sums
    degrees = np.maximum(target["documents"] - 1, 1)
    reach = stdtrit(degrees, (1 + LEVEL) / 2) * np.sqrt(_variance(slopes, target, base))
    return {name: value, f"{name}_low": value - reach, f"{name}_high": value + reach}


def _variance(slopes: tuple[Any, ...], target: dict[str, Floats], base: dict[str, Floats]) -> Floats:
    """The variance over documents of a sum with these slopes on m, f, M and F of a document."""
    a, b, c, d = slopes
    n = base["documents"]
    total = a * target["m"] + b * target["f"] + c * base["m"] + d * base["f"]
    own = a * a * target["mm"] + b * b * target["ff"] + 2 * a * b * target["mf"]
    whole = c * c * base["mm"] + d * d * base["ff"] + 2 * c * d * base["mf"]
    crossed = 2 * (a * c * target["mM"] + a * d * target["mF"] + b * c * target["fM"] + b * d * target["fF"])
    return np.maximum(own + whole + crossed - total**2 / n, 0) * n / (n - 1)


def mentions_table(moments: Moments) -> pd.DataFrame:
    """Women and men mentioned and the share of women, for each group and role, with an interval."""
    rows = []
    for code, (by, level) in enumerate(moments.groups):
        documents = moments.base[code, BASE.index("documents")]
        for role, sums in zip(ROLES, moments.mentions[code], strict=True):
            named = dict(zip(MENTION, sums, strict=True))
            share, low, high = _share(named, documents)
            rows.append(
                {
                    "by": by,
                    "level": level,
                    "role": role,
                    "women": int(named["f"]),
                    "men": int(named["m"]),
                    "documents": int(named["documents"]),
                    "share_women": share,
                    "low": low,
                    "high": high,
                    "note": TOO_FEW if np.isnan(share) else "",
                }
            )
    return pd.DataFrame(rows)


def _share(sums: dict[str, float], documents: float) -> tuple[float, float, float]:
    """The share of women with its interval on the scale of log-odds, so that it stays between 0 and 1.

    Where only one gender is mentioned, Wilson's interval counts each document once.
    """
    from scipy.special import expit, stdtrit

    women, men = sums["f"], sums["m"]
    if sums["documents"] < FEWEST_DOCUMENTS or women + men < FEWEST_PAIRS:
        return (float("nan"),) * 3
    share = women / (women + men)
    if not women or not men:
        ends = wilson(int(sums["documents"]) if women else 0, int(sums["documents"]))
        return share, ends.low, ends.high
    a, b = 1 / women, -1 / men
    squares = a * a * sums["ff"] + b * b * sums["mm"] + 2 * a * b * sums["mf"]
    spread = np.sqrt(squares * documents / (documents - 1)) * stdtrit(sums["documents"] - 1, (1 + LEVEL) / 2)
    centre = np.log(women / men)
    return share, float(expit(centre - spread)), float(expit(centre + spread))


KEPT = 200
SHOWN = 10
OPENING = 100
MENTIONS = "mentions"
"""Stands for the lean of the corpus itself: men and women mentioned, whatever is near them."""


class Candidate(NamedTuple):
    """A document's pairs with a category (male, female), all its pairs, and where it is."""

    male: float
    female: float
    all_male: float
    all_female: float
    document: str
    file: str
    line: int
    opening: str


class Drivers:
    """The documents with the largest contributions to each category's log-odds."""

    def __init__(self, categories: Sequence[str], kept: dict[str, list[Candidate]] | None = None) -> None:
        self.categories = list(categories)
        self.kept: dict[str, list[Candidate]] = kept or {name: [] for name in [MENTIONS, *categories]}

    def add(self, documents: Sequence[Document], counts: BlockCounts, moments: Moments) -> None:
        """Consider the documents of a block; `moments` hold the sums so far."""
        target = counts.targets
        for item, name in enumerate(self.categories):
            rows = np.flatnonzero(target.item == item)
            near = np.column_stack([target.male[rows], target.female[rows]])
            self._consider(name, _candidates(documents, target.document[rows], near, counts), moments)
        mentions = counts.mentions[:, 0]
        some = np.flatnonzero(mentions.sum(axis=1))
        self._consider(MENTIONS, _candidates(documents, some, mentions[some], counts), moments)

    def table(self, moments: Moments) -> pd.DataFrame:
        """The largest contributions to either side, by category."""
        rows = []
        for name, candidates in self.kept.items():
            ranked = sorted(
                zip(self._contributions(name, candidates, moments), candidates, strict=True), reverse=True
            )
            male = [(MALE, *pair) for pair in ranked[:SHOWN] if pair[0] > 0]
            female = [(FEMALE, *pair) for pair in ranked[::-1][:SHOWN] if pair[0] < 0]
            for side, contribution, candidate in [*male, *female]:
                rows.append((name, side, contribution, *candidate[:2], *candidate[4:]))
        columns = ["category", "leans", "contribution", "male", "female", "document", "file", "line", "text"]
        return pd.DataFrame(rows, columns=columns).astype({"male": int, "female": int})

    def _consider(self, name: str, new: Iterable[Candidate], moments: Moments) -> None:
        candidates = [*self.kept[name], *new]
        if len(candidates) > 2 * KEPT:
            order = np.argsort(self._contributions(name, candidates, moments), kind="stable")
            candidates = [candidates[place] for place in [*order[:KEPT], *order[-KEPT:]]]
        self.kept[name] = candidates

    def _contributions(self, name: str, candidates: Sequence[Candidate], moments: Moments) -> list[float]:
        numbers = np.asarray([candidate[:4] for candidate in candidates], dtype=np.float64).reshape(-1, 4)
        slopes = self._slopes(name, moments)
        return [float(value) for value in numbers @ slopes]

    def _slopes(self, name: str, moments: Moments) -> Floats:
        base = dict(zip(BASE, moments.base[0], strict=True))
        with np.errstate(divide="ignore", invalid="ignore"):
            if name == MENTIONS:
                sums = dict(zip(MENTION, moments.mentions[0, 0], strict=True))
                slopes = np.array([1 / sums["m"], -1 / sums["f"], 0.0, 0.0])
            else:
                sums = dict(zip(TARGET, moments.targets[0, self.categories.index(name)], strict=True))
                whole_m, whole_f = base["m"], base["f"]
                prior = PRIOR / (whole_m + whole_f)
                male, female = sums["m"] + prior * whole_m, sums["f"] + prior * whole_f
                slopes = np.array([1 / male, -1 / female, -1 / whole_m, 1 / whole_f])
        return np.where(np.isfinite(slopes), slopes, 0.0)


def _candidates(
    documents: Sequence[Document], places: Integers, near: Floats, counts: BlockCounts
) -> list[Candidate]:
    """Candidates from the documents of a block at these places."""
    rows = zip(places.tolist(), near.tolist(), counts.pairs[places].tolist(), strict=True)
    candidates = []
    for place, (male, female), (all_male, all_female) in rows:
        document = documents[place]
        opening = " ".join(document.text[: 2 * OPENING].split())[:OPENING]
        file, line = document.where
        candidates.append(Candidate(male, female, all_male, all_female, document.id, file, line, opening))
    return candidates
