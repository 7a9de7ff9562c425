"""Findings: what results say in words: a headline, three to five sentences, and one answer for each question.

    say(results, name="")             what the results of one model say: `Findings`
        .headline .sentences          the first screen; each finding with its side, size and certainty
        .answers                      an `Answer` for each question, in the order of the page
        .knowledge                    a `Known` for each guard and ability, and for the coverage
    say_each(results)                 the same for several models: a dictionary by the model's name

`report.changes` says the same of several models:

    say_changes(comparison, results)  what a comparison says: a `Changes` for each pair of models
    ranked(changes)                   the models by rank; models that cannot be distinguished share one

An `Answer` has `title` (the question), `word` (YES, IN PART, NO, NO DIFFERENCE FOUND, CANNOT TELL or NOT
MEANINGFUL), `side`, `size`, `certainty`, `value` and `interval` in words, `sentence`, `example` (the
strongest item on each side), and `instrument` and `quantity` for the small print. All words come from the
declarations of the quantities and from the numbers. Certainty is corrected over the answers of one model
(Holm).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from equipoise.report.answers import (
    IS_NOT,
    MARKS,
    NO_DIFFERENCE,
    NOT_MEANINGFUL,
    TOPICS,
    UNSURE_MARK,
    UNTOLD,
    Answer,
    Known,
    answers_of,
    claim,
    knowledge_of,
    place_in,
)
from equipoise.results import Result
from equipoise.results.quantity import QUESTIONS
from equipoise.results.reading import CANNOT_TELL, CERTAIN, LIKELY, NO, YES, sentence_start
from equipoise.results.records import fixed

THIS_MODEL = "This model"
FEWEST_SENTENCES, MOST_SENTENCES = 3, 5
MOST_JOINED = 2
"""Findings that one sentence names after the first ones; the others are read on their cards."""


@dataclass(frozen=True)
class Findings:
    """What the results of one model say."""

    model: str
    headline: str
    sentences: tuple[str, ...]
    answers: tuple[Answer, ...]
    knowledge: tuple[Known, ...]


def say_each(results: Sequence[Result]) -> dict[str, Findings]:
    """What the results of each model say, in the order in which the models come."""
    models: dict[str, list[Result]] = {}
    for result in results:
        models.setdefault(result.model, []).append(result)
    return {model: say(of_model) for model, of_model in models.items()}


def say(results: Sequence[Result], name: str = "") -> Findings:
    """What the results of one model say; `name` is what the model is called, if not by its own name."""
    answers, knowledge = answers_of(results), knowledge_of(results)
    model = name or (results[0].model if results else "")
    items = sum(len(result.items) for result in results)
    of = sum(result.sample.get("of", len(result.items)) for result in results)
    sampled = f", in a sample of {fixed(100 * items / of, 0)} % of the test sentences" if items < of else ""
    base = f"This rests on {items:,} items of {', '.join(result.instrument for result in results)}."
    return Findings(
        model,
        f"{_headline(model or THIS_MODEL, answers, knowledge).removesuffix('.')}{sampled}.",
        _sentences(answers, knowledge, base),
        answers,
        knowledge,
    )


def _sentences(answers: Sequence[Answer], knowledge: Sequence[Known], base: str) -> tuple[str, ...]:
    """Three to five sentences: what is lacking, what was found, what was not, and what the model knows."""
    biases = sorted((one for one in answers if one.is_found), key=_order)
    lacking = [one.sentence for one in _lacking(knowledge)][:2]
    start = "Of the other questions" if biases else "By question"
    closing = [*_not_found([one for one in answers if not one.is_found], start), *_kept(knowledge)]
    room = MOST_SENTENCES - len(lacking) - len(closing)
    told = [_numbers(one) if one is biases[0] else one.sentence for one in biases]
    if len(told) > room:
        kept = max(room - 1, 1)
        further = [f"{claim(one)} ({one.size}, {one.certainty})" for one in biases[kept : kept + MOST_JOINED]]
        rest = len(biases) - kept - len(further)
        more = f"; {rest} more finding{'s' if rest > 1 else ''} below" if rest > 0 else ""
        told = [*told[:kept], *([f"It also {' and '.join(further)}{more}."] if room > 1 else [])]
    sentences = [*lacking, *told, *closing]
    basis = [*(one.sentence for one in knowledge if one.kind == "coverage"), base]
    further = [sentence for sentence in basis if sentence not in sentences]
    return (*sentences, *further[: max(FEWEST_SENTENCES - len(sentences), 0)])


def _numbers(answer: Answer) -> str:
    """The numbers behind the headline, which has said the rest."""
    interval = f" ({answer.interval})" if answer.interval else ""
    detail = f"; {answer.detail}" if answer.detail else "."
    side = f" {answer.side}" if answer.side else ""
    meaning = answer.meaning or f"{answer.quantity.plain_name}: {answer.value}{side}"
    certainty = _CERTAINLY[answer.certainty]
    return f"{sentence_start(meaning)}{interval}, {answer.size} and {certainty}{detail}"


_CERTAINLY = {CERTAIN: "certain", LIKELY: "likely", CANNOT_TELL: "not certain"}


def _lacking(knowledge: Iterable[Known]) -> list[Known]:
    return [one for one in knowledge if one.mark == MARKS[NO]]


def _kept(knowledge: Sequence[Known]) -> list[str]:
    """Say in one sentence what the model knows, and in one what the data cannot show."""
    known = [one for one in knowledge if one.kind != "coverage" and one.mark == MARKS[YES]]
    unsure = [one for one in knowledge if one.mark == UNSURE_MARK]
    told = (
        [f"It {' and '.join(f'{one.name} ({one.value})' for one in known)}, as it should."] if known else []
    )
    return [*told, *(one.sentence for one in unsure)][:1]


def _not_found(answers: Sequence[Answer], start: str) -> list[str]:
    """One sentence for the questions without a finding, by the reason."""
    if len(answers) == 1:
        return [answers[0].sentence]
    said = {IS_NOT: "negligible", NO_DIFFERENCE: "no difference found", UNTOLD: "too few items to tell"}
    said[NOT_MEANINGFUL] = "not meaningful for this model"
    parts = []
    for word, phrase in said.items():
        topics = [TOPICS.get(one.question, one.question) for one in answers if one.word == word]
        if topics:
            parts.append(f"{phrase} ({', '.join(topics)})")
    return [f"{start}: {'; '.join(parts)}."] if parts else []


def _order(answer: Answer) -> tuple[bool, float, int]:
    """Certain findings first, then large ones."""
    distance = abs(answer.measured.value - answer.measured.neutral) / answer.quantity.limits[2]
    return answer.certainty != CERTAIN, -distance, place_in([*QUESTIONS], answer.question)


def _headline(model: str, answers: Sequence[Answer], knowledge: Sequence[Known]) -> str:
    """Return the finding to read first; it names what the model should know and does not."""
    biases = sorted((one for one in answers if one.is_found), key=_order)
    lacking = [one for one in _lacking(knowledge) if one.kind != "coverage"]
    if biases:
        lead = biases[0]
        said = f"{claim(lead)} ({lead.size}, {lead.certainty})."
        return f"{model} hardly {lacking[0].name}, and it {said}" if lacking else f"{model} {said}"
    words = [one.word for one in answers]
    if lacking:
        return f"{model} hardly {lacking[0].name}, so this says little: {_nothing_found('it', words)}."
    said = _nothing_found(model, words)
    return f"{said if said.startswith(model) else sentence_start(said)}."


def _nothing_found(model: str, words: Sequence[str]) -> str:
    """What is said where no question has a finding."""
    inside = "this model" if model == THIS_MODEL else model
    if not words:
        return f"{model} was asked no question about bias"
    if set(words) == {IS_NOT}:
        return f"{model} shows negligible bias in {_of_all(words)}"
    if set(words) <= {IS_NOT, NO_DIFFERENCE}:
        return f"no bias was found in {inside}, in {_of_all(words)}"
    if NO_DIFFERENCE in words or IS_NOT in words:
        told = sum(word in (IS_NOT, NO_DIFFERENCE) for word in words)
        return f"no bias was found in {inside}, but only {told} of {len(words)} questions could be answered"
    if UNTOLD in words:
        return f"there are too few items to tell anything about {inside}"
    return f"no answer is meaningful for {inside}"


def _of_all(words: Sequence[str]) -> str:
    return {1: "the one question asked", 2: "both questions"}.get(len(words), f"all {len(words)} questions")
