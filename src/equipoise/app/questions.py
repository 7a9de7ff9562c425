"""What the page can ask: each question is one call of what the command line calls too."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path, PurePath
from tempfile import TemporaryDirectory
from threading import Lock
from typing import Any

from equipoise.app.dropped import look_at, write_dropped
from equipoise.app.jobs import Job, JobBoard
from equipoise.app.past import compared, findings_of, open_folder, result_folders, told
from equipoise.app.shelf import Shelf
from equipoise.choices import choices_of
from equipoise.data.csv_text import as_csv
from equipoise.data.sources import catalogue
from equipoise.errors import UserError, unknown_name
from equipoise.instruments import every_instrument, load_instrument
from equipoise.instruments.base import Instrument, Settings
from equipoise.measuring import audit_fitting, measure
from equipoise.models.protocol import LanguageModel, require
from equipoise.probing import probe_blank
from equipoise.report.measurements import with_short_names
from equipoise.report.page import render
from equipoise.results import Result
from equipoise.results.records import to_records
from equipoise.samples import Stop
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


AUDIT = "audit"
QUICK = "quick audit"
"""What measuring with the default instruments is called where an instrument is named, in full or a sample."""


def known(desk: Desk, _payload: Payload) -> Any:
    """What can be chosen on the page."""
    listed = [
        {
            "name": one.name,
            "title": one.title,
            "choices": [
                {"name": each.name, "help": each.help, "default": each.default}
                for each in choices_of(Settings)
                if each.is_read_by(one.reads) and each.name not in NOT_OFFERED and each.group != "corpus"
            ],
        }
        for one in every_instrument()
        if _has_data(one)
    ]
    return {"models": desk.shelf.described(), "instruments": listed, "modes": MODES}


NOT_OFFERED = ("data", "data_dir", "seed")
"""Choices that the page has in other places, or that need no choosing there."""


def fitting(desk: Desk, payload: Payload) -> Any:
    """Why a model cannot be measured with an instrument, by the name of each such instrument."""
    model = desk.shelf.model(_text(payload, "model"))
    reasons: dict[str, str] = {}
    for one in every_instrument():
        try:
            require(model, *one.needs, by=one.name)
        except UserError as error:
            reasons[one.name] = error.message
    return {"reasons": reasons}


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
        answers.append(
            {
                "model": name,
                **tables,
                "sentence": probed.sentence(desk.shelf.label(name)),
                "notes": probed.notes,
            }
        )
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


def look_at_file(desk: Desk, payload: Payload) -> Any:
    """Say what a dropped file holds: findings of the linter, or what a corpus says, with its page."""
    with TemporaryDirectory() as folder:
        path = write_dropped(_text(payload, "name"), _content(payload), Path(folder))
        tables = _new_folder(desk.results, path.stem)
        try:
            seen = look_at(path, tables)
            return seen | ({"folder": tables.name} if tables.is_dir() else {})
        except UserError as error:
            raise UserError(error.message.replace(str(path), path.name), error.hint) from error


def start_measuring(desk: Desk, payload: Payload) -> Any:
    """Begin to measure a model with one instrument, perhaps on a dropped file, or with all that fit."""
    model, instrument = _text(payload, "model"), _text(payload, "instrument")
    desk.shelf.check_name(model)
    dropped = (_text(payload, "name"), _content(payload)) if payload.get("content") else None
    if instrument not in (AUDIT, QUICK) and not dropped and not _has_data(load_instrument(instrument)):
        raise UserError(
            f"The data of {instrument} do not ship with the package, and the app downloads nothing.",
            f"Measure it with: equipoise measure {instrument} --model ... --out ...",
        )
    title = f"{instrument} of {desk.shelf.label(model)}" + (f" on {dropped[0]}" if dropped else "")
    choices = _choices(payload)
    if instrument in (AUDIT, QUICK):
        return desk.jobs.start(title, lambda job: _audit(desk, job, model, instrument)).shown()
    return desk.jobs.start(
        title, lambda job: _measure(desk, job, (model, instrument), dropped, choices)
    ).shown()


def _measure(
    desk: Desk, job: Job, asked: tuple[str, str], dropped: tuple[str, str] | None, choices: Payload
) -> Any:
    """Measure and save; the model is loaded for this job alone, so that other questions need not wait."""
    model, instrument = asked
    folder = _new_folder(desk.results, model)
    data = write_dropped(*dropped, folder / "data") if dropped else ""
    result = measure(_own_model(desk, job, model), instrument, data=data, **choices)
    result.save(folder)
    return _measured(desk, folder, [result])


def _audit(desk: Desk, job: Job, model: str, kind: str) -> Any:
    """Measure with every default instrument that fits the model; each result is saved at once."""
    stop = Stop(quick=True) if kind == QUICK else None
    folder = _new_folder(desk.results, model)

    def keep(result: Result) -> None:
        result.save(folder)
        job.add(result)

    results, left_out = audit_fitting(_own_model(desk, job, model), tell=keep, stop=stop)
    if not results:
        raise UserError(
            f"No instrument fits {desk.shelf.label(model)}.", next(iter(left_out.values())).message
        )
    return _measured(desk, folder, results) | {"left_out": {name: e.message for name, e in left_out.items()}}


def _own_model(desk: Desk, job: Job, name: str) -> LanguageModel:
    options = replace(desk.shelf.options, progress=job.tell, is_cancelled=job.stop.is_set)
    return desk.shelf.fresh(name, options)


def _measured(desk: Desk, folder: Path, results: Sequence[Result]) -> Payload:
    place = folder.relative_to(desk.results).as_posix()
    return {"folder": place, "findings": findings_of(results), "results": told(results)}


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
    _refuse_half_characters(mode, "mode")
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
    findings = [] if opened.studies else findings_of(opened.results)
    return {"sentences": said, "findings": findings, "results": told(opened.results)}


def compare_past(desk: Desk, payload: Payload) -> Any:
    """Two folders of results side by side."""
    folders = _texts(payload, "folders", most=2)
    if len(set(folders)) < 2:
        raise UserError("Fewer than two different results were chosen.", "Choose two.")
    return compared(desk.results, folders) | {"folders": folders}


def page_of(desk: Desk, folders: Sequence[str]) -> str:
    """The page of one folder or several, as `equipoise report` makes it."""
    opened = [open_folder(desk.results, folder) for folder in folders]
    results = [one for held in with_short_names([each.results for each in opened]) for one in held]
    studies = [study for each in opened for study in each.studies]
    return render(results, studies, [corpus for each in opened for corpus in each.corpora])


def items_of(desk: Desk, folder: str, instrument: str) -> str:
    """Every item of one result as CSV."""
    results = {one.instrument: one for one in open_folder(desk.results, folder).results}
    if instrument not in results:
        raise unknown_name("instrument among these results", instrument, results)
    return as_csv(results[instrument].items)


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
    "compare": compare_past,
    "fitting": fitting,
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
    _refuse_half_characters(value, name)
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
        raise UserError(f"{name} is not a list of texts.", "Reload the page.")
    if len(values) > most:
        raise UserError(f"{name} has {len(values)} entries; at most {most} are taken.", "Give fewer.")
    for value in values:
        _refuse_half_characters(value, name)
    return [value.strip() for value in values if value.strip()]


def _refuse_half_characters(value: str, name: str) -> None:
    """Refuse half of a pair of code units, which JSON can hold and no text."""
    if any("\ud800" <= character <= "\udfff" for character in value):
        raise UserError(f"{name} holds half a character.", "Type it again, or paste it from another program.")


def _choices(payload: Payload) -> Payload:
    """Choices of an instrument, those that were left empty left out."""
    given = payload.get("choices", {})
    if not isinstance(given, dict) or not all(isinstance(value, str | bool) for value in given.values()):
        raise UserError("choices is not a table of texts.", "Reload the page.")
    return {name: value for name, value in given.items() if value != ""}


def _models(payload: Payload) -> list[str]:
    names = list(dict.fromkeys(_texts(payload, "models", most=MOST_MODELS)))
    if not names:
        raise UserError("No model was chosen.", "Choose one or more.")
    return names


def _whole(payload: Payload, name: str) -> int:
    value = payload.get(name)
    if not isinstance(value, int):
        raise UserError(f"{name} is not a whole number.", "Reload the page.")
    return value
