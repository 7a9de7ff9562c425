"""What masked, causal and encoder-decoder models share: words, vectors and raw rows of token ids."""

from collections.abc import Sequence

from equipoise.errors import UserError
from equipoise.models.engine.forward import LanguageForward
from equipoise.models.engine.rows import Row, RowAnswer, VectorSpec
from equipoise.models.guards.weights import WeightWatch, share_weights
from equipoise.models.neural.base import AsRows, TransformersModel
from equipoise.models.neural.devices import device_for, largest_deviation
from equipoise.models.neural.network import Network
from equipoise.models.neural.plain_bert import PlainBert
from equipoise.models.neural.words import Encoded
from equipoise.models.questions import (
    FIRST,
    MEAN_WITH_SPECIAL,
    Embed,
    Embedding,
    Question,
    Raw,
    WordScores,
)
from equipoise.text.blank import BLANK


class NeuralModel(TransformersModel):
    """A language model; subclasses say how a question about words becomes rows."""

    has_precisions = True

    @property
    def layers(self) -> int:
        """How many layers stand above the embeddings; of an encoder-decoder, its encoder's."""
        return int(self._source.config.num_hidden_layers)

    def unknown_parts(self, text: str) -> list[str]:
        """The parts of a text that become the tokenizer's unknown token; the blank is not part of it."""
        return self.tokens.unknown_parts(text.replace(BLANK, " "))

    def ask(self, question: Question) -> AsRows:
        """The rows of one question and how to read them."""
        if isinstance(question, Embed):
            return self.ask_embed(question)
        if isinstance(question, Raw):
            return ask_raw(question)
        return self.ask_words(question)

    def ask_words(self, question: Question) -> AsRows:
        """The rows of a question about words, in the way in which this kind of model reads them."""
        raise NotImplementedError

    def deviation(self) -> float:
        """The largest difference from fp32 in log P on a sample of the rows that were run."""
        if self.precision == "fp32":
            return 0.0
        network = Network(share_weights(self._source, device_for(self._source, self.options.device)))
        exact = LanguageForward(network, self._padding_id)
        return largest_deviation(self.engine.forward, exact, self.engine.sample)

    def encode(self, text: str) -> Encoded:
        """Tokenise, refusing a text that is longer than the model."""
        return self.fitting(self.tokens.encode(text))

    def fitting(self, encoded: Encoded) -> Encoded:
        """The same, if it is no longer than the model reads."""
        self.refuse_long(len(encoded.ids), encoded.text)
        return encoded

    def ask_embed(self, question: Embed) -> AsRows:
        """The row behind one vector."""
        encoded = self.encode(question.text)
        places = encoded.content if question.span is None else encoded.positions(question.span)
        if not places:
            raise UserError(
                f"There is no token to embed in {question.text!r}.",
                "Give a text with a word in it.",
            )
        if question.pooling == MEAN_WITH_SPECIAL:
            places = list(range(len(encoded.ids)))
        spec = VectorSpec(question.layer, (0,) if question.pooling == FIRST else tuple(places))
        row = Row(self._masked(encoded, question.hidden), vectors=(spec,))
        return AsRows([row], lambda answers: Embedding(answers[0].vectors[spec]))

    def _masked(self, encoded: Encoded, hidden: Sequence[tuple[int, int]]) -> tuple[int, ...]:
        """The ids with a mask for every token that overlaps a hidden span."""
        covered = {place for span in hidden for place in encoded.positions(span)}
        mask = self.tokens.mask_id
        if covered and mask is None:
            raise UserError(
                f"{self.name!r} has no mask token, so no word of a text can be hidden from it.",
                "Give a masked model, or ask without hidden words.",
            )
        return tuple(
            mask if place in covered and mask is not None else own for place, own in enumerate(encoded.ids)
        )

    @property
    def _padding_id(self) -> int:
        return self.tokens.padding_id or 0

    def _share(self) -> None:
        if isinstance(self._source, PlainBert):
            self._source = self._source.twin
            self._watch = WeightWatch(self._source)
        super()._share()

    def _forward(self) -> LanguageForward:
        network = self._source
        if self._is_shared:
            network = share_weights(network, device_for(network, self.options.device))
        return LanguageForward(Network(network, precision=self.precision), self._padding_id)


def ask_raw(question: Raw) -> AsRows:
    """Ids that are run exactly as they stand, defects included."""
    asks = tuple((question.position, token) for token in question.wanted)

    def read(answers: list[RowAnswer]) -> WordScores:
        values = tuple(answers[0].logprobs[ask] for ask in asks)
        return WordScores(tuple(map(str, question.wanted)), values, (1,) * len(asks))

    return AsRows([Row(question.ids, asks)], read)
