"""A changed model on disk: a folder that transformers loads, with a card that says what was done to it."""

import json
import re
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from equipoise.errors import UserError
from equipoise.files import replacing_folder
from equipoise.models.protocol import LanguageModel
from equipoise.text.blank import BLANK

RECORD, CARD = "equipoise.json", "README.md"
_TASKS = {"masked": "fill-mask", "causal": "text-generation", "classifier": "text-classification"}
"""What a hub calls the task of a kind of model."""

NO_PRICE = "Not measured yet: `equipoise study before-after` measures what was gained and what it cost."


def save_changed(model: LanguageModel, record: dict[str, Any], folder: Path, *, force: bool = False) -> None:
    """Write model and card beside the folder and rename: there is a whole folder or none."""
    refuse_folder(folder, force=force)
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with replacing_folder(folder) as beside:
            _write_model(model, beside)
            write_card(beside, record | _stored(model))
            _make_readable(beside)
    except Exception as error:
        if isinstance(error, OSError) or type(error).__name__ == "SafetensorError":
            raise _unwritable(folder, error) from error
        raise


def _stored(model: LanguageModel) -> dict[str, Any]:
    """What a card says of weights and licence: as they are saved here, and as the source folder has them."""
    network = getattr(model, "transformers_model", None)
    known: dict[str, Any] = {}
    if network is not None:
        known["stored"] = str(network.dtype).removeprefix("torch.")
    source = Path(getattr(network, "name_or_path", ""))
    if source.name and source.is_dir():
        known["source"] = source.name
    mask = getattr(getattr(model, "tokenizer", None), "mask_token", None)
    known |= {"mask": mask} if mask else {}
    with suppress(OSError, ValueError):
        config = json.loads((source / "config.json").read_text(encoding="utf-8"))
        known["source_precision"] = str(config.get("dtype") or config.get("torch_dtype") or "")
    with suppress(OSError, UnicodeDecodeError):
        text = (source / CARD).read_text(encoding="utf-8")
        stated = re.search(r"\A---\n(?:.*\n)*?license:[ ]*(\S+)", text)
        known |= {"license": stated[1]} if stated else {}
    return known


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
        f"{folder} is not a model folder, so it is not replaced even with --force.",
        "Give another with --out.",
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
    """Read the record of what was done to the model in a folder."""
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
    """The model card in Markdown: what a hub shows of it, how to use it, and what was done."""
    rows = {**record["options"], **record.get("used", {}), "seed": record["seed"]}
    options = "\n".join(f"| {name} | {value} |" for name, value in rows.items())
    corpus = record.get("corpus")
    read = (
        f"`{Path(corpus['name']).name}`: {corpus['documents']:,} documents, SHA-256 over the texts "
        f"`{corpus['sha256']}`."
        if corpus
        else "None."
    )
    parts = [
        _front_matter(record),
        f"# {_base(record)}, changed by {record['mitigation']}",
        f"Changed by Equipoise {record['versions'].get('equipoise', '')} to lower a gender bias. Whether it "
        "did, and at which price, stands below once it was measured; read it before use.",
        f"## Use\n\n```python\n{_usage(record)}\n```",
        f"## What was done\n\n{_listed(record['account'])}",
        f"## From\n\n`{_base(record)}`, fingerprint `{record['base']['fingerprint']}`. "
        f"This model's own: `{record['fingerprint']}`. {_precision(record)}",
        f"## Text\n\n{read}",
        f"## Options\n\n{_presets(record)}| option | value |\n|---|---|\n{options}",
        f"## Gain and price\n\n{_listed(record['price']) if record['price'] else NO_PRICE}",
        f"## The method\n\n```text\n{record['method']}\n```",
    ]
    return "\n\n".join(parts) + "\n"


def _front_matter(record: dict[str, Any]) -> str:
    """What a hub reads: where the model is from, what it does, under which licence."""
    base = _base(record)
    task = _TASKS.get(record.get("kind", ""), "")
    lines = [
        f"title: {base}, changed by {record['mitigation']}",
        f"base_model: {base}",
        f"library_name: {record['library']}",
        *([f"pipeline_tag: {task}"] if task else []),
        "language: en",
        f"license: {record.get('license') or 'other'}",
        *([] if record.get("license") else ["license_name: as-the-base-model"]),
        "tags:",
        "- equipoise",
        f"- {record['mitigation']}",
    ]
    return "\n".join(["---", *lines, "---"])


HERE = "# in this folder; elsewhere its path, or its name on a hub"


def _usage(record: dict[str, Any]) -> str:
    """Lines that load the model and ask it something."""
    task = _TASKS.get(record.get("kind", ""))
    if record["library"] != "transformers" or task is None:
        return f'import equipoise\n\nmodel = equipoise.load_model(".")  {HERE}'
    lines = [
        "from transformers import pipeline",
        "",
        f'model = pipeline("{task}", model=".")  {HERE}',
    ]
    mask = record.get("mask", BLANK)
    text = f"The nurse said that {mask} was tired." if task == "fill-mask" else "The nurse said that"
    return "\n".join([*lines, f'print(model("{text}"))'])


def _precision(record: dict[str, Any]) -> str:
    """How the weights are stored, and that the source stored them otherwise."""
    stored, source = record.get("stored", ""), record.get("source_precision", "")
    if not stored:
        return ""
    said = f"Weights are stored as {stored}."
    if not source or source == stored:
        return said
    return f"{said} Those of the source are {source}: compare the two in one precision."


def _base(record: dict[str, Any]) -> str:
    """Name the model it was made from, without folders of this machine."""
    return str(record.get("source") or _public(record["base"]["name"]))


def _public(name: str) -> str:
    """A name without the folders of this machine: a model of a hub keeps its owner."""
    return name if name.count("/") < 2 and not Path(name).is_absolute() else Path(name).name


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
        "Free disk space or give another folder with --out.",
    )
