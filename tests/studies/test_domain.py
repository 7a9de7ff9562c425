"""`study domain`: the tables and figures of the study of news, on a small model and made-up articles."""

import xml.etree.ElementTree as ET
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from command_line import run

from equipoise.corpora.opening import CorpusChoice, read_corpus
from equipoise.mitigations.counterfactual import Counterfactual
from equipoise.mitigations.training.examples import split_documents
from equipoise.mitigations.training.held_out import masked_losses
from equipoise.models.loading import load_model
from equipoise.models.options import RunOptions
from equipoise.report.figures.arms import arm_figures
from equipoise.results import load_result
from equipoise.studies.training.domain import _losses_in_words

TEXTS = (
    "The strong and clever leader of the business said that he was there",
    "The strong and clever head of the business said that she was there",
    "In the wedding the weak and slender person said that he was there",
    "In the wedding the weak and slender person said that she was there",
)
"""Each holds words of three categories; every category stands beside a man and beside a woman."""

CATEGORIES = {"strength", "weakness", "intelligence", "appearance", "career", "family"}
PAPERS = ("Post", "Times", "Herald")
ARMS = ["base", "fine-tuned", "dropout", "counterfactual"]
MAP = "publisher,ideology\nPost,liberal\nTimes,liberal\nHerald,conservative\n"


