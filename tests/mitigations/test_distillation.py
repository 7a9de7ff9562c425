"""Self-distillation: its targets are what averaging answers, it reaches them, and it keeps the rest."""

import copy
import re
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tiny
import torch
import transformers

from equipoise.corpora.documents import Document, Where
from equipoise.data.reading import own_table, read_table
from equipoise.errors import Cancelled, UserError
from equipoise.instruments.held_out import TEMPLATES, standing_alone
from equipoise.mitigations.base import Materials
from equipoise.mitigations.distillation import SelfDistillation
from equipoise.mitigations.distilling.contexts import KEPT, SLOT, Context, fillers, frame_contexts
from equipoise.mitigations.distilling.losses import TOLD, Head, averaged_targets, told_targets
from equipoise.mitigations.distilling.network import UpperLayers
from equipoise.mitigations.distilling.rows import batches, examples, partners_of, read_examples
from equipoise.mitigations.distilling.windows import document_contexts, neutral_contexts
from equipoise.models.loading.networks import wrap_model
from equipoise.models.options import Progress, RunOptions
from equipoise.models.questions import Fill
from equipoise.models.table import TableModel
from equipoise.models.wrappers.averaging import AveragedModel
from equipoise.text.gendered import FEMALE
from equipoise.text.rewriting.find.lexicon import load_lexicon
from equipoise.text.rewriting.mirroring import Mirror

MIRROR = Mirror()


@cache
def framed() -> list[Context]:
    """Contexts of every kind, drawn once: each is read by the rewriter."""
    return frame_contexts(MIRROR, 0, count=1500)


TEXTS = [
    "The nurse said that she would help the patient before he left the ward. Her mother was a pilot.",
    "They asked him whether the phlebotomist had called her back. He is a doctor and she is an engineer.",
]
DOCUMENTS = [Document(str(number), text, {}, Where("texts", number)) for number, text in enumerate(TEXTS)]


def loaded(family: str = "bert") -> Any:
    words = tiny.tokenizer(tiny.TOKENIZER_OF.get(family, "wordpiece"))
    return wrap_model(tiny.network(family), words, name=family, options=RunOptions(cache=False))


@pytest.mark.parametrize(
    "family", ["bert", "roberta", "distilbert", "xlm-roberta", "deberta-v2", "mpnet", "modernbert", "llama"]
)
def test_layers_run_apart_as_they_run_together(family: str) -> None:
    network = tiny.network(family)
    upper = UpperLayers(network, 1)
    ids = torch.tensor([[5, 6, 7, 8], [9, 10, 11, 12]])
    whole = network(input_ids=ids, attention_mask=torch.ones_like(ids)).logits
    hidden = upper.upper(upper.lower(ids, torch.ones_like(ids)), torch.ones_like(ids))
    torch.testing.assert_close(upper.logits(hidden[1]), whole[1])


@pytest.mark.parametrize("family", ["albert", "electra", "gpt2"])
def test_a_network_that_cannot_be_taken_apart_is_refused(family: str) -> None:
    with pytest.raises(UserError, match="cannot be run apart"):
        UpperLayers(tiny.network(family), 1)


def test_frames_with_two_people_hardly_ever_tell_a_gender() -> None:
    """A few occupations do, such as waiter; the frames themselves do not."""
    drawn = [one for one in framed() if one.kind == "two"]
    assert len(drawn) > 60
    same = [one for one in drawn if one.mirrored is not None and one.mirrored.text == one.text]
    assert len(same) > 0.9 * len(drawn)
    assert all(one.text.count("[MASK]") == 1 for one in drawn)


def test_definitional_frames_speak_of_both_sexes() -> None:
    told = [one.told for one in framed() if one.kind == "definitional"]
    assert 0.35 < told.count("male") / len(told) < 0.65


