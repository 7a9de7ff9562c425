"""The files that a document shows: a fenced block under each heading that ends in a file's name."""

import re
from dataclasses import dataclass
from pathlib import Path

_HEADING = re.compile(r"^#{2,3} .*`([\w-]+\.(?:csv|txt))`$", re.MULTILINE)
_NEXT_HEADING = re.compile(r"^#{2,3} ", re.MULTILINE)
_FENCE = re.compile(r"^```(?:csv|text)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_COLUMN = re.compile(r"^\| `(\w+)` \| (required|optional) \|", re.MULTILINE)


@dataclass(frozen=True)
class FencedFile:
    """A file to copy, and the columns that the document says it must and may have."""

    name: str
    text: str
    required: frozenset[str]
    optional: frozenset[str]

    def write(self, folder: Path) -> Path:
        """Write the file under its own name, as a user would who copies it."""
        path = folder / self.name
        path.write_text(self.text, encoding="utf-8")
        return path


def fenced_files(document: Path) -> dict[str, FencedFile]:
    """Every file of a document by its name."""
    text = document.read_text(encoding="utf-8")
    files = {}
    for heading in _HEADING.finditer(text):
        following = _NEXT_HEADING.search(text, heading.end())
        section = text[heading.end() : following.start() if following else len(text)]
        blocks = _FENCE.findall(section)
        assert len(blocks) == 1, f"{heading[1]} has {len(blocks)} fenced blocks"
        assert heading[1] not in files, f"{heading[1]} stands twice in the document"
        required, optional = (_columns(section, kind) for kind in ("required", "optional"))
        files[heading[1]] = FencedFile(heading[1], blocks[0], required, optional)
    return files


def _columns(section: str, kind: str) -> frozenset[str]:
    return frozenset(name for name, said in _COLUMN.findall(section) if said == kind)


def fenced_blocks(text: str) -> list[tuple[str, str]]:
    """The language and the content of every fenced block, in the order of the document."""
    return re.findall(r"^```([^\n`]*)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
