"""Words in context: the token ids that a word becomes where it stands, not what a vocabulary lists."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Any

from equipoise.errors import UnaskableError, UserError
from equipoise.models.questions import Fill
from equipoise.text.blank import BLANK, find_blank

Span = tuple[int, int]
_OPENING = " \t\n\"'“”‘’«»([{¿¡—–-"
_SENTENCE_END = (".", "!", "?", "…")


@dataclass(frozen=True)
class Encoded:
    """A tokenised text: ids, where each token stands, which are special, and which word each belongs to."""

    text: str
    ids: tuple[int, ...]
    spans: tuple[Span, ...]
    special: tuple[bool, ...]
    words: tuple[int | None, ...]

    @property
    def content(self) -> list[int]:
        """The positions of tokens that are not special."""
        return [place for place, special in enumerate(self.special) if not special]

    def positions(self, span: Span) -> list[int]:
        """The positions of the tokens that overlap a span of the text."""
        start, stop = span
        return [
            place
            for place, (begin, end) in enumerate(self.spans)
            if not self.special[place] and begin < stop and end > start
        ]


class Tokens:
    """A tokenizer that knows where in the text each token came from."""

    def __init__(self, tokenizer: Any, name: str) -> None:
        if not getattr(tokenizer, "is_fast", False):
            raise UserError(
                f"The tokenizer of {name!r} does not say where its tokens stand in the text.",
                "Equipoise needs a fast tokenizer: save one as tokenizer.json beside the weights.",
            )
        self.tokenizer = tokenizer
        self.name = name
        self.backend = tokenizer.backend_tokenizer
        self.backend.no_truncation()
        self.backend.no_padding()
        self.mask_token: str | None = tokenizer.mask_token
        self.mask_id: int | None = tokenizer.mask_token_id
        self.padding_id: int | None = tokenizer.pad_token_id
        self.unknown_id: int | None = tokenizer.unk_token_id

    def encode(self, text: str) -> Encoded:
        """Tokenise a text with the special tokens this model expects around it."""
        return _encoded(text, self.backend.encode(text))

    def encode_all(self, texts: Sequence[str]) -> list[Encoded]:
        """The same of several texts in one call."""
        if len(texts) == 1:
            return [self.encode(texts[0])]
        return [
            _encoded(text, encoding)
            for text, encoding in zip(texts, self.backend.encode_batch(list(texts)), strict=True)
        ]

    def unknown_parts(self, text: str) -> list[str]:
        """The parts of a text that become the unknown token, neighbours without a space between as one."""
        encoded = self.encode(text)
        spans: list[Span] = []
        for token_id, (start, stop) in zip(encoded.ids, encoded.spans, strict=True):
            if token_id == self.unknown_id and stop > start:
                joins = bool(spans) and spans[-1][1] == start
                spans[-1 if joins else len(spans) :] = [(spans[-1][0] if joins else start, stop)]
        return [text[start:stop] for start, stop in spans]

    def token(self, token_id: int) -> str:
        """The token as its vocabulary writes it."""
        return str(self.backend.id_to_token(token_id))

    def as_word(self, token_id: int) -> str:
        """The token as a reader would write it: without the marker of a leading space."""
        token = self.token(token_id)
        if token.startswith("##"):
            return token
        return str(self.backend.decode([token_id], skip_special_tokens=False)).strip() or token


def _encoded(text: str, encoding: Any) -> Encoded:
    spans = tuple(encoding.offsets)
    special = tuple(
        bool(flag) and span == (0, 0) for flag, span in zip(encoding.special_tokens_mask, spans, strict=True)
    )
    return Encoded(text, tuple(encoding.ids), spans, special, tuple(encoding.word_ids))


@dataclass(frozen=True)
class Placed:
    """A sentence with a word in its blank: the tokens, the word's positions and the hidden positions."""

    encoded: Encoded
    slot: tuple[int, ...]
    hidden: tuple[int, ...]

    @property
    def pieces(self) -> tuple[int, ...]:
        """The token ids that the word became."""
        return tuple(self.encoded.ids[place] for place in self.slot)


def place_word(
    tokens: Tokens, text: str, word: str, *, blank: int | None = None, hidden: tuple[Span, ...] = ()
) -> Placed:
    """Put a word into a blank, tokenise the whole sentence and find the word's tokens."""
    return place_words(tokens, text, (word,), blank=blank, hidden=hidden)[0]


