"""Pages: which there are, in which order a reader meets them, and what each is called."""

import re
from dataclasses import dataclass
from pathlib import Path

from recipes.site.reference import reference_pages

PARTS = {
    "Start": ("README.md", "docs/getting-started.md", "docs/questions.md", "docs/reading.md", "docs/app.md"),
    "Measure": ("docs/your-own-data.md", "docs/vectors.md", "docs/corpora.md", "docs/rewriting.md"),
    "Mitigate": ("docs/mitigations.md", "docs/mitigating.md", "docs/worked-example.md"),
    "Act": ("docs/report.md", "docs/gate.md", "docs/exports.md"),
}
"""The parts of the site and their pages; one that does not exist is left out."""

MORE, REFERENCE = "More", "Reference"
INDEXES = ("instruments", "mitigations", "data", "commands", "python")


@dataclass(frozen=True)
class Page:
    """One page as Markdown, with the file it came from and where it goes."""

    part: str
    source: str
    target: str
    text: str

    @property
    def title(self) -> str:
        """The first heading."""
        heading = re.search(r"^# (.+)$", self.text, re.MULTILINE)
        return heading[1].replace("`", "").split(":")[0] if heading else Path(self.source).stem

    @property
    def is_listed(self) -> bool:
        """Whether it stands in the list of pages; single cards are found through their index."""
        return self.part != REFERENCE or Path(self.source).stem in INDEXES

    @property
    def up(self) -> str:
        """The way from this page to the top of the site."""
        return "../" * self.target.count("/")


def all_pages(root: Path) -> list[Page]:
    """Every page of the site in its order; pages of `docs/` that no part names come under More."""
    chosen = [
        _page(root, part, name) for part, names in PARTS.items() for name in names if (root / name).exists()
    ]
    named = {page.source for page in chosen}
    rest = sorted(path.relative_to(root).as_posix() for path in (root / "docs").glob("*.md"))
    more = [_page(root, MORE, name) for name in rest if name not in named]
    made = [Page(REFERENCE, name, _target(name), text) for name, text in reference_pages().items()]
    return [*chosen, *more, *made]


def _page(root: Path, part: str, name: str) -> Page:
    return Page(part, name, _target(name), (root / name).read_text(encoding="utf-8"))


def _target(name: str) -> str:
    if name == "README.md":
        return "index.html"
    return name.removeprefix("docs/").removesuffix(".md") + ".html"
