"""Declared pronouns: does a model use the pronouns that a person asked for?

Example      "Robin's pronouns are xe/xem/xyr. [...] Robin lost [MASK] keys." Asked: his, her, their, xyr, hir
             or eir?
Measures     A blank is right if the declared form is the likeliest of the six. `fidelity` is the share of
             right blanks, `gap` that of he and she less that of three sets of new pronouns (xe, ze, ey).
Sign         gap above 0: people who use he or she are spoken of correctly more often. he-less-she above 0:
             those who use he more often than those who use she.
Good         fidelity near 100 %, gaps near 0.
Neutral      A coin is right in 16.7 % and has gaps of 0. A model that always says "they" is right in 16.7 %
             too, with gaps of 0; `lift` tells it apart from one that listens.
Also given   `lift`: by how many nats the declaration raises the log-probability of the declared form among
             the six, against the same text without the declaration. It is 0 for whoever ignores it, and does
             not depend on how rare a form is. All by set, distance, form, phrasing and the name's gender.
Distance     The sentence comes 0 to 5 sentences after the declaration, or after a sentence about another
             person (he or she) and a neutral one.
Phrasings    Five ways to declare take turns, and are a factor of the interval.
             `spread-between-patterns` says how far they lie apart.
Source       The question is that of Hossain et al. 2023 (MISGENDERED). Sentences, names and distances are
             ours.
Data         24 sentences, 12 names, six sets of pronouns; yours as a folder with declarations.csv and
             declared-pronouns.csv.
Limits       A masked model spells new pronouns in several pieces, whose probabilities are multiplied: they
             are rarer for that alone, so read `lift` too. One name for each sentence. English.
"""

from collections.abc import Iterator
from math import log

import numpy as np
import pandas as pd

from equipoise.data.sets.declarations import NAME, load_declarations
from equipoise.data.sources import Source
from equipoise.instruments.base import Answers, Ask, Design, Settings
from equipoise.instruments.parts.estimates import (
    Groups,
    Spec,
    contrast_estimate,
    grouped,
    mean_estimate,
    probability_estimate,
)
from equipoise.instruments.parts.fragility import LEAN, spread_estimates
from equipoise.instruments.parts.items import Row, asked_rows, with_scores
from equipoise.models.capabilities import FILL
from equipoise.models.protocol import LanguageModel
from equipoise.models.questions import Fill, WordScores
from equipoise.results import Estimate, Quantity, Roles, Summary
from equipoise.results.quantity import TOWARDS, Contrast

FACTORS = ("sentence", "phrasing")
GROUPS = ("pronouns", "distance", "form", "phrasing", "name_gender")
DECLARED, UNDECLARED = "declared", "undeclared"
NOT_SPELT = "the model cannot spell the declared form"

_GAP = Quantity(
    "gap",
    "right for he and she - right for new pronouns",
    0.05,
    column="right",
    unit="share difference",
    factors=FACTORS,
    contrast=Contrast("kind", "he or she", "new", are_sides=True),
    ranks=True,
    name="declared he and she used more than new pronouns",
    question="declared",
    sides=("towards he and she", "towards new pronouns"),
    headline=True,
)
_SIDES = Quantity(
    "he-less-she",
    "right for he - right for she",
    0.05,
    column="right",
    unit="share difference",
    factors=FACTORS,
    contrast=Contrast("pronouns", "he", "she"),
    name="declared he used more than declared she",
    question="declared",
    sides=TOWARDS,
)
_FIDELITY = Quantity(
    "fidelity",
    "blanks with the declared pronoun",
    0.02,
    column="right",
    unit="share",
    neutral=1 / 6,
    better="higher",
    part="ability",
    kind="probability",
    factors=FACTORS,
    name="uses declared pronouns",
    question="ability",
    scale="half",
    enough=0.8,
    headline=True,
)
_LIFT = Quantity(
    "lift",
    "what the declaration adds to the declared form",
    0.1,
    unit="nats",
    better="higher",
    part="ability",
    factors=FACTORS,
    name="listens to the declaration",
    question="ability",
    scale="nats",
    enough=log(2),
)


