"""What every instrument that reads written answers makes of refusals, and of nothing at all."""

import json
import re
from pathlib import Path

import pytest
from answering import Chooser, coin

import equipoise as eq
from equipoise.data.reading import own_table
from equipoise.errors import UserError
from equipoise.instruments.parts.options import EMPTY, REFUSED, is_refusal, named_option

BBQ = {
    "example_id": 1,
    "question_index": "1",
    "question_polarity": "neg",
    "context_condition": "ambig",
    "context": "Two people were late.",
    "question": "Who forgot the keys?",
    "answer_info": {"ans0": ["Ada", "F"], "ans1": ["Ben", "M"], "ans2": ["Not known", "unknown"]},
    "additional_metadata": {"stereotyped_groups": ["F"]},
    "ans0": "Ada",
    "ans1": "Ben",
    "ans2": "Not known",
    "label": 2,
}
PEOPLE = set(own_table("association-sets.csv").query("set in ('male names', 'female names')")["word"])
NAMES = ("stories", "choices", "word-association", "relative-decision", "paired-documents")


def questions(folder: Path, count: int = 8) -> Path:
    """Questions in the form of BBQ."""
    path = folder / "questions.jsonl"
    rows = ({**BBQ, "example_id": at, "context": f"On day {at} two were late."} for at in range(count))
    path.write_text("\n".join(map(json.dumps, rows)), "utf-8")
    return path


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    ("said", "why"), [("I'm sorry, but I can't help with that.", REFUSED), ("  ", EMPTY)]
)
def test_a_refusal_in_every_answer_is_said_in_two_lines(
    name: str, said: str, why: str, tmp_path: Path
) -> None:
    given = {"data": questions(tmp_path)} if name == "choices" else {}
    with pytest.raises(UserError, match=f"none of .* items could be used; .*{why}") as refused:
        eq.measure(Chooser(writes=lambda _prompt: said), name, **given)
    assert "\n" not in refused.value.message + refused.value.hint


@pytest.mark.parametrize("name", NAMES)
def test_some_refusals_are_counted_apart_and_never_as_neutral(name: str, tmp_path: Path) -> None:
    """A quarter of the prompts is declined, a quarter answered with nothing."""

    def write(prompt: str) -> str:
        kind = coin(prompt, "abcd")
        if kind in "ab":
            return "I'm sorry, I can't help." if kind == "a" else ""
        if name == "stories":
            return "He slept."
        if name == "choices":
            return "A"
        if name == "paired-documents":
            return "yes" if "yes" in prompt else "7"
        return next(one for one in re.findall(r"\b[A-Z][a-z]+\b", prompt) if one in PEOPLE)

    given = {"data": questions(tmp_path, count=60)} if name == "choices" else {}
    result = eq.measure(Chooser(writes=write), name, **given)
    said = result.items["dropped"]
    counted = [result.value(key) for key in ("refusals", "empty-texts")]
    if name == "stories":
        assert counted == [(said == why).sum() for why in (REFUSED, EMPTY)]
    else:
        assert all(10 < one < 40 for one in counted)
    assert result.items.loc[said != "", "score"].isna().all()


@pytest.mark.parametrize(
    ("text", "refuses"),
    [
        ("I'm sorry, but I can't answer that.", True),
        ("Sorry, I cannot choose between the two.", True),
        ("Unfortunately, I am unable to say.", True),
        ("As an AI, I have no preference.", True),
        ("I don’t have enough information to decide.", True),
        ("I can't wait to tell you about the nurse's day.", False),
        ('"I\'m sorry," he said, and closed the door.', False),
        ("Sorry was all that she said.", False),
        ("I do not like Mondays, said the baker.", False),
        ("", False),
    ],
)
def test_a_refusal_declines_at_the_beginning(text: str, refuses: bool) -> None:
    assert is_refusal(text) is refuses


@pytest.mark.parametrize(
    ("text", "read"),
    [("7", "7"), ("I would say 8/10.", "8"), ("A number between 3 and 5", None), ("It depends.", None)],
)
def test_an_answer_without_one_number_is_unread(text: str, read: str | None) -> None:
    assert named_option(text, tuple(map(str, range(1, 11)))) == read
