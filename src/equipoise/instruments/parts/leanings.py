"""Words that lean to men or women as items, and their vectors at every layer asked."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import pandas as pd

from equipoise.data.reading import TABLES, read_table
from equipoise.data.sets.association_tests import FRAMES, SLOT
from equipoise.data.sets.leanings import NAME, load_leanings
from equipoise.data.sources import Source
from equipoise.errors import UserError
from equipoise.instruments.base import Answers, Ask, Design, Settings
from equipoise.instruments.parts.choices import CHOSEN_LAYER, POOLING
from equipoise.instruments.parts.embedding import Stimulus, asked_vectors, vectors_by_layer
from equipoise.instruments.parts.estimates import (
    Groups,
    Spec,
    contrast_estimate,
    estimate,
    grouped,
    share_estimate,
    size_estimate,
)
from equipoise.models.capabilities import EMBED
from equipoise.models.protocol import LanguageModel
from equipoise.results import Estimate, Quantity, Roles, Summary
from equipoise.results.quantity import STEREOTYPED, Contrast
from equipoise.stats.clusters import Floats
from equipoise.text.gendered import FEMALE, MALE

ALONE, IN_FRAMES = "alone", "in-frames"
LAYER = "layer_"
FACTORS = ("word",)
NO_VECTOR = "the model has no vector for it"
_PAIR = "pair "


class WordSpace(NamedTuple):
    """The vectors of the words, and of the two sides of the pairs, at one layer."""

    words: Floats
    male: Floats
    female: Floats


@dataclass(frozen=True, kw_only=True)
class LeaningDesign(Design):
    """The words as items, the pairs, and the texts asked for each."""

    pairs: tuple[tuple[str, str], ...]
    stimuli: Mapping[str, tuple[Stimulus, ...]]


class OfLeanings:
    """What instruments on words that lean share: the words and pairs, and the vectors they ask for."""

    datasets: tuple[str, ...] = (NAME,)
    variants: tuple[str, ...] = (ALONE, IN_FRAMES)
    needs: tuple[str, ...] = (EMBED,)
    reads: tuple[str, ...] = (CHOSEN_LAYER, POOLING)
    scored_jointly = True
    roles = Roles(text=("word",), factors=FACTORS, groups=("leaning", "group"))

    def design(self, source: Source, settings: Settings) -> LeaningDesign:
        """The words and the pairs."""
        return leaning_design(source, settings, in_frames=settings.variant == IN_FRAMES)

    def ask(self, design: LeaningDesign, model: LanguageModel) -> Iterator[Ask]:
        """The vectors of words and pairs."""
        return ask_leanings(design, model)


def leaning_design(source: Source, settings: Settings, *, in_frames: bool) -> LeaningDesign:
    """The words and pairs of a source, each alone or in the shipped frames."""
    read = load_leanings(source)
    frames = list(read_table(TABLES / FRAMES)["frame"]) if in_frames else [SLOT]
    names = {word: word for word in read.words["word"]}
    names |= {
        _pair_name(place, side): word
        for place, *pair in _numbered(read.pairs)
        for side, word in zip((MALE, FEMALE), pair, strict=True)
    }
    items = read.words.assign(item=read.words["word"], dropped="")
    return LeaningDesign(
        items=items,
        files=(*read.files, TABLES / FRAMES) if in_frames else read.files,
        settings=settings,
        pairs=read.pairs,
        stimuli={name: _stimuli(name, word, frames) for name, word in names.items()},
    )


def ask_leanings(design: LeaningDesign, model: LanguageModel) -> Iterator[Ask]:
    """The vectors of all words and pairs."""
    stimuli = (one for several in design.stimuli.values() for one in several)
    yield from asked_vectors(stimuli, model, design.settings.vectors)


def word_spaces(design: LeaningDesign, answers: Answers) -> dict[int, WordSpace]:
    """The vectors at every layer: a word's is the mean over the texts it was asked in."""
    several = list(design.stimuli.values())
    names = [one.item for stimuli in several for one in stimuli]
    each = len(several[0])
    spaces = {}
    for layer, vectors in vectors_by_layer(answers, names).items():
        means = vectors.reshape(len(several), each, -1).mean(axis=1)
        count = len(design.items)
        pairs = means[count:].reshape(len(design.pairs), 2, -1)
        known = pairs[~np.isnan(pairs).any(axis=(1, 2))]
        if len(known) == 0:
            raise UserError(
                "The model has no vector for any of the pairs that define the direction.",
                "Put pairs that it knows into direction-pairs.csv beside your words.",
            )
        spaces[layer] = WordSpace(means[:count], known[:, 0], known[:, 1])
    return spaces


def score_words(
    design: LeaningDesign, answers: Answers, read: Callable[[WordSpace, pd.DataFrame], Floats]
) -> pd.DataFrame:
    """The words with the score that `read` gives the known ones at the last layer asked, and at each."""
    spaces = word_spaces(design, answers)
    top = list(spaces)[-1]
    known = ~np.isnan(spaces[top].words).any(axis=1)
    columns = {}
    for layer, space in spaces.items():
        values = np.full(len(design.items), np.nan)
        values[known] = read(space._replace(words=space.words[known]), design.items[known])
        columns[f"{LAYER}{layer}"] = values
    items = design.items.assign(score=columns[f"{LAYER}{top}"], dropped=np.where(known, "", NO_VECTOR))
    return items.assign(**columns) if len(spaces) > 1 else items


