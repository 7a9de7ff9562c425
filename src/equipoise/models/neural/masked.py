"""Masked language models: a blank is a mask, a sentence is scored one hidden token at a time."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from equipoise.errors import UserError, unknown_name
from equipoise.models.capabilities import EMBED, FILL, HIDE_WORDS, RAW_ROWS, TOP_FILL, score_by
from equipoise.models.engine.rows import Row, RowAnswer
from equipoise.models.neural.base import AsRows
from equipoise.models.neural.language import NeuralModel
from equipoise.models.neural.words import Encoded, Placed, is_unknown, place_words, refuse_unknown
from equipoise.models.questions import DEFAULT_RULE, Fill, Question, Score, TokenScores, TopFill, WordScores
from equipoise.text.blank import BLANK, find_blank

RULES = ("original", "within-word-l2r", "unmasked", "unmasked-attention")
"""Salazar et al. 2020; Kauf and Ivanova 2023; AUL and AULA of Kaneko and Bollegala 2022."""


class MaskedModel(NeuralModel):
    """BERT and its family: every model that `AutoModelForMaskedLM` knows."""

    kind = "masked"
    capabilities = frozenset({FILL, TOP_FILL, EMBED, RAW_ROWS, HIDE_WORDS, *map(score_by, RULES)})

    def __init__(self, model: Any, tokenizer: Any, **settings: Any) -> None:
        super().__init__(model, tokenizer, **settings)
        if self.tokens.mask_id is None:
            raise UserError(
                f"The tokenizer of {self.name!r} has no mask token, so nothing can be hidden.",
                "Name a model that was trained with masks or sentinels, or a causal one.",
            )
        self.mask_id = self.tokens.mask_id

    def ask_words(self, question: Question) -> AsRows:
        """A word at the blank, the likeliest ones there, or the tokens of a text."""
        if isinstance(question, Fill):
            return self._ask_fill(question)
        if isinstance(question, TopFill):
            return self._ask_top(question)
        if isinstance(question, Score):
            return self._ask_score(question)
        raise self.refuse(question)

    def _ask_fill(self, question: Fill) -> AsRows:
        """One row per piece of each word; words of one piece share theirs."""
        text = self._with_blank(question.text) if not question.hidden else question.text
        rows: list[Row] = []
        pieces: list[int] = []
        placements = place_words(
            self.tokens, text, question.words, blank=question.blank, hidden=question.hidden
        )
        for word, placed in zip(question.words, placements, strict=True):
            if is_unknown(placed, self.tokens):
                if not question.unknown_as_nan:
                    raise refuse_unknown(word, text, self.name)
                pieces.append(0)
                continue
            self.fitting(placed.encoded)
            rows.extend(chain_rows(placed, self.mask_id))
            pieces.append(len(placed.slot))
        return AsRows(rows, lambda answers: _read_fill(question.words, pieces, rows, answers))

    def _ask_top(self, question: TopFill) -> AsRows:
        """The row with one mask in the blank; another word's tokens are not needed to place it."""
        text = self._with_blank(question.text)
        find_blank(text, None)
        encoded = self.encode(text.replace(BLANK, self.tokens.mask_token or BLANK))
        position = encoded.ids.index(self.mask_id)
        row = Row(encoded.ids, tops=((position, question.count),))

        def read(answers: list[RowAnswer]) -> WordScores:
            pairs = answers[0].tops[position][: question.count]
            words = tuple(self.tokens.as_word(token) for token, _ in pairs)
            return WordScores(words, tuple(value for _, value in pairs), (1,) * len(pairs))

        return AsRows([row], read)

    def _ask_score(self, question: Score) -> AsRows:
        rule = RULES[0] if question.rule == DEFAULT_RULE else question.rule
        if rule not in RULES:
            raise unknown_name(f"scoring rule for a {self.kind} model", rule, RULES)
        encoded = self.encode(question.text)
        places = encoded.content
        if not places:
            raise UserError("An empty text cannot be scored.", "Give a sentence with words in it.")
        if rule.startswith("unmasked"):
            asks = tuple((place, encoded.ids[place]) for place in places)
            rows = [Row(encoded.ids, asks, weighed=rule == "unmasked-attention")]
        else:
            rows = masked_rows(encoded, self.mask_id, within_word=rule == "within-word-l2r")

        def read(answers: list[RowAnswer]) -> TokenScores:
            by_place = [answers[0]] * len(places) if len(rows) == 1 else answers
            values = [
                answer.logprobs[place, encoded.ids[place]]
                for place, answer in zip(places, by_place, strict=True)
            ]
            weights = [answers[0].weights[p] if rows[0].weighed else 1.0 for p in places]
            return token_scores(self, encoded, places, values=values, weights=weights)

        return AsRows(rows, read)

    def _with_blank(self, text: str) -> str:
        """A text written with the model's own mask token means the same blank."""
        own = self.tokens.mask_token
        return text.replace(own, BLANK) if own and own != BLANK else text


def chain_rows(placed: Placed, mask_id: int) -> list[Row]:
    """As many masks as the word has pieces, filled from left to right (chain rule)."""
    ids = list(placed.encoded.ids)
    for place in (*placed.slot, *placed.hidden):
        ids[place] = mask_id
    rows = []
    for place, piece in zip(placed.slot, placed.pieces, strict=True):
        rows.append(Row(tuple(ids), ((place, piece),)))
        ids[place] = piece
    return rows


def masked_rows(encoded: Encoded, mask_id: int, *, within_word: bool) -> list[Row]:
    """One row per token, with that token hidden, and within a word also the pieces to its right."""
    rows = []
    for place in encoded.content:
        ids = list(encoded.ids)
        ids[place] = mask_id
        if within_word:
            for later in range(place + 1, len(ids)):
                if encoded.words[later] is None or encoded.words[later] != encoded.words[place]:
                    break
                ids[later] = mask_id
        rows.append(Row(tuple(ids), ((place, encoded.ids[place]),)))
    return rows


def token_scores(
    model: NeuralModel,
    encoded: Encoded,
    places: Sequence[int],
    *,
    values: Sequence[float],
    weights: Sequence[float],
) -> TokenScores:
    """The scores of a sentence's tokens with their spelling and place."""
    return TokenScores(
        tokens=tuple(model.tokens.token(encoded.ids[place]) for place in places),
        logprobs=tuple(values),
        spans=tuple(encoded.spans[place] for place in places),
        weights=tuple(weights),
    )


def _read_fill(
    words: tuple[str, ...], pieces: list[int], rows: list[Row], answers: list[RowAnswer]
) -> WordScores:
    """Sum log P over the pieces of each word; a word of no piece could not be asked."""
    values = iter(answer.logprobs[row.asks[0]] for row, answer in zip(rows, answers, strict=True))
    logprobs = tuple(
        float(sum(next(values) for _ in range(count))) if count else float(np.nan) for count in pieces
    )
    return WordScores(words, logprobs, tuple(pieces))
