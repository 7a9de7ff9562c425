"""What a report is made of (figures, tables and sections), and the files that they are written to."""

import csv
import io
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from equipoise.data.csv_text import spreadsheet_safe
from equipoise.errors import UserError, explained_writing
from equipoise.files import write_beside
from equipoise.report.exports.latex import escaped
from equipoise.results.estimate import heading
from equipoise.results.records import fixed

Spec = Mapping[str, Any]
"""A Vega-Lite chart as JSON values."""


@dataclass(frozen=True)
class Figure:
    """A chart with its title and what it shows in words, for those who cannot see it."""

    name: str
    title: str
    alt: str
    spec: Spec


@dataclass(frozen=True)
class Table:
    """Rows under named columns; cells are text, numbers or None for a number that does not exist."""

    name: str
    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Any]]

    @property
    def headings(self) -> list[str]:
        """The columns as people read them."""
        return [heading(column) for column in self.columns]


@dataclass(frozen=True)
class Section:
    """A part of the page: what it says in words, its figures and its tables."""

    name: str
    title: str
    sentences: Sequence[str] = ()
    notes: Sequence[str] = ()
    figures: Sequence[Figure] = ()
    tables: Sequence[Table] = ()
    details: Sequence[Table] = ()
    """Longer tables, closed until somebody opens them."""
    card: Sequence[tuple[str, str]] = field(default_factory=tuple)
    """What a reader must know of the method: heading and text."""

    @property
    def short(self) -> str:
        """The title up to its colon, for a list of the parts of a page."""
        return self.title.partition(":")[0]


PAGE = "report.html"
"""The page beside the results of an audit."""

GENERATOR = '<meta name="generator" content="equipoise'
"""What every page begins with, so that one of ours can be told from a user's own file."""

_LOOKED_AT = 2000

SCALE = 2.0
TITLE = 80
"""Letters of a title that fit on one line of a picture."""

LOOK: dict[str, Any] = {
    "background": "white",
    "font": "sans-serif",
    "view": {"stroke": None},
    "axis": {"gridOpacity": 0.5, "labelLimit": 260, "titleFontWeight": "normal"},
    "legend": {"labelLimit": 400},
}


def refuse_foreign(path: Path, *, force: bool, ours: bool) -> None:
    """Refuse a path that is taken; `ours` lets a page that this program wrote be replaced."""
    if force or not path.exists():
        return
    if path.is_dir():
        raise UserError(f"{path} is a folder.", "Give a file with --out, such as report.html.")
    if ours and _is_page(path):
        return
    raise UserError(f"{path} exists.", "Give another path with --out, or --force to overwrite it.")


def _is_page(path: Path) -> bool:
    try:
        with path.open(encoding="utf-8", errors="replace") as file:
            return GENERATOR in file.read(_LOOKED_AT)
    except OSError:
        return False


def figure_files(figures: Sequence[Figure], folder: Path) -> list[Path]:
    """The files that charts are written to."""
    return [folder / f"{figure.name}.{suffix}" for figure in figures for suffix in ("svg", "png")]


def table_files(tables: Sequence[Table], folder: Path) -> list[Path]:
    """The files that tables are written to."""
    return [folder / f"{table.name}.{suffix}" for table in tables for suffix in ("csv", "tex")]


def refuse_existing(targets: Sequence[Path], option: str, *, force: bool) -> None:
    """Refuse files that are there before any is written; `option` is what named their folder."""
    taken = [path for path in targets if path.exists()]
    if taken and not force:
        more = f" and {len(taken) - 1} more" if len(taken) > 1 else ""
        raise UserError(
            f"{taken[0]}{more} would be overwritten.",
            f"Give another folder with {option}, or --force to overwrite it.",
        )


def save_figures(figures: Sequence[Figure], folder: Path, *, force: bool = False) -> list[Path]:
    """Every chart as PNG and SVG; give the paths."""
    import vl_convert

    targets = figure_files(figures, folder)
    refuse_existing(targets, "--figures", force=force)
    with explained_writing(folder, "Give another folder."):
        folder.mkdir(parents=True, exist_ok=True)
        for figure in figures:
            spec = with_title(figure)
            svg = vl_convert.vegalite_to_svg(spec)
            write_beside(folder / f"{figure.name}.svg", svg)
            # The same bytes as `vegalite_to_png`, which would lay the chart out once more: half the time.
            write_beside(folder / f"{figure.name}.png", vl_convert.svg_to_png(svg, scale=SCALE))
    return targets


def with_title(figure: Figure) -> dict[str, Any]:
    """The chart as a picture by itself: its title in lines that fit its width, and a look of its own."""
    lines = textwrap.wrap(figure.title, TITLE) or [""]
    return {
        **figure.spec,
        "title": {"text": lines, "anchor": "start"},
        "config": LOOK | figure.spec.get("config", {}),
    }


def save_tables(tables: Sequence[Table], folder: Path, *, force: bool = False) -> list[Path]:
    """Every table as CSV and LaTeX; give the paths."""
    targets = table_files(tables, folder)
    refuse_existing(targets, "--tables", force=force)
    with explained_writing(folder, "Give another folder."):
        folder.mkdir(parents=True, exist_ok=True)
        for table in tables:
            write_beside(folder / f"{table.name}.csv", as_csv(table))
            write_beside(folder / f"{table.name}.tex", as_latex(table))
    return targets


def as_csv(table: Table) -> str:
    """Numbers in full; one that does not exist is empty, and no text is run by a spreadsheet."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(table.columns)
    writer.writerows(
        [["" if _is_missing(cell) else spreadsheet_safe(cell) for cell in row] for row in table.rows]
    )
    return text.getvalue()


def as_latex(table: Table) -> str:
    """A tabular that needs the package booktabs; numbers stand to the right."""
    columns = range(len(table.columns))
    sides = [
        "r" if table.rows and all(_is_number(row[place]) for row in table.rows) else "l" for place in columns
    ]
    lines = [f"\\begin{{tabular}}{{{''.join(sides)}}}", r"\toprule", _latex_row(table.headings), r"\midrule"]
    lines += [_latex_row(row) for row in table.rows]
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}", ""])


def _latex_row(cells: Sequence[Any]) -> str:
    shown = (
        "-" if _is_missing(cell) else fixed(cell, 3) if isinstance(cell, float) else str(cell)
        for cell in cells
    )
    return " & ".join(map(escaped, shown)) + r" \\"


def _is_missing(cell: Any) -> bool:
    return cell is None or (isinstance(cell, float) and cell != cell)


def _is_number(cell: Any) -> bool:
    return _is_missing(cell) or (isinstance(cell, int | float) and not isinstance(cell, bool))
