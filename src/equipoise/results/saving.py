"""Saving: a result is written beside its place and renamed, with a manifest that knows every file."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePath
from typing import Any, NamedTuple

import pandas as pd

from equipoise.data.csv_text import disarmed
from equipoise.errors import UserError
from equipoise.files import clear_leftovers, replacing_folder, sha256
from equipoise.results.checking import MANIFEST as MANIFEST_SHAPE
from equipoise.results.checking import (
    WrongShapeError,
    check_estimates,
    check_items,
    check_provenance,
    check_shape,
)
from equipoise.results.estimate import COLUMNS
from equipoise.results.records import column_kinds, fixed, read_typed_csv, to_records, with_numbers

SCHEMA = 2
"""The version of what is written; a result of another version is refused by name."""

ITEMS, ESTIMATES, PROVENANCE, MANIFEST = "items.csv", "estimates.json", "provenance.json", "manifest.json"
FILES = (ITEMS, ESTIMATES, PROVENANCE)

Provenance = Mapping[str, Any]


class Stored(NamedTuple):
    """What a folder keeps of a result; a `Result` has the same parts in the same order."""

    instrument: str
    items: pd.DataFrame
    estimates: pd.DataFrame
    provenance: dict[str, Any]


def write_result(stored: Stored, folder: Path, *, force: bool = False) -> Path:
    """Write `FOLDER/<instrument>/`; results of another model or of other data stay unless forced."""
    target = folder / stored.instrument
    clear_leftovers(target)
    model = stored.provenance.get("model", {})
    model = {"model": str(model.get("name", "")), "fingerprint": str(model.get("fingerprint", ""))}
    if not force:
        refuse_another_model(folder, **model)
        refuse_other_measurement(folder, stored.instrument, stored.provenance)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with replacing_folder(target) as room:
            _write(stored, model, room)
    except OSError as error:
        raise UserError(
            f"The result cannot be written to {target}: {error.strerror or error}.",
            "Free disk space, or give a folder that you may write to with --out.",
        ) from error
    return target


def read_result(source: Path) -> Stored:
    """Read what `write_result` wrote: its own folder, or a folder that holds just one."""
    if not (source / MANIFEST).exists() and source.is_dir():
        held = _result_folders(source)
        if len(held) > 1:
            names = ", ".join(path.name for path in held)
            raise UserError(f"{source} holds several results: {names}.", "Give one of these subfolders.")
        source = held[0] if held else source
    manifest = _read_manifest(source)
    for name in FILES:
        _check_file(source / name, manifest["files"])
    try:
        provenance = json.loads((source / PROVENANCE).read_text(encoding="utf-8"))
        check_provenance(provenance)
        estimates = json.loads((source / ESTIMATES).read_text(encoding="utf-8"))
        check_estimates(estimates)
        items = read_typed_csv(source / ITEMS, provenance["columns"])
        check_items(items, provenance)
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        said = str(error) if isinstance(error, WrongShapeError) else repr(error)
        raise UserError(
            f"{source} holds a result that cannot be read: {said}.", "Measure it again."
        ) from error
    rows = with_numbers(estimates, ("value", "low", "high", "neutral"))
    return Stored(provenance["instrument"]["name"], items, _as_table(rows), provenance)


def folders_of_results(source: Path) -> list[Path]:
    """The folder itself if it is a result, or its direct subfolders that are results."""
    if not source.is_dir():
        raise UserError(
            f"There is no folder {str(source)!r}.", "Give a folder that `equipoise measure` wrote."
        )
    folders = [source] if (source / MANIFEST).exists() else _result_folders(source)
    for cut_short in (source, *_incomplete_folders(source)):
        if cut_short not in folders and (cut_short / PROVENANCE).exists():
            _read_manifest(cut_short)
    if not folders:
        raise UserError(
            f"{source} holds no result, nor does any of its direct subfolders.",
            "Give a folder that `equipoise measure` wrote.",
        )
    return folders


def _result_folders(folder: Path) -> list[Path]:
    """The results right below a folder; a hidden one is what an interrupted process left behind."""
    held = (path.parent for path in folder.glob(f"*/{MANIFEST}"))
    return sorted(path for path in held if not path.name.startswith(".") and _is_ours(path))


def _is_ours(folder: Path) -> bool:
    """Whether a manifest stands beside a file of a result; other programs write manifests too."""
    return any((folder / name).exists() for name in FILES)


def _incomplete_folders(folder: Path) -> list[Path]:
    """What looks like a result and lacks its manifest: a page would seem whole without it."""
    held = (path.parent for path in sorted(folder.glob(f"*/{ITEMS}")))
    return [path for path in held if not path.name.startswith(".") and not (path / MANIFEST).exists()]


def _as_table(rows: list[dict[str, Any]]) -> pd.DataFrame:
    table = pd.DataFrame(rows, columns=list(COLUMNS)).fillna({"void": ""})
    numbers = {"value": float, "low": float, "high": float, "neutral": float, "headline": bool}
    return table.astype(numbers)


def _write(stored: Stored, model: Mapping[str, str], room: Path) -> None:
    texts = stored.items.select_dtypes(exclude="number").columns
    items = stored.items.assign(**{str(name): stored.items[name].map(disarmed) for name in texts})
    items.to_csv(room / ITEMS, index=False, lineterminator="\n")
    _write_json(room / ESTIMATES, to_records(stored.estimates))
    _write_json(room / PROVENANCE, stored.provenance | {"columns": column_kinds(stored.items)})
    rows = {ITEMS: len(stored.items), ESTIMATES: len(stored.estimates), PROVENANCE: 1}
    files = {name: {"rows": count, "sha256": sha256(room / name)} for name, count in rows.items()}
    _write_json(room / MANIFEST, {"schema": SCHEMA, "instrument": stored.instrument, **model, "files": files})


def refuse_another_model(folder: Path, model: str, fingerprint: str) -> None:
    """Refuse a folder that holds results of other weights."""
    for path in _result_folders(folder) if folder.is_dir() else ():
        manifest = _read_manifest(path)
        if manifest["fingerprint"] != fingerprint:
            raise UserError(
                f"{folder} holds results of another model, {manifest['model']!r}, and "
                f"{model!r} was measured now.",
                "Give another folder with --out, or --force to write there anyway.",
            )


def refuse_other_measurement(folder: Path, instrument: str, provenance: Provenance) -> None:
    """Refuse to replace a result of the same instrument on other data, by another variant or poles."""
    target = folder / instrument
    if not target.exists():
        return
    advice = "Give another folder with --out, or --force to replace it."
    if not (target / MANIFEST).exists():
        raise UserError(f"{target} exists and is not a result of this version.", advice)
    try:
        before = json.loads((target / PROVENANCE).read_text(encoding="utf-8"))
        apart = _differences(before, provenance)
    except (OSError, ValueError, TypeError, AttributeError, RecursionError) as error:
        raise UserError(f"{target} holds a damaged result: {PROVENANCE} cannot be read.", advice) from error
    if apart:
        raise UserError(f"{target} holds another measurement: {'; '.join(apart)}.", advice)


def _read_manifest(folder: Path) -> dict[str, Any]:
    path = folder / MANIFEST
    if not path.exists():
        if (folder / PROVENANCE).exists():
            said = f"{folder} is an incomplete result: {MANIFEST} is missing."
            raise UserError(said, "Copy the whole folder, or measure it again.")
        said = f"{folder} is not a result folder: no {MANIFEST}."
        raise UserError(said, "Give a folder that `equipoise measure` wrote.")
    try:
        manifest: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        schema = manifest["schema"]
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise UserError(f"{path} is damaged: {error!r}.", "Measure it again.") from error
    if schema != SCHEMA:
        raise UserError(
            f"{folder} has the schema version {schema!r}; this version of equipoise reads {SCHEMA}.",
            "Measure it again, or use the version that wrote it.",
        )
    lacking = [name for name in ("instrument", "model", "fingerprint", "files") if name not in manifest]
    if lacking:
        raise UserError(f"{path} is damaged: it lacks {', '.join(lacking)}.", "Measure it again.")
    try:
        check_shape(manifest, MANIFEST_SHAPE, "manifest")
    except WrongShapeError as error:
        raise UserError(f"{path} is damaged: {error}.", "Measure it again.") from error
    return manifest


def _check_file(path: Path, files: dict[str, Any]) -> None:
    if not path.exists():
        raise UserError(f"{path} is missing.", "Copy the whole result folder, or measure it again.")
    if path.name not in files or sha256(path) != files[path.name].get("sha256"):
        raise UserError(
            f"{path} is not the file that was saved: it was cut short or changed.",
            "Copy the result folder again, or measure it again.",
        )


def _write_json(path: Path, content: Any) -> None:
    text = json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False)
    path.write_text(text + "\n", encoding="utf-8")


def _differences(before: Provenance, after: Provenance) -> list[str]:
    """What was measured otherwise: variant, data, poles, precision, seed, and choices such as a layer."""
    seeds = [one.get("seed", 0) for one in (before, after)]
    seed = [] if seeds[0] == seeds[1] else [f"seed {seeds[0]} there, {seeds[1]} now"]
    return [
        *_named(before, after),
        *_files(before, after),
        *_choices(before, after),
        *seed,
        *_sample(before, after),
    ]


def _sample(before: Provenance, after: Provenance) -> Iterator[str]:
    """A sample may grow; it does not take the place of more than it holds."""
    shares = [float(one.get("sample", {}).get("share", 1.0)) for one in (before, after)]
    if shares[1] < shares[0]:
        was = "the whole run" if shares[0] == 1 else f"a sample of {fixed(100 * shares[0], 0)} %"
        yield f"{was} there, a sample of {fixed(100 * shares[1], 0)} % now"


def _named(before: Provenance, after: Provenance) -> Iterator[str]:
    for what, room, name, default in (
        ("variant", "instrument", "variant", ""),
        ("version of the instrument", "instrument", "version", 1),
        ("data", "data", "name", ""),
        ("poles", "data", "poles", ""),
        ("precision", "model", "precision", ""),
    ):
        was, now = (PurePath(str(one.get(room, {}).get(name, default))).name for one in (before, after))
        if was != now:
            yield f"{what} {was!r} there, {now!r} now"


def _files(before: Provenance, after: Provenance) -> Iterator[str]:
    """Files of the same name with other content; other names were told by the data's own name."""
    was, now = (dict(one.get("data", {}).get("files", {})) for one in (before, after))
    changed = [name for name in now if name in was and was[name] != now[name]]
    if changed:
        yield f"{', '.join(changed)} with other content"


def _choices(before: Provenance, after: Provenance) -> Iterator[str]:
    was, now = (dict(one.get("choices", {})) for one in (before, after))
    for name in sorted({*was, *now}):
        if was.get(name) != now.get(name):
            yield f"{name} {was.get(name, 'by default')} there, {now.get(name, 'by default')} now"
