"""`mitigate`: change a model and save it with a card that says what was done."""

import os
import shutil
import sys
from dataclasses import asdict, replace
from pathlib import Path
from textwrap import wrap
from typing import Annotated, Any

import typer

from equipoise.cli.arguments import (
    CORPUS,
    OUTPUT,
    DataDir,
    Force,
    Json,
    Model,
    Pairs,
    Reading,
    Seed,
    Text,
    open_model,
    option,
    seed_numbers,
    takes_groups,
)
from equipoise.cli.printing import print_json
from equipoise.corpora.opening import CorpusTexts, read_corpus
from equipoise.errors import UserError
from equipoise.mitigating import Mitigated, was_made
from equipoise.mitigating import mitigate as change
from equipoise.mitigations import mitigation_card, mitigation_class
from equipoise.mitigations.base import Materials, options_help, set_options
from equipoise.mitigations.saving import RECORD, read_record, refuse_folder
from equipoise.models.options import RunOptions
from equipoise.models.protocol import LanguageModel

PRESETS = {
    "self-distillation": "gentle, standard, strong",
    "counterfactual": "bartl2020-paper, bartl2020-code, deng2022, gbef, mt-gender",
    "dropout": "deng2022",
    "reminders": "gbef-x1, gbef-x2, gbef-x3",
    "pronoun-resolution": "bert-u, bert-a",
}
"""The presets of the mitigations that have some: named here because help imports no mitigation."""

RECIPES = "; ".join(f"{names} (of {method})" for method, names in PRESETS.items())


@takes_groups
def mitigate(
    method: Annotated[str, typer.Argument(help="A mitigation: `equipoise list mitigations` names them.")],
    *,
    options: RunOptions,
    reading: Reading,
    out: Annotated[
        Path | None, option(OUTPUT, "--out", "-o", help="Folder to write the changed model to.")
    ] = None,
    model: Model = None,
    corpus: Annotated[
        str | None,
        option(
            CORPUS,
            "--corpus",
            help="A txt, csv, tsv, jsonl or parquet file, a folder, or gap, gap-train or mt-gender.",
        ),
    ] = None,
    text: Text = None,
    choices: Annotated[
        list[str] | None,
        typer.Option("--set", help="An option of the method, as in epochs=3. Repeatable."),
    ] = None,
    preset: Annotated[
        str | None,
        typer.Option("--preset", "--strength", help=f"A published recipe, or how strong: {RECIPES}."),
    ] = None,
    pairs: Pairs = None,
    data_dir: DataDir = None,
    seed: Seed = 0,
    seeds: Annotated[
        str | None, typer.Option("--seeds", help="Several seeds, as in 0,1,2: one folder each in --out.")
    ] = None,
    explain: Annotated[
        bool, typer.Option("--explain", help="Only show the method's card, options and presets.")
    ] = False,
    check: Annotated[
        bool, typer.Option("--check", help="Only say whether this model and corpus will do.")
    ] = False,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Change a copy of a model and save it. A stopped training resumes when you run the command again.

    Example: equipoise mitigate self-distillation --model path/to/bert --corpus texts.csv --out models/changed
    """
    choices = [*(choices or ()), *([f"pairs={pairs}"] if pairs else [])]
    chosen = set_options(mitigation_class(method), choices, preset)
    if explain:
        _explain(chosen)
        return
    if out is None and not check:
        raise UserError("No folder was named for the changed model.", "Name one with --out DIR.")
    targets = _targets(out, seed, seeds) if out is not None else {}
    for folder in targets.values():
        if seeds is None or force or not (folder / RECORD).is_file():
            refuse_folder(folder, force=force)
    read = None
    if corpus is not None:
        read = read_corpus(corpus, replace(reading, text=text), data_dir)
    loaded = open_model(model, options)
    if check:
        _check(chosen, loaded, read, seed)
        return
    given = {"model": loaded, "mitigation": chosen, "corpus": read}
    finished = [] if force else _finished(targets, given)
    records = [
        read_record(folder) if folder in finished else _one(folder, force, as_json, **given, seed=number)
        for number, folder in targets.items()
    ]
    if as_json and is_first_process():
        shown = [_shown_record(*pair) for pair in zip(targets.values(), records, strict=True)]
        print_json(shown if seeds is not None else shown[0])


def _check(mitigation: Any, model: LanguageModel, read: CorpusTexts | None, seed: int) -> None:
    """Everything that a change would refuse, asked before any work is done."""
    documents = read.documents if read else ()
    mitigation.check(model, Materials(documents, seed, model.options))
    beside = f" with {len(documents):,} documents" if documents else ""
    sys.stdout.write(f"{mitigation.name} can change {model.name}{beside}. Nothing was changed.\n")


def _explain(mitigation: Any) -> None:
    """The card, the options as they would be used, and the presets."""
    options = {
        f"{name.replace('_', '-')}={_shown(value)}": name for name, value in asdict(mitigation).items()
    }
    lines = [
        mitigation_card(mitigation.name),
        "",
        "Options (--set NAME=VALUE):" if options else "No options.",
    ]
    told, width = options_help(type(mitigation)), max(map(len, options), default=0)
    hanging = " " * (width + 4)
    for shown, name in options.items():
        lines += wrap(
            f"  {shown:{width}}  {told[name]}", 100, subsequent_indent=hanging, break_on_hyphens=False
        )
    for name, values in mitigation.presets.items():
        pairs = ", ".join(f"{key.replace('_', '-')}={_shown(value)}" for key, value in values.items())
        lines.append(f"Preset {name}: {pairs}")
    sys.stdout.write("\n".join(lines) + "\n")


def _shown(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else f"{value}"


def is_first_process() -> bool:
    """Of several processes under `accelerate launch` one writes and tells."""
    return int(os.environ.get("RANK", "0")) == 0


def _finished(targets: dict[int, Path], given: dict[str, Any]) -> list[Path]:
    """Folders of seeds that this command finished before it was stopped; one of another change is refused."""
    there = {number: folder for number, folder in targets.items() if folder.exists()}
    for number, folder in there.items():
        if not was_made(folder, **given, seed=number):
            refuse_folder(folder, force=False)
        sys.stderr.write(f"{folder}: finished before.\n")
    return list(there.values())


def _one(folder: Path, force: bool, as_json: bool, **given: Any) -> dict[str, Any]:
    """Change and save a model; return what was done. Checkpoints lie beside the folder until it exists."""
    workshop = folder.parent / f".{folder.name}.workshop"
    changed = change(**given, workshop=workshop)
    if is_first_process():
        try:
            changed.save(folder, force=force)
        finally:
            if folder.exists():  # also if another process finished the same change first
                shutil.rmtree(workshop, ignore_errors=True)
        if not as_json:
            _report(changed, folder)
    return changed.record


def _shown_record(folder: Path, record: dict[str, Any]) -> dict[str, Any]:
    return {
        "out": str(folder),
        **{key: record[key] for key in ("mitigation", "seed", "account", "fingerprint")},
    }


def _report(changed: "Mitigated", folder: Path) -> None:
    for sentence in changed.account:
        sys.stdout.write(f"{sentence}\n")
    sys.stdout.write(
        f"Saved to {folder}. What it gained and cost: equipoise study before-after, or measure and compare.\n"
    )


def _targets(out: Path, seed: int, seeds: str | None) -> dict[int, Path]:
    if seeds is None:
        return {seed: out}
    return {number: out / f"seed-{number}" for number in seed_numbers(seeds)}
