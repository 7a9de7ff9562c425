"""The page as text: the template filled, scripts named by their hash so that no other one can run."""

import base64
import gzip
import hashlib
import json
import math
import re
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import numpy as np
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from equipoise.results.numbers import shown
from equipoise.results.result import describe_versions

if TYPE_CHECKING:
    from equipoise.report.page.contents import Contents

PACKAGE = "equipoise.report.page"
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
"""What names and texts may hold that a terminal would obey, if somebody prints the page there."""

_PERCENT = re.compile(r"(?<=\d) %")
_EXPONENT = re.compile(r"-?\d+\.\d+e-\d+")


def filled(contents: "Contents") -> str:
    """The whole page."""
    scripts = [_vega(), _asset("page.js")]
    hashes = " ".join(f"'sha256-{_hash(script)}'" for script in scripts)
    specs = {figure.name: figure.spec for figure in contents.figures}
    page = (
        environment()
        .get_template("page.html")
        .render(
            page=contents,
            specs=script_json(specs),
            style=Markup(_asset("page.css")),
            scripts=[Markup(script) for script in scripts],
            policy=f"default-src 'none'; script-src {hashes}; style-src 'unsafe-inline'; img-src data:; "
            "base-uri 'none'; form-action 'none'",
            version=describe_versions().get("equipoise", ""),
        )
    )
    return _CONTROL.sub("\ufffd", page)


def script_json(content: Any) -> Markup:
    """JSON that cannot end the script element it stands in."""
    text = json.dumps(content, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    return Markup(text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026"))


def cell_text(value: Any) -> str:
    """A cell of a table as text."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return "-"
    if isinstance(value, bool | np.bool_):
        return "yes" if value else "no"
    return shown(value) if isinstance(value, float) else str(value)


def unbroken(sentence: str) -> Markup:
    """A sentence in which no number is broken from its exponent or its unit at the end of a line."""
    sentence = _PERCENT.sub("\u00a0%", sentence)
    return Markup(_EXPONENT.sub(r'<span class="whole">\g<0></span>', str(escape(sentence))))


def is_number(value: Any) -> bool:
    """Whether a cell stands to the right."""
    return isinstance(value, int | float) and not isinstance(value, bool)


@cache
def environment() -> Environment:
    """Return the templates of every page; whatever stands in a result is escaped."""
    environment = Environment(
        loader=PackageLoader(PACKAGE, "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(cell=cell_text, unbroken=unbroken)
    environment.tests.update(numeric=is_number)
    return environment


@cache
def _asset(name: str) -> str:
    return (files(PACKAGE) / "assets" / name).read_text(encoding="utf-8")


@cache
def _vega() -> str:
    """Vega and Vega-Lite, as `recipes/vega_bundle.py` took them from vl-convert."""
    return gzip.decompress((files(PACKAGE) / "assets" / "vega.js.gz").read_bytes()).decode("utf-8")


def _hash(script: str) -> str:
    return base64.b64encode(hashlib.sha256(script.encode("utf-8")).digest()).decode("ascii")
