"""The table of pronoun resolution: hidden pronouns, and the rows base, O, U, UO, A, AO."""

import copy
from pathlib import Path

import pandas as pd

from equipoise.corpora.documents import Document, Problems, Where
from equipoise.corpora.named import CorpusTexts
from equipoise.measuring import measure
from equipoise.mitigations.resolution import PronounResolution
from equipoise.models.loading import wrap_model
from equipoise.models.options import RunOptions
from equipoise.models.random_weights import random_parts
from equipoise.studies.resolving import HeldOutPronouns, pronoun_items, resolution_study
from equipoise.studies.steps import Keeping, read_study

TEXT = "Ellen said that she was late, but her brother had lost his keys on day {}."


def documents(count: int) -> tuple[Document, ...]:
    return tuple(
        Document(f"d{number}", TEXT.format(number), {}, Where("x", number)) for number in range(count)
    )


def test_every_pronoun_is_an_item_with_all_of_them_hidden() -> None:
    items = pronoun_items(documents(1))
    assert (
        list(items["text"])
        == ["E1 said that [MASK] was late, but [MASK] brother had lost [MASK] keys on day 0."] * 3
    )
    assert items[["blank", "right", "other"]].to_numpy().tolist() == [
        ["0", "she", "he"],
        ["1", "her", "his"],
        ["2", "his", "her"],
    ]


def test_the_share_is_that_of_the_models_own_answers() -> None:
    network, words = random_parts()
    model = wrap_model(copy.deepcopy(network), words, name="small", options=RunOptions(cache=False))
    items = pronoun_items(documents(7))
    result = measure(model, HeldOutPronouns(), data=items)
    right = []
    for row in items.to_dict("records"):
        ids = words(row["text"], return_tensors="pt")
        place = (ids["input_ids"][0] == words.mask_token_id).nonzero()[int(row["blank"]), 0]
        logits = network(**ids).logits[0, place]
        pair = words.convert_tokens_to_ids([row["right"], row["other"]])
        right.append(float(logits[pair[0]] > logits[pair[1]]))
    assert result.value("right") == sum(right) / len(right)


def test_the_table_has_every_row(tmp_path: Path) -> None:
    network, words = random_parts()
    model = wrap_model(network, words, name="small", options=RunOptions(device="cpu", cache=False))
    corpus = CorpusTexts(documents(30), "made", Problems())
    method = PronounResolution(epochs=1, patience=1, rates="1e-3", batch_tokens=600)
    study = resolution_study(model, corpus, method=method, keeping=Keeping(tmp_path / "study"))
    rows = study.table[(study.table["key"] == "right")].set_index("arm")["mean"]
    assert list(rows.index) == ["base", "O", "U", "UO", "A", "AO"]
    assert rows["U"] == rows["UO"]
    is_skew = (study.table["key"] == "skew") & (study.table["level"] == "2")
    skew = study.table[is_skew].set_index("arm")["mean"]
    assert skew["base"] != skew["O"]
    assert study.sentences[0] == "24 documents to tune on, 6 held out with 18 pronouns."
    assert study.sentences[2].startswith("U: ")
    tuned = study.table[study.table["arm"] == "U"]
    assert set(tuned["seeds"]) == {3}
    assert tuned["seed_sd"].notna().all()
    assert read_study(tmp_path / "study")["tables"] == ["resolution.csv"]
    assert isinstance(study.table, pd.DataFrame)
