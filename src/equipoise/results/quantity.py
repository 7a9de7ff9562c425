"""Quantities: what of an instrument's items is compared between models, and by which columns."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

Part = Literal["bias", "guard", "ability"]
"""What a quantity tells of: the bias, what a model must keep knowing, or whether it can do the task."""

Kind = Literal["mean", "share", "probability", "size"]
"""What the column holds decides on the interval: numbers of either sign, hits (1) and misses (0), numbers
from 0 to 1, or numbers of which only the distance from neutral counts."""


@dataclass(frozen=True)
class Roles:
    """Which columns of the items play which part, beside `item`, `score` and `dropped`, which all have.

    `factors` are the columns whose levels several items share (a template, a profession): the mean over items
    is only as sure as they are many. `groups` are the columns that estimates are split by. `shown` are those
    that a page shows of an item beside its score; a name that ends with _ stands for all that begin so.
    """

    text: tuple[str, ...] = ("text",)
    factors: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()
    shown: tuple[str, ...] = ()


@dataclass(frozen=True)
class Contrast:
    """Two levels of a column: the quantity is the mean at the first less the mean at the second."""

    column: str
    first: str
    second: str


@dataclass(frozen=True)
class Quantity:
    """One number that two models are compared by, as a function of their items.

    The rows where every column of `where` has its value are taken; `over` averages them by a column first;
    its `kind` says what is done with the values after that; a `contrast` subtracts one class from another.
    `margin` is the largest difference that the instrument's author holds to be immaterial. A `statistic` is
    no mean but a function of a confusion matrix, named as in `stats.f1.FourF1`: `column` holds the choices,
    the contrast names the column of the truth and the two classes. "gbm" reads the columns `shares` instead,
    by the two classes.
    """

    key: str
    label: str
    margin: float
    column: str = "score"
    unit: str = ""
    neutral: float = 0.0
    better: str = "neutral"
    part: Part = "bias"
    factors: tuple[str, ...] = ()
    where: Mapping[str, str] = field(default_factory=dict)
    over: str = ""
    kind: Kind = "mean"
    contrast: Contrast | None = None
    ranks: bool = False
    statistic: str = ""
    shares: tuple[str, ...] = ()

    def to_record(self) -> dict[str, Any]:
        """The quantity as JSON values."""
        return asdict(self) | {"factors": list(self.factors), "shares": list(self.shares)}

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> "Quantity":
        """The quantity that `to_record` wrote."""
        contrast = record.get("contrast")
        lists = {name: tuple(record.get(name, ())) for name in ("factors", "shares")}
        cells = dict(record) | lists
        if cells.pop("absolute", False):  # so were sizes written before kinds were
            cells["kind"] = "size"
        return cls(**cells | {"contrast": Contrast(**contrast) if contrast else None})
