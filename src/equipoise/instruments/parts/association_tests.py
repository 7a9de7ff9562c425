"""What WEAT, SEAT and C-SEAT share: two sets of targets, two of attributes, and how near they are."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pandas as pd

from equipoise.data.sets.association_tests import (
    ATTRIBUTES,
    OWN,
    PUBLISHED,
    TARGETS,
    load_association_tests,
)
from equipoise.data.sources import Source
from equipoise.instruments.base import Answers, Ask, Design, Settings
from equipoise.instruments.parts.association_estimates import (
    FACTORS,
    LAYER,
    OVERALL,
    quantity_of,
    summarised,
)
from equipoise.instruments.parts.choices import CHOSEN_LAYER, MEASURE, POOLING
from equipoise.instruments.parts.embedding import Stimulus, asked_vectors, vectors_by_layer
from equipoise.models.capabilities import EMBED
from equipoise.models.protocol import LanguageModel
from equipoise.results import Roles, Summary
from equipoise.stats.association import MEASURES, nearness, whitening_of
from equipoise.stats.clusters import Floats

FEWEST_WORDS = 2
NO_VECTOR = "the model has no vector for it"
NO_WORD = "the word that the sentence is about is not known"


class Rule(NamedTuple):
    """How a variant works: the deviation that divides, whether sentences of a word count as one, pooling."""

    ddof: int
    by_word: bool
    pooling: str = ""


@dataclass(frozen=True, kw_only=True)
class AssociationDesign(Design):
    """The targets as items, the attributes, and the texts or words that are asked of both."""

    attributes: pd.DataFrame
    stimuli: Mapping[str, Stimulus]


class AssociationInstrument:
    """Nearness of two sets of targets to two sets of attributes; subclasses say what is embedded."""

    name: str
    title: str
    rules: Mapping[str, Rule]
    sentences = False
    of_word = False
    datasets = (OWN, PUBLISHED)
    needs = (EMBED,)
    reads = (CHOSEN_LAYER, POOLING, MEASURE)
    scored_jointly = True
    roles = Roles(text=("text",), factors=FACTORS, groups=("test",))
    quantities = (OVERALL,)

    def design(self, source: Source, settings: Settings) -> AssociationDesign:
        """The words or sentences of every test."""
        read = load_association_tests(source, sentences=self.sentences)
        table = read.table.assign(
            item=[" | ".join(cells) for cells in read.table[["test", "set", "text"]].to_numpy()],
            dropped=[NO_WORD if self.of_word and not word else "" for word in read.table["word"]],
        )
        targets = table[table["role"].isin(TARGETS)].rename(columns={"role": "side"}).reset_index(drop=True)
        tests = list(targets["test"].unique())
        return AssociationDesign(
            items=targets,
            files=read.files,
            settings=settings,
            notices=read.notices,
            quantities=(OVERALL, *(quantity_of(name) for name in tests if len(tests) > 1)),
            attributes=table[table["role"].isin(ATTRIBUTES)].reset_index(drop=True),
            stimuli=self._stimuli(table),
        )

    def ask(self, design: AssociationDesign, model: LanguageModel) -> Iterator[Ask]:
        """The vector of every target and attribute."""
        rule = self.rules[design.settings.variant]
        yield from asked_vectors(
            design.stimuli.values(), model, design.settings.vectors, pooling=rule.pooling
        )

    def score(self, design: AssociationDesign, answers: Answers) -> pd.DataFrame:
        """How much nearer every target is to the first attributes than to the second, by every measure."""
        targets, attributes = design.items, design.attributes
        names = [*targets["item"], *attributes["item"]]
        layers = vectors_by_layer(answers, names)
        top, chosen = list(layers)[-1], design.settings.vectors.measure
        columns = {measure: _associations(design, layers[top], measure) for measure in MEASURES}
        if len(layers) > 1:
            columns |= {
                f"{LAYER}{layer}": _associations(design, vectors, chosen) for layer, vectors in layers.items()
            }
        unknown = np.isnan(layers[top][: len(targets)]).any(axis=1)
        reasons = targets["dropped"].where((targets["dropped"] != "") | ~unknown, [NO_VECTOR] * len(targets))
        small = _too_small(design, layers[top])
        reasons = reasons.where((reasons != "") | ~targets["test"].isin(small), targets["test"].map(small))
        items = targets.assign(score=columns[chosen], **columns, dropped=reasons)
        items.loc[items["dropped"] != "", ["score", *columns]] = np.nan
        return items.assign(standardised=_standardised(items, self.rules[design.settings.variant].ddof))

    def summarise(self, design: AssociationDesign, items: pd.DataFrame) -> Summary:
        """Effect sizes with their p over all tests, of each, by measure and by layer."""
        rule = self.rules[design.settings.variant]
        units = items if rule.by_word else items.assign(cluster=items["item"])
        sets = design.attributes.groupby("test")["set"].unique().map(tuple).to_dict()
        return summarised(units, sets, design.settings, ddof=rule.ddof)

    def _stimuli(self, table: pd.DataFrame) -> dict[str, Stimulus]:
        """What is embedded for each row: its text, or the word in it."""
        stimuli = {}
        for row in table[table["dropped"] == ""].to_dict("records"):
            start = row["text"].find(row["word"])
            span = (start, start + len(row["word"])) if self.of_word else None
            stimuli[row["item"]] = Stimulus(row["item"], row["text"], span)
        return stimuli


def _associations(design: AssociationDesign, vectors: Floats, measure: str) -> Floats:
    """The mean nearness to the first attributes less that to the second, of every target in its own test."""
    targets, attributes = vectors[: len(design.items)], vectors[len(design.items) :]
    known = vectors[~np.isnan(vectors).any(axis=1)]
    whitening = whitening_of(np.unique(known, axis=0)) if measure == "mahalanobis" and len(known) else None
    associations = np.full(len(targets), np.nan)
    for test in design.items["test"].unique():
        of_test = (design.items["test"] == test).to_numpy()
        sides = [
            _known(attributes[((design.attributes["test"] == test) & (design.attributes["role"] == role))])
            for role in ATTRIBUTES
        ]
        if min(map(len, sides)):
            first, second = (
                nearness(targets[of_test], side, measure, whitening=whitening).mean(axis=1) for side in sides
            )
            associations[of_test] = first - second
    return associations


def _known(vectors: Floats) -> Floats:
    known: Floats = vectors[~np.isnan(vectors).any(axis=1)]
    return known


def _too_small(design: AssociationDesign, vectors: Floats) -> dict[str, str]:
    """The tests that lack words on a side, with the reason and the words."""
    every = pd.concat([design.items.rename(columns={"side": "role"}), design.attributes], ignore_index=True)
    unknown = pd.Series(np.isnan(vectors).any(axis=1))
    small = {}
    for (test, _, name), rows in every.groupby(["test", "role", "set"], sort=False):
        words = rows.loc[~unknown[rows.index], "cluster"].nunique()
        if words < FEWEST_WORDS:
            missing = ", ".join(rows.loc[unknown[rows.index], "cluster"].unique()[:5])
            small[str(test)] = f"of the set {name!r} the model has {words} words; it lacks {missing}"
    return small


def _standardised(items: pd.DataFrame, ddof: int) -> pd.Series:
    """Associations in deviations of their test: the two sides' means are then an effect size apart."""
    spread = items.groupby("test")["score"].transform(lambda scores: scores.std(ddof=ddof))
    return items["score"] / spread.where(spread > 0)
