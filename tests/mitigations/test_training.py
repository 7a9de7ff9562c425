"""The trainer: masks from seed and example, heads at places, resuming after a kill, early stopping, LoRA."""

import copy
import json
import os
import resource
import signal
import subprocess
import sys
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pandas as pd
import pytest
import tiny
import torch
import transformers

from equipoise.corpora.documents import Document, Where
from equipoise.errors import Cancelled, UserError
from equipoise.mitigations.base import Materials
from equipoise.mitigations.training import Example, MaskedWords, Recipe, Trained, TrainingSet, train
from equipoise.mitigations.training.batches import HELD_OUT, Batches, cut_points
from equipoise.mitigations.training.checkpoints import full_disk_explained, last_checkpoint
from equipoise.mitigations.training.examples import encode_examples, split_documents, text_pieces
from equipoise.mitigations.training.head import HeadAtPlaces
from equipoise.mitigations.training.masking import Vocabulary
from equipoise.models.engine.forward import padded
from equipoise.models.neural.words import Tokens
from equipoise.models.options import RunOptions

QUICK = Recipe(epochs=2, learning_rate=1e-3, batch_tokens=50)


def examples_of(family: str = "bert") -> list[Example]:
    words = tiny.tokenizer(tiny.TOKENIZER_OF.get(family, "wordpiece"))
    return encode_examples(tiny.CORPUS[:10], Tokens(words, family), 96)


def objective_of(family: str = "bert", **given: Any) -> MaskedWords:
    return MaskedWords(Vocabulary.of(tiny.tokenizer(tiny.TOKENIZER_OF.get(family, "wordpiece"))), **given)


def counted(number: int) -> Example:
    """Ids that count up from one place to the next, which a network can learn."""
    start, length = 5 + 3 * number % 20, 8 + number % 4
    ids = (2, *range(start, start + length), 3)
    return Example(ids, (-1, *range(length), -1))


COUNTED = [counted(number) for number in range(16)]
NUMBERS = MaskedWords(Vocabulary(4, 0, np.arange(5, 40)))


@cache
def counting() -> Any:
    """A network whose vocabulary is the same in every process, as that of a tokenizer trained here is not."""
    config = transformers.BertConfig(
        vocab_size=40,
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=48,
        max_position_embeddings=32,
    )
    with torch.random.fork_rng():
        torch.manual_seed(7)
        return transformers.BertForMaskedLM(config).eval()


def trained(recipe: Recipe = QUICK, *, seed: int = 0, workshop: Path | None = None, held: int = 4) -> Trained:
    data = TrainingSet(COUNTED[held:], COUNTED[:held])
    materials = Materials(seed=seed, workshop=workshop, options=RunOptions(device="cpu"))
    return train(copy.deepcopy(counting()), data, NUMBERS, recipe, materials, name="tiny")


def test_masks_are_those_of_bert() -> None:
    """15 % chosen; of them 80 % hidden, 10 % replaced, 10 % left, within four standard errors."""
    objective = objective_of()
    mask = tiny.tokenizer("wordpiece").mask_token_id
    (example,) = examples_of()[:1]
    content = sum(word >= 0 for word in example.words)
    draws = [objective.mask(example, np.random.default_rng(seed)) for seed in range(1500)]
    fates = [
        "hidden" if ids[place] == mask else "left" if ids[place] == example.ids[place] else "replaced"
        for ids, places in draws
        for place in places
    ]
    assert len(fates) == 1500 * max(1, round(0.15 * content))
    for fate, share in (("hidden", 0.8), ("replaced", 0.1), ("left", 0.1)):
        error = (share * (1 - share) / len(fates)) ** 0.5
        assert (
            abs(fates.count(fate) / len(fates) - share) < 4 * error + 1 / 150
        )  # a replacement may be the same
    assert all(
        ids[place] == example.ids[place]
        for ids, places in draws
        for place in range(len(ids))
        if place not in places
    )
    assert all(example.words[place] >= 0 for _, places in draws for place in places)


def test_replacements_are_ordinary_words() -> None:
    words = tiny.tokenizer("wordpiece")
    assert not set(Vocabulary.of(words).ordinary.tolist()) & set(words.all_special_ids)