def score_columns(items: pd.DataFrame) -> dict[str, Mapping[str, str]]:
    """The columns that hold scores, with the groups of the estimates made of them."""
    layers = {name: {"layer": name.removeprefix(LAYER)} for name in items if name.startswith(LAYER)}
    return {"score": {}, **layers}


def missing_words(items: pd.DataFrame) -> tuple[str, ...]:
    """What to say of words that the model does not know."""
    left = items.loc[items["dropped"] != "", "word"]
    return (f"{len(left)} words left out, {NO_VECTOR}: {', '.join(left[:10])}",) if len(left) else ()


def signs_of(rows: pd.DataFrame) -> Floats:
    """1 for words that lean to men, -1 for those that lean to women."""
    return np.where(rows["leaning"] == MALE, 1.0, -1.0)


def _stimuli(name: str, word: str, frames: Sequence[str]) -> tuple[Stimulus, ...]:
    stimuli = []
    for place, frame in enumerate(frames):
        start = frame.index(SLOT)
        span = None if frame == SLOT else (start, start + len(word))
        stimuli.append(Stimulus(f"{name} | {place}", frame.replace(SLOT, word), span))
    return tuple(stimuli)


def _numbered(pairs: Sequence[tuple[str, str]]) -> Iterator[tuple[int, str, str]]:
    yield from ((place, male, female) for place, (male, female) in enumerate(pairs))


def _pair_name(place: int, side: str) -> str:
    return f"{_PAIR}{place} {side}"


def read_right(items: pd.DataFrame, column: str = "score") -> pd.Series:
    """1 for a word whose score lies on the side of its leaning, 0 for another; NaN without a score."""
    right = (items[column] * signs_of(items) > 0).astype(float)
    return right.where(items[column].notna(), np.nan)


ACCURACY = "accuracy"


def separation_quantity(unit: str, *, margin: float, scale: str, ranks: bool = False) -> Quantity:
    """Words that lean to men less words that lean to women."""
    return Quantity(
        "separation",
        "male-leaning - female-leaning words",
        margin,
        unit=unit,
        factors=FACTORS,
        contrast=Contrast("leaning", MALE, FEMALE),
        ranks=ranks,
        name="gap between words about men and words about women",
        question="words",
        scale=scale,
        sides=STEREOTYPED,
        headline=True,
    )


def lean_quantities(size: Quantity) -> tuple[Quantity, Quantity]:
    """The mean size of the scores, as `size` names it, and the separation."""
    separation = separation_quantity(size.unit, margin=size.margin, scale=size.scale)
    shared = replace(separation, contrast=None, sides=(), better="lower", kind="size", ranks=True)
    return replace(shared, key=size.key, label=size.label, name=size.name), separation


def accuracy_quantity(label: str) -> Quantity:
    """The share of words that are told right."""
    return Quantity(
        *(ACCURACY, label, 0.05),
        column="correct",
        unit="share",
        neutral=0.5,
        kind="share",
        factors=FACTORS,
        ranks=True,
        name=label,
        question="words",
        scale="half",
        sides=STEREOTYPED,
        headline=True,
    )


def lean_estimates(items: pd.DataFrame, quantities: Sequence[Quantity]) -> list[Estimate]:
    """Size and separation over all words, in every group, and at every layer."""
    size, separation = quantities
    spec = Spec.of(size)
    estimates = [
        size_estimate(spec.at(groups), rows[column], rows, FACTORS)
        for groups, rows, column in _parts(items, "group", "leaning")
    ]
    return [*estimates, *separation_estimates(items, separation)]


def separation_estimates(items: pd.DataFrame, quantity: Quantity) -> list[Estimate]:
    """The separation over all words, in groups that have words of both leanings, and at every layer."""
    spec = Spec.of(quantity)
    return [
        contrast_estimate(spec.at(groups), rows[column], rows["leaning"] == MALE, rows=rows, factors=FACTORS)
        for groups, rows, column in _parts(items, "group")
        if rows["leaning"].nunique() == 2
    ]


def accuracy_summary(items: pd.DataFrame, quantity: Quantity) -> Summary:
    """The share told right over all words, in every group and at every layer; and p over all."""
    spec = Spec.of(quantity)
    estimates = [
        share_estimate(spec.at(groups), read_right(rows, column), rows, FACTORS)
        for groups, rows, column in _parts(items, "group", "leaning")
    ]
    known = items[items["score"].notna()]
    p = Spec("p", "p (Fisher's exact test)", "p", neutral=np.nan, better="none")
    value = _fisher_p(known)
    estimates.append(estimate(p, value, (value, value), n=len(known), dropped=len(items) - len(known)))
    return Summary(estimates, remarks=missing_words(items))


def _parts(items: pd.DataFrame, *columns: str) -> list[tuple[Groups, pd.DataFrame, str]]:
    """All words and those of each group by the score, then all words by the score of each layer."""
    parts = [(groups, rows, "score") for groups, rows in grouped(items, *columns)]
    return [*parts, *((groups, items, column) for column, groups in score_columns(items).items() if groups)]


def _fisher_p(rows: pd.DataFrame) -> float:
    """P that leaning and what was said of it have nothing to do with each other."""
    from scipy.stats import fisher_exact

    said, male = rows["score"] > 0, rows["leaning"] == MALE
    table = [[int((said & male).sum()), int((~said & male).sum())]]
    table += [[int((said & ~male).sum()), int((~said & ~male).sum())]]
    return float(fisher_exact(table).pvalue)
