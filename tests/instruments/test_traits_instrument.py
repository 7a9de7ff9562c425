"""Traits: shares by class by hand, ties, differences, several annotators, bad input."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from designs import designed
from scipy import stats
from tiny import network, tokenizer

from equipoise.data.sets.winobias import without_occupations
from equipoise.errors import UserError
from equipoise.measuring import measure
from equipoise.models.loading import load_model
from equipoise.models.loading.networks import wrap_model
from equipoise.models.table import TableModel
from equipoise.results import Result
from equipoise.results.comparison import compare
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


MAN = {**dict.fromkeys(("he", "him", "his"), 0.3), **dict.fromkeys(("she", "her"), 0.1)}
CONTRASTS = ("competence-contrast", "care-contrast")


@pytest.fixture(scope="module")
def control() -> Result:
    """The shipped sentences with random weights."""
    return measure(load_model("random", cache=False), "traits")


def file_of(folder: Path, text: str = TRAITS) -> Path:
    path = folder / "traits.csv"
    path.write_text(text, encoding="utf-8")
    return path


def test_shares_and_predictions_by_hand(tmp_path: Path) -> None:
    result = measure(TableModel(PROBABILITIES), "traits", data=file_of(tmp_path))
    items = result.items.set_index("item")
    shares = {"a": 0.25, "b": 0.75, "c": 0.1, "d": 0.5, "e": 0.75, "f": 0.2, "g": 0.4}
    assert items["second_share"].to_dict() == pytest.approx(shares)
    assert items["score"].to_dict() == pytest.approx({item: 1 - 2 * share for item, share in shares.items()})
    assert items["prediction"].tolist() == ["male", "female", "male", "tie", "female", "male", "male"]
    means = {
        ("", ""): 2.95 / 7,
        ("competence", "incompetent"): 0.5,
        ("competence", "competent"): 0.3,
        ("competence", "neutral"): 0.45,
        ("care", "caring"): 0.75,
        ("care", "aggressive"): 0.2,
        ("care", "neutral"): 2.0 / 5,
        ("axis", "neutral on every axis"): 0.4,
    }
    shown = result.estimates.query("key == 'second-share'")
    assert set(shown["label"]) == {"female share"}
    assert shown.set_index(["by", "level"])["value"].to_dict() == pytest.approx(means)
    predicted = result.estimate("second-predictions")
    assert predicted[["value", "n", "dropped"]].tolist() == pytest.approx([2 / 6, 6, 1])
    # The tie is left out: one of the two competent sentences is left.
    competent = result.estimate("second-predictions", competence="competent")
    assert competent[["value", "n", "dropped"]].tolist() == [0, 1, 1]
    assert result.value("competence-contrast") == pytest.approx(-0.2)
    assert result.value("care-contrast") == pytest.approx(0.55)
    assert result.headlines()["label"].tolist() == [
        "female share, competent - incompetent",
        "female share, caring - aggressive",
    ]


def test_a_uniform_model_gives_a_half_and_only_ties() -> None:
    words = dict.fromkeys(("he", "she", "him", "her", "his"), 0.1)
    result = measure(TableModel(words=words), "traits")
    table, count = result.estimates, len(result.items)
    assert count >= 150
    assert table.query("key == 'second-share'")["value"].eq(0.5).all()
    assert table.query("key == 'second-predictions'")["value"].isna().all()
    assert result.estimate("second-predictions")[["n", "dropped"]].tolist() == [0, count]
    assert [result.value(key) for key in CONTRASTS] == [0, 0]
    assert result.notices == [f"{count} of {count} predictions are ties and left out of predictions"]


def test_random_weights_do_not_tell_classes_apart(control: Result) -> None:
    assert max(abs(control.value(key)) for key in CONTRASTS) < 0.05


def test_a_difference_has_the_interval_of_its_sentences(control: Result) -> None:
    items = control.items
    caring, aggressive = (
        items.loc[items["care"] == name, "second_share"] for name in ("caring", "aggressive")
    )
    row = control.estimate("care-contrast")
    assert row["value"] == pytest.approx(caring.mean() - aggressive.mean())
    assert row["n"] == len(caring) + len(aggressive)
    # Welch's interval: two independent means, each with its own variance.
    welch = stats.ttest_ind(caring, aggressive, equal_var=False).confidence_interval(0.95)
    assert (row["low"], row["high"]) == pytest.approx((welch.low, welch.high), rel=5e-3)


def test_several_annotators_vote(tmp_path: Path) -> None:
    path = file_of(tmp_path, VOTES)
    result = measure(TableModel(words={"he": 0.3, "she": 0.1}), "traits", data=path)
    assert result.items["skill"].tolist() == ["high", "low", "", "high", "low"]
    assert "skill: no majority for 1 of 5: 3" in result.notices
    assert "columns not read: note" in result.notices
    # Kappa of the four sentences that all three labelled; the fifth has two labels.
    complete = [["high", "high", "low"], ["low"] * 3, ["high", "low", "mid"], ["high"] * 3]
    kappa = result.estimate("fleiss-kappa", axis="skill")
    assert kappa["value"] == pytest.approx(fleiss_kappa(complete))
    assert kappa[["n", "dropped"]].tolist() == [4, 1]
    # By hand: agreement (1/3 + 1 + 0 + 1) / 4 against chance (6/12)^2 + (5/12)^2 + (1/12)^2.
    chance = (36 + 25 + 1) / 144
    assert kappa["value"] == pytest.approx(((7 / 3) / 4 - chance) / (1 - chance))
    assert result.estimate("with-a-majority", axis="skill")[["value", "n"]].tolist() == [0.8, 5]
    shown = result.estimates
    assert set(shown.query("by == 'skill'")["level"]) == {"high", "low"}
    assert set(shown["by"]) == {"", "skill", "axis"}


def test_the_column_of_one_annotator_is_no_vote(tmp_path: Path) -> None:
    """One person's labels have no majority: they are left unread, or refused where there are no others."""
    text = VOTES.replace("skill_ann,skill_bo,skill_cy", "care,skill_ann,skill:")
    text = text.replace(",high", ",caring").replace(",low", ",aggressive")
    result = measure(TableModel(words={"he": 0.3, "she": 0.1}), "traits", data=file_of(tmp_path, text))
    assert "skill" not in result.items
    assert result.items["care"].tolist() == ["caring", "aggressive", "caring", "caring", "aggressive"]
    assert any("columns not read" in said and "skill_ann" in said for said in result.notices)
    alone = "id,sentence,form,skill_ann\n1,[MASK] cooks.,subject,high\n"
    with pytest.raises(UserError, match="has no labels"):
        measure(TableModel(words={"he": 0.3, "she": 0.1}), "traits", data=file_of(tmp_path, alone))


