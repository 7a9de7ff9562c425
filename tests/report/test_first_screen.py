"""The first screen: places, words and marks are those of the numbers, for one model, several, and many."""

import math
import re
from dataclasses import replace

import pandas as pd
import pytest
from report_results import page_result

from equipoise.report.examples import Example
from equipoise.report.page import contents_of, render
from equipoise.report.page import screen as first_screen
from equipoise.report.page.contents import Contents
from equipoise.report.page.gauges import axis_of, gauge
from equipoise.report.page.screen import TABLE, percent, reference_rows, shown_example
from equipoise.results import Quantity, Result
from equipoise.results.quantity import STEREOTYPED, TOWARDS
from equipoise.results.reading import Measured

GAP = Quantity("gap", "GAP", 0.05, sides=TOWARDS, name="gap").of_poles("male", "female")
GUARD = Quantity(
    *("guard", "guard", 0.1),
    better="higher",
    part="guard",
    name="knows gendered words",
    question="guard",
    headline=True,
    enough=0.3,
)


def page_of(*results: Result) -> Contents:
    return contents_of(results)


def models(*shifts: float) -> list[Result]:
    results = [page_result(f"/somewhere/anna/m{place}", shift=shift) for place, shift in enumerate(shifts)]
    for result in results:
        result.estimates["void"] = ""
    return results


@pytest.mark.parametrize(("value", "at"), [(0.5, 75), (-0.5, 25), (0.0, 50), (1.0, 100)])
def test_a_gap_stands_where_it_is_between_women_and_men(value: float, at: float) -> None:
    drawn = gauge(Measured(value, value, value), GAP, "", is_bias=True)
    assert drawn is not None
    assert (drawn.left, drawn.right, drawn.value, drawn.band) == ("women", "men", at, (47.5, 52.5))
    assert [(tick.at, tick.text) for tick in drawn.ticks] == [(25, "50"), (50, "0"), (75, "50")]


def test_numbers_beyond_the_usual_stretch_the_axis_and_none_is_not_drawn() -> None:
    nothing = float("nan")
    assert axis_of([Measured(2.0, 1.0, 3.0)], GAP).place(3.0) == 100
    assert gauge(Measured(nothing, nothing, nothing), GAP, "", is_bias=False) is None
    alone = gauge(Measured(0.2, nothing, nothing), GAP, "", is_bias=True)
    assert alone is not None
    assert not alone.has_interval


def test_sides_that_are_no_people_have_no_colour_of_people() -> None:
    stereotype = replace(GAP, sides=STEREOTYPED)
    drawn = gauge(Measured(0.4, 0.3, 0.5), stereotype, "", is_bias=True)
    assert drawn is not None
    assert (drawn.left, drawn.right, drawn.tone) == ("against the stereotype", "the stereotype", "plain")
    unsure = gauge(Measured(0.4, -0.3, 0.9), GAP, "", is_bias=False)
    assert unsure is not None
    assert unsure.tone == "plain"


@pytest.mark.parametrize(
    ("share", "text"),
    [
        (0.5, "50 %"),
        (0.9971, "99.7 %"),
        (0.0004, "under 0.1 %"),
        (0.012, "1.2 %"),
        (0.0, "0.0 %"),
        (1.0, "100.0 %"),
    ],
)
def test_probabilities_in_percent(share: float, text: str) -> None:
    assert percent(share) == text


def test_what_is_nearly_certain_is_not_called_certain() -> None:
    assert percent(0.99999) == "over 99.9 %"


def test_an_example_with_a_blank_has_a_bar_for_each_word() -> None:
    one = Example("i", ("The rancher took [MASK] hat.",), 0.9, "towards men", (("his", 0.94), ("her", 0.04)))
    shown = shown_example(one)
    assert (shown.before, shown.after, shown.has_blank) == ("The rancher took ", " hat.", True)
    assert [(bar.word, bar.width, bar.tone) for bar in shown.bars] == [
        ("his", 94, "men"),
        ("her", 4, "women"),
    ]


@pytest.mark.parametrize(("value", "first"), [(1.5, "he was"), (-1.5, "she was")])
def test_of_a_pair_the_likelier_sentence_comes_first_with_what_differs_marked(
    value: float, first: str
) -> None:
    shown = shown_example(Example("i", ("Then he was here.", "Then she was here."), value, ""))
    assert shown.pair[0][1] == first.split()[0]
    assert [" ".join(filter(None, parts)) for parts in shown.pair] in (
        ["Then he was here.", "Then she was here."],
        ["Then she was here.", "Then he was here."],
    )