def test_whole_words_are_hidden_together() -> None:
    objective = objective_of(whole_words=True, share=0.3)
    words = [(0, 0, 0, 1, 2, 2, 3, 4), (0, 1, 1, 1, 1, 1, 2)]
    for numbers in words:
        example = Example(tuple(range(10, 10 + len(numbers))), numbers)
        for seed in range(50):
            _, places = objective.mask(example, np.random.default_rng(seed))
            for word in {numbers[place] for place in places}:
                assert {place for place, own in enumerate(numbers) if own == word} <= set(places)


def test_pads_are_neither_attended_nor_labels() -> None:
    batches = Batches(examples_of(), objective_of(), tokens=400, seed=3)
    for number in range(len(batches)):
        batch = batches[0, number]
        padding = tiny.tokenizer("wordpiece").pad_token_id
        assert torch.equal(batch["attention"] == 0, batch["ids"] == padding)
        assert batch["attention"][batch["rows"], batch["positions"]].all()
        assert (batch["labels"] != padding).all()


def test_padding_changes_no_loss() -> None:
    """The same example alone and beside a longer one."""
    short, long = sorted(examples_of(), key=len)[:: len(examples_of()) - 1]
    objective, network = objective_of(), tiny.network("bert")
    head = HeadAtPlaces(network)
    alone = objective.batch([short], [np.random.default_rng(5)])
    beside = objective.batch([short, long], [np.random.default_rng(5), np.random.default_rng(6)])
    first = objective.judge(lambda batch: head(network, batch), alone).losses
    both = objective.judge(lambda batch: head(network, batch), beside).losses
    assert torch.allclose(first, both[: len(first)], atol=1e-5)


def test_batches_fit_the_budget_and_lose_nobody() -> None:
    batches = Batches(examples_of() * 7, objective_of(), tokens=90, seed=1)
    for epoch in (0, 1, HELD_OUT):
        assert sorted(batches.order(epoch)) == list(range(70))
        for number in range(len(batches)):
            assert batches[epoch, number]["ids"].numel() <= 90
    assert list(batches.order(0)) != list(batches.order(1))
    assert cut_points([3, 3, 3, 10, 50], 20) == [0, 3, 4, 5]


def test_masks_come_from_seed_epoch_and_example() -> None:
    """Whoever shares the batch: the budget changes the batches and not the masks."""
    examples = examples_of()

    def masks(tokens: int, seed: int, epoch: int) -> set[tuple[Any, ...]]:
        batches = Batches(examples, objective_of(), tokens=tokens, seed=seed)
        made = [batches[epoch, number] for number in range(len(batches))]
        return {tuple(int(one) for one in row[row != 0]) for batch in made for row in batch["ids"]}

    assert masks(40, 0, 0) == masks(300, 0, 0)
    assert masks(40, 0, 0) != masks(40, 0, 1)
    assert masks(40, 0, 0) != masks(40, 1, 0)


@pytest.mark.parametrize("family", tiny.MASKED_FAMILIES)
def test_the_head_at_places_gives_what_the_whole_gives(family: str) -> None:
    network = copy.deepcopy(tiny.network(family))
    examples = examples_of(family)[:3]
    ids, attention = padded(
        [one.ids for one in examples], tiny.tokenizer(tiny.TOKENIZER_OF.get(family, "wordpiece")).pad_token_id
    )
    batch = {
        "ids": ids,
        "attention": attention,
        "rows": torch.tensor([0, 1, 2, 2]),
        "positions": torch.tensor([1, 2, 3, 1]),
    }
    hooks = [len(module._forward_hooks) for module in network.modules()]  # transformers may have its own
    head = HeadAtPlaces(network)
    assert head._seam is not None
    expected = network(input_ids=ids, attention_mask=attention).logits[batch["rows"], batch["positions"]]
    assert torch.allclose(head(network, batch), expected, atol=1e-4)
    head(network, batch).sum().backward()
    assert all(weight.grad is None or torch.isfinite(weight.grad).all() for weight in network.parameters())
    assert [len(module._forward_hooks) for module in network.modules()] == hooks