def test_a_causal_model_answers_with_shares(tmp_path: Path) -> None:
    model = wrap_model(network("gpt2"), tokenizer("byte-bpe"), name="tiny")
    items = measure(model, "traits", data=file_of(tmp_path)).items
    assert (items["p_male"] + items["p_female"]).tolist() == pytest.approx([1.0] * 7)
    assert items["second_share"].tolist() == pytest.approx(items["p_female"].tolist())


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (TRAITS.replace("[MASK] ran", "nobody ran", 1), "line 2: 0 times [MASK]"),
        (TRAITS.replace("neutral,object", "neutral,dual"), "line 3: the form 'dual' does not exist"),
        (TRAITS.replace("b,The", "a,The"), "line 3: 'a' stands already in line 2"),
        (TRAITS.replace("competence,care", "skill,warmth"), "has no labels; it has the columns id, sentence"),
        (VOTES.replace("note", "skill"), "has a column 'skill' beside skill_ann, skill_bo, skill_cy"),
        ("id,text,form\na,b,c\n", "has no column 'sentence'"),
    ],
)
def test_broken_files_are_refused(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(UserError, match=re.escape(said)):
        designed("traits", data=str(file_of(tmp_path, text)))


LABELS = """id,competence_ann,competence_bo,competence_cy
type2-test-1,competent,competent,neutral
type2-test-2,competent,incompetent,neutral
type2-test-4,incompetent,incompetent,incompetent
type2-dev-5,neutral,neutral,neutral
"""


def test_labels_by_id_take_the_sentences_of_winobias(
    tmp_path: Path, shared_data: Callable[[str], Path]
) -> None:
    folder = shared_data("winobias/pro_stereotyped_type2.txt.test").parent.parent
    result = measure(TableModel(words=MAN), "traits", data=file_of(tmp_path, LABELS), data_dir=folder)
    items = result.items.set_index("item")
    assert list(items.index) == ["type2-test-1", "type2-test-2", "type2-test-4", "type2-dev-5"]
    assert items["competence"].tolist() == ["competent", "", "incompetent", "neutral"]
    assert items["text"].str.contains("person").all()
    assert result.value("second-predictions", competence="incompetent") == 0
    wrong = file_of(tmp_path, LABELS.replace("type2-test-1,", "type2-test-999,"))
    with pytest.raises(UserError, match="line 2: 'type2-test-999' is not a sentence of WinoBias"):
        measure(TableModel(words=MAN), "traits", data=wrong, data_dir=folder)


def test_winobias_without_labels_is_asked_and_says_how_to_label_it(
    shared_data: Callable[[str], Path],
) -> None:
    folder = shared_data("winobias/pro_stereotyped_type2.txt.test").parent.parent
    result = measure(TableModel(words=MAN), "traits", data="winobias", data_dir=folder)
    # 396 sentences, of which five have two pronouns.
    assert len(result.items) == 391
    assert not result.items["text"].str.contains(r"\b(?:developer|nurse|CEO|construction worker)\b").any()
    assert any("add a column competence" in notice for notice in result.notices)
    assert [quantity.key for quantity in result.quantities] == ["mean-lean"]


def test_every_occupation_becomes_a_person() -> None:
    assert without_occupations("An editor met the construction worker, who cooked.") == (
        "A person met the person, who cooked."
    )
    assert (
        without_occupations("The CEO and the tailor saw a chief.")
        == "The person and the person saw a person."
    )


def test_files_with_one_axis_are_compared_by_that_one(tmp_path: Path) -> None:
    rows = "\n".join(",".join(line.split(",")[:3] + line.split(",")[-1:]) for line in TRAITS.splitlines())
    results = [
        measure(model, "traits", data=file_of(tmp_path, rows)).renamed(name)
        for name, model in (("a", TableModel(PROBABILITIES)), ("b", TableModel(words=MAN)))
    ]
    results[1].provenance["model"]["fingerprint"] = "other"
    compared = set(compare(*results).table["quantity"])
    assert compared == {"competence-contrast", "mean-lean"}
