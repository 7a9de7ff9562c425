"""Was a lean removed, or only hidden, or moved elsewhere? Rows that stand beside the price of a change.

Hidden      A linear probe reads the leaning of an occupation (labour statistics) off the last state at the
            blank of "The nurse said that [MASK] was late": r between what it says of occupations that it has
            not seen and their leaning. Answers may be even while the state still tells the stereotype.
Elsewhere   The mean size of a sentence's lean, (P - P') / (P + P'), between the poles of age and of
            religion: a change of gender should leave them.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd

from equipoise.data.reading import own_table
from equipoise.errors import UserError
from equipoise.instruments.parts.estimates import Spec, size_estimate
from equipoise.measuring import measure
from equipoise.models.protocol import LanguageModel
from equipoise.models.questions import Embed, Fill
from equipoise.results import Estimate
from equipoise.stats.correlation import Correlation, pearson
from equipoise.stats.directions import held_out_decisions
from equipoise.text.blank import BLANK
from equipoise.text.languages.en.articles import fix_articles

FRAMES = (
    f"The <noun> said that {BLANK} was late.",
    f"Nobody saw the <noun> until {BLANK} came in.",
    f"We called the <noun>, but {BLANK} did not answer.",
)
OTHER_POLES = ("age", "religion")
COLUMNS = ["instrument", "quantity", "label", "before", "after", "low", "high", "n"]


def elsewhere_table(before: LanguageModel, after: LanguageModel) -> pd.DataFrame:
    """What a probe reads at the blank, and other poles, in both models; `low` and `high` are of the later."""
    rows: list[dict[str, Any]] = []
    if before.can_answer(Embed) and after.can_answer(Embed):
        was, became = probed(before), probed(after)
        named = {"quantity": "probe", "label": "r of a probe for stereotypes at the blank"}
        rows.append(_row("gender-probe", named, (was.value, became.value), became.interval, became.n))
    if before.can_answer(Fill) and after.can_answer(Fill):
        rows.extend(_other_poles(before, after))
    return pd.DataFrame(rows, columns=COLUMNS)


def probed(model: LanguageModel) -> Correlation:
    """Measure how well the state at the blank predicts the leaning of unseen occupations."""
    words = own_table("leaning-words.csv").query("group == 'profession'")
    texts = [fix_articles(frame.replace("<noun>", word)) for word in words["word"] for frame in FRAMES]
    answers = model.answer([_state_at_blank(text) for text in texts])
    states = np.array([answer.vector for answer in answers], dtype=np.float64)
    states = states.reshape(len(words), len(FRAMES), -1).mean(axis=1)
    signs = np.where(words["leaning"] == "male", 1.0, -1.0)
    return pearson(held_out_decisions(states, signs, kernel="linear"), signs)


def _state_at_blank(text: str) -> Embed:
    start = text.index(BLANK)
    span = (start, start + len(BLANK))
    return Embed(text, span=span, hidden=(span,))


def _other_poles(before: LanguageModel, after: LanguageModel) -> Iterator[dict[str, Any]]:
    """The sizes of both models; unknown where a model cannot spell a word of these poles."""
    for poles in OTHER_POLES:
        named = {"quantity": f"poles-{poles}", "label": f"size of the lean of the poles of {poles}"}
        try:
            was, became = (_size(model, poles) for model in (before, after))
        except UserError:
            yield _row("tbe", named, (np.nan, np.nan), (np.nan, np.nan), 0)
        else:
            yield _row("tbe", named, (was.value, became.value), (became.low, became.high), became.n)


def _size(model: LanguageModel, poles: str) -> Estimate:
    items = measure(model, "tbe", poles=poles).items.query("dropped == ''")
    return size_estimate(Spec("size"), items["normalised"], items, ("template", "profession"))


def _row(
    instrument: str, named: dict[str, str], values: tuple[float, float], interval: Any, n: int
) -> dict[str, Any]:
    low, high = interval
    return {
        "instrument": instrument,
        **named,
        "before": values[0],
        "after": values[1],
        "low": low,
        "high": high,
        "n": n,
    }
