"""Reading WinoBias: brackets, forms, stereotypes, and the published files' faults, counted and named."""

import re
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

from equipoise.data.poles import load_poles
from equipoise.data.sets.winobias import (
    DATASET,
    FLAGS,
    PERCENT_WOMEN,
    pairs_at,
    published_pairs,
    read_winobias,
)
from equipoise.data.sources import Source
from equipoise.errors import UserError

PRO = """1 [The smith] thanked the dancer because [he] was tired.
2 The smith thanked [the dancer] because [she] was kind.
3 The dancer asked the [the smith] to lend [him] a bag.
4 The smith told [a dancer] that [her] bag was open.
5 The smith met [the dancer] 's cousin and liked [her].
6 [The dancer] hurt [her] foot when [she] fell.
7 The smith hired [the dancer] to paint [her].
8 [The smith] sang for the dancer because [he] is a kind man.
9 The dancer lent [the smith] [his] own bag.
10 The smith thanked [the dancer] because [she] was kind.
"""
ANTI = """1 [The smith] thanked the dancer because [she] was tired.
2 The smith thanked [the dancer] because [he] was kind.
3 The dancer asked the [the smith] to lend [her] a bag.
4 The smith told [a dancer] that [his] bag was open.
5 The smith met [the dancer] 's uncle and liked [him].
6 [The dancer] hurt [his] foot when [he] fell.
7 The smith hired [the dancer] to paint [her].
8 [The smith] sang for the dancer because [she] is a kind man.
9 The dancer lent [the smith] [her] own bag.
10 The smith thanked [the dancer] because [he] was kind.
"""
NAME = "{}_stereotyped_type2.txt.test"


def written(folder: Path, pro: str = PRO, anti: str = ANTI) -> Path:
    for side, text in (("pro", pro), ("anti", anti)):
        (folder / NAME.format(side)).write_text(text, encoding="utf-8")
    return folder


def read(folder: Path) -> pd.DataFrame:
    return read_winobias(pairs_at(folder), load_poles()).set_index("item")


def test_a_line_becomes_a_sentence_with_a_blank(tmp_path: Path) -> None:
    rows = read(written(tmp_path))
    assert rows.loc["type2-test-2"].to_dict() == {
        "type": "2",
        "split": "test",
        "pair": "type2-test-1",
        "text": "The smith thanked the dancer because [MASK] was kind.",
        "form": "subject",
        "stereotype": "female",
        "published_text": "The smith thanked the dancer because [MASK] was kind . \n",
        "published_person": "the dancer",
        "published_words": "she he",
        "in_published_set": True,
        "flags": "",
        "dropped": "",
        "profession": "dancer",
        "other": "smith",
    }
    assert rows.loc["type2-test-5", "text"] == "The smith met the dancer's cousin and liked [MASK]."


def test_the_form_comes_from_both_pronouns(tmp_path: Path) -> None:
    forms = read(written(tmp_path))["form"]
    # "her" alone may be either: beside "his" it is a possessive, beside "him" an object.
    assert forms[[f"type2-test-{n}" for n in (1, 3, 4, 5, 9)]].tolist() == [
        *("subject", "object", "possessive", "object", "possessive")
    ]


def test_faults_are_named(tmp_path: Path) -> None:
    rows = read(written(tmp_path))
    flags = {int(item.rpartition("-")[2]): text for item, text in rows["flags"].items() if text}
    assert flags == {
        3: "doubled-article",
        5: "pair-differs",
        6: "several-pronouns, one-occupation",
        7: "same-pronoun",
        8: "gendered-word",
        10: "duplicate",
    }
    assert set(", ".join(flags.values()).split(", ")) <= set(FLAGS)
    dropped = rows["dropped"][rows["dropped"] != ""]
    assert dropped.to_dict() == {
        "type2-test-6": "several pronouns",
        "type2-test-7": "the pronoun's form is unknown",
    }


def test_a_label_against_the_rest_is_flagged(tmp_path: Path) -> None:
    pro = PRO.replace("sang for the dancer because [he]", "sang for the dancer because [she]")
    anti = ANTI.replace("sang for the dancer because [she]", "sang for the dancer because [he]")
    rows = read(written(tmp_path, pro, anti))
    assert "label-conflict" in rows.loc["type2-test-8", "flags"]
    assert rows["flags"].str.contains("label-conflict").sum() == 1


