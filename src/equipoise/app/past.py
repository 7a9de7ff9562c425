"""Past results: the folders below the app's results folder, and the numbers in one of them."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from equipoise.errors import UserError
from equipoise.report.changes import say_changes
from equipoise.report.findings import say
from equipoise.report.measurements import measured_models, with_short_names
from equipoise.report.page import Collected, collect
from equipoise.results import Result
from equipoise.results.comparison import compare
from equipoise.results.records import to_records
from equipoise.results.saving import MANIFEST
from equipoise.studies.steps import STUDY, read_study

DEEPEST = 3
"""How far below the results folder results are looked for."""


def result_folders(root: Path) -> list[dict[str, Any]]:
    """Every folder that holds results or a study, the newest first; what a study measured is its own."""
    studies = {path.parent: path for path in _below(root, STUDY)}
    held: dict[Path, list[Path]] = {}
    for path in _below(root, MANIFEST):
        if not studies.keys() & set(path.parents):
            held.setdefault(path.parent.parent, []).append(path)
    shown = [
        {
            "folder": folder.relative_to(root).as_posix(),
            "study": "",
            "instruments": sorted(path.parent.name for path in paths),
            "changed": max(path.stat().st_mtime for path in paths),
        }
        for folder, paths in held.items()
    ]
    shown += [
        {
            "folder": folder.relative_to(root).as_posix(),
            "study": _study_name(folder),
            "instruments": [],
            "changed": path.stat().st_mtime,
        }
        for folder, path in studies.items()
    ]
    return sorted(shown, key=lambda row: -row["changed"])


def open_folder(root: Path, name: str) -> Collected:
    """The results or the study in a folder below the root, and in no other."""
    if "\0" in name:
        raise UserError(f"{name!r} is not the name of a folder.", "Choose one of the listed folders.")
    folder = (root / name).resolve()
    if not folder.is_relative_to(root.resolve()):
        raise UserError(f"{name!r} is not below the results folder.", "Choose one of the listed folders.")
    return collect([folder])


def _below(root: Path, name: str) -> list[Path]:
    patterns = ("/".join(["*"] * depth + [name]) for depth in range(1, DEEPEST + 1))
    return [
        path for pattern in patterns for path in root.glob(pattern) if not path.parent.name.startswith(".")
    ]


def _study_name(folder: Path) -> str:
    """The study's own name; one that is damaged is listed, and says what is wrong when it is opened."""
    try:
        return str(read_study(folder).get("name", ""))
    except UserError:
        return "damaged"


def findings_of(results: Sequence[Result]) -> list[dict[str, Any]]:
    """What the results of each model say, finding first."""
    labels = {one.name: one.label for one in measured_models(results)}
    return [
        {"headline": said.headline, "sentences": said.sentences}
        for said in (
            say([one for one in results if one.model == name], label) for name, label in labels.items()
        )
    ]


def compared(root: Path, folders: Sequence[str]) -> dict[str, Any]:
    """Two folders of results side by side: what changed, in words and in numbers."""
    held = [open_folder(root, folder).results for folder in folders]
    named = with_short_names(held)
    comparison = compare(*named)
    said = say_changes(comparison, [one for results in named for one in results])
    told = [{"headline": one.headline, "sentences": one.sentences} for one in said]
    return {"findings": told, "notes": comparison.notes, "differences": to_records(comparison.table)}


def told(results: Sequence[Result]) -> list[dict[str, Any]]:
    """The numbers to read first of each result, with its sentences."""
    names = {(one.instrument, each.key): each.plain_name for one in results for each in one.declared}
    return [
        {
            "instrument": result.instrument,
            "title": result.provenance.get("instrument", {}).get("title", result.instrument),
            "model": result.model,
            "headlines": [
                row | {"name": names.get((result.instrument, row["key"]), row["label"])}
                for row in to_records(result.headlines())
            ],
            "sentences": result.sentences,
            "notices": result.notices,
        }
        for result in results
    ]
