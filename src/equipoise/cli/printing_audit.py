"""The audit on the screen: one narrow table that grows as instruments finish, then what it says in words."""

import textwrap
from typing import TYPE_CHECKING, Any

from equipoise.cli.printing import cell, say
from equipoise.results.estimate import instead_of_interval

if TYPE_CHECKING:
    from equipoise.results import Result

WIDTHS = {"instrument": 15, "estimate": 25, "value": 8, "95 % interval": 20, "good": 4}
"""The columns and how wide each is: with the gaps between them 80 characters."""

GAP = "  "


class GrowingTable:
    """A table of headlines that fits 80 columns; the rows of an instrument are shown when it is done."""

    def __init__(self, model: str) -> None:
        self.model = model
        self._is_begun = False

    def add(self, result: "Result") -> None:
        """Show the headlines of one more instrument."""
        if not self._is_begun:
            self._is_begun = True
            say(f"What to read first of {self.model}")
            say(_line(*WIDTHS))
            say(_line(*("-" * width for width in WIDTHS.values())))
        name = result.instrument
        for row in result.headlines().to_dict("records"):
            for line in _row_lines(name, row):
                say(line)
            name = ""


def _row_lines(instrument: str, row: "dict[Any, Any]") -> list[str]:
    """One headline; a long label goes on in further lines."""
    named = f"{row['label']} ({row['by']} {row['level']})" if row["by"] else str(row["label"])
    first, *more = textwrap.wrap(named, WIDTHS["estimate"]) or [""]
    names = textwrap.wrap(instrument, WIDTHS["instrument"]) or [""]
    good = f"{row['neutral']:g}" if row["better"] == "neutral" else _SHORT[row["better"]]
    interval = instead_of_interval(row) or f"{cell(row['low'])} to {cell(row['high'])}"
    lines = [_line(names[0], first, cell(row["value"]), interval, good)]
    for place in range(max(len(more), len(names) - 1)):
        rest = [parts[place] if place < len(parts) else "" for parts in (names[1:], more)]
        lines.append(_line(*rest, "", "", ""))
    return lines


_SHORT = {"lower": "low", "higher": "high", "none": "-"}
"""Which way is good, where no single value is."""


def _line(*cells: str) -> str:
    """Cells under each other: words to the left, numbers to the right."""
    name, estimate, value, interval, good = (
        text.rjust(width) if column in ("value", "95 % interval") else text.ljust(width)
        for text, (column, width) in zip(cells, WIDTHS.items(), strict=True)
    )
    return GAP.join((name, estimate, value, interval, good)).rstrip()
