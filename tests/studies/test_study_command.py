"""`equipoise study`: tables, files, one JSON document, and mistakes in two lines."""

import json
from pathlib import Path

import pandas as pd
import pytest
from command_line import run

from equipoise.instruments.base import Settings
from equipoise.measuring import measure
from equipoise.models.loading import load_model, portable_name
from equipoise.models.loading.networks import random_parts
from equipoise.results import load_result

PAIRS = "category,stereotype,counterpart\n" + "".join(
    f"{category},The {word} lost {one} keys.,The {word} lost {other} keys.\n"
    for category, one, other in (("occupation", "his", "her"), ("hostile-sexism", "her", "his"))
    for word in ("nurse", "cook", "baker", "farmer", "engineer")
)
NEUTRAL = "neutral,We ate soup on Monday.,We ate soup on Friday.\n"


@pytest.fixture
def pairs(tmp_path: Path) -> Path:
    path = tmp_path / "pairs.csv"
    path.write_text(PAIRS + NEUTRAL, encoding="utf-8")
    return path


@pytest.fixture
def other(tmp_path: Path) -> Path:
    network, words = random_parts()
    network.cls.predictions.bias.data[words.convert_tokens_to_ids("his")] += 2.0
    network.save_pretrained(tmp_path / "other")
    words.save_pretrained(tmp_path / "other")
    return tmp_path / "other"


