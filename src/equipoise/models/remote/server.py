"""A server's address, and requests to it: counted, repeated when it is busy, every failure in words.

An address is `http://127.0.0.1:8080/v1#NAME`, or `openai:NAME`.
"""

import json
import os
import time
import weakref
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import blake2b
from ipaddress import ip_address
from threading import Lock
from typing import Any
from urllib.parse import urlsplit

import httpx
from tenacity import RetryCallState, Retrying, retry_if_exception_type, stop_after_attempt
from tenacity.wait import wait_random_exponential

from equipoise.errors import UnaskableError, UserError

KEY_VARIABLE = "EQUIPOISE_API_KEY"
SERVICES = {"openai": ("https://api.openai.com/v1", "OPENAI_API_KEY")}
"""Hosted services by prefix: where they are, and the environment variable that holds their key."""

EXAMPLE = "Write http://127.0.0.1:8080/v1#NAME, https://HOST/v1#NAME or openai:NAME."


@dataclass(frozen=True)
class Address:
    """Where a server is, which of its models is meant, and the key it wants; the key is never shown."""

    url: str
    model: str
    key: str = field(default="", repr=False)
    key_variable: str = KEY_VARIABLE

    @property
    def name(self) -> str:
        """The address as it is written in results."""
        return f"{self.url}#{self.model}" if self.model else self.url


def is_address(name: str) -> bool:
    """Whether a name is the address of a server."""
    return name.lower().startswith(("http://", "https://")) or name.partition(":")[0] in SERVICES


def read_address(name: str) -> Address:
    """The parts of an address; the key comes from the environment only."""
    prefix, _, rest = name.partition(":")
    if prefix in SERVICES:
        url, variable = SERVICES[prefix]
        model = rest
    else:
        url, _, model = name.partition("#")
        variable = KEY_VARIABLE
    try:
        parts = urlsplit(url)
        host = parts.hostname or ""
        _ = parts.port
    except ValueError as error:
        raise UserError(f"{name!r} is not an address: {error}.", EXAMPLE) from error
    if not host:
        raise UserError(f"{name!r} names no server.", EXAMPLE)
    if parts.username or parts.password or parts.query:
        raise UserError(
            "The address holds a user, a password or a query.",
            f"Put the key into the environment variable {variable}; addresses are written into results.",
        )
    key = os.environ.get(variable, "")
    if key and parts.scheme == "http" and not _is_this_machine(host):
        raise UserError(
            f"{variable} is set, and {url!r} is plain http to another machine: others could read the key.",
            f"Use https, or unset {variable} if the server needs no key.",
        )
    return Address(url.rstrip("/"), model, key, variable)


