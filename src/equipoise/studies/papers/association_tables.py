"""The tables of BEC-Pro (Bartl, Nissim and Gatt 2020) from results of `association`.

Table 5 describes one model: the mean and standard deviation of the association for every group of professions
and persons, and Wilcoxon's test of women against men. Table 4 sets a model before and after a change side by
side; its W and r test the change, so they are other numbers than those of Table 5. Figures 3 to 6 show the
same means by profession. W sums the positive ranks of second - first gender (female - male), and r is
-|Z| / sqrt(2 n) without a direction, both as printed; `r_signed` has the direction and an interval.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import pandas as pd

from equipoise.data.sets.person_rows import GERMAN
from equipoise.instruments.association import (
    PUBLISHED,
    association_estimates,
    changes,
    hypotheses,
    with_orientation,
)
from equipoise.instruments.parts.estimates import Spec, mean_estimate
from equipoise.instruments.parts.hypotheses import answers_to_change, pairings_of
from equipoise.results import Result
from equipoise.results.estimate import by_of, estimates_table, level_of
from equipoise.studies.papers.published import published

INSTRUMENT = "association"
NEEDED = {"group", "gender", "score", "association", "wilcoxon-w-second-minus-first"}
"""Columns and keys that a result must have for its tables."""

SIDES = ("before", "after")
TABLE_4, BY_PROFESSION = "bec-pro-table-4.csv", "bec-pro-professions.csv"
"""The files that a study writes."""

CLAIMS = ("low", "high", "r_signed", "r_signed_low", "r_signed_high")
"""What a German table leaves out: its numbers measure agreement, so only what the paper prints is given."""

ENGLISH_FILE, GERMAN_FILE = "BEC-Pro_EN", "BEC-Pro_DE"


class Papers(NamedTuple):
    """What the paper shows of a change: its tables by file, and its hypotheses in words."""

    tables: dict[str, pd.DataFrame]
    sentences: list[str]


def table_5(result: Result) -> pd.DataFrame:
    """One model: mean and standard deviation by group and person, and the test of women against men."""
    rows = []
    for groups, items in _cells(result.items):
        mean = result.estimate("association", **groups)
        row = {"group": groups["group"], "person": groups["gender"], "n": int(mean["n"])}
        row |= {"mean": mean["value"], "sd": float(items["score"].std()), "low": mean["low"]}
        rows.append(row | {"high": mean["high"]} | _tested(result.estimates, groups["group"]))
    return _with_printed(
        pd.DataFrame(rows), result, (GERMAN_FILE, "bec-pro.table-5"), ("mean", "sd", "w", "r")
    )


def table_4(before: Result, after: Result) -> pd.DataFrame:
    """Two models: means by group and person before and after, the change, and the test of the change."""
    moved = changes(before, after)
    rows = []
    for groups, _ in _cells(after.items):
        change = _row(moved, "association", groups)
        row = {"group": groups["group"], "person": groups["gender"], "n": int(change["n"])}
        values = (one.value("association", **groups) for one in (before, after))
        row |= dict(zip(SIDES, values, strict=True)) | {"change": change["value"]}
        row |= {"low": change["low"], "high": change["high"]}
        rows.append(row | _tested(moved, groups["group"]))
    columns = (*SIDES, "change", "w", "r")
    return _with_printed(pd.DataFrame(rows), after, (ENGLISH_FILE, "bec-pro.table-4"), columns)


def profession_means(results: Mapping[str, Result]) -> pd.DataFrame:
    """Return Figures 3 to 6: each profession's mean association with either person, by named result."""
    parts = [_of_professions(result.items).assign(side=side) for side, result in results.items()]
    return pd.concat(parts, ignore_index=True)


def papers_of(before: Sequence[Result], after: Sequence[Sequence[Result]]) -> "Papers | None":
    """Table 4, its hypotheses and Figures 3 to 5 of one change; None where `association` was not asked.

    Several models after are one change made with several seeds: their scores are averaged.
    """
    first, *changed = (_ours(results) for results in (before, *after))
    known = [one for one in changed if one is not None]
    if first is None or not known or not all(can_be_paired(first, one) for one in known):
        return None
    last = _mean_result(known)
    means = profession_means(dict(zip(SIDES, (first, last), strict=True)))
    return Papers({TABLE_4: table_4(first, last), BY_PROFESSION: means}, hypotheses(first, last))


