"""The reference of the site as Markdown: from the cards, the help texts, the catalogue and the docstrings."""

import inspect
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import equipoise
from equipoise.data.sources import catalogue
from equipoise.instruments import INSTRUMENTS, instrument_card, load_instrument
from equipoise.mitigations import MITIGATIONS, mitigation_card, mitigation_class
from equipoise.report.page.contents import card_parts

FOLDER = "reference"
EXAMPLES = Path(__file__).resolve().parents[1] / "docs" / "examples.md"
"""A section for each instrument: one real sentence, and what the shipped model makes of it."""

HEADINGS = {
    "Question": "What is measured",
    "Measures": "What is measured",
    "Good": "What is good",
    "Sign": "How to read the sign",
    "Neutral": "What a model without knowledge gives",
    "Also given": "Also reported",
    "Differs": "Where it departs from its source, and numbers reproduced",
}
"""Headings of cards in the words of the site; any other stands as the card has it."""

LONGEST_SIGNATURE = 80
"""Characters that fit into one line of the site's column."""

ORDER = ("Example", "Question", "Measures", "Good", "Sign", "Limits", "Source", "Reproduced", "Not")
"""The headings that a reader needs first; the others follow in the card's order."""


def write_reference(docs: Path) -> None:
    """Write every generated page below a folder of documents; files that stay the same are left alone."""
    for name, text in reference_pages().items():
        path = docs / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")


def reference_pages() -> dict[str, str]:
    """Every generated page by its name."""
    examples = worked_examples(EXAMPLES.read_text(encoding="utf-8"))
    instruments = {
        f"{FOLDER}/{name}.md": _instrument(name, *examples.get(name, (name, ""))) for name in INSTRUMENTS
    }
    mitigations = {f"{FOLDER}/mitigation-{name}.md": _mitigation(name) for name in MITIGATIONS}
    return {
        f"{FOLDER}/instruments.md": _instruments(
            {name: examples.get(name, (name, ""))[0] for name in INSTRUMENTS}
        ),
        **instruments,
        f"{FOLDER}/mitigations.md": _index("Mitigation methods", MITIGATIONS, mitigation_card, "mitigation-"),
        **mitigations,
        f"{FOLDER}/data.md": _data(),
        f"{FOLDER}/commands.md": _commands(),
        f"{FOLDER}/python.md": _python(),
    }


def worked_examples(text: str) -> dict[str, tuple[str, str]]:
    """The plain name and the section of every instrument on the page of examples."""
    sections = re.split(r"^## `([a-z-]+)`: (.*)$", text, flags=re.MULTILINE)
    told = zip(sections[2::3], (body.strip() for body in sections[3::3]), strict=True)
    return dict(zip(sections[1::3], told, strict=True))


def _instruments(plain: Mapping[str, str]) -> str:
    """Every instrument by its plain name and its question."""
    rows = []
    for name, called in plain.items():
        rows.append(
            (f"[{called[:1].upper()}{called[1:]}]({name}.md)", f"`{name}`", _escaped(_question(name)))
        )
    table = _table(("test", "name", "question"), rows, escape=False)
    return f"# Instruments\n\n{table}\n{_toctree(plain)}"


def _question(name: str) -> str:
    """The first line of an instrument's card, without the name of the method."""
    question = instrument_card(name).splitlines()[0].partition(": ")[2]
    return question[:1].upper() + question[1:]


def _toctree(names: Iterable[str]) -> str:
    return "```{toctree}\n:hidden:\n\n" + "\n".join(names) + "\n```\n"


def _index(title: str, names: Iterable[str], card: Any, prefix: str) -> str:
    rows = [(f"[{name}]({prefix}{name}.md)", _escaped(card(name).splitlines()[0])) for name in names]
    toctree = _toctree(f"{prefix}{name}" for name in names)
    return f"# {title}\n\n{_table(('name', 'what'), rows, escape=False)}\n{toctree}"


def _instrument(name: str, plain: str, example: str) -> str:
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
    head = ("key", "what", "part", "good", "unit", "negligible below")
    numbers = f"## What models are compared by\n\n{_table(head, compared)}" if compared else ""
    shown = f"## A worked example\n\n{example}\n" if example else ""
    run = f"```\nequipoise measure {name} --model path/to/model --out results/model\n```\n"
    parts = [
        f"# {plain[:1].upper()}{plain[1:]} (`{name}`)",
        _escaped(_question(name)),
        run,
        shown,
        _card(instrument_card(name)),
    ]
    return "\n\n".join([*parts, "## Facts\n", _table(("", ""), facts), numbers]) + "\n"


def _good(quantity: Any) -> str:
    return f"near {quantity.neutral:g}" if quantity.better == "neutral" else str(quantity.better)


def _mitigation(name: str) -> str:
    kind = mitigation_class(name)
    return f"# {name}\n\n{_escaped(_sentence(kind))}\n\n{_card(mitigation_card(name))}\n"


def _card(text: str) -> str:
    """A card as sections, the ones that a reader needs first in front."""
    parts = card_parts(text)[1:]
    places = {heading: place for place, heading in enumerate(ORDER)}
    parts.sort(key=lambda part: places.get(part[0], len(ORDER)))
    shown = ((HEADINGS.get(heading, heading), body) for heading, body in parts)
    return "\n".join(f"## {heading}\n\n{_escaped(body)}\n" for heading, body in shown)


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
        parts.append(
            f"## {name}\n\n```python\n{name}{_signature(thing, wrapped=True)}\n```\n\n{_sentence(thing)}\n"
        )
        parts += [
            f"- `{member}{_signature(function)}`: {_sentence(function)}"
            for member, function in _methods(thing)
        ]
        parts.append("")
    return "\n".join(parts) + "\n"


def _methods(thing: Any) -> Sequence[tuple[str, Any]]:
    if not inspect.isclass(thing) or issubclass(thing, Exception):
        return []
    own = [(name, value) for name, value in vars(thing).items() if not name.startswith("_")]
    return [(name, value) for name, value in own if inspect.isfunction(value) and inspect.getdoc(value)]


def _signature(thing: Any, *, wrapped: bool = False) -> str:
    """How a thing is called, with short names of types; if wrapped, a long one has a line per argument."""
    try:
        signature = inspect.signature(thing)
    except (TypeError, ValueError):
        return ""
    text = str(signature)
    if wrapped and len(text) > LONGEST_SIGNATURE:
        kept = [str(one) for name, one in signature.parameters.items() if name != "self"]
        text = "(\n    " + ",\n    ".join(kept) + ",\n)" + text.rpartition(")")[2]
    if inspect.isclass(thing):
        text = text.removesuffix(" -> None")
    text = re.sub(r"\b(?:[a-z_]+\.)+(?=\w)", "", text)
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
