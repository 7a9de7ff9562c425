"""The page in a real browser: it opens, can be read and used anywhere, and runs nothing that a text says."""

import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from report_results import HOSTILE, HOSTILE_NAME, page_result
from study_tables import TABLES

from equipoise.report.page import render
from equipoise.report.sections import Study
from equipoise.results.records import shown

HERE = ("file:", "blob:", "data:", "http://127.0.0.1")
OPEN_WITHIN, MANY_OPEN_WITHIN, SEARCH_WITHIN = 2.0, 4.0, 0.1
"""Seconds of the page's own work, as the issue of a slow page counts them."""

Open = Callable[..., Any]


@pytest.fixture(scope="module")
def page_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("page") / "page.html"
    path.write_text(render([page_result(HOSTILE_NAME)]), encoding="utf-8")
    return path


def scroll_through(page: Any) -> None:
    """Bring every chart into view, so that all of them are drawn."""
    for figure in page.query_selector_all("figure[data-chart]"):
        figure.scroll_into_view_if_needed()
        page.wait_for_function("figure => figure.querySelector('svg') !== null", arg=figure)


@pytest.mark.parametrize("width", [1280, 360])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_opens_without_a_complaint_and_loads_nothing(
    width: int, scheme: str, page_file: Path, opened: Open
) -> None:
    seen = opened(page_file, width=width, scheme=scheme)
    scroll_through(seen.page)
    assert seen.complaints == []
    assert all(url.startswith(HERE) for url in seen.requests)
    charts = seen.page.query_selector_all("figure[data-chart]")
    drawn = seen.page.query_selector_all("figure[data-chart] svg")
    assert len(charts) == len(drawn) == 5
    for drawing in drawn:
        assert drawing.bounding_box()["width"] <= width
    # Nothing sticks out to the side: what is wider scrolls in a box of its own.
    assert seen.page.evaluate("document.documentElement.scrollWidth") <= width


AXE = Path(sys.prefix) / "node_modules" / "axe-core" / "axe.min.js"


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("models", [1, 2, 5])
def test_axe_finds_no_serious_fault(scheme: str, models: int, opened: Open, tmp_path: Path) -> None:
    if not AXE.is_file():
        pytest.skip("needs axe-core: run `make browser-test` with npm")
    results = [page_result(f"m/{place}", shift=place / 5) for place in range(models)]
    path = tmp_path / "page.html"
    path.write_text(render(results), encoding="utf-8")
    page = opened(path, scheme=scheme).page
    scroll_through(page)
    page.evaluate(AXE.read_text(encoding="utf-8"))
    faults = page.evaluate("async () => (await axe.run()).violations")
    told = [
        (fault["id"], node["target"])
        for fault in faults
        if fault["impact"] in ("serious", "critical")
        for node in fault["nodes"]
    ]
    assert told == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_stands_out_from_its_ground(scheme: str, page_file: Path, opened: Open) -> None:
    """Contrast of at least 4.5 to 1, by the formula of WCAG, of text and of the words in a chart."""
    page = opened(page_file, scheme=scheme).page
    scroll_through(page)
    colours = page.evaluate(
        """() => ['body', '.note', 'caption', 'a', 'summary', '.plot svg text'].map((name) => {
          const found = document.querySelector(name);
          const style = getComputedStyle(found);
          const ground = getComputedStyle(document.body).backgroundColor;
          return [name.includes('svg') ? style.fill : style.color, ground];
        })"""
    )
    for ink, ground in colours:
        assert contrast(ink, ground) >= 4.5, (ink, ground)


def contrast(one: str, other: str) -> float:
    def luminance(colour: str) -> float:
        parts = [int(float(part)) / 255 for part in colour[colour.index("(") + 1 : -1].split(",")[:3]]
        linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def test_hostile_text_is_shown_and_never_run(page_file: Path, opened: Open) -> None:
    seen = opened(page_file)
    page = seen.page
    page.select_option("#filter", "every")
    page.select_option("#order", "given")
    shown = page.eval_on_selector_all(
        "#list summary bdi:first-child", "found => found.map(one => one.textContent)"
    )
    assert shown[:3] == list(HOSTILE[:3])
    assert shown[3].startswith(HOSTILE[3][:4000])
    assert shown[4] == HOSTILE[4]
    assert "<b onmouseover" in page.text_content(".about")
    for details in page.query_selector_all("#list details")[:5]:
        details.evaluate("one => one.open = true")
    scroll_through(page)
    page.hover("h1")
    assert page.evaluate("window.hit") is None
    assert page.query_selector("h1 b, .about b b, #list img, #list script, td u") is None
    assert seen.complaints == []
    assert page.evaluate("document.documentElement.scrollWidth") <= 1280