def articles(folder: Path, count: int = 900) -> Path:
    """Articles of three publishers, and a file that maps publishers to ideologies."""
    rows = [
        {
            "id": f"a{number}",
            "body": f"{TEXTS[number % 4]} on day {number}.",
            "publisher": PAPERS[number // 4 % 3],
        }
        for number in range(count)
    ]
    pd.DataFrame(rows).to_csv(folder / "articles.csv", index=False)
    (folder / "ideology.csv").write_text(MAP)
    (folder / "words.csv").write_text("male,female\nhe,she\nhis,her\n")
    return folder / "articles.csv"


def given(folder: Path) -> list[object]:
    """The command, but for the folder of the study."""
    asked = ["study", "domain", "--corpus", folder / "articles.csv", "--text", "body", "--model", "random"]
    asked += ["--seeds", "0", "--group", "publisher", "--groups-file", folder / "ideology.csv", "--keep"]
    asked += ["--pairs", folder / "words.csv"]
    return [*asked, "--set", "sentences=60", "--set", "learning-rate=1e-3", "--contexts", 0]


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One run of the command; its folder."""
    folder = tmp_path_factory.mktemp("domain")
    articles(folder)
    with redirect_stdout(StringIO()) as said:
        assert run(*given(folder), "--out", folder / "study") == 0
    (folder / "said.txt").write_text(said.getvalue())
    return folder / "study"


def read(study: Path, name: str) -> pd.DataFrame:
    return pd.read_csv(study / f"{name}.csv", keep_default_na=False, na_values=[""]).fillna(
        {"by": "", "level": ""}
    )


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
    drawn = {figure.name: figure.spec["data"]["values"] for figure in arm_figures("domain", table)}
    assert {name: [one["value"] for one in rows] for name, rows in drawn.items()} == {
        "domain-contexts-difference": [0.205],
        "domain-cosine-difference": [0.094],
    }


def test_the_losses_are_those_of_the_saved_models(study: Path) -> None:
    """Fig. 1: loss and perplexity before and after; the model that was kept gives the same once more."""
    table = read(study, "losses").set_index("arm")
    assert list(table.index) == ARMS
    assert table["perplexity"].to_numpy() == pytest.approx(np.exp(table["loss"]))
    assert (table["low"] < table["loss"]).all()
    assert (table["loss"] < table["high"]).all()
    assert table.loc["fine-tuned", "loss"] < table.loc["base", "loss"] - 0.05
    assert table.loc["base", ["published_loss", "published_perplexity"]].tolist() == [3.38, 29.44]
    documents = read_corpus(study.parent / "articles.csv", CorpusChoice("body")).documents
    _, held = split_documents(documents, 0.1, 0)
    kept = load_model(study / "models" / "fine-tuned-0", RunOptions(device="cpu"))
    again = masked_losses(kept, held, Counterfactual())
    assert again["nats"].sum() / again["places"].sum() == pytest.approx(
        table.loc["fine-tuned", "loss"], abs=1e-5
    )
    assert {path.name for path in (study / "models").iterdir()} == {f"{arm}-0" for arm in ARMS[1:]}
    training = read(study, "training")
    assert list(dict.fromkeys(training["arm"])) == ARMS[1:]
    assert set(training["text"]) == {"training", "held-out"}


def test_probabilities_and_changes_stand_as_in_the_paper(study: Path) -> None:
    """Fig. 6 has a row for each arm, Figs. 7 and 8 one for each category, 9.0.5 both and the change."""
    table = read(study, "probabilities")
    overall = table[table["by"] == ""].set_index("arm")
    assert list(overall.index) == ARMS
    assert overall["difference"].to_numpy() == pytest.approx(overall["male"] - overall["female"])
    assert overall.loc["base", "published_difference"] == 0.248
    for by, levels in {"category": CATEGORIES, "publisher": set(PAPERS)}.items():
        rows = table[(table["by"] == by) & (table["arm"] == "base")]
        assert set(rows["level"]) == levels
        assert rows[["male", "female", "male_low", "female_high"]].notna().all().all()
    assert set(table.loc[table["by"] == "ideology", "level"]) == {"liberal", "conservative"}
    assert "category x ideology" in set(table["by"])

    changes = read(study, "changes")
    tuned = changes[(changes["arm"] == "fine-tuned") & (changes["by"] == "category")].set_index("level")
    assert set(tuned.index) == CATEGORIES
    assert tuned["change"].to_numpy() == pytest.approx(tuned["after"] - tuned["before"])
    of_arm = table[(table["by"] == "category") & (table["arm"] == "fine-tuned")].set_index("level")
    assert tuned["after"].to_dict() == pytest.approx(of_arm["difference"].to_dict())
    assert tuned.loc["family", ["published_before", "published_after"]].tolist() == [0.193, 0.140]

    words = read(study, "words")
    assert set(words.loc[words["arm"] == "base", "target"]) >= {"strong", "weak", "wedding"}


def test_the_change_is_the_mean_of_paired_contexts(study: Path) -> None:
    """By a plain loop over the items of the step's own results."""
    before, after = (
        load_result(study / "steps" / step / "000" / "contexts").items.set_index("item")
        for step in ("base", "dropout-0")
    )
    moved: dict[str, list[float]] = {"male": [], "female": []}
    for item, row in before.iterrows():
        if "family" in row["categories"]:
            moved[row["gender"]].append(after.loc[item, "own"] - row["own"])
    changes = read(study, "changes")
    row = changes[(changes["arm"] == "dropout") & (changes["level"] == "family")].iloc[0]
    assert row["change"] == pytest.approx(np.mean(moved["male"]) - np.mean(moved["female"]))
    assert row["low"] <= row["change"] <= row["high"]


def test_the_figures_are_in_the_folder_and_on_the_page(study: Path) -> None:
    names = ["loss", "women-and-men"]
    names += [f"{arm}-women-and-men-by-{by}" for arm in ARMS for by in ("category", "publisher", "ideology")]
    names += [
        f"{arm}-words-{pair}" for arm in ARMS[:2] for pair in ("strength-and-weakness", "career-and-family")
    ]
    for name in names:
        assert (study / f"domain-{name}.svg").exists(), name
        assert (study / f"domain-{name}.png").exists(), name
    figures = study.parent / "figures"
    assert run("report", study, "--out", study.parent / "page.html", "--figures", figures) == 0
    assert {f"domain-{name}.png" for name in names} <= {path.name for path in figures.iterdir()}
    page = (study.parent / "page.html").read_text()
    assert all(f"domain-{name}" in page for name in names)


def test_the_screen_shows_the_tables_of_the_paper(study: Path) -> None:
    said = (study.parent / "said.txt").read_text()
    for title in ("Held-out text (Fig. 1)", "Women and men (Fig. 6)", "appendix 9.0.5"):
        assert title in said
    assert "fine-tuned: women and men by category (Figs. 7, 8)" in said
    assert "0.832 / 0.584 / 0.248" in said
    assert "3.38 / 29.44" in said
    assert "fine-tuned: the loss on held-out text fell from" in said


def test_a_corpus_too_small_to_split_is_refused_before_the_model_is_loaded(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "few.txt").write_text("He slept.\n" * 9)
    asked = ["study", "domain", "--corpus", tmp_path / "few.txt", "--model", tmp_path / "no-model"]
    assert run(*asked, "--out", tmp_path / "out") == 2
    assert "has 9 documents, too few to split" in capsys.readouterr().err


def test_a_study_that_learnt_nothing_says_so() -> None:
    losses = pd.DataFrame(
        {
            "arm": ["base", "fine-tuned", "dropout"],
            "loss": [2.403, 2.403, 2.1],
            "perplexity": [11.1, 11.1, 8.2],
        }
    )
    idle, fell = _losses_in_words(losses)
    assert idle.startswith(
        "fine-tuned: nothing was learnt: the loss on held-out text went from 2.403 to 2.403"
    )
    assert fell.startswith(
        "dropout: the loss on held-out text fell from 2.403 to 2.100 (perplexity 11.1 to 8.2)"
    )


def test_a_finished_study_is_read_back(study: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = (study / "losses.csv").read_text()
    assert run(*given(study.parent), "--out", study) == 0
    assert capsys.readouterr().err.count("finished before") == 4
    assert (study / "losses.csv").read_text() == before
    without = [one for one in given(study.parent) if one != "--keep"]
    assert run(*without, "--out", study) == 2
    assert "with another keep" in capsys.readouterr().err


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
    assert "Note: 30 rows skipped (no target word in it)." in capsys.readouterr().out

    data = ["--data", f"contexts={tmp_path / 'texts.csv'}", "--data", f"cosine={tmp_path / 'texts.csv'}"]
    asked = ["measure", "contexts", "cosine", *data, *reading, "--model", "random", "--out", tmp_path / "out"]
    assert run(*asked) == 0
    for instrument in ("contexts", "cosine"):
        items = pd.read_csv(tmp_path / "out" / instrument / "items.csv", keep_default_na=False)
        assert len(items) == 60  # strong and home, 30 times each, beside a gendered word
        assert set(items["ideology"]) == {"left", "right"}
        assert not items["text"].str.contains("&|'s", regex=True).any()

    (tmp_path / "words.csv").write_text("male,female\nhe,she\n")
    tuned = ["mitigate", "counterfactual", "--corpus", tmp_path / "texts.csv", *reading, "--model", "random"]
    tuned += ["--pairs", tmp_path / "words.csv", "--set", "mode=invert"]
    assert run(*tuned, "--out", tmp_path / "tuned") == 0
    said = capsys.readouterr().out
    assert "by the words of words.csv" in said
    assert "30 rows of the corpus were skipped (30 x no target word in it)." in said
    assert "90 documents by ideology: left 60, right 30." in said


def test_a_published_corpus_has_no_groups(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    given = ["mitigate", "counterfactual", "--corpus", "gap", "--group", "publisher", "--model", "random"]
    data = Path(__file__).parents[2].parent / "shared" / "data"
    if not (data / "gap").is_dir():
        pytest.skip("the public data sets are not here")
    assert run(*given, "--data-dir", data, "--out", tmp_path / "tuned") == 2
    assert "gap has no column 'publisher'" in capsys.readouterr().err


def test_one_model_has_the_pictures_of_the_paper_too(study: Path, tmp_path: Path) -> None:
    """`measure contexts cosine`: both genders by everything, and the scatter of categories and of words."""
    folder = study.parent
    data = [f"{name}={folder / 'articles.csv'}" for name in ("contexts", "cosine")]
    asked = ["measure", "contexts", "cosine", "--data", data[0], "--data", data[1], "--text", "body"]
    asked += ["--group", "publisher", "--groups-file", folder / "ideology.csv", "--sample", 200]
    assert run(*asked, "--model", "random", "--out", tmp_path / "out") == 0
    pictures = tmp_path / "pictures"
    assert run("report", tmp_path / "out", "--out", tmp_path / "page.html", "--figures", pictures) == 0
    names = {path.stem for path in pictures.iterdir()}
    splits = ("category", "publisher", "ideology", "category-x-ideology", "category-x-publisher")
    assert {f"contexts-women-and-men-by-{by}" for by in splits} <= names
    assert {"contexts-sides", "cosine-sides"} <= names
    assert {f"contexts-difference-by-{by}" for by in splits[:3]} <= names
    scatter = (pictures / "contexts-sides.svg").read_text()
    assert all(f">{name}<" in scatter for name in CATEGORIES)
