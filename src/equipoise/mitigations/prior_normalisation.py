"""Online prior normalisation: divide a pronoun's probability by its prior without the people.

What it does  P(he | sentence) / P(he | sentence with its people hidden), for he and she, him and her, his
              and her; the two share their probability in proportion to that.
Removes       Skew, the liking for one pronoun whatever the occupation.
Breaks        It raises stereotype: an occupation's pull is all that is left. The study gave it up for the
              opposite reason, because its code read the prior at the wrong mask.
Source        de Vassimon Manela et al. 2021; Kurita et al. 2019.
"""

from dataclasses import dataclass
from typing import ClassVar

from equipoise.mitigations.base import Changed, Materials, Presets, WrapsAnswers
from equipoise.models.protocol import LanguageModel
from equipoise.models.wrappers.prior import PriorNormalised


@dataclass(frozen=True)
class PriorNormalisation(WrapsAnswers):
    """Wraps a model; nothing is learned."""

    name: ClassVar[str] = "prior-normalisation"
    reads_corpus: ClassVar[bool] = False
    presets: ClassVar[Presets] = {}

    def change(self, model: LanguageModel, materials: Materials) -> Changed:
        """The wrapper around the model."""
        return Changed(PriorNormalised(model), ("Pronouns at blanks are divided by their prior.",))