def test_words_for_a_woman_or_a_man_stand_in_the_frames_about_occupations() -> None:
    """There the turned text names the other sex, so that the target tells her from him by the noun alone."""
    gendered = [one for one in framed() if one.kind == "gendered"]
    closed = [one for one in gendered if one.text.endswith("closed the door and took off [MASK] shoes.")]
    assert closed
    nouns = {one.text.split()[1] for one in closed}
    turned = {one.mirrored.text.split()[1] for one in closed if one.mirrored}
    words = load_lexicon().words
    assert turned == {words[noun].partner for noun in nouns}
    assert {"policeman", "grandmother"} <= set(fillers("gendered"))
    assert not {"actor", "hero", "men", "boyhood"} & set(fillers("gendered"))


def test_frames_that_are_kept_speak_of_women_and_men_and_ask_for_something_else() -> None:
    drawn = [one for one in framed() if one.kind == "kept"]
    assert len(drawn) > 40
    assert all(one.mirrored is None for one in drawn)
    words = load_lexicon().words
    relatives = [word for one in drawn for word in fillers("relative") if re.search(rf"\b{word}\b", one.text)]
    assert len(relatives) == len(drawn)
    women = sum(words[word].side == FEMALE for word in relatives)
    assert 0.3 < women / len(drawn) < 0.7


def test_targets_are_what_averaging_answers() -> None:
    model = loaded()
    drawn = frame_contexts(MIRROR, 0, count=60)
    # The small vocabulary has no "hers", so that only a possessive's pairs are whole words on both sides.
    contexts = [one for one in drawn if one.mirrored is None or one.mirrored.is_possessive]
    rows = examples(contexts, model.tokens, longest=96, seed=0)
    upper = UpperLayers(model.transformers_model, 1)
    reads = read_examples(upper, rows, 0, lambda _tokens: None)
    partners = partners_of(model, MIRROR)
    targets, _ = averaged_targets(Head(upper), rows, reads, partners)
    words = ("he", "she", "his", "her")
    asked = [Fill(context.text, words, context.number) for context in contexts]
    # Frames that are kept have the old answer for their target, not the averaged one.
    answers = [
        own if context.kind == KEPT else averaged
        for context, own, averaged in zip(
            contexts, model.answer(asked), AveragedModel(model).answer(asked), strict=True
        )
    ]
    ids = [model.tokens.encode(word).ids[1] for word in words]
    for target, answer, context in zip(targets, answers, contexts, strict=True):
        expected = np.array(answer.logprobs)
        np.testing.assert_allclose(target[ids], expected, atol=1e-4, err_msg=context.text)


def test_a_definition_has_nine_tenths_of_the_gendered_words_on_its_side() -> None:
    """Proportions within a side, and the probability of all other words, stay what they were."""
    model = loaded()
    told = {"prostate": "male", "testicle": "male", "womb": "female", "pregnant": "female"}
    contexts = [one for one in framed() if one.kind == "definitional"]
    for word, gender in told.items():
        spoken = [one.told for one in contexts if re.search(rf"\b{word}\b", one.text)]
        assert spoken
        assert set(spoken) == {gender}
    rows = examples(contexts, model.tokens, longest=96, seed=0)
    partners = partners_of(model, MIRROR)
    size = len(tiny.tokenizer("wordpiece"))
    before = torch.log_softmax(torch.randn(len(rows), size, generator=torch.Generator().manual_seed(1)), -1)
    after = told_targets(before, rows, partners).exp().numpy()
    before = before.exp().numpy()
    men, women = partners.pairs[0].numpy()
    others = np.setdiff1d(np.arange(size), [*men, *women])
    raised = 0
    for row, old, new in zip(rows, before, after, strict=True):
        own, other = (men, women) if row.told == "male" else (women, men)
        share = old[own].sum() / (old[own].sum() + old[other].sum())
        if not row.told or share >= TOLD:
            np.testing.assert_array_equal(new, old)
            continue
        raised += 1
        both = old[own].sum() + old[other].sum()
        np.testing.assert_allclose(new[own], old[own] / old[own].sum() * both * 0.9, rtol=1e-4)
        np.testing.assert_allclose(new[other], old[other] / old[other].sum() * both * 0.1, rtol=1e-4)
        np.testing.assert_allclose(new[others], old[others], rtol=1e-6)
    assert raised > 100


