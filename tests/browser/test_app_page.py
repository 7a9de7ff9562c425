"""The app in a real browser: wide and narrow, light and dark, by keyboard, and nothing leaves the machine."""

import shutil
from collections.abc import Iterator
from typing import Any

import pytest
from app_client import running_app
from report_results import HOSTILE_NAME, page_result

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
playwright = pytest.importorskip("playwright.sync_api", reason="needs playwright: make browser-test")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="needs chromium: make browser-test")

HOSTILE = "<img src=x onerror=document.title='run'></script><script>document.title='run'</script>\u202e"
PAIRS = "category,stereotype,counterpart\n" + "".join(
    f'occupation,"The {word} says {HOSTILE.replace(chr(34), "")} that he left.",'
    f'"The {word} says {HOSTILE.replace(chr(34), "")} that she left."\n'
    for word in ("doctor", "nurse", "teacher", "farmer", "chef", "pilot")
)


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with playwright.sync_playwright() as driver:
        opened = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield opened
        opened.close()


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("app")
    page_result(HOSTILE_NAME, items=20).save(folder / "results" / "<u>hostile<u>")
    with running_app(folder) as server:
        yield server.address


@pytest.fixture(params=[(1200, "light"), (360, "dark")], ids=["wide-light", "narrow-dark"])
def page(request: pytest.FixtureRequest, browser: Any, address: str) -> Iterator[Any]:
    """The app's page; at the end no error was logged and no request left the machine."""
    width, scheme = request.param
    opened = browser.new_page(viewport={"width": width, "height": 800}, color_scheme=scheme)
    opened.set_default_timeout(120_000)  # a model is loaded for each answer, and the machine may be busy
    logged: list[str] = []
    asked: list[str] = []
    opened.on("console", lambda message: logged.append(message.text))
    opened.on("pageerror", lambda error: logged.append(str(error)))
    opened.on("request", lambda sent: asked.append(sent.url))
    opened.goto(address)
    opened.wait_for_selector("body[data-ready]")
    yield opened
    assert opened.evaluate("document.documentElement.scrollWidth") <= width
    assert opened.title() == "Equipoise"
    opened.close()
    assert asked
    assert all(url.startswith(address.partition("?")[0]) for url in asked)
    assert [text for text in logged if "400" not in text] == []


def test_two_models_side_by_side(page: Any) -> None:
    page.check("#probe input[value='random:2']")
    page.fill("#probe-words", "he, she")
    page.click("#probe form > button")
    page.wait_for_selector("#probe article:nth-of-type(2)")
    assert page.locator("#probe article h2").all_inner_texts() == ["random weights", "random:2"]
    assert page.locator("#probe article:first-of-type table").first.locator("meter").count() == 2
    page.click("#tab-sentences")
    page.click("#sentences form > button")
    page.wait_for_selector("#sentences article")
    assert page.locator("#sentences .differs").count() == 2


def test_a_measurement_with_its_bar_and_its_result(page: Any) -> None:
    page.click("#tab-measure")
    page.select_option("#measure-instrument", "traits")
    page.click("#measure form > button")
    page.wait_for_selector("#measure article table")
    assert "random weights" in page.inner_text("#measure .finding h2")
    assert "competent rather than incompetent" in page.inner_text("#measure .jobs")
    page.click("#tab-results")
    page.click("#results summary >> text=traits")
    page.wait_for_selector("#results table")
    with page.expect_popup() as popup:
        page.locator("#results a", has_text="Open the page").first.click()
    popup.value.wait_for_load_state()
    assert "traits" in popup.value.inner_text("body")
    assert popup.value.evaluate("self.origin") == "null"


def test_numbers_and_words_of_a_table_are_whole(page: Any) -> None:
    """No word of a label is broken."""
    page.click("#tab-measure")
    page.select_option("#measure-instrument", "traits")
    page.click("#measure form > button")
    page.wait_for_selector("#measure article table")
    broken = page.evaluate(
        """() => [...document.querySelectorAll('#measure article tbody td:first-child')].flatMap((cell) => {
          const text = cell.firstChild, range = document.createRange();
          return [...text.data.matchAll(/\\w+/g)].filter((word) => {
            range.setStart(text, word.index);
            range.setEnd(text, word.index + word[0].length);
            return range.getClientRects().length > 1;
          }).map((word) => word[0]);
        })"""
    )
    assert broken == []


