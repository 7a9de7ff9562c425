"""Encoder-decoders: with a mask token, such as BART, or with sentinels, such as T5.

BART    The mask stands in the encoder's input and the decoder reads the same row, shifted right, so that its
        answer at the mask's position is a distribution over one token, as in the published uses of BART for
        blanks. The decoder also sees the tokens to the left, and a mask may stand for a span in training:
        compare the values with those of other encoder-decoders rather than of masked models.
T5      A sentinel stands in the encoder's input for a span, and the decoder writes the sentinel, the span and
        the next sentinel. A word's probability is that of its pieces and of the sentinel that ends the span,
        so that probabilities of all spans sum to one.
"""

from collections.abc import Sequence
from typing import Any

from equipoise.errors import UserError, unknown_name
from equipoise.models.capabilities import EMBED, FILL, score_by
from equipoise.models.engine.rows import Row, RowAnswer
from equipoise.models.neural.base import AsRows
from equipoise.models.neural.language import NeuralModel
from equipoise.models.neural.masked import MaskedModel, token_scores
from equipoise.models.neural.words import is_unknown, place_words, refuse_unknown
from equipoise.models.questions import DEFAULT_RULE, Fill, Question, Score, TokenScores, WordScores
from equipoise.text.blank import count_blanks

SENTINELS = ("<extra_id_0>", "<extra_id_1>")
RULE = "original"


class EncoderDecoderModel(MaskedModel):
    """BART and its family: every encoder-decoder whose tokenizer has a mask token."""

    kind = "encoder-decoder"
    notes = ("the decoder reads the masked row shifted right: one token per mask",)


class SentinelModel(NeuralModel):
    """T5 and its family: every encoder-decoder whose tokenizer has sentinels instead of a mask."""

    kind = "encoder-decoder"
    capabilities = frozenset({FILL, EMBED, score_by(RULE)})
    notes = ("a word is written by the decoder as the span that a sentinel stands for",)

    def __init__(self, model: Any, tokenizer: Any, **settings: Any) -> None:
        super().__init__(model, tokenizer, **settings)
        first, second = tokenizer.convert_tokens_to_ids(list(SENTINELS))
        self.sentinels: tuple[int, int] = (int(first), int(second))
        self.start_id = int(model.config.decoder_start_token_id)

    def ask_words(self, question: Question) -> AsRows:
        """A word at the blank, or the tokens of a text."""
        if isinstance(question, Fill):
            return self._ask_fill(question)
        if isinstance(question, Score):
            return self._ask_score(question)
        raise self.refuse(question)

    def _span_row(self, ids: Sequence[int], span: Sequence[int], *, ends: bool) -> Row:
        """The row in which a sentinel stands for the tokens of a span, and the decoder writes them."""
        first, second = self.sentinels
        pieces = [ids[place] for place in span]
        written = [*pieces, second] if ends else pieces
        read = (*ids[: span[0]], first, *ids[span[-1] + 1 :])
        asks = tuple((1 + number, token) for number, token in enumerate(written))
        return Row(read, asks, target=(self.start_id, first, *written[:-1]))

    def _ask_fill(self, question: Fill) -> AsRows:
        if question.hidden or count_blanks(question.text) > 1:
            raise UserError(
                f"{self.name!r} reads one blank at a time, and {question.text!r} hides more.",
                "Instruments that hide two words at once need a masked model.",
            )
        rows: list[Row] = []
        pieces: list[int] = []
        placements = place_words(self.tokens, question.text, question.words, blank=question.blank)
        for word, placed in zip(question.words, placements, strict=True):
            if is_unknown(placed, self.tokens):
                if not question.unknown_as_nan:
                    raise refuse_unknown(word, question.text, self.name)
                pieces.append(0)
                continue
            rows.append(self._span_row(self.fitting(placed.encoded).ids, placed.slot, ends=True))
            pieces.append(len(placed.slot))

        def read(answers: list[RowAnswer]) -> WordScores:
            totals = iter(
                sum(answer.logprobs[ask] for ask in row.asks)
                for row, answer in zip(rows, answers, strict=True)
            )
            values = tuple(next(totals) if count else float("nan") for count in pieces)
            return WordScores(question.words, values, tuple(pieces))

        return AsRows(rows, read)

    def _ask_score(self, question: Score) -> AsRows:
        if question.rule not in (DEFAULT_RULE, RULE):
            raise unknown_name("scoring rule for a model with sentinels", question.rule, (RULE,))
        encoded = self.encode(question.text)
        places = encoded.content
        if not places:
            raise UserError("An empty text cannot be scored.", "Give a sentence with words in it.")
        rows = [self._span_row(encoded.ids, [place], ends=False) for place in places]

        def read(answers: list[RowAnswer]) -> TokenScores:
            values = [answer.logprobs[row.asks[0]] for row, answer in zip(rows, answers, strict=True)]
            return token_scores(self, encoded, places, values=values, weights=[1.0] * len(places))

        return AsRows(rows, read)


def encoder_decoder(model: Any, tokenizer: Any, **settings: Any) -> NeuralModel:
    """The encoder-decoder of the kind that its tokenizer's special tokens tell."""
    if tokenizer.mask_token is None and SENTINELS[1] in tokenizer.get_vocab():
        return SentinelModel(model, tokenizer, **settings)
    return EncoderDecoderModel(model, tokenizer, **settings)