def test_a_script_that_slips_in_is_not_run(page_file: Path, opened: Open, tmp_path: Path) -> None:
    """The policy of the page names its two scripts: another one is refused by the browser itself."""
    meddled = tmp_path / "meddled.html"
    text = page_file.read_text(encoding="utf-8")
    meddled.write_text(text.replace("</h1>", "</h1><script>window.hit = 9</script>"), encoding="utf-8")
    seen = opened(meddled)
    assert seen.page.evaluate("window.hit") is None
    assert any("Content Security Policy" in complaint for complaint in seen.complaints)


def test_searching_filtering_and_ordering_items(page_file: Path, opened: Open) -> None:
    result = page_result(HOSTILE_NAME)
    page = opened(page_file).page
    known = result.items[result.items["dropped"] == ""]
    strongest = known.loc[known["score"].abs().idxmax()]
    first_score = "#list tbody tr:first-child td.n"
    assert page.text_content(first_score) == f"{strongest['score']:.3f}"
    page.select_option("#order", "lowest")
    assert page.text_content(first_score) == f"{known['score'].min():.3f}"
    page.fill("#search", "WORKER 7 day 47.")
    assert page.text_content("#count") == "1 of 120 sentences"
    assert page.text_content("#list tbody td.text bdi") == result.items["stereotype"].iloc[52]
    page.fill("#search", "")
    page.select_option("#filter", label="office")
    assert page.text_content("#count") == f"{(result.items['category'] == 'office').sum()} of 120 sentences"
    page.select_option("#filter", "dropped")
    assert page.text_content("#count") == "3 of 120 sentences"
    assert page.text_content(first_score) == "-"
    page.fill("#search", "nothing like this")
    assert page.text_content("#count") == "0 of 120 sentences"


@pytest.mark.parametrize("score", [-0.0, 0.0, -0.00021, 0.0000123, -0.0042, 0.002, -0.0149, 12.34, -1.5])
def test_a_score_is_written_as_numbers_are_elsewhere(score: float, opened: Open, tmp_path: Path) -> None:
    result = page_result(items=20)
    result.items.loc[12, "score"] = score
    path = tmp_path / "page.html"
    path.write_text(render([result]), encoding="utf-8")
    page = opened(path).page
    page.fill("#search", "day 7.")
    assert page.text_content("#count") == "1 of 20 sentences"
    assert page.text_content("#list tbody td.n") == shown(score)


def test_nothing_of_a_chart_sticks_out_on_a_phone(opened: Open, tmp_path: Path) -> None:
    """Titles and legends end where the drawing does: what lies outside of it is cut off."""
    result = page_result(items=60)
    changes = {"unit": "P(male) - P(female)", "label": "mean |APPD| of professions"}
    result.estimates = result.estimates.assign(**changes).replace("medical", "gendered-occupation")
    path = tmp_path / "page.html"
    path.write_text(render([result]), encoding="utf-8")
    page = opened(path, width=360).page
    scroll_through(page)
    outside = page.evaluate(
        """() => [...document.querySelectorAll('.plot svg')].flatMap((drawing) => {
          const edge = drawing.getBoundingClientRect();
          return [...drawing.querySelectorAll('text')].filter((text) => {
            const box = text.getBoundingClientRect();
            return box.width && (box.right > edge.right + 1 || box.left < edge.left - 1);
          }).map((text) => text.textContent);
        })"""
    )
    assert outside == []


def test_a_number_with_an_exponent_is_not_broken(opened: Open, tmp_path: Path) -> None:
    result = page_result(items=20)
    result.provenance["sentences"] = ["The lean is <b> " + "-6.0e-05 and " * 40]
    path = tmp_path / "page.html"
    path.write_text(render([result]), encoding="utf-8")
    page = opened(path, width=360).page
    heights = page.eval_on_selector_all(".said .whole", "all => all.map(one => one.getClientRects().length)")
    assert heights == [1] * 40
    assert "<b>" in page.text_content(".said li")


def test_tokens_are_coloured_by_what_they_add(page_file: Path, opened: Open) -> None:
    """Every word adds -1.0 on one side and -1.5 on the other: +0.5, towards the first sentence."""
    page = opened(page_file).page
    page.fill("#search", "day 47.")
    page.click("#list summary")
    page.wait_for_selector("#list .tokens")
    words = page.query_selector_all("#list .tokens")[0].query_selector_all("span")
    assert [word.text_content() for word in words] == [
        "The",
        "worker",
        "7",
        "lost",
        "her",
        "keys",
        "on",
        "day",
        "47.",
    ]
    assert {word.get_attribute("class") for word in words} == {"above"}
    assert words[0].get_attribute("title") == "adds 0.500; ln P -1.000"


