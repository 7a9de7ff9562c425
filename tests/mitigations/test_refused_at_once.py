"""What a mitigation refuses before any work is done, and what it says."""

import copy
import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pandas as pd
import pytest
import tiny
import torch
import transformers
from command_line import run

from equipoise.corpora.documents import Document, Where
from equipoise.errors import UserError
from equipoise.mitigating import mitigate
from equipoise.mitigations import MITIGATIONS, mitigation_class
from equipoise.mitigations.base import Materials, presets_of, set_options
from equipoise.mitigations.counterfactual import Counterfactual
from equipoise.mitigations.distillation import SelfDistillation
from equipoise.mitigations.head_refit import HeadRefit
from equipoise.mitigations.resolution import PronounResolution
from equipoise.mitigations.saving import card
from equipoise.mitigations.training.examples import Example
from equipoise.mitigations.training.masking import MaskedWords, Vocabulary
from equipoise.mitigations.training.recipe import Recipe
from equipoise.mitigations.training.running import TrainingSet, train
from equipoise.models.loading import load_model
from equipoise.models.loading.networks import wrap_model
from equipoise.models.options import RunOptions
from equipoise.text.rewriting import Rewriter

WRAPPERS = {"counterfactual-averaging", "prior-normalisation", "self-debias"}
PEOPLE = "The doctor said that he was late."


def model_of(family: str) -> Any:
    words = tiny.tokenizer(tiny.TOKENIZER_OF.get(family, "wordpiece"))
    options = RunOptions(cache=False, device="cpu")
    return wrap_model(copy.deepcopy(tiny.network(family)), words, name="tiny", options=options)


def documents(text: str, count: int = 12) -> list[Document]:
    return [Document(f"d{one}", f"{text} It was day {one}.", {}, Where("x", one)) for one in range(count)]


@pytest.mark.parametrize("name", sorted(MITIGATIONS.keys() - WRAPPERS - {"counterfactual"}))
def test_a_model_that_it_cannot_change_is_refused_at_once(name: str) -> None:
    with pytest.raises(UserError, match=r"is a causal model|cannot be run apart"):
        mitigation_class(name)().check(model_of("gpt2"), Materials(documents(PEOPLE)))


@pytest.mark.parametrize("mitigation", [HeadRefit(), SelfDistillation(epochs=1)])
def test_a_vocabulary_without_english_pronouns_is_refused_at_once(mitigation: Any) -> None:
    """Of a German model no row would be moved, and a folder be saved in which nothing changed."""
    letters = "abcdefghijklmnopqrstuvwxyz"
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    entries = [*special, "er", "sie", "ist", ".", *letters, *(f"##{letter}" for letter in letters)]
    words = transformers.BertTokenizerFast(vocab={entry: place for place, entry in enumerate(entries)})
    config = copy.deepcopy(tiny.network("bert").config)
    config.vocab_size = len(words)
    network = transformers.BertForMaskedLM(config)
    german = wrap_model(network, words, name="german", options=RunOptions(cache=False))
    for refuse in (mitigation.check, mitigation.change):
        with pytest.raises(UserError, match="no pair of gendered English words of one piece"):
            refuse(german, Materials())


@pytest.mark.parametrize(
    ("mitigation", "said"),
    [
        (Counterfactual(), "None of the 11 documents holds a gendered word"),
        (HeadRefit(), "No short sentence of the 12 documents holds a gendered word"),
        (PronounResolution(), "too few texts with a gendered pronoun"),
    ],
)
def test_a_corpus_without_a_gendered_word_is_refused_at_once(mitigation: Any, said: str) -> None:
    model = model_of("bert")
    mitigation.check(model, Materials(documents("He told her, she told him.")))
    with pytest.raises(UserError, match=said):
        mitigation.check(model, Materials(documents("The house was cold.")))
    assert model.engine.rows_run == 0


def test_words_that_no_coin_turned_are_told_from_a_corpus_without_any() -> None:
    only = documents(PEOPLE, 1)
    seed = next(
        one for one in range(99) if not Rewriter("substitute", seed=one).rewrite(only[0].text).changes
    )
    table = pd.DataFrame({"text": [only[0].text]})
    with pytest.raises(UserError, match=rf"Mode substitute with seed {seed} changes none of the 1 documents"):
        mitigate(model_of("bert"), Counterfactual(validation=0), corpus=table, text="text", seed=seed)


def test_a_search_of_rates_takes_no_single_rate_and_needs_held_out_text() -> None:
    materials = Materials(documents(PEOPLE))
    with pytest.raises(UserError, match="searches the rates 2e-5,5e-5") as error:
        PronounResolution(learning_rate=1e-3).check(model_of("bert"), materials)
    assert error.value.hint == "Give rates=0.001 to train with that one."
    with pytest.raises(UserError, match="validation is 0"):
        PronounResolution(validation=0, patience=0).change(model_of("bert"), materials)


