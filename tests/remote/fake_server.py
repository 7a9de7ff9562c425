"""A server of OpenAI's protocol with a small bigram model, and with the faults that real servers have."""

import hashlib
import json
import math
import re
import threading
import time
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import pairwise
from typing import Any

WORDS = ("he", "she", "they", "the", "nurse", "doctor", "said", "that", "was", "kind", "late", "left")
KNOWN = ("<s>", *WORDS, *(f" {word}" for word in WORDS), " He", " She", "He", "She", "The", ".")
VOCABULARY = [*KNOWN]
"""Grows with what is asked; only known tokens share the probability."""

TOKEN = re.compile(r" ?\w+|<s>|[^\w]")


def tokens_of(text: str) -> list[str]:
    """Words with the space before them, and signs."""
    tokens = TOKEN.findall(text)
    for token in tokens:
        if token not in VOCABULARY:
            VOCABULARY.append(token)
    return tokens


def score(before: str, token: str) -> float:
    """How well a token follows another one: made up, but always the same."""
    return hashlib.sha256(f"{before}|{token}".encode()).digest()[0] / 64


def logprob(before: str, token: str) -> float:
    """Log P of a token after another one."""
    return score(before, token) - math.log(sum(math.exp(score(before, known)) for known in KNOWN))


@dataclass
class FakeServer:
    """Answers on a free port of this machine until it is closed; `level` says what it can do."""

    level: str = "forced"
    faults: list[str] = field(default_factory=list)
    """What goes wrong with the next requests, one after the other: 429, 503, half, garbage, bytes, hang."""

    key: str = ""
    context: int = 1024
    reply: Any = None
    """Called with the messages of a chat; gives the text."""

    build: str = "b1"
    paths: list[str] = field(default_factory=list)
    bodies: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)

    def __post_init__(self) -> None:
        handler = type("Handler", (_Handler,), {"fake": self})
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)
        self._thread.start()
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def answer(self, path: str, body: dict[str, Any]) -> tuple[int, Any]:
        if path == "/tokenize":
            if self.level not in ("forced", "post-bias", "no-bias"):
                return 404, {"error": "no such path"}
            names = tokens_of(body["content"])
            return 200, {"tokens": [{"id": VOCABULARY.index(one), "piece": one} for one in names]}
        if path == "/v1/chat/completions":
            text = self.reply(body["messages"], body) if self.reply else "Certainly."
            choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
            return 200, self._said([choice])
        if path == "/v1/completions" and self.level != "chat":
            return self._complete(body)
        return 404, {"error": {"message": "no such path"}}

    def _complete(self, body: dict[str, Any]) -> tuple[int, Any]:
        prompt = body["prompt"]
        tokens = [VOCABULARY[one] for one in prompt] if isinstance(prompt, list) else tokens_of(prompt)
        if len(tokens) > self.context:
            return 400, {"error": {"message": "the request exceeds the available context size"}}
        choice: dict[str, Any] = {"index": 0, "finish_reason": "length", "text": ""}
        if body.get("logprobs") and self.level != "text":
            choice["logprobs"] = self._logprobs(tokens, body)
        return 200, self._said([choice])

    def _logprobs(self, tokens: list[str], body: dict[str, Any]) -> dict[str, Any]:
        if body.get("echo") and self.level in ("full", "lying"):
            known = [logprob(one, two) for one, two in pairwise(tokens)]
            values = [-1.0 if self.level == "lying" else one for one in known]
            return {"tokens": tokens, "token_logprobs": [None, *values], "top_logprobs": None}
        before = tokens[-1]
        ranked = sorted(KNOWN, key=lambda token: -logprob(before, token))
        chosen = ranked[0]
        if body.get("logit_bias") and self.level in ("forced", "post-bias"):
            (number,) = body["logit_bias"]
            chosen = VOCABULARY[int(number)]
        value = -1e-6 if self.level == "post-bias" and body.get("logit_bias") else logprob(before, chosen)
        tops = [{"token": one, "logprob": logprob(before, one)} for one in ranked[: body["logprobs"]]]
        return {
            "content": [
                {"token": chosen, "id": VOCABULARY.index(chosen), "logprob": value, "top_logprobs": tops}
            ]
        }

    def _said(self, choices: list[dict[str, Any]]) -> dict[str, Any]:
        return {"choices": choices, "model": "fake", "system_fingerprint": self.build}


class _Handler(BaseHTTPRequestHandler):
    fake: FakeServer
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        if self.path == "/v1/models":
            self._send(200, {"data": [{"id": "fake"}]})
        elif self.path == "/props" and self.fake.level == "forced":
            self._send(200, {"bos_token": "<s>", "default_generation_settings": {"n_ctx": self.fake.context}})
        else:
            self._send(404, {"error": "no such path"})

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        self.fake.paths.append(self.path)
        self.fake.bodies.append(body)
        self.fake.headers.append(dict(self.headers))
        if self.fake.key and self.headers.get("authorization") != f"Bearer {self.fake.key}":
            self._send(401, {"error": "who are you"})
        elif self.fake.faults:
            self._fail(self.fake.faults.pop(0))
        else:
            self._send(*self.fake.answer(self.path, body))

    def _fail(self, fault: str) -> None:
        if fault == "hang":
            time.sleep(4.0)
            self._send(200, {})
        elif fault == "half":
            self.send_response(200)
            self.send_header("content-length", "1000")
            self.end_headers()
            self.wfile.write(b'{"choices": [')
            self.close_connection = True
        elif fault in ("garbage", "bytes"):
            self._send_bytes(200, b"<html>" if fault == "garbage" else b'{"choices": "\xff\xfe"}')
        else:
            self._send(int(fault), {"error": "busy"})

    def _send(self, status: int, said: Any) -> None:
        self._send_bytes(status, json.dumps(said).encode())

    def _send_bytes(self, status: int, content: bytes) -> None:
        self.send_response(status)
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_args: Any) -> None:
        """Say nothing."""
