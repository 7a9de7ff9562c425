"""A text while it is being rewritten: what the rules may ask of it, computed when first asked."""

import re
from functools import cached_property

from equipoise.text.rewriting.find.lexicon import REACH
from equipoise.text.rewriting.find.protection import blanked, markup_spans
from equipoise.text.rewriting.find.sentences import begins_sentence, sentence_starts, span_at
from equipoise.text.rewriting.find.tokens import words_with_offsets

_DOTTED_TITLE = re.compile(r"\b(?:Mr|Mrs|Ms|Dr|Messrs)\.")
_MUM = re.compile(r"\b(?:[Mm]um(?:s|my)?|[Ss]tepmum)\b")


class Document:
    """The text, and `plain`: the same with markup and code blanked, so that offsets agree."""

    def __init__(self, text: str) -> None:
        self.text = self.plain = text
        self.markup = markup_spans(text)
        if self.markup:
            self.plain = blanked(text, self.markup)
        self.chunks = self.plain.split(" ")
        """What stands between blanks."""

    def left(self, start: int, reach: int = REACH) -> str:
        """The text before a place."""
        return self.plain[start - reach : start] if start > reach else self.plain[:start]

    def right(self, end: int, reach: int = REACH) -> str:
        """The text after a place."""
        return self.plain[end : end + reach]

    def begins_sentence(self, start: int) -> bool:
        """Whether a word there is capitalised for its place only."""
        return begins_sentence(self.plain, start)

    def sentence(self, place: int) -> tuple[int, int]:
        """The span of the sentence around a place."""
        return span_at(self.starts, len(self.plain), place)

    @cached_property
    def starts(self) -> list[int]:
        """Where sentences begin."""
        return sentence_starts(self.plain)

    @cached_property
    def tokens(self) -> list[tuple[str, int]]:
        """Words (with their endings) and punctuation marks, each with its offset."""
        return list(words_with_offsets(self.plain))

    @cached_property
    def says_mum(self) -> bool:
        """Whether a mum, as the British say, is in the text."""
        return _MUM.search(self.plain) is not None

    @cached_property
    def dots_titles(self) -> bool:
        """Whether titles are written with a full stop here (Mr. or Mr)."""
        return _DOTTED_TITLE.search(self.plain) is not None
