"""A Hugging Face hub on this machine: repositories, commits and large files, as the real client asks."""

import base64
import hashlib
import json
import threading
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class Repository:
    """What was uploaded, and who may read it."""

    private: bool
    files: dict[str, bytes] = field(default_factory=dict)
    commits: int = 0


@dataclass
class FakeHub:
    """Answers on a free port of 127.0.0.1 until it is closed; `refuses` fails every commit."""

    repositories: dict[str, Repository] = field(default_factory=dict)
    requests: list[str] = field(default_factory=list)
    refuses: bool = False
    large: dict[str, bytes] = field(default_factory=dict)

    def __post_init__(self) -> None:
        handler = type("Handler", (_Handler,), {"hub": self})
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def commit(self, name: str, lines: list[dict[str, Any]]) -> None:
        repository = self.repositories[name]
        for line in lines:
            value = line["value"]
            if line["key"] == "file":
                repository.files[value["path"]] = base64.b64decode(value["content"])
            elif line["key"] == "lfsFile":
                repository.files[value["path"]] = self.large[value["oid"]]
        repository.commits += 1


class _Handler(BaseHTTPRequestHandler):
    hub: FakeHub

    def log_message(self, *_: Any) -> None:
        """Stay silent."""

    def do_GET(self) -> None:
        name = self._name()
        self.hub.requests.append(f"GET {self.path}")
        if name not in self.hub.repositories:
            self._answer(404, {"error": "Repository not found"}, {"X-Error-Code": "RepoNotFound"})
            return
        self._answer(200, {"id": name, "private": self.hub.repositories[name].private, "siblings": []})

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.hub.requests.append(f"POST {self.path}")
        if self.path == "/api/repos/create":
            asked = json.loads(body)
            name = f"{asked['organization']}/{asked['name']}" if asked.get("organization") else asked["name"]
            private = asked.get("private", asked.get("visibility") == "private")
            if name not in self.hub.repositories:
                self.hub.repositories[name] = Repository(bool(private))
            self._answer(200, {"url": f"{self.hub.address}/{name}", "name": name})
        elif "/preupload/" in self.path:
            modes = [
                {
                    "path": one["path"],
                    "uploadMode": "lfs" if one["path"].endswith(".safetensors") else "regular",
                    "shouldIgnore": False,
                }
                for one in json.loads(body)["files"]
            ]
            self._answer(200, {"files": modes})
        elif self.path.endswith("/info/lfs/objects/batch"):
            self._answer(
                200,
                {"transfer": "basic", "objects": [self._upload(one) for one in json.loads(body)["objects"]]},
            )
        elif "/commit/" in self.path:
            if self.hub.refuses:
                self._answer(403, {"error": "You have no write rights"})
                return
            self.hub.commit(self._name(), [json.loads(line) for line in body.splitlines() if line])
            self._answer(
                200,
                {
                    "commitUrl": f"{self.hub.address}/{self._name()}/commit/1",
                    "commitOid": "1" * 40,
                    "success": True,
                },
            )
        else:
            self._answer(200, {})

    def do_PUT(self) -> None:
        content = self.rfile.read(int(self.headers["Content-Length"]))
        self.hub.large[hashlib.sha256(content).hexdigest()] = content
        self._answer(200, {})

    def _upload(self, wanted: dict[str, Any]) -> dict[str, Any]:
        href = f"{self.hub.address}/large/{wanted['oid']}"
        return {"oid": wanted["oid"], "size": wanted["size"], "actions": {"upload": {"href": href}}}

    def _name(self) -> str:
        """OWNER/NAME of `/api/models/OWNER/NAME/...`."""
        return "/".join(self.path.split("?")[0].split("/")[3:5])

    def _answer(self, status: int, content: Any, headers: dict[str, str] | None = None) -> None:
        body = json.dumps(content).encode()
        self.send_response(status)
        for key, value in {"Content-Type": "application/json", **(headers or {})}.items():
            self.send_header(key, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
