"""Results: every item with its signed score, the estimates with their intervals, and where they came from."""

import json
import math
import platform
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import pandas as pd

from equipoise.errors import UserError

ESTIMATE_COLUMNS = (
    "name",
    "group",
    "value",
    "low",
    "high",
    "n",
    "dropped",
    "neutral",
    "better",
    "unit",
)
"""What every estimate carries; `better` says which way is good: see `BETTER`."""

BETTER = {
    "neutral": "nearer to the neutral value",
    "lower": "lower",
    "higher": "higher",
    "none": "neither way: for orientation",
}
FILES = ("items.csv", "estimates.json", "provenance.json")
_PACKAGES = ("equipoise", "torch", "transformers", "tokenizers", "numpy", "scipy", "pandas")


@dataclass(frozen=True)
class Estimate:
    """One number with its interval, how many items it rests on, and which way is good."""

    name: str
    group: str
    value: float
    low: float
    high: float
    n: int
    dropped: int = 0
    neutral: float = 0.0
    better: str = "neutral"
    unit: str = ""


def estimates_table(estimates: Iterable[Estimate]) -> pd.DataFrame:
    """Estimates as a table, a row each."""
    rows = [[getattr(one, column) for column in ESTIMATE_COLUMNS] for one in estimates]
    table = pd.DataFrame(rows, columns=list(ESTIMATE_COLUMNS))
    return table.astype({"value": float, "low": float, "high": float, "neutral": float})


@dataclass
class Result:
    """What one instrument said of one model.

    `items` has a column `item` that pairs it with another model's, `score` (signed, as the instrument's card
    says) and `dropped`, which is empty or says why an item could not be asked.
    """

    instrument: str
    items: pd.DataFrame
    estimates: pd.DataFrame
    provenance: dict[str, Any] = field(default_factory=dict)

    @property
    def model(self) -> str:
        """The measured model's name."""
        return str(self.provenance.get("model", {}).get("name", ""))

    @property
    def fingerprint(self) -> str:
        """The measured model's fingerprint."""
        return str(self.provenance.get("model", {}).get("fingerprint", ""))

    def value(self, name: str, group: str = "all") -> float:
        """The value of one estimate."""
        found = self.estimates.query("name == @name and group == @group")
        if found.empty:
            raise UserError(
                f"{self.instrument} has no estimate {name!r} for {group!r}.",
                f"It has: {', '.join(sorted(set(self.estimates['name'])))}.",
            )
        return float(found["value"].iloc[0])

    def save(self, folder: str | Path) -> Path:
        """Write `FOLDER/<instrument>/` and give its path."""
        target = Path(folder) / self.instrument
        try:
            target.mkdir(parents=True, exist_ok=True)
            self.items.to_csv(target / FILES[0], index=False, lineterminator="\n")
            _write_json(target / FILES[1], to_records(self.estimates))
            _write_json(target / FILES[2], self.provenance)
        except OSError as error:
            raise UserError(
                f"The result cannot be written to {target}: {error.strerror or error}.",
                "Give a folder that you may write to with --out.",
            ) from error
        return target


def load_result(folder: str | Path) -> Result:
    """Read a result that `save` wrote, from its own folder."""
    source = Path(folder)
    missing = [name for name in FILES if not (source / name).exists()]
    if missing:
        raise UserError(
            f"{source} is no result folder: {', '.join(missing)} is missing.",
            "Give a folder that `equipoise measure` wrote, or one of its subfolders.",
        )
    try:
        estimates = json.loads((source / FILES[1]).read_text(encoding="utf-8"))
        provenance = json.loads((source / FILES[2]).read_text(encoding="utf-8"))
        kinds = provenance.get("columns", {"score": "float64"})
        items = _read_items(source / FILES[0], kinds)
    except (ValueError, TypeError) as error:
        raise UserError(
            f"{source} holds a result that cannot be read: {error}.", "Measure it again."
        ) from error
    table = pd.DataFrame(_floats(estimates), columns=list(ESTIMATE_COLUMNS))
    return Result(provenance["instrument"]["name"], items, table, provenance)


def load_results(folder: str | Path) -> list[Result]:
    """Read every result below a folder, or the folder itself if it is one."""
    source = Path(folder)
    if not source.is_dir():
        raise UserError(
            f"There is no folder {str(source)!r}.", "Give a folder that `equipoise measure` wrote."
        )
    found = sorted(path.parent for path in source.rglob(FILES[2]))
    if not found:
        raise UserError(f"{source} holds no result.", "Give a folder that `equipoise measure` wrote.")
    return [load_result(path) for path in found]


def describe_versions() -> dict[str, str]:
    """The versions of what computed a result."""
    found = {"python": platform.python_version()}
    for package in _PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


def to_records(table: pd.DataFrame) -> list[dict[str, Any]]:
    """A table as JSON values; a number that does not exist is null."""
    return [{key: _plain(value) for key, value in row.items()} for row in table.to_dict("records")]


def column_kinds(items: pd.DataFrame) -> dict[str, str]:
    """How each column is to be read back."""
    kinds = {}
    for name in items.columns:
        kind = items[name].dtype.kind
        kinds[str(name)] = {"f": "float64", "i": "int64", "b": "bool"}.get(kind, "str")
    return kinds


def _read_items(path: Path, kinds: Mapping[str, str]) -> pd.DataFrame:
    """Items as they were saved: each number is parsed by Python, which reads back exactly what it wrote."""
    table = pd.read_csv(path, dtype=str, keep_default_na=False)
    for name, kind in kinds.items():
        if kind == "float64":
            table[name] = [float(text) if text else math.nan for text in table[name]]
        elif kind == "int64":
            table[name] = [int(text) for text in table[name]]
        elif kind == "bool":
            table[name] = [text == "True" for text in table[name]]
    return table


def _plain(value: Any) -> Any:
    value = value.item() if hasattr(value, "item") else value
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _floats(rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    numbers = ("value", "low", "high", "neutral")
    return [
        {key: math.nan if key in numbers and value is None else value for key, value in row.items()}
        for row in rows
    ]


def _write_json(path: Path, content: Any) -> None:
    text = json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False)
    path.write_text(text + "\n", encoding="utf-8")