def test_the_wide_half_of_berts_last_layer_is_asked_only_where_something_is_hidden() -> None:
    network = copy.deepcopy(tiny.network("bert"))
    seen: list[tuple[int, ...]] = []
    wide = network.base_model.encoder.layer[-1].intermediate
    wide.register_forward_hook(lambda _module, given, _output: seen.append(tuple(given[0].shape[:2])))
    head = HeadAtPlaces(network)
    seen.clear()
    ids = torch.arange(12).view(3, 4)
    places = {"rows": torch.tensor([0, 2]), "positions": torch.tensor([1, 3])}
    head(network, {"ids": ids, "attention": torch.ones_like(ids), **places})
    assert seen == [(1, 2)]


def test_training_lowers_the_loss_and_leaves_the_given_network() -> None:
    before = copy.deepcopy(counting().state_dict())
    done = trained(replace(QUICK, epochs=12, learning_rate=5e-3))
    assert all(torch.equal(weight, counting().state_dict()[name]) for name, weight in before.items())
    assert done.losses["loss"].iloc[-3:].mean() < done.losses["loss"].iloc[:3].mean() - 0.3
    assert list(done.validation["epoch"]) == list(range(13))
    assert np.allclose(np.exp(done.validation["loss"]), done.validation["perplexity"])
    assert not done.network.training


def test_validation_is_the_mean_over_places() -> None:
    """Worked out in a plain loop with the network that came out."""
    done = trained()
    held, objective = COUNTED[:4], NUMBERS
    losses = []
    for number, example in enumerate(held):
        ids, places = objective.mask(example, np.random.default_rng((0, HELD_OUT, number)))
        with torch.no_grad():
            scores = done.network(input_ids=torch.tensor([ids])).logits[0].log_softmax(-1)
        losses += [-float(scores[place, example.ids[place]]) for place in places]
    assert done.validation["loss"].iloc[-1] == pytest.approx(np.mean(losses), abs=1e-5)
    assert done.validation["places"].iloc[-1] == len(losses)


def test_every_epoch_is_trained_with_masks_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[int, int]] = []
    made = Batches.__getitem__

    def noted(self: Batches, key: tuple[int, int]) -> Any:
        asked.append(key)
        return made(self, key)

    monkeypatch.setattr(Batches, "__getitem__", noted)
    trained()
    of_epoch = [sorted(number for epoch, number in asked if epoch == wanted) for wanted in (0, 1)]
    assert of_epoch[0] == of_epoch[1] == list(range(len(of_epoch[0])))


def test_a_seed_gives_the_same_losses_and_another_seed_others() -> None:
    torch.manual_seed(1)
    first = trained().losses["loss"]
    torch.manual_seed(2)
    assert list(trained().losses["loss"]) == list(first)
    assert list(trained(seed=1).losses["loss"]) != list(first)


def test_the_callers_generators_stay_as_they_are() -> None:
    torch.manual_seed(11)
    np.random.seed(12)
    expected = torch.rand(1), np.random.rand()
    torch.manual_seed(11)
    np.random.seed(12)
    trained()
    assert torch.rand(1) == expected[0]
    assert np.random.rand() == expected[1]


KILLED = """
import os, signal, sys
sys.path.insert(0, {tests!r})
from pathlib import Path
import mitigations.test_training as here
from equipoise.mitigations.training import trainer

class Killer(trainer.Watch):
    def on_step_end(self, args, state, control, **given):
        super().on_step_end(args, state, control, **given)
        if state.global_step == 7:
            os.kill(os.getpid(), signal.SIGKILL)

import equipoise.mitigations.training.running as running
running.Watch = Killer
here.trained(here.RESUMED, workshop=Path({room!r}))
"""

RESUMED = replace(QUICK, checkpoint_minutes=0.0)


