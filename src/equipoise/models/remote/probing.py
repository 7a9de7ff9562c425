"""What a server can be asked, found out when it is connected and never inferred from a name.

full    `echo` gives a log-probability for every token of the prompt
forced  a token that a bias forces is reported with its unbiased log-probability, one token per request
top-k   only the likeliest tokens are reported
text    nothing but text
"""

from dataclasses import dataclass

from equipoise.errors import UserError
from equipoise.models.remote.reading import Token, echoed, generated, pieces, texts
from equipoise.models.remote.server import Body, RefusedPathError, Request, Server

FULL, FORCED, TOP, TEXT = "full", "forced", "top-k", "text"
PROMPT = "The nurse said that"
WIDEST = 20
"""Likeliest tokens asked for; hosted services give no more."""

BIAS = 100
AGREEMENT = 0.02
"""By how much two ways to ask for one log-probability may differ: batches change sums a little."""


@dataclass(frozen=True)
class Probed:
    """The level that a server answers at, and what a reader should know about it."""

    level: str
    notes: tuple[str, ...] = ()
    top: int = 0
    """How many of the likeliest tokens it reports."""
    start: str = ""
    """The token that its tokenizer says a text begins with."""
    longest: int = 0
    """How many tokens it reads; 0 where it does not say."""


def start_text(start: str, probed: Probed) -> str:
    """What is put in front of a text: the server's own first token, a new line, or nothing."""
    if start == "none":
        return ""
    if start == "newline":
        return "\n"
    if start == "bos" and not probed.start:
        raise UserError(
            "The server does not say which token texts begin with.",
            "Use --start newline or --start none.",
        )
    return probed.start or ("\n" if probed.level == FORCED else "")


def completion(model: str, prompt: str | list[int], **more: object) -> Request:
    """A request for the next token, without chance."""
    body: Body = {"model": model, "prompt": prompt, "max_tokens": 1, "temperature": 0, **more}
    return Request("completions", body)


def tokenize(model: str, text: str) -> Request:
    """A request for the tokens of a text, in the form that llama.cpp reads."""
    return Request("//tokenize", {"model": model, "content": text, "add_special": False, "with_pieces": True})


def probe(server: Server, model: str) -> Probed:
    """The highest level that the server keeps its word at."""
    try:
        likeliest = _likeliest(server, model)
    except RefusedPathError as error:
        return _chat_only(server, model, error)
    has_tokenizer = _has_tokenizer(server, model)
    start, longest = _properties(server) if has_tokenizer else ("", 0)
    level, notes = _level(server, model, likeliest, has_tokenizer=has_tokenizer)
    return Probed(level, notes, len(likeliest), start, longest)


def _level(
    server: Server, model: str, likeliest: tuple[Token, ...], *, has_tokenizer: bool
) -> tuple[str, tuple[str, ...]]:
    if not likeliest:
        return TEXT, ("the server reports no log-probabilities",)
    reason = _echo_problem(server, model, likeliest)
    if not reason:
        return FULL, ()
    problem = _bias_problem(server, model, likeliest, has_tokenizer=has_tokenizer)
    return (TOP, (reason, problem)) if problem else (FORCED, (reason,))


def _likeliest(server: Server, model: str) -> tuple[Token, ...]:
    answer = server.post(completion(model, PROMPT, logprobs=WIDEST))
    places = generated(answer)
    return places[0][1] if places else ()


def _chat_only(server: Server, model: str, error: UserError) -> Probed:
    """A server without completions may still chat; one that does neither is refused."""
    try:
        texts(server.post(chat(model, [{"role": "user", "content": PROMPT}], max_tokens=1)))
    except RefusedPathError:
        raise error from None
    return Probed(TEXT, ("the server offers chat only, without log-probabilities of given words",))


def chat(model: str, messages: list[dict[str, str]], **more: object) -> Request:
    """A request for the next turn of a chat."""
    return Request("chat/completions", {"model": model, "messages": messages, **more})


def _has_tokenizer(server: Server, model: str) -> bool:
    try:
        return b"".join(piece for _, piece in pieces(server.post(tokenize(model, PROMPT)))) == PROMPT.encode()
    except UserError:
        return False


def _properties(server: Server) -> tuple[str, int]:
    """Find the token that texts begin with, and how many tokens the server reads."""
    try:
        said = server.get("//props")
        longest = said.get("default_generation_settings", {}).get("n_ctx", 0)
        return str(said.get("bos_token") or ""), int(longest)
    except (UserError, AttributeError, TypeError, ValueError):
        return "", 0


def _echo_problem(server: Server, model: str, likeliest: tuple[Token, ...]) -> str:
    """Why `echo` does not score the prompt as the next token was scored; empty if it does."""
    token = _whole_words(likeliest)[0]
    try:
        answer = server.post(completion(model, PROMPT + token.text, logprobs=1, echo=True))
        entries = echoed(answer)
    except RefusedPathError:
        return "the server refuses `echo`"
    except UserError:
        return "the server ignores `echo`"
    text = PROMPT + token.text
    place = next((n for n in range(len(entries), 0, -1) if _joined(entries[:n]).endswith(text)), 0)
    if len(entries) < 2 or not place:
        return "the server ignores `echo`: it does not score the prompt"
    last, value = entries[place - 1]
    if last != token.text or value is None:
        return "the server's `echo` does not give one entry per token"
    if abs(value - token.logprob) > AGREEMENT:
        return (
            f"the server's `echo` is not to be trusted: {token.text!r} has {value:.2f} there and "
            f"{token.logprob:.2f} as the next token"
        )
    return ""


def _whole_words(likeliest: tuple[Token, ...]) -> list[Token]:
    """The likeliest tokens but the first that begin a word, so that none joins the prompt's last one."""
    words = [token for token in likeliest[1:] if token.text[:1] == " " and token.text.strip().isalpha()]
    return words or list(likeliest)


def _joined(entries: list[tuple[str, float | None]]) -> str:
    return "".join(text for text, _ in entries)


def _bias_problem(server: Server, model: str, likeliest: tuple[Token, ...], *, has_tokenizer: bool) -> str:
    """Say why a forced token does not reveal its own log-probability; empty if it does."""
    if not has_tokenizer:
        return "the server has no tokenizer to ask (`/tokenize`), so no token can be forced"
    words = _whole_words(likeliest)
    for token in (words[0], words[-1]):
        ids = [number for number, _ in pieces(server.post(tokenize(model, token.text)))]
        known = token.id if token.id is not None else ids[0] if len(ids) == 1 else None
        if known is None:
            continue
        try:
            places = generated(server.post(forced(model, PROMPT, known)))
        except UserError:
            return "the server refuses `logit_bias`"
        if not places or places[0][0].text != token.text:
            return "the server ignores `logit_bias`"
        if abs(places[0][0].logprob - token.logprob) > AGREEMENT:
            return "the server reports log-probabilities after the bias, so forced tokens say nothing"
    return ""


def forced(model: str, prompt: str | list[int], token: int) -> Request:
    """A request in which a bias leaves one token to be chosen."""
    return completion(model, prompt, logprobs=1, logit_bias={str(token): BIAS})
