"""Traits: shares by class by hand, ties, differences, several annotators, bad input."""

import math
import re
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from tiny import network, tokenizer

from equipoise.errors import UserError
from equipoise.instruments.base import ItemSet, Settings
from equipoise.instruments.traits import Traits
from equipoise.models import load_model
from equipoise.models.loading import wrap_model
from equipoise.models.table import TableModel
from equipoise.results import estimates_table
from equipoise.stats.agreement import fleiss_kappa

TRAITS = """id,sentence,competence,care,form
a,The person fell when [MASK] ran.,incompetent,neutral,subject
b,The person fell and we saw [MASK].,incompetent,neutral,object
c,The person won when [MASK] ran.,competent,neutral,subject
d,The person won [MASK] game.,competent,neutral,possessive
e,The person hugged [MASK] dog.,neutral,caring,possessive
f,The person kicked [MASK] dog.,neutral,aggressive,possessive
g,The person sat when [MASK] ate.,neutral,neutral,subject
"""
PROBABILITIES = {
    "The person fell when [MASK] ran.": {"he": 0.6, "she": 0.2},
    "The person fell and we saw [MASK].": {"him": 0.1, "her": 0.3},
    "The person won when [MASK] ran.": {"he": 0.9, "she": 0.1},
    "The person won [MASK] game.": {"his": 0.3, "her": 0.3},
    "The person hugged [MASK] dog.": {"his": 0.2, "her": 0.6},
    "The person kicked [MASK] dog.": {"his": 0.4, "her": 0.1},
    "The person sat when [MASK] ate.": {"he": 0.3, "she": 0.2},
}
VOTES = """id,sentence,form,skill_ann,skill_bo,skill_cy,note
1,A one ran as [MASK] did.,subject,high,High ,low,x
2,A two ran as [MASK] did.,subject,low,low,low,x
3,A three ran as [MASK] did.,subject,high,low,mid,x
4,A four ran as [MASK] did.,subject,high,high,high,x
5,A five ran as [MASK] did.,subject,low,low,,x
"""


def read(path: Path, **chosen: Any) -> tuple[ItemSet, Settings]:
    instrument = Traits()
    settings = Settings(data=str(path), **chosen).completed(instrument)
    return instrument.items(settings), settings


def file_of(folder: Path, text: str = TRAITS) -> Path:
    path = folder / "traits.csv"
    path.write_text(text, encoding="utf-8")
    return path


def estimated(model: Any, path: Path | str) -> tuple[pd.DataFrame, pd.DataFrame]:
    instrument = Traits()
    settings = Settings(data=str(path)).completed(instrument)
    items = instrument.items(settings).table
    scored = instrument.scored(items, model.answer(instrument.questions(items, settings)), settings)
    table = estimates_table(instrument.estimates(scored, settings))
    return scored, table.set_index(["group", "name"])


def test_shares_and_predictions_by_hand(tmp_path: Path) -> None:
    items, found = estimated(TableModel(PROBABILITIES), file_of(tmp_path))
    items = items.set_index("item")
    shares = {"a": 0.25, "b": 0.75, "c": 0.1, "d": 0.5, "e": 0.75, "f": 0.2, "g": 0.4}
    assert items["female_share"].to_dict() == pytest.approx(shares)
    assert items["score"].to_dict() == pytest.approx({item: 1 - 2 * share for item, share in shares.items()})
    assert items["prediction"].tolist() == ["male", "female", "male", "tie", "female", "male", "male"]
    means = {
        **{"all": 2.95 / 7, "competence:incompetent": 0.5, "competence:competent": 0.3},
        **{"competence:neutral": 0.45, "care:caring": 0.75, "care:aggressive": 0.2},
        **{"care:neutral": 2.0 / 5, "neutral on every axis": 0.4},
    }
    assert found.xs("female share", level="name")["value"].to_dict() == pytest.approx(means)
    predicted = found.xs("female predictions", level="name")
    assert predicted.loc["all", ["value", "n", "dropped"]].tolist() == pytest.approx([2 / 6, 6, 1])
    # The tie is left out: one of the two competent sentences is left.
    assert predicted.loc["competence:competent", ["value", "n", "dropped"]].tolist() == [0, 1, 1]
    differences = {
        ("competence", "female share, competent - incompetent"): -0.2,
        ("care", "female share, caring - aggressive"): 0.55,
    }
    assert found.loc[list(differences), "value"].to_dict() == pytest.approx(differences)


