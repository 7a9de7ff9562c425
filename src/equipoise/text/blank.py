"""The blank: how a text says where a word is left open."""

from equipoise.errors import UserError

BLANK = "[MASK]"
"""The blank in every text given to Equipoise, whatever a model's own mask token is called."""


def count_blanks(text: str) -> int:
    """How many blanks a text has."""
    return text.count(BLANK)


def refuse_no_blank(text: str) -> None:
    """Refuse a text without a blank."""
    if BLANK not in text:
        raise UserError(
            f"There is no {BLANK} in {text!r}.", f"Write {BLANK} where the model is to fill a word in."
        )


def find_blank(text: str, blank: int | None) -> int:
    """Which blank is asked; one must be named where there are several."""
    refuse_no_blank(text)
    count = count_blanks(text)
    if blank is None and count > 1:
        raise UserError(
            f"There are {count} blanks in {text!r} where one is expected.",
            f"Keep one {BLANK} and write words in place of the others.",
        )
    if blank is not None and not 0 <= blank < count:
        raise UserError(
            f"Blank number {blank} was asked of {text!r}, which has {count}.",
            f"Give a number from 0 to {count - 1}.",
        )
    return blank or 0
