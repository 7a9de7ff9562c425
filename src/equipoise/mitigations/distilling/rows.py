"""Contexts as rows of token ids: what the model is shown, which masks are asked, and what mirrors what."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import torch

from equipoise.errors import UserError
from equipoise.mitigations.distilling.contexts import Context
from equipoise.mitigations.training.batches import cut_points
from equipoise.models.neural.masked import MaskedModel
from equipoise.models.neural.words import find_blank
from equipoise.models.wrappers.mirrored_rows import MirroredRows
from equipoise.text.blank import BLANK
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


@dataclass(frozen=True)
class Exchange:
    """The ids of partners: a permutation of the vocabulary for either form, and the pairs themselves."""

    permutations: tuple[torch.Tensor, torch.Tensor]
    """For a blank that asks for another form than a possessive, and for one that asks for a possessive."""

    pairs: tuple[torch.Tensor, torch.Tensor]
    """Male and female ids `[2, pairs]`, for either form."""


def partners_of(masked: MaskedModel, mirror: Mirror) -> Exchange:
    """Which ids are partners in a model's vocabulary; one without any is refused."""
    rows, size = MirroredRows(masked.tokens, mirror), int(masked.transformers_model.config.vocab_size)
    permutations, pairs = [], []
    for is_possessive in (False, True):
        listed = rows.pairs(is_possessive=is_possessive)
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
    return Example(tuple(shown), place, tuple(kept), *turned, context.kind, context.told)


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
