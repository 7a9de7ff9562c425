"""What Deng and Breuch printed: BERT-base-uncased on news that were never released (Figs. 1, 6 to 8, 9.0.5).

The probabilities by category and ideology are read from their charts.
"""

from collections.abc import Mapping

Genders = tuple[float, float]
"""P(male | male) and P(female | female)."""

LOSSES: Mapping[str, tuple[float, float]] = {"base": (3.38, 29.44), "fine-tuned": (2.19, 8.90)}
"""Cross-entropy and perplexity (Fig. 1)."""

OVERALL: Mapping[str, Genders] = {
    "base": (0.832, 0.584),
    "fine-tuned": (0.826, 0.604),
    "dropout": (0.815, 0.527),
    "counterfactual": (0.476, 0.696),
}
"""All contexts (Fig. 6); the difference of the last row is printed without its sign."""

BY_LEVEL: Mapping[str, Mapping[tuple[str, str], Genders]] = {
    "base": {
        ("category", "strength"): (0.838, 0.601),
        ("category", "weakness"): (0.831, 0.513),
        ("category", "intelligence"): (0.823, 0.637),
        ("category", "appearance"): (0.86, 0.86),
        ("category", "career"): (0.848, 0.607),
        ("category", "family"): (0.813, 0.62),
        ("ideology", "conservative"): (0.835, 0.641),
        ("ideology", "moderate"): (0.874, 0.528),
        ("ideology", "liberal"): (0.814, 0.600),
    },
    "fine-tuned": {
        ("category", "strength"): (0.842, 0.613),
        ("category", "weakness"): (0.82, 0.544),
        ("category", "intelligence"): (0.814, 0.638),
        ("category", "appearance"): (0.805, 0.819),
        ("category", "career"): (0.84, 0.629),
        ("category", "family"): (0.797, 0.657),
        ("ideology", "conservative"): (0.831, 0.641),
        ("ideology", "moderate"): (0.863, 0.536),
        ("ideology", "liberal"): (0.797, 0.635),
    },
}
"""Figs. 7, 8, and the ideologies."""

CHANGES: Mapping[str, tuple[float, float, float]] = {
    "strength": (0.237, 0.23, -0.007),
    "weakness": (0.318, 0.276, -0.042),
    "intelligence": (0.185, 0.175, -0.01),
    "appearance": (0.024, 0.014, -0.01),
    "career": (0.241, 0.210, -0.031),
    "family": (0.193, 0.140, -0.053),
}
"""Differences of the base and the fine-tuned model by category, and the change (appendix 9.0.5)."""


def published_genders(arm: str, by: str = "", level: str = "") -> Genders:
    """The two probabilities of an arm, over all contexts or at a level; NaN where none were printed."""
    known = OVERALL.get(arm) if not by else BY_LEVEL.get(arm, {}).get((by, level))
    return known or (float("nan"), float("nan"))
