"""How often the interval for the whole run holds the value of the whole run, by the share that was asked.

    python -m benchmarks.sample_coverage RESULTS [RESULTS ...] --draws 200

RESULTS are folders of whole runs. Their saved items are drawn again and again, as a run that stops early
would draw them. The rows "stopped" stop by precision: after every block the interval is held against a
limit, which a sample of about a quarter meets; without the factor for many looks they are "stopped at once".
"""

import argparse
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from math import sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from equipoise.instruments import load_instrument
from equipoise.instruments.base import Design, Instrument, Settings
from equipoise.results import Quantity, Result, load_results
from equipoise.results.comparison.differences import value_of
from equipoise.results.result import rows_of
from equipoise.samples import BLOCKS, MOST_LOOKS_FACTOR, blocks_of, units_of

SHARES = (0.05, 0.12, 0.25, 0.5)
QUARTER = BLOCKS.index(0.25)
Ends = tuple[float, float]


def design_of(result: Result) -> tuple[Instrument[Any], Design]:
    """The instrument and what it read for a result."""
    instrument = load_instrument(result.instrument)
    settings = Settings(variant=result.variant).completed(instrument)
    return instrument, instrument.design(settings.source(instrument), settings)


def ends_of(part: pd.DataFrame, whole: pd.DataFrame, quantity: Quantity) -> Ends:
    """The interval for the whole run, as `samples.whole_run` gives it."""
    measured = value_of(part, quantity)
    left = sqrt(max(0.0, 1 - len(rows_of(part, quantity)) / len(rows_of(whole, quantity))))
    value = measured.value
    return value - left * (value - measured.low), value + left * (measured.high - value)


def study(result: Result, draws: int) -> Iterator[dict[str, Any]]:
    """Whether each interval of each draw holds the value of the whole run, and how wide it is."""
    instrument, design = design_of(result)
    roles = instrument.roles
    independent: dict[str, Any] = dict.fromkeys(roles.factors[1:], "all")
    independent |= {name: units_of(result.items, roles) for name in roles.factors[:1]}
    items = result.items.assign(**independent)
    declared = design.quantities or instrument.quantities
    quantities = [one for one in declared if one.compared and not one.over]
    truth = {one.key: value_of(items, one).value for one in quantities}
    limits: dict[str, float] = {}
    for seed in range(draws):
        drawn = replace(design, settings=replace(design.settings, seed=seed))
        places = items["item"].map(blocks_of(instrument, drawn, declared))
        stopped: set[tuple[str, str]] = set()
        for block, share in enumerate(BLOCKS[:-1]):
            part = items[places <= block]
            for quantity in quantities:
                key = quantity.key
                if len(rows_of(part, quantity)) == len(rows_of(items, quantity)):
                    continue
                low, high = ends_of(part, items, quantity)
                if np.isnan(low):
                    continue
                if block == QUARTER:
                    limits.setdefault(key, (high - low) / 2)
                cell = {
                    "key": key,
                    "holds": low - 1e-12 <= truth[key] <= high + 1e-12,
                    "half": (high - low) / 2,
                }
                if share in SHARES:
                    yield cell | {"share": f"{share:.2f}"}
                for name, factor in (("stopped", MOST_LOOKS_FACTOR), ("stopped at once", 1.0)):
                    is_exact = factor * cell["half"] <= limits.get(key, -1.0)
                    if is_exact and (name, key) not in stopped:
                        stopped.add((name, key))
                        yield cell | {"share": name}


def main() -> None:
    """Print the coverage of every quantity, and of all of them by share."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--draws", type=int, default=100)
    given = parser.parse_args()
    by_share = defaultdict(list)
    for folder in given.folders:
        for result in load_results(folder):
            table = pd.DataFrame(study(result, given.draws))
            for (share, key), rows in table.groupby(["share", "key"]) if len(table) else ():
                cover, half = rows["holds"].mean(), rows["half"].mean()
                name = f"{result.model} {result.instrument}.{key} {share}"
                print(f"{name}: {cover:.3f} of {len(rows)}, half width {half:.3g}", flush=True)
                by_share[share].append(cover)
    for share, covers in sorted(by_share.items()):
        middle = f"mean {np.mean(covers):.3f}"
        print(
            f"all, {share}: {middle}, from {min(covers):.3f} to {max(covers):.3f} in {len(covers)} quantities"
        )


if __name__ == "__main__":
    main()
