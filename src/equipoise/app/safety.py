"""What a request must be before anything is done for it: from this machine's own page, and not too long."""

from collections.abc import Mapping
from contextlib import suppress
from hmac import compare_digest
from http import HTTPStatus
from http.cookies import CookieError, SimpleCookie
from typing import NamedTuple
from urllib.parse import parse_qs

LONGEST_BODY = 5_000_000
"""Bytes of a request; a file of 20,000 pairs has about 3 million."""

OWN_NAMES = ("127.0.0.1", "localhost")

APP_POLICY = (
    "default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; object-src 'none'"
)

PAGE_POLICY = "sandbox allow-scripts allow-downloads allow-popups; frame-ancestors 'none'"
"""A result's page names its own scripts; here it gets an origin of its own, which the app does not answer."""


KNOWN_FOR = 30 * 24 * 3600
"""Seconds that a browser keeps the token of an app."""


class Refusal(NamedTuple):
    """Why a request is turned away."""

    status: HTTPStatus
    message: str


def refuse_stranger(headers: Mapping[str, str], port: int) -> Refusal | None:
    """Turn away a request that another page, or another name for this machine, could have made."""
    own = {f"{name}:{port}" for name in OWN_NAMES}
    if headers.get("Host", "") not in own:
        return Refusal(HTTPStatus.FORBIDDEN, "The app answers to 127.0.0.1 and localhost only.")
    origin = headers.get("Origin")
    if origin is not None and origin not in {f"http://{name}" for name in own}:
        return Refusal(HTTPStatus.FORBIDDEN, "The app answers its own page only.")
    if headers.get("Sec-Fetch-Site", "none") not in ("same-origin", "none"):
        return Refusal(HTTPStatus.FORBIDDEN, "The app answers its own page only.")
    return None


def is_known(headers: Mapping[str, str], query: str, token: str, port: int) -> bool:
    """Whether a request brings the token that the terminal showed: other users of the machine do not know it.

    The first page has it in its address; from then on the browser's cookie brings it.
    """
    cookies = SimpleCookie()
    with suppress(CookieError):
        cookies.load(headers.get("Cookie", ""))
    kept = cookies.get(cookie_name(port))
    brought = [*parse_qs(query).get("token", []), *([kept.value] if kept else [])]
    return any(compare_digest(one.encode(), token.encode()) for one in brought)


def cookie_name(port: int) -> str:
    """Cookies of one host are shared by its ports."""
    return f"equipoise-{port}"


def refuse_body(headers: Mapping[str, str]) -> Refusal | None:
    """Turn away a body that is not valid JSON, has no length, or is too long; it has not been read yet."""
    if headers.get("Content-Type", "").partition(";")[0].strip() != "application/json":
        return Refusal(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "A request holds JSON.")
    length = headers.get("Content-Length", "")
    if not (length.isascii() and length.isdigit()):
        return Refusal(HTTPStatus.LENGTH_REQUIRED, "A request says how long it is.")
    if len(length) > len(str(LONGEST_BODY)) or int(length) > LONGEST_BODY:
        most = f"{LONGEST_BODY / 1e6:g} MB"
        return Refusal(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"A request has at most {most}.")
    return None
