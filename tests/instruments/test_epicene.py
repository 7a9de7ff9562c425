"""Epicene: agreement alone gives 0, a planted lean comes back, and sentences that leak are dropped."""

import json
import math
import re
from pathlib import Path

import pandas as pd
import pytest
import torch
import transformers
from command_line import run
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.normalizers import Lowercase
from tokenizers.pre_tokenizers import BertPreTokenizer
from tokenizers.processors import TemplateProcessing

import equipoise
from equipoise.data.sets.epicene import GERMAN, Agreement, load_epicene
from equipoise.data.sources import resolve
from equipoise.errors import UserError
from equipoise.models.protocol import LanguageModel

AGREEMENT = {"masculine": 2.0, "feminine": -1.5, "neuter": 0.3}
LEAN = {"men": 0.7, "women": -0.4, "mixed": 0.0, "": 0.0}


def sentences() -> pd.DataFrame:
    return load_epicene(resolve("", ("equipoise-epicene-de",), reader="test")).table


def model(leans: dict[str, float]) -> equipoise.TableModel:
    """It follows the noun's grammatical gender, and the field of work by so many nats."""
    fills = {}
    for row in sentences().to_dict("records"):
        ratio = AGREEMENT[row["agreement"]] + leans[row["majority"]]
        male = 1 / (1 + math.exp(-ratio))
        fills[row["text"]] = {"er": 0.6 * male, "sie": 0.6 * (1 - male)}
    return equipoise.TableModel(fills)


def test_no_shipped_sentence_leaks_and_every_noun_has_its_control() -> None:
    table = sentences()
    assert len(table) == 8 * 13 * 28
    assert (table["dropped"] == "").all()
    assert table["text"].is_unique
    assert set(table.loc[table["majority"] == "", "noun"]) == set(table["noun"])


def test_agreement_alone_gives_exactly_zero() -> None:
    result = equipoise.measure(model(dict.fromkeys(LEAN, 0.0)), "epicene")
    for key in ("lean", "mean-abs-lean", "stereotype"):
        estimate = result.estimate(key)
        assert (estimate["value"], estimate["low"], estimate["high"]) == (0.0, 0.0, 0.0)
    for gender, ratio in AGREEMENT.items():
        assert result.value("agreement", agreement=gender) == pytest.approx(ratio)


def test_a_planted_lean_comes_back() -> None:
    """Ten fields lean by .7, ten by -.4 and six by 0, whatever the noun's gender is."""
    result = equipoise.measure(model(LEAN), "epicene")
    assert result.value("lean") == pytest.approx((10 * 0.7 - 10 * 0.4) / 26)
    assert result.value("mean-abs-lean") == pytest.approx((10 * 0.7 + 10 * 0.4) / 26)
    assert result.value("stereotype") == pytest.approx(1.1)
    assert result.value("lean", profession="auf dem Bau") == pytest.approx(0.7)
    assert result.value("lean", profession="in einer Kita") == pytest.approx(-0.4)
    # Mann and Herr lean by 2, Frau and Dame by 1.5 to their own side.
    assert result.value("own-side") == pytest.approx((2.0 + 1.5) / 2)


@pytest.mark.parametrize(
    ("text", "leaks"),
    [
        ("{noun} arbeitet hier. Am Montag kam [MASK] zu spät.", []),
        ("{noun} fing gestern {field} an. Heute ruft [MASK] die Familie an.", []),
        ("{noun} arbeitet in der Klinik, und in Berlin wohnt [MASK] gern.", []),
        ("{noun}, der hier arbeitet, kam zu spät.", ["der"]),
        ("{noun} liebt seine Arbeit, und [MASK] bleibt.", ["seine"]),
        ("{noun} mag sein Auto.", ["sein"]),
        ("{noun} mag ihren Beruf.", ["ihren"]),
        ("{noun} ist Ärztin, und [MASK] kommt.", ["Ärztin"]),
        ("{noun} kennt Kolleginnen, seit [MASK] da ist.", ["Kolleginnen"]),
        ("{noun} kam, dieser Mensch blieb, und sie ging.", ["sie"]),
    ],
)
def test_words_that_agree_are_named(text: str, leaks: list[str]) -> None:
    assert Agreement(GERMAN / "agreement.csv").leaks(text) == leaks


