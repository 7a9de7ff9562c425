"""The table of pronoun resolution: hidden pronouns, and the rows base, O, U, UO, A, AO."""

import copy
from pathlib import Path

import pandas as pd
import pytest

from equipoise.corpora.documents import Document, Problems, Where
from equipoise.corpora.opening import CorpusTexts
from equipoise.errors import UserError
from equipoise.measuring import measure
from equipoise.mitigations.resolution import PronounResolution
from equipoise.models.loading import load_model
from equipoise.models.loading.networks import random_parts, wrap_model
from equipoise.models.options import RunOptions
from equipoise.models.questions import Fill
from equipoise.studies.steps import Keeping, read_study
from equipoise.studies.training.arms import Arm, seconds_to_answer, training_seconds
from equipoise.studies.training.resolving import (
    TABLE_2_KEYS,
    HeldOutPronouns,
    pronoun_items,
    readable,
    resolution_study,
    resolution_tables,
    sampled,
)

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
    keeping = Keeping(tmp_path / "study", models=True)
    study = resolution_study(model, corpus, method=method, keeping=keeping)
    rows = study.table[(study.table["key"] == "right")].set_index("arm")["mean"]
    # Held-out pronouns are not asked with a prior, so that these arms have no accuracy of their own.
    assert list(rows.index) == ["base", "U", "A"]
    assert list(study.papers["table-2"]["arm"]) == ["base", "O", "U", "UO", "A", "AO"]
    assert list(study.papers["table-2"].columns) == [
        *("arm", "source", "F1 male pro", "F1 male anti", "F1 female pro", "F1 female anti"),
        *("mean |stereotype|", "mean |skew|", "note"),
    ]
    assert list(study.papers["table-1"].columns)[2:] == [
        *(f"type {kind} ability F1 {pole}" for kind in "12" for pole in ("male", "female")),
        "held-out pronouns right",
    ]
    is_skew = (study.table["key"] == "skew") & (study.table["level"] == "2")
    skew = study.table[is_skew].set_index("arm")["mean"]
    assert skew["base"] != skew["O"]
    assert study.sentences[0] == "24 documents to tune on, 6 held out with 18 pronouns."
    assert study.sentences[2].startswith("U: ")
    tuned = study.table[study.table["arm"] == "U"]
    assert set(tuned["seeds"]) == {3}
    assert tuned["seed_sd"].notna().all()
    assert read_study(tmp_path / "study")["tables"] == ["table-2.csv", "table-1.csv", "resolution.csv"]
    kept = sorted(path.name for path in (tmp_path / "study" / "models").iterdir())
    assert kept == [f"{arm}-{seed}" for arm in "AU" for seed in range(3)]
    assert load_model(tmp_path / "study" / "models" / "U-0").fingerprint != model.fingerprint


def test_texts_that_are_too_long_for_the_model_are_not_asked() -> None:
    network, words = random_parts()
    model = wrap_model(network, words, name="small", options=RunOptions(device="cpu", cache=False))
    long = Document("long", TEXT * 40, {}, Where("x", 9))
    items = pronoun_items([*documents(1), long])
    assert items["document"].nunique() == 2
    assert readable(items, model)["document"].unique().tolist() == ["d0"]
    with pytest.raises(UserError, match="Every held-out text is longer"):
        readable(pronoun_items([long]), model)


def test_held_out_pronouns_are_sampled_by_whole_documents() -> None:
    items = pronoun_items(documents(30))
    drawn = sampled(items, 10)
    assert len(drawn) == 9
    assert drawn["document"].nunique() == 3
    assert sampled(items, 0) is items
    pd.testing.assert_frame_equal(sampled(items, 10), drawn)


def test_the_plan_counts_every_row_that_is_asked_and_every_pass_over_the_text() -> None:
    """The speed is measured once, so that the times of two plans have the ratio of their rows."""
    network, words = random_parts()
    model = wrap_model(network, words, name="small", options=RunOptions(device="cpu", cache=False))
    she, he = (Fill(f"{start} said that [MASK] was late.", ("he", "she")) for start in ("She", "He"))
    once, twice, both = (seconds_to_answer(model, asked) for asked in ([she], [she, she], [she, he]))
    assert twice == once
    assert both == pytest.approx(2 * once)
    ways = [
        PronounResolution(flipped=flipped, rates=rates) for flipped, rates in ((False, "1"), (True, "1,2"))
    ]
    corpus = CorpusTexts(documents(30), "made", Problems())
    one, four = (training_seconds(Arm("x", way, corpus), model) for way in ways)
    assert four == pytest.approx(4 * one)


def test_the_rows_in_print_stand_below_the_arms_of_bert_only() -> None:
    keys = ("ability-f1-first", "ability-f1-second", *TABLE_2_KEYS)
    rows = [
        {
            "arm": arm,
            "key": key,
            "label": key,
            "by": "type",
            "level": kind,
            "mean": 1.0,
            "low": 0.0,
            "high": 2.0,
        }
        for arm in ("base", "U")
        for key in keys
        for kind in "12"
    ]
    table = pd.DataFrame(rows)
    printed = resolution_tables(table, "models/bert-base-uncased")
    assert printed["table-2"]["arm"].tolist() == ["base", "BERT", "U", "BERT-U"]
    assert printed["table-2"].iloc[3, 2:].tolist() == [
        *("67.8", "63.4", "14.1", "2.8", "57.2", "7.9", "stereotype and skew are exchanged in print"),
    ]
    assert printed["table-1"].iloc[3, 2:].tolist() == ["76.6", "65.8", "90.1", "88.6", "0.64"]
    assert resolution_tables(table, "other")["table-2"]["arm"].tolist() == ["base", "U"]