def test_two_models_have_a_slope_with_both_values() -> None:
    page = page_of(*models(0.5, 0.1))
    assert page.several is not None
    assert page.several.is_pair
    (slope,) = page.several.slopes
    assert slope.verdict == "Less biased"
    assert [point.name for point in slope.points] == ["m0", "m1"]
    before, after = slope.points
    assert slope.neutral < after.at < before.at
    values = [one.value("appd") for one in models(0.5, 0.1)]
    ratio = (before.at - slope.neutral) / (after.at - slope.neutral)
    assert ratio == pytest.approx(values[0] / values[1], rel=0.02)
    assert page.several.headline.startswith("m1 is less biased than m0")


def test_a_lost_guard_is_said_before_anything_is_called_better() -> None:
    before, after = models(0.5, 0.1)
    for result, value in ((before, 0.7), (after, 0.0)):
        items = result.items.assign(part="bias")
        known = items.assign(item="g" + items["item"], part="guard", score=value)
        result.items = pd.concat([items, known], ignore_index=True)
        first = replace(result.declared[0], where={"part": "bias"})
        guard = replace(GUARD, where={"part": "guard"}, factors=("template",))
        result.provenance["quantities"] = [first.to_record(), guard.to_record()]
    page = page_of(before, after)
    assert page.several is not None
    assert "but it is broken" in page.several.headline
    marks = [mark for _, held in page.several.knowledge for mark in held]
    assert [mark.state for mark in marks] == ["no"]


def test_few_models_are_ranked_and_equals_share_a_rank() -> None:
    """The third model is the second one on other sentences drawn from the same distribution."""
    third = page_result("m/m2", shift=0.1, seed=1)
    third.estimates["void"] = ""
    page = page_of(*models(0.8, 0.1), third)
    assert page.several is not None
    ranks = {place.model: place.rank for place in page.several.ranks}
    assert ranks == {"m0": "3", "m1": "1 (shared)", "m2": "1 (shared)"}
    assert page.several.headline.startswith("m1 and m2 show the least bias of 3 models")


def test_many_models_are_counted_beside_the_first() -> None:
    page = page_of(*models(1.0, 0.0, 0.01, 0.02, 0.03, 2.0))
    assert page.several is not None
    assert page.several.headline == "Compared with m0, 4 of 5 models are less biased and 1 is more biased."
    assert page.several.ranks == ()
    (slope,) = page.several.slopes
    assert len(slope.points) == 6


def test_twenty_models_have_a_first_screen() -> None:
    page = page_of(*models(*(place / 20 for place in range(20))))
    assert page.several is not None
    assert len(page.several.slopes[0].points) == 20
    (known,) = page.several.knowledge
    assert len(known[1]) == 1  # all know what they should, which takes one line


def test_every_link_of_a_page_leads_somewhere_and_no_folder_is_shown() -> None:
    for results in (models(0.3), models(0.3, 0.1), models(0.3, 0.1, 0.2)):
        page = render(results)
        names = set(re.findall(r' id="([^"]+)"', page))
        assert {link for link in re.findall(r'href="#([^"]+)"', page) if link not in names} == set()
        # The made results were created at a time that names the model.
        shown = re.sub(r"<td>[^<]*T12:00:00[^<]*</td>", "", page)
        assert "/somewhere/anna" not in shown


def test_what_a_terminal_would_obey_is_not_in_a_page() -> None:
    result = page_result("m/\x1b[31mred\x07")
    page = render([result])
    assert not re.search(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]", page)
    assert "\ufffd[31mred" in page


def test_nothing_meaningful_is_said_and_shown() -> None:
    result = page_result()
    result.estimates["void"] = "ability is too low"
    (screen,) = page_of(result).screens
    (card,) = screen.cards
    assert (card.answer, card.gauge, card.size, card.certainty) == ("Not meaningful", None, "", "")
    assert "meaningful" in screen.headline


def test_a_causal_model_with_one_instrument_has_a_first_screen() -> None:
    result = page_result()
    result.provenance["model"]["kind"] = "causal"
    (screen,) = page_of(result).screens
    assert len(screen.cards) == 1
    assert len(screen.sentences) >= 3


def test_reference_models_are_shown_only_on_the_same_data(
    monkeypatch: pytest.MonkeyPatch, tmp_path: object
) -> None:
    assert TABLE.is_file()
    other, same = models(0.2, 0.6)
    rows = pd.DataFrame(reference_rows(other.renamed("reference")))
    monkeypatch.setattr(first_screen, "_references", lambda: rows)
    (screen,) = page_of(same).screens
    (line,) = screen.standing
    assert [point.name for point in line.points] == ["this model", "reference"]
    reach = math.log(30)
    assert line.points[1].at == pytest.approx(50 + 50 * other.value("appd") / reach, abs=0.1)
    same.provenance["data"]["files"] = {"items.csv": "b" * 64}
    (screen,) = page_of(same).screens
    assert screen.standing == ()
