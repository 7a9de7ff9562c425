"""Numbers and tables as text: rounded where people read them, exact in JSON and CSV."""

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from equipoise.data.csv_text import armed

TOO_FEW = "too few to tell"
HUNDREDS = 10.0
"""From this size on a number is shown with one decimal."""


def fixed(number: float, places: int, *, sign: bool = False) -> str:
    """So many decimals; `sign` writes the plus as well, and a number that rounds to zero has neither."""
    text = f"{number:.{places}f}"
    if float(text) == 0:
        return text.removeprefix("-")
    return f"+{text}" if sign and number > 0 else text


def with_interval(value: float, low: float, high: float, *, places: int) -> str:
    """A number with its interval, as a cell of a table has it; one that is not known is a dash."""
    if value != value:
        return "-"
    return fixed(value, places) + (f" [{fixed(low, places)}, {fixed(high, places)}]" if low == low else "")


def told(value: float, low: float, high: float, *, places: int = 2, sign: bool = False) -> str:
    """A number with its interval, as a sentence has it; where there is none, that there are too few."""
    if low != low:
        return TOO_FEW if value != value else f"{fixed(value, places, sign=sign)} ({TOO_FEW})"
    number, *ends = (fixed(one, places, sign=sign) for one in (value, low, high))
    return f"{number} [{', '.join(ends)}]"


def shown(number: float) -> str:
    """A number as a sentence has it."""
    return fixed(number, 1) if abs(number) >= HUNDREDS else three_decimals(number)


def three_decimals(number: float, *, sign: bool = False) -> str:
    """Three decimals; a small number has two digits, a tiny one an exponent."""
    if number == 0 or not abs(number) < 0.01:
        return fixed(number, 3, sign=sign)
    text = f"{number:.2g}" if abs(number) >= 0.001 else f"{number:.1e}"
    return f"+{text}" if sign and number > 0 else text


KINDS = {"f": "float64", "i": "int64", "b": "bool"}
"""How a column is to be read back, by the kind of its values; anything else is text."""


def to_records(table: pd.DataFrame) -> list[dict[str, Any]]:
    """A table as JSON values; a number that does not exist is null."""
    return [{key: _plain(value) for key, value in row.items()} for row in table.to_dict("records")]


def with_numbers(rows: Sequence[Mapping[str, Any]], numbers: Sequence[str]) -> list[dict[str, Any]]:
    """Return the records with NaN in place of null in numeric columns."""
    return [
        {key: math.nan if key in numbers and value is None else value for key, value in row.items()}
        for row in rows
    ]


def column_kinds(items: pd.DataFrame) -> dict[str, str]:
    """How each column is to be read back."""
    return {str(name): KINDS.get(items[name].dtype.kind, "str") for name in items.columns}


def read_typed_csv(path: Path, kinds: Mapping[str, str]) -> pd.DataFrame:
    """A table as it was saved: each number is parsed by Python, which reads back exactly what it wrote."""
    # Rows end where we ended them: a text may hold a carriage return of its own.
    table = pd.read_csv(path, dtype=str, keep_default_na=False, lineterminator="\n")
    for name, kind in kinds.items():
        if kind == "float64":
            table[name] = [float(text) if text else math.nan for text in table[name]]
        elif kind == "int64":
            table[name] = [int(text) for text in table[name]]
        elif kind == "bool":
            table[name] = [text == "True" for text in table[name]]
        else:
            table[name] = [armed(text) for text in table[name]]
    return table


def _plain(value: Any) -> Any:
    value = value.item() if hasattr(value, "item") else value
    return None if isinstance(value, float) and not math.isfinite(value) else value
