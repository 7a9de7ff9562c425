"""What servers answer, in the several forms that they have for it."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import isnan
from typing import Any

import numpy as np

from equipoise.errors import UnaskableError, UserError
from equipoise.models.engine.store import Json
from equipoise.models.questions import TokenScores, WordScores


@dataclass(frozen=True)
class Token:
    """A token with its log-probability, and its id where the server tells it."""

    text: str
    logprob: float
    id: int | None = None


def generated(answer: Json) -> list[tuple[Token, tuple[Token, ...]]]:
    """Each written token with the likeliest ones at its place; empty where the server gives none."""
    try:
        logprobs = (answer["choices"][0].get("logprobs") or {}) if answer.get("choices") else {}
        if "content" in logprobs:
            return [
                (_token(one), tuple(map(_token, one.get("top_logprobs") or ())))
                for one in logprobs["content"] or ()
            ]
        tops = logprobs.get("top_logprobs") or [{}] * len(logprobs.get("tokens") or ())
        return [
            (Token(str(text), float(value)), tuple(Token(str(t), float(v)) for t, v in (top or {}).items()))
            for text, value, top in zip(
                logprobs.get("tokens") or (), logprobs.get("token_logprobs") or (), tops, strict=True
            )
            if value is not None
        ]
    except (KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
        raise unreadable(answer) from error


def echoed(answer: Json) -> list[tuple[str, float | None]]:
    """The tokens of the prompt with their log-probabilities; empty where the server ignores `echo`."""
    try:
        logprobs = answer["choices"][0].get("logprobs") or {}
        tokens, values = logprobs.get("tokens") or (), logprobs.get("token_logprobs") or ()
        return [
            (str(token), None if value is None else float(value))
            for token, value in zip(tokens, values, strict=True)
        ]
    except (KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
        raise unreadable(answer) from error


def texts(answer: Json) -> list[tuple[str, str]]:
    """The texts that were written, each with the reason why it ended."""
    try:
        return [
            (
                str((one["message"].get("content") if "message" in one else one["text"]) or ""),
                str(one.get("finish_reason") or ""),
            )
            for one in answer["choices"]
        ]
    except (KeyError, TypeError, AttributeError) as error:
        raise unreadable(answer) from error


def pieces(answer: Any) -> list[tuple[int, bytes]]:
    """The ids of a text's tokens with the bytes that each stands for."""
    try:
        return [
            (
                int(one["id"]),
                bytes(one["piece"]) if isinstance(one["piece"], list) else str(one["piece"]).encode(),
            )
            for one in answer["tokens"]
        ]
    except (KeyError, TypeError, ValueError) as error:
        raise unreadable(answer) from error


def unreadable(answer: Any) -> UserError:
    """The error for an answer of a form that is not known."""
    return UserError(
        f"The server answered in a form that is not OpenAI's: {json.dumps(answer, default=str)[:120]}.",
        "Check that its address is that of the completions API, usually ending in /v1.",
    )


def _token(entry: Json) -> Token:
    known = entry.get("id")
    return Token(str(entry["token"]), float(entry["logprob"]), int(known) if known is not None else None)


def shares(words: tuple[str, ...], totals: Sequence[float]) -> WordScores:
    """Log-probabilities among the words that could be asked; they sum to one."""
    values = np.array(totals, dtype=float)
    distinct = np.array(list(dict(zip(words, values, strict=True)).values()))
    asked = distinct[~np.isnan(distinct)]
    if len(asked):
        values = values - np.logaddexp.reduce(asked)
    return WordScores(words, tuple(values.tolist()), tuple(0 if isnan(one) else 1 for one in values.tolist()))


def spans_of(text: str, parts: Sequence[bytes]) -> list[tuple[int, int]]:
    """Where in the text each piece stands; a character of several pieces belongs to each of them."""
    if b"".join(parts) != text.encode():
        raise UnaskableError(
            "the server's tokenizer does not give the text back",
            f"The server's tokens of {text[:60]!r} are not its letters.",
            "Leave the text out.",
        )
    at = [0]
    for part in parts:
        at.append(at[-1] + len(part))
    starts = np.cumsum([0, *(len(letter.encode()) for letter in text)])
    return [
        (
            int(np.searchsorted(starts, begin, side="right")) - 1,
            int(np.searchsorted(starts, end, side="left")),
        )
        for begin, end in pairwise(at)
    ]


def read_echo(answer: Json, text: str) -> TokenScores:
    """The scores of a text's tokens; what the server put in front, and what it wrote after, is left out."""
    entries = echoed(answer)
    for end in range(len(entries), 0, -1):
        for begin in range(end - 1, -1, -1):
            joined = "".join(token for token, _ in entries[begin:end])
            if len(joined) > len(text):
                break
            if joined == text:
                return _scored(entries[begin:end])
    raise UserError(
        f"The server's tokens of {text[:60]!r} do not give the text back.",
        "Its `echo` leaves something out; use another server.",
    )


def _scored(entries: Sequence[tuple[str, float | None]]) -> TokenScores:
    """A first token without context has no value and is left out."""
    spans, at, kept = [], 0, []
    for token, value in entries:
        if value is not None:
            spans.append((at, at + len(token)))
            kept.append((token, value))
        at += len(token)
    tokens, values = tuple(token for token, _ in kept), tuple(value for _, value in kept)
    return TokenScores(tokens, values, tuple(spans), (1.0,) * len(kept))
