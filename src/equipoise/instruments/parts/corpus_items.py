"""Items from a corpus: a sample of its contexts as a table, with what must be said of how they were drawn."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd

from equipoise.corpora.contexts import Context, contexts, person_spans, without_names
from equipoise.corpora.documents import Problems
from equipoise.corpora.opening import CorpusChoice, drawn, open_documents
from equipoise.corpora.vocabulary import TARGETS, gendered_words, load_targets
from equipoise.data.reading import LINE, TABLES, File, read_table
from equipoise.data.sources import Source
from equipoise.errors import UserError
from equipoise.instruments.base import Settings
from equipoise.instruments.parts.estimates import Groups, grouped
from equipoise.results import Estimate
from equipoise.text.blank import BLANK
from equipoise.text.gendered import FEMALE, MALE

WORDS = "context-words.csv"
CLEAN, TOLD = "clean", "with other gendered words"
"""The parts of the items: nothing but the context tells the gender, or other gendered words do."""

SEPARATOR = "; "
WITH_TARGET = "a target word"
FEWEST = 10
"""Contexts below which a group has no number: it is shown as too few."""

_TAKEN = {
    *("item", "document", "gender", "word", "part", "category", "categories", "names", "text", "sentence"),
    *("score", "own", "p_male", "p_female", "excess", "target", "distance", "layer", "dropped"),
}
GenderedWords = Mapping[str, str]


@dataclass(frozen=True)
class ContextSample:
    """Contexts with names of their own, the words they were found by, and what is to be said of them."""

    contexts: Mapping[str, Context]
    words: GenderedWords
    files: tuple[File, ...]
    notices: tuple[str, ...]


def read_contexts(
    source: Source, settings: Settings, *, wanted: Callable[[Context], bool] = lambda _: True, what: str
) -> ContextSample:
    """A sample of the wanted contexts of a corpus; `what` says what they have, for the notice."""
    choice = settings.corpus
    _refuse_taken_names(choice.group_names)
    if source.given is None:
        raise UserError("No corpus was given.", "Name a file or folder with --data.")
    words_file = _beside(source, WORDS) or TABLES / "corpora" / WORDS
    targets_file = choice.targets or _beside(source, "targets.csv") or TARGETS
    words, targets = read_gendered(words_file), load_targets(targets_file)
    opened = open_documents(source.given, choice)
    every = contexts(
        opened.documents, choice.length, words=words, telling=gendered_words().keys(), targets=targets
    )
    if choice.with_targets:
        what = what if WITH_TARGET in what else f"{what} and {WITH_TARGET}"
        every = (context for context in every if context.targets)
    kept, available = drawn((context for context in every if wanted(context)), choice.contexts, settings.seed)
    if not kept:
        raise UserError(
            f"{source.name} has no context {what}.",
            f"Give more text, or words of your own in {WORDS} and targets.csv beside it.",
        )
    if not choice.names:
        kept = [without_names(context) for context in kept]
    notices = (
        _how_drawn(kept, available, settings, what=what),
        *targets.notices,
        *_few_documents(kept),
        *_unread(opened.problems),
    )
    return ContextSample(_named(kept), words, (*opened.files, words_file, targets_file), notices)


def context_row(item: str, context: Context, text: str) -> dict[str, object]:
    """The columns that every item from a corpus has, and one for each group."""
    blanked = BLANK in context.text
    return {
        "item": item,
        "document": context.document,
        **context.groups,
        "gender": context.gender,
        "word": context.word,
        "part": TOLD if context.leaks else CLEAN,
        "names": len(person_spans(context.text)),
        "text": text,
        "dropped": f"the text itself holds {BLANK}" if blanked else "",
    }


def corpus_groups(items: pd.DataFrame, columns: tuple[str, ...]) -> Iterator[tuple[Groups, pd.DataFrame]]:
    """Yield all items, then by part, category, each group column, and group crossed with category."""
    yield from grouped(items, "part")
    yield from by_category(items)
    for groups, rows in grouped(items, *columns, whole=False):
        yield groups, rows
        for category, same in by_category(rows):
            yield {**groups, **category}, same


def by_category(items: pd.DataFrame) -> Iterator[tuple[Groups, pd.DataFrame]]:
    """The items of each category, ours in the order of the paper; a context may stand in several."""
    listed = items["categories"].str.split(SEPARATOR)
    known, present = _order(), dict.fromkeys(name for names in listed for name in names if name)
    for category in sorted(present, key=lambda name: known.get(name, len(known))):
        yield {"category": category}, items[[category in names for names in listed]]


@cache
def _order() -> dict[str, int]:
    """The place of each of our categories in the table of target words."""
    return {name: place for place, name in enumerate(load_targets().categories)}


def unless_too_few(estimate: Estimate, *, of: int | None = None) -> Estimate:
    """An estimate of a group without its number if it rests, or its smaller side, on too few contexts."""
    if not estimate.groups or (estimate.n if of is None else of) >= FEWEST:
        return estimate
    return replace(estimate, value=np.nan, low=np.nan, high=np.nan)


def read_gendered(path: Path) -> dict[str, str]:
    """Words in lower case with the gender of each, from a file with the columns gender and word."""
    table = read_table(path, ("gender", "word"))
    words: dict[str, str] = {}
    for row in table.to_dict("records"):
        gender, word = row["gender"].strip(), row["word"].strip().lower()
        if gender not in (MALE, FEMALE) or not word or words.setdefault(word, gender) != gender:
            raise UserError(
                f"{path}, line {row[LINE]}: {word!r} with the gender {gender!r}.",
                f"Give each word once, with {MALE} or {FEMALE}.",
            )
    missing = {MALE, FEMALE} - set(words.values())
    if missing:
        raise UserError(f"{path} has no {min(missing)} word.", "Give words of both genders.")
    return words


def _beside(source: Source, name: str) -> Path | None:
    """A file beside the user's; in a folder everything is text of the corpus, so there it must be named."""
    is_folder = isinstance(source.given, Path) and source.given.is_dir()
    return None if is_folder else source.beside(name)


