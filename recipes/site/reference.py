"""The reference as Markdown: from the cards, the help texts, the catalogue and the docstrings."""

import inspect
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import equipoise
from equipoise.data.catalogue import catalogue
from equipoise.instruments import INSTRUMENTS, instrument_card, load_instrument
from equipoise.mitigations import MITIGATIONS, mitigation_card, mitigation_class
from equipoise.report.cards import card_parts

FOLDER = "docs/reference"
"""Where the pages would lie if they were written by hand: links among them are read from there."""


def reference_pages() -> dict[str, str]:
    """Every generated page by its name."""
    instruments = {f"{FOLDER}/{name}.md": _instrument(name) for name in INSTRUMENTS}
    mitigations = {f"{FOLDER}/mitigation-{name}.md": _mitigation(name) for name in MITIGATIONS}
    return {
        f"{FOLDER}/instruments.md": _index("Instruments", INSTRUMENTS, instrument_card, ""),
        **instruments,
        f"{FOLDER}/mitigations.md": _index("Mitigations", MITIGATIONS, mitigation_card, "mitigation-"),
        **mitigations,
        f"{FOLDER}/data.md": _data(),
        f"{FOLDER}/commands.md": _commands(),
        f"{FOLDER}/python.md": _python(),
    }


def _index(title: str, names: Iterable[str], card: Any, prefix: str) -> str:
    rows = [(f"[{name}]({prefix}{name}.md)", card(name).splitlines()[0]) for name in names]
    return f"# {title}\n\n{_table(('name', 'what'), rows, escape=False)}"


def _instrument(name: str) -> str:
    one = load_instrument(name)
    facts = [
        ("variants (the first is the default)", ", ".join(one.variants)),
        ("data (the first is the default)", ", ".join(one.datasets) or "a corpus of yours"),
        ("a model must be able to", ", ".join(one.needs)),
    ]
    compared = [
        (q.key, q.label, q.part, _good(q), q.unit or "-", f"{q.margin:g}")
        for q in one.quantities
        if q.compared
    ]
    head = ("key", "what", "part", "good", "unit", "immaterial below")
    numbers = f"## What models are compared by\n\n{_table(head, compared)}" if compared else ""
    return f"# {name}\n\n{one.title}.\n\n{_card(instrument_card(name))}\n{_table(('', ''), facts)}\n{numbers}"


def _good(quantity: Any) -> str:
    return f"near {quantity.neutral:g}" if quantity.better == "neutral" else str(quantity.better)


def _mitigation(name: str) -> str:
    kind = mitigation_class(name)
    return f"# {name}\n\n{_sentence(kind)}\n\n{_card(mitigation_card(name))}"


def _card(text: str) -> str:
    return "\n".join(f"**{heading}.** {_escaped(body)}\n" for heading, body in card_parts(text))


def _data() -> str:
    rows = [
        (entry.dataset, entry.file, entry.licence, entry.citation, entry.problems) for entry in catalogue()
    ]
    head = ("data set", "file", "licence", "from", "known problems")
    return f"# Data sets\n\nOurs begin with `equipoise-` and ship with the package.\n\n{_table(head, rows)}"


def _commands() -> str:
    import typer

    from equipoise.cli.commands import app

    parts = ["# Commands\n"]
    for name, command in _leaves("equipoise", typer.main.get_command(app)):
        options = [_option(one) for one in command.params if one.name != "help"]
        said = inspect.cleandoc(command.help or "")
        parts.append(f"## {name}\n\n{said}\n\n{_table(('', 'what', 'default'), options)}")
    return "\n".join(parts)


def _leaves(name: str, command: Any) -> Iterable[tuple[str, Any]]:
    inner: Mapping[str, Any] = getattr(command, "commands", {})
    if not inner:
        yield name, command
    for part, one in inner.items():
        yield from _leaves(f"{name} {part}", one)


def _option(parameter: Any) -> tuple[str, str, str]:
    is_argument = parameter.param_type_name == "argument"
    shown = (parameter.name or "").upper() if is_argument else ", ".join(parameter.opts)
    default = parameter.default
    is_plain = isinstance(default, str | int | float) and not isinstance(default, bool) and default != ""
    return f"`{shown}`", getattr(parameter, "help", "") or "", str(default) if is_plain else ""


def _python() -> str:
    parts = ["# Python\n\n`import equipoise` costs no torch: each name is loaded when it is first used.\n"]
    for name in equipoise.__all__:
        thing = getattr(equipoise, name)
        parts.append(f"## {name}\n\n```python\n{name}{_signature(thing)}\n```\n\n{_sentence(thing)}\n")
        parts += [
            f"- `{member}{_signature(function)}`: {_sentence(function)}"
            for member, function in _methods(thing)
        ]
    return "\n".join(parts) + "\n"


def _methods(thing: Any) -> Sequence[tuple[str, Any]]:
    if not inspect.isclass(thing) or issubclass(thing, Exception):
        return []
    own = [(name, value) for name, value in vars(thing).items() if not name.startswith("_")]
    return [(name, value) for name, value in own if inspect.isfunction(value) and inspect.getdoc(value)]


def _signature(thing: Any) -> str:
    try:
        text = str(inspect.signature(thing))
    except (TypeError, ValueError):
        return ""
    if inspect.isclass(thing):
        text = text.removesuffix(" -> None")
    return "" if text == "(*args, **kwargs)" else text.replace("(self, ", "(").replace("(self)", "()")


def _sentence(thing: Any) -> str:
    return inspect.cleandoc(inspect.getdoc(thing) or "")


def _table(head: Sequence[str], rows: Sequence[Sequence[str]], *, escape: bool = True) -> str:
    if not rows:
        return ""
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    cells = [[_escaped(cell) if escape and "`" not in cell else cell for cell in row] for row in rows]
    lines += [
        "| " + " | ".join(cell.replace("|", "\\|").replace("\n", " ") for cell in row) + " |" for row in cells
    ]
    return "\n".join([*lines, ""])


def _escaped(text: str) -> str:
    """Prose in which nothing is taken for markup but what stands in backquotes."""
    pieces = text.split("`")
    for place in range(0, len(pieces), 2):
        for mark in ("\\", "*", "_", "[", "]", "<"):
            pieces[place] = pieces[place].replace(mark, f"\\{mark}")
    return "`".join(pieces)