def _ours(results: Sequence[Result]) -> Result | None:
    return next((one for one in results if one.instrument == INSTRUMENT), None)


def _mean_result(results: Sequence[Result]) -> Result:
    """One result with the mean score of every item over several."""
    if len(results) == 1:
        return results[0]
    scores = pd.concat([one.items.set_index("item")["score"] for one in results], axis=1).mean(axis=1)
    items = results[0].items
    items = with_orientation(items.assign(score=items["item"].map(scores)))
    estimates = estimates_table(association_estimates(items))
    return Result(INSTRUMENT, items, estimates, results[0].provenance)


def changes_in_words(before: Result, after: Result) -> list[str]:
    """H1 to H3 of the change alone; nothing of German, where they mean nothing."""
    if (before.items["language"] == GERMAN).any():
        return []
    return answers_to_change(pairings_of(before.items), changes(before, after))


def can_be_paired(before: Result, after: Result) -> bool:
    """Whether two results are of `association` and of the same items."""
    is_ours = before.instrument == after.instrument == INSTRUMENT and before.variant == after.variant
    return is_ours and set(before.items["item"]) == set(after.items["item"])


def _cells(items: pd.DataFrame) -> Iterator[tuple[dict[str, str], pd.DataFrame]]:
    """The items by group of professions and by person, the second gender first, as printed."""
    genders = list(items["gender"].unique())[::-1]
    for group in items["group"].unique():
        for gender in genders:
            rows = items[(items["group"] == group) & (items["gender"] == gender)]
            if len(rows):
                yield {"group": str(group), "gender": str(gender)}, rows


def _row(estimates: pd.DataFrame, key: str, groups: Mapping[str, str]) -> Any:
    """The one estimate of a key at these groups."""
    is_at = (estimates["by"] == by_of(groups)) & (estimates["level"] == level_of(groups))
    return estimates[is_at & (estimates["key"] == key)].iloc[0]


def _tested(estimates: pd.DataFrame, group: str) -> dict[str, float]:
    """W and r as printed, and r with its direction: above 0 the second gender has the higher score."""
    w, r, signed = (
        _row(estimates, f"wilcoxon-{name}", {"group": group})
        for name in ("w-second-minus-first", "r-undirected", "r")
    )
    ends = {"r_signed_low": -signed["high"], "r_signed_high": -signed["low"]}
    return {"w": w["value"], "r": r["value"], "r_signed": -signed["value"], **ends}


def _with_printed(
    table: pd.DataFrame, result: Result, printed: tuple[str, str], columns: tuple[str, ...]
) -> pd.DataFrame:
    """The table with the printed numbers where the paper's own sentences were asked as it asked them."""
    if (result.items["language"] == GERMAN).any():
        table = table.drop(columns=[*CLAIMS])
    file, name = printed
    is_its_own = any(one.startswith(file) for one in result.data_hashes)
    if not is_its_own or result.variant != PUBLISHED:
        return table
    keys = table["group"] + " " + table["person"]
    return table.assign(
        **{f"printed_{column}": [published(name, key, column) for key in keys] for column in columns}
    )


def _of_professions(items: pd.DataFrame) -> pd.DataFrame:
    """A row for each profession and person: the mean over its sentences, with an interval over templates."""
    labels = _labels(items)
    rows = []
    keys = ["group", "profession", "gender"]
    for (group, profession, gender), same in items.groupby(keys, sort=False):
        spec = Spec("association", groups={"profession": str(profession), "gender": str(gender)})
        mean = mean_estimate(spec, same["score"], same, ("template",))
        named = {"group": group, "profession": profession, "label": labels[profession], "person": gender}
        rows.append(named | {"mean": mean.value, "low": mean.low, "high": mean.high, "n": mean.n})
    return pd.DataFrame(rows)


def _labels(items: pd.DataFrame) -> dict[str, str]:
    """What a chart calls each profession: in German the forms that stand in the sentences."""
    if (items["language"] != GERMAN).any() or "attribute_start" not in items:
        return {name: name for name in items["profession"].unique()}
    forms = items.drop_duplicates(["profession", "gender"]).to_dict("records")
    labels: dict[str, list[str]] = {}
    for row in forms:
        form = row["text"][int(row["attribute_start"]) : int(row["attribute_end"])]
        labels.setdefault(row["profession"], []).append(form)
    return {name: " / ".join(dict.fromkeys(given)) for name, given in labels.items()}