def lean(model: Any, texts: list[str]) -> float:
    answers = model.answer([Fill(text, ("he", "she")) for text in texts])
    return float(np.mean([abs(answer.logprobs[0] - answer.logprobs[1]) for answer in answers]))


def test_tuning_levels_pronouns_and_leaves_the_model_it_was_given() -> None:
    model = loaded()
    before = model.fingerprint
    texts = [c.text for c in frame_contexts(MIRROR, 0, count=60) if c.mirrored and c.mirrored.text == c.text]
    texts = [text for text in texts if text.count("[MASK]") == 1]
    chosen = SelfDistillation(layers=2, epochs=12, rate=2e-3, frames=60, tokens=400)
    changed = chosen.change(model, Materials(documents=DOCUMENTS))
    assert lean(changed.model, texts) < 0.4 * lean(model, texts)
    assert model.fingerprint == before != changed.model.fingerprint
    assert "keep their old distribution" in changed.account[0]
    again = chosen.change(model, Materials(documents=DOCUMENTS))
    assert again.model.fingerprint == changed.model.fingerprint


def test_a_loss_that_is_no_number_stops_the_tuning() -> None:
    with pytest.raises(UserError, match="no longer a number"):
        SelfDistillation(layers=1, epochs=3, rate=1e30, frames=30).change(loaded(), Materials())


def test_a_corpus_without_a_gendered_word_is_refused() -> None:
    neutral = [document._replace(text="The doctor lost the keys of the teacher.") for document in DOCUMENTS]
    with pytest.raises(UserError, match=f"No short sentence of the {len(neutral)} documents"):
        SelfDistillation(layers=1, epochs=1, frames=30).change(loaded(), Materials(documents=neutral))
    unread = SelfDistillation(layers=1, epochs=1, frames=30, sentences=0)
    assert "only frames" in unread.change(loaded(), Materials(documents=neutral)).account[1]


class _StopAt:
    """Progress that is interrupted at a share of the work, as by a kill or by a caller who has enough."""

    def __init__(self, share: float) -> None:
        self.share, self.heard = share, 0.0

    def hear(self, progress: Progress) -> None:
        if progress.total:
            self.heard = progress.done / progress.total

    def is_reached(self) -> bool:
        return self.heard >= self.share


def test_a_stopped_tuning_goes_on_after_its_last_pass(tmp_path: Path) -> None:
    chosen = SelfDistillation(layers=1, epochs=4, rate=1e-3, frames=40, tokens=300)
    whole = chosen.change(loaded(), Materials(documents=DOCUMENTS))
    stop = _StopAt(0.8)
    options = RunOptions(cache=False, progress=stop.hear, is_cancelled=stop.is_reached)
    with pytest.raises(Cancelled):
        chosen.change(loaded(), Materials(documents=DOCUMENTS, options=options, workshop=tmp_path))
    (kept,) = (tmp_path / "self-distillation-0").glob("checkpoint-*")
    assert kept.name in ("checkpoint-1", "checkpoint-2", "checkpoint-3")
    went_on = chosen.change(loaded(), Materials(documents=DOCUMENTS, workshop=tmp_path))
    assert went_on.account == whole.account
    assert went_on.model.fingerprint == whole.model.fingerprint
    # Another course has other weights to come to: nothing of this one is used.
    for other in (replace(chosen, rate=5e-4), replace(chosen, layers=2)):
        fresh = other.change(loaded(), Materials(documents=DOCUMENTS, workshop=tmp_path))
        assert fresh.account == other.change(loaded(), Materials(documents=DOCUMENTS)).account


