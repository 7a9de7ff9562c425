"""Counterfactual averaging: average each answer with the answer to the text with women and men exchanged.

What it does  Every text is asked twice, as it is and with women and men exchanged (names too), and the
              second answer is mirrored back; the mean of both probabilities is answered.
Removes       In a text that is turned: whatever it says about gender without a gendered word. There he and
              she come out equal.
Left alone    Texts that cannot be turned without contradicting themselves: a definitional word (pregnant), a
              sign of gender (beard, soprano), "he or she", a name of unknown gender. They keep their lean.
Breaks        Pronouns that only knowledge of the world or an uncommon sign decides. Texts of another language
              than English are answered as before. Twice the work. It is a recipe around the model, so that a
              program must load it with Equipoise; self-distillation puts it into weights.
Figures       docs/mitigations.md, on held-out sentences, with the command.
Source        This project.
"""

from dataclasses import dataclass
from typing import ClassVar

from equipoise.mitigations.base import Changed, Materials, Presets, WrapsAnswers
from equipoise.models.protocol import LanguageModel
from equipoise.models.wrappers.averaging import AveragedModel


@dataclass(frozen=True)
class CounterfactualAveraging(WrapsAnswers):
    """Wraps a model; nothing is learned."""

    name: ClassVar[str] = "counterfactual-averaging"
    reads_corpus: ClassVar[bool] = False
    presets: ClassVar[Presets] = {}

    def change(self, model: LanguageModel, materials: Materials) -> Changed:
        """The wrapper around the model."""
        return Changed(AveragedModel(model), ("Every answer is the mean of two; no weight was changed.",))
