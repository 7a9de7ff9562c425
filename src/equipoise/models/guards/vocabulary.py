"""Whether a tokenizer and a network belong together: ids that one gives and the other does not have lie."""

from typing import Any

from equipoise.errors import UserError

LEAST_SHARE = 0.97
"""Networks are padded to a round number of entries, but not by so much: less is another vocabulary.

The cased BERT's tokenizer has 0.95 of the entries of the uncased one."""


def refuse_misfit_vocabulary(network: Any, tokenizer: Any, name: str) -> None:
    """Refuse a tokenizer with ids that the network has no entry for, or with far fewer than it has."""
    entries = int(network.config.get_text_config().vocab_size)
    size = int(tokenizer.backend_tokenizer.get_vocab_size())
    needed = max(size, 1 + max(tokenizer.added_tokens_decoder, default=0))
    if needed > entries:
        raise UserError(
            f"The tokenizer of {name!r} has {needed:,} entries and the network {entries:,}: "
            "some words have no vector.",
            "Use the tokenizer that was saved with these weights.",
        )
    if size < LEAST_SHARE * entries:
        raise UserError(
            f"The tokenizer of {name!r} has {size:,} entries and the network {entries:,}: "
            "it is the tokenizer of another model.",
            "Use the tokenizer that was saved with these weights.",
        )