def _refuse_taken_names(groups: tuple[str, ...]) -> None:
    taken = [name for name in groups if name in _TAKEN]
    if taken:
        raise UserError(
            f"A group column cannot be called {taken[0]!r}: the items have a column of that name.",
            "Rename the column in the corpus.",
        )


def _named(kept: list[Context]) -> dict[str, Context]:
    """Each context by its document and place; where documents share a name, by its number too."""
    seen: Counter[str] = Counter()
    named: dict[str, Context] = {}
    for context in kept:
        name = f"{context.document} @{context.start + context.span.start}"
        seen[name] += 1
        named[name if seen[name] == 1 else f"{name} ({seen[name]})"] = context
    return named


def _how_drawn(kept: list[Context], available: int, settings: Settings, *, what: str) -> str:
    choice: CorpusChoice = settings.corpus
    share, how = f"all {available:,}", ""
    if len(kept) < available:
        share, how = f"{len(kept):,} of {available:,}", f", drawn with seed {settings.seed}"
    names = "names are kept" if choice.names else "names are replaced by 'someone'"
    return f"{share} contexts {what}, of up to {choice.length} words{how}; {names}"


def _few_documents(kept: list[Context]) -> tuple[str, ...]:
    documents = len({context.document for context in kept})
    if documents >= 5:
        return ()
    return (
        f"the contexts come from {documents} document{'s' * (documents != 1)}, too few for intervals: "
        "say what a document is",
    )


def _unread(problems: Problems) -> tuple[str, ...]:
    if not problems.total:
        return problems.notices
    reason, count = problems.unread.most_common(1)[0]
    first = next((one for one in problems.kept if one.reason in problems.unread), None)
    place = f", the first: {first.file}:{first.line}" if first else ""
    said = f"{problems.total:,} rows could not be read ({reason}: {count:,}){place}"
    return (said, *problems.notices)
