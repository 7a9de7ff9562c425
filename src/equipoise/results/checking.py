"""What a stored result must look like: the fields that a page or a comparison reads, with their types.

Checksums find a file that was changed after it was saved; a file that was written by hand, with checksums
that fit, must be refused here, because everything behind this border trusts the types.
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd

from equipoise.results.estimate import BETTER
from equipoise.results.quantity import SCALES, Quantity

NUMBER, LARGEST_COUNT = "a number", 2**53


@dataclass(frozen=True)
class Each:
    """A mapping whose values all have one shape, whatever its keys."""

    shape: Any


@dataclass(frozen=True)
class OneOf:
    """A value that must be one of these, or of one of these shapes."""

    shapes: tuple[Any, ...]


OPTIONAL_TEXT = OneOf((str, None))
OPTIONAL_NUMBER = OneOf((NUMBER, None))

QUANTITY = {
    **dict.fromkeys(("key", "label", "column", "unit", "over", "name", "question"), str),
    "margin": NUMBER,
    **dict.fromkeys(("absolute", "ranks", "headline", "compared"), bool),
    "kind": OneOf(("mean", "share", "probability", "size")),
    "better": OneOf(tuple(BETTER)),
    "scale": OneOf(tuple(SCALES)),
    **dict.fromkeys(("neutral", "enough"), OPTIONAL_NUMBER),
    "sides": [str],
    "part": OneOf(("bias", "guard", "ability")),
    "factors": [str],
    "where": Each(str),
    "contrast": OneOf((Each(OneOf((str, bool))), None)),
}
PROVENANCE = {
    "instrument": {"name": str, "title": str, "variant": str, "version": int},
    "model": {"name": str, "kind": str, "fingerprint": str, "precision": str, "notes": [str]},
    "data": {"name": str, "poles": str, "files": Each(str), "notices": [str]},
    "choices": Each(OneOf((str, bool, NUMBER))),
    "fixed_choices": [str],
    "roles": Each([str]),
    "quantities": [QUANTITY],
    "sentences": [str],
    "versions": Each(str),
    "created": str,
    "sample": {
        **dict.fromkeys(("asked", "of", "seed"), int),
        "share": NUMBER,
        "whole": [{**dict.fromkeys(("key", "by", "level"), str), **dict.fromkeys(("low", "high"), NUMBER)}],
    },
    "columns": Each(str),
}
ESTIMATE = {
    **dict.fromkeys(("key", "by", "level", "label", "unit"), str),
    **dict.fromkeys(("value", "low", "high", "neutral"), OPTIONAL_NUMBER),
    **dict.fromkeys(("n", "dropped"), int),
    "better": OneOf(tuple(BETTER)),
    "headline": bool,
    "void": OPTIONAL_TEXT,
}
MANIFEST = {"instrument": str, "model": str, "fingerprint": str, "files": Each(Each(OneOf((str, int))))}
STUDY = {
    **dict.fromkeys(("name", "title"), str),
    "settings": Each(object),
    "plan": [{"name": str, "what": str, "taken": OPTIONAL_NUMBER}],
    "sentences": [str],
    "tables": [str],
    "files": Each(str),
}


class WrongShapeError(ValueError):
    """A stored value has another type or shape than expected."""


def check_shape(value: Any, shape: Any, where: str) -> None:
    """Refuse a value of the wrong type. A missing field is accepted."""
    if isinstance(shape, Each):
        _refuse_unless(isinstance(value, Mapping), value, "a table", where)
        for name, cell in value.items():
            check_shape(cell, shape.shape, f"{where}.{name}")
    elif isinstance(shape, Mapping):
        _refuse_unless(isinstance(value, Mapping), value, "a table", where)
        for name in shape.keys() & value.keys():
            check_shape(value[name], shape[name], f"{where}.{name}")
    elif isinstance(shape, list):
        _refuse_unless(isinstance(value, list), value, "a list", where)
        for number, cell in enumerate(value):
            check_shape(cell, shape[0], f"{where}[{number}]")
    elif isinstance(shape, OneOf):
        _refuse_unless(any(_fits(value, one) for one in shape.shapes), value, _said(shape), where)
    else:
        _refuse_unless(_fits(value, shape), value, _said(shape), where)


def require(value: Any, names: Iterable[str], where: str) -> None:
    """Refuse a mapping that lacks one of these names."""
    missing = [name for name in names if name not in value]
    if missing:
        raise WrongShapeError(f"{where} has no {missing[0]}")


def check_provenance(provenance: Any) -> None:
    """Refuse a provenance that could not be shown or compared."""
    check_shape(provenance, PROVENANCE, "provenance")
    require(provenance, ("instrument", "columns"), "provenance")
    require(provenance["instrument"], ("name",), "provenance.instrument")
    for record in provenance.get("quantities", ()):
        Quantity.from_record(record)


def check_estimates(rows: Any) -> None:
    """Refuse estimates that are not rows of texts and numbers."""
    check_shape(rows, [ESTIMATE], "estimates")
    for number, row in enumerate(rows):
        require(row, ESTIMATE.keys() - {"void"}, f"estimates[{number}]")


def check_items(items: pd.DataFrame, provenance: Mapping[str, Any]) -> None:
    """Refuse items without the columns that every item has, or that the quantities compare."""
    quantities = provenance.get("quantities", ())
    compared = [record for record in quantities if not record.get("statistic")]
    # A statistic is computed from what was chosen, which may be words, or from shares, which are numbers.
    counted = [record for record in quantities if record.get("statistic")]
    numbers = {record.get("column", "score") for record in compared}
    numbers |= {name for record in counted for name in record.get("shares", ())}
    chosen = {name for record in quantities for name in record.get("where", ())}
    chosen |= {record.get("column", "score") for record in counted}
    require(items, ("item", "dropped", *sorted(numbers | chosen)), "the items")
    for name in sorted(numbers):
        _refuse_unless(items[name].dtype.kind in "fib", items[name].iloc[0], "a number", f"items.{name}")


def _fits(value: Any, shape: Any) -> bool:
    if shape is NUMBER:
        return isinstance(value, int | float) and not isinstance(value, bool) and _is_finite(value)
    if shape is int:
        return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= LARGEST_COUNT
    if shape is str:
        return isinstance(value, str) and _can_be_written(value)
    if isinstance(shape, type):
        return isinstance(value, shape)
    if isinstance(shape, Each):
        return isinstance(value, Mapping) and all(_fits(cell, shape.shape) for cell in value.values())
    if isinstance(shape, OneOf):
        return any(_fits(value, one) for one in shape.shapes)
    return bool(value == shape)


def _is_finite(value: float) -> bool:
    try:
        return math.isfinite(float(value))
    except OverflowError:
        return False


def _can_be_written(text: str) -> bool:
    """Half a surrogate pair, which JSON may spell, is not text that a page can hold."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return "\0" not in text


def _refuse_unless(fits: bool, value: Any, expected: str, where: str) -> None:
    if not fits:
        raise WrongShapeError(f"{where} is {value!r:.40} where {expected} is expected")


def _said(shape: Any) -> str:
    if isinstance(shape, OneOf):
        return " or ".join(map(_said, shape.shapes))
    named = {str: "a text", int: "a count", bool: "true or false", None: "nothing", NUMBER: NUMBER}
    if isinstance(shape, Each):
        return "a table"
    return named[shape] if shape in named else repr(shape)