@pytest.mark.parametrize("model", [TableModel({}), AveragedModel(loaded())])
def test_what_has_no_weights_is_refused(model: Any) -> None:
    with pytest.raises(UserError, match="changes the weights of a masked model"):
        SelfDistillation().change(model, Materials())


def test_too_many_layers_are_refused() -> None:
    with pytest.raises(UserError, match="3 layers were to be tuned of a model with 2"):
        SelfDistillation(layers=3).change(loaded(), Materials())


@pytest.mark.parametrize(("layers", "tuned"), [(2, 2), (6, 4)])
def test_without_a_number_four_layers_are_tuned_or_all_that_there_are(layers: int, tuned: int) -> None:
    config = copy.deepcopy(tiny.network("bert").config)
    config.num_hidden_layers = layers
    upper = UpperLayers(transformers.BertForMaskedLM(config), 0)
    kept = [all(not one.requires_grad for one in layer.parameters()) for layer in upper.layers]
    assert kept == [True] * (layers - tuned) + [False] * tuned


def test_definitional_frames_are_never_taught_to_be_even() -> None:
    """They keep their distribution, or have a mirror image that speaks of the other sex (bride, groom)."""
    contexts = framed()
    definitional = [context for context in contexts if context.kind == "definitional"]
    assert all(one.mirrored is None or one.mirrored.text != one.text for one in definitional)
    neutral = [context for context in contexts if context.kind == "occupation"]
    assert sum(context.mirrored is not None for context in neutral) / len(neutral) > 0.97
    assert "nurse" in fillers("noun")


def test_a_document_gives_its_gendered_words() -> None:
    contexts = document_contexts(DOCUMENTS, MIRROR, count=4, seed=1)
    assert len(contexts) == 4
    for context in contexts:
        left, right = context.text.split("[MASK]")
        assert any(left in text and right in text for text in TEXTS)


def test_neutral_windows_hide_every_pronoun_and_exchange_people_for_occupations() -> None:
    texts = ["The old man said that he would not move his chair. Then Anna laughed at her brother's hat."] * 3
    documents = [Document(str(at), text, {}, Where("texts", at)) for at, text in enumerate(texts)]
    drawn = neutral_contexts(documents, MIRROR, count=6, seed=0)
    assert drawn
    for one in drawn:
        assert not re.search(r"\b(he|his|her|man|Anna|brother)\b", one.text)
        assert one.mirrored is not None
        assert one.mirrored.text == one.text
        assert one.text.count("[MASK]") == 1 + len(one.also)
    both = next(one for one in drawn if "chair" in one.text and " hat." in one.text)
    assert (both.mirrored.is_possessive, *both.also) == (False, (1, True), (2, True))


def test_no_composed_frame_shares_five_words_with_the_held_out_sentences() -> None:
    """Frames are put together from phrases: what stands in no table may still come out of two."""
    held_out = {
        run
        for text in (*read_table(TEMPLATES, ("template",))["template"], *standing_alone()["text"])
        for run in _runs(text)
    }
    table = own_table("distillation-frames.csv")
    shared = [
        f"{frame} {phrase}"
        for frame in table.loc[table["kind"].isin(("scene", "about")), "text"]
        for slot in SLOT.finditer(frame)
        if slot.group(1) in set(table["kind"])
        for phrase in fillers(slot.group(1))
        if _runs(frame[: slot.start()] + phrase + frame[slot.end() :]) & held_out
    ]
    assert not shared


def _runs(text: str) -> set[tuple[str, ...]]:
    words = re.findall(r"[a-z']+|<[a-z]+>", text.lower())
    return {tuple(words[at : at + 5]) for at in range(len(words) - 4)}


def test_batches_keep_to_their_budget_and_lose_nothing() -> None:
    lengths = [5, 30, 7, 5, 12, 9, 31, 4]
    made = batches(lengths, 40, np.random.default_rng(0))
    assert sorted(place for batch in made for place in batch) == list(range(len(lengths)))
    assert all(max(lengths[at] for at in batch) * len(batch) <= 40 for batch in made)
