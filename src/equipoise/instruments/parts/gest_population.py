"""Where a model stands among the 34 models whose GEST scores were published, or in a league of one's own.

Causal models were asked the frames that open with the sentence only, so all are ranked by those.
"""

from dataclasses import dataclass
from functools import cache

import numpy as np
import pandas as pd

from equipoise.data.reading import own_table
from equipoise.stats.means import mean_with_interval

TABLE = "published-gest.csv"
COLUMNS = ("model", "kind", "frame", "stereotype", "mean", "low", "high", "n")
SHARED_FRAMES = ("he-said-after", "man-said-after")
ROUNDED = 5e-4  # the shipped means are rounded: a published model is not more stereotyped than itself
LAST_OF_WOMEN, LAST = 7, 16
"""Stereotypes 1 to 7 are of women, 8 to 16 of men."""


@dataclass(frozen=True)
class Standing:
    """How many models of a population are less stereotyped, and which is most alike."""

    below: int
    others: int
    closest: str

    def sentence(self, whose: str = "published") -> str:
        """Where the model stands, in words."""
        return (
            f"More stereotyped than {self.below} of {self.others} {whose} models; closest to {self.closest}."
        )


@cache
def published_population() -> pd.DataFrame:
    """The mean log10 ratio of every published model, frame and stereotype, with its interval."""
    table = own_table(TABLE)
    return table.astype({"stereotype": int, "mean": float, "low": float, "high": float, "n": int})[
        list(COLUMNS)
    ]


def profile(items: pd.DataFrame) -> pd.DataFrame:
    """The mean score by frame and stereotype, as the population has it; the columns without the model."""
    asked = items[items["dropped"] == ""]
    rows = []
    for (frame, named), same in asked.groupby(["frame", "stereotype"], sort=False):
        mean = mean_with_interval(same["score"].to_numpy(dtype=float), [same["sentence"]])
        rows.append((frame, int(str(named).split()[0]), mean.value, mean.low, mean.high, mean.n))
    return pd.DataFrame(rows, columns=list(COLUMNS[2:]))


def league_of(population: pd.DataFrame) -> pd.Series:
    """The gap of every model in the shared frames, in log10, the most stereotyped first."""
    means = _by_model(population)
    is_of_men = means.columns.get_level_values("stereotype") > LAST_OF_WOMEN
    return (means.loc[:, is_of_men].mean(axis=1) - means.loc[:, ~is_of_men].mean(axis=1)).sort_values(
        ascending=False
    )


def standing(own: pd.DataFrame, population: pd.DataFrame) -> Standing | None:
    """Where a profile stands in a population; None where it lacks a shared frame or a stereotype."""
    cells = own[own["frame"].isin(SHARED_FRAMES)]
    if len(cells) < LAST * len(SHARED_FRAMES) or population.empty:
        return None
    both = pd.concat([population, own.assign(model="")])
    league, means = league_of(both), _by_model(both)
    distances = np.abs(means.drop(index="") - means.loc[""]).mean(axis=1)
    others = league.drop(index="")
    return Standing(int((others < league[""] - ROUNDED).sum()), len(others), str(distances.idxmin()))


def _by_model(population: pd.DataFrame) -> pd.DataFrame:
    shared = population[population["frame"].isin(SHARED_FRAMES)]
    return shared.pivot(index="model", columns=["frame", "stereotype"], values="mean")