def test_a_killed_run_resumes_to_the_same_losses(tmp_path: Path) -> None:
    """Killed in the middle of the second epoch; dropout and masks go on as if nothing had happened."""
    whole = trained(RESUMED, workshop=tmp_path / "whole").losses
    assert len(whole) == 8
    script = KILLED.format(tests=str(Path(__file__).parents[1]), room=str(tmp_path / "killed"))
    ended = subprocess.run([sys.executable, "-c", script], check=False, capture_output=True, text=True)
    assert ended.returncode == -signal.SIGKILL, ended.stderr
    checkpoint = last_checkpoint(tmp_path / "killed" / "tiny-0")
    assert checkpoint is not None
    assert checkpoint.name == "checkpoint-6"
    resumed = trained(RESUMED, workshop=tmp_path / "killed").losses
    assert list(resumed["step"]) == list(whole["step"])
    assert np.allclose(resumed["loss"], whole["loss"], atol=1e-6, rtol=0)
    state = json.loads((checkpoint.parent / f"checkpoint-{len(whole)}" / "trainer_state.json").read_text())
    assert state["global_step"] == len(whole)


def test_a_half_written_checkpoint_is_not_resumed_from(tmp_path: Path) -> None:
    trained(replace(RESUMED, epochs=1), workshop=tmp_path)
    room = tmp_path / "tiny-0"
    (room / "checkpoint-999").mkdir()
    (room / "checkpoint-999" / "model.safetensors").write_bytes(b"half")
    checkpoint = last_checkpoint(room)
    assert checkpoint is not None
    assert checkpoint.name != "checkpoint-999"
    assert not (room / "checkpoint-999").exists()


def test_another_recipe_does_not_go_on_from_these_checkpoints(tmp_path: Path) -> None:
    trained(QUICK, workshop=tmp_path)
    other = replace(QUICK, learning_rate=5e-4)
    again = trained(other, workshop=tmp_path).losses["loss"]
    assert list(again) == list(trained(other).losses["loss"])


def test_a_loss_that_is_no_number_ends_the_run_and_keeps_the_last_checkpoint(tmp_path: Path) -> None:
    class Breaking(MaskedWords):
        calls: ClassVar[list[int]] = [0]

        def judge(self, logits: Any, batch: Any) -> Any:
            judged = super().judge(logits, batch)
            if batch["ids"].requires_grad or torch.is_grad_enabled():
                self.calls[0] += 1
            return judged._replace(losses=judged.losses * float("nan")) if self.calls[0] > 6 else judged

    network = copy.deepcopy(counting())
    materials = Materials(workshop=tmp_path, options=RunOptions(device="cpu"))
    objective = Breaking(NUMBERS.vocabulary)
    with pytest.raises(UserError, match="no longer a number after 6 steps"):
        train(network, TrainingSet(COUNTED), objective, RESUMED, materials, name="tiny")
    checkpoint = last_checkpoint(tmp_path / "tiny-0")
    assert checkpoint is not None
    weights = transformers.BertForMaskedLM.from_pretrained(checkpoint).state_dict()
    assert all(torch.isfinite(weight).all() for weight in weights.values())


def test_a_gradient_that_is_no_number_ends_the_run_before_it_spoils_the_weights() -> None:
    class Steep(MaskedWords):
        def judge(self, logits: Any, batch: Any) -> Any:
            judged = super().judge(logits, batch)
            nothing = (judged.losses - judged.losses.detach()).abs().sqrt()  # 0, with an infinite slope
            return judged._replace(losses=judged.losses + nothing)

    network = copy.deepcopy(counting())
    materials = Materials(options=RunOptions(device="cpu"))
    with pytest.raises(UserError, match="no longer a number after 0 steps"):
        train(network, TrainingSet(COUNTED), Steep(NUMBERS.vocabulary), RESUMED, materials, name="tiny")
    assert all(torch.isfinite(weight).all() for weight in network.parameters())


def test_a_full_disk_ends_the_run_and_keeps_the_last_checkpoint(tmp_path: Path) -> None:
    """A limit on the size of files stands for the end of the disk."""
    trained(replace(RESUMED, epochs=1), workshop=tmp_path)
    room = tmp_path / "tiny-0"
    before = last_checkpoint(room)
    identity = room / "training.json"
    recipe = json.loads(identity.read_text())
    old = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, old[1]))
    try:
        recipe["recipe"]["epochs"] = 2  # the same training, which was to go on
        identity.write_text(json.dumps(recipe))
        with pytest.raises(UserError, match="A checkpoint cannot be written"):
            trained(RESUMED, workshop=tmp_path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, old)
    assert last_checkpoint(room) == before


