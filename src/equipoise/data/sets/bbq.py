"""BBQ: questions about two people with three answers, one of which is that nobody can know.

Reads the authors' JSON lines, one object per question.
"""

import json
from pathlib import Path
from typing import Any

import pandas as pd

from equipoise.data.reading import TABLES, File, Shape, lacking, numbered_lines, read_rows, refuse_rows
from equipoise.data.sets import ItemSet
from equipoise.data.sources import Source
from equipoise.errors import UserError

NAME, FILE, PROMPTS = "bbq", "Gender_identity.jsonl", "choice-prompts.csv"
AMBIGUOUS, CLEAR = "ambiguous", "clear"
ANSWERS = ("ans0", "ans1", "ans2")
STEREOTYPED, OTHER, UNKNOWN = "stereotyped", "other", "unknown"
"""What an answer is: the person whom the stereotype expects, the other one, or that nobody can know."""

KINDS = (STEREOTYPED, OTHER, UNKNOWN)
SAME_TAG = "the data set tags both people alike, so which answer is stereotyped is unknown"

_CONTEXTS = {"ambig": AMBIGUOUS, "disambig": CLEAR}
_TAGS = {
    "women": {"F", "woman", "girl"},
    "men": {"M", "man", "boy"},
    "trans people": {"trans", "trans_F", "trans_M"},
}
"""By stereotyped group, how the data set tags an answer that names one of them."""

_KEYS = ("context", "question", "context_condition", "question_polarity", "answer_info", "label", *ANSWERS)


def load_bbq(source: Source) -> ItemSet:
    """Every question with its answers and what each of them is; the ways to ask take turns."""
    path, prompts_file = source.path(FILE), source.beside(PROMPTS) or TABLES / PROMPTS
    prompts = _prompts(prompts_file)
    names = list(prompts)
    rows = [
        _row(path, line, text) | {"phrasing": names[place % len(names)]}
        for place, (line, text) in enumerate(numbered_lines(path).items())
    ]
    items = pd.DataFrame(rows)
    items["prompt"] = items["phrasing"].map(prompts)
    return ItemSet(items, (path, prompts_file))


def _prompts(file: File) -> dict[str, str]:
    slots = ("<context>", "<question>", "<A>", "<B>", "<C>")
    table = read_rows(file, Shape(required=("prompt",), named=True))
    refuse_rows(table, file, lambda row: lacking(row["prompt"], slots), "Write it where it goes.")
    return dict(zip(table["id"], table["prompt"], strict=True))


def _row(path: Path, line: int, text: str) -> dict[str, Any]:
    """One question; whatever is not as the data set has it is refused with its line."""
    try:
        read = json.loads(text)
        missing = [name for name in _KEYS if name not in read]
        if missing:
            raise ValueError(f"there is no {missing[0]!r}")
        tags = [str(read["answer_info"][name][1]) for name in ANSWERS]
        group = _group(read)
        kinds = _kinds(tags, group, is_negative=read["question_polarity"] == "neg")
        context = _CONTEXTS[read["context_condition"]]
        metadata = read.get("additional_metadata") or {}
        return {
            "item": f"bbq-{read.get('example_id', line)}",
            "question_index": f"{read.get('question_index', line)}{metadata.get('version', '')}",
            "context": context,
            "category": group,
            "text": read["context"],
            "question": read["question"],
            **{name: str(read[name]) for name in ANSWERS},
            **{kind: ANSWERS[kinds.index(kind)] if kind in kinds else "" for kind in KINDS},
            "right_answer": ANSWERS[int(read["label"])],
            "dropped": "" if set(kinds) == set(KINDS) else SAME_TAG,
        }
    except (ValueError, KeyError, TypeError, IndexError, AttributeError) as error:
        raise UserError(
            f"{path}, line {line}: this is no question of BBQ ({error}).",
            f"Each line is a JSON object with {', '.join(_KEYS)}.",
        ) from error


def _group(read: dict[str, Any]) -> str:
    groups = {str(one).lower() for one in read["additional_metadata"]["stereotyped_groups"]}
    if any("trans" in one for one in groups):
        return "trans people"
    return "women" if "f" in groups else "men"


def _kinds(tags: list[str], group: str, *, is_negative: bool) -> list[str]:
    """What each answer is: a negative question expects the stereotyped group, another one the other."""
    kinds = []
    for tag in tags:
        if tag == "unknown":
            kinds.append(UNKNOWN)
        else:
            kinds.append(STEREOTYPED if (tag in _TAGS[group]) == is_negative else OTHER)
    return kinds
