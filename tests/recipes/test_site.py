"""The site: every page is there, every link leads somewhere, nothing is loaded from elsewhere."""

import re
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

import equipoise
from equipoise.instruments import INSTRUMENTS
from equipoise.mitigations import MITIGATIONS
from recipes.site.building import BrokenLinkError, build, slug

WRITTEN = {"main", "h1", "h2", "h3", "p", "strong", "em", "code", "pre", "div", "ul", "ol", "li", "a"}
WRITTEN |= {"table", "thead", "tbody", "tr", "th", "td"}
ROOT = Path(__file__).resolve().parents[2]


class Links(HTMLParser):
    """The addresses and anchors of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.addresses: list[str] = []
        self.loaded: list[str] = []
        self.anchors: set[str] = set()

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        for name, value in attributes:
            if name == "id":
                self.anchors.add(str(value))
            elif name == "href" and tag == "a":
                self.addresses.append(str(value))
            elif name in ("href", "src"):
                self.loaded.append(str(value))


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("docs") / "site"
    build(ROOT, folder)
    return folder


def read(path: Path) -> Links:
    links = Links()
    links.feed(path.read_text(encoding="utf-8"))
    return links


def test_every_link_leads_somewhere_and_nothing_is_loaded_from_elsewhere(site: Path) -> None:
    pages = {path: read(path) for path in site.rglob("*.html") if "files" not in path.parts}
    assert len(pages) > 40
    for path, links in pages.items():
        assert all((path.parent / address).resolve().is_file() for address in links.loaded), path
        for address in links.addresses:
            parts = urlsplit(address)
            if parts.scheme:
                assert parts.scheme in ("http", "https")
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            assert target.is_file(), f"{path.name}: {address}"
            if parts.fragment and target in pages:
                assert parts.fragment in pages[target].anchors, f"{path.name}: {address}"


def test_the_reference_is_complete(site: Path) -> None:
    for name in INSTRUMENTS:
        assert "Limits." in (site / "reference" / f"{name}.html").read_text(encoding="utf-8"), name
    for name in MITIGATIONS:
        assert (site / "reference" / f"mitigation-{name}.html").exists()
    python = read(site / "reference" / "python.html")
    assert {name.lower() for name in equipoise.__all__} <= python.anchors
    commands = (site / "reference" / "commands.html").read_text(encoding="utf-8")
    for name in ("probe", "measure", "audit", "compare", "check", "app", "study models", "cache info"):
        assert f">equipoise {name}</h2>" in commands
    assert "--fail-if" in commands


def test_every_page_of_the_folder_is_in_the_site(site: Path) -> None:
    listed = read(site / "index.html").addresses
    for path in (ROOT / "docs").glob("*.md"):
        assert f"{path.stem}.html" in listed


def test_what_stands_in_a_card_is_text(site: Path) -> None:
    """A card's `<profession>` is shown, not swallowed as a tag."""
    for path in (site / "reference").glob("*.html"):
        text = path.read_text(encoding="utf-8")
        body = text[text.index('<main id="content">') :]
        tags = set(re.findall(r"<([a-z][a-z0-9]*)", body))
        assert tags <= WRITTEN, path


def test_a_broken_link_is_refused(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    for text, said in (("[x](nowhere.md)", "is not there"), ("[x](#nothing)", "no such heading")):
        (tmp_path / "README.md").write_text(f"# Name\n\n{text}\n", encoding="utf-8")
        with pytest.raises(BrokenLinkError, match=said):
            build(tmp_path, tmp_path / "out")
        assert not (tmp_path / "out").exists()
    (tmp_path / "README.md").write_text("# A `b`, c!\n\n[x](#a-b-c)\n", encoding="utf-8")
    build(tmp_path, tmp_path / "out")
    assert slug("A b, c!") == "a-b-c"
    assert not list(tmp_path.glob(".site-*"))
