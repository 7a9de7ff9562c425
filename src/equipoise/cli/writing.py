"""Writing: a text, a study's tables, and the results of each model in a folder of its own."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from equipoise.errors import UserError

if TYPE_CHECKING:
    import pandas as pd

    from equipoise.results import Result


def write_text(path: Path, text: str, option: str = "--out") -> None:
    """Write a text beside its place and rename it; `option` is what named the place."""
    from equipoise.results.writing import write_beside

    try:
        write_beside(path, text)
    except OSError as error:
        raise UserError(
            f"{path} cannot be written: {error.strerror or error}.", f"Give another path with {option}."
        ) from error


def write_tables(folder: Path, tables: "Mapping[str, pd.DataFrame]") -> None:
    """Write tables as CSV files into a folder."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, table in tables.items():
            table.to_csv(folder / name, index=False, lineterminator="\n")
    except OSError as error:
        raise UserError(
            f"{folder} cannot be written: {error.strerror or error}.", "Give another folder with --out."
        ) from error


def save_by_model(folder: Path, results: "Sequence[Result]", *, force: bool = False) -> None:
    """One folder per model, named after the last part of its name and its fingerprint."""
    for result in results:
        result.save(folder / f"{Path(result.model).name}-{result.fingerprint[:8]}", force=force)
