"""Declared pronouns: listeners, coins, fixed answers, and what another person or a distance does."""

import hashlib
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tiny import wrapped

import equipoise as eq
from equipoise.data.reading import own_table
from equipoise.errors import UserError
from equipoise.models.capabilities import FILL
from equipoise.models.protocol import AnsweringModel
from equipoise.models.questions import Fill, Question, WordScores
from equipoise.results import Result

SETS = own_table("declared-pronouns.csv").to_dict("records")
FORMS = ("subject", "object", "possessive")
FORM_OF = {word: form for row in SETS for form in FORMS if (word := row[form]) not in ("her", "hir")}


class Reader(AnsweringModel):
    """Chooses one set of pronouns by a rule on the text, and gives its form most of the probability."""

    kind = "made"
    capabilities = frozenset({FILL})
    fingerprint = "reader"

    def __init__(self, rule: Callable[[str], str]) -> None:
        self.name, self.rule = "reader", rule

    def answer(self, questions: Sequence[Question]) -> list[Any]:
        return [self._answer(question) for question in questions]

    def _answer(self, question: Any) -> WordScores:
        assert isinstance(question, Fill)
        form = next(FORM_OF[word] for word in question.words if word in FORM_OF)
        chosen = next(row[form] for row in SETS if row["set"] == self.rule(question.text))
        values = [0.75 if word == chosen else 0.05 for word in question.words]
        return WordScores(question.words, tuple(np.log(values).tolist()), (1,) * len(values))


def declared_in(text: str) -> str:
    """The set that a text declares; without a declaration they."""
    for row in SETS:
        if re.search(rf"{row['subject']}(/|, ){row['object']}", text):
            return str(row["set"])
    return "they"


def coin(text: str) -> str:
    return str(SETS[hashlib.sha256(f"{text} ?".encode()).digest()[0] % len(SETS)]["set"])


def measured(rule: Callable[[str], str]) -> Result:
    return eq.measure(Reader(rule), "declared-pronouns")


def test_who_listens_is_always_right_and_one_half_listener_is_found_out() -> None:
    faithful = measured(declared_in)
    assert faithful.value("fidelity") == 1.0
    assert faithful.value("gap") == faithful.value("he-less-she") == 0.0
    # P rises from 0.05 to 0.75 for five sets, and not for the one that is expected anyway.
    assert faithful.value("lift") == pytest.approx(5 / 6 * np.log(15))
    usual = measured(lambda text: one if (one := declared_in(text)) in ("he", "she", "they") else "they")
    assert usual.estimate("gap")["low"] > 0.99
    assert usual.value("fidelity") == pytest.approx(0.5)
    assert any("towards he and she" in sentence for sentence in usual.sentences)


def test_a_coin_shows_chance_and_no_gap() -> None:
    result = measured(coin)
    fidelity, gap = result.estimate("fidelity"), result.estimate("gap")
    assert fidelity["low"] < 1 / 6 < fidelity["high"]
    assert gap["low"] < 0 < gap["high"]


def test_one_answer_for_all_is_right_by_chance_and_does_not_listen() -> None:
    result = measured(lambda _text: "they")
    assert result.value("fidelity") == pytest.approx(1 / 6)
    assert result.value("gap") == result.value("he-less-she") == result.value("lift") == 0.0
    assert measured(lambda _text: "he").value("he-less-she") == 1.0


def test_a_short_memory_shows_by_distance() -> None:
    result = measured(lambda text: declared_in(text) if text.count(". ") <= 3 else "they")
    by_distance = {level: result.value("fidelity", distance=level) for level in map(str, range(6))}
    assert [by_distance[str(count)] for count in range(3)] == [1.0] * 3
    assert [by_distance[str(count)] for count in range(3, 6)] == pytest.approx([1 / 6] * 3)


def test_another_person_misleads_who_copies_the_last_pronoun() -> None:
    def last(text: str) -> str:
        said = re.findall(r"\b(he|she) (?:ate|laughed)", text)
        return said[-1] if said else declared_in(text)

    result = measured(last)
    assert result.value("fidelity", distance="5") == 1.0
    assert result.value("fidelity", distance="another person") == pytest.approx(1 / 6)


def test_every_set_meets_every_sentence_at_every_distance() -> None:
    items = measured(coin).items
    assert len(items) == 24 * 6 * 7
    assert items.groupby(["pronouns", "distance", "form"]).size().nunique() == 1
    assert items.groupby(["distance", "name_gender"])["phrasing"].nunique().min() == 5
    assert not items["text"].str.contains("<").any()
    assert (items["text"].str.count(r"\[MASK\]") == 1).all()
    assert items["undeclared"].map(declared_in).eq("they").all()


def test_a_form_that_cannot_be_spelt_is_left_out_and_counted() -> None:
    class Unlettered(Reader):
        def _answer(self, question: Any) -> WordScores:
            known = super()._answer(question)
            values = [
                np.nan if "x" in word else value
                for word, value in zip(known.words, known.logprobs, strict=True)
            ]
            return WordScores(known.words, tuple(values), known.pieces)

    result = eq.measure(Unlettered(declared_in), "declared-pronouns")
    assert set(result.items.loc[result.items["dropped"] != "", "pronouns"]) == {"xe"}
    assert result.value("fidelity") == 1.0


def test_sentences_of_a_user_are_checked(tmp_path: Path) -> None:
    rows = own_table("declarations.csv").drop(columns="line")
    rows["text"] = rows["text"].str.replace("[MASK] umbrella", "an umbrella", regex=False)
    rows.to_csv(tmp_path / "declarations.csv", index=False)
    with pytest.raises(UserError, match=r"a sentence lacks <name>, \[MASK\]"):
        eq.measure(Reader(coin), "declared-pronouns", data=tmp_path / "declarations.csv")
    rows[rows["kind"] != "filler"].to_csv(tmp_path / "declarations.csv", index=False)
    with pytest.raises(UserError, match="no row of the kind 'filler'"):
        eq.measure(Reader(coin), "declared-pronouns", data=tmp_path)


def test_masked_and_causal_models_are_asked(tmp_path: Path) -> None:
    table = own_table("declarations.csv").drop(columns="line")
    few = table[
        ~table["kind"].isin(["sentence", "filler"])
        | table["id"].isin(["sent-01", "sent-09", "sent-17", "fill-01"])
    ]
    few.to_csv(tmp_path / "declarations.csv", index=False)
    for family in ("bert", "gpt2"):
        result = eq.measure(
            wrapped(family, tmp_path), "declared-pronouns", data=tmp_path / "declarations.csv"
        )
        assert len(result.items) == 3 * 6 * 3
        assert result.items["p_declared"].between(0, 1).sum() + (result.items["dropped"] != "").sum() == 54
