"""A corpus as files of sentences, one file for each group, for what reads its text several times over.

A line is a sentence, its words in lower case between single spaces; an empty line ends a document. The corpus
is read once as a stream; a run that was killed goes on after the last block that was written whole.
"""

import json
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from equipoise.corpora.documents import NO_VALUE, Block, Document, Position, Problem, Problems
from equipoise.corpora.reading import Corpus
from equipoise.corpora.tokens import NO_WORDS, tokens
from equipoise.errors import UserError
from equipoise.files import resumable_writing, write_beside
from equipoise.text.sentences import sentence_spans

NOTE = "sentences.json"
WHOLE = "all"
"""The group of every document where nothing is grouped."""

MOST_GROUPS = 200
Advance = Callable[[int, int], None]


@dataclass
class GroupText:
    """The sentences of a group: the file's name, its bytes, and how much text it is."""

    group: str
    file: str
    size: int = 0
    documents: int = 0
    words: int = 0


@dataclass
class SentenceFiles:
    """All groups in the order of their names, documents without one, and what could not be read."""

    groups: list[GroupText] = field(default_factory=list)
    ungrouped: int = 0
    problems: Problems = field(default_factory=Problems)
    position: Position = field(default_factory=Position)

    def ordered(self) -> list[GroupText]:
        """The groups by name, which for years is by time."""
        return sorted(self.groups, key=lambda one: one.group)


def write_sentences(
    corpus: Corpus, folder: Path, *, by: str | None = None, advance: Advance | None = None
) -> SentenceFiles:
    """Write a file for each group of `by` (None: one of all) into a folder, going on with what is there.

    `advance` is told how many bytes of how many have been read.
    """
    with resumable_writing(folder):
        folder.mkdir(parents=True, exist_ok=True)
    written = _begun(folder)
    for block in corpus.blocks(written.position):
        _add(block, written, folder, by)
        if advance is not None:
            advance(corpus.bytes_before(written.position), corpus.ends[-1])
    return written


def read_sentence_files(folder: Path) -> SentenceFiles:
    """What was written into a folder."""
    note = json.loads((folder / NOTE).read_text(encoding="utf-8"))
    problems = Problems([Problem(*row) for row in note["problems"]])
    problems.counts.update(note["problem_counts"])
    groups = [GroupText(**row) for row in note["groups"]]
    return SentenceFiles(groups, note["ungrouped"], problems, Position(*note["position"]))


def _begun(folder: Path) -> SentenceFiles:
    """Return what an earlier run finished. What it wrote after its last progress note is cut off."""
    if not (folder / NOTE).exists():
        _clear(folder)
        return SentenceFiles()
    try:
        written = read_sentence_files(folder)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise UserError(f"{folder / NOTE} cannot be read: {error}.", "Start again with --force.") from error
    if not all((folder / one.file).is_file() for one in written.groups):
        _clear(folder)  # they were being moved away when the run was killed
        return SentenceFiles()
    for one in written.groups:
        os.truncate(folder / one.file, one.size)
    return written


def _clear(folder: Path) -> None:
    for path in folder.iterdir():
        path.unlink()


def _add(block: Block, written: SentenceFiles, folder: Path, by: str | None) -> None:
    """Write a block's sentences, and after them the note that they are there."""
    known = {one.group: one for one in written.groups}
    texts: dict[str, list[str]] = {}
    for document in block.documents:
        group = document.groups[by] if by else WHOLE
        if group == NO_VALUE:
            written.ungrouped += 1
            continue
        if group not in known:
            known[group] = _next_group(written, group)
        lines = sentence_lines(document)
        known[group].documents += 1
        known[group].words += sum(line.count(" ") + 1 for line in lines)
        texts.setdefault(group, []).append("".join(f"{line}\n" for line in [*lines, ""]))
    for group, parts in texts.items():
        known[group].size += _append(folder / known[group].file, parts)
    written.problems.add(block.problems)
    written.position = block.position
    _save(written, folder)


def sentence_lines(document: Document) -> list[str]:
    """The sentences of a document that hold words, without marks."""
    text = document.text
    sentences = (tokens(text[start:end]) for start, end in sentence_spans(text))
    kept = ([word for word in words if word not in NO_WORDS] for words in sentences)
    return [" ".join(words) for words in kept if words]


def _next_group(written: SentenceFiles, group: str) -> GroupText:
    if len(written.groups) == MOST_GROUPS:
        raise UserError(
            f"There are more than {MOST_GROUPS} groups, such as {written.groups[-1].group!r} and {group!r}.",
            "Group by something with fewer values; --span 10 makes decades of years.",
        )
    written.groups.append(GroupText(group, f"{len(written.groups):03d}.txt"))
    return written.groups[-1]


def _append(path: Path, parts: Sequence[str]) -> int:
    content = "".join(parts).encode("utf-8")
    with resumable_writing(path), path.open("ab") as file:
        file.write(content)
    return len(content)


def _save(written: SentenceFiles, folder: Path) -> None:
    note: dict[str, Any] = {
        "groups": [vars(one) for one in written.groups],
        "ungrouped": written.ungrouped,
        "problems": written.problems.kept,
        "problem_counts": written.problems.counts,
        "position": written.position,
    }
    with resumable_writing(folder / NOTE):
        write_beside(folder / NOTE, json.dumps(note))