@pytest.mark.parametrize(
    ("pro", "anti", "said"),
    [
        (PRO.replace("2 The smith", "The smith"), ANTI, "line 2: no number"),
        (PRO.replace("because [she] was kind", "because it rained", 1), ANTI, "line 2: no pronoun"),
        (PRO.replace("[The smith]", "The smith", 1), ANTI, "line 1: no person"),
        (PRO, ANTI.replace("2 The smith thanked [the", "3 The smith thanked [the", 1), "beside sentence 3"),
        (PRO, ANTI.partition("2 The")[0], "has 10 sentences, anti_stereotyped_type2.txt.test has 1"),
    ],
)
def test_broken_files_are_refused_with_their_line(tmp_path: Path, pro: str, anti: str, said: str) -> None:
    with pytest.raises(UserError, match=re.escape(said)):
        read(written(tmp_path, pro, anti))


def test_a_pro_file_needs_its_anti_file(tmp_path: Path) -> None:
    (written(tmp_path) / NAME.format("anti")).unlink()
    with pytest.raises(UserError, match=r"has no anti_stereotyped_type2\.txt\.test beside it"):
        pairs_at(tmp_path)


def test_a_single_file_is_one_split(tmp_path: Path) -> None:
    (pair,) = pairs_at(written(tmp_path) / NAME.format("pro"))
    assert (pair.type, pair.split, pair.anti.name) == ("2", "test", NAME.format("anti"))
    assert pairs_at(tmp_path / NAME.format("anti")) == []


@pytest.fixture
def published(shared_data: Callable[[str], Path]) -> pd.DataFrame:
    folder = shared_data("winobias").parent
    return read_winobias(published_pairs(Source(DATASET, data_dir=folder)), load_poles())


def test_published_counts(published: pd.DataFrame) -> None:
    parts = published.groupby(["type", "split"])
    assert parts.size().eq(396).all()
    # What the published study kept: lines with one of its pronouns.
    assert parts["in_published_set"].sum().to_dict() == {
        ("1", "dev"): 387,
        ("1", "test"): 374,
        ("2", "dev"): 390,
        ("2", "test"): 391,
    }
    kept = published[published["in_published_set"] & (published["split"] == "test")]
    words = kept["published_words"].str.split().str[0]
    assert words[kept["type"] == "2"].value_counts().to_dict() == {
        **{"her": 181, "him": 168, "his": 16, "she": 14, "he": 12}
    }
    counts = kept.groupby("type")["stereotype"].value_counts().to_dict()
    assert counts == {("1", "male"): 185, ("1", "female"): 189, ("2", "male"): 196, ("2", "female"): 195}


def test_published_occupations(published: pd.DataFrame, shared_data: Callable[[str], Path]) -> None:
    listed = {}
    for gender in ("male", "female"):
        lines = shared_data(f"winobias/{gender}_occupations.txt").read_text("utf-8").splitlines()
        listed |= {line.strip(): gender for line in lines if line.strip()}
    # Found in the brackets alone; the published code has the tailor among the men.
    genders_of = published.groupby("profession")["stereotype"].unique()
    assert {name: list(genders) for name, genders in genders_of.items()} == {
        name: [gender] for name, gender in listed.items()
    }
    assert set(published["other"]) <= {name.lower() for name in listed}
    assert {name.lower() for name in listed} == set(PERCENT_WOMEN)
    shares = {name: PERCENT_WOMEN[name.lower()] for name in listed}
    assert max(shares[name] for name in listed if listed[name] == "male") < 50
    assert min(shares[name] for name in listed if listed[name] == "female") > 50


def test_published_faults(published: pd.DataFrame) -> None:
    def flagged(flag: str) -> list[str]:
        return published.loc[
            published["flags"].str.split(", ").map(lambda flags: flag in flags), "item"
        ].tolist()

    assert flagged("same-pronoun") == ["type2-test-382", "type2-test-384"]
    assert flagged("form-differs") == ["type1-test-296", "type2-dev-171", "type2-dev-215"]
    assert flagged("doubled-article") == ["type2-test-3"]
    assert flagged("third-occupation") == ["type2-dev-72"]
    assert flagged("duplicate") == ["type1-test-1", "type2-test-1", "type2-test-2"]
    assert flagged("label-conflict") == flagged("one-occupation") == []
    assert len(flagged("several-pronouns")) == 44
    assert len(flagged("gendered-word")) == 9
    differing = [item for item in flagged("pair-differs") if item.startswith("type2-test")]
    assert differing == [f"type2-test-{n}" for n in (92, 103, 307, 382, 384)]
    assert (published["dropped"] != "").sum() == 45
    assert published.loc[published["dropped"] == "", "text"].str.count(r"\[MASK\]").eq(1).all()
    assert not published["text"].str.contains(r"  | 's|\[(?!MASK)").any()
