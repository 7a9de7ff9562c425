"""Contexts as rows of token ids, and what the untouched model makes of them.

A row says what the model is shown, which masks are asked, and what mirrors what.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import torch

from equipoise.errors import UserError
from equipoise.mitigations.distilling.contexts import Context
from equipoise.mitigations.distilling.network import UpperLayers
from equipoise.mitigations.training.batches import cut_points
from equipoise.models.engine.forward import padded
from equipoise.models.neural.causal import CausalModel
from equipoise.models.neural.masked import MaskedModel
from equipoise.models.neural.words import compose
from equipoise.models.wrappers.mirrored_rows import MirroredRows
from equipoise.text.blank import BLANK, find_blank
from equipoise.text.rewriting.mirroring import Mirror

KEEP_SHARE = 0.12
"""Of so many of a document's other tokens the old distribution is kept by an example."""


@dataclass(frozen=True)
class Example:
    """A row with its gendered place and other masked places, and the mirrored row with its place."""

    ids: tuple[int, ...]
    place: int
    kept: tuple[int, ...]
    mirrored_ids: tuple[int, ...] | None
    mirrored_place: int
    is_possessive: bool
    kind: str
    told: str = ""
    also: tuple[tuple[int, bool], ...] = ()
    """More places that are asked, and whether each asks for a possessive."""

    mirrored_also: tuple[int, ...] = ()

    @property
    def asked(self) -> tuple[tuple[int, bool], ...]:
        """All places that are asked, with their forms."""
        return ((self.place, self.is_possessive), *self.also)

    @property
    def mirrored_places(self) -> tuple[int, ...]:
        """Where the mirrored row has the asked places."""
        return (self.mirrored_place, *self.mirrored_also)


@dataclass(frozen=True)
class Exchange:
    """The ids of partners: a permutation of the vocabulary for either form, and the pairs themselves."""

    permutations: tuple[torch.Tensor, torch.Tensor]
    """For a blank that asks for another form than a possessive, and for one that asks for a possessive."""

    pairs: tuple[torch.Tensor, torch.Tensor]
    """Male and female ids `[2, pairs]`, for either form."""


def partners_of(masked: MaskedModel | CausalModel, mirror: Mirror) -> Exchange:
    """Which ids are partners in a model's vocabulary; one without any is refused."""
    rows, size = MirroredRows(masked.tokens, mirror), int(masked.transformers_model.config.vocab_size)
    permutations, pairs = [], []
    for is_possessive in (False, True):
        listed = rows.pairs(is_possessive=is_possessive)
        if isinstance(masked, CausalModel):
            listed += opening_pairs(masked.tokens)
        if not listed:
            raise UserError(
                f"The vocabulary of {masked.name!r} has no pair of gendered English words of one piece, "
                "such as he and she.",
                "Give a model of English: what is turned here are English words.",
            )
        order = torch.arange(size)
        for male, female in listed:
            order[male], order[female] = female, male
        permutations.append(order)
        pairs.append(torch.tensor(listed).T)
    return Exchange((permutations[0], permutations[1]), (pairs[0], pairs[1]))


def examples(contexts: Sequence[Context], tokens: Any, *, longest: int, seed: int) -> list[Example]:
    """The rows of the contexts that the model can read; in documents other places are masked as well."""
    rng = np.random.default_rng(seed)
    made = (_example(context, tokens, rng) for context in contexts)
    return [example for example in made if len(example.ids) <= longest]


def _example(context: Context, tokens: Any, rng: np.random.Generator) -> Example:
    ids, places = _encoded(context.text, tokens)
    place = places[find_blank(context.text, context.number)]
    kept: list[int] = []
    if context.kind == "document":
        content = [at for at in range(1, len(ids) - 1) if at not in places]
        kept = [at for at in content if rng.random() < KEEP_SHARE]
    shown = [tokens.mask_id if at in kept else one for at, one in enumerate(ids)]
    mirrored_ids, mirrored_place, is_possessive = None, 0, False
    if context.mirrored is not None:
        mirrored_ids, mirrored_places = _encoded(context.mirrored.text, tokens)
        mirrored_place = mirrored_places[context.number]
        is_possessive = context.mirrored.is_possessive
    turned = (mirrored_ids, mirrored_place, is_possessive)
    also = tuple((places[find_blank(context.text, number)], form) for number, form in context.also)
    return Example(tuple(shown), place, tuple(kept), *turned, context.kind, context.told, also)


OPENINGS = (("He", "She"), ("His", "Her"), ("Mr", "Mrs"))


def opening_pairs(tokens: Any) -> list[tuple[int, int]]:
    """Ids of pronouns that open a text, or a sentence in it."""
    pairs = []
    for before in ("", "so . "):
        for male, female in OPENINGS:
            ids = [tokens.encode(f"{before}{word} is") for word in (male, female)]
            spans = [(len(before), len(before) + len(word)) for word in (male, female)]
            places = [one.positions(span) for one, span in zip(ids, spans, strict=True)]
            if all(len(one) == 1 for one in places):
                pairs.append((ids[0].ids[places[0][0]], ids[1].ids[places[1][0]]))
    return pairs


