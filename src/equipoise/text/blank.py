"""The blank: how a text says where a word is left open."""

BLANK = "[MASK]"
"""The blank in every text given to Equipoise, whatever a model's own mask token is called."""


def count_blanks(text: str) -> int:
    """How many blanks a text has."""
    return text.count(BLANK)
