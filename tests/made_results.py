"""Results made by hand: items, quantities and a provenance, without any model."""

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from equipoise.results import Quantity, Result
from equipoise.results.estimate import estimates_table

FILES = {"items.csv": "a" * 64}


def made_result(
    items: Mapping[str, Any] | pd.DataFrame,
    *quantities: Quantity,
    model: str = "a",
    instrument: str = "x",
    text: Sequence[str] = ("text",),
    **changes: Any,
) -> Result:
    """A result of hand-made items.

    `changes` are fingerprint, kind, precision, variant, poles, choices, and files with their hashes.
    """
    table = pd.DataFrame(items)
    if "item" not in table:
        table.insert(0, "item", [f"i{number}" for number in range(len(table))])
    if "dropped" not in table:
        table["dropped"] = ""
    provenance = {
        "instrument": {
            "name": instrument,
            "title": instrument,
            "variant": changes.get("variant", "v"),
            "version": changes.get("version", 1),
        },
        "model": {
            "name": model,
            "fingerprint": changes.get("fingerprint", f"print of {model}"),
            "kind": changes.get("kind", "masked"),
            "precision": changes.get("precision", "fp32"),
        },
        "data": {"poles": changes.get("poles", "pronouns"), "files": changes.get("files", FILES)},
        "choices": changes.get("choices", {}),
        **({"fixed_choices": changes["fixed_choices"]} if "fixed_choices" in changes else {}),
        "roles": {"text": list(text)},
        "quantities": [quantity.to_record() for quantity in quantities],
    }
    return Result(instrument, table, estimates_table([]), provenance)
