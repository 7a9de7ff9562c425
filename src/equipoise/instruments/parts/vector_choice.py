"""Which vectors are taken of a model, and by which measure they are compared."""

from dataclasses import dataclass

from equipoise.choices import choice
from equipoise.errors import UserError, unknown_name
from equipoise.models.questions import MEAN, POOLINGS
from equipoise.stats.association import MEASURES

LAST, ALL = "last", "all"


@dataclass(frozen=True)
class VectorChoice:
    """Layer (`last`, `all` or a number: 0 is the embeddings), pooling of a text's tokens, and measure."""

    layer: str = choice(
        LAST, "Layer of the vectors: last, all, or a number (0: the embeddings).", may_differ=False
    )
    pooling: str = choice(
        MEAN, "How the vectors of a text become one: mean, mean-with-special or first.", may_differ=False
    )
    measure: str = choice(
        MEASURES[0], "Similarity of vectors: cosine, euclidean, manhattan or mahalanobis.", may_differ=False
    )

    def __post_init__(self) -> None:
        if self.layer not in (LAST, ALL) and not self.layer.lstrip("-").isdigit():
            raise UserError(
                f"There is no layer {self.layer!r}.",
                f"Give {LAST}, {ALL}, or a number from 0, the embeddings, on; -2 is the last but one.",
            )
        if self.pooling not in POOLINGS:
            raise unknown_name("pooling", self.pooling, POOLINGS)
        if self.measure not in MEASURES:
            raise unknown_name("measure", self.measure, MEASURES)
