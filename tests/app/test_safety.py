"""The app answers its own page on this machine, and nothing else."""

import json
import socket

import pytest
from app_client import Client

from equipoise.app.safety import LONGEST_BODY, refuse_stranger
from equipoise.app.server import HOST, free_port, open_server
from equipoise.errors import UserError


@pytest.mark.parametrize(
    ("headers", "is_refused"),
    [
        ({"Host": "127.0.0.1:80"}, False),
        ({"Host": "localhost:80"}, False),
        ({"Host": "localhost:80", "Origin": "http://localhost:80", "Sec-Fetch-Site": "same-origin"}, False),
        ({}, True),
        ({"Host": "evil.example:80"}, True),  # a name that was pointed at this machine
        ({"Host": "127.0.0.1:81"}, True),
        ({"Host": "127.0.0.1:80", "Origin": "http://evil.example"}, True),
        ({"Host": "127.0.0.1:80", "Origin": "null"}, True),
        ({"Host": "127.0.0.1:80", "Origin": "http://127.0.0.1:81"}, True),
        ({"Host": "127.0.0.1:80", "Origin": "https://127.0.0.1:80"}, True),
        ({"Host": "127.0.0.1:80", "Sec-Fetch-Site": "cross-site"}, True),
        ({"Host": "127.0.0.1:80", "Sec-Fetch-Site": "same-site"}, True),
    ],
)
def test_strangers_are_turned_away(headers: dict[str, str], is_refused: bool) -> None:
    assert (refuse_stranger(headers, 80) is not None) is is_refused


def test_it_listens_on_this_machine_only(client: Client) -> None:
    assert client.server.server_address[0] == "127.0.0.1"


def test_requests_that_are_not_of_the_page(client: Client) -> None:
    body = json.dumps({"text": "[MASK] left.", "models": ["random"]}).encode()
    refused = {
        403: {"Host": "evil.example"},
        415: {"Content_Type": "text/plain"},
        413: {"Content_Length": str(LONGEST_BODY + 1)},
    }
    for status, headers in refused.items():
        assert client.send("POST", "/api/probe", body, **headers)[0] == status
    assert client.send("POST", "/api/probe", b"", Content_Length="")[0] == 411
    assert client.send("GET", "/", Origin="http://evil.example")[0] == 403
    assert client.send("GET", "/", origin="http://evil.example")[0] == 403
    assert client.send("POST", "/api/probe", b"{")[0] == 400
    assert client.send("POST", "/api/probe", b"[]")[0] == 400
    assert client.send("POST", "/api/probe", b"[" * 100_000)[0] == 400
    assert client.send("POST", "/api/nothing", b"{}")[0] == 400
    assert client.send("GET", "/../pyproject.toml")[0] == 404
    assert client.send("PUT", "/", b"{}")[0] == 501
    assert [one["name"] for one in client.ask("known")["models"]][:2] == ["random", "random:2"]


def test_only_who_knows_the_token_is_answered(client: Client) -> None:
    port, token = client.server.server_port, client.server.token
    body = json.dumps({}).encode()
    for cookie in ("", f"equipoise-{port}=guess", f"equipoise-{port}=", "equipoise=;;\x01"):
        assert client.send("POST", "/api/known", body, Cookie=cookie)[0] == 403
        for path in ("/", "/?token=guess", "/page?folder=a", "/items?folder=a"):
            status, content, _ = client.send("GET", path, Cookie=cookie)
            assert status == 403
            assert "the address that the terminal shows" in content["message"]
    assert client.server.address.endswith(f"/?token={token}")
    status, _, headers = client.send("GET", f"/?token={token}", Cookie="")
    assert status == 200
    assert "HttpOnly; SameSite=Strict" in headers["Set-Cookie"]
    assert client.send("POST", "/api/known", body, Cookie=headers["Set-Cookie"].partition(";")[0])[0] == 200


def test_strange_requests_get_an_answer(client: Client) -> None:
    """Not a dropped connection."""
    half = json.dumps({"text": "[MASK] is \ud800.", "models": ["random"]}).encode()
    assert client.send("POST", "/api/probe", half)[0] == 400
    named = json.dumps({"text": "[MASK] left.", "models": ["\ud800", "a\0b"]}).encode()
    assert client.send("POST", "/api/probe", named)[0] == 400
    nul = json.dumps({"text": "[MASK] left.", "models": ["a\0b"]}).encode()
    assert client.send("POST", "/api/probe", nul)[0] == 400
    assert client.send("GET", "/page?folder=%00")[0] == 400
    assert client.send("GET", "/items?folder=%00&instrument=tbe")[0] == 400
    assert client.send("POST", "/api/probe", b"", Content_Length="9" * 5000)[0] == 413


def test_the_page_may_load_only_what_is_its_own(client: Client) -> None:
    status, page, headers = client.send("GET", "/")
    assert status == 200
    assert headers["Content-Security-Policy"].startswith("default-src 'self'")
    text = page.decode()
    assert "://" not in text
    for name in ("app.js", "app.css", "icon.svg"):
        assert f'"/{name}"' in text
        status, content, headers = client.send("GET", f"/{name}")
        assert status == 200
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert "http" not in content.decode().replace("http://www.w3.org/2000/svg", "")


def test_a_port_in_use_and_the_one_that_is_offered() -> None:
    with socket.socket() as taken:
        taken.bind((HOST, 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(UserError, match=f"Port {port} cannot be used") as caught:
            open_server(None, port)  # type: ignore[arg-type]
        free = free_port(port)
        assert free != port
        assert f"--port {free_port(port + 1)}" in caught.value.hint
