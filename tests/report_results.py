"""Results made by hand that have something for every part of a page, hostile texts among them."""

import json
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from equipoise.results import Estimate, Quantity, Result
from equipoise.results.estimate import estimates_table
from equipoise.results.quantity import TOWARDS
from equipoise.results.reading import readings

HOSTILE = (
    "<script>window.hit = 1</script> said the nurse.",
    "</script><img src=x onerror='window.hit = 2'> lost her keys.",
    "A right-to-left \u202e override and \u2067 isolate.",
    "long" * 2500 + " word.",
    "&lt;b&gt; \"quoted\" 'words' \u2028 \x07 bell {{ 7 * 7 }} ${8 * 8}",
)
HOSTILE_NAME = "models/<b onmouseover='window.hit = 3'>bold<br>"
TOO_LOW = "ability is too low"
PROFESSIONS = [(f"worker {number}", 2.0 * number, 0.6 - number / 40) for number in range(40)]


def page_result(
    model: str = "models/one", *, instrument: str = "tbe", items: int = 120, shift: float = 0.0, seed: int = 0
) -> Result:
    """A result with categories, professions, pairs with tokens, dropped items and three headlines."""
    table = _items(items, shift, np.random.default_rng(seed))
    estimates = _estimates(table, shift)
    quantity = Quantity(
        *("appd", "APPD", 0.05),
        unit="nats",
        factors=("template",),
        ranks=True,
        name="pronoun gap",
        question="jobs",
        scale="nats",
        sides=TOWARDS,
        headline=True,
    ).of_poles("male", "female")
    provenance: dict[str, Any] = {
        "instrument": {"name": instrument, "title": f"{instrument}: a test", "variant": "corrected"},
        "model": {
            "name": model,
            "kind": "masked",
            "fingerprint": f"{abs(hash((model, shift))):064x}",
            "precision": "fp32",
            "notes": [],
        },
        "data": {
            "name": "made-up",
            "poles": "pronouns",
            "files": {"items.csv": "a" * 64},
            "notices": ["three <i>items</i> were dropped"],
        },
        "sentences": readings(estimates),
        "roles": {"text": ["stereotype", "counterpart"], "factors": ["template"], "groups": ["category"]},
        "quantities": [quantity.to_record()],
        "versions": {"equipoise": "0.1.0"},
        "created": f"2026-11-16T12:00:00 {model}",
    }
    return Result(instrument, table, estimates_table(estimates), provenance)


def _items(count: int, shift: float, rng: np.random.Generator) -> pd.DataFrame:
    texts = [*HOSTILE, *(f"The worker {place % 40} lost her keys on day {place}." for place in range(count))]
    texts = texts[:count]
    scores = rng.normal(0.2 + shift, 1.0, count)
    scores[7:10] = np.nan
    return pd.DataFrame(
        {
            "item": [f"i{place}" for place in range(count)],
            "stereotype": texts,
            "counterpart": [text.replace("her", "his") for text in texts],
            "category": [("medical", "office", "<u>farm</u>")[place % 3] for place in range(count)],
            "profession": [PROFESSIONS[place % 40][0] for place in range(count)],
            "percent_women": [PROFESSIONS[place % 40][1] for place in range(count)],
            "template": [f"t{place % 8}" for place in range(count)],
            "token_scores_stereotype": [_tokens(text, -1.0) for text in texts],
            "token_scores_counterpart": [_tokens(text.replace("her", "his"), -1.5) for text in texts],
            "score": scores,
            "dropped": ["could not be asked" if np.isnan(score) else "" for score in scores],
        }
    )


def _tokens(text: str, adds: float) -> str:
    if len(text) > 200:
        return ""
    ends = np.cumsum([len(word) + 1 for word in text.split(" ")])
    starts = [0, *ends[:-1]]
    return json.dumps([[int(a), int(b) - 1, adds] for a, b in zip(starts, ends, strict=True)])


def _estimates(table: pd.DataFrame, shift: float) -> list[Estimate]:
    mean = float(table["score"].mean())
    ends: Sequence[float] = (mean - 0.15, mean + 0.15)
    n, dropped = int(table["score"].notna().sum()), int(table["score"].isna().sum())
    whole = Estimate("appd", mean, *ends, n=n, dropped=dropped, label="APPD", unit="nats", headline=True)
    estimates = [
        whole,
        Estimate("size", 0.5, 0.4, 0.6, n=n, label="size", better="lower", unit="nats", headline=True),
        Estimate("skew", 12.0, 8.0, 16.0, n=n, neutral=10.0, unit="points", headline=True, void=TOO_LOW),
    ]
    for category, rows in table.groupby("category", sort=False):
        value, groups = float(rows["score"].mean()), {"category": str(category)}
        estimates.append(
            Estimate(
                "appd", value, value - 0.2, value + 0.2, n=len(rows), label="APPD", groups=groups, unit="nats"
            )
        )
    for name, _, value in PROFESSIONS:
        number = value + shift
        groups = {"profession": name}
        estimates.append(
            Estimate(
                "appd", number, number - 0.1, number + 0.1, n=3, label="APPD", groups=groups, unit="nats"
            )
        )
    return estimates
