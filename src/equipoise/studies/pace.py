"""How long a model will take, by its own speed: a few rows are run, and all that are asked are counted."""

import time
from collections.abc import Sequence

from equipoise.corpora.documents import Document
from equipoise.models.engine.rows import Row
from equipoise.models.neural.language import NeuralModel
from equipoise.models.protocol import LanguageModel
from equipoise.models.questions import Question
from equipoise.text.rewriting import Rewriter

SAMPLE = 8
"""Rows that are run to learn the speed; one more goes before them to warm up."""

LENGTH = 32
A_STEP = 3.0
"""A step of training in passes over its tokens: forwards once, backwards about two."""

REWRITTEN = 20
"""Documents that are rewritten to learn how long all of them take."""

_SECONDS: dict[str, float] = {}


def seconds_per_token(model: LanguageModel) -> float:
    """What a token of a forward pass takes on this machine now; 0 for a model without a network."""
    if not isinstance(model, NeuralModel):
        return 0.0
    known = _SECONDS.get(model.fingerprint)
    if known is None:
        known = _SECONDS[model.fingerprint] = _timed(model)
    return known


def seconds_to_answer(model: LanguageModel, questions: Sequence[Question]) -> float:
    """How long the answers take: every distinct row is counted, whether or not it is in the store."""
    if not isinstance(model, NeuralModel):
        return 1.0
    rows = {row.key: len(row.ids) for question in questions for row in model.ask(question).rows}
    return sum(rows.values()) * seconds_per_token(model)


def seconds_to_rewrite(documents: Sequence[Document]) -> float:
    """How long it takes to rewrite the documents once, by the time that some of them take."""
    if not documents:
        return 0.0
    some = documents[:: max(1, len(documents) // REWRITTEN)]
    rewriter = Rewriter("invert")
    rewriter.rewrite_many([some[0].text])
    began = time.perf_counter()
    for _ in rewriter.rewrite_many([document.text for document in some]):
        pass
    taken = time.perf_counter() - began
    return taken * sum(len(one.text) for one in documents) / max(1, sum(len(one.text) for one in some))


def _timed(model: NeuralModel) -> float:
    words = len(model.tokens.tokenizer)
    length = min(LENGTH, model.max_length or LENGTH)
    rows = [
        Row(tuple((7 * place + 31 * number) % words for place in range(length)), ((1, 0),))
        for number in range(SAMPLE + 1)
    ]
    model.engine.compute(rows[:1])
    began = time.perf_counter()
    model.engine.compute(rows[1:])
    return (time.perf_counter() - began) / (SAMPLE * length)
