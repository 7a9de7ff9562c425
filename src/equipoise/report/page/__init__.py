"""The page: results as one file that needs nothing else, with charts, tables, cards and every item.

Scripts are named by their hash, so that no other one can run.
"""

import base64
import gzip
import hashlib
import json
import math
import re
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from equipoise.errors import explained_writing
from equipoise.files import write_beside
from equipoise.report.corpus_findings import SavedCorpus, is_corpus, load_corpus
from equipoise.report.files import Section, refuse_foreign
from equipoise.report.measurements import kind_of
from equipoise.report.page.contents import Contents, contents_of
from equipoise.report.sections import Study, is_study, load_study
from equipoise.results import Result, load_results
from equipoise.results.records import shown
from equipoise.results.result import as_results, describe_versions, load_folders
from equipoise.results.saving import MANIFEST
from equipoise.studies.steps import STEP_FOLDER

__all__ = ["Contents", "Section", "contents_of", "refuse_foreign", "render", "save_page"]

PACKAGE = "equipoise.report.page"
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
"""What names and texts may hold that a terminal would obey, if somebody prints the page there."""

_PERCENT = re.compile(r"(?<=\d) %")
_EXPONENT = re.compile(r"-?\d+\.\d+e-\d+")


def render(
    results: Result | Sequence[Result],
    studies: Sequence[Study] = (),
    corpora: Sequence[SavedCorpus] = (),
) -> str:
    """One self-contained HTML page of results, of what studies wrote and of counted corpora."""
    return filled(contents_of(as_results(results, "render"), studies, corpora))


def save_page(contents: Contents, path: Path, *, force: bool = False) -> Path:
    """Write a page; a file that exists is not replaced unless that was asked for."""
    refuse_foreign(path, force=force, ours=False)
    with explained_writing(path, "Give another path with --out."):
        path.parent.mkdir(parents=True, exist_ok=True)
        write_beside(path, filled(contents))
    return path


def filled(contents: "Contents") -> str:
    """The whole page."""
    scripts = [_vega(), _asset("page.js")]
    hashes = " ".join(f"'sha256-{_hash(script)}'" for script in scripts)
    specs = {figure.name: figure.spec for figure in contents.figures}
    page = (
        environment()
        .get_template("page.html")
        .render(
            page=contents,
            specs=script_json(specs),
            style=Markup(_asset("page.css")),
            scripts=[Markup(script) for script in scripts],
            policy=f"default-src 'none'; script-src {hashes}; style-src 'unsafe-inline'; img-src data:; "
            "base-uri 'none'; form-action 'none'",
            version=describe_versions().get("equipoise", ""),
        )
    )
    return _CONTROL.sub("\ufffd", page)


def script_json(content: Any) -> Markup:
    """JSON that cannot end the script element it stands in."""
    text = json.dumps(content, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    return Markup(text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026"))


def cell_text(value: Any) -> str:
    """A cell of a table as text."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return "-"
    if isinstance(value, bool | np.bool_):
        return "yes" if value else "no"
    return shown(value) if isinstance(value, float) else str(value)


def unbroken(sentence: str) -> Markup:
    """A sentence in which no number is broken from its exponent or its unit at the end of a line."""
    sentence = _PERCENT.sub("\u00a0%", sentence)
    return Markup(_EXPONENT.sub(r'<span class="whole">\g<0></span>', str(escape(sentence))))


def is_number(value: Any) -> bool:
    """Whether a cell stands to the right."""
    return isinstance(value, int | float) and not isinstance(value, bool)


@cache
def environment() -> Environment:
    """Return the templates of every page; whatever stands in a result is escaped."""
    environment = Environment(
        loader=PackageLoader(PACKAGE, "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(cell=cell_text, unbroken=unbroken)
    environment.tests.update(numeric=is_number)
    return environment


@cache
def _asset(name: str) -> str:
    return (files(PACKAGE) / "assets" / name).read_text(encoding="utf-8")


@cache
def _vega() -> str:
    """Vega and Vega-Lite, as `recipes/vega_bundle.py` took them from vl-convert."""
    return gzip.decompress((files(PACKAGE) / "assets" / "vega.js.gz").read_bytes()).decode("utf-8")


def _hash(script: str) -> str:
    return base64.b64encode(hashlib.sha256(script.encode("utf-8")).digest()).decode("ascii")


MOST_MODELS = 6
"""A study of more models than these is shown by its tables."""


class Collected(NamedTuple):
    """The results, studies and corpora of several folders."""

    results: list[Result]
    studies: list[Study]
    corpora: list[SavedCorpus]


def collect(folders: Sequence[Path]) -> Collected:
    """Everything in the folders; one that holds neither results, a study nor a corpus is refused."""
    holding: list[Path] = []
    of_studies: list[Result] = []
    studies: list[Study] = []
    corpora: list[SavedCorpus] = []
    for folder in folders:
        if is_corpus(folder):
            corpora.append(load_corpus(folder))
        elif is_study(folder):
            studies.append(load_study(folder))
            of_studies += _study_results(folder)
        else:
            held_by_model = [] if _holds(folder) else list(_holding(folder))
            holding += held_by_model or [folder]
    results = [result for held in load_folders(holding) for result in held]
    return Collected(_with_new(_each_once(results), of_studies), studies, corpora)


def _study_results(folder: Path) -> list[Result]:
    """What a study measured, where it is a few models that can be told apart; else its tables say it."""
    of_steps = [result for path in _holding(folder / STEP_FOLDER) for result in load_results(path)]
    of_models = [result for path in _holding(folder) for result in load_results(path)]
    return _told_apart(of_steps, MOST_MODELS) + _told_apart(of_models, len(of_models))


def _told_apart(results: list[Result], most: int) -> list[Result]:
    models = {(result.model, result.fingerprint) for result in results}
    can_be_told_apart = len({name for name, _ in models}) == len(models) <= most
    return results if can_be_told_apart else []


def _holds(folder: Path) -> bool:
    return (folder / MANIFEST).exists() or any(folder.glob(f"*/{MANIFEST}"))


def _holding(folder: Path) -> Iterator[Path]:
    """Return the direct subfolders with results. Studies write one for each model."""
    for path in sorted(folder.iterdir()) if folder.is_dir() else ():
        if path.is_dir() and not path.name.startswith(".") and _holds(path):
            yield path


def _each_once(results: Sequence[Result]) -> list[Result]:
    """Results without those that two folders hold word for word, such as a study and its model's own."""
    kept: dict[tuple[str, str, str, str], Result] = {}
    for result in results:
        created = str(result.provenance.get("created", ""))
        kept.setdefault((result.fingerprint, result.instrument, result.variant, created), result)
    return list(kept.values())


def _with_new(given: list[Result], of_studies: Sequence[Result]) -> list[Result]:
    """The results that were given, and what studies measured beside them: not the same thing once more."""
    seen = {(result.fingerprint, kind_of(result)) for result in given}
    for result in of_studies:
        if (result.fingerprint, kind_of(result)) not in seen:
            seen.add((result.fingerprint, kind_of(result)))
            given = [*given, result]
    return given
