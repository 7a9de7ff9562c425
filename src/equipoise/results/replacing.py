"""Replacing: a result may take the place of the same measurement; of another one only where that is meant."""

from collections.abc import Iterator, Mapping
from pathlib import PurePath
from typing import Any

from equipoise.results.numbers import fixed

Provenance = Mapping[str, Any]


def differences(before: Provenance, after: Provenance) -> list[str]:
    """What was measured otherwise: variant, data, poles, precision, seed, and choices such as a layer."""
    seeds = [one.get("seed", 0) for one in (before, after)]
    seed = [] if seeds[0] == seeds[1] else [f"seed {seeds[0]} there, {seeds[1]} now"]
    return [
        *_named(before, after),
        *_files(before, after),
        *_choices(before, after),
        *seed,
        *_sample(before, after),
    ]


def _sample(before: Provenance, after: Provenance) -> Iterator[str]:
    """A sample may grow; it does not take the place of more than it holds."""
    shares = [float(one.get("sample", {}).get("share", 1.0)) for one in (before, after)]
    if shares[1] < shares[0]:
        was = "the whole run" if shares[0] == 1 else f"a sample of {fixed(100 * shares[0], 0)} %"
        yield f"{was} there, a sample of {fixed(100 * shares[1], 0)} % now"


def _named(before: Provenance, after: Provenance) -> Iterator[str]:
    for what, room, name, default in (
        ("variant", "instrument", "variant", ""),
        ("version of the instrument", "instrument", "version", 1),
        ("data", "data", "name", ""),
        ("poles", "data", "poles", ""),
        ("precision", "model", "precision", ""),
    ):
        was, now = (PurePath(str(one.get(room, {}).get(name, default))).name for one in (before, after))
        if was != now:
            yield f"{what} {was!r} there, {now!r} now"


def _files(before: Provenance, after: Provenance) -> Iterator[str]:
    """Files of the same name with other content; other names were told by the data's own name."""
    was, now = (dict(one.get("data", {}).get("files", {})) for one in (before, after))
    changed = [name for name in now if name in was and was[name] != now[name]]
    if changed:
        yield f"{', '.join(changed)} with other content"


def _choices(before: Provenance, after: Provenance) -> Iterator[str]:
    was, now = (dict(one.get("choices", {})) for one in (before, after))
    for name in sorted({*was, *now}):
        if was.get(name) != now.get(name):
            yield f"{name} {was.get(name, 'by default')} there, {now.get(name, 'by default')} now"
