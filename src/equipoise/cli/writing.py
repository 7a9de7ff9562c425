"""Writing: a text, what a study says, and the results of each model in a folder of its own."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from equipoise.errors import UserError, explained_writing

if TYPE_CHECKING:
    import pandas as pd

    from equipoise.results import Result
    from equipoise.studies.steps import Plan


def write_text(path: Path, text: str, option: str = "--out") -> None:
    """Write a text beside its place and rename it; `option` is what named the place."""
    from equipoise.files import write_beside

    with explained_writing(path, f"Give another path with {option}."):
        path.parent.mkdir(parents=True, exist_ok=True)
        write_beside(path, text)


def refuse_taken(folder: Path | None, *, force: bool) -> None:
    """Refuse a folder that holds something before any work is done for it."""
    if folder is None or force or not folder.exists():
        return
    if not folder.is_dir() or any(folder.iterdir()):
        raise UserError(
            f"{folder} exists and is not empty.",
            "Give another folder with --out, or --force to write into it.",
        )


def refuse_unwritable(folder: Path, option: str = "--out") -> None:
    """Refuse a place where no folder can be made before any work is done for it."""
    nearest = next(one for one in (folder, *folder.absolute().parents) if one.exists())
    if not nearest.is_dir():
        raise UserError(
            f"{nearest} is a file where a folder is expected.", f"Give another folder with {option}."
        )
    if (folder / "config.json").exists():
        raise UserError(
            f"{folder} holds a model.", f"Give a folder for results with {option}, beside the model's."
        )
    if not os.access(nearest, os.W_OK):
        raise UserError(f"Nothing can be written to {nearest}.", f"Give another folder with {option}.")


def write_study(
    folder: Path, plan: "Plan", sentences: "Sequence[str]", tables: "Mapping[str, pd.DataFrame]"
) -> None:
    """Write what a study of one step says, so that a page can show it."""
    from equipoise.studies.steps import Keeping

    Keeping(folder, force=True).begin(plan).finish(sentences, tables)


def draw_study(folder: Path) -> list[Path]:
    """Write the charts and the paper's tables of the study in a folder, as its page has them."""
    from equipoise.report.files import save_figures, save_tables
    from equipoise.report.sections import load_study, section_of, study_tables

    study = load_study(folder)
    written = save_tables(study_tables(study), folder, force=True)
    return [*save_figures(section_of(study).figures, folder, force=True), *written]


def write_latex(path: Path, table: "pd.DataFrame") -> None:
    """Write a table as LaTeX (booktabs)."""
    from equipoise.report.elements import Table
    from equipoise.report.files import as_latex

    columns = list(map(str, table.columns))
    rows = table.fillna("").to_numpy(dtype=object).tolist()
    write_text(path, as_latex(Table(path.stem, path.stem, columns, rows)))


def save_by_model(folder: Path, results: "Sequence[Result]", *, force: bool = False) -> None:
    """One folder per model, named after the last part of its name and its fingerprint."""
    for result in results:
        result.save(folder / f"{Path(result.model).name}-{result.fingerprint[:8]}", force=force)


def save_study_figures(folder: Path) -> list[Path]:
    """Write the charts that the page shows of a study into its folder, as SVG and PNG."""
    from equipoise.report.files import save_figures
    from equipoise.report.sections import load_study, section_of

    return save_figures(section_of(load_study(folder)).figures, folder, force=True)