def test_all_of_it_by_keyboard(page_file: Path, opened: Open) -> None:
    page = opened(page_file).page
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    reached = set()
    for _ in range(200):
        page.keyboard.press("Tab")
        reached.add(page.evaluate("document.activeElement.id || document.activeElement.tagName"))
        if page.evaluate("document.activeElement.id") == "search":
            break
    assert {"A", "SUMMARY", "DIV", "measurement", "search"} <= reached
    page.keyboard.type("day 47.")
    assert page.text_content("#count") == "1 of 120 sentences"
    for _ in range(10):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.tagName") == "SUMMARY":
            break
    page.keyboard.press("Enter")
    page.wait_for_selector("#list .tokens")
    # What has the focus is seen to have it.
    assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"


def test_pages_of_items_go_on_and_back(page_file: Path, opened: Open) -> None:
    page = opened(page_file).page
    page.select_option("#filter", "every")
    assert page.text_content("#place") == "page 1 of 5"
    assert page.is_disabled("#back")
    for _ in range(4):
        page.click("#on")
    assert page.text_content("#place") == "page 5 of 5"
    assert page.is_disabled("#on")
    assert len(page.query_selector_all("#list tbody tr")) == 20


def test_everything_is_drawn_before_it_is_printed(page_file: Path, opened: Open, tmp_path: Path) -> None:
    seen = opened(page_file, height=400)
    assert len(seen.page.query_selector_all("figure svg")) < 5
    seen.page.pdf(path=str(tmp_path / "page.pdf"))
    assert len(seen.page.query_selector_all("figure svg")) == 5
    assert seen.complaints == []
    assert (tmp_path / "page.pdf").stat().st_size > 20_000


@pytest.fixture(scope="module")
def study_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A page of nothing but studies, with a title that would like to be run."""
    studies = [
        Study(name, f"{name}: <script>window.hit = 4</script>", ("Said.",), tables)
        for name, tables in TABLES.items()
    ]
    path = tmp_path_factory.mktemp("studies") / "page.html"
    path.write_text(render([], studies), encoding="utf-8")
    return path


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (360, "dark")])
def test_sections_of_every_study(width: int, scheme: str, study_file: Path, opened: Open) -> None:
    seen = opened(study_file, width=width, scheme=scheme)
    scroll_through(seen.page)
    assert seen.complaints == []
    assert seen.page.evaluate("window.hit") is None
    drawn = seen.page.eval_on_selector_all("section:has(figure svg)", "parts => parts.map(part => part.id)")
    assert drawn == list(TABLES)
    assert seen.page.evaluate("document.documentElement.scrollWidth") <= width


def test_a_reader_stays_where_a_link_led(study_file: Path, opened: Open) -> None:
    """Charts above are drawn on the way there and take another height; the list of parts stays on top."""
    page = opened(study_file).page
    page.click("nav a[href='#before-after']")
    page.wait_for_selector("#before-after figure svg")
    page.wait_for_timeout(500)
    assert abs(page.evaluate("document.getElementById('before-after').getBoundingClientRect().top")) < 60


def test_twenty_thousand_items(opened: Open, tmp_path: Path) -> None:
    path = tmp_path / "large.html"
    path.write_text(render([page_result(items=20_000)]), encoding="utf-8")
    assert path.stat().st_size < 6_000_000
    began = time.monotonic()
    page = opened(path).page
    assert time.monotonic() - began < 3 * OPEN_WITHIN  # with a window to be made, on a busy machine
    assert page.evaluate("Number(document.documentElement.dataset.ready)") < 1000 * OPEN_WITHIN
    page.select_option("#filter", "every")
    taken = []
    for words in ("w", "worker 1", "day 19999", "nowhere"):
        page.fill("#search", words)
        taken.append(page.evaluate("Number(document.getElementById('count').dataset.milliseconds)"))
    assert page.text_content("#count") == "0 of 20,000 sentences"
    assert min(taken) < sorted(taken)[2] < 1000 * SEARCH_WITHIN, taken


@pytest.mark.slow
def test_ten_models_by_eight_instruments(opened: Open, tmp_path: Path) -> None:
    results = [
        page_result(
            f"m/model {model}", instrument=f"instrument-{number}", items=300, shift=model / 20, seed=number
        )
        for model in range(10)
        for number in range(8)
    ]
    for result in results:
        result.provenance["model"]["fingerprint"] = f"print of {result.model}"
    path = tmp_path / "many.html"
    path.write_text(render(results), encoding="utf-8")
    assert path.stat().st_size < 6_000_000
    began = time.monotonic()
    seen = opened(path)
    assert time.monotonic() - began < 3 * MANY_OPEN_WITHIN
    assert seen.page.evaluate("Number(document.documentElement.dataset.ready)") < 1000 * MANY_OPEN_WITHIN
    scroll_through(seen.page)
    assert seen.complaints == []
    assert seen.page.query_selector("#between h2").text_content() == "Between the models"
