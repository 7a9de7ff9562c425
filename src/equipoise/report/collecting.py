"""Collecting what a page is made of from folders: results, results by model, and studies."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from equipoise.report.corpus_findings import SavedCorpus, is_corpus, load_corpus
from equipoise.report.measurements import kind_of
from equipoise.report.sections import Study, is_study, load_study
from equipoise.results import Result, load_results
from equipoise.results.result import load_folders
from equipoise.results.saving import MANIFEST
from equipoise.studies.steps import STEP_FOLDER

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
    """The direct subfolders that hold results, as studies write them: one for each model."""
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
