"""What a rule may say of a candidate: replace it, or leave it for a reason."""

from typing import NamedTuple


class Replace(NamedTuple):
    """The new word in lower case (case and ending are put on later), the rule, and its margin in nats."""

    new: str
    rule: str
    margin: float | None = None


class Leave(NamedTuple):
    """Why the word stays."""

    reason: str


Decision = Replace | Leave