def test_models_are_ranked(
    pairs: Path, other: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    assert run("study", "models", "random", other, "--data", pairs, "--out", out, "--json") == 0
    document = json.loads(capsys.readouterr().out)
    best = next(row for row in document["ranking"] if row["group"] == "all" and row["rank"] == 1)
    assert best["model"] == "random"
    (difference,) = [row for row in document["differences"] if row["quantity"] == "asld-above-neutral"]
    saved = {one.model: one for one in map(load_result, out.glob("*/sbe"))}
    first, second = (
        saved[name].value("asld-above-neutral") for name in ("random", portable_name(str(other)))
    )
    assert difference["difference"] == pytest.approx(second - first)
    assert difference["difference"] > 0
    assert any("ASLD above that of neutral pairs" in sentence for sentence in document["sentences"])
    assert (out / "ranking.csv").exists()
    assert len(list(out.glob("*/sbe/items.csv"))) == 2
    assert run("study", "models", "random", other, "--data", pairs) == 0
    printed = capsys.readouterr().out
    assert "rank 1 leans least" in printed
    assert "sbe, mean SLD" in printed


def test_table_3_has_categories_by_models(
    pairs: Path, other: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    assert run("study", "models", "random", other, "-i", "sbe", "--data", pairs, "--out", out) == 0
    assert "sbe, ASLD by category and model (nats)" in " ".join(capsys.readouterr().out.split())
    table = pd.read_csv(out / "models-sbe-asld.csv")
    assert table.columns.tolist() == ["category", "random", "other"]
    saved = {one.model: one for one in map(load_result, out.glob("*/sbe"))}
    assert table["category"].tolist()[-1] == "all"
    assert table["random"].iloc[-1].startswith(f"{saved['random'].value('asld'):.2f} [")
    for suffix in ("svg", "png"):
        assert (out / f"models-sbe-asld-by-category.{suffix}").stat().st_size > 1000
    assert run("report", out, "--out", tmp_path / "page.html", "--figures", tmp_path / "drawn") == 0
    assert (tmp_path / "drawn" / "models-sbe-asld-by-category.png").exists()
    assert "sbe, ASLD by category and model" in (tmp_path / "page.html").read_text(encoding="utf-8")


def test_the_sample_size_study_from_a_result(
    pairs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    saved = measure(load_model("random", cache=False), "sbe", Settings(data=str(pairs))).save(tmp_path / "r")
    chosen = ("study", "sample-size", "--result", saved, "--sizes", "2,5", "--out", tmp_path / "fig")
    assert run(*chosen, "--json") == 0
    document = json.loads(capsys.readouterr().out)
    assert {row["size"] for row in document["table"]} == {2, 5}
    assert {row["design"] for row in document["table"]} == {"published", "bootstrap"}
    assert all(Path(figure).exists() for figure in document["figures"])
    assert (tmp_path / "fig" / "samples.csv").exists()
    assert run("study", "sample-size", "--result", saved, "--sizes", "2,5") == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "published: drawn without replacement" in said
    assert "bootstrap: drawn with replacement" in said


def test_the_control_draws_weights_several_times(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    chosen = (
        "study",
        "control",
        "--model",
        "random",
        "-i",
        "traits",
        "--draws",
        3,
        "--out",
        tmp_path / "out",
    )
    assert run(*chosen, "--json") == 0
    rows = json.loads(capsys.readouterr().out)["table"]
    assert {row["draws"] for row in rows} == {3}
    assert all(row["random_lowest"] < row["random_highest"] for row in rows)
    assert len(list((tmp_path / "out").glob("*/traits/items.csv"))) == 1 + 3
    assert run("study", "control", "--model", "random", "--draws", 2) == 2
    assert "too few to show" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("models", "random"), "One model was named"),
        (("models", "random", "random"), "are the same model"),
        (("models", "random", "random", "--instrument", "sbee"), "no instrument called 'sbee'"),
        (("sample-size", "--sizes", "20,many"), "not a list of whole numbers"),
        (("sample-size", "--result", "nowhere"), "no folder 'nowhere'"),
        (("sample-size", "--result", "x", "--model", "random"), "Both --result and --model"),
    ],
)
def test_mistakes_are_told_in_two_lines(
    arguments: tuple[str, ...], said: str, pairs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    extra = (
        ("--data", pairs) if arguments[:3] == ("models", "random", "random") and len(arguments) == 3 else ()
    )
    assert run("study", *arguments, *extra) == 2
    lines = capsys.readouterr().err.strip().splitlines()
    assert said in lines[-2]
    assert "Traceback" not in "".join(lines)


def test_skew_beside_stereotype(other: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The values of the saved results, and a chart; two models have no rank correlation."""
    folders = []
    for number, name in enumerate(("random", str(other))):
        result = measure(load_model(name, cache=False), "stereotype-skew")
        result.save(tmp_path / f"model-{number}")
        folders.append(tmp_path / f"model-{number}")
    out = tmp_path / "out"
    assert run("study", "skew", *folders, "--out", out, "--json") == 0
    printed = json.loads(capsys.readouterr().out)
    assert [row["n"] for row in printed["table"]] == [160, 160]
    assert printed["table"][1]["skew"] == pytest.approx(result.value("skew", type="2"))
    assert not any(row["is_meaningful"] for row in printed["table"])
    assert printed["rank_correlation"] == {"value": None, "low": None, "high": None, "p": None, "n": 0}
    tables = {path.name: list(pd.read_csv(path).columns) for path in out.glob("*.csv")}
    assert list(tables["table-2.csv"]) == [
        *("model", "variant", "source", "F1 male pro", "F1 male anti", "F1 female pro", "F1 female anti"),
        *("stereotype", "skew", "n", "note"),
    ]
    assert tables["table-1.csv"][3:] == [
        f"type {kind} F1 {pole}" for kind in "12" for pole in ("male", "female")
    ]
    histogram = pd.read_csv(out / "histogram.csv")
    assert histogram.groupby("model")["share"].sum().tolist() == pytest.approx([1, 1])
    assert (histogram["to"] - histogram["from"]).tolist() == pytest.approx([0.1] * 20)
    for name in ("skew-plane", "skew-figure-3", "skew-figure-4"):
        assert {path.suffix for path in out.glob(f"{name}.*")} == {".svg", ".png"}
    latex = (out / "table-2.tex").read_text(encoding="utf-8")
    assert latex.count("not meaningful: ability below 75") == 2
    assert run("report", out, "--out", tmp_path / "page.html", "--figures", tmp_path / "figures") == 0
    assert {path.stem for path in (tmp_path / "figures").iterdir()} == {
        "skew-plane",
        "skew-figure-3",
        "skew-figure-4",
    }
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "F1 male anti" in page
    assert 'data-chart="skew-figure-3"' in page
    capsys.readouterr()
    assert run("study", "skew", *folders) == 0
    assert "over 0 meaningful models: none below three" in " ".join(capsys.readouterr().out.split())


def test_skew_needs_results_of_its_instrument(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    measure(load_model("random", cache=False), "traits").save(tmp_path / "traits-only")
    assert run("study", "skew", tmp_path / "traits-only") == 2
    first, second = capsys.readouterr().err.strip().splitlines()
    assert "holds no result of stereotype-skew" in first
    assert "equipoise measure stereotype-skew" in second


def test_a_type_of_sentences_that_does_not_exist(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("study", "skew", tmp_path, "--type", "3") == 2
    first, second = capsys.readouterr().err.strip().splitlines()
    assert "'3'" in first
    assert "Known: 1, 2" in second


def test_before_after_can_be_measured_on_held_out_sentences(
    other: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    assert run("study", "before-after", "random", other, "--held-out", "--out", out, "--json") == 0
    document = json.loads(capsys.readouterr().out)
    assert {row["quantity"] for row in document["gain"]} == {
        "mean-size",
        "mean-size-associations",
        "mean-size-capitals",
    }
    priced = {row["quantity"] for row in document["price"] if row["instrument"] == "held-out"}
    assert priced == {"right-definitional", "right-coreference", "right-names"}
