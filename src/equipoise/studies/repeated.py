"""One change made several times with other seeds: its tables in one, with the noise of the seeds."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from equipoise.results.comparison.verdicts import UNKNOWN
from equipoise.results.numbers import shown
from equipoise.stats.repeats import over_repeats

SEED_COLUMNS = ("seeds", "seed_sd", "seeds_low", "seeds_high")
"""How many trainings a row rests on, their standard deviation, and the interval of their mean."""

KEY = ["instrument", "quantity"]


def over_seeds(tables: Sequence[pd.DataFrame], share: str) -> pd.DataFrame:
    """Means of the rows of a gain or a price; `low` and `high` are over items, `seeds_...` over seeds.

    The interval over items is the mean of those of the trainings: all were asked the same items, so that
    more trainings do not make it narrower.
    """
    together = pd.concat(tables, ignore_index=True)
    columns = [*tables[0].columns, *SEED_COLUMNS]
    rows = [_one_row(rows, share) for _, rows in together.groupby(KEY, sort=False)]
    return pd.DataFrame(rows, columns=columns)


def mean_leanings(tables: Sequence[pd.DataFrame | None]) -> pd.DataFrame | None:
    """Every lean after the change, as the mean over trainings."""
    known = [table for table in tables if table is not None]
    if len(known) < 2:
        return known[0] if known else None
    after = np.mean([table["after"].to_numpy(dtype=float) for table in known], axis=0)
    return known[0].assign(after=after)


def seed_sentences(gain: pd.DataFrame, price: pd.DataFrame) -> list[str]:
    """How far trainings with other seeds lie apart: a difference between methods below that is noise."""
    said = []
    for table, share, what in ((gain, "removed", "share removed"), (price, "loss", "share lost")):
        for row in table[table["seeds"] > 1].to_dict("records"):
            if np.isnan(row["seed_sd"]):
                continue
            interval = f"[{shown(row['seeds_low'])}, {shown(row['seeds_high'])}] over seeds"
            said.append(
                f"{row['label']}: {what} {shown(row[share])} {interval}, "
                f"sd {shown(row['seed_sd'])} over {row['seeds']} trainings."
            )
    return said


def _one_row(rows: pd.DataFrame, share: str) -> dict[str, Any]:
    repeats = over_repeats(rows[share].tolist())
    means = {name: float(rows[name].mean()) for name in ("after", share, "low", "high")}
    changes = set(rows["change"])
    return {
        **rows.iloc[0].to_dict(),
        **means,
        "n": int(rows["n"].min()),
        "change": changes.pop() if len(changes) == 1 else UNKNOWN,
        "seeds": len(rows),
        "seed_sd": repeats.sd,
        "seeds_low": repeats.interval.low,
        "seeds_high": repeats.interval.high,
    }
