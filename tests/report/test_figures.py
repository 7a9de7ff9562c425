"""Charts: the numbers in them are those of the estimates, chosen, ordered and turned as they should be."""

import re
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
import vl_convert
from report_results import page_result

from equipoise.report.figures import figures_of
from equipoise.report.figures.corpora import corpus_figures
from equipoise.report.figures.distribution import distribution_figures
from equipoise.report.figures.groups import group_figures
from equipoise.report.figures.professions import profession_figures
from equipoise.report.figures.skew import skew_figure
from equipoise.report.files import Figure, with_title
from equipoise.report.measurements import Measurement, measurements
from equipoise.results import Estimate, Quantity, Result
from equipoise.results.estimate import estimates_table
from equipoise.results.quantity import Contrast


def measured(*results: Result) -> Measurement:
    (one,) = measurements(results)
    return one


def rows(figure: Figure) -> list[dict[str, Any]]:
    values: list[dict[str, Any]] = figure.spec["data"]["values"]
    return values


def test_groups_are_drawn_with_their_intervals_and_sides() -> None:
    result = page_result()
    (figure,) = group_figures(measured(result))
    values = {row["level"]: row["value"] for row in rows(figure)}
    low, high = (pick(values, key=values.__getitem__) for pick in (min, max))
    ends = [f"{np.exp(values[level]):.1f} times towards men ({level})" for level in (low, high)]
    assert figure.title == f"Pronoun gap, by category: from {' to '.join(ends)}"
    for row in rows(figure):
        estimate = result.estimate("appd", category=row["level"])
        assert [row[name] for name in ("value", "low", "high")] == pytest.approx(
            [estimate[name] for name in ("value", "low", "high")], rel=1e-5
        )
        assert (row["side"] == "towards men") == (estimate["low"] > 0)


def test_the_professions_with_the_highest_lowest_and_most_surprising_values() -> None:
    """Of 40 the first 15 and the last 15, in order, each with its share of women."""
    ends, scatter, surprising = profession_figures(measured(page_result()))
    names = [row["named"] for row in rows(ends)]
    assert len(names) == 30
    assert names[0] == "worker 0, 0 %"
    assert names[15] == "worker 25, 50 %"
    assert ends.spec["layer"][0]["encoding"]["y"]["sort"] == names
    points = rows(scatter)
    assert len(points) == 40
    share, value = (np.array([point[name] for point in points]) for name in ("share", "value"))
    slope, height = np.polyfit(share, value, 1)
    line = scatter.spec["layer"][2]["data"]["values"]
    assert [end["value"] for end in line] == pytest.approx([height, height + 78 * slope], abs=1e-6)
    distances = {point["named"]: abs(point["value"] - height - slope * point["share"]) for point in points}
    chosen = {row["named"] for row in rows(surprising)}
    assert len(chosen) == 15
    others = max(distance for name, distance in distances.items() if name not in chosen)
    assert min(distances[name] for name in chosen) >= others - 1e-9
    assert surprising.name != ends.name


def test_items_are_counted_once_and_no_bar_holds_both_signs() -> None:
    result = page_result(items=500)
    (figure,) = distribution_figures(measured(result))
    known = result.items["score"].dropna()
    assert sum(row["items"] for row in rows(figure)) == len(known)
    assert not any(row["from"] < -1e-9 and row["to"] > 1e-9 for row in rows(figure))
    below = sum(row["items"] for row in rows(figure) if row["to"] <= 1e-9)
    assert below == (known < 0).sum()
    assert below == sum(row["items"] for row in rows(figure) if row["sign"] == "towards women")
    assert figure.title == f"{len(known)} sentences: {len(known) - below} towards men, {below} towards women"
    drawn = vl_convert.vegalite_to_svg(figure.spec)
    assert all(f">{sign}</text>" in drawn for sign in ("towards women", "towards men"))


@pytest.mark.parametrize(
    ("score", "sign"), [(0.0, "towards men"), (-2.0, "towards women"), (0.7, "towards men")]
)
def test_items_of_one_score_are_one_bar(score: float, sign: str) -> None:
    result = page_result()
    result.items["score"] = score
    (figure,) = distribution_figures(measured(result))
    held = {row["sign"]: row["items"] for row in rows(figure) if row["items"]}
    assert held == {sign: len(result.items)}


def test_scores_take_their_sides_from_a_mean_of_scores_not_from_a_contrast() -> None:
    """The first quantity may compare two classes, whose sides say nothing of one score."""
    result = page_result()
    one, other = result.items["category"].unique()[:2]
    contrast = Quantity("contrast", "contrast", 0.05, contrast=Contrast("category", one, other))
    result.provenance["quantities"].insert(0, replace(contrast, sides=("kinder", "harsher")).to_record())
    (figure,) = distribution_figures(measured(result))
    assert "towards men" in figure.title
    assert figure.spec["layer"][0]["encoding"]["x"]["title"] == "← women · times · men →"


