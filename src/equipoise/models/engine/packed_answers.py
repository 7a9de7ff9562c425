"""Answers as bytes behind a checksum, so that damage is noticed instead of measured."""

import json
import sqlite3
import struct
import zlib
from typing import Any

import numpy as np

from equipoise.models.engine.rows import RowAnswer, VectorSpec

Json = dict[str, Any]


class RowCodec:
    """How the answers to rows are written into the store, joined and checked."""

    def pack(self, answer: RowAnswer) -> bytes:
        """An answer as bytes, behind a checksum."""
        asks = list(answer.logprobs)
        tops = [(position, *pair) for position, pairs in answer.tops.items() for pair in pairs]
        parts = [
            np.asarray(asks, dtype="<i4").tobytes(),
            np.asarray([answer.logprobs[ask] for ask in asks], dtype="<f8").tobytes(),
            np.asarray([top[:2] for top in tops], dtype="<i4").tobytes(),
            np.asarray([top[2] for top in tops], dtype="<f8").tobytes(),
            np.asarray(answer.weights, dtype="<f8").tobytes(),
        ]
        for spec, vector in answer.vectors.items():
            parts.append(np.asarray((spec.layer, len(spec.positions), len(vector)), dtype="<i4").tobytes())
            parts.append(np.asarray(spec.positions, dtype="<i4").tobytes())
            parts.append(np.asarray(vector, dtype="<f4").tobytes())
        sizes = struct.pack("<4I", len(asks), len(tops), len(answer.weights), len(answer.vectors))
        body = sizes + b"".join(parts)
        return struct.pack("<I", zlib.crc32(body)) + body

    def unpack(self, blob: bytes) -> RowAnswer:
        """The answer that `pack` wrote; a damaged one raises `sqlite3.DatabaseError`."""
        if len(blob) < 20 or struct.unpack_from("<I", blob)[0] != zlib.crc32(blob[4:]):
            raise sqlite3.DatabaseError("a stored answer fails its checksum")
        asks, tops, weights, vectors = struct.unpack_from("<4I", blob, 4)
        reader = _Reader(blob, 20)
        places = reader.take("<i4", 2 * asks).reshape(-1, 2).tolist()
        logprobs = reader.take("<f8", asks).tolist()
        answer = RowAnswer({(p, t): v for (p, t), v in zip(places, logprobs, strict=True)})
        top_places = reader.take("<i4", 2 * tops).reshape(-1, 2).tolist()
        for (position, token), value in zip(top_places, reader.take("<f8", tops).tolist(), strict=True):
            answer.tops.setdefault(position, []).append((token, value))
        answer.weights = reader.take("<f8", weights).tolist()
        for _ in range(vectors):
            layer, count, width = reader.take("<i4", 3).tolist()
            spec = VectorSpec(layer, tuple(reader.take("<i4", count).tolist()))
            answer.vectors[spec] = reader.take("<f4", width)
        return answer

    def join(self, newer: RowAnswer, older: RowAnswer) -> RowAnswer:
        """The newer answer with what the older one knew besides."""
        return newer.joined(older)

    def is_sound(self, answer: RowAnswer) -> bool:
        """Whether the answer holds no NaN."""
        return answer.is_sound()


class JsonCodec:
    """How other answers are kept: compressed JSON, with zlib's checksum."""

    def pack(self, answer: Json) -> bytes:
        """The answer as bytes."""
        return zlib.compress(json.dumps(answer, ensure_ascii=False).encode("utf-8", "surrogatepass"))

    def unpack(self, blob: bytes) -> Json:
        """The answer that `pack` wrote; zlib's own checksum notices damage."""
        try:
            answer: Json = json.loads(zlib.decompress(blob))
        except (zlib.error, ValueError) as error:
            raise sqlite3.DatabaseError("a stored answer fails its checksum") from error
        return answer

    def join(self, newer: Json, older: Json) -> Json:
        """The older answer: nothing is asked twice."""
        return older

    def is_sound(self, answer: Json) -> bool:
        """Whether there is an answer."""
        return bool(answer)


class _Reader:
    """Takes arrays off a blob one after the other."""

    def __init__(self, blob: bytes, start: int) -> None:
        self.blob, self.at = blob, start

    def take(self, kind: str, count: int) -> Any:
        """The next `count` numbers."""
        values = np.frombuffer(self.blob, dtype=kind, count=count, offset=self.at)
        self.at += values.nbytes
        return values
