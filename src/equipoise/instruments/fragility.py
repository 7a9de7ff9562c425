"""Fragility: how far a score moves when a sentence is changed in a way that should not matter."""

from collections.abc import Callable, Sequence

import numpy as np
import pandas as pd

from equipoise.instruments.base import ALL, Label, mean_estimate
from equipoise.results import Estimate
from equipoise.text.perturbations import FRAMES, ORIGINAL, can_be_varied, load_frames, varied

Quota = Callable[[int], int]
"""How many of a category's items are also asked in their changed forms."""


def with_forms(
    items: pd.DataFrame, columns: Sequence[str], *, quota: Quota, seed: int
) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """The items, then the changed forms of a seeded sample of each category, and what is to be said.

    The column `form` says which is which and `of` names the item that a changed form belongs to.
    """
    items = items.assign(form=ORIGINAL, of=items["item"])
    sample = _sample(items, columns, quota, seed)
    if sample.empty:
        return items, ("fragility was not measured: no sentence is a statement that ends in a period",)
    frames = load_frames(FRAMES)
    changed: dict[str, list[dict[str, object]]] = {}
    for row in sample.to_dict("records"):
        texts = {column: varied(row[column], frames) for column in columns}
        for form in texts[columns[0]]:
            new = {column: texts[column][form] for column in columns}
            changed.setdefault(form, []).append(row | new | {"item": f"{row['item']} / {form}", "form": form})
    rows = [row for of_form in changed.values() for row in of_form]
    return pd.concat([items, pd.DataFrame(rows)], ignore_index=True), ()


def originals(items: pd.DataFrame) -> pd.DataFrame:
    """The items as they were written."""
    return items[items["form"] == ORIGINAL]


def movement_estimates(items: pd.DataFrame, *, clusters: str, unit: str, seed: int) -> list[Estimate]:
    """Mean absolute and mean signed movement of the score, over all changed forms and for each."""
    changed = items[items["form"] != ORIGINAL]
    if changed.empty:
        return []
    before = items.set_index("item")["score"].loc[changed["of"]].to_numpy()
    changed = changed.assign(moved=changed["score"] - before)
    groups = {ALL: changed} | {f"form:{form}": rows for form, rows in changed.groupby("form", sort=False)}
    found = []
    for group, rows in groups.items():
        absolute = Label("mean |movement|", group, better="lower", unit=unit)
        signed = Label("mean movement", group, unit=unit)
        found.append(mean_estimate(absolute, rows["moved"].abs(), rows[clusters], seed=seed))
        found.append(mean_estimate(signed, rows["moved"], rows[clusters], seed=seed))
    return found


def _sample(items: pd.DataFrame, columns: Sequence[str], quota: Quota, seed: int) -> pd.DataFrame:
    """A seeded sample of the items that can be varied, drawn from each category by itself."""
    fit = items["dropped"].eq("")
    for column in columns:
        fit &= items[column].map(can_be_varied).astype(bool)
    rng = np.random.default_rng(seed)
    picked: list[int] = []
    for _, rows in items[fit].groupby("category", sort=False):
        count = min(len(rows), quota(len(rows)))
        picked.extend(rng.choice(rows.index.to_numpy(), size=count, replace=False).tolist())
    return items.loc[sorted(picked)]
