"""The first screen: a headline, a card for each question, what a model should know, and where it stands.

`references.csv` holds measured figures of random weights and of the built-in model, to compare with.
`recipes/reference_figures.py` writes it from saved results.
"""

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from math import isnan
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from equipoise.models.loading import LABELS, RANDOM
from equipoise.report.answers import NO_DIFFERENCE, NOT_MEANINGFUL, UNTOLD, Answer, Known
from equipoise.report.corpus_findings import SHARE, CorpusFinding, SavedCorpus, say_corpus
from equipoise.report.examples import Example
from equipoise.report.findings import Findings
from equipoise.report.measurements import slug
from equipoise.report.page.gauges import Gauge, Slope, axis_of, gauge
from equipoise.results import Result
from equipoise.results.quantity import SCALES, Quantity
from equipoise.results.reading import Measured, amount, sentence_start
from equipoise.results.records import fixed
from equipoise.text.blank import BLANK

TABLE = Path(__file__).parent / "references.csv"
THIS_MODEL = "this model"
MOST_LINES = 4


class Point(NamedTuple):
    """A model and where it stands, in percent."""

    name: str
    at: float


class Line(NamedTuple):
    """One question: this model among the reference models."""

    name: str
    left: str
    right: str
    neutral: float
    points: tuple[Point, ...]
    alt: str

    @property
    def knows_nothing(self) -> bool:
        """Whether random weights are all that there is to compare with."""
        return {point.name for point in self.points} <= {THIS_MODEL, LABELS[RANDOM]}


def standing_of(answers: Iterable[Answer], results: Sequence[Result]) -> tuple[Line, ...]:
    """A line for each answer that reference models gave on the same data."""
    of_instrument = {result.instrument: result for result in results}
    lines = (_line(answer, of_instrument[answer.instrument]) for answer in answers)
    return tuple(line for line in lines if line is not None)[:MOST_LINES]


def reference_rows(result: Result) -> list[dict[str, Any]]:
    """The rows that a reference model has in the table: its meaningful headlines about bias."""
    rows = []
    for quantity in result.declared:
        measured = headline_of(result, quantity)
        if quantity.part == "bias" and quantity.question and measured is not None:
            rows.append(_named(result, quantity.key) | {"value": measured.value})
    return rows


def headline_of(result: Result, quantity: Quantity) -> Measured | None:
    """The number of a quantity that is read first; None where there is none or it means nothing."""
    table = result.estimates
    held = table[(table["key"] == quantity.key) & table["headline"] & (table["void"] == "")]
    if held.empty:
        return None
    measured = Measured.of(held.sort_values("by", kind="stable").iloc[0], quantity)
    return None if isnan(measured.value) else measured


def _named(result: Result, key: str) -> dict[str, Any]:
    """Return the key by which two numbers are the same measurement, and the model it belongs to."""
    return {
        "model": result.model,
        "fingerprint": result.fingerprint,
        "instrument": result.instrument,
        "variant": result.variant,
        "data": _digest(result),
        "key": key,
    }


def _line(answer: Answer, result: Result) -> Line | None:
    if answer.word == NOT_MEANINGFUL or isnan(answer.measured.value):
        return None
    own = _named(result, answer.quantity.key)
    table = _references()
    same = ["instrument", "variant", "data", "key"]
    known = table[(table[same] == [own[name] for name in same]).all(axis=1)]
    known = known[known["fingerprint"] != own["fingerprint"]]
    if known.empty:
        return None
    nothing, neutral = float("nan"), answer.measured.neutral
    values = {str(row["model"]): float(row["value"]) for row in known.to_dict("records")}
    measured = [Measured(value, nothing, nothing, neutral) for value in values.values()]
    axis = axis_of([answer.measured, *measured], answer.quantity)
    places = {name: axis.place(value) for name, value in values.items()}
    points = [Point(THIS_MODEL, axis.place(answer.measured.value)), *map(Point._make, places.items())]
    told = "; ".join(f"{point.name} at {fixed(point.at, 0)} %" for point in points)
    return Line(
        sentence_start(answer.quantity.plain_name),
        axis.left,
        axis.right,
        axis.place(neutral),
        tuple(points),
        f"From {axis.left} (0 %) to {axis.right} (100 %): {told}",
    )


