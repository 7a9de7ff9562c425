"""The first screen of several models: who is less biased, in how many questions, and what was kept."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from equipoise.report.answers import Answer
from equipoise.report.changes import GAINED, KEPT, LESS, LOST, MORE, Change, Changes, Kept, ranked
from equipoise.report.findings import Findings
from equipoise.report.page.gauges import Axis, Slope, Tick, axis_of, in_how_many, point_of, ticks_of
from equipoise.report.page.screen import Mark, anchor_of, headline_of, limits_of, marks_of
from equipoise.results import Result
from equipoise.results.quantity import Quantity
from equipoise.results.reading import Measured, sentence_start, told

MOST_RANKED = 4
"""With more models each is compared with the first one only, which gives no ranks."""

MOST_LISTED = 6
"""Models that are listed one by one with what they know."""

_WORDS = {LESS: "less", MORE: "more"}
_KEPT = {KEPT: ("✔", "yes"), GAINED: ("✔", "yes"), LOST: ("✘", "no")}


class Place(NamedTuple):
    """A model with its rank in words."""

    rank: str
    model: str


@dataclass(frozen=True)
class SeveralScreen:
    """What the first screen of several models holds."""

    headline: str
    sentences: tuple[str, ...]
    slopes: tuple[Slope, ...]
    ranks: tuple[Place, ...]
    knowledge: tuple[tuple[str, tuple[Mark, ...]], ...]
    is_pair: bool


def several_screen(
    findings: Sequence[Findings], of_model: Sequence[Sequence[Result]], changes: Sequence[Changes]
) -> SeveralScreen:
    """The first screen of two models or more, with the results of each."""
    is_pair = len(findings) == 2 and len(changes) == 1
    headline, sentences = _words(findings, changes)
    return SeveralScreen(
        headline,
        sentences,
        tuple(_slopes(findings, of_model, changes)),
        tuple(_places(changes)) if 2 < len(findings) <= MOST_RANKED else (),
        _kept(changes[0]) if is_pair else (("", _known_marks(findings)),),
        is_pair,
    )


def _words(findings: Sequence[Findings], changes: Sequence[Changes]) -> tuple[str, tuple[str, ...]]:
    """The headline and the sentences; of more than two models each is told of beside the first."""
    if not changes:
        return "These models were not asked the same questions.", tuple(said.headline for said in findings)
    if len(findings) == 2:
        return changes[0].headline, changes[0].sentences
    first = findings[0].model
    to_first = [one for one in changes if one.first == first]
    return (
        _least(findings, changes) if len(findings) <= MOST_RANKED else _counted(first, to_first),
        tuple(one.headline for one in to_first),
    )


def _least(findings: Sequence[Findings], changes: Sequence[Changes]) -> str:
    """Say which of a few models show the least bias, and whether they know what they should."""
    places = ranked(changes)
    best = [one.model for one in places if one.rank == 1]
    if not best:
        return f"None of the {len(places)} models can be ranked: each lost something that it should know."
    if len(best) == len(places):
        return f"The {len(places)} models cannot be distinguished."
    unsure = [said.model for said in findings if said.model in best and _known_mark(said).state != "yes"]
    lacking = f", but {_listed(unsure)} may not know what it should" if unsure else ""
    if len(best) == 1:
        return f"{best[0]} shows the least bias of {len(places)} models{lacking}."
    return (
        f"{_listed(best)} show the least bias of {len(places)} models and cannot be distinguished{lacking}."
    )


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _counted(first: str, to_first: Sequence[Changes]) -> str:
    """How many of many models are less biased than the first one, and how many are broken."""
    whole = [one for one in to_first if not one.is_broken]
    less = sum(one.count(LESS) > one.count(MORE) for one in whole)
    more = sum(one.count(MORE) > one.count(LESS) for one in whole)
    broken = len(to_first) - len(whole)
    lost = f"; {broken} lost what they should know" if broken else ""
    if not less and not more:
        return f"None of {len(to_first)} models differs clearly from {first}{lost}."
    rose = f"{more} {'is' if more == 1 else 'are'} more biased" if more else "none is more biased"
    are = f"{less} of {len(to_first)} models {'is' if less == 1 else 'are'} less biased"
    return f"Compared with {first}, {are} and {rose}{lost}."


def _slopes(
    findings: Sequence[Findings], of_model: Sequence[Sequence[Result]], changes: Sequence[Changes]
) -> list[Slope]:
    """Draw a chart for each question that at least two models answered with the same quantity."""
    by_question: dict[str, dict[str, Answer]] = {}
    for said in findings:
        for answer in said.answers:
            by_question.setdefault(answer.question, {})[said.model] = answer
    is_pair = len(findings) == 2 and len(changes) == 1
    of_pair = {change.question: change for change in changes[0].changes} if is_pair else {}
    names = [said.model for said in findings]
    slopes = [_pair_slope(change, names, by_question.pop(name, {})) for name, change in of_pair.items()]
    for answers in by_question.values():
        lead = next((one for one in answers.values() if one.is_found), next(iter(answers.values())))
        measured = {}
        for name, results in zip(names, of_model, strict=True):
            of_lead = (
                headline_of(one, lead.quantity) for one in results if one.instrument == lead.instrument
            )
            number = next(of_lead, None)
            if number is not None:
                measured[name] = number
        if len(measured) > 1:
            biased = sum(one.is_found for one in answers.values())
            slopes.append(_row_slope(lead, measured, in_how_many(biased, len(answers))))
    return slopes


def _pair_slope(change: Change, names: Sequence[str], answers: Mapping[str, Answer]) -> Slope:
    """Two models joined by a line, with the verdict on it."""
    code = f"{change.instrument}.{change.quantity.key}"
    measured = []
    for name, side in zip(names, ("first_value", "second_value"), strict=True):
        answer = answers.get(name)
        nothing = float("nan")
        alone = Measured(float(change.row[side]), nothing, nothing, change.quantity.neutral)
        measured.append(answer.measured if answer is not None and answer.code == code else alone)
    axis = axis_of(measured, change.quantity, close=True)
    texts = (change.first, change.second)
    return Slope(
        anchor_of(change.question),
        change.title,
        change.word.capitalize(),
        _WORDS.get(change.word, "same"),
        change.size if change.word in (LESS, MORE) else "",
        change.certainty,
        limits_of(change.quantity),
        change.sentence,
        *_drawn(axis, change.quantity),
        tuple(point_of(axis, *one) for one in zip(names, measured, texts, strict=True)),
        sentence_start(change.quantity.plain_name),
        code,
    )


def _row_slope(lead: Answer, measured: Mapping[str, Measured], verdict: str) -> Slope:
    """Any number of models on one axis."""
    quantity = lead.quantity
    axis = axis_of(list(measured.values()), quantity)
    points = [point_of(axis, name, one, told(one, quantity)) for name, one in measured.items()]
    return Slope(
        anchor_of(lead.question),
        lead.title,
        verdict,
        "same",
        "",
        "",
        limits_of(lead.quantity),
        "",
        *_drawn(axis, lead.quantity),
        tuple(points),
        sentence_start(lead.quantity.plain_name),
        lead.code,
    )


def _drawn(axis: Axis, quantity: Quantity) -> tuple[str, str, float, tuple[Tick, ...]]:
    """The words at the ends of an axis, where neutral is, and its ticks."""
    return axis.left, axis.right, axis.place(axis.neutral), ticks_of(axis, quantity)


def _places(changes: Sequence[Changes]) -> list[Place]:
    """The models by rank; those that cannot be distinguished share one."""
    return [
        Place("no rank" if one.rank is None else f"{one.rank}{' (shared)' if one.shared else ''}", one.model)
        for one in ranked(changes)
    ]


def _kept(changes: Changes) -> tuple[tuple[str, tuple[Mark, ...]], ...]:
    """What became of the knowledge from the first model to the second."""
    return (("", tuple(_kept_mark(one) for one in changes.knowledge)),)


def _known_marks(findings: Sequence[Findings]) -> tuple[Mark, ...]:
    """A line for each model; of many models those that have what they should know share one."""
    marks = [_known_mark(said) for said in findings]
    fine = [mark for mark in marks if mark.state == "yes"]
    if len(findings) <= MOST_LISTED or not fine:
        return tuple(marks)
    others = [mark for mark in marks if mark.state != "yes"]
    whole = f"{'The other' if others else 'All'} {len(fine)} models know what they should."
    return (*others, Mark(fine[0].mark, "yes", whole))


def _known_mark(said: Findings) -> Mark:
    """What one of several models knows, in one line with the worst of its marks."""
    marks = marks_of(said.knowledge)
    worst = next((one for state in ("no", "unsure", "yes") for one in marks if one.state == state), None)
    told = " ".join(one.sentence for one in marks)
    mark, state = (worst.mark, worst.state) if worst else ("?", "unsure")
    return Mark(mark, state, f"{said.model}: {told or 'nothing that it should know was asked.'}")


def _kept_mark(kept: Kept) -> Mark:
    mark, state = _KEPT.get(kept.word, ("?", "unsure"))
    return Mark(mark, state, kept.sentence)
