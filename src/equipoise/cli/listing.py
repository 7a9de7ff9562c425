"""`list` and `cache`: what is known by name, and which answers are stored."""

from typing import Annotated, Any

import typer

from equipoise.cli.arguments import Json
from equipoise.cli.printing import print_json, print_rows, say
from equipoise.data.catalogue import catalogue, dataset_names
from equipoise.data.sources import DATA
from equipoise.errors import unknown_name
from equipoise.instruments import DEFAULT_AUDIT, INSTRUMENTS, every_instrument
from equipoise.mitigations import MITIGATIONS, mitigation_summary
from equipoise.models.engine.inventory import clear_store, stored_models
from equipoise.models.engine.store import cache_file
from equipoise.models.loading.names import BUILT_IN, DEFAULT_MODEL

KINDS = ("models", "instruments", "data", "mitigations")


def list_known(
    kind: Annotated[
        str | None, typer.Argument(help="models, instruments, data or mitigations; all if left out.")
    ] = None,
    as_json: Json = False,
) -> None:
    """List the available models, instruments, data sets and mitigations."""
    if kind is not None and kind not in KINDS:
        raise unknown_name("listing", kind, KINDS)
    tables = {name: _TABLES[name]() for name in KINDS if kind in (None, name)}
    if as_json:
        content = {
            name: [dict(zip(columns, row, strict=True)) for row in rows]
            for name, (columns, rows) in tables.items()
        }
        print_json(content)
        return
    for name, (columns, rows) in tables.items():
        # The same command in every row would take a third of the width.
        shown = 2 if name == "mitigations" else len(columns)
        print_rows(name, columns[:shown], [row[:shown] for row in rows])
        if name == "mitigations":
            say("Card, options and presets of one: equipoise mitigate NAME --explain")
    for index in (INSTRUMENTS, MITIGATIONS, DATA):
        for name, problem in index.problems.items():
            say(f"Left out of {index.kind}: {name}, because {problem}.")


def _models() -> tuple[tuple[str, ...], list[tuple[Any, ...]]]:

    rows = [
        (name, "default" if name == DEFAULT_MODEL else "built in", text) for name, text in BUILT_IN.items()
    ]
    rows.append(("FOLDER", "yours", "a folder written by save_pretrained, with safetensors weights"))
    rows.append(("HUB_NAME", "hub", "a model of the Hugging Face hub, fetched once by transformers"))
    rows.append(
        (
            "FILE.vec .txt .bin .npy",
            "yours",
            "word vectors (text, word2vec binary, npy with a vocabulary beside it): answers `embed` only",
        )
    )
    return ("name", "where", "what"), rows


def _instruments() -> tuple[tuple[str, ...], list[tuple[Any, ...]]]:

    rows = [
        (
            one.name,
            one.title,
            ", ".join(one.variants),
            ", ".join(one.datasets) or "a corpus of yours",
            "yes" if one.name in DEFAULT_AUDIT else "",
        )
        for one in every_instrument()
    ]
    return ("name", "what", "variants (first is default)", "data (first is default)", "audit"), rows


def _data() -> tuple[tuple[str, ...], list[tuple[Any, ...]]]:

    rows = []
    for name in dataset_names():
        files = [entry for entry in catalogue() if entry.dataset == name]
        where = "shipped" if files[0].is_ours else "download" if any(f.url for f in files) else "by path"
        rows.append((name, where, len(files), files[0].licence, files[0].citation, files[0].problems))
    rows += [(name, "package", 1, "", place, "") for name, place in DATA.items()]
    return ("name", "where", "files", "licence", "source", "known problems"), rows


def _mitigations() -> tuple[tuple[str, ...], list[tuple[Any, ...]]]:

    rows = [
        (name, mitigation_summary(name), f"equipoise mitigate {name} --explain")
        for name in MITIGATIONS.usable("mitigation")
    ]
    return ("name", "what", "its card, options and presets"), rows


_TABLES = {"models": _models, "instruments": _instruments, "data": _data, "mitigations": _mitigations}


def info(as_json: Json = False) -> None:
    """How many answers are stored, by model."""
    path = cache_file()
    models = stored_models(path)
    size = path.stat().st_size if path.exists() else 0
    if as_json:
        rows = [vars(model) for model in models]
        print_json({"file": str(path), "bytes": size, "models": rows})
        return
    rows_shown = [
        (one.name, one.fingerprint[:12], one.answers, f"{one.bytes / 1e6:.1f} MB") for one in models
    ]
    print_rows(f"{path} ({size / 1e6:.1f} MB)", ("model", "fingerprint", "answers", "size"), rows_shown)


def clear(as_json: Json = False) -> None:
    """Delete every stored answer."""
    freed = clear_store(cache_file())
    if as_json:
        print_json({"file": str(cache_file()), "freed_bytes": freed})
    else:
        typer.echo(f"Cleared {cache_file()}: {freed / 1e6:.1f} MB.")
