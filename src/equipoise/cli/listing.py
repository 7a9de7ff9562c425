"""`list` and `cache`: what is available, and which answers are stored."""

from importlib import import_module
from typing import Annotated, Any

import typer

from equipoise.cli.arguments import Json
from equipoise.cli.commands import STUDIES
from equipoise.cli.printing import print_json, print_rows, say
from equipoise.data.poles import DEFAULT_POLES, load_poles, shipped_poles
from equipoise.data.sources import DATA, catalogue, dataset_names
from equipoise.errors import unknown_name
from equipoise.instruments import DEFAULT_AUDIT, INSTRUMENTS, every_instrument
from equipoise.mitigations import MITIGATIONS, mitigation_summary
from equipoise.models.engine.store import cache_file, clear_store, stored_models
from equipoise.models.loading import BUILT_IN, DEFAULT_MODEL, LOADERS
from equipoise.plugins import Index, card_of
from equipoise.report.exports import EXPORTS

Listing = tuple[tuple[str, ...], list[tuple[Any, ...]]]
"""The columns and rows of one table."""


def list_known(
    kind: Annotated[
        str | None,
        typer.Argument(
            help="models, instruments, data, mitigations, poles, formats or studies; all if left out."
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """List the models, instruments, data sets, mitigations and so on."""
    if kind is not None and kind not in _TABLES:
        raise unknown_name("listing", kind, _TABLES)
    tables = {name: _TABLES[name]() for name in _TABLES if kind in (None, name)}
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
            say("To see a card with options and presets: equipoise mitigate NAME --explain")
    say_left_out(INSTRUMENTS, MITIGATIONS, EXPORTS, LOADERS, DATA)


def say_left_out(*indexes: Index) -> None:
    """Name what installed packages offer and cannot be used, with the reason."""
    for index in indexes:
        index.usable()
        for name, problem in index.problems.items():
            say(f"Left out of {index.kind}: {name}, because {problem}.")


def _models() -> Listing:
    rows = [
        (name, "default" if name == DEFAULT_MODEL else "built in", text) for name, text in BUILT_IN.items()
    ]
    rows.append(("FOLDER", "yours", "a folder written by save_pretrained, with safetensors weights"))
    rows.append(("HUB_NAME", "hub", "a model of the Hugging Face hub, downloaded once"))
    rows.append(
        (
            "FILE.vec .txt .bin .npy",
            "yours",
            "word vectors (text, word2vec binary, or npy with its vocabulary): vector tests only",
        )
    )
    return ("name", "where", "what"), rows


def _instruments() -> Listing:
    rows = [
        (
            one.name,
            _question(one),
            ", ".join(one.variants),
            ", ".join(one.datasets) or "a corpus of yours",
            "yes" if one.name in DEFAULT_AUDIT else "",
        )
        for one in every_instrument()
    ]
    return ("name", "what", "variants (first is default)", "data (first is default)", "audit"), rows


def _question(instrument: Any) -> str:
    """The question on the card of an instrument; its title where the card asks none."""
    said = card_of(type(instrument)).partition("\n")[0].partition(": ")[2]
    return said[:1].upper() + said[1:] if said.endswith("?") else instrument.title


def _data() -> Listing:
    rows = []
    for name in dataset_names():
        files = [entry for entry in catalogue() if entry.dataset == name]
        where = "shipped" if files[0].is_ours else "download" if any(f.url for f in files) else "by path"
        rows.append((name, where, len(files), files[0].licence, files[0].citation, files[0].problems))
    rows += [(name, "package", 1, "", place, "") for name, place in DATA.items() if name in DATA.usable()]
    return ("name", "where", "files", "licence", "source", "known problems"), rows


def _mitigations() -> Listing:
    rows = [
        (name, mitigation_summary(name), f"equipoise mitigate {name} --explain")
        for name in MITIGATIONS.usable()
    ]
    return ("name", "what", "its card, options and presets"), rows


def _poles() -> Listing:
    rows = []
    for shipped in shipped_poles():
        poles = load_poles(shipped)
        words = "; ".join(
            f"{name}: {', '.join(poles.words[name, poles.forms[0]][:3])}" for name in poles.pair
        )
        rows.append((poles.name, "default" if poles.name == DEFAULT_POLES else "", words))
    return ("name", "", "words, as a subject"), rows


def _formats() -> Listing:
    return ("name", "what"), [(name, _first_sentence(EXPORTS[name])) for name in EXPORTS.usable()]


def _first_sentence(place: str) -> str:
    """What the module of an output format says of itself."""
    said = (import_module(place.split(":")[0]).__doc__ or "").partition("\n")[0]
    name, _, rest = said.partition(": ")
    return rest if rest and len(name.split()) < 3 else said


def _studies() -> Listing:
    studies = [(name, said) for commands in STUDIES.values() for name, (_, said) in commands.items()]
    return ("name", "what"), studies


_TABLES = {
    **{"models": _models, "instruments": _instruments, "data": _data, "mitigations": _mitigations},
    **{"poles": _poles, "formats": _formats, "studies": _studies},
}


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