def _digest(result: Result) -> str:
    """The files that were asked, in one short word."""
    told = " ".join(f"{name}={digest}" for name, digest in sorted(result.data_hashes.items()))
    return hashlib.sha256(told.encode()).hexdigest()[:16]


@cache
def _references() -> pd.DataFrame:
    return pd.read_csv(TABLE, dtype={"variant": str}, keep_default_na=False)


KINDS = {"YES": "yes", "IN PART": "yes", "NO": "none", NO_DIFFERENCE: "none"}
"""How a card looks by its answer; the others are void."""

STATES = {"✔": "yes", "✘": "no"}
PEOPLE = {"men", "women"}
MOST_BARS = 3
MOST_SENTENCES = 5
_TONES = {**dict.fromkeys(("he", "him", "his", "himself", "male", "men"), "men")}
_TONES |= dict.fromkeys(("she", "her", "hers", "herself", "female", "women"), "women")


class Bar(NamedTuple):
    """One probability: the word, its width in percent, the number in words, and whose colour it has."""

    word: str
    width: float
    number: str
    tone: str


class Shown(NamedTuple):
    """A real sentence, split at its blank, with a bar for each word; or the likelier of two sentences."""

    before: str
    after: str
    has_blank: bool
    bars: tuple[Bar, ...]
    pair: tuple[tuple[str, str, str], ...] = ()
    note: str = ""


@dataclass(frozen=True)
class Card:
    """The answer to one question."""

    anchor: str
    question: str
    answer: str
    kind: str
    size: str
    certainty: str
    limits: str
    sentence: str
    gauge: Gauge | None
    examples: tuple[Shown, ...]
    name: str
    code: str
    has_details: bool


class Mark(NamedTuple):
    """One thing that a model should know, with its own mark."""

    mark: str
    state: str
    sentence: str


@dataclass(frozen=True)
class Screen:
    """What a first screen holds: of one model, of a corpus, or of a study."""

    about: str
    title: str
    asked: str
    headline: str
    sentences: tuple[str, ...]
    cards: tuple[Card, ...]
    knowledge: tuple[Mark, ...]
    standing: tuple[Line, ...] = ()
    slopes: tuple[Slope, ...] = ()
    """What a study measured: every arm on one axis."""


def screen_of(model: str, findings: Findings, results: Sequence[Result], asked: str) -> Screen:
    """The first screen of one model."""
    return Screen(
        "Gender bias in",
        model,
        asked,
        findings.headline,
        findings.sentences,
        tuple(_card(one) for one in sorted(findings.answers, key=lambda one: not one.is_found)),
        # That everything could be asked is no knowledge.
        marks_of([one for one in findings.knowledge if one.kind != "coverage" or one.mark != "✔"]),
        standing_of(findings.answers, results),
    )


def corpus_screen(corpus: SavedCorpus) -> Screen:
    """The first screen of a corpus."""
    said = say_corpus(corpus.tables["mentions"], corpus.tables["cooccurrence"])
    cards = tuple(_corpus_card(corpus, finding) for finding in said.findings)
    return Screen("Women and men in", corpus.name, "", said.headline, said.sentences, cards, ())


def _corpus_card(corpus: SavedCorpus, finding: CorpusFinding) -> Card:
    measured = finding.measured
    return Card(
        f"{slug(corpus.name)}-{slug(finding.name)}",
        finding.question,
        finding.answer.rstrip("."),
        "yes" if finding.size or finding.certainty else "none",
        finding.size,
        finding.certainty,
        limits_of(SHARE),
        finding.sentence,
        gauge(measured, SHARE, finding.value, is_bias=bool(finding.size)) if measured else None,
        (),
        "Counted in this corpus",
        finding.name,
        has_details=False,
    )


def anchor_of(question: str) -> str:
    """The name of the part of the page that a question has."""
    return f"q-{question}"


