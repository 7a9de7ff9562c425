"""Loading that cannot lie."""

import copy
import json
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tiny
import torch
import transformers
from safetensors.torch import load_file, save_file

from equipoise.errors import UserError
from equipoise.models.loading import load_model
from equipoise.models.loading.checkpoints import kind_of
from equipoise.models.loading.networks import wrap_model
from equipoise.models.neural.base import longest_input
from equipoise.models.options import RunOptions
from equipoise.models.questions import Score


def saved(family: str, folder: Path) -> Path:
    tiny.network(family).save_pretrained(folder)
    tiny.tokenizer(tiny.TOKENIZER_OF.get(family, "wordpiece")).save_pretrained(folder)
    return folder


@pytest.mark.parametrize(
    ("family", "kind"),
    [("bert", "masked"), ("roberta", "masked"), ("gpt2", "causal"), ("bart", "encoder-decoder")],
)
def test_a_saved_model_comes_back_as_what_it_is(family: str, kind: str, tmp_path: Path) -> None:
    model = load_model(saved(family, tmp_path / family), cache=False)
    assert model.kind == kind
    (found,) = model.answer([Score("He is a doctor.")])
    assert np.isfinite(found.logprobs).all()


def test_loaded_weights_are_those_on_disk(tmp_path: Path) -> None:
    """D1: a peer builds the network from its configuration and scores random weights."""
    folder = saved("bert", tmp_path / "bert")
    model: Any = load_model(folder, cache=False)
    for name, tensor in load_file(folder / "model.safetensors").items():
        assert torch.equal(model.transformers_model.state_dict()[name], tensor), name


def test_a_missing_head_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "headless"
    tiny.network("bert").bert.save_pretrained(folder)
    tiny.tokenizer("wordpiece").save_pretrained(folder)
    with pytest.raises(UserError, match=r"cls\.predictions") as caught:
        load_model(folder, cache=False)
    assert "language-model head" in caught.value.hint


def test_a_head_missing_from_the_weights_alone_is_refused(tmp_path: Path) -> None:
    folder = saved("roberta", tmp_path / "roberta")
    weights = load_file(folder / "model.safetensors")
    kept = {name: tensor for name, tensor in weights.items() if "lm_head.dense" not in name}
    save_file(kept, folder / "model.safetensors", metadata={"format": "pt"})
    with pytest.raises(UserError, match=r"lm_head\.dense"):
        load_model(folder, cache=False)


def test_bert_is_never_read_as_a_causal_model() -> None:
    """D11: BERT and RoBERTa stand in transformers' causal mapping."""
    config = transformers.BertConfig(architectures=["BertForMaskedLM"])
    assert "bert" in transformers.models.auto.modeling_auto.MODEL_FOR_CAUSAL_LM_MAPPING_NAMES
    assert kind_of(config, "x") == "masked"
    assert kind_of(transformers.BertConfig(architectures=None), "x") == "masked"
    decoder = transformers.BertConfig(architectures=["BertLMHeadModel"], is_decoder=True)
    assert kind_of(decoder, "x") == "causal"


def test_a_model_that_is_no_language_model_is_refused() -> None:
    with pytest.raises(UserError, match="not a language model"):
        kind_of(transformers.ViTConfig(architectures=["ViTForImageClassification"]), "x")


def test_an_encoder_decoder_without_a_mask_token_is_refused(tmp_path: Path) -> None:
    words = tiny.tokenizer("wordpiece")
    config = transformers.T5Config(
        vocab_size=len(words), d_model=16, d_kv=8, d_ff=16, num_layers=1, num_heads=2,
        decoder_start_token_id=0, pad_token_id=0, eos_token_id=1,
    )  # fmt: skip
    transformers.T5ForConditionalGeneration(config).save_pretrained(tmp_path)
    unmasked = transformers.PreTrainedTokenizerFast(
        tokenizer_object=words.backend_tokenizer, pad_token="[PAD]", unk_token="[UNK]"
    )
    unmasked.save_pretrained(tmp_path)
    with pytest.raises(UserError, match="no mask token"):
        load_model(tmp_path, cache=False)


