"""A study in steps: the plan is written first, each step once, and a killed study goes on at the next one.

    study = StudyRun(folder, Plan("before-after", "Before and after", settings, steps), say=print)
    before = study.results("before", lambda: audit(model, names))      # measured once, then read back
    table = study.table("price", lambda: price_of(model))
    study.finish(["Bias fell."], {"price.csv": table})

The folder holds `study.json` (name, title, settings, plan with the time of each step, sentences, tables),
the tables as CSV files, and `steps/` with what each step gave. Without a folder nothing is kept. Checksums of
the tables, and of `study.json` itself, stand in `study.json`: a number that was changed by hand is refused.
"""

import hashlib
import json
import shutil
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import pandas as pd

from equipoise.data.csv_text import as_csv
from equipoise.data.reading import file_sha256
from equipoise.errors import UserError, explained_writing
from equipoise.files import replacing_folder, write_beside
from equipoise.results import Result, load_result
from equipoise.results.checking import STUDY as STUDY_SHAPE
from equipoise.results.checking import WrongShapeError, check_shape, require
from equipoise.results.records import column_kinds, read_typed_csv

STUDY, STEP_FOLDER, WORKSHOP, MODELS = "study.json", "steps", "workshop", "models"
TABLES = "tables"
SCHEMA = 2
TABLE, COLUMNS, CHECKSUM = "table.csv", "columns.json", "sha256"
CHANGED = "is not the file that was saved: it was cut short or changed."
COPY_AGAIN = "Copy the whole folder again, or run the study again."
NEXT_TO_NOTHING = 0.2
"""Share of its planned time below which a step is taken to have had its answers in store."""

UNWRITTEN = "Free disk space or give another folder with --out; finished steps are kept."


@dataclass(frozen=True)
class Step:
    """One step: its name, what it does in words, and how long it will take by a guess made before."""

    name: str
    what: str
    seconds: float = 1.0


@dataclass(frozen=True)
class Plan:
    """What a study will do. `settings` is all that its numbers depend on: another one is another study."""

    name: str
    title: str
    settings: Mapping[str, Any]
    steps: Sequence[Step]

    @property
    def seconds(self) -> float:
        """How long all of it should take."""
        return sum(step.seconds for step in self.steps)

    def sentences(self, first: int = 1) -> list[str]:
        """The plan as it is shown before anything is run, from a step on."""
        count = f"{len(self.steps)} step{'s' if len(self.steps) > 1 else ''}"
        lines = [f"{self.title}: {count}, about {in_minutes(self.seconds)}."]
        numbered = list(enumerate(self.steps, start=1))[first - 1 :]
        return lines + [f"{number}. {step.what} ({in_minutes(step.seconds)})" for number, step in numbered]


def unsaid(_sentence: str) -> None:
    """For a study that nobody listens to."""


@dataclass(frozen=True)
class Keeping:
    """Where a study keeps what it makes (None: nowhere), who is told of its steps, what may be replaced."""

    folder: Path | None = None
    say: Callable[[str], None] = unsaid
    force: bool = False
    models: bool = False
    """Whether the models that a study trains are kept, in `models/`."""

    def begin(self, plan: Plan) -> "StudyRun":
        """The plan at work."""
        if self.models:
            plan = replace(plan, settings={**plan.settings, "keep": True})
        return StudyRun(self.folder, plan, self.say, self.force, keeps_models=self.models)


@dataclass(frozen=True)
class Outcome:
    """What a step measured: the results of instruments, and tables by name."""

    results: list[Result]
    tables: Mapping[str, pd.DataFrame] = field(default_factory=dict)


