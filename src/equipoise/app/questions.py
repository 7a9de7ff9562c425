"""What the page can ask: each question is one call of what the command line calls too."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path, PurePath
from tempfile import TemporaryDirectory
from threading import Lock
from typing import Any

from equipoise.app.dropped import look_at, write_dropped
from equipoise.app.jobs import Job, JobBoard
from equipoise.app.past import open_folder, result_folders, told
from equipoise.app.shelf import Shelf
from equipoise.data.catalogue import catalogue
from equipoise.errors import UserError, unknown_name
from equipoise.instruments import every_instrument, load_instrument
from equipoise.instruments.base import Instrument
from equipoise.measuring import measure
from equipoise.probing import probe_blank
from equipoise.results.records import to_records
from equipoise.text.rewriting import MODES, rewrite

MOST_MODELS = 4
LONGEST_TEXT = 100_000
Payload = dict[str, Any]


@dataclass
class Desk:
    """What the app has at hand: models, jobs, and the folder of results."""

    shelf: Shelf
    results: Path
    jobs: JobBoard = field(default_factory=JobBoard)
    rewriting: Lock = field(default_factory=Lock)


def known(desk: Desk, _payload: Payload) -> Any:
    """What can be chosen on the page."""
    listed = [{"name": one.name, "title": one.title} for one in every_instrument() if _has_data(one)]
    return {"models": desk.shelf.names, "instruments": listed, "modes": MODES}


def _has_data(instrument: Instrument[Any]) -> bool:
    """Whether its first data set ships with the package: the app downloads nothing."""
    return any(entry.is_ours for entry in catalogue() if entry.dataset in instrument.datasets[:1])


def probe(desk: Desk, payload: Payload) -> Any:
    """What each model expects at the blank of a sentence."""
    sentence, words = _text(payload, "text"), _texts(payload, "words", most=50)
    answers = []
    for name in _models(payload):
        probed = probe_blank(desk.shelf.model(name), sentence, words=words)
        tables = {"words": to_records(probed.words), "likeliest": to_records(probed.likeliest)}
        answers.append({"model": name, **tables, "notes": probed.notes})
    return {"text": sentence, "answers": answers}


def sentences(desk: Desk, payload: Payload) -> Any:
    """How likely each model finds two or more sentences, token by token."""
    texts = _texts(payload, "sentences", most=20)
    if not texts:
        raise UserError("No sentence was given.", "Write two sentences to compare.")
    answers = []
    for name in _models(payload):
        tokens = desk.shelf.model(name).score(texts)
        tokens["value"] = tokens["logprob"] * tokens["weight"]
        by_sentence = [tokens[tokens["sentence"] == number] for number in range(len(texts))]
        scored = [
            {"text": text, "tokens": to_records(rows), "logprob": float(rows["value"].sum())}
            for text, rows in zip(texts, by_sentence, strict=True)
        ]
        answers.append({"model": name, "sentences": scored})
    return {"answers": answers}


def look_at_file(_desk: Desk, payload: Payload) -> Any:
    """What a dropped CSV holds, and the linter's findings."""
    with TemporaryDirectory() as folder:
        path = write_dropped(_text(payload, "name"), _content(payload), Path(folder))
        try:
            return look_at(path)
        except UserError as error:
            raise UserError(error.message.replace(str(path), path.name), error.hint) from error


def start_measuring(desk: Desk, payload: Payload) -> Any:
    """Begin to measure a model with an instrument, on its own data or on a dropped file."""
    model, instrument = _text(payload, "model"), _text(payload, "instrument")
    desk.shelf.check_name(model)
    dropped = (_text(payload, "name"), _content(payload)) if payload.get("content") else None
    if not dropped and not _has_data(load_instrument(instrument)):
        raise UserError(
            f"The data of {instrument} do not ship with the package, and the app downloads nothing.",
            f"Measure it with: equipoise measure {instrument} --model ... --out ...",
        )
    title = f"{instrument} of {model}" + (f" on {dropped[0]}" if dropped else "")
    return desk.jobs.start(title, lambda job: _measure(desk, job, model, instrument, dropped)).shown()


def _measure(desk: Desk, job: Job, model: str, instrument: str, dropped: tuple[str, str] | None) -> Any:
    """Measure and save; the model is loaded for this job alone, so that other questions need not wait."""
    options = replace(desk.shelf.options, progress=job.tell, is_cancelled=job.stop.is_set)
    folder = _new_folder(desk.results, model)
    data = write_dropped(*dropped, folder / "data") if dropped else ""
    result = measure(desk.shelf.fresh(model, options), instrument, data=data)
    result.save(folder)
    return {"folder": folder.relative_to(desk.results).as_posix(), "results": told([result])}


