"""Whatever stands in a model folder, reading it ends in a model or in an error that names the file."""

import json
import pickle
import random
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import tiny
import torch

from equipoise.errors import UserError
from equipoise.models.loading import load_model
from equipoise.models.questions import Fill, Score

OTHER_VALUES = (None, True, -1, 0, 3, 1.5, "", "x", "gelu", [], [1, "a"], {}, {"a": 1})
ROUNDS = 25
FILES = ("config.json", "tokenizer.json", "tokenizer_config.json", "model.safetensors")


def saved(folder: Path) -> Path:
    tiny.network("bert").save_pretrained(folder)
    tiny.tokenizer("wordpiece").save_pretrained(folder)
    return folder


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Where something stands in a JSON document; of a vocabulary's hundreds of entries a few."""
    inner = list(value.items())[:8] if isinstance(value, dict) else []
    inner += list(enumerate(value))[:8] if isinstance(value, list) else []
    return [path, *(place for key, one in inner for place in places(one, (*path, key)))]


def with_another_value(document: Any, chance: random.Random) -> Any:
    path = chance.choice(places(document))
    if not path:
        return chance.choice(OTHER_VALUES)
    *above, last = path
    held = document
    for key in above:
        held = held[key]
    if chance.random() < 0.3:
        del held[last]
    else:
        held[last] = chance.choice(OTHER_VALUES)
    return document


def mutated(content: bytes, is_json: bool, chance: random.Random) -> bytes:
    kind = chance.choice(("value", "value", "value", "bytes", "cut") if is_json else ("bytes", "cut"))
    if kind == "value":
        return json.dumps(with_another_value(json.loads(content), chance)).encode()
    place = chance.randrange(len(content) if is_json else min(len(content), 4000))
    return content[:place] + (
        bytes([chance.randrange(256)]) + content[place + 1 :] if kind == "bytes" else b""
    )


@pytest.mark.parametrize("name", FILES)
def test_a_mutated_file_is_a_model_or_an_error_in_words(name: str, tmp_path: Path) -> None:
    folder = saved(tmp_path / "mine")
    content, chance = (folder / name).read_bytes(), random.Random(5)
    refused = []
    for _ in range(ROUNDS):
        (folder / name).write_bytes(mutated(content, name.endswith(".json"), chance))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                model = load_model(folder, cache=False)
                model.answer([Fill("[MASK] is a doctor.", ("he", "she")), Score("He is a doctor.")])
            except UserError as error:
                refused.append(str(error))
    assert len(refused) > ROUNDS / 10
    damaged = [text for text in refused if "cannot be loaded" in text]
    assert damaged
    assert all(name in text for text in damaged), damaged


class Bomb:
    """Unpickled without care it makes a file."""

    def __init__(self, place: Path) -> None:
        self.place = place

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        return Path.touch, (self.place,)


@pytest.mark.parametrize("way", ["pickled", "saved by torch", "noise"])
def test_a_hostile_pickle_is_refused_by_name(way: str, tmp_path: Path) -> None:
    folder = saved(tmp_path / "mine")
    (folder / "model.safetensors").unlink()
    weights, trace = folder / "pytorch_model.bin", tmp_path / "trace"
    if way == "pickled":
        weights.write_bytes(pickle.dumps(Bomb(trace)))
    elif way == "saved by torch":
        torch.save({"bert": Bomb(trace)}, weights)
    else:
        weights.write_bytes(random.Random(3).randbytes(500))
    with pytest.raises(UserError, match=r"pytorch_model\.bin"):
        load_model(folder, cache=False, allow_pickle=True)
    assert not trace.exists()


def test_a_broken_index_of_shards_is_named(tmp_path: Path) -> None:
    folder = saved(tmp_path / "mine")
    tiny.network("bert").save_pretrained(folder, max_shard_size="20kB")
    (folder / "model.safetensors").unlink(missing_ok=True)
    assert load_model(folder, cache=False).kind == "masked"
    (folder / "model.safetensors.index.json").write_text("[]")
    with pytest.raises(UserError, match=r"model\.safetensors\.index\.json"):
        load_model(folder, cache=False)
