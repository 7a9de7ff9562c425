"""A running app on a free port, and a client that asks it as its page does."""

import http.client
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from equipoise.app.questions import Desk
from equipoise.app.safety import cookie_name
from equipoise.app.server import AppServer
from equipoise.app.shelf import Shelf
from equipoise.models.options import RunOptions


class Client:
    """Asks the app as its page does."""

    def __init__(self, server: AppServer) -> None:
        self.server = server

    def send(
        self, method: str, path: str, body: bytes = b"", **headers: str
    ) -> tuple[int, Any, dict[str, str]]:
        """One request; a header given as an empty text is left out."""
        port = self.server.server_port
        sent = {
            "Host": f"127.0.0.1:{port}",
            "Content-Type": "application/json",
            "Content-Length": str(len(body)),
            "Cookie": f"{cookie_name(port)}={self.server.token}",
        }
        sent |= {name.replace("_", "-"): value for name, value in headers.items()}
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
        for name, value in sent.items():
            if value:
                connection.putheader(name, value)
        connection.endheaders(body or None)
        response = connection.getresponse()
        content = response.read()
        connection.close()
        if "json" in response.headers["Content-Type"]:
            content = json.loads(content)
        return response.status, content, dict(response.headers)

    def ask(self, question: str, **payload: Any) -> Any:
        """The answer to a question that is expected to have one."""
        status, content, _ = self.send("POST", f"/api/{question}", json.dumps(payload).encode())
        assert status == 200, content
        return content

    def refused(self, question: str, **payload: Any) -> str:
        """What the page would show instead of an answer."""
        status, content, _ = self.send("POST", f"/api/{question}", json.dumps(payload).encode())
        assert status == 400, content
        return f"{content['message']} {content['hint']}"


@contextmanager
def running_app(folder: Path) -> Iterator[AppServer]:
    """The app with small random models, and its results in a folder."""
    shelf = Shelf(["random", "random:2"], RunOptions(store=folder / "answers.sqlite"))
    server = AppServer(0, Desk(shelf, folder / "results"))
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.desk.jobs.close()
        server.shutdown()
        server.server_close()
        thread.join()
