"""`mitigate`: change a model and save it with a card that says what was done."""

import os
import shutil
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from equipoise.cli.options import (
    DataDir,
    Document,
    Force,
    Json,
    Model,
    Seed,
    Split,
    open_model,
    runs_models,
    whole_numbers,
)
from equipoise.errors import UserError
from equipoise.models.options import RunOptions

if TYPE_CHECKING:
    from equipoise.mitigating import Mitigated


@runs_models
def mitigate(
    method: Annotated[str, typer.Argument(help="A mitigation: `equipoise list mitigations` names them.")],
    *,
    options: RunOptions,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="The folder to write the changed model to.")
    ] = None,
    model: Model = None,
    corpus: Annotated[
        str | None,
        typer.Option(
            "--corpus", help="A txt, csv, tsv, jsonl or parquet file, a folder, gap, gap-train or mt-gender."
        ),
    ] = None,
    text: Annotated[str | None, typer.Option("--text", help="The corpus' column with the text.")] = None,
    document: Document = None,
    split: Split = None,
    choices: Annotated[
        list[str] | None,
        typer.Option("--set", help="An option of the method, as in epochs=3; several times."),
    ] = None,
    preset: Annotated[str | None, typer.Option("--preset", help="A published recipe by its name.")] = None,
    data_dir: DataDir = None,
    seed: Seed = 0,
    seeds: Annotated[
        str | None, typer.Option("--seeds", help="Several seeds, as in 0,1,2: a folder for each in --out.")
    ] = None,
    explain: Annotated[
        bool, typer.Option("--explain", help="Only show the method's card, options and presets.")
    ] = False,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Change a copy of a model and save it; a killed training goes on when the command is given again."""
    from equipoise.corpora.sampling import CorpusChoice
    from equipoise.mitigations import mitigation_class
    from equipoise.mitigations.base import set_options
    from equipoise.mitigations.saving import refuse_folder

    chosen = set_options(mitigation_class(method), choices or (), preset)
    if explain:
        _explain(chosen)
        return
    if out is None:
        raise UserError("No folder was named for the changed model.", "Name one with --out DIR.")
    targets = _targets(out, seed, seeds)
    for folder in targets.values():
        refuse_folder(folder, force=force)
    read = None
    if corpus is not None:
        from equipoise.corpora.named import read_corpus

        read = read_corpus(corpus, CorpusChoice(text=text, document=document, split=split), data_dir)
    loaded = open_model(model, options)
    for number, folder in targets.items():
        _one(folder, force, as_json, model=loaded, mitigation=chosen, corpus=read, seed=number)


def _explain(mitigation: Any) -> None:
    """The card, the options as they would be used, and the presets."""
    from equipoise.mitigations import mitigation_card

    lines = [mitigation_card(mitigation.name), "", "Options (--set NAME=VALUE):"]
    options = asdict(mitigation)
    lines += [f"  {name.replace('_', '-')}={_shown(value)}" for name, value in options.items()]
    for name, values in mitigation.presets.items():
        pairs = ", ".join(f"{key.replace('_', '-')}={_shown(value)}" for key, value in values.items())
        lines.append(f"Preset {name}: {pairs}")
    sys.stdout.write("\n".join(lines) + "\n")


def _shown(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else f"{value}"


def _one(folder: Path, force: bool, as_json: bool, **given: Any) -> None:
    """Change and save; checkpoints lie beside the folder until it is there."""
    from equipoise.mitigating import mitigate as change

    workshop = folder.parent / f".{folder.name}.workshop"
    changed = change(**given, workshop=workshop)
    if int(os.environ.get("RANK", "0")) == 0:  # of several processes under `accelerate launch`, one writes
        changed.save(folder, force=force)
        shutil.rmtree(workshop, ignore_errors=True)
        _report(changed, folder, as_json=as_json)


def _report(changed: "Mitigated", folder: Path, *, as_json: bool) -> None:
    if as_json:
        from equipoise.cli.printing import print_json

        print_json(
            {
                "out": str(folder),
                **{key: changed.record[key] for key in ("mitigation", "seed", "account", "fingerprint")},
            }
        )
        return
    for sentence in changed.account:
        sys.stdout.write(f"{sentence}\n")
    sys.stdout.write(
        f"Saved to {folder}. What it gained and cost: equipoise study before-after, or measure and compare.\n"
    )


def _targets(out: Path, seed: int, seeds: str | None) -> dict[int, Path]:
    if seeds is None:
        return {seed: out}
    return {number: out / f"seed-{number}" for number in whole_numbers(seeds, "--seeds")}
