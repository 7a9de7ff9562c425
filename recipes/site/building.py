"""Building: Markdown to HTML, links made to fit and checked, files that pages link to copied beside them."""

import posixpath
import re
import shutil
import tempfile
from html import escape
from pathlib import Path
from urllib.parse import unquote

from jinja2 import Environment, FileSystemLoader
from markdown_it import MarkdownIt
from markdown_it.token import Token

from recipes.site.pages import Page, all_pages

HERE = Path(__file__).parent


class BrokenLinkError(Exception):
    """A link that leads nowhere."""


def build(root: Path, out: Path) -> int:
    """Write the site into a folder beside its place, then put it there; how many pages it has."""
    pages = all_pages(root)
    template = Environment(loader=FileSystemLoader(HERE), autoescape=True).get_template("page.html")
    out.parent.mkdir(parents=True, exist_ok=True)
    room = Path(tempfile.mkdtemp(prefix=".site-", dir=out.parent))
    try:
        for page in pages:
            content = _Writer(root, room, page, pages).html()
            target = room / page.target
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(template.render(page=page, pages=pages, content=content), encoding="utf-8")
        shutil.copy(HERE / "site.css", room / "site.css")
        shutil.rmtree(out, ignore_errors=True)
        room.chmod(0o755)
        room.rename(out)
    finally:
        shutil.rmtree(room, ignore_errors=True)
    return len(pages)


def slug(heading: str) -> str:
    """The anchor of a heading, as GitHub makes it."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-")


class _Writer:
    """Turns one page into HTML."""

    def __init__(self, root: Path, room: Path, page: Page, pages: list[Page]) -> None:
        self.root, self.room, self.page = root, room, page
        self.targets = {other.source: other for other in pages}
        self.markdown = MarkdownIt("commonmark", {"html": False}).enable("table")

    def html(self) -> str:
        """The page's content, with anchors on its headings and links that work in the site."""
        tokens = self.markdown.parse(self.page.text)
        for place, token in enumerate(tokens):
            if token.type == "heading_open":
                token.attrSet("id", slug(tokens[place + 1].content.replace("`", "")))
            for child in token.children or ():
                self._fit(child)
        text: str = self.markdown.renderer.render(tokens, self.markdown.options, {})
        return text.replace("<table>", '<div class="scroll"><table>').replace("</table>", "</table></div>")

    def _fit(self, token: Token) -> None:
        name = {"link_open": "href", "image": "src"}.get(token.type)
        if name:
            token.attrSet(name, self._address(str(token.attrGet(name))))

    def _address(self, address: str) -> str:
        if re.match(r"https?://|mailto:", address):
            return address
        path, _, anchor = address.partition("#")
        source = posixpath.normpath(posixpath.join(posixpath.dirname(self.page.source), unquote(path)))
        other = self.targets.get(source) if path else self.page
        end = f"#{anchor}" if anchor else ""
        if other is not None:
            self._check_anchor(other, anchor, address)
            return self.page.up + other.target + end
        return self.page.up + self._copied(source, address) + end

    def _check_anchor(self, other: Page, anchor: str, address: str) -> None:
        headings = re.findall(r"^#{1,6} (.+)$", other.text, re.MULTILINE)
        if anchor and anchor not in {slug(heading.replace("`", "")) for heading in headings}:
            raise BrokenLinkError(f"{self.page.source} links to {address}, which has no such heading")

    def _copied(self, source: str, address: str) -> str:
        """A file of the repository that a page links to, such as a figure or a table of measurements."""
        path = self.root / source
        if source.startswith("..") or not path.is_file():
            raise BrokenLinkError(f"{self.page.source} links to {escape(address)}, which is not there")
        target = self.room / "files" / source
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, target)
        return f"files/{source}"