def answer_words(answer: Answer) -> str:
    """The answer as a title: Yes, towards men."""
    word, contrast = answer.word.capitalize(), answer.quantity.contrast
    if answer.is_found and contrast and not (contrast.are_sides or answer.quantity.statistic):
        return f"{word}: {contrast.first} more {answer.side}"
    return f"{word}, {answer.side}" if answer.is_found and answer.side else word


def limits_of(quantity: Quantity) -> str:
    """The limits of size of a quantity, as a sentence."""
    small, clear, strong = (amount(limit, quantity) for limit in quantity.limits)
    reason = SCALES[quantity.scale].reason
    return f"Negligible below {small}, small below {clear}, clear below {strong}, else strong. {reason}"


def _card(answer: Answer) -> Card:
    told = answer.word not in (UNTOLD, NOT_MEANINGFUL)
    return Card(
        anchor_of(answer.question),
        answer.title,
        answer_words(answer),
        KINDS.get(answer.word, "void"),
        answer.size if told and answer.is_found else "",
        answer.certainty if told and answer.is_found else "",
        limits_of(answer.quantity),
        _said(answer),
        _gauge(answer),
        tuple(map(shown_example, _shown_first(answer))),
        f"{sentence_start(answer.quantity.plain_name)} · {answer.basis}",
        answer.code,
        has_details=True,
    )


def _said(answer: Answer) -> str:
    """The sentence of an answer, what its number counts, and how many occupations lean so."""
    meaning = f"{sentence_start(answer.meaning)}." if answer.meaning else ""
    detail = sentence_start(answer.detail) if answer.is_found else ""
    return " ".join(filter(None, (answer.sentence, meaning, detail)))


def _shown_first(answer: Answer) -> list[Example]:
    """The example on the side of the answer first; one of each side where the sides are people."""
    ordered = sorted(answer.example, key=lambda one: one.side != answer.side)
    return ordered[: 2 if "men" in answer.side else 1]


def _gauge(answer: Answer) -> Gauge | None:
    """The drawing of an answer; a number that means nothing has none."""
    if answer.word == NOT_MEANINGFUL:
        return None
    return gauge(answer.measured, answer.quantity, answer.value, is_bias=answer.is_found)


def shown_example(example: Example) -> Shown:
    """An example with its bars: probabilities at the blank, or else the side that its pair takes."""
    text = example.texts[0]
    before, blank, after = text.partition(BLANK)
    bars = tuple(
        Bar(word, _width(share), percent(share), _TONES.get(word.lower(), "plain"))
        for word, share in example.probabilities[:MOST_BARS]
    )
    if bars or len(example.texts) < 2:
        return Shown(before, after, bool(blank), bars, note=example.note)
    # The score of a pair is above 0 where the first of its texts is likelier.
    likelier, other = example.texts[:2] if example.value > 0 else example.texts[1::-1]
    return Shown("", "", False, (), _marked(likelier, other))


def _marked(likelier: str, other: str) -> tuple[tuple[str, str, str], ...]:
    """Both sentences in three parts, the second of which is where they differ."""
    words, others = likelier.split(" "), other.split(" ")
    shorter = min(len(words), len(others))
    start = next((at for at in range(shorter) if words[at] != others[at]), shorter)
    end = next((at for at in range(shorter - start) if words[-1 - at] != others[-1 - at]), shorter - start)
    return tuple(
        (" ".join(one[:start]), " ".join(one[start : len(one) - end]), " ".join(one[len(one) - end :]))
        for one in (words, others)
    )


def percent(share: float) -> str:
    """A probability in percent: one decimal where it is needed, and never 0 or 100 where it is neither."""
    if 0 < share < 0.001:
        return "under 0.1 %"
    places = 1 if share < 0.02 or share > 0.98 else 0
    text = fixed(100 * share, places)
    return f"{'over 99.9' if text == '100.0' and share < 1 else text} %"


def _width(share: float) -> float:
    return float(f"{100 * min(1.0, max(0.0, share)):.4g}")


def marks_of(knowledge: Sequence[Known]) -> tuple[Mark, ...]:
    """What a model should know, each with its mark."""
    return tuple(Mark(known.mark, STATES.get(known.mark, "unsure"), known.sentence) for known in knowledge)
