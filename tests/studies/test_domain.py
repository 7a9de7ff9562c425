"""`study domain`: the tables and figures of the study of news, on a small model and made-up articles."""

import json
import xml.etree.ElementTree as ET
from pathlib import Path

import pandas as pd
import pytest
from command_line import run

from equipoise.report.arm_charts import arm_chart

TEXTS = (
    "The strong leader said that he would help his family",
    "She was a clever doctor and her career was long",
    "The weak man lost his office",
    "Her slim friend told her children that she was at home",
)
PAPERS = ("Post", "Times", "Herald")


def articles(folder: Path, count: int = 240) -> Path:
    """Articles of three publishers, and a file that maps publishers to ideologies."""
    rows = [
        {
            "id": f"a{number}",
            "body": f"{TEXTS[number % 4]} on day {number}.",
            "publisher": PAPERS[number % 3],
        }
        for number in range(count)
    ]
    pd.DataFrame(rows).to_csv(folder / "articles.csv", index=False)
    (folder / "ideology.csv").write_text("publisher,ideology\nPost,left\nTimes,left\nHerald,right\n")
    return folder / "articles.csv"


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One run of the command; its folder."""
    folder = tmp_path_factory.mktemp("domain")
    given = ["--corpus", articles(folder), "--text", "body", "--model", "random", "--seeds", "0"]
    given += ["--group", "publisher", "--set", "batch-tokens=600", "--set", "learning-rate=1e-3"]
    assert run("study", "domain", *given, "--contexts", 0, "--out", folder / "study") == 0
    return folder / "study"


def marks(path: Path) -> list[str]:
    """The descriptions of the dots that a chart draws."""
    return [
        node.attrib["aria-label"]
        for node in ET.parse(path).iter()
        if node.attrib.get("aria-roledescription") == "point"
    ]


def test_a_chart_shows_one_quantity_of_one_instrument(study: Path) -> None:
    """`difference` is a key of contexts and of cosine: four arms, four dots in either chart."""
    table = pd.read_csv(study / "domain.csv", keep_default_na=False)
    overall = table[(table["key"] == "difference") & (table["by"] == "")]
    assert list(overall.groupby("instrument").size()) == [4, 4]
    for instrument in ("contexts", "cosine"):
        assert len(marks(study / f"domain-{instrument}-difference.svg")) == 4
    assert not (study / "domain.svg").exists()


def test_the_chart_of_an_arm_does_not_mix_instruments() -> None:
    row = {"key": "difference", "by": "", "level": "", "label": "difference", "unit": "", "arm": "base"}
    row |= {"low": 0.0, "high": 1.0, "seed_sd": 0.0, "seeds": 2}
    table = pd.DataFrame(
        [row | {"instrument": "contexts", "mean": 0.205}, row | {"instrument": "cosine", "mean": 0.094}]
    )
    data = arm_chart(table, "contexts", "difference", "title").to_dict()["datasets"]
    assert [one["mean"] for rows in data.values() for one in rows] == [0.205]
    assert json.dumps(data).count("contexts") == 1


def test_every_command_reads_a_corpus_in_the_same_ways(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Cleaning, a map of groups and target words only: the same options, and the same count of contexts."""
    texts = ["He said it&apos;s strong.", "She&#39;s home.", "He ate soup.", "A strong wind blew."] * 30
    table = pd.DataFrame({"id": range(120), "body": texts, "publisher": [PAPERS[n % 3] for n in range(120)]})
    table.to_csv(tmp_path / "texts.csv", index=False)
    (tmp_path / "map.csv").write_text("publisher,ideology\nPost,left\nTimes,left\nHerald,right\n")
    reading = ["--text", "body", "--groups-file", tmp_path / "map.csv", "--clean", "--with-targets"]

    assert run("corpus", tmp_path / "texts.csv", *reading, "--out", tmp_path / "survey") == 0
    mentions = pd.read_csv(tmp_path / "survey" / "mentions.csv", keep_default_na=False)
    assert set(mentions.loc[mentions["by"] == "ideology", "level"]) == {"left", "right"}
    assert "passed over, no target word in it: 30" in capsys.readouterr().out

    data = ["--data", f"contexts={tmp_path / 'texts.csv'}", "--data", f"cosine={tmp_path / 'texts.csv'}"]
    asked = ["measure", "contexts", "cosine", *data, *reading, "--model", "random", "--out", tmp_path / "out"]
    assert run(*asked) == 0
    for instrument in ("contexts", "cosine"):
        items = pd.read_csv(tmp_path / "out" / instrument / "items.csv", keep_default_na=False)
        assert len(items) == 60  # strong and home, 30 times each, beside a gendered word
        assert set(items["ideology"]) == {"left", "right"}
        assert not items["text"].str.contains("&|'s", regex=True).any()

    tuned = ["mitigate", "counterfactual", "--corpus", tmp_path / "texts.csv", *reading, "--model", "random"]
    assert run(*tuned, "--set", "mode=invert", "--out", tmp_path / "tuned") == 0
    said = capsys.readouterr().out
    assert "30 rows of the corpus were passed over (30 x no target word in it)." in said
    assert "90 documents by ideology: left 60, right 30." in said


def test_a_published_corpus_has_no_groups(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    given = ["mitigate", "counterfactual", "--corpus", "gap", "--group", "publisher", "--model", "random"]
    data = Path(__file__).parents[2].parent / "shared" / "data"
    if not (data / "gap").is_dir():
        pytest.skip("the public data sets are not here")
    assert run(*given, "--data-dir", data, "--out", tmp_path / "tuned") == 2
    assert "gap has no column 'publisher'" in capsys.readouterr().err