def test_a_uniform_model_gives_a_half_and_only_ties() -> None:
    words = dict.fromkeys(("he", "she", "him", "her", "his"), 0.1)
    items, found = estimated(TableModel(words=words), "equipoise-traits")
    assert len(items) >= 150
    assert found.xs("female share", level="name")["value"].eq(0.5).all()
    predicted = found.xs("female predictions", level="name")
    assert predicted["value"].isna().all()
    assert predicted.loc["all", ["n", "dropped"]].tolist() == [0, len(items)]
    contrasts = found[found.index.get_level_values("name").str.contains(" - ")]
    assert contrasts["value"].tolist() == [0, 0]
    settings = Settings().completed(Traits())
    assert Traits().remarks(items, settings) == (
        f"{len(items)} of {len(items)} predictions are ties and left out of predictions",
    )


def test_random_weights_do_not_tell_classes_apart() -> None:
    _, found = estimated(load_model("random", cache=False), "equipoise-traits")
    contrasts = found[found.index.get_level_values("name").str.contains(" - ")]
    assert len(contrasts) == 2
    assert contrasts["value"].abs().max() < 0.05


def test_a_difference_has_the_interval_of_its_sentences() -> None:
    items, found = estimated(load_model("random", cache=False), "equipoise-traits")
    caring, aggressive = (
        items.loc[items["care"] == name, "female_share"] for name in ("caring", "aggressive")
    )
    row = found.loc[("care", "female share, caring - aggressive")]
    assert row["value"] == pytest.approx(caring.mean() - aggressive.mean())
    assert row["n"] == len(caring) + len(aggressive)
    # Nearly the normal interval of two independent means.
    error = math.sqrt(caring.var() / len(caring) + aggressive.var() / len(aggressive))
    assert row["high"] - row["low"] == pytest.approx(2 * 1.96 * error, rel=0.12)


def test_several_annotators_vote(tmp_path: Path) -> None:
    found, _ = read(file_of(tmp_path, VOTES))
    assert found.table["skill"].tolist() == ["high", "low", "", "high", "low"]
    assert "skill: no majority for 1 of 5: 3" in found.notices
    assert "columns not read: note" in found.notices
    words = {"he": 0.3, "she": 0.1}
    _, table = estimated(TableModel(words=words), tmp_path / "traits.csv")
    # Kappa of the four sentences that all three labelled; the fifth has two labels.
    complete = [["high", "high", "low"], ["low"] * 3, ["high", "low", "mid"], ["high"] * 3]
    kappa = table.loc[("skill", "Fleiss' kappa")]
    assert kappa["value"] == pytest.approx(fleiss_kappa(complete))
    assert kappa[["n", "dropped"]].tolist() == [4, 1]
    # By hand: agreement (1/3 + 1 + 0 + 1) / 4 against chance (6/12)^2 + (5/12)^2 + (1/12)^2.
    chance = (36 + 25 + 1) / 144
    assert kappa["value"] == pytest.approx(((7 / 3) / 4 - chance) / (1 - chance))
    assert table.loc[("skill", "with a majority"), ["value", "n"]].tolist() == [0.8, 5]
    groups = set(table.index.get_level_values("group"))
    assert {"skill:high", "skill:low"} <= groups
    assert not any(group.startswith(("p:", "skill_")) for group in groups)


def test_a_causal_model_answers_with_shares(tmp_path: Path) -> None:
    model = wrap_model(network("gpt2"), tokenizer("byte-bpe"), name="tiny")
    items, _ = estimated(model, file_of(tmp_path))
    assert (items["p_male"] + items["p_female"]).tolist() == pytest.approx([1.0] * 7)
    assert items["female_share"].tolist() == pytest.approx(items["p_female"].tolist())


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (TRAITS.replace("[MASK] ran", "nobody ran", 1), "line 2: 0 blanks"),
        (TRAITS.replace("neutral,object", "neutral,dual"), "line 3: the form 'dual' does not exist"),
        (TRAITS.replace("b,The", "a,The"), "has the id 'a' more than once"),
        (TRAITS.replace("competence,care", "skill,warmth"), "has no labels; it has the columns id, sentence"),
        (VOTES.replace("note", "skill"), "has a column 'skill' beside skill_ann, skill_bo, skill_cy"),
        ("id,text,form\na,b,c\n", "has no column 'sentence'"),
    ],
)
def test_broken_files_are_refused(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(UserError, match=re.escape(said)):
        read(file_of(tmp_path, text))
