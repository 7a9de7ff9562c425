"""Items that a model cannot be asked are dropped and counted, unless they are most of the items."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import TypeVar

from equipoise.errors import UserError
from equipoise.instruments.base import Ask, Design
from equipoise.models.capabilities import unaskable_reason
from equipoise.models.protocol import LanguageModel

D = TypeVar("D", bound=Design)
MOST = 0.5
"""An instrument is refused if it loses more than this share of its items."""


def drop_unaskable(name: str, model: LanguageModel, design: D, asks: Sequence[Ask]) -> tuple[D, list[Ask]]:
    """The design with unaskable items dropped, and what is still asked; refused if it is most of them."""
    reasons: dict[str, str] = {}
    for ask in asks:
        if ask.item not in reasons and (reason := unaskable_reason(model, ask.question)):
            reasons[ask.item] = reason
    items = design.items
    is_open = items["dropped"].eq("")
    affected = is_open & items["item"].isin(reasons)
    if affected.sum() < len(reasons) or affected.sum() > MOST * is_open.sum():
        ((reason, _),) = Counter(reasons.values()).most_common(1)
        raise UserError(
            f"{name}: {len(reasons):,} of {is_open.sum():,} items cannot be asked of {model.name!r}; the "
            f"most frequent reason: {reason}.",
            "Use another model or other data.",
        )
    dropped = items["dropped"].where(~affected, items["item"].map(reasons))
    left = [ask for ask in asks if ask.item not in reasons]
    return replace(design, items=items.assign(dropped=dropped)), left
