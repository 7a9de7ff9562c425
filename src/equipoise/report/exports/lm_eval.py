"""A task for lm-evaluation-harness with the same items: a folder for `--include_path`."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from equipoise.data.poles import load_poles
from equipoise.errors import UserError
from equipoise.models.neural.words import compose
from equipoise.results import Result
from equipoise.results.result import rows_of

PAIRS, BLANKS = "pairs", "blanks"
MEASURED = {
    "sbe": (PAIRS, "mean-sld"),
    "tbe": (BLANKS, "appd"),
    "traits": (BLANKS, "mean-lean"),
}
"""What kind of items an instrument has, and which of our numbers the task's `score` is."""

TASK = """\
# {title}. Run: lm_eval --model hf --model_args pretrained=MODEL --include_path FOLDER --tasks {task}
# `score` is {instrument}.{key} of a causal model, `size` the mean distance from 0; neutral is 0.
task: {task}
custom_dataset: !function {module}.load
test_split: test
output_type: multiple_choice
doc_to_text: ""
target_delimiter: ""
doc_to_target: 0
doc_to_choice: choices
process_results: !function {module}.{kind}
metric_list:
  - {{metric: score, aggregation: mean, higher_is_better: false}}
  - {{metric: size, aggregation: mean, higher_is_better: false}}
metadata:
  version: {version}
  equipoise: {key}
"""

CODE = '''\
"""Reading and scoring of {task}, written by Equipoise."""

from math import exp
from pathlib import Path

import datasets


def load(**_):
    """The items, which lie beside this file."""
    path = Path(__file__).with_name("{task}.jsonl")
    return datasets.load_dataset("json", data_files={{"test": str(path)}})


def pairs(doc, results):
    """The first sentence's log-likelihood less the second's."""
    first, second = (likelihood for likelihood, _ in results)
    return {{"score": first - second, "size": abs(first - second)}}


def blanks(doc, results):
    """The share of the first pole less that of the second, among the words that were asked."""
    likelihoods = [likelihood for likelihood, _ in results]
    most = max(likelihoods)
    weights = [exp(likelihood - most) for likelihood in likelihoods]
    score = sum(weight * side for weight, side in zip(weights, doc["sides"])) / sum(weights)
    return {{"score": score, "size": abs(score)}}
'''


def files(results: Sequence[Result]) -> dict[str, str]:
    """A configuration, the items and a few lines of code for each result, by file name."""
    written: dict[str, str] = {}
    for result in results:
        if result.instrument not in MEASURED:
            raise UserError(
                f"{result.instrument} has no task for lm-eval.", f"Export results of {', '.join(MEASURED)}."
            )
        kind, key = MEASURED[result.instrument]
        task = f"equipoise_{result.instrument}"
        named = {"task": task, "module": task, "kind": kind, "key": key, "instrument": result.instrument}
        title = result.provenance.get("instrument", {}).get("title", result.instrument)
        rows = [json.dumps(row, ensure_ascii=False) + "\n" for row in _rows(result, kind, key)]
        written[f"{task}.yaml"] = TASK.format(**named, title=title, version=result.version)
        written[f"{task}.jsonl"] = "".join(rows)
        written[f"{task}.py"] = CODE.format(**named)
    return written


def _rows(result: Result, kind: str, key: str) -> Iterator[Mapping[str, Any]]:
    """Return the items behind the number as choices; items with a blank also name the side of each choice."""
    quantity = next(one for one in result.declared if one.key == key)
    items = rows_of(result.items, quantity)
    items = items[items["dropped"] == ""]
    poles = load_poles(result.poles or "pronouns") if kind == BLANKS else None
    for row in items.to_dict("records"):
        if poles is None:
            yield {"id": row["item"], "choices": [row["stereotype"], row["counterpart"]]}
            continue
        words = poles.pair_at(row["form"]) if result.instrument == "traits" else poles.at(row["form"])
        sides = dict(zip(poles.pair, (1.0, -1.0), strict=True))
        asked = [(word, sides.get(pole, 0.0)) for pole, of_pole in words.items() for word in of_pole]
        yield {
            "id": row["item"],
            "choices": [compose(row["text"], 0, word)[0] for word, _ in asked],
            "sides": [side for _, side in asked],
        }
