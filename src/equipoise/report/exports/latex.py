"""LaTeX: The headline numbers as a booktabs table."""

from collections.abc import Sequence
from typing import Any

from equipoise.results import Result
from equipoise.results.estimate import instead_of_interval
from equipoise.results.records import fixed

_ESCAPED = {
    **{mark: f"\\{mark}" for mark in "&%$#_{}"},
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "\\": r"\textbackslash{}",
    "|": r"\textbar{}",
}


def render(results: Sequence[Result]) -> str:
    """One row per headline: model, instrument, estimate, value with its interval, items."""
    lines = [
        r"\begin{tabular}{lllrlr}",
        r"\toprule",
        r"model & instrument & estimate & value & 95\,\% interval & $n$ \\",
        r"\midrule",
    ]
    lines += [_row(result, row) for result in results for row in result.headlines().to_dict("records")]
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}", ""])


def _row(result: Result, row: "dict[Any, Any]") -> str:
    label = f"{row['label']} ({row['by']} {row['level']})" if row["by"] else str(row["label"])
    words = [escaped(text) for text in (result.model, result.instrument, label)]
    interval = instead_of_interval(row) or f"[{fixed(row['low'], 3)}, {fixed(row['high'], 3)}]"
    return " & ".join([*words, fixed(row["value"], 3), interval, str(row["n"])]) + r" \\"


def escaped(text: str) -> str:
    """The text with the characters that mean something to LaTeX made harmless."""
    return "".join(_ESCAPED.get(letter, letter) for letter in text)
