"""How often the interval for the whole run holds the value of the whole run, by the share that was asked.

    python -m benchmarks.sample_coverage RESULTS [RESULTS ...] --draws 200

RESULTS are folders of whole runs. Their saved items are drawn again and again, as a run that stops early
would draw them. The last rows stop by precision: after every block the intervals are held against a limit,
which a sample of about a quarter meets.
"""

import argparse
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from equipoise.instruments import load_instrument
from equipoise.instruments.base import Design, Instrument, Settings
from equipoise.results import Result, load_results
from equipoise.samples import BLOCKS, MOST_LOOKS_FACTOR, blocks_of, whole_run

SHARES = (0.05, 0.12, 0.25, 0.5)
Key = tuple[str, str, str]


def design_of(result: Result) -> tuple[Instrument[Any], Design]:
    """The instrument and what it read for a result."""
    instrument = load_instrument(result.instrument)
    settings = Settings(variant=result.variant).completed(instrument)
    return instrument, instrument.design(settings.source(instrument), settings)


def sampled(
    instrument: Instrument[Any], design: Design, items: pd.DataFrame, seed: int
) -> Iterator[dict[str, Any]]:
    """The intervals for the whole run after each block, as the key of a headline and its ends."""
    drawn = replace(design, settings=replace(design.settings, seed=seed))
    quantities = design.quantities or instrument.quantities
    blocks = blocks_of(instrument, drawn, quantities)
    for block in range(len(BLOCKS) - 1):
        part = items[items["item"].map(blocks) <= block].reset_index(drop=True)
        if len(part) == len(items):
            return
        held = drawn.items["item"].isin(part["item"])
        cut = replace(drawn, items=drawn.items[held].reset_index(drop=True))
        yield {"block": block, "whole": whole_run(instrument, cut, part, design.items, quantities)}


def study(result: Result, draws: int) -> Iterator[dict[str, Any]]:
    """Whether each interval of each draw holds the value of the whole run, and how wide it is."""
    instrument, design = design_of(result)
    rows = result.estimates[result.estimates["headline"]]
    truth: dict[Key, float] = {
        (row["key"], row["by"], row["level"]): row["value"] for row in rows.to_dict("records")
    }
    limit = None
    for seed in range(draws):
        has_stopped = False
        for sample in sampled(instrument, design, result.items, seed):
            share = BLOCKS[sample["block"]]
            widest = max(((row["high"] - row["low"]) / 2 for row in sample["whole"]), default=np.nan)
            limit = widest if limit is None and share == 0.25 else limit
            is_exact = limit is not None and MOST_LOOKS_FACTOR * widest <= limit
            for row in sample["whole"]:
                value = truth[row["key"], row["by"], row["level"]]
                cell = {"key": row["key"], "holds": row["low"] - 1e-12 <= value <= row["high"] + 1e-12}
                cell["half"] = (row["high"] - row["low"]) / 2
                if share in SHARES:
                    yield cell | {"share": f"{share:.2f}"}
                if is_exact and not has_stopped:
                    yield cell | {"share": "stopped"}
            has_stopped = has_stopped or is_exact


def main() -> None:
    """Print the coverage of every headline, and of all of them by share."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--draws", type=int, default=100)
    given = parser.parse_args()
    by_share = defaultdict(list)
    for folder in given.folders:
        for result in load_results(folder):
            table = pd.DataFrame(study(result, given.draws))
            if table.empty:
                continue
            for (share, key), rows in table.groupby(["share", "key"]):
                cover, half = rows["holds"].mean(), rows["half"].mean()
                name = f"{result.model} {result.instrument}.{key} {share}"
                print(f"{name}: {cover:.3f} of {len(rows)}, half width {half:.3g}", flush=True)
                by_share[share].append(rows["holds"].mean())
    for share, covers in sorted(by_share.items()):
        print(
            f"all headlines, {share}: mean {np.mean(covers):.3f}, from {min(covers):.3f} to {max(covers):.3f}"
        )


if __name__ == "__main__":
    main()