@pytest.mark.parametrize(
    "said",
    [
        "[enforce fail at inline_container.cc:672] . unexpected pos 93120 vs 93008",
        "PytorchStreamWriter failed",
    ],
)
def test_torchs_own_words_for_a_full_disk_are_explained(said: str, tmp_path: Path) -> None:
    """As a file system of 600 kB made torch say it: no OSError, and nothing about a disk."""
    words = (
        "A checkpoint cannot be written to .*: a file ended before all of it was written, as on a full disk"
    )
    with pytest.raises(UserError, match=words), full_disk_explained(tmp_path):
        raise RuntimeError(said)
    with pytest.raises(RuntimeError, match="shapes"), full_disk_explained(tmp_path):
        raise RuntimeError("shapes do not fit")


def test_training_that_no_longer_helps_stops_and_gives_the_best_weights() -> None:
    """So high a rate makes the second and third epoch worse."""
    done = trained(Recipe(epochs=30, learning_rate=3e-2, batch_tokens=60, patience=2), held=4)
    losses = done.validation["loss"]
    assert len(losses) < 31
    best = int(losses.iloc[1:].idxmin())
    assert len(losses) == best + 3
    held, objective = COUNTED[:4], NUMBERS
    head = HeadAtPlaces(done.network)
    batches = Batches(held, objective, tokens=60, seed=0)
    with torch.no_grad():
        all_losses = torch.cat(
            [
                objective.judge(lambda batch: head(done.network, batch), batches[HELD_OUT, number]).losses
                for number in range(len(batches))
            ]
        )
    assert float(all_losses.mean()) == pytest.approx(losses[best], abs=1e-4)


def test_low_rank_changes_are_merged_into_plain_weights() -> None:
    done = trained(replace(QUICK, lora=2, learning_rate=1e-2, epochs=4))
    before, after = counting().state_dict(), done.network.state_dict()
    assert list(before) == list(after)
    changed = {name for name in before if not torch.equal(before[name], after[name])}
    assert changed
    assert all("attention" in name or "dense" in name for name in changed)
    name = "bert.encoder.layer.0.attention.self.query.weight"
    difference = (after[name] - before[name]).double()
    assert torch.linalg.matrix_rank(difference, tol=1e-4) == 2
    assert done.validation["loss"].iloc[-1] < done.validation["loss"].iloc[0]


def test_only_the_top_layers_change_when_asked() -> None:
    done = trained(replace(QUICK, top_layers=1))
    before, after = counting().state_dict(), done.network.state_dict()
    changed = {name for name in before if not torch.equal(before[name], after[name])}
    assert any(name.startswith("bert.encoder.layer.1.") for name in changed)
    assert not any("layer.0." in name or "word_embeddings" in name for name in changed)
    with pytest.raises(UserError, match="3 layers were asked for of a model with 2"):
        trained(replace(QUICK, top_layers=3))


def test_progress_is_told_and_a_cancelled_run_stops() -> None:
    told: list[Any] = []
    stop = RunOptions(device="cpu", progress=told.append, is_cancelled=lambda: len(told) >= 3)
    network = copy.deepcopy(counting())
    with pytest.raises(Cancelled, match="3 steps"):
        train(network, TrainingSet(COUNTED), NUMBERS, QUICK, Materials(options=stop), name="x")
    assert [(one.phase, one.done) for one in told][:3] == [("training", 1), ("training", 2), ("training", 3)]


def document(number: int, text: str = "He left. She stayed.") -> Document:
    return Document(f"d{number}", text, {}, Where("x.txt", number))


def test_documents_are_split_with_all_their_copies() -> None:
    documents = [document(number) for number in range(20)] + [
        document(number, "Twin.") for number in range(20)
    ]
    train_side, held = split_documents(documents, 0.2, seed=1)
    assert len(held) == 8
    assert not {one.id for one in train_side} & {one.id for one in held}
    assert split_documents(documents, 0.2, seed=1)[1] == held
    assert split_documents(documents, 0.2, seed=2)[1] != held
    with pytest.raises(UserError, match="3 documents is too small"):
        split_documents(documents[:3], 0.1, seed=0)
    assert split_documents(documents[:3], 0.0, seed=0) == (documents[:3], [])


