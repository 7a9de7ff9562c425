"""The shipped model: its size, its recorded hash, how fast it unpacks, how near it is to the original."""

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from transformers import AutoConfig, AutoTokenizer, BertForMaskedLM

import equipoise
from equipoise.files import sha256
from equipoise.models.loading.packed import TENSOR_FILE, load_packed, read_description
from recipes import fidelity

FOLDER = Path(equipoise.__file__).parent / "models" / "embedded"
MOST_BYTES = 75_000_000
MOST_SECONDS = 2.0

pytestmark = pytest.mark.skipif(not FOLDER.is_dir(), reason="the shipped model is not in this checkout")


def test_everything_together_stays_within_75_megabytes() -> None:
    assert sum(path.stat().st_size for path in FOLDER.rglob("*") if path.is_file()) <= MOST_BYTES


def test_the_tensor_file_has_the_recorded_hash_and_the_card_states_it() -> None:
    digest = sha256(FOLDER / TENSOR_FILE)
    assert digest == read_description(FOLDER)["tensor_sha256"]
    assert digest in (FOLDER / "README.md").read_text(encoding="utf-8")


def test_it_carries_its_licence_and_notice() -> None:
    assert "Apache License" in (FOLDER / "LICENSE").read_text(encoding="utf-8")
    assert "Google" in (FOLDER / "NOTICE").read_text(encoding="utf-8")


def test_it_unpacks_in_under_two_seconds_of_processor_time() -> None:
    seconds = []
    for _attempt in range(3):
        start = time.process_time()
        load_packed(FOLDER)
        seconds.append(time.process_time() - start)
    assert min(seconds) < MOST_SECONDS


def test_it_loads_strictly_and_completes_a_sentence() -> None:
    model = BertForMaskedLM(AutoConfig.from_pretrained(FOLDER))
    model.load_state_dict(load_packed(FOLDER), strict=True)
    tokenizer = AutoTokenizer.from_pretrained(FOLDER)
    asked = tokenizer("The capital of France is [MASK].", return_tensors="pt")
    place = asked["input_ids"][0].tolist().index(tokenizer.mask_token_id)
    with torch.no_grad():
        logits = model.eval()(**asked).logits[0, place]
    assert tokenizer.convert_ids_to_tokens(int(logits.argmax())) == "paris"


@pytest.fixture(scope="module")
def pair(bert_folder: Path) -> Any:
    return fidelity.load_pair(bert_folder, FOLDER)


def test_pronoun_differences_stay_near_the_original(pair: Any, shared_data: Callable[[str], Path]) -> None:
    data = shared_data("gbef").parent
    table = fidelity.pronoun_difference(pair, data, every=11)
    assert table["pronoun difference, mean absolute error"][1] <= 0.03
    assert table["pronoun difference, Spearman over professions"][1] >= 0.98  # two sentences for each


@pytest.mark.slow
def test_association_means_stay_near_the_original(pair: Any, shared_data: Callable[[str], Path]) -> None:
    table = fidelity.association(pair, shared_data("bec-pro").parent, every=61)
    assert len(table) == 6
    for original, packed in table.values():
        assert packed == pytest.approx(original, abs=0.06)


@pytest.mark.slow
def test_predictions_are_mostly_the_same(pair: Any, shared_data: Callable[[str], Path]) -> None:
    table = fidelity.predictions(pair, shared_data("winobias").parent, every=16)
    assert table["same prediction, share of sentences"][1] >= 0.96


@pytest.mark.slow
def test_masked_words_are_found_as_often(pair: Any, shared_data: Callable[[str], Path]) -> None:
    data = shared_data("books").parent
    for name, texts in fidelity.held_out_texts(data).items():
        table = fidelity.masked_words(pair, texts, name, every=30)
        accuracy, divergence = table.values()
        assert accuracy[1] == pytest.approx(accuracy[0], abs=0.02)  # some 200 words
        assert 0 < divergence[1] < 0.01


def test_the_recorded_schemes_cover_the_model() -> None:
    description = json.loads((FOLDER / "packed.json").read_text(encoding="utf-8"))
    names = set(description["schemes"]) | set(description["tied"])
    assert names == set(BertForMaskedLM(AutoConfig.from_pretrained(FOLDER)).state_dict())