def test_a_score_of_zero_is_not_drawn_below_it() -> None:
    result = page_result()
    result.items["score"] = np.where(np.arange(len(result.items)) % 2, 0.0, -1.0)
    (figure,) = distribution_figures(measured(result))
    below = sum(row["items"] for row in rows(figure) if row["sign"] == "towards women")
    assert below == (result.items["score"] < 0).sum()


def test_models_are_told_apart_by_colour_in_every_chart() -> None:
    both = measured(page_result("m/one"), page_result("m/two", shift=0.3))
    for figure in figures_of(both):
        assert {row["model"] for row in rows(figure)} == {"one", "two"}
        assert "one" in figure.alt
        assert "two" in figure.alt


def test_groups_and_categories_of_a_corpus_are_crossed() -> None:
    """Levels that hold the mark between names are looked up, not taken apart."""
    cells = {("north x east", "family"): 0.3, ("north x east", "career"): -0.1, ("south", "family"): 0.2}
    estimates = [Estimate("difference", 0.1, 0.0, 0.2, n=9, label="difference", headline=True)]
    for by, levels in {"paper": ("north x east", "south"), "category": ("family", "career")}.items():
        estimates += [Estimate("difference", 0.1, 0.0, 0.2, n=9, groups={by: level}) for level in levels]
    estimates += [
        Estimate(
            "difference", value, value - 0.1, value + 0.1, n=5, groups={"paper": paper, "category": category}
        )
        for (paper, category), value in cells.items()
    ]
    result = page_result(instrument="contexts")
    result.estimates = estimates_table(estimates)
    (figure,) = corpus_figures(measured(result))
    drawn = {(row["group"], row["category"]): row["value"] for row in rows(figure)}
    assert drawn == pytest.approx(cells)
    assert corpus_figures(measured(page_result())) == []


def test_nothing_to_draw_is_no_chart() -> None:
    result = page_result()
    result.estimates = estimates_table([])
    result.items = pd.DataFrame({"item": ["a"], "score": [1.0], "dropped": [""]})
    assert figures_of(measured(result)) == []


def test_where_no_headline_is_split_the_first_number_that_is_gets_drawn() -> None:
    result = page_result()
    whole = Estimate("mean-effect", 0.1, 0.0, 0.2, n=9, headline=True)
    tests = [Estimate("effect", 0.1, 0.0, 0.2, n=9, groups={"test": name}) for name in ("one", "two")]
    result.estimates = estimates_table([whole, *tests])
    (figure,) = group_figures(measured(result))
    assert figure.title == "effect, by test: from 0.1 (one) to 0.1 (two)"


def test_a_point_of_skew_that_is_not_meaningful_is_seen() -> None:
    ends = {
        f"{name}_{end}": value for name in ("skew", "stereotype") for end, value in (("low", 1), ("high", 9))
    }
    row = {"model": "one", "skew": 5.0, "stereotype": 4.0, "ability": 40.0, "n": 9, "is_meaningful": False}
    figure = skew_figure("skew", [row | ends])
    assert figure is not None
    (mark,) = re.findall(
        r'<path[^>]*aria-roledescription="point"[^>]*>', vl_convert.vegalite_to_svg(figure.spec)
    )
    assert 'fill-opacity="0"' in mark
    assert re.search(r'stroke="#[0-9A-Fa-f]{6}"', mark)


@pytest.mark.parametrize(
    ("data", "file", "whose"),
    [
        ("equipoise-persons-de", "person-professions.csv", "in the United States"),
        ("bec-pro", "BEC-Pro_EN_2020.tsv", "in the United States"),
        ("bec-pro-de", "BEC-Pro_DE.tsv", "in Germany"),
        ("my/BEC-Pro_DE.tsv", "BEC-Pro_DE.tsv", "in Germany"),
        ("my/professions.csv", "professions.csv", "as the data give it"),
    ],
)
def test_the_share_of_women_says_whose_it_is(data: str, file: str, whose: str) -> None:
    result = page_result()
    told = result.provenance["data"] | {"name": data, "files": {file: "a" * 64}}
    result = Result(result.instrument, result.items, result.estimates, result.provenance | {"data": told})
    ends, scatter, _ = profession_figures(measured(result))
    assert scatter.spec["layer"][1]["encoding"]["x"]["title"].endswith(whose)
    colour = ends.spec["layer"][0]["encoding"]["color"]
    assert "".join(colour["legend"]["title"]).endswith(whose)


def test_a_missing_share_of_women_is_not_drawn_as_no_women() -> None:
    result = page_result()
    result.items.loc[result.items["profession"] == result.items["profession"].iloc[0], "percent_women"] = None
    ends = profession_figures(measured(result))[0]
    assert ends.spec["layer"][0]["encoding"]["color"]["legend"]["title"][-1] == "hollow bars: no figure"
    drawn = vl_convert.vegalite_to_svg(with_title(ends))
    bars = re.findall(r'<path aria-label="[^"]*"[^>]*aria-roledescription="bar"[^>]*>', drawn)
    assert [" fill=" in bar for bar in bars] == [False] + [True] * (len(bars) - 1)
