"""Cosine: are words of strength, looks or work nearer to men or to women in their contexts?

Question     The cosine of two vectors of one context, read as it is written: that of the gendered word
             nearest to its middle and that of a target word in it (strength, weakness, intelligence,
             appearance, career, family). Each vector is the mean over the word's own tokens at a layer.
Sign         difference = mean cosine with male words - mean cosine with female words: above 0 targets stand
             nearer to men. `score` is the cosine of an item, a context and one target word in it.
Good         difference near 0. The size of a cosine says nothing: vectors of a layer share a direction.
Also given   The mean per target word and gender (the published scatter), the mean over target words of each
             word's own difference, which does not depend on which words stand near men more often, all by
             category, group column, part and, in `all-layers`, layer (0: the embeddings). A word that is
             there twice is taken where it is nearer; `distance` counts the words between.
Variants     last-layer: both words as they are written; all-layers: the same at every layer from one pass;
             at-mask: the gendered word is hidden, and its vector is that of the mask, as the authors' code
             has it.
Neutral      Random weights need not give 0: he and she are two vectors, and one may be nearer to most words
             by chance. Read it beside the control, and per target word.
Source       Deng and Breuch, "Studying Gender Bias in News Using BERT Masked Language Models" (CS230).
Differs      The published code hid the gendered word (at-mask), counted words by white space and tokens by
             punctuation, so that places drift apart, and evaluated all categories on the contexts of one.
             Here places are right and each category has its own contexts: its scatter is not reproduced.
Limits       Nearer words are more alike whatever they mean: see `distance`. Contexts with other gendered
             words (`part`) mix both. Below ten contexts of a gender a word has no number. English.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from equipoise.corpora.contexts import Context, TargetWord
from equipoise.data.sources import Source
from equipoise.errors import UserError
from equipoise.instruments.base import Answers, Ask, Design, Settings
from equipoise.instruments.parts.choices import CORPUS
from equipoise.instruments.parts.corpus_items import (
    FEWEST,
    SEPARATOR,
    WITH_TARGET,
    context_row,
    corpus_groups,
    read_contexts,
    unless_too_few,
)
from equipoise.instruments.parts.estimates import Groups, Spec, contrast_estimate, grouped, mean_estimate
from equipoise.instruments.parts.items import Row, asked_rows, with_scores
from equipoise.models.capabilities import EMBED, HIDE_WORDS
from equipoise.models.protocol import LanguageModel, reason_against
from equipoise.models.questions import Embed, Vector
from equipoise.results import Estimate, Quantity, Roles, Summary
from equipoise.results.quantity import TOWARDS, Contrast
from equipoise.text.gendered import FEMALE, MALE
from equipoise.text.sentences import Span

LAST, ALL, AT_MASK = "last-layer", "all-layers", "at-mask"
UNIT = "cosine"
FACTORS = ("document",)
NOT_ASKED = "longer than the model reads, or a word has no token of its own"
NO_VECTOR = "the model has no vector for a word"
LAYER = "layer_"
"""What a column with the cosine at a layer begins with."""

SCATTER = ["target", "categories", "cosine_male", "cosine_female", "difference", "n_male", "n_female"]
_SIDES = ("gendered", "target")
_TOP = -1
_LABEL = "cosine with men - cosine with women"
_DIFFERENCE = Quantity(
    "difference",
    _LABEL,
    0.01,
    unit=UNIT,
    factors=FACTORS,
    contrast=Contrast("gender", MALE, FEMALE),
    ranks=True,
    name="nearness of words to men rather than women",
    question="words",
    scale="cosine",
    sides=TOWARDS,
    headline=True,
)
_WITHIN_WORDS = replace(
    _DIFFERENCE,
    key="difference-within-words",
    label=f"{_LABEL}, mean over target words",
    name="nearness to men rather than women, mean over words",
    contrast=None,
    ranks=False,
    compared=False,
)


@dataclass(frozen=True, kw_only=True)
class CosineDesign(Design):
    """The contexts with the places of the gendered and the target word of every item."""

    places: Mapping[str, tuple[Span, Span]]


class ContextCosine:
    """Cosine of gendered and target words in the contexts of a corpus."""

    name = "cosine"
    title = "Contexts of a corpus: cosine of gendered and target words"
    datasets: tuple[str, ...] = ()
    variants = (LAST, ALL, AT_MASK)
    needs = (EMBED,)
    reads = (CORPUS,)
    roles = Roles(text=("text",), factors=FACTORS, groups=("gender", "part", "target"))
    quantities = (
        _DIFFERENCE,
        _WITHIN_WORDS,
    )

    def design(self, source: Source, settings: Settings) -> CosineDesign:
        """A sample of the contexts that hold a target word; an item for each of its target words."""
        what = f"with a gendered word and {WITH_TARGET}"
        sample = read_contexts(source, settings, wanted=_has_target, what=what)
        rows, places = [], {}
        for name, context in sample.contexts.items():
            for target, categories in _targets(context).items():
                item = f"{name} {target.word}"
                places[item] = (context.span, target.span)
                rows.append(
                    context_row(item, context, context.text)
                    | {
                        "target": target.word,
                        "categories": SEPARATOR.join(categories),
                        "distance": _words_between(context, target),
                        "dropped": "",
                    }
                )
        return CosineDesign(
            items=pd.DataFrame(rows),
            files=sample.files,
            settings=settings,
            notices=sample.notices,
            places=places,
        )

    def ask(self, design: CosineDesign, model: LanguageModel) -> Iterator[Ask]:
        """The vectors of both words, at the last layer or at every one."""
        depth = model.layers if design.settings.variant == ALL else None
        layers = (_TOP,) if depth is None else tuple(range(depth + 1))
        hides = design.settings.variant == AT_MASK
        if hides and HIDE_WORDS not in model.capabilities:
            raise UserError(
                f"The variant {AT_MASK} hides words, and none can be hidden from {model.name!r}.",
                f"Give a masked model, or the variant {LAST}.",
            )
        for row in asked_rows(design.items):
            spans = design.places[row["item"]]
            hidden = spans[:1] if hides else ()
            if any(reason_against(model, Embed(row["text"], span=span)) for span in spans):
                continue
            for layer in layers:
                for side, span in zip(_SIDES, spans, strict=True):
                    question = Embed(row["text"], layer, span, hidden=hidden)
                    yield Ask(row["item"], f"{side} {layer}", question)

    def score(self, design: CosineDesign, answers: Answers) -> pd.DataFrame:
        """The cosine of every item at every layer that was asked; the score is that of the last."""
        layers = list(dict.fromkeys(int(role.split()[1]) for _, role in answers))

        def read(row: Row) -> Row:
            if (row["item"], f"target {layers[0]}") not in answers:
                return {"dropped": NOT_ASKED}
            cosines = {
                layer: cosine(*(answers[row["item"], f"{side} {layer}"].vector for side in _SIDES))
                for layer in layers
            }
            last = cosines[layers[-1]]
            columns = {f"{LAYER}{layer}": value for layer, value in cosines.items() if layer != _TOP}
            return columns | {"score": last, "dropped": NO_VECTOR if np.isnan(last) else ""}

        layers.sort()
        items = with_scores(design.items, read)
        return items if "score" in items else items.assign(score=np.nan)

    def summarise(self, design: CosineDesign, items: pd.DataFrame) -> Summary:
        """Mean cosines and their difference over all, in every group, for every target and at every layer."""
        estimates: list[Estimate] = []
        for groups, rows in corpus_groups(items, design.settings.corpus.group_names):
            estimates += _by_gender(groups, rows, "score")
            estimates += [] if len(groups) > 1 else [_within_targets(groups, rows)]
        for layer in [name for name in items if name.startswith(LAYER)]:
            estimates += _by_gender({"layer": layer.removeprefix(LAYER)}, items, layer)
        for groups, rows in grouped(items, "target", whole=False):
            estimates += _by_gender(groups, rows, "score")
        counts = items["dropped"].value_counts()
        left = (f"{count:,} items left out: {reason}" for reason, count in counts.items() if reason)
        return Summary(estimates, remarks=tuple(left))


def cosine(one: Vector, other: Vector) -> float:
    """The cosine of two vectors; NaN where either is missing or has no length."""
    first, second = one.astype(np.float64), other.astype(np.float64)
    size = float(np.linalg.norm(first) * np.linalg.norm(second))
    return float(first @ second) / size if size > 0 else float("nan")


def target_scatter(items: pd.DataFrame) -> pd.DataFrame:
    """A point for each target word: its mean cosine with male and with female words, and from how many."""
    known = items[items["score"].notna()]
    rows = []
    for target, same in known.groupby("target", sort=False):
        men, women = (same.loc[same["gender"] == gender, "score"] for gender in (MALE, FEMALE))
        means = (men.mean(), women.mean(), men.mean() - women.mean())
        rows.append((target, same["categories"].iloc[0], *means, len(men), len(women)))
    return pd.DataFrame(rows, columns=SCATTER)


def _has_target(context: Context) -> bool:
    return bool(_targets(context))


def _targets(context: Context) -> dict[TargetWord, list[str]]:
    """Each target word where it is nearest to the gendered word, with all categories it stands in."""
    nearest: dict[str, TargetWord] = {}
    categories: dict[str, dict[str, None]] = {}
    for target in context.targets:
        if target.span.start < context.span.end and target.span.end > context.span.start:
            continue
        categories.setdefault(target.word, {})[target.category] = None
        other = nearest.get(target.word)
        if other is None or _gap(context, target) < _gap(context, other):
            nearest[target.word] = target
    return {target: list(categories[word]) for word, target in nearest.items()}


def _gap(context: Context, target: TargetWord) -> int:
    return abs(target.span.start - context.span.start)


def _words_between(context: Context, target: TargetWord) -> int:
    first, second = sorted((context.span, target.span))
    return len(context.text[first.end : second.start].split())


def _by_gender(groups: Groups, rows: pd.DataFrame, column: str) -> list[Estimate]:
    """The mean cosine with men, with women, and the difference."""
    is_male = rows["gender"] == MALE
    difference = Spec.of(_DIFFERENCE)
    of_men, of_women = (
        mean_estimate(
            Spec(f"cosine-{gender}", f"cosine with {gender} words", UNIT, better="none", groups=groups),
            rows.loc[side, column],
            rows[side],
            FACTORS,
        )
        for gender, side in ((MALE, is_male), (FEMALE, ~is_male))
    )
    contrast = contrast_estimate(difference.at(groups), rows[column], is_male, rows=rows, factors=FACTORS)
    return [
        unless_too_few(contrast, of=min(of_men.n, of_women.n)),
        unless_too_few(of_men),
        unless_too_few(of_women),
    ]


def _within_targets(groups: Groups, rows: pd.DataFrame) -> Estimate:
    """The mean of the target words' own differences, of those with enough contexts of both genders."""
    scatter = target_scatter(rows)
    enough = scatter[scatter[["n_male", "n_female"]].min(axis=1) >= FEWEST]
    return mean_estimate(Spec.of(_WITHIN_WORDS).at(groups), enough["difference"], enough, ("target",))