def test_it_opens_on_an_answer_and_an_error_takes_the_old_one_away(page: Any) -> None:
    page.wait_for_selector("#probe article")
    assert "probability" in page.inner_text("#probe article")
    page.fill("#probe-text", "no blank")
    page.click("#probe form > button")
    page.wait_for_selector("#trouble:not([hidden])")
    assert page.locator("#probe article").count() == 0


def test_two_results_are_compared(page: Any) -> None:
    page.click("#tab-measure")
    for model in ("random weights", "random:2"):
        page.fill("#measure-model", model)
        page.select_option("#measure-instrument", "traits")
        page.click("#measure form > button")
        page.wait_for_selector(f"#measure .finding h2 >> text={model}")
    page.click("#tab-results")
    boxes = page.locator("#results .past", has_text="traits").locator("input")
    boxes.nth(0).check()
    assert page.is_disabled("#compare")
    boxes.nth(1).check()
    page.click("#compare")
    page.wait_for_selector("#compared .finding")
    assert page.locator("#compared tbody tr").count() >= 2


def test_what_a_model_cannot_be_asked_is_not_offered(page: Any) -> None:
    page.click("#tab-measure")
    page.wait_for_selector("#measure-unfit:not(:empty)")
    assert page.locator("#measure-instrument option[value=counterfactual-gap]").is_disabled()
    page.select_option("#measure-instrument", "weat")
    page.click("#measure-choices summary")
    page.fill("[data-choice=layer]", "0")
    page.click("#measure form > button")
    page.wait_for_selector("#measure article table")


def test_a_corpus_and_its_findings(page: Any) -> None:
    page.click("#tab-file")
    page.click("[data-file='news.txt']")
    page.wait_for_selector("#file .finding")
    assert "men" in page.inner_text("#file .finding h2")
    assert page.is_hidden("#file form")
    page.click("[data-file='pairs.csv']")
    page.wait_for_selector("#file form:not([hidden])")
    assert "findings." in page.inner_text("#file .answer")


def test_a_measurement_is_cancelled(page: Any) -> None:
    page.click("#tab-measure")
    page.select_option("#measure-instrument", "stereotype-skew")
    for _ in range(3):
        page.click("#measure form > button")
    page.locator("#measure article button", has_text="Cancel").first.click()
    page.wait_for_selector("#measure article [role=alert]")
    assert "Cancelled" in page.inner_text("#measure article [role=alert]")


def test_hostile_text_is_shown_and_never_run(page: Any) -> None:
    page.click("#tab-file")
    content = {"name": f"{HOSTILE}.csv", "mimeType": "text/csv", "buffer": PAIRS.encode()}
    page.set_input_files("#file-input", files=[content])
    page.wait_for_selector("#file form:not([hidden])")
    assert "<script>" in page.inner_text("#file .answer")
    page.click("#tab-rewrite")
    page.fill("#rewrite-text", f"She {HOSTILE} left. " + "x" * 10_000)
    page.click("#rewrite form > button")
    page.wait_for_selector("#rewrite article")
    assert "<script>" in page.inner_text("#rewritten-text")
    page.click("#tab-probe")
    page.fill("#probe-text", f"{HOSTILE} without a blank")
    page.click("#probe form > button")
    page.wait_for_selector("#trouble:not([hidden])")
    assert "<script>" in page.inner_text("#trouble")
    assert page.locator("script").count() == 1


def test_past_results_with_a_hostile_name(page: Any) -> None:
    page.click("#tab-results")
    past = page.locator("#results details", has_text="<u>hostile<u>")
    past.locator("summary").click()
    page.wait_for_selector("#results table")
    assert "<b onmouseover" in past.inner_text()
    assert page.locator("#results u, #results b").count() == 0


def test_the_keyboard_is_enough(page: Any) -> None:
    page.focus("#tab-probe")
    page.keyboard.press("ArrowLeft")
    assert page.get_attribute("#tab-results", "aria-selected") == "true"
    for _ in range(5):
        page.keyboard.press("ArrowLeft")
    assert page.evaluate("document.activeElement.id") == "tab-probe"
    page.keyboard.press("Tab")
    page.keyboard.press("Control+A")
    page.keyboard.type("[MASK] is a pilot.")
    page.keyboard.press("Enter")
    page.wait_for_selector("#probe caption >> text=pilot")
    assert "[MASK] is a pilot." in page.inner_text("#probe article")


def test_every_field_has_a_name(page: Any) -> None:
    nameless = page.evaluate(
        "[...document.querySelectorAll('input, select, textarea')]"
        ".filter(field => !field.labels.length).map(field => field.outerHTML)"
    )
    assert nameless == []
    assert page.get_attribute("html", "lang") == "en"
