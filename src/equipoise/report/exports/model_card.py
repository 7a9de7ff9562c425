"""Model card: A section for a model's README on the Hugging Face hub, with `model-index` metadata."""

from collections.abc import Iterator, Sequence
from pathlib import PurePath
from typing import Any

from equipoise.errors import UserError
from equipoise.report.exports.markdown import table_lines
from equipoise.results import Result
from equipoise.results.estimate import BETTER
from equipoise.results.records import to_records

TASKS = {"masked": "fill-mask", "causal": "text-generation", "encoder-decoder": "fill-mask"}
"""The hub's word for what a kind of model does."""

CAVEAT = (
    "These numbers tell of the measured sentences: English unless the data say otherwise, mostly of women "
    "and men. A number near its good value shows no bias of this kind on these items; it does not show that "
    "there is none."
)


def render(results: Sequence[Result]) -> str:
    """Metadata between lines of dashes, as the hub expects it at the top, and a section below."""
    from huggingface_hub import ModelCardData

    model = _only_model(results)
    name = PurePath(model).name or model
    numbers = [number for result in results for number in _eval_results(result)]
    if not numbers:
        raise UserError(
            f"No headline of {model!r} is a number.", "Measure with more items, then export again."
        )
    metadata = ModelCardData(model_name=name, eval_results=numbers)
    return f"---\n{metadata.to_yaml()}\n---\n\n{_section(results)}"


def _only_model(results: Sequence[Result]) -> str:
    fingerprints = {result.fingerprint for result in results}
    if len(fingerprints) > 1:
        names = ", ".join(dict.fromkeys(result.model for result in results))
        raise UserError(
            f"A model card is of one model, and these are several: {names}.", "Export each by itself."
        )
    return results[0].model


def _eval_results(result: Result) -> Iterator[Any]:
    """Every headline as the hub's record; those without a meaningful number stay in the section."""
    from huggingface_hub import EvalResult

    kind = str(result.provenance.get("model", {}).get("kind", ""))
    data = PurePath(str(result.provenance.get("data", {}).get("name", ""))).name or "data of the user"
    for row in to_records(result.headlines()):
        if row["value"] is None or row["void"]:
            continue
        at = f" ({row['by']}: {row['level']})" if row["by"] else ""
        yield EvalResult(
            task_type=TASKS.get(kind, kind or "fill-mask"),
            task_name="gender bias",
            dataset_type=data,
            dataset_name=data,
            dataset_config=result.variant or None,
            dataset_args={"sha256": result.data_hashes} if result.data_hashes else None,
            metric_type=f"{result.instrument}.{row['key']}",
            metric_name=f"{result.instrument}: {row['label']}{at}",
            metric_value=row["value"],
            metric_args={
                **{name: row[name] for name in ("low", "high") if row[name] is not None},
                **{name: row[name] for name in ("n", "dropped", "neutral")},
                "good": BETTER[row["better"]],
            },
        )


def _section(results: Sequence[Result]) -> str:
    provenance = results[0].provenance
    versions, model = provenance.get("versions", {}), provenance.get("model", {})
    measured = [
        f"equipoise {versions['equipoise']}" if "equipoise" in versions else "equipoise",
        str(provenance.get("created", ""))[:10],
        str(model.get("precision", "")),
        f"weights {results[0].fingerprint[:12]}",
    ]
    said = [f"- {result.instrument}: {text}" for result in results for text in result.sentences]
    notices = [f"- note, {result.instrument}: {text}" for result in results for text in result.notices]
    lines = ["## Gender bias", "", f"Measured with {', '.join(filter(None, measured))}.", ""]
    lines += [*table_lines(results), "", *said, *notices, *([""] if said or notices else []), CAVEAT, ""]
    return "\n".join(lines)
