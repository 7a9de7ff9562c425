"""What an instrument is: it designs items, asks, scores what comes back, and summarises."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple, Protocol, TypeVar

import pandas as pd

from equipoise.choices import ALL_READ, EACH, choice
from equipoise.corpora.opening import CorpusChoice
from equipoise.data.poles import DEFAULT_POLES, Poles
from equipoise.data.reading import File
from equipoise.data.sources import Data, Source, resolve, without_table
from equipoise.errors import UserError, check_seed, unknown_name
from equipoise.models.protocol import LanguageModel
from equipoise.models.questions import MEAN, POOLINGS, Question
from equipoise.results import Estimate, Quantity, Roles, Summary
from equipoise.stats.association import MEASURES

LAST, ALL = "last", "all"


@dataclass(frozen=True)
class VectorChoice:
    """Layer (`last`, `all` or a number: 0 is the embeddings), pooling of a text's tokens, and measure."""

    layer: str = choice(
        LAST, "Layer of the vectors: last, all, or a number (0: the embeddings).", may_differ=False
    )
    pooling: str = choice(
        MEAN, "How a text becomes one vector: mean, mean-with-special or first.", may_differ=False
    )
    measure: str = choice(
        MEASURES[0], "Similarity of vectors: cosine, euclidean, manhattan or mahalanobis.", may_differ=False
    )

    def __post_init__(self) -> None:
        if self.layer not in (LAST, ALL) and not self.layer.lstrip("-").isdigit():
            raise UserError(
                f"There is no layer {self.layer!r}.",
                f"Give {LAST}, {ALL}, or a number from 0, the embeddings, on; -2 is the last but one.",
            )
        if self.pooling not in POOLINGS:
            raise unknown_name("pooling", self.pooling, POOLINGS)
        if self.measure not in MEASURES:
            raise unknown_name("measure", self.measure, MEASURES)


@dataclass(frozen=True)
class Settings:
    """What a user may choose of a measurement; every choice that an instrument can read is declared here.

    Comparison itself checks data, variant and poles, so they are declared as ones that may differ.
    """

    data: Data = choice(
        "", "A data set or a file: [INSTRUMENT=]NAME.", may_differ=True, given=EACH + ALL_READ
    )
    variant: str = choice(
        "", "A variant of the method: [INSTRUMENT=]NAME.", may_differ=True, given=EACH + ALL_READ
    )
    poles: str = choice(
        DEFAULT_POLES, "Poles or a file of poles: [INSTRUMENT=]NAME.", may_differ=True, given=EACH
    )
    data_dir: str | Path | None = choice(
        None, "Folder that holds published data sets.", may_differ=True, given=ALL_READ
    )
    seed: int = choice(0, "Seed for samples and intervals.", may_differ=True, given=ALL_READ)
    by: str = choice(
        "", "One or two columns to compare groups by, such as gender,origin.", may_differ=True, given=ALL_READ
    )
    corpus: CorpusChoice = field(default_factory=CorpusChoice)
    vectors: VectorChoice = field(default_factory=VectorChoice)
    label: str = choice("", "Label of a classifier whose score is compared.", may_differ=True)
    neutral_pairs: bool = choice(
        True,
        "Leave out the neutral pairs that pairs are compared with.",
        may_differ=True,
        flag="--no-neutral-pairs",
    )

    def __post_init__(self) -> None:
        check_seed(self.seed)
        object.__setattr__(self, "seed", int(self.seed))
        object.__setattr__(self, "poles", str(self.poles))
        object.__setattr__(self, "data", without_table(self.data))

    def completed(self, instrument: "Instrument[Any]") -> "Settings":
        """The same with the instrument's first variant where none was chosen; an unknown one is refused."""
        variant = self.variant or instrument.variants[0]
        if variant not in instrument.variants:
            raise unknown_name(f"variant of {instrument.name}", variant, instrument.variants)
        return replace(self, variant=variant)

    def source(self, instrument: "Instrument[Any]") -> Source:
        """What the chosen data stand for, or the instrument's first data set."""
        return resolve(self.data, instrument.datasets, reader=instrument.name, data_dir=self.data_dir)


@dataclass(frozen=True, kw_only=True)
class Design:
    """Everything that was read for a run, once: the items, the files, and what to say of them.

    An instrument that reads more, such as word lists, adds fields of its own.
    """

    items: pd.DataFrame
    files: tuple[File, ...]
    settings: Settings
    notices: tuple[str, ...] = ()
    quantities: tuple[Quantity, ...] = ()
    """What models are compared by on these items, where that is not the same for all data."""


