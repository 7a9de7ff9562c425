"""The rewriter: modes, sentences drawn by a seeded coin, the judge, and the account."""

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from operator import attrgetter

from equipoise.errors import check_seed, unknown_name
from equipoise.text.rewriting.account import Change, Rewritten, Skip, Tally, apply_changes, coin, coins
from equipoise.text.rewriting.anonymising import anonymous_changes
from equipoise.text.rewriting.drafts import Draft
from equipoise.text.rewriting.find.document import Document
from equipoise.text.rewriting.find.first_names import load_names
from equipoise.text.rewriting.find.lexicon import load_lexicon
from equipoise.text.rewriting.find.scanning import Hit, Scanner
from equipoise.text.rewriting.find.tokens import Surroundings, match_case
from equipoise.text.rewriting.inverting import Policy, Tables, invert
from equipoise.text.rewriting.neutral import neutralise
from equipoise.text.rewriting.pieces import LONGEST, joined, pieces
from equipoise.text.rewriting.pronouns.forms import UNSURE, Case, Judge

MODES = ("invert", "substitute", "augment", "per-sentence", "neutral", "anonymise")
BATCH = 64
"""Texts whose doubtful pronouns are put to the judge together."""

_OPTIONS = {"her": ("his", "him"), "his": ("her", "hers")}
_POLICIES = {
    "coordinated": ("keep", "turn"),
    "definitional": ("keep", "swap"),
    "entities": ("numbered", "someone"),
}


def check_choices(mode: str, seed: int, policy: Policy) -> None:
    """Refuse a mode, a seed or a policy that no rewriter has, before any table is read."""
    if mode not in MODES:
        raise unknown_name("mode", mode, MODES)
    check_seed(seed)
    for name, known in _POLICIES.items():
        given = getattr(policy, name)
        if given not in known:
            raise unknown_name(f"policy for {name}", given, known)


class Rewriter:
    """Rewrites texts in one mode; the tables are read once and what it learns of words is kept."""

    def __init__(
        self,
        mode: str = "invert",
        *,
        seed: int = 0,
        judge: Judge | None = None,
        names: bool = True,
        policy: Policy | None = None,
    ) -> None:
        self.mode = mode
        self.seed = seed
        self.judge = judge
        self.policy = policy or Policy()
        check_choices(mode, seed, self.policy)
        self.lexicon = load_lexicon()
        self.tables = Tables(self.lexicon, Surroundings(), names)
        self.scanner = Scanner(self.lexicon, names=names or mode == "anonymise")

    def rewrite(self, text: str) -> Rewritten:
        """One text, rewritten; a very long one in pieces (but entities are numbered throughout)."""
        drawn = self._is_drawn(text)
        if len(text) > LONGEST and self.mode != "anonymise":
            return joined([self._rewritten(piece, drawn=drawn) for piece in pieces(text)])
        return self._rewritten(text, drawn=drawn)

    def _rewritten(self, text: str, *, drawn: bool) -> Rewritten:
        draft = self._draft(text, drawn=drawn)
        if self.judge is not None:
            self._ask([draft], self.judge)
        return self._finish(draft)

    def _is_drawn(self, text: str) -> bool:
        """Whether a document is turned; only documents to substitute are drawn by a coin."""
        return self.mode != "substitute" or coin(self.seed, text)

    def rewrite_many(self, texts: Iterable[str]) -> Iterator[Rewritten]:
        """Texts in order, a batch at a time; the answers do not depend on the batch."""
        source = iter(texts)
        while batch := list(islice(source, BATCH)):
            if max(map(len, batch)) > LONGEST:
                yield from map(self.rewrite, batch)
                continue
            drafts = [self._draft(text, drawn=self._is_drawn(text)) for text in batch]
            if self.judge is not None:
                self._ask(drafts, self.judge)
            for draft in drafts:
                yield self._finish(draft)

    def _draft(self, text: str, *, drawn: bool) -> Draft:
        if self.tables.names and text.islower() and (titled := with_capitals(text)) != text:
            return self._in_lower_case(text, self._draft(titled, drawn=drawn))
        document = Document(text)
        hits = self.scanner.hits(document.chunks)
        if not hits and not document.markup and self.mode != "anonymise":
            return Draft(document)
        draft = invert(document, hits, self.tables, self.policy)  # judges what is gendered in every mode
        if not drawn:
            draft.keep(lambda change: True, "document not drawn")
        elif self.mode == "per-sentence":
            self._keep_undrawn(draft)
        elif self.mode in ("neutral", "anonymise"):
            other = self._anonymise if self.mode == "anonymise" else self._neutralise
            draft.changes, draft.skipped = other(document, hits)
        if document.markup and self.mode != "anonymise":
            draft.skipped += self._inside_markup(document)
        return draft

    def _in_lower_case(self, text: str, draft: Draft) -> Draft:
        """The draft of a text without capitals, made from the text with names as they are usually written."""
        draft.changes = [
            one._replace(
                old=text[one.start : one.end], new=one.new.lower() if one.rule == "name" else one.new
            )
            for one in draft.changes
        ]
        draft.skipped = [one._replace(word=text[one.start : one.end]) for one in draft.skipped]
        draft.document = Document(text)
        return draft

    def _neutralise(self, document: Document, hits: Sequence[Hit]) -> tuple[list[Change], list[Skip]]:
        draft = neutralise(document, hits, self.lexicon)
        return draft.changes, draft.skipped

    def _anonymise(self, document: Document, hits: Sequence[Hit]) -> tuple[list[Change], list[Skip]]:
        return anonymous_changes(document, numbered=self.policy.entities == "numbered")

    def _keep_undrawn(self, draft: Draft) -> None:
        document = draft.document
        drawn = coins(self.seed, document.text, len(document.starts))
        numbers = {start: number for number, start in enumerate(document.starts)}
        draft.keep(
            lambda change: not drawn[numbers[document.sentence(change.start)[0]]], "sentence not drawn"
        )

    def _inside_markup(self, document: Document) -> list[Skip]:
        return [
            Skip(start + hit.start, start + hit.end, hit.part.surface, "protected")
            for start, end in document.markup
            for hit in self.scanner.hits(document.text[start:end].split(" "))
            if hit.part.word is not None
        ]

    def _ask(self, drafts: Sequence[Draft], judge: Judge) -> None:
        """Put every choice of form that the rules are unsure of to the judge, all at once."""
        doubtful = [
            (draft, index)
            for draft in drafts
            for index, change in enumerate(draft.changes)
            if change.margin is not None and change.margin < UNSURE and change.old.lower() in _OPTIONS
        ]
        if not doubtful:
            return
        answers = judge([_case(draft, index) for draft, index in doubtful])
        for (draft, index), answer in zip(doubtful, answers, strict=True):
            change = draft.changes[index]
            new = match_case(change.old, answer)
            draft.changes[index] = change._replace(new=new, rule="pronoun: judge", judged=True)

    def _finish(self, draft: Draft) -> Rewritten:
        if not draft.changes and not draft.skipped and not draft.gendered:
            return Rewritten(draft.document.text, mode=self.mode)
        text = apply_changes(draft.document.text, draft.changes)
        by_word = self.mode in ("neutral", "anonymise")
        tally = draft.tally_of(self._side_of_new) if by_word else draft.tally()
        if self.mode == "augment" and draft.changes:
            men, women, men_after, women_after = tally
            tally = Tally(men, women, men + men_after, women + women_after)
        account = tuple(draft.changes), tuple(draft.skipped), tally
        return tuple.__new__(Rewritten, (text, *account, self.mode))

    def _side_of_new(self, change: Change, side: str) -> str | None:
        """The side of a word that was put in: an actor is counted as male, somebody on neither side."""
        word = self.lexicon.words.get(change.new.lower())
        return word.side if word else None


