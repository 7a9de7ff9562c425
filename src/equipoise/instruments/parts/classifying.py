"""What instruments on classifiers share: the label that is asked for, checked before anything is run."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from equipoise.corpora.vocabulary import gendered_words
from equipoise.errors import UserError
from equipoise.instruments.base import Answers, Settings
from equipoise.models.capabilities import find_label
from equipoise.models.protocol import LanguageModel
from equipoise.models.questions import LabelScores
from equipoise.results import Quantity
from equipoise.text.gendered import FEMALE, MALE
from equipoise.text.rewriting import Rewriter

UNIT = "probability"


def check_label(model: LanguageModel, settings: Settings) -> None:
    """Refuse a classifier that does not have the label asked for."""
    find_label(model.labels, settings.label)


def label_in(answers: Answers, settings: Settings) -> str:
    """The label asked for, as the classifier writes it."""
    first: LabelScores = next(iter(answers.values()))
    return find_label(first.labels, settings.label)


def require_labels(model: LanguageModel, wanted: tuple[str, ...], *, by: str) -> None:
    """Refuse a classifier that lacks one of the labels which an instrument is about."""
    known = {label.lower() for label in model.labels}
    missing = [label for label in wanted if label not in known]
    if missing:
        raise UserError(
            f"{by} needs the label {missing[0]!r}, and {model.name!r} has: {', '.join(model.labels)}.",
            "Name a classifier of natural language inference, with its labels named in config.json.",
        )


def size_quantity(label: str, factors: tuple[str, ...]) -> Quantity:
    """How far scores lie apart, whichever way: what classifiers are ranked by."""
    return Quantity(
        *("mean-size", label, 0.01),
        unit=UNIT,
        better="lower",
        factors=factors,
        kind="size",
        ranks=True,
        name=label,
        question="decisions",
        headline=True,
    )


SIDES = (MALE, FEMALE)
NOT_TURNED = "no gendered word to turn"
BOTH = "words of both genders, or of none that is listed"


class Versions(NamedTuple):
    """Both versions, the written side, its first names with those of the other, or why there are none."""

    texts: dict[str, str]
    written: str = ""
    names: Mapping[str, str] = MappingProxyType({})
    dropped: str = ""


def versions_of(text: str, rewriter: Rewriter) -> Versions:
    """The text about a man and about a woman; its own gendered words tell which one was written."""
    rewritten = rewriter.rewrite(text)
    none = dict.fromkeys(SIDES, "")
    if rewritten.text == text:
        return Versions(none, dropped=NOT_TURNED)
    known = gendered_words()
    genders = {known[word] for word in _words(text) if word in known}
    if len(genders) != 1:
        return Versions(none, dropped=BOTH)
    (written,) = genders
    other = FEMALE if written == MALE else MALE
    names = {change.old: change.new or change.old for change in rewritten.changes if change.rule == "name"}
    return Versions({written: text, other: rewritten.text}, written, names)


def _words(text: str) -> list[str]:
    return [word.strip(".,;:!?\"'()").lower() for word in text.split()]
