"""What models are compared by on sentences of one type: preference, share, the paper's means, ability."""

from collections.abc import Mapping, Sequence

from equipoise.data.sets.schemas import NAMES, OCCUPATIONS
from equipoise.results import Quantity
from equipoise.results.quantity import REVERSED, STEREOTYPED, TOWARDS, Contrast

POINTS = "F1 x 100"
MARGIN = 5.0
"""F1 points below which two models are taken for alike."""

MEANS = {
    "mean-abs-stereotype": (
        "mean |stereotype|",
        "absolute_stereotype",
        "stereotype gap, each gender",
        "pronouns",
    ),
    "mean-abs-skew": ("mean |skew|", "absolute_skew", "same-answer bias, each set", "default"),
}
"""By key: the label, the statistic, the plain name and the question."""

FACTORS = ("profession",)
ABILITY_NEEDED = 75.0
"""The F1 on names below which the study does not read anything into a model's skew and stereotype."""

SKEW = Quantity(
    "skew",
    "skew",
    MARGIN,
    unit=POINTS,
    name="same-answer bias",
    question="default",
    scale="F1",
    sides=TOWARDS,
    headline=True,
    compared=False,
)
STEREOTYPE = Quantity(
    "stereotype",
    "stereotype",
    MARGIN,
    unit=POINTS,
    name="stereotype gap",
    question="pronouns",
    scale="F1",
    sides=STEREOTYPED,
    headline=True,
    compared=False,
)
ABILITY = Quantity(
    "ability",
    "ability on names",
    MARGIN,
    unit=POINTS,
    neutral=100.0,
    better="higher",
    part="ability",
    name="resolves named people",
    question="ability",
    scale="F1",
    enough=ABILITY_NEEDED,
    headline=True,
    compared=False,
)


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
        name=f"preference for the stereotyped pronoun{said}",
        question="pronouns",
        sides=STEREOTYPED,
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
        name=f"share of the second pronoun{said}",
        question="default",
        scale="half",
        sides=REVERSED,
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
        name=f"resolves named people{said}",
        question="ability",
        scale="half",
        enough=0.75,
    )
    means = _means(suffix, said, pair, where=where | ({"counted": "yes"} if counted else {}))
    shown = (SKEW, STEREOTYPE, ABILITY) if kind == kinds[0] else ()
    return (preference, share, *means, ability, *shown)


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
            name=f"{name}{said}",
            question=question,
            scale="F1",
        )
        for key, (label, statistic, name, question) in MEANS.items()
    )