def place_words(
    tokens: Tokens,
    text: str,
    words: Sequence[str],
    *,
    blank: int | None = None,
    hidden: tuple[Span, ...] = (),
) -> list[Placed]:
    """Put each word into a blank, tokenise the whole sentences in one call and find each word's tokens.

    At the start of a sentence a lower-case word is capitalised, as a writer would.
    """
    asked = find_blank(text, blank)
    composed = [compose(text, asked, word, tokens.mask_token or BLANK, hidden) for word in words]
    placed = []
    for word, (_, slot, moved), encoded in zip(
        words, composed, tokens.encode_all([sentence for sentence, _, _ in composed]), strict=True
    ):
        positions = encoded.positions(slot)
        _check_separable(encoded, positions, slot, word, tokens.name)
        covered = tuple(place for span in moved for place in encoded.positions(span))
        placed.append(Placed(encoded, tuple(positions), covered))
    return placed


def is_unknown(placed: Placed, tokens: Tokens) -> bool:
    """Whether any piece of the word is the tokenizer's unknown token."""
    return tokens.unknown_id is not None and tokens.unknown_id in placed.pieces


def refuse_unknown(word: str, text: str, name: str) -> UserError:
    """The error for a word that the vocabulary cannot spell."""
    return UserError(
        f"{word!r} is unknown to the tokenizer of {name!r} in {text!r}.",
        "Its score would be that of the unknown token; use a word that the model can spell.",
    )


def composed_texts(question: Fill) -> list[str]:
    """The sentence with each word in its blank."""
    blank = find_blank(question.text, question.blank)
    return [compose(question.text, blank, word)[0] for word in question.words]


def shared_length(rows: Sequence[Sequence[object]]) -> int:
    """How many ids, or letters, all rows begin with."""
    columns = takewhile(lambda ids: len(set(ids)) == 1, zip(*rows, strict=False))
    return sum(1 for _ in columns)


def starts_sentence(left: str) -> bool:
    """Whether what comes next begins a sentence, given what stands to its left."""
    before = left.rstrip(_OPENING)
    return not before or before.endswith(_SENTENCE_END)


def compose(
    text: str, blank: int, word: str, mask_token: str = BLANK, hidden: tuple[Span, ...] = ()
) -> tuple[str, Span, list[Span]]:
    """The sentence with the word in its blank and the model's mask in the others; spans moved along."""
    parts: list[str] = []
    shifts: list[tuple[int, int]] = []
    slot, at, length = (0, 0), 0, 0
    for number, match in enumerate(re.finditer(re.escape(BLANK), text)):
        parts.append(text[at : match.start()])
        length += match.start() - at
        filler = mask_token
        if number == blank:
            filler = _cased(word, text[: match.start()])
            slot = (length, length + len(filler))
        parts.append(filler)
        length += len(filler)
        at = match.end()
        shifts.append((match.end(), length - match.end()))
    parts.append(text[at:])
    return "".join(parts), slot, [_moved(span, shifts) for span in hidden]


def _cased(word: str, left: str) -> str:
    return word[:1].upper() + word[1:] if starts_sentence(left) else word


def _moved(span: Span, shifts: list[tuple[int, int]]) -> Span:
    delta = 0
    for end, shift in shifts:
        if end <= span[0]:
            delta = shift
    return span[0] + delta, span[1] + delta


def _check_separable(encoded: Encoded, positions: list[int], slot: Span, word: str, name: str) -> None:
    """A token that reaches beyond the word would score its neighbours too."""
    for place in positions:
        begin, end = encoded.spans[place]
        outside = encoded.text[begin : slot[0]] + encoded.text[slot[1] : end]
        if outside.strip():
            raise UnaskableError(
                "the tokenizer joins the asked word to its neighbours",
                f"{word!r} cannot be asked in {encoded.text!r}: the tokenizer of {name!r} joins it to its "
                f"neighbours, as one token {encoded.text[begin:end]!r}.",
                "Put a space or punctuation beside the blank.",
            )
    if not positions:
        raise UnaskableError(
            "the asked word leaves no token",
            f"{word!r} leaves no token in {encoded.text!r}.",
            "Give a word, not an empty string.",
        )