def _is_this_machine(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


PATIENCE = 300.0
"""Seconds to wait for an answer; a model on a slow machine may well think for one of them."""

ATTEMPTS = 6
BUSY = {408, 409, 425, 429, 500, 502, 503, 504, 529}
LONGEST_WAIT = 60.0
TOO_LONG = "the text is longer than the model reads"
_TOO_LONG_SIGNS = ("context", "too long", "maximum length", "max_model_len")

Body = Mapping[str, Any]
Sleep = Callable[[float], None]


@dataclass(frozen=True)
class Request:
    """What is posted to one path; its key is what the answer is stored by."""

    path: str
    body: Body

    @cached_property
    def key(self) -> bytes:
        """A digest of path and body."""
        text = json.dumps([self.path, dict(self.body)], sort_keys=True, ensure_ascii=False)
        return blake2b(text.encode(), digest_size=16).digest()


class _BusyError(Exception):
    """The server could not answer now; `wait` is how long it asked to be left alone."""

    def __init__(self, reason: str, wait: float = 0.0) -> None:
        super().__init__(reason)
        self.wait = wait


class Server:
    """One server, for as long as one model is asked of it."""

    def __init__(self, address: Address, *, patience: float = PATIENCE, sleep: Sleep = time.sleep) -> None:
        self.address = address
        self.patience = patience
        self.sent = 0
        self._lock = Lock()
        self._identity: dict[str, str] = {}
        self._sleep = sleep
        headers = {"Authorization": f"Bearer {address.key}"} if address.key else {}
        limits = httpx.Limits(max_connections=64)
        self._client = httpx.Client(
            headers=headers, timeout=httpx.Timeout(patience, connect=min(patience, 10.0)), limits=limits
        )
        weakref.finalize(self, self._client.close)

    @property
    def identity(self) -> str:
        """What the server says it is: the model it answers with and its build."""
        return " ".join(f"{name}={value}" for name, value in sorted(self._identity.items()))

    def get(self, path: str) -> Any:
        """The answer of a path that is only read."""
        return self._answer(lambda: self._client.get(self._url(path)))

    def post(self, request: Request) -> Any:
        """The answer to a request; a busy server is asked again."""
        answer = self._answer(lambda: self._client.post(self._url(request.path), json=dict(request.body)))
        if isinstance(answer, dict):
            self._notice_change(answer)
        return answer

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def _url(self, path: str) -> str:
        """A path of the protocol is below the address, another one at the server's root."""
        root = self.address.url.removesuffix("/v1") if path.startswith("//") else self.address.url
        return f"{root}/{path.lstrip('/')}"

    def _answer(self, send: Callable[[], httpx.Response]) -> Any:
        attempts = Retrying(
            retry=retry_if_exception_type(_BusyError),
            stop=stop_after_attempt(ATTEMPTS),
            wait=_wait,
            reraise=True,
            sleep=self._sleep,
        )
        try:
            return attempts(self._once, send)
        except _BusyError as error:
            raise UserError(
                f"{self.address.url} gave no answer in {ATTEMPTS} attempts: {error}.",
                "Try again later, or ask fewer at once with --workers. Answers already given are kept.",
            ) from error

    def _once(self, send: Callable[[], httpx.Response]) -> Any:
        with self._lock:
            self.sent += 1
        try:
            response = send()
        except httpx.ConnectError as error:
            raise self._unreachable(str(error)) from error
        except httpx.TimeoutException as error:
            raise UserError(
                f"{self.address.url} did not answer within {self.patience:g} seconds.",
                "Check that the server still works. Answers already given are kept.",
            ) from error
        except httpx.TransportError as error:
            raise _BusyError(f"the answer broke off ({type(error).__name__})") from error
        except (httpx.InvalidURL, UnicodeError) as error:
            raise UserError(f"{self.address.url!r} is not an address: {error}.", "Check it.") from error
        return self._read(response)

    def _read(self, response: httpx.Response) -> Any:
        if response.status_code in BUSY:
            raise _BusyError(f"it says {response.status_code}", _seconds(response))
        if response.status_code >= 400:
            raise self._refusal(response)
        try:
            return json.loads(response.content)
        except (ValueError, RecursionError) as error:
            raise UserError(
                f"{response.url} answered with something that is not JSON: {response.content[:60]!r}.",
                "Give the address of a server that speaks OpenAI's protocol, usually ending in /v1.",
            ) from error

    def _unreachable(self, reason: str) -> UserError:
        if "CERTIFICATE" in reason.upper() or "SSL" in reason.upper():
            return UserError(
                f"The certificate of {self.address.url} was refused: {reason}.",
                "Check the address, or install the certificate of your organisation.",
            )
        return UserError(
            f"No server answers at {self.address.url} ({reason}).",
            "Start it, or check host and port.",
        )

    def _refusal(self, response: httpx.Response) -> UserError:
        said = " ".join(response.content[:400].decode("utf-8", "replace").split())
        status = response.status_code
        if status in (401, 403):
            return UserError(
                f"{self.address.url} {'refuses the key' if self.address.key else 'asks for a key'} "
                f"(status {status}).",
                f"Put a valid key into the environment variable {self.address.key_variable}.",
            )
        if status in (400, 413, 422) and any(sign in said.lower() for sign in _TOO_LONG_SIGNS):
            return UnaskableError(
                TOO_LONG,
                f"The server says that a text is too long: {said[:160]}",
                "Leave the text out or split it; nothing is cut off silently.",
            )
        if status == 404:
            return RefusedPathError(
                f"{response.url} is not there, or the server does not know the model: {said[:160]}",
                "Check the address (it usually ends in /v1) and the name behind the #.",
            )
        return RefusedPathError(
            f"{self.address.url} refuses a request (status {status}): {said[:160]}",
            "Check the model's name behind the # and what this server supports.",
        )

    def _notice_change(self, answer: dict[str, Any]) -> None:
        """Refuse answers of another model or build than those before."""
        said = {
            name: str(answer[name])
            for name in ("model", "system_fingerprint")
            if isinstance(answer.get(name), str)
        }
        with self._lock:
            before = {name: self._identity.setdefault(name, value) for name, value in said.items()}
        for name, value in said.items():
            if before[name] != value:
                raise UserError(
                    f"The server changed during the run: its {name} was {before[name]!r} and is {value!r}.",
                    "Run it again when the server no longer changes; answers of both are kept apart.",
                )


class RefusedPathError(UserError):
    """The server does not offer this kind of request."""


def _wait(state: RetryCallState) -> float:
    """As long as the server asks for, and longer after every attempt."""
    error = state.outcome.exception() if state.outcome else None
    asked = error.wait if isinstance(error, _BusyError) else 0.0
    return max(min(asked, LONGEST_WAIT), float(wait_random_exponential(multiplier=0.5, max=20)(state)))


def _seconds(response: httpx.Response) -> float:
    try:
        return max(0.0, float(response.headers.get("retry-after", "0")))
    except ValueError:
        return 0.0
