"""Past results: the folders below the app's results folder, and the numbers in one of them."""

from pathlib import Path
from typing import Any

from equipoise.errors import UserError
from equipoise.results import Result, load_results
from equipoise.results.records import to_records
from equipoise.results.saving import MANIFEST

DEEPEST = 3
"""How far below the results folder results are looked for."""


def result_folders(root: Path) -> list[dict[str, Any]]:
    """Every folder that holds results, the newest first."""
    manifests = [
        path for depth in range(1, DEEPEST + 1) for path in root.glob("/".join(["*"] * depth + [MANIFEST]))
    ]
    held: dict[Path, list[Path]] = {}
    for path in manifests:
        if not path.parent.name.startswith("."):
            held.setdefault(path.parent.parent, []).append(path)
    shown = [
        {
            "folder": folder.relative_to(root).as_posix(),
            "instruments": sorted(path.parent.name for path in paths),
            "changed": max(path.stat().st_mtime for path in paths),
        }
        for folder, paths in held.items()
    ]
    return sorted(shown, key=lambda row: -row["changed"])


def open_folder(root: Path, name: str) -> list[Result]:
    """The results in a folder below the root, and in no other."""
    folder = (root / name).resolve()
    if not folder.is_relative_to(root.resolve()):
        raise UserError(f"{name!r} is not below the results folder.", "Choose one of the listed folders.")
    return load_results(folder)


def told(results: list[Result]) -> list[dict[str, Any]]:
    """The numbers to read first of each result, with its sentences."""
    return [
        {
            "instrument": result.instrument,
            "title": result.provenance.get("instrument", {}).get("title", result.instrument),
            "model": result.model,
            "headlines": to_records(result.headlines()),
            "sentences": result.sentences,
            "notices": result.notices,
        }
        for result in results
    ]