def test_every_example_of_the_german_table_is_what_it_says() -> None:
    agreement = Agreement(GERMAN / "agreement.csv")
    for row in pd.read_csv(GERMAN / "agreement.csv").to_dict("records"):
        assert bool(agreement.leaks(row["example"])) == (row["kind"] == "agrees"), row


def test_a_frame_of_the_user_that_leaks_is_dropped_with_the_word(tmp_path: Path) -> None:
    rows = (
        'a,"{noun} arbeitet {field}, und seine Kollegen mögen [MASK]."',
        'b,"{noun} ist {field}, sagt [MASK]."',
    )
    (tmp_path / "frames.csv").write_text("\n".join(["id,template", *rows]) + "\n", "utf-8")
    result = equipoise.measure(equipoise.TableModel(words={"er": 0.2, "sie": 0.1}), "epicene", data=tmp_path)
    dropped = result.items.groupby("template")["dropped"].first()
    assert dropped["a"] == "agreement leak: 'seine' agrees with a noun"
    assert dropped["b"] == ""
    assert result.value("lean") == 0.0


def test_the_linter_names_every_agreeing_word_of_a_frame(tmp_path: Path, capsys) -> None:
    frames = tmp_path / "my-frames.csv"
    rows = 'a,"{noun} ist {field}, seine Kollegen mögen [MASK]."\nb,"{noun} ist {field}, sagt [MASK]."\n'
    frames.write_text(f"id,template\n{rows}", "utf-8")
    assert run("lint", frames, "--json") == 1
    (finding,) = json.loads(capsys.readouterr().out)["findings"]
    assert finding == {"line": 2, "id": "a", "code": "agreement", "finding": "'seine' agrees with a noun"}
    assert run("lint", GERMAN / "frames.csv") == 0
    assert "No findings in 8 frames" in capsys.readouterr().out


def french(folder: Path) -> Path:
    """The language that docs/extending.md adds, as a folder."""
    document = (Path(__file__).parents[2] / "docs" / "extending.md").read_text("utf-8")
    files = re.findall(r"^`(my-french/[\w.]+)`:.*?^```csv\n(.*?)^```$", document, re.MULTILINE | re.DOTALL)
    assert len(files) == 5
    (folder / "my-french").mkdir()
    for name, text in files:
        (folder / name).write_text(text, "utf-8")
    return folder / "my-french"


def test_the_language_of_the_docs_is_measured_and_linted_by_its_own_table(tmp_path: Path, capsys) -> None:
    folder = french(tmp_path)
    result = equipoise.measure(equipoise.TableModel(words={"il": 0.3, "elle": 0.1}), "epicene", data=folder)
    assert (result.value("lean"), result.value("stereotype")) == (0.0, 0.0)
    assert result.value("agreement", agreement="feminine") == pytest.approx(math.log(3))
    assert set(result.items["dropped"]) == {"", "agreement leak: 'arrivée' agrees with a noun"}
    assert run("lint", folder / "frames.csv") == 1
    assert "'arrivée' agrees with a noun" in capsys.readouterr().out


@pytest.mark.parametrize("lost", ["frames.csv", "agreement.csv"])
def test_a_language_that_lacks_a_file_is_refused(lost: str, tmp_path: Path) -> None:
    folder = french(tmp_path)
    (folder / lost).unlink()
    with pytest.raises(UserError, match=f"language of its own.* has no {lost}") as refused:
        equipoise.measure(equipoise.TableModel(words={"il": 0.3, "elle": 0.1}), "epicene", data=folder)
    assert lost in refused.value.hint


