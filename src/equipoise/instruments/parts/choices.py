"""Choices of a user that only some instruments read; one that none of them reads is refused, not ignored."""

from collections.abc import Mapping
from dataclasses import fields
from typing import TYPE_CHECKING, Any

from equipoise.errors import UserError

if TYPE_CHECKING:
    from equipoise.instruments.base import Instrument, Settings

POLES, CORPUS, LABEL, NEUTRAL_PAIRS = "poles", "corpus", "label", "neutral_pairs"
SAMPLE = "sample"
"""The one option of a corpus that an instrument without a corpus may read."""

CHOSEN_LAYER, POOLING, MEASURE = "layer", "pooling", "measure"
EVERYTHING = (POLES, CORPUS, CHOSEN_LAYER, POOLING, MEASURE, LABEL, NEUTRAL_PAIRS)
"""What an instrument may say that it reads."""

_OPTIONS = {
    **{"groups": "group", "names": "no-names", NEUTRAL_PAIRS: "no-neutral-pairs"},
    **{"groups_file": "groups-file", "with_targets": "with-targets"},
}
"""Choices that the command line calls otherwise."""


def refuse_unread(measured: "Mapping[str, tuple[Instrument[Any], Settings]]") -> None:
    """Refuse a choice that was made for instruments none of which reads it."""
    for choice in EVERYTHING:
        made = {name: _made(settings, choice) for name, (_, settings) in measured.items()}
        asked = {name: options for name, options in made.items() if options}
        if asked and not any(_reads(measured[name][0], choice, options) for name, options in asked.items()):
            option, value = next(iter(asked.values()))[0]
            raise UserError(
                f"--{option} {value}".rstrip()
                + f" means nothing to {', '.join(asked)}, which would ignore it.",
                f"Leave it out, or measure with an instrument that reads it: {_readers(choice)}.",
            )


def made_choices(settings: "Settings") -> dict[str, object]:
    """What was chosen beside data, variant and poles, by the names of the command line's options."""
    made = [pair for choice in EVERYTHING if choice != POLES for pair in _made(settings, choice)]
    return {option: str(value) if value != "" else True for option, value in made}


def _reads(instrument: "Instrument[Any]", choice: str, options: "list[tuple[str, object]]") -> bool:
    """Whether an instrument reads a choice; one that draws a sample needs no corpus for it."""
    is_sample = choice == CORPUS and all(option == SAMPLE for option, _ in options)
    return choice in instrument.reads or (is_sample and SAMPLE in instrument.reads)


def _readers(choice: str) -> str:
    from equipoise.instruments import every_instrument

    return ", ".join(one.name for one in every_instrument() if choice in one.reads)


def _made(settings: "Settings", choice: str) -> list[tuple[str, object]]:
    """What differs from the default, as the options of the command line."""
    plain = type(settings)()
    if choice == CORPUS:
        return [
            (_OPTIONS.get(field.name, field.name), _shown(getattr(settings.corpus, field.name)))
            for field in fields(settings.corpus)
            if getattr(settings.corpus, field.name) != getattr(plain.corpus, field.name)
        ]
    is_of_vectors = choice in (CHOSEN_LAYER, POOLING, MEASURE)
    given, default = (one.vectors if is_of_vectors else one for one in (settings, plain))
    value = getattr(given, choice)
    changed = value != getattr(default, choice)
    return [(_OPTIONS.get(choice, choice), _shown(value))] if changed else []


def _shown(value: object) -> object:
    """What was written behind the option: nothing behind a flag."""
    if isinstance(value, tuple):
        return " ".join(map(str, value))
    return "" if isinstance(value, bool) else value
