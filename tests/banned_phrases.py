"""Phrases that no text for people may hold: clipped, inverted or private."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

BANNED = {
    r"authors' mistakes": "known errors in the papers",
    r"\bmend(s|ed|ing)?\b": "corrects",
    r"talked into": "does not report a failed change as a success",
    r"in the same breath": "it also says",
    r"[Ll]oading cannot lie": "broken checkpoints are refused",
    r"tells the time left": "a progress bar shows the time left",
    r"holds a difference to be": "considers a difference negligible",
    r"\bimmaterial\b": "negligible",
    r"\btells? of (ten|a dozen)": "says little more than",
    r"say a sex": "gender-neutral",
    r"[Oo]n screen stands": "is printed",
    r"stands? at the head of": "the docstring says",
    r"[Ww]rite over what is there": "overwrite existing files",
    r"write over it": "overwrite it",
    r"the front, who is dominated": "with the Pareto front",
    r"is no JSON": "is not valid JSON",
    r"the same command goes on": "run the same command again to resume",
    r"goes on after a kill": "a killed run resumes",
    r"not one piece of the vocabulary": "this model splits them into pieces",
    r"beside (professions|occupations) it": "occupations lean towards",
    r"[Hh]ow much of this is chance": "how much is chance",
    r"what is not meaningful needs nothing": "",
    r"[Ww]here a C compiler": "if a C compiler is available",
    r"confident x 1": "confident answers only",
    r"of which part of the items": "which items it covers",
    r"do not know anything of": "",
    r"\bin the box\b": "built-in",
    r"cannot be told\b": "there is not enough data to say",
    r"hardly matters": "is negligible",
    r"\bis at hand\b": "is available",
    r"goes on (when|where)": "continues",
    r"passed over": "skipped",
    r"known by name": "available",
    r"(?<![Tt]here )\b(is|are) no (number|folder|text|list|table|word|file|model|pole|result)s?\b": "is not",
    r"how sure that is": "how certain that is",
    r"no way is better": "no method is better",
    r"\bcannot lie\b": "are refused",
    r"standing in\b": "replacing",
    r"\bsaid in words\b": "said",
}
"""Phrases as patterns, with what to write instead."""


def banned_in(text: str) -> list[str]:
    """The banned phrases in a text, each with what to write instead."""
    joined = " ".join(text.split())
    return [f"{found[0]!r}: {better}" for one, better in BANNED.items() if (found := re.search(one, joined))]


def texts_of(path: Path) -> Iterator[str]:
    """Every text that a module holds, with the parts of a formatted one joined; docstrings too."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.JoinedStr):
            yield "".join(
                str(getattr(part, "value", "")) for part in node.values if isinstance(part, ast.Constant)
            )
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value
