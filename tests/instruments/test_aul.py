"""AUL and AULA: means by hand and by plain loops, on both data sets, and which models are refused."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tiny
import torch
from designs import designed

from equipoise.errors import UserError
from equipoise.instruments.base import Settings
from equipoise.measuring import measure
from equipoise.models.capabilities import score_by
from equipoise.models.loading.networks import wrap_model
from equipoise.models.options import RunOptions
from equipoise.models.table import TableModel
from equipoise.results import Result

MORE, LESS = "She is a nurse and a phlebotomist.", "He is a nurse."
PAIRS = (
    "sent_more,sent_less\n"
    f"{MORE},{LESS}\n"
    "The pilot lost his keys.,The pilot lost her keys.\n"
    "My uncle was here.,My aunt was here.\n"
)
SCORES = {
    MORE: (-0.1, -0.2, -0.1, -0.3, -0.1, -0.2, -0.4),
    LESS: (-0.1, -0.2, -0.1, -0.8),
    "The pilot lost his keys.": (-0.5, -0.1, -0.1, -0.1, -0.1),
    "The pilot lost her keys.": (-0.1, -0.1, -0.1, -0.1, -0.1),
    "My uncle was here.": (-0.2, -0.1, -0.1, -0.1),
    "My aunt was here.": (-0.1, -0.2, -0.1, -0.1),
}


class SeeingTable(TableModel):
    """A table model that says it can be asked without hiding anything."""

    capabilities = TableModel.capabilities | {score_by("unmasked"), score_by("unmasked-attention")}


def written(folder: Path, text: str, name: str = "pairs.csv") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def measured(model: Any, path: Path, name: str = "aul") -> Result:
    return measure(model, name, Settings(data=str(path)))


def tiny_model(family: str, folder: Path) -> Any:
    words = tiny.tokenizer(tiny.TOKENIZER_OF.get(family, "wordpiece"))
    store = RunOptions(store=folder / "answers.sqlite")
    return wrap_model(tiny.network(family), words, name=family, options=store)


def test_means_by_hand(tmp_path: Path) -> None:
    """The longer sentence is not punished: 1.4 nats over 7 tokens against 1.2 over 4."""
    result = measured(SeeingTable(scores=SCORES), written(tmp_path, PAIRS))
    assert result.items["score"].tolist() == pytest.approx([-0.2 + 0.3, -0.18 + 0.1, 0.0])
    row = result.estimate("bias-score")
    assert (row["value"], row["n"], row["dropped"]) == (50.0, 2, 1)
    assert result.value("ties") == pytest.approx(100 / 3)
    assert result.value("mean-difference") == pytest.approx(0.02 / 3)
    assert result.value("bias-score", items="equal token counts") == 0.0


@pytest.mark.parametrize("family", ["bert", "roberta", "distilbert", "bart"])
def test_aul_equals_a_plain_loop(family: str, tmp_path: Path) -> None:
    model = tiny_model(family, tmp_path)
    expected = []
    for text in (MORE, LESS):
        encoded = model.tokens.encode(text)
        with torch.no_grad():
            logits = model.transformers_model(input_ids=torch.tensor([encoded.ids])).logits[0].double()
        logprobs = torch.log_softmax(logits, dim=-1)
        expected.append(np.mean([float(logprobs[place, encoded.ids[place]]) for place in encoded.content]))
    found = measured(model, written(tmp_path, PAIRS)).items["score"].iloc[0]
    assert found == pytest.approx(expected[0] - expected[1], abs=1e-4)


@pytest.mark.parametrize("family", ["bert", "roberta"])
def test_aula_equals_a_plain_loop(family: str, tmp_path: Path) -> None:
    """The mean over tokens of attention received times ln P."""
    model = tiny_model(family, tmp_path)
    found = measured(model, written(tmp_path, PAIRS), "aula").items["score"].iloc[0]
    expected = []
    model.transformers_model.set_attn_implementation("eager")
    for text in (MORE, LESS):
        encoded = model.tokens.encode(text)
        with torch.no_grad():
            output = model.transformers_model(input_ids=torch.tensor([encoded.ids]), output_attentions=True)
        received = torch.stack(output.attentions).mean(dim=(0, 1, 2, 3))
        logprobs = torch.log_softmax(output.logits[0], dim=-1)
        values = [float(received[place] * logprobs[place, encoded.ids[place]]) for place in encoded.content]
        expected.append(np.mean(values))
    model.transformers_model.set_attn_implementation("sdpa")
    assert found == pytest.approx(expected[0] - expected[1], abs=1e-4)


def test_stereoset_items_are_pairs_too(tmp_path: Path) -> None:
    row = {
        "type": "intrasentence",
        "target": "aunt",
        "bias_type": "gender",
        "context": "My BLANK was here.",
        "stereotype": "My uncle was here.",
        "anti-stereotype": "My aunt was here.",
        "unrelated": "My fog was here.",
    }
    path = written(tmp_path, json.dumps(row), "items.jsonl")
    scores = SCORES | {"My uncle was here.": (-0.1, -0.1, -0.1, -0.1)}
    result = measured(SeeingTable(scores=scores), path)
    assert result.items["score"].item() == pytest.approx(-0.1 + 0.125)
    assert result.items["cluster"].item() == "aunt"


def test_the_published_data_sets(shared_data: Callable[[str], Path]) -> None:
    shared_data("stereoset/test.jsonl")
    folder = shared_data("crows-pairs/crows_pairs_anonymized.csv").parents[1]
    sizes = {"crows-pairs": 262, "crows-pairs-all": 1508, "stereoset": 255, "stereoset-all": 2106}
    for data, size in sizes.items():
        items = designed("aul", data=data, data_dir=folder).items
        assert len(items) == size
        assert items["item"].is_unique


@pytest.mark.parametrize("name", ["aul", "aula"])
def test_a_causal_model_is_refused_with_the_reason(name: str, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="cannot score a sentence by the rule 'unmasked") as caught:
        measured(tiny_model("gpt2", tmp_path), written(tmp_path, PAIRS), name)
    assert "whole-sentence" in caught.value.hint


def test_a_uniform_model_ties_in_aul(tmp_path: Path) -> None:
    uniform = SeeingTable(scores={text: [-5.0] * len(text.split()) for text in SCORES})
    result = measured(uniform, written(tmp_path, PAIRS))
    assert np.isnan(result.value("bias-score"))
    assert result.value("ties") == 100.0
