"""What requests cost: how many there are, how many tokens they have, and their price."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from equipoise.models.remote.server import Request

_WORD = re.compile(r"\s?\w+|[^\w\s]")
"""A word or a sign: in English about one token each."""


@dataclass(frozen=True)
class Budget:
    """How many requests and tokens a run needs; `is_guess` where the server was not asked for its tokens."""

    requests: int
    tokens: int
    is_guess: bool = False

    def count(self, more: str = "") -> str:
        """The number of requests in words."""
        number = f"about {_rounded(self.requests):,}" if self.is_guess else f"{self.requests:,}"
        return f"{number} {more}request{'' if self.requests == 1 else 's'}"

    def __add__(self, other: "Budget") -> "Budget":
        return Budget(
            self.requests + other.requests, self.tokens + other.tokens, self.is_guess or other.is_guess
        )

    def cost(self, price: float) -> str:
        """The tokens, and what they cost at a price for a million of them."""
        cost = f", about {self.tokens * price / 1e6:.2g} at the price given" if price else ""
        return f"about {_rounded(self.tokens):,} tokens{cost}"


def budget_of(requests: Sequence[Request]) -> Budget:
    """What some requests need, by four characters to a token where they hold text."""
    return Budget(len(requests), sum(map(_tokens_in, requests)))


def guess_of(texts: Iterable[tuple[str, int]]) -> Budget:
    """What scoring texts token by token needs, each from a character on, before the server cut them up.

    One request for the tokens of each text, and one for each token with what stands before it; what several
    texts begin with is asked once.
    """
    seen: set[str] = set()
    tokens = requests = 0
    for text, first in set(texts):
        requests += 1
        for number, word in enumerate(_WORD.finditer(text), start=1):
            beginning = text[: word.end()]
            if word.end() > first and beginning not in seen:
                seen.add(beginning)
                tokens += number + 1
    return Budget(requests + len(seen), tokens, is_guess=True)


def _tokens_in(request: Request) -> int:
    body = request.body
    prompt = body.get("prompt") or body.get("content") or body.get("messages") or ""
    read = len(prompt) if isinstance(prompt, list) and "messages" not in body else len(str(prompt)) // 4
    return int(read + body.get("max_tokens", 0))


def _rounded(number: int) -> int:
    """The number to two digits."""
    return round(number, 2 - len(str(number)))
