"""How far instruments agree in ranking the same models."""

from itertools import combinations

import pandas as pd

from equipoise.stats.correlation import spearman

FEWEST_MODELS = 3
"""Two models are ranked alike or not: a correlation says nothing."""

COLUMNS = ("first", "second", "correlation", "low", "high", "models")


def rank_matrix(ranking: pd.DataFrame) -> pd.DataFrame:
    """The rank of every model (rows) by every instrument (columns), over all items; shared models only."""
    whole = ranking[ranking["group"] == "all"]
    return whole.pivot_table(index="model", columns="instrument", values="rank", sort=False).dropna()


def rank_agreement(ranking: pd.DataFrame) -> pd.DataFrame:
    """Spearman's correlation of the ranks that each two instruments give; none below three shared models."""
    ranks = rank_matrix(ranking)
    rows = []
    for first, second in combinations(ranks.columns if len(ranks) >= FEWEST_MODELS else (), 2):
        related = spearman(ranks[first], ranks[second])
        rows.append((first, second, related.value, *related.interval, related.n))
    return pd.DataFrame(rows, columns=list(COLUMNS))


def concordance(agreement: pd.DataFrame) -> float:
    """Kendall's W from the mean rank correlation r of m instruments: (r (m - 1) + 1) / m; 1 is agreement."""
    count = len({*agreement["first"], *agreement["second"]})
    return float((agreement["correlation"].mean() * (count - 1) + 1) / count) if count else float("nan")