USUAL = 8
"""Bearers among 100,000 from which a word in a text without capitals is taken for a first name."""
_LOWER_CASE = re.compile(r"(?<![\w@#./'’-])[^\W\d_]{3,}(?![\w@]|[./-]\w)")


def with_capitals(text: str) -> str:
    """A text without capitals in which words that can only be first names have theirs."""
    names = load_names().names

    def written(match: re.Match[str]) -> str:
        name = names.get(match[0])
        if name is None or name.kind != "plain":
            return match[0]
        bearers = int(name.male_per_100k) + int(name.female_per_100k)
        return match[0].capitalize() if bearers >= USUAL else match[0]

    return _LOWER_CASE.sub(written, text)


def _case(draft: Draft, index: int) -> Case:
    """The sentence as it will read, with the span of the doubtful pronoun in it."""
    document, change = draft.document, draft.changes[index]
    begin, end = document.sentence(change.start)
    first = bisect_left(draft.changes, begin, key=attrgetter("start"))
    near = islice(draft.changes, first, bisect_left(draft.changes, end, key=attrgetter("start")))
    inside = [one for one in near if one.end <= end]
    shifted = [one._replace(start=one.start - begin, end=one.end - begin) for one in inside]
    text = apply_changes(document.text[begin:end], shifted)
    shift = sum(len(one.new) - len(one.old) for one in inside if one.start < change.start)
    start = change.start - begin + shift
    return Case(text, (start, start + len(change.new)), _OPTIONS[change.old.lower()])


def rewrite(
    text: str,
    mode: str = "invert",
    *,
    seed: int = 0,
    judge: Judge | None = None,
    names: bool = True,
    policy: Policy | None = None,
) -> Rewritten:
    """The text with gender inverted (or another mode), and the account of what was done and left."""
    key = (mode, seed, names, policy)
    rewriter = _REWRITERS.get(key) if judge is None else None
    if rewriter is None:
        rewriter = Rewriter(mode, seed=seed, judge=judge, names=names, policy=policy)
        if judge is None:
            _REWRITERS[key] = rewriter
    return rewriter.rewrite(text)


_REWRITERS: dict[tuple[str, int, bool, Policy | None], Rewriter] = {}
__all__ = ["MODES", "Change", "Policy", "Rewriter", "rewrite"]
