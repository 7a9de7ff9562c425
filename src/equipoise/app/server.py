"""The server: 127.0.0.1, the app's own page, and JSON for the questions it asks."""

import json
import secrets
import socket
from collections.abc import Callable, Mapping
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

from equipoise.app.questions import Desk, answer, items_of, page_of
from equipoise.app.safety import (
    APP_POLICY,
    KNOWN_FOR,
    PAGE_POLICY,
    Refusal,
    cookie_name,
    is_known,
    refuse_body,
    refuse_stranger,
)
from equipoise.errors import UserError

HOST = "127.0.0.1"
DEFAULT_PORT = 8642
TRIED = 20
"""Ports after the default one that are tried."""

PATIENCE = 30.0
"""Seconds that a client may take to send a request."""

_STATIC = Path(__file__).parent / "static"
_FILES = {
    "/": ("index.html", "text/html; charset=utf-8"),
    "/app.css": ("app.css", "text/css; charset=utf-8"),
    "/icon.svg": ("icon.svg", "image/svg+xml"),
    "/app.js": ("app.js", "text/javascript; charset=utf-8"),
}


_NOTHING: Mapping[str, str] = {}


class AppServer(ThreadingHTTPServer):
    """One thread for each request, many of which may wait at once."""

    daemon_threads = True
    request_queue_size = 256
    allow_reuse_address = False  # else a port that another app holds could be taken on some systems

    def __init__(self, port: int, desk: Desk) -> None:
        super().__init__((HOST, port), Handler)
        self.desk = desk
        self.token = secrets.token_urlsafe(16)

    @property
    def address(self) -> str:
        """Where the page is, with the token that opens it."""
        return f"http://{HOST}:{self.server_port}/?token={self.token}"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Print nothing when a client goes away."""


class Handler(BaseHTTPRequestHandler):
    """Answers one client."""

    server: AppServer
    protocol_version = "HTTP/1.1"
    server_version = "equipoise"
    sys_version = ""
    timeout = PATIENCE

    def do_GET(self) -> None:
        """The page's own files, and the page of past results."""
        headers, address = self._headers(), urlsplit(self.path)
        if self._refuse(refuse_stranger(headers, self.server.server_port) or self._refuse_unknown(headers)):
            return
        if address.path in _FILES:
            name, kind = _FILES[address.path]
            self._send(HTTPStatus.OK, (_STATIC / name).read_bytes(), kind, APP_POLICY)
        elif address.path in ("/page", "/items"):
            self._answer_safely(lambda: self._send_saved(address.path, parse_qs(address.query)))
        else:
            self._send_error(HTTPStatus.NOT_FOUND, "There is nothing here.", "Open the app's first page.")

    def do_POST(self) -> None:
        """A question of the page."""
        headers = self._headers()
        stranger = refuse_stranger(headers, self.server.server_port) or self._refuse_unknown(headers)
        if self._refuse(stranger or refuse_body(headers)):
            return
        body = self.rfile.read(int(headers["Content-Length"]))
        try:
            payload = json.loads(body)
        except (ValueError, RecursionError):
            self._send_error(HTTPStatus.BAD_REQUEST, "The request is not valid JSON.", "Reload the page.")
            return
        name = urlsplit(self.path).path.removeprefix("/api/")
        self._answer_safely(lambda: self._send_json(HTTPStatus.OK, answer(self.server.desk, name, payload)))

    def _headers(self) -> dict[str, str]:
        """The headers in one spelling: a client may write them in any case."""
        return {name.title(): value for name, value in self.headers.items()}

    def _refuse_unknown(self, headers: dict[str, str]) -> Refusal | None:
        if is_known(headers, urlsplit(self.path).query, self.server.token, self.server.server_port):
            return None
        return Refusal(HTTPStatus.FORBIDDEN, "Open the address that the terminal shows: it holds the token.")

    def _answer_safely(self, send: Callable[[], None]) -> None:
        """Answer, or say what went wrong: whatever is asked, the app goes on."""
        try:
            send()
        except UserError as error:
            self._send_error(HTTPStatus.BAD_REQUEST, error.message, error.hint)
        except ConnectionError:
            raise  # the client is gone
        except Exception as error:
            self._send_error(HTTPStatus.INTERNAL_SERVER_ERROR, f"{type(error).__name__}: {error}", "")

    def _send_saved(self, path: str, query: dict[str, list[str]]) -> None:
        """The page of saved results, to look at or to keep, or the items of one of them."""
        folders = query.get("folder", [""])
        if path == "/items":
            text, name = items_of(self.server.desk, folders[0], query.get("instrument", [""])[0]), "items.csv"
        else:
            text, name = page_of(self.server.desk, folders), "equipoise.html"
        kind = "text/csv; charset=utf-8" if path == "/items" else "text/html; charset=utf-8"
        keeps = path == "/items" or "download" in query
        extra = {"Content-Disposition": f'attachment; filename="{name}"'} if keeps else {}
        self._send(HTTPStatus.OK, text.encode("utf-8", "replace"), kind, PAGE_POLICY, extra)

    def _refuse(self, refusal: Refusal | None) -> bool:
        """Turn a request away; its body is not read, so the connection ends."""
        if refusal is None:
            return False
        self.close_connection = True
        self._send_error(refusal.status, refusal.message, "")
        return True

    def _send_error(self, status: HTTPStatus, message: str, hint: str) -> None:
        self._send_json(status, {"message": message, "hint": hint})

    def _send_json(self, status: HTTPStatus, content: Any) -> None:
        body = json.dumps(content, allow_nan=False).encode("ascii")
        self._send(status, body, "application/json; charset=utf-8", APP_POLICY)

    def _send(
        self, status: HTTPStatus, body: bytes, kind: str, policy: str, extra: Mapping[str, str] = _NOTHING
    ) -> None:
        self.send_response(status)
        cookie = f"{cookie_name(self.server.server_port)}={self.server.token}"
        if urlsplit(self.path).path == "/" and status == HTTPStatus.OK:
            extra = {"Set-Cookie": f"{cookie}; Path=/; HttpOnly; SameSite=Strict; Max-Age={KNOWN_FOR}"}
        headers = {
            **extra,
            "Content-Type": kind,
            "Content-Length": str(len(body)),
            "Content-Security-Policy": policy,
            "X-Content-Type-Options": "nosniff",
            "Referrer-Policy": "no-referrer",
            "Cross-Origin-Resource-Policy": "same-origin",
            "Cache-Control": "no-store",
        }
        for name, value in headers.items():
            self.send_header(name, value)
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Write nothing to the terminal for each request."""


def open_server(desk: Desk, port: int | None) -> AppServer:
    """A server on the port that was asked for, or on the first free one from the default on."""
    if port is not None:
        try:
            return AppServer(port, desk)
        except OSError as error:
            free = free_port(port + 1)
            offer = f"Port {free} is free: --port {free}." if free else "Give another with --port."
            raise UserError(f"Port {port} cannot be used: {error.strerror or error}.", offer) from error
    free = free_port(DEFAULT_PORT)
    if free is None:
        raise UserError(f"No port from {DEFAULT_PORT} on is free.", "Give one with --port.")
    return AppServer(free, desk)


def free_port(first: int) -> int | None:
    """The first port from there on that nobody holds, among the next few."""
    for port in range(first, min(first + TRIED, 65536)):
        with socket.socket() as probe:
            try:
                probe.bind((HOST, port))
            except OSError:
                continue
            return port
    return None
