"""Changes: what a comparison of models says in words, by question, and how the models rank.

    say_changes(comparison, results)  a `Changes` for each pair of models: headline, sentences, a `Change` for
                                      each question, and what became of the knowledge
    ranked(changes)                   the models by rank; models that cannot be distinguished share one

A model that lost what it should know is never called better without that being said, and has no rank.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite, isnan
from typing import Any

import pandas as pd

from equipoise.report.answers import TOPICS, place_in
from equipoise.results import Quantity, Result
from equipoise.results.comparison import Comparison
from equipoise.results.comparison.differences import ABSENT, BETTER, OTHER_SIDE, SAME, WORSE
from equipoise.results.quantity import QUESTIONS
from equipoise.results.reading import (
    CANNOT_TELL,
    CERTAIN,
    LIKELY,
    NEGLIGIBLE,
    SHARE_OF_80,
    Measured,
    amount,
    size_of,
    told,
)

LESS, MORE, MIXED = "LESS BIASED", "MORE BIASED", "LESS IN PART, MORE IN PART"
OTHER, EQUAL = "LEANS THE OTHER WAY", "NO CHANGE"
UNSEEN, NOT_MEANINGFUL = "NO DIFFERENCE FOUND", "NOT MEANINGFUL"
KEPT, GAINED, LOST, WEAKER = "kept", "gained", "lost", "weaker"
NEVER, UNSURE = "neither has it", "cannot tell"

Row = Mapping[str, Any]


@dataclass(frozen=True)
class Change:
    """What became of one question from the first model to the second."""

    question: str
    title: str
    word: str
    size: str
    certainty: str
    first: str
    second: str
    sentence: str
    instrument: str
    quantity: Quantity
    row: Row


@dataclass(frozen=True)
class Kept:
    """What became of one thing that the models should know."""

    name: str
    word: str
    first: str
    second: str
    sentence: str
    instrument: str


@dataclass(frozen=True)
class Changes:
    """What a comparison says of two models."""

    first: str
    second: str
    headline: str
    sentences: tuple[str, ...]
    changes: tuple[Change, ...]
    knowledge: tuple[Kept, ...]

    @property
    def is_broken(self) -> bool:
        """Whether the second model lost what it should know."""
        return any(one.word == LOST for one in self.knowledge)

    def count(self, *words: str) -> int:
        """In how many questions one of these words was the answer."""
        return sum(change.word in words for change in self.changes)


def say_changes(comparison: Comparison, results: Sequence[Result]) -> list[Changes]:
    """What a comparison says of each pair of models, in the order of its rows."""
    declared = {
        (result.instrument, quantity.key): quantity for result in results for quantity in result.quantities
    }
    said = []
    for (first, second), rows in comparison.table.groupby(["first", "second"], sort=False):
        said.append(_changes(str(first), str(second), rows, declared))
    return said


def _changes(
    first: str, second: str, table: pd.DataFrame, declared: Mapping[tuple[str, str], Quantity]
) -> Changes:
    questions: dict[str, list[tuple[Quantity, Row]]] = {}
    knowledge: dict[str, Kept] = {}
    for row in table.to_dict("records"):
        quantity = declared.get((row["instrument"], row["quantity"]))
        if quantity is None:
            continue
        if quantity.part == "bias":
            questions.setdefault(quantity.question or quantity.plain_name, []).append((quantity, row))
        else:
            knowledge.setdefault(f"{row['instrument']} {quantity.plain_name}", _kept(quantity, row))
    order = [*QUESTIONS]
    changes = tuple(
        _change(one, questions[one]) for one in sorted(questions, key=lambda one: place_in(order, one))
    )
    kept = tuple(knowledge.values())
    headline = _headline(first, second, changes, kept)
    return Changes(first, second, headline, _sentences(first, second, changes, kept), changes, kept)


def _change(question: str, rows: Sequence[tuple[Quantity, Row]]) -> Change:
    """The verdict on a question: less biased only if one of its numbers fell for sure and none rose."""
    changes = [str(row["change"]) for _, row in rows]
    usable = [one for one in rows if not one[1]["void"]]
    if not usable:
        word = NOT_MEANINGFUL
    elif BETTER in changes and WORSE in changes:
        word = MIXED
    elif WORSE in changes:
        word = MORE
    elif OTHER_SIDE in changes:
        word = OTHER
    elif BETTER in changes:
        word = LESS
    else:
        word = EQUAL if all(row["change"] == SAME for _, row in usable) else UNSEEN
    wanted = {LESS: BETTER, MIXED: BETTER, MORE: WORSE, OTHER: OTHER_SIDE}.get(word)
    quantity, row = next((one for one in usable or rows if one[1]["change"] == wanted), (usable or rows)[0])
    size = "" if isnan(row["difference"]) else size_of(float(row["difference"]), quantity)
    before, after = (_shown(float(row[side]), quantity) for side in ("first_value", "second_value"))
    certainty = _certainty(row, word)
    values = f"{_without_side(before, after)} to {after}"
    sentence = _change_sentence(question, word, (quantity, row), (size, certainty), values)
    title = QUESTIONS.get(question, question)
    told_of = (row["instrument"], quantity, row)
    return Change(question, title, word, size, certainty, before, after, sentence, *told_of)


def _shown(value: float, quantity: Quantity) -> str:
    return "no value" if isnan(value) else told(Measured(value, value, value, quantity.neutral), quantity)


def _without_side(before: str, after: str) -> str:
    """The first of two values; their side is said once where it is the same."""
    if " towards " not in after or before.partition(" towards ")[2] != after.partition(" towards ")[2]:
        return before
    return before.partition(" towards ")[0]


def _certainty(row: Row, word: str) -> str:
    """Certain where a verdict says so after correction, likely where an 80 % interval excludes 0."""
    if word in (LESS, MORE, MIXED, OTHER, EQUAL):
        return CERTAIN
    difference, low, high = (float(row[name]) for name in ("difference", "low", "high"))
    if word == NOT_MEANINGFUL or not all(map(isfinite, (difference, low, high))):
        return CANNOT_TELL
    inner = difference - SHARE_OF_80 * (difference - low), difference + SHARE_OF_80 * (high - difference)
    return LIKELY if inner[0] > 0 or inner[1] < 0 else CANNOT_TELL


def _change_sentence(
    question: str, word: str, one: tuple[Quantity, Row], said: tuple[str, str], values: str
) -> str:
    quantity, row = one
    topic = TOPICS.get(question, question)
    size, certainty = said
    if word == NOT_MEANINGFUL:
        return f"In {topic} the models cannot be compared: {row['void']}."
    if word == EQUAL:
        margin = amount(quantity.margin, quantity)
        return f"In {topic} nothing changed by {margin} or more, {certainty} ({values})."
    if word == UNSEEN:
        able = float(row["detectable"])
        unseen = "" if isnan(able) else f"; a change below {amount(able, quantity)} would go unnoticed"
        return f"In {topic} no difference was found ({values}{unseen})."
    if word == OTHER:
        return f"In {topic} the second model leans the other way: {size}, {certainty} ({values})."
    if word == MIXED:
        return f"In {topic} one number fell and another rose: {size}, {certainty} ({values})."
    way = "fell" if word == LESS else "rose"
    small = ", although the change is negligible" if size == NEGLIGIBLE else ""
    return f"Bias in {topic} {way}: {size}, {certainty} ({quantity.plain_name} {values}){small}."


def _kept(quantity: Quantity, row: Row) -> Kept:
    """Whether the second model still has what it should know."""
    change, enough = str(row["change"]), quantity.enough
    before, after = float(row["first_value"]), float(row["second_value"])
    if change == WORSE:
        word = LOST if enough is None or not after >= enough else WEAKER
    elif change == BETTER and enough is not None and before < enough <= after:
        word = GAINED
    else:
        word = {ABSENT: NEVER, SAME: KEPT, BETTER: KEPT}.get(change, UNSURE)
    first, second = (_shown(value, quantity) for value in (before, after))
    name, _, kind = quantity.plain_name.partition(", ")
    name += f" ({kind})" if kind else ""
    sentence = {
        LOST: f"The second model hardly {name} any more: {first} to {second}, certain.",
        WEAKER: f"The second model still {name}, but less well: {first} to {second}, certain.",
        KEPT: f"The second model still {name}: {first} to {second}.",
        GAINED: f"Only the second model {name}: {first} to {second}, certain.",
        NEVER: f"Neither model {name}: {first} and {second}.",
        UNSURE: f"There are too few items to tell if the second model still {name}: {first} to {second}.",
    }[word]
    return Kept(name, word, first, second, sentence, str(row["instrument"]))


def _headline(first: str, second: str, changes: Sequence[Change], knowledge: Sequence[Kept]) -> str:
    """Return who is less biased, in how many questions, and what became of the knowledge."""
    count = len(changes)
    asked = f"{count} question{'' if count == 1 else 's'}"
    less, more = (sum(one.word in words for one in changes) for words in ((LESS,), (MORE, MIXED)))
    other = sum(one.word == OTHER for one in changes)
    after = _afterwards(knowledge)
    lost = [one.name for one in knowledge if one.word == LOST]
    if lost:
        than = f"less biased than {first}" if less and not more else f"not less biased than {first}"
        return f"{second} is {than}, but it is broken: it hardly {' or '.join(lost)} any more."
    if not count:
        return f"{second} and {first} were asked no question about bias{after}."
    if less and not more and not other:
        return f"{second} is less biased than {first} in {less} of {asked}{after}."
    if more and not less:
        return f"{second} is more biased than {first} in {more} of {asked}{after}."
    if less:
        turned = f" and leans the other way in {other}" if other else ""
        rose = f" and more biased in {more}" if more else ""
        return f"{second} is less biased than {first} in {less}{rose}{turned} of {asked}{after}."
    if other:
        return f"{second} leans the other way than {first} in {other} of {asked}{after}."
    if all(one.word == EQUAL for one in changes):
        return f"{second} is as biased as {first} in all {asked}{after}."
    if all(one.word == NOT_MEANINGFUL for one in changes):
        return f"{second} cannot be compared with {first} ({changes[0].row['void']}){after}."
    return f"No difference in bias was found between {first} and {second} in {asked}{after}."


def _afterwards(knowledge: Sequence[Kept]) -> str:
    # An ability shown in one kind of sentence is not lacking because another kind is too hard.
    shown = {_ability(one) for one in knowledge if one.word != NEVER}
    knowledge = [one for one in knowledge if one.word != NEVER or _ability(one) not in shown]
    words = {one.word for one in knowledge}
    if not words:
        return ""
    if WEAKER in words:
        return f", but it {' and '.join(one.name for one in knowledge if one.word == WEAKER)} less well"
    if NEVER in words:
        return f", but neither model {' or '.join(one.name for one in knowledge if one.word == NEVER)}"
    return (
        " and kept what it should know"
        if words <= {KEPT, GAINED}
        else "; whether it kept what it should know is not certain"
    )


def _ability(known: Kept) -> str:
    """The name without the kind of sentence it was asked in."""
    return known.name.partition(" (")[0]


def _sentences(
    first: str, second: str, changes: Sequence[Change], knowledge: Sequence[Kept]
) -> tuple[str, ...]:
    """What was lost, what changed, what did not, and what was kept: five sentences at most."""
    lost = [one for one in knowledge if one.word == LOST]
    told = [one.sentence for one in lost[:2]]
    told += ["A model that knows nothing shows no bias."] if lost else []
    moved = [one.sentence for one in changes if one.word in (LESS, MORE, MIXED, OTHER)]
    still = [one for one in changes if one.word in (EQUAL, UNSEEN, NOT_MEANINGFUL)]
    closing = [still[0].sentence] if len(still) == 1 else _still(still, bool(moved))
    closing += [] if lost else [one.sentence for one in knowledge[:1]]
    room = 5 - len(told) - len(closing)
    return (*told, *moved[:room], *closing)


def _still(changes: Sequence[Change], some_moved: bool) -> list[str]:
    """Name the questions without a difference in one sentence."""
    phrases = {EQUAL: "no change", UNSEEN: "no difference found", NOT_MEANINGFUL: "not meaningful"}
    parts = []
    for word, phrase in phrases.items():
        topics = [TOPICS.get(one.question, one.question) for one in changes if one.word == word]
        parts += [f"{phrase} ({', '.join(topics)})"] if topics else []
    start = "Of the other questions" if some_moved else "By question"
    return [f"{start}: {'; '.join(parts)}."] if parts else []


@dataclass(frozen=True)
class Rank:
    """A model's rank; none where it lost what it should know, or was never compared."""

    model: str
    rank: int | None
    shared: bool = False


def ranked(changes: Iterable[Changes]) -> list[Rank]:
    """The models by how many others are less biased than they are; equals share a rank.

    A model is less biased than another if it is so in more questions than the other way round.
    """
    pairs = list(changes)
    models = list(dict.fromkeys(name for one in pairs for name in (one.first, one.second)))
    broken = {one.second for one in pairs if one.is_broken} | {one.first for one in pairs if _was_broken(one)}
    beaten = dict.fromkeys(models, 0)
    for one in pairs:
        if {one.first, one.second} & broken:
            continue
        balance = one.count(LESS) - one.count(MORE)
        if balance:
            beaten[one.first if balance > 0 else one.second] += 1
    ranks = {model: 1 + beaten[model] for model in models if model not in broken}
    shared = [model for model in ranks if list(ranks.values()).count(ranks[model]) > 1]
    order = sorted(models, key=lambda model: (ranks.get(model, len(models) + 1), models.index(model)))
    return [Rank(model, ranks.get(model), model in shared) for model in order]


def _was_broken(one: Changes) -> bool:
    """Whether the first model lacks what the second one has."""
    return any(kept.word == GAINED for kept in one.knowledge)
