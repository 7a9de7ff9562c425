"""Choices that only some instruments read; one that none of them reads is refused, not ignored.

`Settings` declares them. An instrument lists those that it reads, or a whole group, in `reads`.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from equipoise.choices import Choice, made_choices
from equipoise.errors import UserError
from equipoise.models.loading import portable_name

if TYPE_CHECKING:
    from equipoise.instruments.base import Instrument, Settings

POLES, CORPUS, LABEL, NEUTRAL_PAIRS = "poles", "corpus", "label", "neutral_pairs"
SAMPLE, CHOSEN_LAYER, POOLING, MEASURE = "sample", "layer", "pooling", "measure"

RECORDED_APART = ("data", "variant", "poles", "data_dir", "seed")
"""Choices that a result records in places of their own."""


def refuse_unread(measured: "Mapping[str, tuple[Instrument[Any], Settings]]") -> None:
    """Refuse a choice that was made for instruments none of which reads it."""
    made: dict[str, list[tuple[Choice, Any, str]]] = {}
    for name, (_, settings) in measured.items():
        for one, value in made_choices(settings):
            made.setdefault(one.name, []).append((one, value, name))
    for uses in made.values():
        one, value, _ = uses[0]
        if not any(one.is_read_by(measured[name][0].reads) for _, _, name in uses):
            raise UserError(
                f"{one.flag} {_shown(value)}".rstrip()
                + f" has no effect on {', '.join(name for _, _, name in uses)}.",
                f"Leave it out, or measure with an instrument that reads it: {_readers(one)}.",
            )


def recorded_choices(settings: "Settings") -> dict[str, object]:
    """What was chosen besides data, variant and poles, by the names of the command line's options."""
    return {one.flag.lstrip("-"): _shown(value) or True for one, value in _recorded(settings)}


def fixed_choices(settings: "Settings") -> list[str]:
    """Those of the recorded choices in which two results may not differ."""
    return [one.flag.lstrip("-") for one, _ in _recorded(settings) if not one.may_differ]


def _recorded(settings: "Settings") -> list[tuple[Choice, Any]]:
    return [pair for pair in made_choices(settings) if pair[0].name not in RECORDED_APART]


def _readers(one: Choice) -> str:
    from equipoise.instruments import every_instrument

    return ", ".join(each.name for each in every_instrument() if one.is_read_by(each.reads))


def _shown(value: object) -> str:
    """The value as it was written after the option; empty for a flag."""
    if isinstance(value, tuple):
        return " ".join(map(str, value))
    return "" if isinstance(value, bool) else portable_name(str(value))
