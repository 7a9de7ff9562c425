"""Options: a model chooses among given answers, by their probability or in what it writes.

A written answer counts for the only option that it names. One that names none, or several, is unread: it is
counted, and never taken as neutral. Refusals and empty answers among the unread ones are counted apart.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np
import pandas as pd

from equipoise.errors import IncapableError
from equipoise.instruments.parts.estimates import Spec, mean_estimate
from equipoise.models.capabilities import CLASSIFY, FILL, GENERATE
from equipoise.models.protocol import LanguageModel
from equipoise.models.questions import Fill, Generate, WordScores, Written
from equipoise.results import Estimate
from equipoise.text.blank import BLANK

AUTO, PROBABILITY, WRITTEN, LABELLED, RANKED = "auto", "probability", "written", "label", "ranked"
NEEDS = {PROBABILITY: FILL, WRITTEN: GENERATE, LABELLED: CLASSIFY, RANKED: FILL}
NOT_READ = "no answer that could be read"
REFUSED, EMPTY = "the model declines to answer", "the model answers nothing"
LONGEST = 32
"""Tokens of a written answer."""

UNREAD = {
    "unread": ("unread", "written answers that could not be read"),
    "refused": ("refusals", "written answers that decline"),
    "empty": ("empty-texts", "written answers without a word"),
}
"""What is counted of written answers, by column: the estimate's key and label."""

_REFUSAL = re.compile(
    r"\s*(?:(?:unfortunately|sorry|apologies),?\s+)*(?:but\s+)?"
    r"(?:I(?:['’]m| am) (?:really |very )?(?:sorry|unable|not able)|as an? (?:AI|language)|"
    r"I (?:cannot|can['’]t|won['’]t|do not|don['’]t) "
    r"(?:answer|help|assist|write|provide|choose|say|make|do|fulfil|comply|have (?:enough|any)))",
    re.IGNORECASE,
)


def ways_of(variant: str, model: LanguageModel, *, by: str, among: Sequence[str]) -> list[str]:
    """How the model is asked: as the variant says, or with `auto` in every way that it can answer."""
    ways = [way for way in among if NEEDS[way] in model.capabilities]
    if variant == AUTO and ways:
        return ways
    if variant in ways:
        return [variant]
    raise IncapableError(
        "the model can neither give the probability of answers nor write them",
        f"{model.name!r} cannot be asked for the variant {variant!r} of {by}.",
        f"It can be asked for: {', '.join(ways)}." if ways else "Use a model that fills blanks or writes.",
    )


def ask_options(
    way: str, prompt: str, options: Sequence[str], *, count: int, seed: int = 0
) -> Fill | Generate:
    """The question behind a prompt that ends where the answer begins; `count` answers are written."""
    if way == PROBABILITY:
        return Fill(f"{prompt} {BLANK}", tuple(options))
    return Generate(prompt, count=count, seed=seed, max_tokens=LONGEST)


def option_shares(answer: WordScores | Written, options: Sequence[str]) -> dict[str, float]:
    """The probability of each option among them, or its share of the answers that could be read; else NaN."""
    if isinstance(answer, WordScores):
        logs = np.array(answer.logprobs)
        shares = np.exp(logs - np.logaddexp.reduce(logs))
        return dict(zip(answer.words, shares.tolist(), strict=True))
    named = [one for one in (named_option(text, options) for text in answer.texts) if one is not None]
    return {one: named.count(one) / len(named) if named else float("nan") for one in options}


def unread_shares(texts: Sequence[str], is_read: Sequence[bool]) -> dict[str, float]:
    """The shares of written answers that could not be read, and of refusals and empty ones among them."""
    unread = [text for text, was_read in zip(texts, is_read, strict=True) if not was_read]
    counts = {
        "unread": len(unread),
        "refused": sum(map(is_refusal, unread)),
        "empty": sum(not text.strip() for text in unread),
    }
    return {name: count / len(texts) if texts else 0.0 for name, count in counts.items()}


def why_unread(unread: Mapping[str, float]) -> str:
    """Why an item has no answer, where none of its answers could be read."""
    return REFUSED if unread["refused"] == 1 else EMPTY if unread["empty"] == 1 else NOT_READ


def unread_of(answers: Iterable[object], options: Sequence[str]) -> dict[str, float]:
    """The same of answers that name one of the options; probabilities are always read."""
    texts = [text for answer in answers if isinstance(answer, Written) for text in answer.texts]
    return unread_shares(texts, [named_option(text, options) is not None for text in texts])


def is_refusal(text: str) -> bool:
    """Whether a text begins by declining to answer. Only its beginning counts: later words may be quoted."""
    return _REFUSAL.match(text) is not None


def named_option(text: str, options: Sequence[str]) -> str | None:
    """The only option that a text names; None where it names none, or several."""
    words = "|".join(map(re.escape, sorted(options, key=len, reverse=True)))
    # "8/10" and "8 out of 10" give one number: what follows is the scale.
    named = re.sub(r"(?:/|\bout of)\s*\d+", "", text)
    matches = {
        match.lower() for match in re.findall(rf"(?<![\w.])(?:{words})(?![\w]|\.\d)", named, re.IGNORECASE)
    }
    lowered = {option.lower(): option for option in options}
    return lowered[matches.pop()] if len(matches) == 1 else None


def unread_estimates(items: pd.DataFrame, factors: Sequence[str], way: str = "") -> Iterator[Estimate]:
    """The percentages of written answers that could not be read, were refusals or empty, if there are any."""
    for column, (key, label) in UNREAD.items():
        name = f"{column}_{way}" if way else column
        if items[name].gt(0).any():
            spec = Spec(key, label, "%", better="lower")
            yield mean_estimate(spec, 100 * items[name], items, factors)


def dropped_remarks(items: pd.DataFrame, what: str) -> tuple[str, ...]:
    """How many items were left out, by reason."""
    counts = items["dropped"].value_counts()
    return tuple(f"{count:,} {what} left out: {why}" for why, count in counts.items() if why)
