"""The tables of `study domain` in the form of the paper: loss, both genders, changes, target words."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from equipoise.instruments.contexts import FACTORS
from equipoise.instruments.cosine import target_scatter
from equipoise.instruments.parts.corpus_items import corpus_groups, unless_too_few
from equipoise.instruments.parts.estimates import Spec, contrast_estimate
from equipoise.results import Result
from equipoise.stats.clusters import Floats
from equipoise.stats.intervals import Interval
from equipoise.stats.repeats import over_repeats, with_repeats
from equipoise.stats.resampling import bootstrap_of
from equipoise.studies.arms import BASE, ArmRuns
from equipoise.studies.published import published
from equipoise.text.sides import FEMALE, MALE

LOSS = "loss"
GENDERS = (MALE, FEMALE)


def loss_table(runs: ArmRuns) -> pd.DataFrame:
    """Fig. 1: cross-entropy and perplexity on hidden words of the held-out text, by arm."""
    rows = []
    for arm, of_arm in runs.tables.items():
        parts = [held[LOSS] for held in of_arm.values()]
        losses = [part["nats"].sum() / part["places"].sum() for part in parts]
        repeats = over_repeats(losses)
        spread = with_repeats(_loss_interval(pd.concat(parts)), repeats)
        rows.append(
            {
                "arm": arm,
                "loss": repeats.mean,
                "low": spread.low,
                "high": spread.high,
                "perplexity": np.exp(repeats.mean),
                "perplexity_low": np.exp(spread.low),
                "perplexity_high": np.exp(spread.high),
                "recovered": float(np.mean([part["right"].sum() / part["places"].sum() for part in parts])),
                "hidden_words": int(parts[0]["places"].sum()),
                "seeds": len(parts),
                "published_loss": published("news.loss", arm, "loss"),
                "published_perplexity": published("news.loss", arm, "perplexity"),
            }
        )
    return pd.DataFrame(rows)


def _loss_interval(documents: pd.DataFrame) -> Interval:
    """The interval of the mean loss, over documents."""

    def loss(sums: Floats) -> Floats:
        return np.asarray(sums[..., 0] / sums[..., 1])

    cells = documents[["nats", "places"]].to_numpy(dtype=float)
    return bootstrap_of(loss, cells, documents["document"])


def gender_table(table: pd.DataFrame) -> pd.DataFrame:
    """Figs. 6 to 8, 11 and 12: both probabilities and their difference by arm and by everything."""
    rows = table[table["instrument"] == "contexts"]
    keys = {"p-male": "male", "p-female": "female", "difference": "difference"}
    wide: dict[tuple[str, str, str], dict[str, Any]] = {}
    for row in rows[rows["key"].isin(keys)].to_dict("records"):
        place = row["arm"], row["by"], row["level"]
        name = keys[row["key"]]
        wide.setdefault(place, dict(zip(("arm", "by", "level"), place, strict=True))).update(
            {name: row["mean"], f"{name}_low": row["low"], f"{name}_high": row["high"], f"n_{name}": row["n"]}
        )
    for (arm, by, level), row in wide.items():
        named = " ".join(filter(None, (arm, by, level)))
        printed = [published("news.genders", named, gender) for gender in GENDERS]
        row |= {f"published_{name}": value for name, value in zip(GENDERS, printed, strict=True)}
        row["published_difference"] = round(printed[0] - printed[1], 3)
    return pd.DataFrame(list(wide.values())).drop(columns="n_difference")


def change_table(runs: ArmRuns, groups: Sequence[str]) -> pd.DataFrame:
    """Appendix 9.0.5: the difference before, after and the change, of every arm and by everything.

    The interval of a change pairs the contexts, which are the same before and after, and is over documents;
    what trainings with other seeds would give is added to it.
    """
    before = _contexts(runs.by_arm[BASE])[0]
    rows = []
    for arm, of_arm in runs.by_arm.items():
        if arm == BASE:
            continue
        after = _contexts(of_arm)
        own = [one.set_index("item")["own"].reindex(before["item"]).to_numpy() for one in after]
        items = before.assign(after=np.mean(own, axis=0))
        for number, values in enumerate(own):
            items[f"after_{number}"] = values
        for by, part in corpus_groups(items, tuple(groups)):
            rows.append({"arm": arm, **_change(by, part, len(own))})
    return pd.DataFrame(rows)


def _change(by: Mapping[str, str], part: pd.DataFrame, seeds: int) -> dict[str, Any]:
    is_male = part["gender"] == MALE

    def contrast(values: pd.Series) -> Any:
        made = contrast_estimate(Spec("change").at(by), values, is_male, rows=part, factors=FACTORS)
        return unless_too_few(made, of=int(min(is_male.sum(), (~is_male).sum())))

    first, last = contrast(part["own"]).value, contrast(part["after"]).value
    change = contrast(part["after"] - part["own"])
    each = [contrast(part[f"after_{number}"] - part["own"]).value for number in range(seeds)]
    interval = with_repeats(Interval(change.low, change.high), over_repeats(each))
    category = by["category"] if list(by) == ["category"] else ""
    return {
        "by": change.by,
        "level": change.level,
        "before": first,
        "after": last,
        "change": change.value,
        "low": interval.low,
        "high": interval.high,
        "n": len(part),
        **{
            f"published_{name}": published("news.changes", category, name)
            for name in ("before", "after", "change")
        },
    }


def word_table(runs: ArmRuns) -> pd.DataFrame:
    """Figs. 2 to 5 and 13 to 16: the mean cosine of every target word with men and women, by arm."""
    tables = []
    for arm, of_arm in runs.by_arm.items():
        items = pd.concat([_of(results, "cosine").items for results in of_arm.values()], ignore_index=True)
        words = target_scatter(items)
        for name in ("n_male", "n_female"):
            words[name] //= len(of_arm)
        tables.append(words.assign(arm=arm))
    return pd.concat(tables, ignore_index=True)


def _contexts(of_arm: Mapping[int, list[Result]]) -> list[pd.DataFrame]:
    return [_of(results, "contexts").items for results in of_arm.values()]


def _of(results: Sequence[Result], instrument: str) -> Result:
    return next(one for one in results if one.instrument == instrument)
