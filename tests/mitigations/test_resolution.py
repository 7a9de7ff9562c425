"""Pronoun resolution: what is hidden and asked, and the split before the copies."""

import numpy as np
import pytest
import tiny
import torch
import transformers

from equipoise.corpora.documents import Document, Where
from equipoise.errors import UserError
from equipoise.mitigations.base import Materials
from equipoise.mitigations.resolution import (
    HiddenPronouns,
    PronounResolution,
    anonymous_texts,
    pronoun_examples,
)
from equipoise.mitigations.training.masking import Vocabulary
from equipoise.models.loading.networks import wrap_model
from equipoise.models.neural.words import Tokens
from equipoise.models.options import RunOptions

TEXTS = (
    "Ellen said that she was late, but her brother Philip had lost his keys.",
    "Nobody knew why the windows were open.",
    "The nurse told Robert that he could go, and they thanked her brother.",
)


def documents(texts: tuple[str, ...] = TEXTS) -> list[Document]:
    return [Document(f"d{number}", text, {}, Where("x.txt", number)) for number, text in enumerate(texts)]


def test_names_become_entities_and_copies_stand_beside() -> None:
    plain = anonymous_texts(documents(), flipped=False)
    assert plain[0] == "E1 said that she was late, but her brother E2 had lost his keys."
    both = anonymous_texts(documents(), flipped=True)
    assert both[1] == "E1 said that he was late, but his sister E2 had lost her keys."
    assert len(both) == 5  # a text without a gendered word has no copy


def test_every_pronoun_is_asked_for_what_stood_there() -> None:
    words = tiny.tokenizer("wordpiece")
    (first, second) = pronoun_examples(anonymous_texts(documents(), flipped=False), Tokens(words, "x"), 96)
    for example, expected in (
        (first, [("she", "he"), ("her", "his"), ("his", "her")]),
        (second, [("he", "she"), ("her", "his")]),
    ):
        asked = [
            tuple(words.convert_ids_to_tokens([right, other]))
            for right, other in zip(example.right, example.other, strict=True)
        ]
        assert asked == expected
        assert [example.ids[place] for place in example.places] == list(example.right)
    vocabulary = Vocabulary.of(words)
    batch = HiddenPronouns(vocabulary).batch([first, second], [np.random.default_rng(0)] * 2)
    hidden = batch["ids"][batch["rows"], batch["positions"]]
    assert (hidden == words.mask_token_id).all()
    assert int((batch["ids"] == words.mask_token_id).sum()) == 5
    assert pronoun_examples(TEXTS[:1], Tokens(words, "x"), 5) == []


def test_right_is_who_prefers_the_pronoun_of_the_right_gender() -> None:
    words = tiny.tokenizer("wordpiece")
    examples = pronoun_examples(anonymous_texts(documents(), flipped=False), Tokens(words, "x"), 96)
    objective = HiddenPronouns(Vocabulary.of(words))
    batch = objective.batch(examples, [np.random.default_rng(0)] * 2)
    scores = torch.zeros(5, len(words))
    for row, label in enumerate(batch["labels"][:3]):
        scores[row, label] = 2.0
    judged = objective.judge(lambda _: scores, batch)
    assert judged.right.tolist() == [True, True, True, False, False]
    ratio = np.exp(2.0) / (np.exp(2.0) + len(words) - 1)
    expected = [-np.log(ratio)] * 3 + [np.log(len(words))] * 2
    assert np.allclose(judged.losses.numpy(), expected, atol=1e-5)


def test_the_better_of_two_rates_is_kept() -> None:
    """A rate that learns nothing and one that learns which pronoun follows a word."""
    texts = tuple(
        f"{'The nurse' if number % 2 else 'The doctor'} said that {'she' if number % 2 else 'he'} would help "
        f"before the concert{' today' * (number % 5)}."
        for number in range(40)
    )
    words = tiny.tokenizer("wordpiece")
    config = transformers.BertConfig(
        vocab_size=len(words),
        hidden_size=32,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=64,
        max_position_embeddings=96,
    )
    options = RunOptions(cache=False, device="cpu")
    model = wrap_model(transformers.BertForMaskedLM(config).eval(), words, name="tiny", options=options)
    settings = PronounResolution(epochs=10, patience=10, flipped=False, rates="1e-9,1e-2", batch_tokens=150)
    changed = settings.change(model, Materials(documents(texts), options=RunOptions(device="cpu")))
    assert "40 pronouns" not in changed.account[0]
    assert "32 pronouns to train on, 8 with 8 held out" in changed.account[0]
    by_rate = [
        line.split("% right) after")[0].split()[-1] for line in changed.account if "% right) after" in line
    ]
    assert len(by_rate) == 2
    assert changed.account[-1] == f"Kept: {max(by_rate, key=float)}% of held-out pronouns right."
    assert model.fingerprint != changed.model.fingerprint


def test_too_few_pronouns_are_said() -> None:
    model = wrap_model(tiny.network("bert"), tiny.tokenizer("wordpiece"), name="tiny")
    nobody = documents(tuple(f"Nobody opened window {number}." for number in range(6)))
    with pytest.raises(UserError, match="too few texts with a gendered pronoun"):
        PronounResolution().change(model, Materials(nobody))
    with pytest.raises(UserError, match="Give learning rates"):
        PronounResolution(rates="fast").change(model, Materials(documents(TEXTS * 5)))