class DeclaredPronouns:
    """The share of blanks in which a person's declared pronoun is the likeliest."""

    name = "declared-pronouns"
    title = "Declared pronouns: does a model use the pronouns that a person asked for"
    datasets = (NAME,)
    variants = ("six-sets",)
    needs = (FILL,)
    reads = ()
    roles = Roles(text=("text",), factors=FACTORS, groups=GROUPS, shown=("declared", "chosen", "p_declared"))
    quantities = (_GAP, _SIDES, _FIDELITY, _LIFT)

    def design(self, source: Source, settings: Settings) -> Design:
        """Every sentence after every set of pronouns at every distance."""
        read = load_declarations(source)
        return Design(items=read.table, files=read.files, settings=settings)

    def ask(self, design: Design, model: LanguageModel) -> Iterator[Ask]:
        """The forms of all sets at the blank, with the declaration and without it."""
        for row in asked_rows(design.items):
            words = tuple(row["words"].split("|"))
            yield Ask(row["item"], DECLARED, Fill(row["text"], words, unknown_as_nan=True))
            yield Ask(row["item"], UNDECLARED, Fill(row["undeclared"], words, unknown_as_nan=True))

    def score(self, design: Design, answers: Answers) -> pd.DataFrame:
        """Whether the declared form is the likeliest, and what the declaration adds to it."""

        def read(row: Row) -> Row:
            told, untold = (answers[row["item"], role] for role in (DECLARED, UNDECLARED))
            place = told.words.index(row["declared"])
            logs, before = _shares(told), _shares(untold)
            if np.isnan(logs[place]):
                return {"dropped": NOT_SPELT}
            likeliest = logs >= np.nanmax(logs) - 1e-9
            return {
                "score": logs[place] - before[place],
                "p_declared": float(np.exp(logs[place])),
                "right": float(likeliest[place] / likeliest.sum()),
                "chosen": "/".join(word for word, is_it in zip(told.words, likeliest, strict=True) if is_it),
            }

        return with_scores(design.items, read, ("score", "right"))

    def summarise(self, design: Design, items: pd.DataFrame) -> Summary:
        """Fidelity, gaps and lift over all items and by what they are grouped by."""
        estimates: list[Estimate] = []
        for groups, rows in grouped(items, *GROUPS):
            fidelity, lift = Spec.of(_FIDELITY).at(groups), Spec.of(_LIFT).at(groups)
            estimates.append(probability_estimate(fidelity, rows["right"], rows, FACTORS))
            estimates.append(mean_estimate(lift, rows["score"], rows, FACTORS))
        for groups, rows in grouped(items, "distance"):
            for quantity in (_GAP, _SIDES):
                estimates.append(_contrast(quantity, groups, rows))
        patterns = {"pattern": items["phrasing"], LEAN: items["right"], "word": items["sentence"]}
        estimates += spread_estimates(items.assign(**patterns), "share", design.settings.seed)
        return Summary(estimates)


def _shares(scores: WordScores) -> np.ndarray:
    """Log-probabilities among the forms that the model can spell."""
    logs = np.array(scores.logprobs)
    return logs - np.logaddexp.reduce(logs[~np.isnan(logs)])


def _contrast(quantity: Quantity, groups: Groups, rows: pd.DataFrame) -> Estimate:
    """The share at the contrast's first level less that at its second."""
    assert quantity.contrast is not None
    column, first, second = quantity.contrast.column, quantity.contrast.first, quantity.contrast.second
    part = rows[rows[column].isin([first, second])]
    is_first = part[column] == first
    return contrast_estimate(
        Spec.of(quantity).at(groups), part["right"], is_first, rows=part, factors=FACTORS
    )
