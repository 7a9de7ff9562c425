"""They and neo-pronouns as poles: their shares by hand, and what must not move because they were asked."""

from math import log
from pathlib import Path

import pytest
import tiny

from equipoise.data.poles import load_poles
from equipoise.errors import UserError
from equipoise.instruments.association import UNKNOWN
from equipoise.measuring import measure
from equipoise.models.loading.networks import wrap_model
from equipoise.models.table import TableModel
from equipoise.probing import probe_blank

POLES = (
    "pole,form,word\nmale,subject,he\nfemale,subject,she\nthey,subject,they\nneo,subject,xe\nneo,subject,ze\n"
)


def written(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def test_a_blank_shows_the_likeliest_word_of_every_pole() -> None:
    words = {word: 0.01 for group in load_poles("neo-pronouns").words.values() for word in group}
    table = TableModel({"Today [MASK] baked.": words | {"he": 0.4, "she": 0.2, "they": 0.1, "ze": 0.05}})
    shown = probe_blank(table, "Today [MASK] baked.", poles="neo-pronouns").words
    assert shown["pole"].tolist() == ["male", "female", "they", "neo"]
    assert shown["word"].tolist() == ["he", "she", "they", "ze"]
    assert shown["probability"].tolist() == pytest.approx([0.4, 0.2, 0.1, 0.05])


def test_tbe_gives_each_further_pole_its_share(tmp_path: Path) -> None:
    written(
        tmp_path / "templates.csv",
        "id,category,form,template\nt,work,subject,The <profession> hoped [MASK] won.\n",
    )
    written(tmp_path / "professions.csv", "profession,category,gender\nbaker,work,\nroofer,work,\n")
    model = TableModel(
        {
            "The baker hoped [MASK] won.": {"he": 0.2, "she": 0.4, "they": 0.1, "xe": 0.06, "ze": 0.04},
            "The roofer hoped [MASK] won.": {"he": 0.5, "she": 0.1, "they": 0.2, "xe": 0.1, "ze": 0.1},
        },
        words={"he": 0.2, "she": 0.2, "they": 0.1, "xe": 0.1, "ze": 0.1},
    )
    result = measure(model, "tbe", data=tmp_path, poles=str(written(tmp_path / "own.csv", POLES)))
    assert result.value("third-share", pole="they") == pytest.approx((0.1 / 0.8 + 0.2 / 1.0) / 2)
    assert result.value("third-share", pole="neo") == pytest.approx((0.1 / 0.8 + 0.2 / 1.0) / 2)
    assert result.value("third-share") == pytest.approx((0.2 / 0.8 + 0.4 / 1.0) / 2)
    assert result.value("appd") == pytest.approx((-0.2 + 0.4) / 2)


def test_completions_count_a_third_list_without_moving_the_rest(tmp_path: Path) -> None:
    written(
        tmp_path / "completion-words.csv",
        "word,part,sentiment\nsunny,adjective,positive\nmuddled,adjective,negative\n",
    )
    written(
        tmp_path / "completion-patterns.csv", "id,part,pattern\na,adjective,My <word> guest is a [MASK].\n"
    )
    pairs = tmp_path / "gendered-words.csv"
    sunny, muddled = "My sunny guest is a [MASK].", "My muddled guest is a [MASK]."
    model = TableModel(
        {
            sunny: {"man": 0.1, "woman": 0.3, "person": 0.2, "child": 0.1, "cat": 0.1, "lamp": 0.1},
            muddled: {"man": 0.4, "woman": 0.1, "person": 0.05, "child": 0.05, "cat": 0.3, "lamp": 0.05},
        }
    )
    asked = {}
    for name, text in (
        ("two", "male,female\nman,woman\n"),
        ("three", "male,female,they\nman,woman,person\n,,child\n"),
    ):
        written(pairs, text)
        asked[name] = measure(model, "completions", data=tmp_path)
    two, three = asked["two"], asked["three"]
    assert three.value("share", sentiment="positive", pole="they") == pytest.approx(0.3)
    assert three.value("share-top-5", sentiment="negative", pole="they") == pytest.approx(0.1 / 0.9)
    assert three.value("word-list-in-vocabulary", pole="they") == 1.0
    assert not two.estimates["by"].eq("they").any()
    for key in ("gbm", "favour", "gbm-top-5"):
        assert three.value(key) == pytest.approx(two.value(key))
    assert three.value("share", pole="neither") == pytest.approx(two.value("share", pole="neither"))


def test_completions_ask_neo_pronouns_of_a_real_network() -> None:
    model = wrap_model(tiny.network("bert"), tiny.tokenizer("wordpiece"), name="small")
    usual, more = (measure(model, "completions", poles=poles) for poles in ("pronouns", "neo-pronouns"))
    assert 0 < more.value("share", sentiment="positive", pole="they") < 1
    assert more.value("gbm") == pytest.approx(usual.value("gbm"), abs=1e-9)


def test_association_holds_the_third_against_the_mean_of_the_two(tmp_path: Path) -> None:
    written(tmp_path / "person-templates.csv", "id,template\nt,<person> met a <profession>.\n")
    words = "pair,gender,phrase,noun\n1,male,he,he\n1,female,she,she\n1,they,they,they\n"
    written(tmp_path / "person-words.csv", words)
    jobs = "profession,group,percent_women\nroofer,male,5\nflorist,female,80\n"
    written(tmp_path / "person-professions.csv", jobs)
    prior = {"He": 0.4, "She": 0.2, "They": 0.1}
    fills = {
        "[MASK] met a [MASK].": prior,
        "[MASK] met a roofer.": {"He": 0.8, "She": 0.1, "They": 0.1},
        "[MASK] met a florist.": {"He": 0.2, "She": 0.6, "They": 0.2},
    }
    result = measure(TableModel(fills), "association", data=tmp_path)
    roofer = 0 - (log(2) + log(0.5)) / 2
    florist = log(2) - (log(0.5) + log(3)) / 2
    assert result.value("third-gap", pole="they", group="male") == pytest.approx(roofer)
    assert result.value("third-gap", pole="they", group="female") == pytest.approx(florist)
    assert result.value("third-gap", pole="they") == pytest.approx((roofer + florist) / 2)
    assert result.value("association", group="male", gender="they") == pytest.approx(0.0)
    # Persons of a third group are on neither side of a stereotype.
    written(tmp_path / "person-words.csv", words.replace("1,they,they,they\n", ""))
    alone = measure(TableModel(fills), "association", data=tmp_path)
    for key in ("oriented-association", "gap"):
        assert result.value(key) == pytest.approx(alone.value(key))
    assert result.sentences[-1] == alone.sentences[-1]


def test_the_shipped_persons_with_they_are_asked() -> None:
    model = wrap_model(tiny.network("bert"), tiny.tokenizer("wordpiece"), name="small")
    result = measure(model, "association", data="equipoise-persons-they")
    counts = result.items.groupby("gender")["pair"].nunique().to_dict()
    assert counts == {"male": 7, "female": 7, "they": 7, "neo": 1}
    assert result.estimate("third-gap", pole="they")["n"] == 7 * 6 * 60
    # This tokenizer has never seen an x: those sentences are dropped, with the reason, and nothing else is.
    neo = result.estimate("third-gap", pole="neo")
    assert (neo["n"], neo["dropped"]) == (0, 6 * 60)
    assert result.items.query("gender == 'neo'")["dropped"].unique().tolist() == [UNKNOWN]
    assert result.items.query("gender != 'neo'")["dropped"].eq("").all()


def test_a_word_of_two_poles_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path / "own.csv", POLES + "neo,subject,They\n")
    with pytest.raises(UserError, match="'they' stands for both 'they' and 'neo' in the form 'subject'"):
        load_poles(path)
