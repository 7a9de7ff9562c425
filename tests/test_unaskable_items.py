"""An item that a model cannot be asked is dropped and counted; the others keep their numbers."""

from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import transformers
from tokenizers import Tokenizer, models, pre_tokenizers

from equipoise.data.poles import load_poles
from equipoise.errors import UserError
from equipoise.instruments.base import Settings
from equipoise.measuring import audit, audit_fitting, measure
from equipoise.models.loading import load_model
from equipoise.models.loading.networks import wrap_model
from equipoise.models.options import RunOptions
from equipoise.results import Result

JOINS = "the tokenizer joins the asked word to its neighbours"
TOO_LONG = "the text is longer than the model reads"
PROFESSIONS = "profession,category,gender,percent_women\nnurse,work,,87\npilot,work,,9\n"
SEPARABLE = (
    "t1,work,subject,[MASK] is a <profession>\n",
    "t2,work,subject,the <profession> and [MASK] is a nurse\n",
)
JOINED = ("t3,work,object,the <profession> is [MASK].\n", "t4,work,object,a <profession> is [MASK].\n")


def split_at_spaces() -> Any:
    """A model whose tokenizer splits at spaces only: a period belongs to the word before it."""
    asked = [word for words in load_poles("pronouns").words.values() for word in words]
    plain = ["nurse", "pilot", "is", "a", "the", "and", *asked]
    written = [*plain, *(word.capitalize() for word in plain)]
    listed = dict.fromkeys(["[PAD]", "[UNK]", "[MASK]", *written, *(f"{word}." for word in written)])
    backend = Tokenizer(models.WordLevel({word: place for place, word in enumerate(listed)}, "[UNK]"))
    backend.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    tokenizer = transformers.PreTrainedTokenizerFast(
        tokenizer_object=backend, pad_token="[PAD]", unk_token="[UNK]", mask_token="[MASK]"
    )
    config = transformers.BertConfig(
        vocab_size=len(listed),
        hidden_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=16,
        max_position_embeddings=32,
    )
    network = transformers.BertForMaskedLM(config).eval()
    return wrap_model(network, tokenizer, name="split at spaces", options=RunOptions(cache=False))


def settings_for(folder: Path, *templates: str) -> Settings:
    (folder / "templates.csv").write_text("id,category,form,template\n" + "".join(templates))
    (folder / "professions.csv").write_text(PROFESSIONS)
    return Settings(data=str(folder))


def scores(result: Result) -> dict[str, float]:
    kept = result.items[result.items["dropped"] == ""]
    return dict(zip(kept["text"], kept["score"], strict=True))


def test_an_item_that_cannot_be_separated_is_dropped_and_counted(tmp_path: Path) -> None:
    model = split_at_spaces()
    result = measure(model, "tbe", settings_for(tmp_path, *SEPARABLE, JOINED[0]))
    joined = result.items["text"].str.endswith("[MASK].")
    assert joined.sum() >= 2
    assert set(result.items["dropped"][joined]) == {JOINS}
    assert set(result.items["dropped"][~joined]) == {""}
    counted = f"{joined.sum()} of {len(result.items)} items were dropped: {JOINS} ({joined.sum()})"
    assert counted in result.notices
    alone = scores(measure(model, "tbe", settings_for(tmp_path, *SEPARABLE)))
    assert {text: scores(result)[text] for text in alone} == pytest.approx(alone)


def test_an_instrument_that_loses_most_of_its_items_is_refused(tmp_path: Path) -> None:
    model = split_at_spaces()
    chosen = {"tbe": settings_for(tmp_path, SEPARABLE[0], *JOINED)}
    refusal = rf"tbe: \d+ of \d+ items cannot be asked of 'split at spaces'.*{JOINS}"
    with pytest.raises(UserError, match=refusal):
        measure(model, "tbe", chosen["tbe"])
    pairs = pd.DataFrame(
        {
            "category": ["occupation", "neutral"],
            "stereotype": ["she is a nurse", "the nurse and the pilot"],
            "counterpart": ["he is a nurse", "the pilot and the nurse"],
        }
    )
    results, left_out = audit_fitting(model, ["tbe", "sbe"], chosen | {"sbe": Settings(data=pairs)})
    assert [one.instrument for one in results] == ["sbe"], left_out
    assert "cannot be asked" in left_out["tbe"].message


def test_a_text_that_is_too_long_is_dropped_and_every_result_is_told_once() -> None:
    model: Any = load_model("random", cache=False)
    whole = measure(model, "traits")
    lengths = whole.items["text"].map(lambda text: len(model.encode(text).ids))
    model.max_length = int(lengths.max()) - 1
    told: list[str] = []
    one, other = audit(model, ["traits", "disco"], tell=lambda result: told.append(result.instrument))
    assert sorted(told) == ["disco", "traits"]
    assert (one.instrument, other.instrument) == ("traits", "disco")
    is_long = lengths.eq(lengths.max())
    assert 0 < is_long.sum() < len(lengths) / 2
    assert one.items["dropped"].eq(TOO_LONG).tolist() == is_long.tolist()
    expected = whole.items["score"].mask(is_long)
    assert one.items["score"].tolist() == pytest.approx(expected.tolist(), nan_ok=True, abs=1e-5)


def test_a_model_that_can_be_asked_nothing_is_refused() -> None:
    model: Any = load_model("random", cache=False)
    model.max_length = 1
    for instrument in ("weat", "traits"):
        with pytest.raises(UserError, match=r"can be asked none of the items|items cannot be asked"):
            measure(model, instrument)