def test_long_texts_are_cut_at_words_and_nothing_is_lost() -> None:
    words = tiny.tokenizer("wordpiece")
    text = " ".join(tiny.CORPUS[:10])
    whole = words(text)["input_ids"][1:-1]
    parts = encode_examples([text], Tokens(words, "tiny"), 20)
    assert all(len(part) <= 20 for part in parts)
    assert [number for part in parts for number in part.ids[1:-1]] == whole
    assert all(part.ids[0] == words.cls_token_id and part.ids[-1] == words.sep_token_id for part in parts)
    starts = [words.convert_ids_to_tokens(part.ids[1]) for part in parts]
    assert not any(start.startswith("##") for start in starts)


def test_texts_are_read_as_sentences_or_whole() -> None:
    texts = ["He left. She stayed.", "Nobody came."]
    assert list(text_pieces(texts, "sentence")) == ["He left.", "She stayed.", "Nobody came."]
    assert list(text_pieces(texts, "document")) == texts
    with pytest.raises(UserError, match="unit of text"):
        list(text_pieces(texts, "line"))


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"epochs": 0}, "epochs is 0"),
        ({"learning_rate": 3.0}, "learning-rate is 3"),
        ({"patience": 1, "validation": 0.0}, "early"),
        ({"lora": 2, "top_layers": 1}, "Both"),
    ],
)
def test_recipes_that_make_no_sense_are_refused(given: dict[str, Any], said: str) -> None:
    with pytest.raises(UserError, match=said):
        Recipe(**given)


def test_nothing_to_train_on_is_said() -> None:
    with pytest.raises(UserError, match="no text to train on"):
        train(None, TrainingSet([]), objective_of(), QUICK, Materials(), name="x")


def test_losses_have_a_row_for_every_step() -> None:
    done = trained()
    assert isinstance(done.losses, pd.DataFrame)
    assert list(done.losses["step"]) == list(range(1, len(done.losses) + 1))
    assert done.losses["learning_rate"].is_monotonic_decreasing
    assert os.environ.get("EQUIPOISE_CACHE")


def test_a_warm_up_longer_than_the_run_is_cut_and_said() -> None:
    """The preset deng2022 warms up for 1,000 steps: a run of 8 would hardly begin."""
    cut, plain = (trained(replace(QUICK, warmup=warmup)) for warmup in (1000.0, 0.0))
    steps = len(cut.losses)
    # The rate rises from 0 over a third of the steps, then falls in a line.
    rising, rates = steps // 3, cut.losses["learning_rate"].to_numpy()
    assert rates[rising] == pytest.approx(QUICK.learning_rate)
    assert rates[-1] == pytest.approx(0, abs=QUICK.learning_rate / 4)
    assert cut.account()[0].startswith(f"Warm-up was cut from 1,000 to {rising} of {steps} steps")
    assert not any("Warm-up" in sentence for sentence in plain.account())
    first, last = cut.validation["loss"].iloc[[0, -1]]
    assert first - last > 0.01
    assert not any("Nothing was learnt" in sentence for sentence in cut.account())


def test_a_training_that_changed_nothing_says_so() -> None:
    idle = trained(replace(QUICK, learning_rate=1e-9))
    before, after = idle.validation["loss"].iloc[[0, -1]]
    assert f"is {after:.3f}, and it was {before:.3f}" in idle.account()[-1]
    assert idle.account()[-1].startswith(f"Nothing was learnt: after {len(idle.losses)} steps")
    assert "Nothing" not in " ".join(trained(held=0).account())


def test_the_history_has_every_step_and_every_look_at_held_out_text() -> None:
    run = trained()
    history = run.history
    assert list(history.groupby("text", sort=False).size()) == [len(run.losses), len(run.validation)]
    held = history[history["text"] == "held-out"]
    assert held["perplexity"].to_numpy() == pytest.approx(np.exp(run.validation["loss"]))