@dataclass(frozen=True, kw_only=True)
class PolarDesign(Design):
    """The same with the poles whose words are asked."""

    poles: Poles


class Ask(NamedTuple):
    """A question with the item that it is asked for, and what it is asked for it as."""

    item: str
    role: str
    question: Question


Answers = Mapping[tuple[str, str], Any]
"""What a model answered, by item and role."""

D = TypeVar("D", bound=Design)


class Instrument(Protocol[D]):
    """A published method; the docstring of its module is its card.

    `needs` are the capabilities that a model must have, `reads` the choices of `parts.choices` that it takes
    (any other one is refused), `quantities` what models are compared by.
    """

    name: str
    title: str
    datasets: tuple[str, ...]
    variants: tuple[str, ...]
    needs: tuple[str, ...]
    reads: tuple[str, ...]
    roles: Roles
    quantities: tuple[Quantity, ...]

    def design(self, source: Source, settings: Settings) -> D:
        """Read everything that the run needs."""

    def ask(self, design: D, model: LanguageModel) -> Iterable[Ask]:
        """What to ask of the model; a model that cannot be asked it is refused with the reason."""

    def score(self, design: D, answers: Answers) -> pd.DataFrame:
        """The items with their signed `score` and why any was `dropped`."""

    def summarise(self, design: D, items: pd.DataFrame) -> Summary:
        """The numbers that a reader is meant to see, what must be known of them, and sentences."""


def describe_instrument(instrument: Instrument[Any], variant: str) -> dict[str, Any]:
    """What a result says of its instrument; the version is 1 until a change moves its numbers."""
    version = int(getattr(instrument, "version", 1))
    return {"name": instrument.name, "title": instrument.title, "variant": variant, "version": version}


METHODS = ("design", "ask", "score", "summarise")


def refuse_undeclared(instrument: Instrument[Any]) -> None:
    """Refuse an instrument of a user that does not declare all that every instrument declares."""
    declared = (*Instrument.__annotations__, *METHODS)
    missing = [name for name in declared if not hasattr(instrument, name)]
    if missing:
        raise UserError(
            f"The instrument {type(instrument).__name__} does not declare {', '.join(missing)}.",
            "Give its class each of them, such as reads = () where it takes no choices: docs/extending.md.",
        )


def refuse_undeclared_headlines(
    name: str, estimates: Iterable[Estimate], quantities: Iterable[Quantity]
) -> None:
    """Refuse a headline that is not declared: without name, question and sides nobody could read it."""
    declared = {quantity.key: quantity for quantity in quantities}
    for estimate in estimates:
        if not estimate.headline:
            continue
        quantity = declared.get(estimate.key)
        missing = quantity.undeclared() if quantity else ["a Quantity"]
        if missing:
            raise UserError(
                f"The headline {estimate.key!r} of {name} does not declare {', '.join(missing)}.",
                "Declare it among the quantities of the instrument: docs/extending.md.",
            )


def refuse_all_dropped(name: str, items: pd.DataFrame) -> None:
    """Refuse a result in which nothing could be asked."""
    if (items["dropped"] == "").any():
        return
    (reason, count) = Counter(items["dropped"]).most_common(1)[0]
    raise UserError(
        f"{name}: none of {len(items):,} items could be used; {count:,} of them: {reason}.",
        "Give data that the model can be asked, or another model.",
    )


def refuse_incomplete(name: str, items: pd.DataFrame, columns: Iterable[str], made_by: str) -> None:
    """Refuse items of an instrument that lack what every item has."""
    missing = [column for column in columns if column not in items]
    if missing or items.empty:
        what = f"without the column {', '.join(missing)}" if missing else "without any row"
        raise UserError(
            f"{name}: `{made_by}` gave items {what}.",
            "Give a row for every item, with the columns item and dropped, and score once they are scored.",
        )


def refuse_repeated_names(instrument: str, items: pd.DataFrame) -> None:
    """Refuse items of which two have one name."""
    repeated = items["item"][items["item"].duplicated()].tolist()
    if repeated:
        raise UserError(
            f"{instrument}: {len(repeated)} items have the name of another, the first: {repeated[0]!r}.",
            "Give every item a name of its own.",
        )


def refuse_repeated_asks(instrument: str, asks: Sequence[Ask]) -> None:
    """Answers are read by item and role: of two that share both, one would be lost."""
    if len({(ask.item, ask.role) for ask in asks}) == len(asks):
        return
    (item, role), count = Counter((ask.item, ask.role) for ask in asks).most_common(1)[0]
    raise UserError(
        f"{instrument} asks {count} questions for the item {item!r} in the role {role!r}.",
        "Give each question of an item a role of its own.",
    )