def _new_folder(results: Path, model: str) -> Path:
    """A folder of its own for each measurement, named after the model and the time."""
    name = f"{PurePath(model).name.replace(':', '-')}-{datetime.now():%Y%m%d-%H%M%S}"
    taken = (results / f"{name}{f'-{number}' if number else ''}" for number in range(1000))
    return next(path for path in taken if not path.exists())


def job_shown(desk: Desk, payload: Payload) -> Any:
    """How far a job is."""
    return desk.jobs.job(_whole(payload, "job")).shown()


def cancel(desk: Desk, payload: Payload) -> Any:
    """Stop a job."""
    return desk.jobs.cancel(_whole(payload, "job")).shown()


def rewritten(desk: Desk, payload: Payload) -> Any:
    """A text rewritten, in pieces that say what was changed, left, or stayed as it was."""
    text, mode = _text(payload, "text"), str(payload.get("mode", "invert"))
    with desk.rewriting:
        made = rewrite(text, mode)
    pieces: list[dict[str, str]] = []
    place = 0
    for row in made.rows():
        if row["start"] < place:
            continue  # a sentence that was left as a whole holds words that were left too
        pieces.append({"kind": "same", "old": text[place : row["start"]]})
        old = text[row["start"] : row["end"]]
        pieces.append({"kind": row["action"], "old": old, "new": row["new"], "rule": row["rule"]})
        place = row["end"]
    pieces.append({"kind": "same", "old": text[place:]})
    return {"text": made.text, "pieces": pieces, "counts": made.counts}


def past_results(desk: Desk, _payload: Payload) -> Any:
    """The folders of results."""
    return {"root": str(desk.results), "folders": result_folders(desk.results)}


def past_result(desk: Desk, payload: Payload) -> Any:
    """The numbers in one folder."""
    opened = open_folder(desk.results, _text(payload, "folder"))
    said = [sentence for study in opened.studies for sentence in study.sentences]
    return {"sentences": said, "results": told(opened.results)}


def page_of(desk: Desk, folder: str) -> str:
    """The page of one folder, as `equipoise report` makes it."""
    from equipoise.report.page import render

    opened = open_folder(desk.results, folder)
    return render(opened.results, opened.studies)


QUESTIONS: dict[str, Callable[[Desk, Payload], Any]] = {
    "known": known,
    "probe": probe,
    "sentences": sentences,
    "look-at-file": look_at_file,
    "measure": start_measuring,
    "job": job_shown,
    "cancel": cancel,
    "rewrite": rewritten,
    "results": past_results,
    "result": past_result,
}


def answer(desk: Desk, name: str, payload: Any) -> Any:
    """Answer one question of the page."""
    if name not in QUESTIONS:
        raise unknown_name("question", name, QUESTIONS)
    if not isinstance(payload, dict):
        raise UserError("A question is a JSON object.", "Reload the page.")
    return QUESTIONS[name](desk, payload)


def _text(payload: Payload, name: str, longest: int = LONGEST_TEXT) -> str:
    value = payload.get(name)
    if not isinstance(value, str) or not value.strip():
        raise UserError(f"{name} is missing.", "Fill it in and ask again.")
    if len(value) > longest:
        raise UserError(
            f"{name} has {len(value):,} characters; at most {longest:,} are taken.", "Shorten it."
        )
    return value


def _content(payload: Payload) -> str:
    return _text(payload, "content", 10**9)  # a request is limited as a whole


def _texts(payload: Payload, name: str, most: int) -> list[str]:
    values = payload.get(name, [])
    if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
        raise UserError(f"{name} is no list of texts.", "Reload the page.")
    if len(values) > most:
        raise UserError(f"{name} has {len(values)} entries; at most {most} are taken.", "Give fewer.")
    return [value.strip() for value in values if value.strip()]


def _models(payload: Payload) -> list[str]:
    names = list(dict.fromkeys(_texts(payload, "models", most=MOST_MODELS)))
    if not names:
        raise UserError("No model was chosen.", "Choose one or more.")
    return names


def _whole(payload: Payload, name: str) -> int:
    value = payload.get(name)
    if not isinstance(value, int):
        raise UserError(f"{name} is no whole number.", "Reload the page.")
    return value
