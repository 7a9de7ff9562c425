"""Measurements: results of one instrument on the same data, one for each model, side by side."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from equipoise.errors import UserError
from equipoise.models.loading import LABELS
from equipoise.results import Result

Kind = tuple[str, str, str, str]
"""What makes two results the same measurement: instrument, variant, data and poles."""


@dataclass(frozen=True)
class Measurement:
    """What one instrument said of one or more models, by the name that the page calls each."""

    name: str
    title: str
    results: dict[str, Result]

    @property
    def instrument(self) -> str:
        """The instrument's name."""
        return self.first.instrument

    @property
    def first(self) -> Result:
        """The result of the first model."""
        return next(iter(self.results.values()))


@dataclass(frozen=True)
class MeasuredModel:
    """A model by the name that the page calls it, with what its results say of it."""

    label: str
    name: str
    fingerprint: str
    kind: str
    precision: str
    notes: tuple[str, ...]


def measured_models(results: Sequence[Result]) -> list[MeasuredModel]:
    """The models in the order given; two of one name are refused, unless they are the same."""
    by_print: dict[str, MeasuredModel] = {}
    for result in results:
        if result.fingerprint not in by_print:
            by_print[result.fingerprint] = _model(result)
    models = list(by_print.values())
    _refuse_namesakes(models)
    labels = _short_names([model.name for model in models])
    return [_labelled(model, label) for model, label in zip(models, labels, strict=True)]


def measurements(results: Sequence[Result]) -> list[Measurement]:
    """The results side by side; the same measurement of the same model twice is refused."""
    labels = {model.fingerprint: model.label for model in measured_models(results)}
    kinds: dict[Kind, dict[str, Result]] = {}
    for result in results:
        same = kinds.setdefault(kind_of(result), {})
        label = labels[result.fingerprint]
        if label in same:
            raise UserError(
                f"Two results of {result.instrument} for {result.model!r} are of the same data and variant.",
                "Give each result once.",
            )
        same[label] = result.renamed(label)
    instruments = [kind[0] for kind in kinds]
    return [
        Measurement(*_names(kind, instruments.count(kind[0]) > 1, next(iter(same.values()))), same)
        for kind, same in kinds.items()
    ]


def with_short_names(results: Sequence[Sequence[Result]]) -> list[list[Result]]:
    """The results with each model named by as much of its path as tells it apart."""
    models = measured_models([one for held in results for one in held])
    labels = {one.fingerprint: one.label for one in models}
    return [[one.renamed(labels[one.fingerprint]) for one in held] for held in results]


def slug(text: str) -> str:
    """A name that serves as a file name and in an address."""
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")[:80] or "part"


def data_name(result: Result) -> str:
    """The data set's name, or the last part of a user's path."""
    return Path(str(result.provenance.get("data", {}).get("name", ""))).name or "data"


def kind_of(result: Result) -> Kind:
    """What is measured, whatever the model."""
    return result.instrument, result.variant, data_name(result), Path(result.poles).name


def _names(kind: Kind, is_one_of_several: bool, result: Result) -> tuple[str, str]:
    """The name and title of a measurement; data and variant are named where the instrument is not enough."""
    title = str(result.provenance.get("instrument", {}).get("title", "")) or result.instrument
    if not is_one_of_several:
        return slug(kind[0]), title
    return slug(" ".join(kind)), f"{title} ({', '.join(part for part in kind[1:] if part)})"


def _model(result: Result) -> MeasuredModel:
    told = result.provenance.get("model", {})
    return MeasuredModel(
        "",
        result.model,
        result.fingerprint,
        str(told.get("kind", "")),
        str(told.get("precision", "")),
        tuple(told.get("notes", ())),
    )


def _labelled(model: MeasuredModel, label: str) -> MeasuredModel:
    return MeasuredModel(label, model.name, model.fingerprint, model.kind, model.precision, model.notes)


def _refuse_namesakes(models: Sequence[MeasuredModel]) -> None:
    names = [model.name for model in models]
    for name in names:
        if names.count(name) > 1:
            raise UserError(
                f"Two different models are called {name!r}.",
                "Measure them by folders that tell them apart, and report them again.",
            )


def _short_names(names: Sequence[str]) -> list[str]:
    """As many of the last parts of each name as tell the models apart: a page shows nobody's folders."""
    paths = [Path(name.replace("#", "/") if "://" in name else name) for name in names]
    parts = [
        [part for part in path.parts if part != "/"] or [name]
        for path, name in zip(paths, names, strict=True)
    ]
    labels = []
    for own, name in zip(parts, names, strict=True):
        others = [one for one in parts if one is not own]
        sizes = range(1, len(own) + 1)
        size = next((n for n in sizes if all(one[-n:] != own[-n:] for one in others)), len(own))
        labels.append(LABELS.get(name, "/".join(own[-size:])))
    return labels