def test_an_unknown_folder(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no model folder"):
        load_model(tmp_path / "nothing" / "here")


def test_a_folder_without_a_configuration(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"config\.json"):
        load_model(tmp_path)


def test_a_folder_without_weights(tmp_path: Path) -> None:
    folder = saved("bert", tmp_path / "bert")
    (folder / "model.safetensors").unlink()
    with pytest.raises(UserError, match="no weights"):
        load_model(folder)


def test_damaged_weights(tmp_path: Path) -> None:
    folder = saved("bert", tmp_path / "bert")
    weights = folder / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[: weights.stat().st_size // 2])
    with pytest.raises(UserError, match=r"damaged|cannot be loaded"):
        load_model(folder)


def test_a_damaged_configuration(tmp_path: Path) -> None:
    folder = saved("bert", tmp_path / "bert")
    (folder / "config.json").write_text("{")
    with pytest.raises(UserError, match="cannot be loaded"):
        load_model(folder)


def test_weights_of_another_shape_are_refused(tmp_path: Path) -> None:
    folder = saved("bert", tmp_path / "bert")
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(config | {"intermediate_size": 64}))
    with pytest.raises(UserError):
        load_model(folder)


def test_pickled_weights_need_a_flag(tmp_path: Path) -> None:
    folder = saved("bert", tmp_path / "bert")
    weights = load_file(folder / "model.safetensors")
    (folder / "model.safetensors").unlink()
    torch.save(weights, folder / "pytorch_model.bin")
    with pytest.raises(UserError, match="pickled") as caught:
        load_model(folder)
    assert "--allow-pickle" in caught.value.hint
    assert load_model(folder, allow_pickle=True, cache=False).kind == "masked"


def test_a_hub_name_without_network_names_the_alternative() -> None:
    start = time.perf_counter()
    with pytest.raises(UserError, match="not a folder, the model hub cannot be reached") as caught:
        load_model("some-team/some-model-that-is-not-here")
    assert "folder" in caught.value.hint
    assert time.perf_counter() - start < 10


def test_remote_code_is_never_trusted(tmp_path: Path) -> None:
    folder = saved("bert", tmp_path / "bert")
    config = json.loads((folder / "config.json").read_text())
    marker = tmp_path / "ran"
    (folder / "own.py").write_text(f"open({str(marker)!r}, 'w').write('ran')\nclass Own: pass\n")
    remote = {
        "model_type": "own-kind",
        "auto_map": {"AutoConfig": "own.Own", "AutoModelForMaskedLM": "own.Own"},
    }
    (folder / "config.json").write_text(json.dumps(config | remote))
    with pytest.raises(UserError):
        load_model(folder)
    assert not marker.exists()


def test_fp16_weights_and_their_fp32_copy_are_the_same_model(tmp_path: Path) -> None:
    folder = saved("bert", tmp_path / "half")
    weights = {name: tensor.half() for name, tensor in load_file(folder / "model.safetensors").items()}
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
    half = load_model(folder, cache=False)
    weights = {name: tensor.float() for name, tensor in weights.items()}
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
    assert load_model(folder, cache=False).fingerprint == half.fingerprint


def test_the_default_model_is_loud_about_its_random_weights() -> None:
    from equipoise.models.loading import BUILT_IN, DEFAULT_MODEL

    model = load_model()
    assert model.name == DEFAULT_MODEL
    assert load_model(DEFAULT_MODEL).fingerprint == model.fingerprint
    assert "RANDOM WEIGHTS" in BUILT_IN["random"]


def test_a_random_control_has_the_same_shape_and_other_weights(tmp_path: Path) -> None:
    from equipoise.models.loading.networks import random_control

    model: Any = load_model(saved("bert", tmp_path / "bert"), cache=False)
    control: Any = random_control(model)
    assert control.fingerprint != model.fingerprint
    assert control.transformers_model.config.hidden_size == model.transformers_model.config.hidden_size


def test_random_weights_are_drawn_as_often_as_is_asked() -> None:
    """`random` is the first draw; the others differ from it and from each other, and each comes again."""
    names = ["random", "random:2", "random:3"]
    prints = [load_model(name, cache=False).fingerprint for name in names]
    assert len(set(prints)) == 3
    assert load_model("random:1", cache=False).fingerprint == prints[0]
    for wrong in ("random:0", "random:x", "random:-1"):
        with pytest.raises(UserError, match="which draw"):
            load_model(wrong)


def test_controls_of_a_model_are_several_draws(tmp_path: Path) -> None:
    from equipoise.models.loading.networks import random_control, random_controls

    model: Any = load_model(saved("bert", tmp_path / "bert"), cache=False)
    controls = list(random_controls(model, draws=3))
    assert len({model.fingerprint, *(control.fingerprint for control in controls)}) == 4
    assert controls[0].fingerprint == random_control(model).fingerprint
    assert controls[2].name.endswith("(random weights, draw 3)")


def test_a_sentence_longer_than_the_model() -> None:
    model = load_model("random", cache=False)
    with pytest.raises(UserError, match="longer than") as caught:
        model.score(["word " * 200])
    assert "Split" in caught.value.hint


def test_roberta_reserves_positions_for_padding(tmp_path: Path) -> None:
    model: Any = load_model(saved("roberta", tmp_path / "r"), cache=False)
    reserved = tiny.tokenizer("byte-bpe").pad_token_id + 1
    assert model.max_length == min(tiny.LONGEST, tiny.POSITIONS - reserved)
    model.tokenizer.model_max_length = 10**9
    assert longest_input(model.transformers_model, model.tokenizer) == tiny.POSITIONS - reserved


@pytest.mark.parametrize("name", ["", " "])
def test_an_empty_name_is_not_read_as_this_folder(name: str) -> None:
    with pytest.raises(UserError, match="The name of the model is empty") as caught:
        load_model(name)
    assert "is a variable unset?" in caught.value.hint


@pytest.mark.parametrize(
    "head",
    [
        *("BertModel", "BertForPreTraining", "BertForTokenClassification", "BertForQuestionAnswering"),
        *("BertForNextSentencePrediction", "BertForMultipleChoice"),
    ],
)
def test_a_network_in_memory_without_a_head_for_words_is_refused(head: str) -> None:
    config = copy.deepcopy(tiny.network("bert").config)
    config.num_labels = config.vocab_size  # as many labels as words: the shapes would fit
    network = getattr(transformers, head)(config)
    with pytest.raises(UserError, match=f"is a {head}, which does not answer with the logits of words alone"):
        wrap_model(network, tiny.tokenizer("wordpiece"), name="x")


def test_a_class_of_ones_own_with_a_head_is_taken() -> None:
    class Own(transformers.BertForMaskedLM):
        """A user's subclass, of which transformers knows nothing."""

    network = Own(tiny.network("bert").config)
    model = wrap_model(network, tiny.tokenizer("wordpiece"), name="own", options=RunOptions(cache=False))
    assert len(model.fill("[MASK] is a nurse.", ["he", "she"])) == 2


def test_what_is_no_network_is_refused() -> None:
    with pytest.raises(UserError, match="was given as the network of 'x'"):
        wrap_model(tiny.tokenizer("wordpiece"), tiny.network("bert"), name="x")


@pytest.mark.parametrize("choice", [{"precision": "fp8"}, {"executor": "nowhere"}])
def test_options_of_a_wrapped_model_are_checked_too(choice: dict[str, str]) -> None:
    with pytest.raises(UserError, match="There is no"):
        wrap_model(tiny.network("bert"), tiny.tokenizer("wordpiece"), name="x", options=RunOptions(**choice))
