"""JSON: Estimates, sentences and provenance of every result, with a published schema."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from equipoise.results import Result
from equipoise.results.records import to_records

FORMAT = "equipoise-results-1"
"""What the document is; a change that a reader would notice is another number, and another schema."""

SCHEMA = Path(__file__).parent / f"{FORMAT}.schema.json"


def render(results: Sequence[Result]) -> str:
    """An object with one entry per result."""
    content = {"format": FORMAT, "results": [_entry(result) for result in results]}
    return json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def load_schema() -> dict[str, Any]:
    """The JSON schema (draft 2020-12) that every exported document satisfies."""
    schema: dict[str, Any] = json.loads(SCHEMA.read_text(encoding="utf-8"))
    return schema


def _entry(result: Result) -> dict[str, Any]:
    return {
        "instrument": result.instrument,
        "variant": result.variant,
        "model": result.model,
        "fingerprint": result.fingerprint,
        "estimates": to_records(result.estimates),
        "sentences": result.sentences,
        "notices": result.notices,
        "provenance": result.provenance,
    }
