"""A changed model on disk: a folder that transformers loads, with a card that says what was done to it."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from equipoise.errors import UserError
from equipoise.files import replacing_folder
from equipoise.models.protocol import LanguageModel

RECORD, CARD = "equipoise.json", "README.md"
NO_PRICE = "Not measured yet: `equipoise study before-after` measures what was gained and what it cost."


def save_changed(model: LanguageModel, record: dict[str, Any], folder: Path, *, force: bool = False) -> None:
    """Write model and card beside the folder and rename: there is a whole folder or none."""
    refuse_folder(folder, force=force)
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with replacing_folder(folder) as beside:
            _write_model(model, beside)
            write_card(beside, record)
            _make_readable(beside)
    except Exception as error:
        if isinstance(error, OSError) or type(error).__name__ == "SafetensorError":
            raise _unwritable(folder, error) from error
        raise


def refuse_folder(folder: Path, *, force: bool) -> None:
    """What is there is not overwritten unless that was asked for, and then only a model folder."""
    if not folder.exists():
        return
    if not force:
        raise UserError(f"{folder} exists.", "Give another folder with --out, or --force to overwrite it.")
    is_model = any((folder / name).exists() for name in (RECORD, "config.json", "equipoise-wrapper.json"))
    if folder.is_dir() and (is_model or not any(folder.iterdir())):
        return
    raise UserError(
        f"{folder} is no model folder, so it is not replaced even with --force.", "Give another with --out."
    )


def write_card(folder: Path, record: dict[str, Any]) -> None:
    """What was done, as JSON for programs and as a model card for people."""
    text = json.dumps(record, indent=2, ensure_ascii=False, default=str)
    (folder / RECORD).write_text(text + "\n", encoding="utf-8")
    (folder / CARD).write_text(card(record), encoding="utf-8")


def add_price(folder: Path, sentences: Sequence[str]) -> None:
    """Put what a study measured into the card of a model that was saved before."""
    write_card(folder, {**read_record(folder), "price": list(sentences)})


def read_record(folder: Path) -> dict[str, Any]:
    """What was done to the model of a folder, as it was saved with it."""
    try:
        record: dict[str, Any] = json.loads((folder / RECORD).read_text(encoding="utf-8"))
        if not isinstance(record, dict):
            raise ValueError("no table")
    except (OSError, ValueError, RecursionError) as error:
        raise UserError(
            f"{folder} holds no {RECORD} that can be read.", "Give a folder that `equipoise mitigate` wrote."
        ) from error
    return record


def card(record: dict[str, Any]) -> str:
    """The model card in Markdown."""
    rows = {**record["options"], "seed": record["seed"]}
    options = "\n".join(f"| {name} | {value} |" for name, value in rows.items())
    corpus = record.get("corpus")
    read = (
        f"`{corpus['name']}`: {corpus['documents']:,} documents, SHA-256 over the texts `{corpus['sha256']}`."
        if corpus
        else "None."
    )
    parts = [
        f"---\nlibrary_name: {record['library']}\ntags:\n- equipoise\n- {record['mitigation']}\n---",
        f"# {record['base']['name']}, changed by {record['mitigation']}",
        f"Changed by Equipoise {record['versions'].get('equipoise', '')} to lower a gender bias. Whether it "
        "did, and at which price, stands below once it was measured; read it before use.",
        f"## What was done\n\n{_listed(record['account'])}",
        f"## From\n\n`{record['base']['name']}`, fingerprint `{record['base']['fingerprint']}`. "
        f"This model's own: `{record['fingerprint']}`.",
        f"## Text\n\n{read}",
        f"## Options\n\n{_presets(record)}| option | value |\n|---|---|\n{options}",
        f"## Gain and price\n\n{_listed(record['price']) if record['price'] else NO_PRICE}",
        f"## The method\n\n```text\n{record['method']}\n```",
    ]
    return "\n\n".join(parts) + "\n"


def _presets(record: dict[str, Any]) -> str:
    """Which published recipe the options are, whose source the method names below."""
    names = " and ".join(f"`{name}`" for name in record.get("presets", ()))
    return f"As in the preset {names}; what it leaves open is as it stands here.\n\n" if names else ""


def _listed(sentences: Sequence[str]) -> str:
    return "\n".join(f"- {sentence}" for sentence in sentences) or "- Nothing was noted."


def _write_model(model: LanguageModel, folder: Path) -> None:
    from equipoise.models.loading.checkpoints import quiet
    from equipoise.models.neural.language import NeuralModel
    from equipoise.models.static import VECTORS, StaticModel
    from equipoise.models.static.binaries import write_binary
    from equipoise.models.wrappers.base import WrappedModel

    if isinstance(model, StaticModel):
        write_binary(model.vectors, folder / VECTORS)
    elif isinstance(model, NeuralModel):
        with quiet():
            model.transformers_model.save_pretrained(folder)
            model.tokenizer.save_pretrained(folder)
    elif isinstance(model, WrappedModel):
        from equipoise.models.wrappers.saving import save_wrapper

        save_wrapper(model, folder)
    else:
        raise UserError(
            f"{model.name!r} is a {model.kind} model, which cannot be saved as a folder.",
            "Use it from Python, or change a model with weights.",
        )


def _make_readable(folder: Path) -> None:
    """Safetensors' files are for their owner alone; those of a model folder are not."""
    for path in folder.iterdir():
        path.chmod(0o644)


def _unwritable(folder: Path, error: Exception) -> UserError:
    reason = getattr(error, "strerror", None) or error
    return UserError(
        f"The model cannot be written to {folder}: {reason}. Nothing is left there.",
        "Free the disk or give another folder with --out.",
    )
