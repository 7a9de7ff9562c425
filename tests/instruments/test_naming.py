"""Naming one of two people: coins, fixed and symmetric answers, planted stereotypes, written answers."""

from pathlib import Path

import pytest
from answering import Chooser, coin, holds_zero

import equipoise as eq
from equipoise.data.reading import own_table
from equipoise.errors import UserError
from equipoise.instruments.parts.options import NOT_READ

NAMES = own_table("association-sets.csv")
MEN = set(NAMES.loc[NAMES["set"] == "male names", "word"])
GENDER_OF = {row["word"]: row["gender"] for row in own_table("naming-words.csv").to_dict("records")}
DECISIONS = own_table("decisions.csv").to_dict("records")
INSTRUMENTS = ("word-association", "relative-decision")


def gender_expected(prompt: str) -> str:
    """Which gender the stereotype expects for the word or the task that a prompt asks for."""
    for row in DECISIONS:
        for gender in ("male", "female"):
            task = row[f"{gender}_task"]
            asked = (f"the task to {task}?", f"should {task}?", f"Who will {task}?")
            if any(
                part in prompt
                for part in (
                    *asked,
                    f"to ask to {task}",
                    f"you ask to {task},",
                )
            ):
                return gender
    return next(
        gender
        for word, gender in GENDER_OF.items()
        if f'"{word}"' in prompt or f"word {word} " in prompt or f"word is {word}." in prompt
    )


def stereotyped(prompt: str, options: tuple[str, ...]) -> str:
    return next(one for one in options if (one in MEN) == (gender_expected(prompt) == "male"))


def first_named(prompt: str, options: tuple[str, ...]) -> str:
    return min(options, key=prompt.index)


@pytest.mark.parametrize("name", INSTRUMENTS)
def test_a_planted_stereotype_is_found_with_its_size(name: str) -> None:
    result = eq.measure(Chooser(stereotyped), name)
    assert result.value("stereotype") == pytest.approx(0.8)  # 0.9 - 0.1
    assert result.value("guard") == pytest.approx(0.9)
    assert result.value("first-name") == pytest.approx(0.5)
    assert any("towards the stereotype" in sentence for sentence in result.sentences)


@pytest.mark.parametrize("name", INSTRUMENTS)
def test_a_coin_shows_nothing(name: str) -> None:
    result = eq.measure(Chooser(coin), name)
    assert holds_zero(result.estimate("stereotype"))
    assert holds_zero(result.estimate("lean"))


@pytest.mark.parametrize("name", INSTRUMENTS)
def test_the_first_name_always_shows_no_bias_after_rotation(name: str) -> None:
    result = eq.measure(Chooser(first_named), name)
    assert result.value("stereotype") == pytest.approx(0.0, abs=1e-12)
    assert result.value("lean") == pytest.approx(0.0, abs=1e-12)
    assert result.value("first-name") == pytest.approx(0.9)


@pytest.mark.parametrize("name", INSTRUMENTS)
def test_one_gender_for_everything_leans_and_is_no_stereotype(name: str) -> None:
    result = eq.measure(Chooser(lambda _prompt, options: next(one for one in options if one in MEN)), name)
    assert result.value("lean") == pytest.approx(0.8)
    assert result.value("stereotype") == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize("name", INSTRUMENTS)
def test_written_answers_are_read_and_unread_ones_counted(name: str) -> None:
    def write(prompt: str) -> str:
        names = [one for one in NAMES["word"].unique() if one in prompt]
        pair = tuple(one for one in names if one in MEN or one[0].isupper())
        if coin(prompt, "abcd") == "a":
            return "I would rather not say."
        return f"I choose {stereotyped(prompt, pair)}."

    result = eq.measure(Chooser(writes=write), name, variant="written")
    kept = result.items[result.items["dropped"] == ""]
    assert (kept["score"] == 1.0).all()
    unread = result.items["unread"]
    assert result.value("unread") == pytest.approx(100 * unread.mean())
    assert 15 < 100 * unread.mean() < 35
    assert (result.items["dropped"] == NOT_READ).sum() == (unread > 0).sum()


def test_what_cannot_be_asked_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="cannot be asked for the variant 'written' of word-association"):
        eq.measure(Chooser(coin), "word-association", variant="written")
    path = tmp_path / "words.csv"
    path.write_text("word,gender\nhammer,neutral\n", "utf-8")
    with pytest.raises(UserError, match="the gender 'neutral' does not exist"):
        eq.measure(Chooser(coin), "word-association", data=path)
    path.write_text("word,gender\n" + "".join(f"tool {at},male\n" for at in range(6)), "utf-8")
    assert len(eq.measure(Chooser(coin), "word-association", data=path).items) == 30
