"""OSCaR: rotate word vectors until the directions of gender and of occupations are orthogonal.

What it does  In the plane of the two directions every word vector is turned, those near the occupations
              fully, those along gender not at all; no length changes, nor what is outside the plane (Dev et
              al. 2021). The directions are the first principal ones of pairs of gendered words and of
              occupations, among words of one piece. The encoder reads the turned vectors; the head keeps
              the old ones, so that the file grows by one matrix.
Breaks        Little, and it removes little: where the two directions are nearly orthogonal already, hardly
              anything turns, and the encoder learned its associations in later layers.
"""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import torch
from torch import nn

from equipoise.errors import UserError
from equipoise.mitigations.base import Changed, Materials, Presets
from equipoise.mitigations.distilling.contexts import OCCUPATION, fillers
from equipoise.mitigations.networks import changed_model, masked_model, own_copy, untied_output
from equipoise.mitigations.projecting import NOUNS, PRONOUNS
from equipoise.models.protocol import LanguageModel
from equipoise.models.wrappers.mirrored_rows import one_piece
from equipoise.stats.erasure import Floats, graded_rotation, principal_directions

FEWEST = 3


@dataclass(frozen=True)
class Oscar:
    """Turns word vectors until occupations are orthogonal to gender."""

    name: ClassVar[str] = "oscar"
    reads_corpus: ClassVar[bool] = False
    presets: ClassVar[Presets] = {}

    def check(self, model: LanguageModel, materials: Materials) -> None:
        """Refuse a model that is not masked or whose vocabulary has too few words of one piece."""
        tokens = masked_model(model, self.name).tokens
        _pair_ids(tokens)
        _occupation_ids(tokens)

    def change(self, model: LanguageModel, materials: Materials) -> Changed:
        """A copy with turned word vectors."""
        masked = masked_model(model, self.name)
        network = own_copy(masked)
        untied_output(network)
        vectors = network.get_input_embeddings().weight
        rows = vectors.detach().double().numpy()
        gender, occupations = gender_direction(masked.tokens, rows), occupation_direction(masked.tokens, rows)
        turned = graded_rotation(rows, gender, occupations)
        angle = float(np.degrees(np.arccos(np.clip(abs(gender @ occupations), 0, 1))))
        network.get_input_embeddings().weight = nn.Parameter(torch.tensor(turned).to(vectors.dtype))
        said = f"Gender and occupations stood at {angle:.1f} degrees and are orthogonal now."
        return Changed(changed_model(network, masked, self.name), (said,))


def gender_direction(tokens: Any, rows: Floats) -> Floats:
    """The first principal direction of the differences of pairs of gendered words."""
    differences = np.array([rows[male] - rows[female] for male, female in _pair_ids(tokens)])
    return np.asarray(principal_directions(np.vstack([differences, -differences]), 1)[0])


def occupation_direction(tokens: Any, rows: Floats) -> Floats:
    """The first principal direction of the occupations about their mean."""
    vectors = rows[_occupation_ids(tokens)]
    return np.asarray(principal_directions(vectors - vectors.mean(axis=0), 1)[0])


def _pair_ids(tokens: Any) -> list[tuple[int, int]]:
    ids = [(one_piece(tokens, male), one_piece(tokens, female)) for male, female in (*PRONOUNS, *NOUNS)]
    known = [(male, female) for male, female in ids if male is not None and female is not None]
    _check(len(known), "pairs of gendered words")
    return known


def _occupation_ids(tokens: Any) -> list[int]:
    ids = [one for noun in fillers(OCCUPATION) if (one := one_piece(tokens, noun)) is not None]
    _check(len(ids), "occupations")
    return ids


def _check(count: int, what: str) -> None:
    if count < FEWEST:
        raise UserError(
            f"The vocabulary has {count} {what} of one piece where OSCaR needs {FEWEST}.",
            "Use another mitigation.",
        )