def causal_examples(
    contexts: Sequence[Context], model: CausalModel, *, longest: int, seed: int
) -> list[Example]:
    """Whole sentences with a pronoun in the blank: it is told by what precedes it, and tells what follows."""
    rng = np.random.default_rng(seed)
    single = [context for context in contexts if context.text.count(BLANK) == 1]
    made = [_causal_example(context, model, rng) for context in single]
    return [one for one in made if one is not None and len(one.ids) <= longest]


def _causal_example(context: Context, model: CausalModel, rng: np.random.Generator) -> Example | None:
    is_possessive = context.mirrored is not None and context.mirrored.is_possessive
    is_subject = context.text.partition(BLANK)[2][:2].strip().isalpha()
    forms = ("his", "her") if is_possessive else ("he", "she") if is_subject else ("him", "her")
    drawn = int(rng.integers(2))
    ids, place = _filled(context.text, forms[drawn], model)
    if place < 0:
        return None
    after = tuple((at, False) for at in range(place + 1, len(ids) - 1))
    if context.mirrored is None:
        return Example(ids, place, (), None, 0, is_possessive=False, kind=context.kind, also=after)
    mirrored_ids, mirrored_place = _filled(context.mirrored.text, forms[1 - drawn], model)
    mirrored_after = tuple(range(mirrored_place + 1, len(mirrored_ids) - 1))
    if len(after) != len(mirrored_after):  # what does not stand at like places cannot be averaged
        after, mirrored_after = (), ()
    turned = (mirrored_ids, mirrored_place, is_possessive)
    return Example(ids, place, (), *turned, context.kind, also=after, mirrored_also=mirrored_after)


def _filled(text: str, word: str, model: CausalModel) -> tuple[tuple[int, ...], int]:
    """The ids of a text with a word in its blank, and the place before the word, which tells it."""
    composed, span, _ = compose(text, 0, word)
    encoded = model.encode(composed)
    return encoded.ids, encoded.positions(span)[0] - 1


def _encoded(text: str, tokens: Any) -> tuple[tuple[int, ...], list[int]]:
    """The ids of a text with masks in its blanks, and where the masks stand."""
    ids = tokens.encode(text.replace(BLANK, tokens.mask_token)).ids
    return ids, [at for at, one in enumerate(ids) if one == tokens.mask_id]


def batches(lengths: Sequence[int], budget: int, rng: np.random.Generator) -> list[list[int]]:
    """Places of rows of like length, together within a budget of tokens, in an order drawn at random."""
    if not lengths:
        return []
    order = np.lexsort((rng.random(len(lengths)), np.array(lengths)))
    cuts = cut_points(np.array(lengths)[order], budget)
    grouped = [order[start:end].tolist() for start, end in pairwise(cuts)]
    return [grouped[int(at)] for at in rng.permutation(len(grouped))]


BUDGET = 4_000
"""Tokens that are read at once where nothing is learned."""

Report = Callable[[int], None]
"""Told how many tokens were worked on."""


@dataclass(frozen=True)
class Read:
    """An example as the untouched model read it: the states below the tuned layers, and those of masks."""

    below: torch.Tensor
    own: torch.Tensor
    """Last hidden states at the asked places and the kept ones `[asked + kept, width]`."""

    mirrored: torch.Tensor | None
    """Those at the places that mirror the asked ones `[asked, width]`; None where nothing is turned."""


def read_examples(
    upper: UpperLayers, examples: Sequence[Example], padding: int, report: Report
) -> list[Read]:
    """What the untouched model makes of every example and of its mirror image."""
    below: dict[int, torch.Tensor] = {}
    own = _states(upper, [one.ids for one in examples], padding, below, report)
    turned = [
        at for at, one in enumerate(examples) if one.mirrored_ids is not None and one.mirrored_ids != one.ids
    ]
    rows = [examples[at].mirrored_ids or () for at in turned]
    other = dict(zip(turned, _states(upper, rows, padding, None, report), strict=True))
    reads = []
    for at, one in enumerate(examples):
        mirrored = None
        if one.mirrored_ids is not None:
            asked = [place for place, _ in one.asked]
            mirrored = other[at][list(one.mirrored_places)] if at in other else own[at][asked]
        places = torch.tensor([*(place for place, _ in one.asked), *one.kept])
        reads.append(Read(below[at], own[at][places].clone(), None if mirrored is None else mirrored.clone()))
    return reads


@torch.no_grad()
def _states(
    upper: UpperLayers,
    rows: Sequence[Sequence[int]],
    padding: int,
    below: dict[int, torch.Tensor] | None,
    report: Report,
) -> list[torch.Tensor]:
    """The last hidden states of rows, in their order; those below the tuned layers are kept where wanted."""
    states: dict[int, torch.Tensor] = {}
    for batch in batches([len(row) for row in rows], BUDGET, np.random.default_rng(0)):
        ids, attention = padded([rows[at] for at in batch], padding)
        lower = upper.lower(ids, attention)
        last = upper.upper(lower, attention)
        for number, at in enumerate(batch):
            states[at] = last[number, : len(rows[at])].clone()
            if below is not None:
                below[at] = lower[number, : len(rows[at])].clone()
        report(ids.numel())
    return [states[at] for at in range(len(rows))]
