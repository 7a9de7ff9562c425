"""Rules: an expression that must not be true of a model, with a name and a reason, as text or from a file."""

import sys
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from equipoise.errors import UserError, unknown_name
from equipoise.report.gate.expressions import Expression
from equipoise.report.gate.grammar import parse

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

FAIL_IF, NAME, BECAUSE = "fail-if", "name", "because"
ABOUT = ("group", "hazard", "mitigation", "owner", "review")
"""What an auditor asks: who is concerned, what could happen, what is done, by whom, when it is reviewed."""

KEYS = (FAIL_IF, NAME, BECAUSE, *ABOUT)
EXAMPLE = 'A rule is: [[rule]], then fail-if = "tbe.appd.low > 0.1", and if you like name and because.'


@dataclass(frozen=True)
class Rule:
    """What a model fails by, if it is true."""

    name: str
    expression: Expression
    because: str = ""
    about: Mapping[str, str] = field(default_factory=dict)


def rule_of(text: str, *, name: str = "", because: str = "") -> Rule:
    """The rule that a text such as `tbe.appd.low > 0.1` is."""
    return Rule(name or " ".join(text.split()), parse(text), because)


def read_rules(path: Path) -> list[Rule]:
    """The rules of a TOML file: a table `[[rule]]` for each."""
    tables = _read_toml(path)
    stray = [key for key in tables if key != "rule"]
    if stray:
        raise UserError(f"{path} has {stray[0]!r} where only [[rule]] can stand.", EXAMPLE)
    rows = tables.get("rule", [])
    if not isinstance(rows, list) or not rows:
        raise UserError(f"{path} holds no rule.", EXAMPLE)
    rules = [_rule(row, f"{path}, rule {number}") for number, row in enumerate(rows, start=1)]
    names = [rule.name for rule in rules]
    repeated = next((name for name in names if names.count(name) > 1), None)
    if repeated:
        raise UserError(f"{path} has two rules called {repeated!r}.", "Give each a name of its own.")
    return rules


def _read_toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UserError(
            f"{path} cannot be read: {error.strerror or error}.", "Give a TOML file of rules."
        ) from error
    except RecursionError as error:
        raise UserError(f"{path} is nested too deeply to be read.", EXAMPLE) from error
    except ValueError as error:  # of the TOML and of the encoding
        raise UserError(f"{path} is not a valid TOML file: {error}.", EXAMPLE) from error


def _rule(row: object, where: str) -> Rule:
    if not isinstance(row, Mapping):
        raise UserError(f"{where} is not a table.", EXAMPLE)
    for key, value in row.items():
        if key not in KEYS:
            raise unknown_name(f"entry of a rule ({where})", key, KEYS)
        if not isinstance(value, str) or not value.strip():
            raise UserError(f"{where}: {key} is not a text.", EXAMPLE)
    if FAIL_IF not in row:
        raise UserError(f"{where} has no {FAIL_IF}.", EXAMPLE)
    try:
        rule = rule_of(row[FAIL_IF], name=row.get(NAME, ""), because=row.get(BECAUSE, ""))
    except UserError as error:
        raise UserError(f"{where}: {error.message}", error.hint) from error
    return replace(rule, about={key: str(row[key]) for key in ABOUT if key in row})