def test_held_out_text_that_has_no_loss_ends_the_run() -> None:
    network = copy.deepcopy(tiny.network("bert"))
    network.bert.embeddings.position_embeddings.weight.data[20:] = torch.nan
    short, long = (Example((2, *range(6, 6 + length), 3), (-1, *range(length), -1)) for length in (6, 30))
    objective = MaskedWords(Vocabulary.of(tiny.tokenizer("wordpiece")))
    materials = Materials(options=RunOptions(device="cpu"))
    with pytest.raises(UserError, match="not a number before anything was trained"):
        train(network, TrainingSet([short], [long]), objective, Recipe(), materials, name="x")


def test_a_card_names_the_preset_whose_options_it_has() -> None:
    paper = set_options(Counterfactual, ("sentences=5",), "bartl2020-paper")
    assert presets_of(paper) == ["bartl2020-paper"]
    assert presets_of(Counterfactual()) == []
    record = {"library": "transformers", "mitigation": "counterfactual", "method": "", "price": []}
    record |= {
        "base": {"name": "a", "fingerprint": "b"},
        "versions": {},
        "account": [],
        "options": {"epochs": 3},
    }
    record |= {"fingerprint": "c", "seed": 0}
    assert "As in the preset `bartl2020-paper`" in card(record | {"presets": presets_of(paper)})
    assert "preset" not in card(record)


def test_a_stopped_command_with_several_seeds_goes_on_at_the_next_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source, out, texts = tmp_path / "source", tmp_path / "out", tmp_path / "texts.txt"
    tiny.network("bert").save_pretrained(source)
    tiny.tokenizer("wordpiece").save_pretrained(source)
    texts.write_text("\n".join(one.text for one in documents(PEOPLE)))
    given = ["mitigate", "counterfactual", "--model", source, "--corpus", texts, "--device", "cpu"]
    given += ["--set", "mode=invert", "--json", "--out", out, "--seeds"]
    assert run(*given, "0") == 0
    made = (out / "seed-0" / "model.safetensors").stat().st_mtime_ns
    capsys.readouterr()
    assert run(*given, "0,1") == 0
    told = capsys.readouterr()
    assert f"{out / 'seed-0'}: finished before." in told.err
    assert (out / "seed-0" / "model.safetensors").stat().st_mtime_ns == made
    assert [one["seed"] for one in json.loads(told.out)] == [0, 1]
    assert run(*given, "0,1,2", "--set", "epochs=2") == 2
    assert f"Error: {out / 'seed-0'} exists." in capsys.readouterr().err
    assert not (out / "seed-2").exists()
    assert run(*given, "1,1") == 2
    assert "--seeds 1,1 names a number twice." in capsys.readouterr().err
    assert run(*given, "3,-1") == 2
    assert "The seed is -1." in capsys.readouterr().err


def test_a_wrapper_whose_model_is_gone_says_what_it_wraps(tmp_path: Path) -> None:
    source = tmp_path / "source"
    tiny.network("bert").save_pretrained(source)
    tiny.tokenizer("wordpiece").save_pretrained(source)
    mitigate(source, "counterfactual-averaging").save(tmp_path / "wrapper")
    source.rename(tmp_path / "elsewhere")
    with pytest.raises(UserError, match="wrapper' is a recipe around a model that cannot be loaded"):
        load_model(tmp_path / "wrapper")


@pytest.mark.parametrize(
    ("name", "said"),
    [("counterfactual", "not a number"), ("leace", "answers NaN"), ("direction-removal", "answers NaN")],
)
def test_a_model_whose_weights_are_no_numbers_gives_no_other_one(name: str, said: str) -> None:
    model = model_of("bert")
    model.transformers_model.bert.encoder.layer[1].output.dense.weight.data[0, 0] = torch.nan
    mitigation = mitigation_class(name)()
    with pytest.raises(UserError, match=said):
        mitigation.change(model, Materials(documents(PEOPLE), options=model.options))


@pytest.mark.parametrize("name", ["counterfactual-averaging", "prior-normalisation", "self-debias"])
def test_a_wrapper_refuses_a_model_that_fills_no_blank(name: str) -> None:
    classifier = SimpleNamespace(name="spam", kind="classifier", capabilities=frozenset({"classify"}))
    with pytest.raises(UserError, match="cannot change 'spam': a classifier model fills no blank"):
        mitigation_class(name)().check(classifier, Materials())
