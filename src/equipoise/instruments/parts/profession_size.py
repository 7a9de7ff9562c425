"""The size of professions' leanings, by which models are ranked: means of either sign would cancel out."""

from collections.abc import Mapping

from equipoise.results import Quantity


def size_of_professions(
    key: str, label: str, margin: float, *, unit: str, where: Mapping[str, str]
) -> Quantity:
    """The mean over professions of the absolute value of each one's mean."""
    return Quantity(
        key,
        label,
        margin,
        unit=unit,
        better="lower",
        factors=("profession",),
        where=where,
        over="profession",
        absolute=True,
        ranks=True,
    )
