"""The outcomes for a CI system: as JUnit XML, and as a Markdown table for its summary page."""

import html
import re
from xml.etree import ElementTree

from equipoise.report.gate import ERROR, FAILED, NOT_JUDGED, PASSED, Judgement, Outcome

_TAGS = {FAILED: "failure", ERROR: "error", NOT_JUDGED: "skipped"}
_NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def render_junit(judgement: Judgement) -> str:
    """One test suite with the outcome of every rule."""
    counts = {
        "tests": len(judgement.outcomes),
        "failures": len(judgement.of(FAILED)),
        "errors": len(judgement.of(ERROR)),
        "skipped": len(judgement.of(NOT_JUDGED)),
    }
    attributes = {name: str(count) for name, count in counts.items()}
    root = ElementTree.Element("testsuites", {"name": "equipoise check"} | attributes)
    suite = ElementTree.SubElement(root, "testsuite", {"name": "equipoise check", "time": "0"} | attributes)
    for outcome in judgement.outcomes:
        _add_case(suite, outcome)
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode", xml_declaration=False).join((_HEAD, "\n"))


_HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n'


def _add_case(suite: ElementTree.Element, outcome: Outcome) -> None:
    names = {"classname": _clean(outcome.model), "name": _clean(outcome.rule), "time": "0"}
    case = ElementTree.SubElement(suite, "testcase", names)
    said = _clean(" ".join(filter(None, (outcome.reason, outcome.hint))))
    if outcome.state in _TAGS:
        ElementTree.SubElement(case, _TAGS[outcome.state], {"message": said}).text = said
    else:
        ElementTree.SubElement(case, "system-out").text = said


def _clean(text: str) -> str:
    """The text without characters that XML cannot hold."""
    return _NOT_IN_XML.sub("�", text)


_WORDS = {PASSED: "passed", FAILED: "**failed**", ERROR: "**cannot tell**", NOT_JUDGED: "not judged"}
_ORDER = (ERROR, FAILED, PASSED, NOT_JUDGED)


def render_summary(judgement: Judgement) -> str:
    """A heading with the counts, and a row for each rule, those that did not pass first."""
    told = _ORDER if judgement.of(NOT_JUDGED) else _ORDER[:-1]
    counts = ", ".join(f"{len(judgement.of(state))} {_WORDS[state].strip('*')}" for state in told)
    lines = [f"### Equipoise: {counts}", "", "| rule | model | outcome | why |", "|---|---|---|---|"]
    lines += [_table_row(outcome) for state in _ORDER for outcome in judgement.of(state)]
    return "\n".join([*lines, "", ""])


def _table_row(outcome: Outcome) -> str:
    why = " ".join(filter(None, (outcome.reason, outcome.hint)))
    cells = [outcome.rule, outcome.model, why]
    rule, model, reason = (
        html.escape(cell, quote=False).replace("|", "\\|").replace("\n", " ") for cell in cells
    )
    return f"| {rule} | {model} | {_WORDS[outcome.state]} | {reason} |"
