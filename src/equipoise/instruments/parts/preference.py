"""Preference: how many pairs of sentences does a model find likelier on the stereotype's side?

What the benchmarks that count pairs share: the share in percent with Wilson's interval, ties shown apart, and
every number with and without the items that a linter found fault with.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pandas as pd

from equipoise.data.catalogue import fetch_file
from equipoise.errors import UserError
from equipoise.instruments.base import ALL, Label, Settings, share_estimate
from equipoise.models.base import LanguageModel
from equipoise.results import Estimate

PERCENT = "%"
NEUTRAL = 50.0
TIE = 1e-9
"""Scores nearer to each other than this are a tie: no preference, left out of the share and counted."""

FLAGGED, UNFLAGGED, EQUAL_TOKENS = "flagged items", "without flagged items", "equal token counts"
_SHOWN = 8


def preferred(scores: pd.Series) -> pd.Series:
    """1 where the stereotype is likelier, 0 where its counterpart is, unknown at a tie."""
    return scores.gt(0).astype(float).where(scores.abs() > TIE)


def percent(found: Estimate) -> Estimate:
    """A share as a percentage."""
    return replace(found, value=100 * found.value, low=100 * found.low, high=100 * found.high, unit=PERCENT)


def preference_estimate(name: str, group: str, scores: pd.Series) -> Estimate:
    """The percentage of pairs that prefer the stereotype; ties are counted as dropped."""
    return percent(share_estimate(Label(name, group, neutral=NEUTRAL), preferred(scores)))


def tie_estimate(group: str, scores: pd.Series, *, within: float = TIE) -> Estimate:
    """The percentage of answered pairs without a preference."""
    tied = scores.abs().le(within).astype(float).where(scores.notna())
    return percent(share_estimate(Label("ties", group, better="none"), tied))


def pair_groups(items: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """All items; each bias type and direction if there are several; flagged or not; equal in tokens."""
    groups = {ALL: items}
    for column, prefix in (("bias_type", "type"), ("direction", "direction")):
        if column in items and items[column].nunique() > 1:
            groups |= {f"{prefix}:{name}": rows for name, rows in items.groupby(column, sort=False)}
    is_flagged = items["flags"] != ""
    if is_flagged.any() and not is_flagged.all():
        groups |= {UNFLAGGED: items[~is_flagged], FLAGGED: items[is_flagged]}
    if "tokens_more" in items:
        is_equal = items["tokens_more"] == items["tokens_less"]
        if is_equal.any() and not is_equal.all():
            groups[EQUAL_TOKENS] = items[is_equal]
    return groups


def flag_notices(items: pd.DataFrame, meanings: Mapping[str, str]) -> tuple[str, ...]:
    """A sentence for each kind of fault that the linter found, with the number of items and their names."""
    notices = []
    for flag, meaning in meanings.items():
        names = items.loc[[flag in flags.split(", ") for flags in items["flags"]], "item"].tolist()
        if names:
            more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
            listed = ", ".join(names[:_SHOWN]) + more
            notices.append(f"linter, {flag} ({meaning}): {len(names)} of {len(items)} items, {listed}")
    return tuple(notices)


def source_file(settings: Settings, datasets: Sequence[str], dataset: str, file: str) -> Path:
    """The user's own file, or the one file behind all named slices of a published data set."""
    if settings.data not in datasets and settings.file is not None:
        return settings.file
    return fetch_file(dataset, file, settings.data_dir)


def check_rule(model: LanguageModel, rule: str, *, what: str, hint: str) -> None:
    """Refuse a model that has not got the scoring rule, with the reason."""
    if rule not in model.rules:
        raise UserError(
            f"{what} cannot measure {model.name!r}: a {model.kind} model does not score by the rule {rule!r} "
            f"(it has: {', '.join(model.rules) or 'none'}).",
            hint,
        )
