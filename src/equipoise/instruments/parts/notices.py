"""What must be known of a result besides its numbers: items that were dropped, texts that were misread."""

from collections import Counter
from collections.abc import Sequence

import pandas as pd

from equipoise.instruments.base import Ask
from equipoise.models.protocol import LanguageModel
from equipoise.models.questions import Raw
from equipoise.models.static import STATIC

REASONS = 3
"""Reasons why items were dropped that are named."""

NAMED = 20
"""Words without a vector that are named; all are counted."""


def dropped_notice(items: pd.DataFrame) -> list[str]:
    """How many items were dropped, and why: the usual reasons first."""
    reasons = Counter(items["dropped"][items["dropped"] != ""]).most_common(REASONS)
    if not reasons:
        return []
    count = int((items["dropped"] != "").sum())
    told = "; ".join(f"{reason} ({number:,})" for reason, number in reasons)
    return [f"{count:,} of {len(items):,} items were dropped: {told}"]


def misread_notice(model: LanguageModel, asks: Sequence[Ask]) -> list[str]:
    """Published texts are measured as they stand, so one that the model cannot spell is told, not refused."""
    questions = (ask.question for ask in asks)
    texts = list(dict.fromkeys(question.text for question in questions if not isinstance(question, Raw)))
    misread = [text for text in texts if model.misreads(text)]
    if not misread:
        return []
    if model.kind == STATIC:
        words = list(dict.fromkeys(word for text in misread for word in model.unknown_parts(text)))
        return [f"{model.name!r} has no vector for {len(words):,} words: {', '.join(words[:NAMED])}"]
    return [
        f"{len(misread):,} of {len(texts):,} texts hold something that {model.name!r} cannot spell and reads "
        f"as its unknown token, the first: {misread[0]!r}"
    ]
