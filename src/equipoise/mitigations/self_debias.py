"""Self-debias: damp words that become likelier after an announcement of discrimination.

What it does  A blank is also asked behind "The following text discriminates against people because of their
              gender:"; what this raises is multiplied by exp(decay x the difference).
Breaks        Little, and it removes little: the announcement is not about the sentence's own words. Blanks
              only.
Source        Schick, Udupa and Schuetze 2021; Meade et al. 2022 for masked models.
"""

from dataclasses import dataclass
from typing import ClassVar

from equipoise.choices import option
from equipoise.mitigations.base import Changed, Materials, Presets, WrapsAnswers
from equipoise.models.capabilities import TOP_FILL
from equipoise.models.protocol import LanguageModel, require
from equipoise.models.wrappers.self_debias import SelfDebiased


@dataclass(frozen=True)
class SelfDebias(WrapsAnswers):
    """Wraps a model; nothing is learned."""

    name: ClassVar[str] = "self-debias"
    reads_corpus: ClassVar[bool] = False
    presets: ClassVar[Presets] = {}

    decay: float = option(50.0, "how steeply a word is made rarer that bias makes likelier")

    def check(self, model: LanguageModel, materials: Materials) -> None:
        """Refuse a model that names no likeliest words, such as a causal one."""
        super().check(model, materials)
        require(model, TOP_FILL, by=self.name)

    def change(self, model: LanguageModel, materials: Materials) -> Changed:
        """The wrapper around the model."""
        return Changed(
            SelfDebiased(model, self.decay), (f"Blanks are contrasted with decay {self.decay:g}.",)
        )