@dataclass
class StudyRun:
    """A plan that runs in a folder. `say` gets the plan, then each finished step and the time left."""

    folder: Path | None
    plan: Plan
    say: Callable[[str], None] = unsaid
    force: bool = False
    keeps_models: bool = False
    taken: dict[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.folder is not None:
            self._open(self.folder)
        for sentence in self.plan.sentences():
            self.say(sentence)

    def table(self, step: str, make: Callable[[], pd.DataFrame]) -> pd.DataFrame:
        """Return the step's table. A finished step is read back; otherwise the table is made and saved."""
        return self._once(step, make, _write_table, _read_table)

    def results(self, step: str, make: Callable[[], Sequence[Result]]) -> list[Result]:
        """Results of instruments: read back if the step was finished before, else measured and kept."""
        return self._once(step, lambda: list(make()), _write_results, _read_results)

    def outcome(self, step: str, make: Callable[[], Outcome]) -> Outcome:
        """Results and tables: read back if the step was finished before, else measured and kept."""
        return self._once(step, make, _write_outcome, _read_outcome)

    def folder_of(self, step: str, make: Callable[[Path], None]) -> Path:
        """A folder, such as a changed model: there if the step was finished before, else written by `make`.

        It needs a study with a folder of its own.
        """
        if self.folder is None:
            raise UserError("This study keeps models between its steps.", "Give it a folder with --out.")
        return self._once(step, lambda: make, lambda given, room: given(room), lambda room: room)

    def go_on_with(self, steps: Sequence[Step]) -> None:
        """Add steps that could not be known before, and say them."""
        known = len(self.plan.steps)
        self.plan = replace(self.plan, steps=[*self.plan.steps, *steps])
        for sentence in self.plan.sentences(known + 1):
            self.say(sentence)

    def model_folder(self, step: str) -> Path | None:
        """Where the model that a step trains is kept; None where it is not."""
        return self.folder / MODELS / step if self.folder is not None and self.keeps_models else None

    def workshop(self, step: str) -> Path | None:
        """Where a step may keep what it needs to go on after a kill; gone once the study is finished."""
        return None if self.folder is None else self.folder / WORKSHOP / step

    def finish(self, sentences: Sequence[str], tables: Mapping[str, pd.DataFrame]) -> None:
        """Write the tables and sentences; a finished study has both in `study.json`."""
        if self.folder is None:
            return
        with explained_writing(self.folder, UNWRITTEN):
            for name, table in tables.items():
                write_beside(self.folder / name, as_csv(table))
            self._write(list(sentences), list(tables))
            shutil.rmtree(self.folder / WORKSHOP, ignore_errors=True)

    def _once(self, step: str, make: Any, write: Any, read: Any) -> Any:
        if step not in {known.name for known in self.plan.steps}:
            raise ValueError(f"the plan has no step {step!r}")
        room = None if self.folder is None else self.folder / STEP_FOLDER / step
        if room is not None and room.exists():
            self.say(f"{step}: finished before.")
            return read(room)
        began = time.monotonic()
        made = make()
        if room is not None:
            with explained_writing(room, UNWRITTEN):
                room.parent.mkdir(parents=True, exist_ok=True)
                with replacing_folder(room) as beside:
                    write(made, beside)
        self.taken[step] = time.monotonic() - began
        self.say(f"{step}: done in {in_minutes(self.taken[step])}{self._left()}.")
        if room is None:
            return made
        self._write()
        return read(room)

    def _open(self, folder: Path) -> None:
        path = folder / STUDY
        settings = json.loads(json.dumps(dict(self.plan.settings), default=str))
        if path.exists() and not self.force:
            earlier = read_study(folder)
            if earlier["name"] != self.plan.name or earlier["settings"] != settings:
                raise UserError(
                    f"{folder} holds another study ({_difference(earlier, self.plan.name, settings)}).",
                    "Give another folder with --out, or --force to overwrite it.",
                )
            self.taken = {row["name"]: row["taken"] for row in earlier["plan"] if row["taken"] is not None}
            return
        if folder.exists() and any(folder.iterdir()) and not self.force:
            raise UserError(
                f"{folder} exists and is not empty.",
                "Give another folder with --out, or --force to write into it.",
            )
        with explained_writing(folder, UNWRITTEN):
            _clear(folder)
            folder.mkdir(parents=True, exist_ok=True)
            self._write()

    def _write(self, sentences: Sequence[str] = (), tables: Sequence[str] = ()) -> None:
        assert self.folder is not None
        rows = [{**asdict(step), "taken": self.taken.get(step.name)} for step in self.plan.steps]
        record = {
            "schema": SCHEMA,
            "name": self.plan.name,
            "title": self.plan.title,
            "settings": dict(self.plan.settings),
            "plan": rows,
            "sentences": list(sentences),
            "tables": list(tables),
        }
        sealed = with_checksums(record, self.folder)
        write_beside(self.folder / STUDY, json.dumps(sealed, indent=2, default=str) + "\n")

    def _left(self) -> str:
        """The time left, judged by how the finished steps kept to the plan.

        Steps that took next to nothing had their answers in store, or run on a fast device: either may be,
        so they count only while there are no others.
        """
        planned = {step.name: step.seconds for step in self.plan.steps if step.name in self.taken}
        open_seconds = self.plan.seconds - sum(planned.values())
        if not open_seconds:
            return ""
        worked = [name for name in planned if self.taken[name] >= NEXT_TO_NOTHING * planned[name]]
        judged = worked or list(planned)
        pace = sum(self.taken[name] for name in judged) / sum(planned[name] for name in judged)
        left = f"about {in_minutes(open_seconds * pace)}"
        if not worked:
            left = f"{in_minutes(open_seconds * pace)} to {in_minutes(open_seconds)}"
        return f", step {len(self.taken)} of {len(self.plan.steps)}, {left} left"


def _clear(folder: Path) -> None:
    """Remove what an earlier study made on its way, so that nothing of it passes for a finished step."""
    rooms = [folder / name for name in (STEP_FOLDER, WORKSHOP, MODELS) if (folder / name).exists()]
    if rooms and not (folder / STUDY).exists():
        raise UserError(
            f"{rooms[0]} was written by no study, so it is not removed even with --force.",
            "Give another folder with --out.",
        )
    for room in rooms:
        shutil.rmtree(room, ignore_errors=True)


def read_study(folder: Path) -> dict[str, Any]:
    """What `study.json` of a folder says."""
    path = folder / STUDY
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise UserError(f"{path} cannot be read: {error}.", "Give the folder of a study.") from error
    if not isinstance(record, dict) or record.get("schema") != SCHEMA:
        raise UserError(f"{path} was not written by this version.", "Run the study again.")
    if record.get(CHECKSUM) != _checksum(record):
        raise UserError(f"{path} {CHANGED}", COPY_AGAIN)
    try:
        check_shape(record, STUDY_SHAPE, "the study")
        require(record, STUDY_SHAPE, "the study")
    except WrongShapeError as error:
        raise UserError(f"{path} is damaged: {error}.", "Run the study again.") from error
    return record


def read_tables(folder: Path, record: Mapping[str, Any]) -> dict[str, pd.DataFrame]:
    """Return the tables of a finished study by name; a table that was changed since is refused."""
    tables = {}
    for name in record["tables"]:
        path = folder / Path(name).name
        if not path.is_file():
            raise UserError(f"{path} is missing.", COPY_AGAIN)
        if record["files"].get(name) != file_sha256(path):
            raise UserError(f"{path} {CHANGED}", COPY_AGAIN)
        try:
            tables[path.stem] = pd.read_csv(path, keep_default_na=False, na_values=[""])
        except ValueError as error:
            raise UserError(f"{path} is damaged: {error}.", "Run the study again.") from error
    return tables


def with_checksums(record: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """What a study says, with the checksums of its tables and of itself."""
    files = {name: file_sha256(folder / name) for name in record["tables"]}
    whole = {**record, "files": files}
    return {**whole, CHECKSUM: _checksum(whole)}


def _checksum(record: Mapping[str, Any]) -> str:
    """The SHA-256 of what a study says, whatever its layout."""
    said = {name: value for name, value in record.items() if name != CHECKSUM}
    return hashlib.sha256(json.dumps(said, sort_keys=True, default=str).encode()).hexdigest()


def in_minutes(seconds: float) -> str:
    """A duration as one says it."""
    if seconds < 90:
        return f"{max(1, round(seconds))} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


def _write_table(table: pd.DataFrame, room: Path) -> None:
    table.to_csv(room / TABLE, index=False, lineterminator="\n")
    note = {"columns": column_kinds(table), CHECKSUM: file_sha256(room / TABLE)}
    (room / COLUMNS).write_text(json.dumps(note), encoding="utf-8")


def _read_table(room: Path) -> pd.DataFrame:
    try:
        note = json.loads((room / COLUMNS).read_text("utf-8"))
        if note[CHECKSUM] != file_sha256(room / TABLE):
            raise UserError(f"{room / TABLE} {CHANGED}", COPY_AGAIN)
        return read_typed_csv(room / TABLE, note["columns"])
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise UserError(f"{room} holds a damaged table: {error!r}.", COPY_AGAIN) from error


def _write_results(results: Sequence[Result], room: Path) -> None:
    for number, result in enumerate(results):
        result.save(room / f"{number:03d}", force=True)


def _read_results(room: Path) -> list[Result]:
    return [load_result(folder) for folder in sorted(room.iterdir()) if folder.name != TABLES]


def _write_outcome(outcome: Outcome, room: Path) -> None:
    _write_results(outcome.results, room)
    for name, table in outcome.tables.items():
        if len(table.columns):
            (room / TABLES / name).mkdir(parents=True)
            _write_table(table, room / TABLES / name)


def _read_outcome(room: Path) -> Outcome:
    tables = {path.name: _read_table(path) for path in sorted(room.glob(f"{TABLES}/*"))}
    return Outcome(_read_results(room), tables)


def _difference(earlier: dict[str, Any], name: str, settings: dict[str, Any]) -> str:
    if earlier["name"] != name:
        return str(earlier["name"])
    keys = earlier["settings"].keys() | settings.keys()
    other = [key for key in sorted(keys) if earlier["settings"].get(key) != settings.get(key)]
    return f"the same one with another {' and '.join(other)}"