def test_data_without_sentences_are_refused(tmp_path: Path) -> None:
    model = equipoise.TableModel(words={"er": 0.2, "sie": 0.1})
    (tmp_path / "other.csv").write_text("id,template\na,{noun} sagt [MASK].\n", "utf-8")
    for given in (tmp_path, tmp_path / "other.csv", pd.DataFrame({"id": ["a"]})):
        with pytest.raises(UserError, match="holds no sentences for"):
            equipoise.measure(model, "epicene", data=given)
    (tmp_path / "agreement.csv").write_text("kind,pattern\nagrees,(\n", "utf-8")
    with pytest.raises(UserError, match=r"line 2: the pattern '\(' is not a regular expression"):
        equipoise.measure(model, "epicene", data=tmp_path)


def test_a_frame_without_a_slot_and_fields_without_a_control_are_refused(tmp_path: Path) -> None:
    model = equipoise.TableModel(words={"er": 0.2, "sie": 0.1})
    (tmp_path / "frames.csv").write_text("id,template\na,{noun} sagt [MASK].\n", "utf-8")
    with pytest.raises(UserError, match="line 2: 0 times"):
        equipoise.measure(model, "epicene", data=tmp_path)
    (tmp_path / "frames.csv").unlink()
    fields = "field,majority,category\nauf dem Bau,men,construction\n"
    (tmp_path / "fields.csv").write_text(fields, "utf-8")
    with pytest.raises(UserError, match="has no control"):
        equipoise.measure(model, "epicene", data=tmp_path)


def taught(lean: float) -> LanguageModel:
    """A small BERT that reads `er` and `sie` as often as agreement and the field of work say."""
    table = sentences()
    texts = [text.replace("[MASK]", "er sie") for text in table["text"]]
    split = BertPreTokenizer()
    known = sorted({word for text in texts for word, _ in split.pre_tokenize_str(text.lower())})
    vocabulary = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *known]
    core = Tokenizer(WordLevel({word: place for place, word in enumerate(vocabulary)}, unk_token="[UNK]"))
    core.normalizer, core.pre_tokenizer = Lowercase(), split
    core.post_processor = TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    special = {f"{name}_token": f"[{name.upper()}]" for name in ("pad", "unk", "cls", "sep", "mask")}
    words = transformers.PreTrainedTokenizerFast(tokenizer_object=core, **special)
    plus = {"men": lean, "women": -lean}
    ratio = [AGREEMENT[row.agreement] + plus.get(row.majority, 0.0) for row in table.itertuples()]
    chance = torch.sigmoid(torch.tensor(ratio))
    rows = words(table["text"].tolist(), return_tensors="pt", padding=True)
    places = (rows.input_ids == 4).nonzero()[:, 1]
    er, sie = vocabulary.index("er"), vocabulary.index("sie")
    with torch.random.fork_rng():
        torch.manual_seed(0)
        config = transformers.BertConfig(
            vocab_size=len(vocabulary), hidden_size=48, num_hidden_layers=2, num_attention_heads=4,
            intermediate_size=96, max_position_embeddings=40,
            hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0,
        )  # fmt: skip
        network = transformers.BertForMaskedLM(config)
        optimizer = torch.optim.AdamW(network.parameters(), lr=3e-3)
        for _ in range(400):
            part = torch.randint(len(table), (128,))
            wanted = torch.where(torch.rand(128) < chance[part], er, sie)
            read = network(input_ids=rows.input_ids[part], attention_mask=rows.attention_mask[part]).logits
            loss = torch.nn.functional.cross_entropy(read[torch.arange(128), places[part]], wanted)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    return equipoise.wrap_model(network.eval(), words, name=f"lean {lean}")


@pytest.mark.slow
def test_a_model_that_learnt_agreement_shows_none_and_one_that_learnt_a_lean_shows_it() -> None:
    plain, leaning = (equipoise.measure(taught(lean), "epicene") for lean in (0.0, 2.0))
    for result in (plain, leaning):
        assert result.value("agreement", agreement="masculine") > 1
        assert result.value("agreement", agreement="feminine") < -1
        assert result.value("own-side") > 1
    assert abs(plain.value("stereotype")) < 0.1
    assert leaning.estimate("stereotype")["low"] > 0.1
