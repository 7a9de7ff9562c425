"""Counterfactual averaging: a wrapper that answers with the mean of the model's answer and its mirrored one.

What it does  Every text is asked twice, as it is and with women and men exchanged (names too), and the
              second answer is mirrored back; the mean of both probabilities is answered. Definitional texts
              and those with an unknown first name are exempt. See `equipoise.models.wrappers.averaging`.
Removes       Whatever a text that is turned says about gender without a gendered word: he and she come out
              equal. Exempt texts keep their lean.
Breaks        Pronouns that only knowledge of the world decides: who Morrison is, what a tenor is. Texts of
              another language than English are answered as before. Twice the work. It is a recipe around the
              model, so that a program must load it with Equipoise; self-distillation puts it into weights.
Source        This project.
"""

from dataclasses import dataclass
from typing import ClassVar

from equipoise.mitigations.base import Changed, Materials, Presets, TakesAnyModel
from equipoise.models.protocol import LanguageModel
from equipoise.models.wrappers.averaging import AveragedModel


@dataclass(frozen=True)
class CounterfactualAveraging(TakesAnyModel):
    """Wraps a model; nothing is learned."""

    name: ClassVar[str] = "counterfactual-averaging"
    reads_corpus: ClassVar[bool] = False
    presets: ClassVar[Presets] = {}

    def change(self, model: LanguageModel, materials: Materials) -> Changed:
        """The wrapper around the model."""
        return Changed(AveragedModel(model), ("Every answer is the mean of two; no weight was changed.",))
