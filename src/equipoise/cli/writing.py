"""Writing: a text, what a study says, and the results of each model in a folder of its own."""

import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import pandas as pd

from equipoise.cli.printing import print_json, print_study_tables, print_table, say
from equipoise.errors import UserError, explained_writing
from equipoise.files import write_beside
from equipoise.report.files import Table, as_latex, save_figures, save_tables
from equipoise.report.sections import load_study, section_of, study_tables
from equipoise.results import Result
from equipoise.results.records import to_records
from equipoise.studies.steps import Keeping, Plan

MAYBE = ("seed_sd", "beyond_tuning", "share_women", "mean_abs_log_odds")
ARMS = ("arm", "mean", "low", "high", "change", *MAYBE)
"""What is shown of every arm; the last of them only where any is known."""


def write_text(path: Path, text: str, option: str = "--out") -> None:
    """Write a text beside its place and rename it; `option` is what named the place."""
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
    Keeping(folder, force=True).begin(plan).finish(sentences, tables)


def draw_study(folder: Path) -> list[Path]:
    """Write the charts and the paper's tables of the study in a folder, as its page has them."""
    written = save_tables(study_tables(load_study(folder)), folder, force=True)
    return [*save_study_figures(folder), *written]


def write_latex(path: Path, table: "pd.DataFrame") -> None:
    """Write a table as LaTeX (booktabs)."""
    columns = list(map(str, table.columns))
    rows = table.fillna("").to_numpy(dtype=object).tolist()
    write_text(path, as_latex(Table(path.stem, path.stem, columns, rows)))


def save_by_model(folder: Path, results: "Sequence[Result]", *, force: bool = False) -> None:
    """One folder per model, named after the last part of its name and its fingerprint."""
    for result in results:
        result.save(folder / f"{Path(result.model).name}-{result.fingerprint[:8]}", force=force)


def save_study_figures(folder: Path) -> list[Path]:
    """Write the charts that the page shows of a study into its folder, as SVG and PNG."""
    return save_figures(section_of(load_study(folder)).figures, folder, force=True)


def keeping_of(out: Path, force: bool) -> "Keeping":
    """A folder for the study, which tells its steps on stderr."""
    return Keeping(out, lambda sentence: print(sentence, file=sys.stderr, flush=True), force)  # noqa: T201


def show_arms(table: "pd.DataFrame") -> None:
    """A table for each number, over every item or by type of sentences: the others are in the files."""
    shown = table[table["by"].isin(("", "type"))]
    keys = ["instrument", "key", "label", "unit", "by", "level"]
    for (_, _, label, unit, by, level), rows in shown.groupby(keys, sort=False):
        where = f", {by} {level}" if by else ""
        seeds = f", {rows['seeds'].max()} seeds" if rows["seeds"].max() > 1 else ""
        columns = [name for name in ARMS if name in rows and not (name in MAYBE and rows[name].isna().all())]
        print_table(f"{label}{where} ({unit}{seeds})", rows[columns])


def _by_category(table: "pd.DataFrame") -> "pd.DataFrame":
    """Professions by category, which fit on a screen; each by itself is in the files."""
    sizes = table.assign(before=table["before"].abs(), after=table["after"].abs())
    rows = sizes.groupby("category", sort=False)
    means = rows[["before", "after"]].mean().assign(professions=rows.size())
    if "seen" in table:
        means["in_the_text"] = rows["seen"].sum()
    return means.reset_index()


def finish_study(out: Path | None, table: "pd.DataFrame", sentences: Sequence[str], *, as_json: bool) -> None:
    """Draw the study in its folder as its page does, and show its tables and sentences."""
    files = [] if out is None else draw_study(out)
    if as_json:
        drawn = {"figures": [str(path) for path in files]}
        print_json({"table": to_records(table), "sentences": list(sentences), **drawn})
        return
    if out is not None:
        print_study_tables(load_study(out))
    if "arm" in table:
        show_arms(table)
    else:
        print_table("Mean |APPD| by category", _by_category(table))
    for sentence in sentences:
        say(sentence)
    if out is not None:
        say(f"Tables and figures are in {out}.")
