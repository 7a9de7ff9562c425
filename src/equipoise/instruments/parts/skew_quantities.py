"""What models are compared by on sentences of one type: preference, share, the paper's means, ability."""

from collections.abc import Mapping, Sequence

from equipoise.data.sets.schemas import NAMES, OCCUPATIONS
from equipoise.instruments.parts.skew_estimates import POINTS
from equipoise.results import Quantity
from equipoise.results.quantity import Contrast

MARGIN = 5.0
"""F1 points below which two models are taken for alike."""

MEANS = {
    "mean-abs-stereotype": ("mean |stereotype|", "absolute_stereotype"),
    "mean-abs-skew": ("mean |skew|", "absolute_skew"),
}
FACTORS = ("profession",)


def skew_quantities(
    kind: str, kinds: Sequence[str], pair: tuple[str, str], *, unit: str, counted: bool
) -> tuple[Quantity, ...]:
    """The quantities of one of the types, the first of which ranks; `counted` where only some items count."""
    suffix, said = (f"-type-{kind}", f", type {kind}") if len(kinds) > 1 else ("", "")
    where = {"part": OCCUPATIONS, "type": kind}
    preference = Quantity(
        f"preference{suffix}",
        f"preference for the stereotype{said}",
        0.05,
        unit=unit,
        factors=FACTORS,
        where=where,
        ranks=kind == kinds[0],
    )
    share = Quantity(
        f"second-share{suffix}",
        f"{pair[1]} share{said}",
        0.05,
        column="second_share",
        unit="share",
        neutral=0.5,
        kind="probability",
        factors=FACTORS,
        where=where,
    )
    ability = Quantity(
        f"right-on-names{suffix}",
        f"right answers on names{said}",
        0.05,
        column="right",
        unit="share",
        neutral=0.5,
        kind="probability",
        better="higher",
        part="ability",
        factors=("pair",),
        where={"part": NAMES, "type": kind},
    )
    means = _means(suffix, said, pair, where=where | ({"counted": "yes"} if counted else {}))
    return (preference, share, *means, ability)


def _means(
    suffix: str, said: str, pair: tuple[str, str], *, where: Mapping[str, str]
) -> tuple[Quantity, ...]:
    """Mean |stereotype| and mean |skew| of the paper, functions of one confusion matrix."""
    return tuple(
        Quantity(
            f"{key}{suffix}",
            f"{label}{said}",
            MARGIN,
            column="prediction",
            unit=POINTS,
            better="lower",
            factors=FACTORS,
            where=where,
            contrast=Contrast("stereotype", *pair),
            statistic=statistic,
        )
        for key, (label, statistic) in MEANS.items()
    )
