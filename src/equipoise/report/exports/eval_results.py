"""Evaluation results: The YAML that the Hugging Face hub shows on a model's page, from `.eval_results/`."""

from collections.abc import Sequence
from pathlib import PurePath
from typing import Any

from equipoise.errors import UserError
from equipoise.results import Result
from equipoise.results.estimate import BETTER
from equipoise.results.records import to_records

ON_THE_HUB = {
    "winobias": "uclanlp/wino_bias",
    "crows-pairs": "nyu-mll/crows_pairs",
    "stereoset": "McGill-NLP/stereoset",
    "winogender": "oskarvanderwal/winogender",
}
"""Data sets that have a repository on the hub; all others are listed under `local/`."""

HEAD = (
    "# Save as .eval_results/equipoise.yaml in the model's repository.\n"
    "# A data set under local/ has no page on the hub, so its number appears on no leaderboard.\n"
)


def render(results: Sequence[Result]) -> str:
    """One entry per headline, with interval, items and neutral value in its notes."""
    import yaml
    from huggingface_hub import EvalResultEntry, eval_result_entries_to_yaml

    entries = [
        EvalResultEntry(
            dataset_id=_dataset(result),
            task_id=f"{result.instrument}.{row['key']}"
            + (f"[{row['by']}={row['level']}]" if row["by"] else ""),
            value=row["value"],
            date=str(result.provenance.get("created", "")) or None,
            notes=_notes(result, row),
        )
        for result in results
        for row in to_records(result.headlines())
        if row["value"] is not None and not row["void"]
    ]
    if not entries:
        raise UserError(
            "No headline of these results is a number.", "Measure with more items, then export again."
        )
    written = yaml.safe_dump(eval_result_entries_to_yaml(entries), sort_keys=False, allow_unicode=True)
    return HEAD + str(written)


def _dataset(result: Result) -> str:
    name = PurePath(str(result.provenance.get("data", {}).get("name", ""))).name or "unnamed"
    return ON_THE_HUB.get(name, f"local/{name}")


def _notes(result: Result, row: dict[str, Any]) -> str:
    interval = "too few items for an interval"
    if row["low"] is not None and row["high"] is not None:
        interval = f"95 % interval {row['low']:.4g} to {row['high']:.4g}"
    good = (
        f"{row['neutral']:g} is neutral" if row["better"] == "neutral" else f"good: {BETTER[row['better']]}"
    )
    parts = (
        row["label"],
        interval,
        f"{row['n']} items",
        good,
        f"variant {result.variant}" * bool(result.variant),
    )
    return "; ".join(filter(None, parts))
