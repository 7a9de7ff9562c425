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
