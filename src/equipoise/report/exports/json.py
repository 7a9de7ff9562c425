"""JSON: the estimates, sentences and provenance of every result as one document."""

import json
from collections.abc import Sequence

from equipoise.results import Result
from equipoise.results.records import to_records


def render(results: Sequence[Result]) -> str:
    """A list with one object per result."""
    content = [
        {
            "instrument": result.instrument,
            "model": result.model,
            "estimates": to_records(result.estimates),
            "provenance": result.provenance,
        }
        for result in results
    ]
    return json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
