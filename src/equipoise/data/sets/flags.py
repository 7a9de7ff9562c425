"""Flags: what is wrong with an item of a published data set, which is told and never drops it."""

from collections.abc import Mapping

import pandas as pd

_SHOWN = 8


def flag_notices(items: pd.DataFrame, meanings: Mapping[str, str]) -> tuple[str, ...]:
    """A sentence for each kind of fault that the linter found, with the number of items and their names."""
    notices = []
    for flag, meaning in meanings.items():
        names = items.loc[[flag in flags.split(", ") for flags in items["flags"]], "item"].tolist()
        if names:
            listed = shown_names(names)
            notices.append(f"linter, {flag} ({meaning}): {len(names)} of {len(items)} items, {listed}")
    return tuple(notices)


def shown_names(names: list[str]) -> str:
    """The first few names, and how many more there are."""
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return ", ".join(names[:_SHOWN]) + more
