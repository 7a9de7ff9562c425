"""Encoder-decoders with a mask token, such as BART.

The mask stands in the encoder's input and the decoder reads the same row, shifted right, so that its
answer at the mask's position is a distribution over one token, as in the published uses of BART for blanks.
The decoder also sees the tokens to the left, and a mask may stand for a span in training: compare the values
with those of other encoder-decoders rather than of masked models.
"""

from equipoise.models.neural.masked import MaskedModel


class EncoderDecoderModel(MaskedModel):
    """BART and its family: every encoder-decoder whose tokenizer has a mask token."""

    kind = "encoder-decoder"
    notes = ("the decoder reads the masked row shifted right: one token per mask",)
