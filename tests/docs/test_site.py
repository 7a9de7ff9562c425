"""The site builds without a warning, has a page for every instrument, and loads nothing from elsewhere."""

import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest

import equipoise as eq
from equipoise.instruments import INSTRUMENTS
from recipes.reference import EXAMPLES, worked_examples

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The built site: one run of Sphinx, some ten seconds of a core, for all tests of this file."""
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "-b", "html", "docs", str(folder)]
    built = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stderr
    return folder


class Loaded(HTMLParser):
    """What a page makes the browser load."""

    def __init__(self) -> None:
        super().__init__()
        self.addresses: list[str] = []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        given = dict(attributes)
        if tag in ("script", "img", "iframe"):
            self.addresses.append(given.get("src") or "")
        elif tag == "link" and given.get("rel") in ("stylesheet", "icon", "preload"):
            self.addresses.append(given.get("href") or "")


def test_every_instrument_has_a_page_with_an_example(site: Path) -> None:
    for name in INSTRUMENTS:
        page = (site / "reference" / f"{name}.html").read_text(encoding="utf-8")
        for heading in ("A worked example", "Limits", "Source"):
            assert heading in page, f"{name} has no part {heading!r}"


def test_nothing_is_loaded_from_elsewhere(site: Path) -> None:
    pages = [*site.rglob("*.html")]
    assert len(pages) > 60
    for path in pages:
        loaded = Loaded()
        loaded.feed(path.read_text(encoding="utf-8"))
        assert not [one for one in loaded.addresses if re.match(r"(https?:)?//", one)], path


def test_the_search_knows_the_instruments(site: Path) -> None:
    index = (site / "searchindex.js").read_text(encoding="utf-8")
    assert all(f'"reference/{name}"' in index for name in INSTRUMENTS)


def test_the_probabilities_of_the_examples_are_those_of_the_built_in_model() -> None:
    text = EXAMPLES.read_text(encoding="utf-8")
    assert set(worked_examples(text)) == set(INSTRUMENTS)
    rows = re.findall(r"^\| `([^`]*\[MASK\][^`]*)` \| (.*) \|$", text, re.MULTILINE)
    assert len(rows) > 8
    model = eq.load_model()
    for sentence, answer in rows:
        said = {word: int(share) for word, share in re.findall(r"\*(\w+)\* (\d+) %", answer)}
        table = model.fill(sentence, list(said)).set_index("word")["probability"]
        assert {word: round(100 * table[word]) for word in said} == said, sentence
