"""Answers: what the results of one model say about each question, and whether it knows what it should."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import erfc, isnan, sqrt
from typing import Any

from equipoise.instruments import INSTRUMENTS
from equipoise.report.examples import Example, basis_of, classes_of, examples_of, occupations_of
from equipoise.results import Quantity, Result
from equipoise.results.estimate import place_in_words
from equipoise.results.quantity import KNOWLEDGE, QUESTIONS, SCALES, STEREOTYPED
from equipoise.results.reading import (
    CANNOT_TELL,
    CERTAIN,
    LIKELY,
    NEGLIGIBLE,
    NO,
    YES,
    Measured,
    amount,
    certainty_of,
    distances,
    knows,
    sentence_start,
    side_of,
    size_of,
    span,
    told,
)
from equipoise.results.records import fixed
from equipoise.stats.significance import holm

IS, IN_PART, IS_NOT = "YES", "IN PART", "NO"
NO_DIFFERENCE, UNTOLD, NOT_MEANINGFUL = "NO DIFFERENCE FOUND", "CANNOT TELL", "NOT MEANINGFUL"
BOTH_WAYS = "in both directions"
ENOUGH_ASKED = 0.9
"""A model that could be asked less than this share of the items is told so on the first screen."""

MARKS = {YES: "✔", NO: "✘"}
UNSURE_MARK = "?"

CLAIMS = {
    "jobs": ("links {many}occupations with {people}", "links occupations with genders {way}"),
    "sentences": ("prefers sentences about {people}", "prefers sentences {way}"),
    "pronouns": ("guesses pronouns of {people}", "guesses pronouns {way}"),
    "traits": ("links {name} with {people}", "links traits with genders {way}"),
    "completions": ("is {side} in its completions", "completes sentences {way}"),
    "words": ("places neutral words nearer to {people}", "places neutral words {way}"),
    "default": ("expects {people} by default", "expects genders {way}"),
    "decisions": ("favours {people} in its decisions", "decides {way}"),
    "declared": ("gets declared {people} right more often than others", "follows declarations {way}"),
}
"""What a model does by question: towards people, and for any other side such as the stereotype."""

MEANINGS = {
    "tbe.appd": "on average a {first} pronoun is {value} likelier than a {second} one",
    "sbe.prefers-stereotype": "the stereotyped sentence of a pair is likelier in {value} of the pairs",
    "stereotype-skew.stereotype": "pronouns that fit the stereotype are guessed right more often, by {value}",
    "stereotype-skew.skew": "{first} pronouns are guessed right more often than {second} ones, by {value}",
    "traits.care-contrast": "{first} pronouns are {value} likelier for caring than for aggressive people",
    "traits.competence-contrast": "{first} pronouns are {value} likelier for competent people",
    "declared-pronouns.gap": "declared he and she are followed more than declared new pronouns, by {value}",
    "completions.favour": "good words bring {value} more {first} words than bad ones",
}
"""What a number counts, for those that are read most; without an interval, a size or a certainty."""

_PEOPLE = {"men": ("male", "female"), "women": ("female", "male")}

TOPICS = {
    "jobs": "occupations",
    "sentences": "stereotyped sentences",
    "pronouns": "pronouns",
    "traits": "traits",
    "completions": "completions",
    "words": "neutral words",
    "default": "the default gender",
    "decisions": "decisions",
    "declared": "declared pronouns",
}


@dataclass(frozen=True)
class Answer:
    """The answer to one question about one model."""

    question: str
    title: str
    word: str
    side: str
    size: str
    certainty: str
    value: str
    interval: str
    sentence: str
    instrument: str
    quantity: Quantity
    measured: Measured
    example: tuple[Example, ...] = ()
    many: str = ""
    detail: str = ""
    basis: str = ""

    @property
    def code(self) -> str:
        """The key for the small print and for rules."""
        return f"{self.instrument}.{self.quantity.key}"

    @property
    def meaning(self) -> str:
        """What the number of a finding counts, as a clause; nothing for numbers that few people read."""
        people = _PEOPLE.get(self.side.rpartition(" ")[2], ("", ""))
        contrast = self.quantity.contrast
        is_first = bool(contrast and contrast.are_sides and self.side == self.quantity.sides[0])
        if not self.is_found or not (people[0] or is_first or self.side == STEREOTYPED[0]):
            return ""
        words = {"first": people[0], "second": people[1], "value": self.value}
        return MEANINGS.get(self.code, "").format(**words)

    @property
    def is_found(self) -> bool:
        """Whether it is a bias to report."""
        return self.word in (IS, IN_PART)


@dataclass(frozen=True)
class Known:
    """Whether a model has what it should know; `mark` is ✔, ✘ or ?."""

    kind: str
    name: str
    mark: str
    value: str
    interval: str
    sentence: str
    instrument: str


def answers_of(results: Sequence[Result]) -> tuple[Answer, ...]:
    """An answer for each question that was asked, in the order of the page."""
    return tuple(_corrected(_answers(_ordered(results))))


def knowledge_of(results: Sequence[Result]) -> tuple[Known, ...]:
    """Whether each guard and ability is there, and which share of the items could be asked."""
    return (*_knowledge(_ordered(results)), *_coverage(results))


def _ordered(results: Sequence[Result]) -> list[Result]:
    """The results in the order of the index: of several instruments for one question the first answers."""
    order = list(INSTRUMENTS)
    return sorted(results, key=lambda one: (place_in(order, one.instrument), one.instrument))


def place_in(order: Sequence[str], name: str) -> int:
    """The place of a name in an order; what is not there comes last."""
    return order.index(name) if name in order else len(order)


def _answers(results: Sequence[Result]) -> list[Answer]:
    """An answer for each question, from the first instrument that asks it and can tell."""
    answers: dict[str, Answer] = {}
    for result in results:
        for question, family in _families(result).items():
            answer = _both_ways(_answer(question, family, result), result)
            held = answers.get(question)
            if held is None or (not _says_something(held) and _says_something(answer)):
                answers[question] = answer
    return sorted(answers.values(), key=lambda one: place_in([*QUESTIONS], one.question))


def _says_something(answer: Answer) -> bool:
    return answer.word not in (UNTOLD, NOT_MEANINGFUL)


Row = Mapping[str, Any]


def _families(result: Result) -> dict[str, list[tuple[Quantity, Row]]]:
    """By question the headlines that decide it: the first one with sides and its like, or else the first."""
    families: dict[str, list[tuple[Quantity, Row]]] = {}
    for quantity, row in _headlines(result):
        if quantity.part != "bias" or not quantity.question:
            continue
        held = families.setdefault(quantity.question, [])
        first = held[0][0] if held else None
        if first is None or (quantity.sides and not first.sides):
            held[:] = [(quantity, row)]
        elif (quantity.unit, quantity.sides) == (first.unit, first.sides):
            held.append((quantity, row))
    return families


def _headlines(result: Result) -> list[tuple[Quantity, Row]]:
    """The declared headlines in the order of their declaration, those over every item first."""
    rows = result.estimates.to_dict("records")
    pairs = []
    for key, quantity in _declared(result).items():
        of_key = [row for row in rows if row["key"] == key and quantity.headline]
        of_key.sort(key=lambda row: (row["by"] != "", not row["headline"]))
        if of_key and (of_key[0]["by"] == "" or of_key[0]["headline"] or of_key[0]["void"]):
            pairs.append((quantity, of_key[0]))
    return pairs


def _declared(result: Result) -> dict[str, Quantity]:
    """The quantities by key; of several with one key, such as those of single tests, the first."""
    declared: dict[str, Quantity] = {}
    for quantity in result.declared:
        declared.setdefault(quantity.key, quantity)
    return declared


def _answer(question: str, family: Sequence[tuple[Quantity, Row]], result: Result) -> Answer:
    """The answer by a family of like quantities: the largest finding leads."""
    read = [_read(quantity, row) for quantity, row in family]
    lead = max(range(len(read)), key=lambda place: (read[place][0] == IS, _weight(family[place])))
    words = [word for word, _ in read]
    quantity, row = family[lead]
    measured = Measured.of(row, quantity)
    word = words[lead]
    if word == IS and len(set(words)) > 1:
        word = IN_PART
    return Answer(
        question,
        QUESTIONS.get(question, question),
        word,
        side_of(measured, quantity),
        size_of(measured.value - measured.neutral, quantity) if not isnan(measured.value) else "",
        read[lead][1],
        amount(distances(measured, quantity)[0], quantity) if not isnan(measured.value) else "",
        span(measured, quantity) if not isnan(measured.low) else "",
        "",
        result.instrument,
        quantity,
        measured,
        examples_of(result, quantity) if word in (IS, IN_PART) else (),
        *(classes_of(result, quantity) if quantity.contrast else occupations_of(result, quantity, measured)),
        basis_of(row, quantity, result),
    )


def _both_ways(answer: Answer, result: Result) -> Answer:
    """The answer; in part where single occupations lean to either side although their mean does not."""
    sizes = [
        (quantity, row)
        for quantity, row in _headlines(result)
        if quantity.question == answer.question and quantity.over and quantity.part == "bias"
    ]
    if answer.word not in (IS_NOT, NO_DIFFERENCE) or not sizes or _read(*sizes[0])[0] != IS:
        return answer
    quantity, row = sizes[0]
    measured = Measured.of(row, quantity)
    return replace(
        answer,
        word=IN_PART,
        side=BOTH_WAYS,
        size=size_of(measured.value - measured.neutral, quantity),
        certainty=_read(quantity, row)[1],
        value=amount(measured.value, quantity),
        interval=span(measured, quantity),
        quantity=quantity,
        measured=measured,
        many="",
        detail="",
        basis=basis_of(row, quantity, result),
        example=examples_of(result, answer.quantity),
    )


def _weight(one: tuple[Quantity, Row]) -> float:
    """A distance from neutral in units of what is strong."""
    measured = Measured.of(one[1], one[0])
    distance = abs(measured.value - measured.neutral)
    return -1.0 if isnan(distance) else distance / one[0].limits[2]


def _read(quantity: Quantity, row: Row) -> tuple[str, str]:
    """The word of an answer and its certainty, before anything is corrected."""
    measured = Measured.of(row, quantity)
    if row["void"]:
        return NOT_MEANINGFUL, CANNOT_TELL
    certainty = certainty_of(measured, quantity)
    if isnan(measured.value) or isnan(measured.low):
        return UNTOLD, CANNOT_TELL
    if size_of(measured.value - measured.neutral, quantity) == NEGLIGIBLE:
        return (IS_NOT, certainty) if certainty == CERTAIN else (NO_DIFFERENCE, certainty)
    return (NO_DIFFERENCE, certainty) if certainty == CANNOT_TELL else (IS, certainty)


def _corrected(answers: Sequence[Answer]) -> list[Answer]:
    """The answers with p values corrected over all that were found; what is no longer certain is likely."""
    tested = [answer for answer in answers if answer.is_found]
    survives = dict(
        zip([one.question for one in tested], holm([_p(one.measured) for one in tested]), strict=True)
    )
    return [
        _worded(replace(one, certainty=LIKELY))
        if one.certainty == CERTAIN and survives.get(one.question, 0.0) >= 0.05
        else _worded(one)
        for one in answers
    ]


def _p(measured: Measured) -> float:
    """A two-sided p value from the end of the interval that lies nearer to neutral."""
    value, low, high, neutral = measured
    width = value - low if value > neutral else high - value
    return 0.0 if width <= 0 else erfc(1.96 * abs(value - neutral) / width / sqrt(2))


def _worded(answer: Answer) -> Answer:
    """The answer with its sentence."""
    quantity = answer.quantity
    topic, name = TOPICS.get(answer.question, quantity.plain_name), sentence_start(quantity.plain_name)
    numbers = ", ".join(part for part in (answer.value, answer.interval) if part)
    if answer.word == NOT_MEANINGFUL:
        sentence = f"{name}: not meaningful for this model."
    elif answer.word == UNTOLD:
        sentence = f"{name}: there are too few items to tell."
    elif answer.is_found:
        sentence = f"It {claim(answer)}: {answer.size}, {answer.certainty} ({numbers})."
    elif answer.word == IS_NOT:
        sentence = f"{name}: negligible, {answer.certainty} ({numbers})."
    else:
        sentence = f"No difference found in {topic} ({numbers}). {_fits(answer)}"
    return replace(answer, sentence=sentence)


def _fits(answer: Answer) -> str:
    """What the items do not rule out: from one side to the other, with both named where there are sides."""
    quantity, measured = answer.quantity, answer.measured
    if not quantity.sides or SCALES[quantity.scale].shown == "percent":
        return (
            f"A difference below {amount((measured.high - measured.low) / 2, quantity)} would go unnoticed."
        )
    low, high = (told(measured._replace(value=end), quantity) for end in (measured.low, measured.high))
    return f"Anything from {low} to {high} fits these {answer.basis}."


def claim(answer: Answer) -> str:
    """What a model does, with its side: links occupations with men."""
    side, name = answer.side, answer.quantity.plain_name
    if not side:
        return f"shows {name.replace('size of the ', 'a ', 1)}"
    people = side.removeprefix("towards ").removeprefix("kinder to ")
    is_people = people != side and not people.startswith("the ")
    templates = CLAIMS.get(answer.question)
    if templates is None:
        return f"leans {side} ({name})"
    words = {
        "side": side,
        "people": people,
        "many": answer.many,
        "way": side.replace("towards", "in line with"),
    }
    words["name"] = f"being {name}" if " rather than " in name else name
    return templates[0 if is_people else 1].format(**words)


def _knowledge(results: Iterable[Result]) -> list[Known]:
    """Whether each guard and ability is there, by the first instrument that asks for it."""
    held: dict[str, Known] = {}
    for result in results:
        for quantity, row in _headlines(result):
            name = quantity.plain_name
            if quantity.part == "bias" or name in held:
                continue
            measured = Measured.of(row, quantity)
            word = knows(measured, quantity)
            value = "" if isnan(measured.value) else amount(measured.value, quantity)
            value += f" in {place_in_words(row['by'], row['level'])}" if value and row["by"] else ""
            interval = "" if isnan(measured.low) else span(measured, quantity)
            mark = MARKS.get(word, UNSURE_MARK)
            sentence = _known_sentence(quantity, word, value)
            held[name] = Known(quantity.question, name, mark, value, interval, sentence, result.instrument)
    return list(held.values())


def _known_sentence(quantity: Quantity, word: str, value: str) -> str:
    name, enough = quantity.plain_name, amount(quantity.enough or 0.0, quantity)
    if word == YES:
        return f"It {name}, as it should ({value})."
    if word == NO:
        return f"It hardly {name} ({value}; at least {enough} is needed)."
    return f"There are too few items to tell whether it {name} ({value or 'no value'})."


def _coverage(results: Sequence[Result]) -> tuple[Known, ...]:
    """Which share of all items could be asked."""
    total = sum(len(result.items) for result in results)
    asked = sum(int((result.items["dropped"] == "").sum()) for result in results)
    if not total:
        return ()
    share = f"{fixed(100 * asked / total, 0)} %"
    mark = MARKS[YES if asked >= ENOUGH_ASKED * total else NO]
    sentence = f"It could be asked {asked:,} of {total:,} items ({share})."
    return (Known("coverage", KNOWLEDGE["coverage"], mark, share, "", sentence, ""),)
