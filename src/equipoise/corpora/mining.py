"""Counterfactual sentence pairs mined from a corpus: each sentence as written, and with its gender turned.

The rewriter turns whole documents, so that a name has one partner throughout; a sentence in which it changed
something is a pair, unless the linter of pair files finds a fault in it. A corpus does not say what is a
stereotype: the sentence as written stands in the place of the stereotype, so that SLD above 0 means that a
model finds the text likelier as it was written.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

import pandas as pd

from equipoise.corpora.documents import Document
from equipoise.corpora.flags import flags_of
from equipoise.corpora.opening import drawn
from equipoise.data.lint import CODES, LONGEST, SHORTEST, lint_pairs
from equipoise.text.rewriting import Change, Rewriter
from equipoise.text.sentences import Span, sentence_spans

MINED = "own:mined"
TOO_SHORT = f"fewer than {SHORTEST} words"
TOO_LONG = f"more than {LONGEST} words"
ONLY_NAMES = "nothing but names would change"


class MinedPair(NamedTuple):
    """A row of a pair file: the sentence as written, its counterfactual, and the document it is from."""

    id: str
    category: str
    stereotype: str
    counterpart: str
    cluster: str


@dataclass
class Mined:
    """The pairs that were drawn, how many there were to draw from, and what was left out, by reason."""

    table: pd.DataFrame
    available: int
    left_out: Counter[str] = field(default_factory=Counter)


def mine_pairs(
    documents: Iterable[Document], *, sample: int = 0, seed: int = 0, by_flag: bool = False
) -> Mined:
    """A sample of the pairs of a corpus (0: all); `by_flag` puts flagged sentences into a category each."""
    left_out: Counter[str] = Counter()
    stream = _pairs(documents, left_out, by_flag=by_flag)
    kept, available = drawn(stream, sample, seed)
    table = pd.DataFrame(kept, columns=MinedPair._fields)
    repeated = [finding.line - 2 for finding in lint_pairs(_rows(table)) if finding.code == "duplicate"]
    if repeated:
        left_out[CODES["duplicate"]] += len(repeated)
        table = table.drop(index=repeated).reset_index(drop=True)
    repeats = table.groupby("id").cumcount() + 1
    table["id"] = table["id"].where(repeats == 1, table["id"] + " (" + repeats.astype(str) + ")")
    return Mined(table, available, left_out)


def _pairs(documents: Iterable[Document], left_out: Counter[str], *, by_flag: bool) -> Iterator[MinedPair]:
    rewriter = Rewriter("invert")
    for document in documents:
        changes = sorted(rewriter.rewrite(document.text).changes)
        if not changes:
            continue
        for span in sentence_spans(document.text):
            inside = [change for change in changes if span.start <= change.start and change.end <= span.end]
            reason = _reason_against(document.text[span.start : span.end], inside)
            if reason:
                left_out[reason] += 1
            elif inside:
                pair = _pair(document, span, inside, by_flag=by_flag)
                faults = lint_pairs([(pair.id, pair.stereotype, pair.counterpart)])
                if faults:
                    left_out[CODES[faults[0].code]] += 1
                else:
                    yield pair


def _rows(table: pd.DataFrame) -> list[tuple[str, str, str]]:
    return list(table[["id", "stereotype", "counterpart"]].itertuples(index=False, name=None))


def _reason_against(sentence: str, changes: list[Change]) -> str:
    if not changes:
        return ""
    words = len(sentence.split())
    if words < SHORTEST or words > LONGEST:
        return TOO_SHORT if words < SHORTEST else TOO_LONG
    return ONLY_NAMES if all(change.rule.startswith("name") for change in changes) else ""


def _pair(document: Document, span: Span, changes: list[Change], *, by_flag: bool) -> MinedPair:
    parts, at = [], span.start
    for change in changes:
        parts += [document.text[at : change.start], change.new]
        at = change.end
    turned = "".join([*parts, document.text[at : span.end]])
    written = document.text[span.start : span.end]
    flags = flags_of(written) if by_flag else []
    category = f"{MINED}-{flags[0][0]}" if flags else MINED
    name = f"{document.id} @{span.start}"
    return MinedPair(name, category, " ".join(written.split()), " ".join(turned.split()), document.id)
