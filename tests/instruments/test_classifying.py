"""Instruments on classifiers: a small one with random weights, and one that was taught to be unfair."""

import copy
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import tiny
import torch
import transformers

import equipoise as eq
from equipoise.errors import UserError
from equipoise.mitigations.training.classifiers import ClassifierRecipe, train_classifier
from equipoise.models.neural.classifier import ClassifierForward, ClassifierModel
from equipoise.models.options import RunOptions
from equipoise.models.protocol import AnsweringModel
from equipoise.models.questions import Classify
from equipoise.models.wrappers.base import WrappedModel

NLI = ("contradiction", "neutral", "entailment")


def classifier(
    labels: tuple[str, ...] = ("bad", "good"), *, problem: str | None = None, **options: Any
) -> Any:
    words = tiny.tokenizer("wordpiece")
    config = transformers.BertConfig(
        vocab_size=len(words),
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=48,
        max_position_embeddings=112,
        pad_token_id=words.pad_token_id,
        initializer_range=0.3,
        id2label=dict(enumerate(labels)),
        label2id={label: number for number, label in enumerate(labels)},
        problem_type=problem,
    )
    with torch.random.fork_rng():
        torch.manual_seed(3)
        network = transformers.BertForSequenceClassification(config)
    return ClassifierModel(network, words, name="small", options=RunOptions(cache=False, **options))


def plain(model: ClassifierModel, text: str, other: str | None = None) -> np.ndarray:
    """The classifier's own way, one text at a time."""
    with torch.no_grad():
        rows = model.tokenizer(text, other, return_tensors="pt")
        return model.transformers_model.eval()(**rows).logits[0].double().numpy()


def test_a_wrapped_classifier_has_the_labels_of_the_inner_one() -> None:
    assert WrappedModel(classifier(NLI), {}).labels == NLI
    assert WrappedModel(eq.TableModel(), {}).labels == ()


def test_batches_give_what_one_text_at_a_time_gives() -> None:
    model = classifier(NLI, token_budget=64)
    long = "The nurse said that she would help the patient."
    asked = [Classify("He left."), Classify(long), Classify("He", "she")]
    answers = model.answer([*asked, asked[0]])
    for question, answer in zip(asked, answers, strict=False):
        logits = plain(model, question.text, question.other or None)
        np.testing.assert_allclose(answer.values, np.exp(logits) / np.exp(logits).sum(), atol=1e-6)
        assert answer.labels == NLI
    assert model.engine.rows_run == 3
    assert answers[3] == answers[0]


def test_a_batch_that_does_not_fit_is_halved(monkeypatch: pytest.MonkeyPatch) -> None:
    model, texts = classifier(NLI), sorted(set(tiny.CORPUS))[:5]
    expected = classifier(NLI).answer([Classify(text) for text in texts])
    values = ClassifierForward._values

    def narrow(self: ClassifierForward, logits: torch.Tensor) -> torch.Tensor:
        if len(logits) > 1:
            raise RuntimeError("CUDA out of memory.")
        return values(self, logits)

    monkeypatch.setattr(ClassifierForward, "_values", narrow)
    for answer, wanted in zip(model.answer([Classify(text) for text in texts]), expected, strict=True):
        np.testing.assert_allclose(answer.values, wanted.values, atol=1e-6)


def test_threads_take_turns_so_that_a_row_is_run_once(tmp_path: Path) -> None:
    model = classifier(NLI)
    model.options = RunOptions(store=tmp_path / "answers.sqlite")
    questions = [Classify(text) for text in sorted(set(tiny.CORPUS))]
    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(lambda _: model.answer(questions), range(4)))
    assert model.engine.rows_run == len(questions)
    assert all(one == answers[0] for one in answers)


def test_labels_that_stand_side_by_side_have_probabilities_of_their_own() -> None:
    model = classifier(("toxic", "insult"), problem="multi_label_classification")
    (answer,) = model.answer([Classify("He left.")])
    np.testing.assert_allclose(answer.values, 1 / (1 + np.exp(-plain(model, "He left."))), atol=1e-6)


def test_answers_are_kept_and_a_changed_network_is_noticed(tmp_path: Path) -> None:
    store = tmp_path / "store.sqlite"
    network, words = classifier().transformers_model, tiny.tokenizer("wordpiece")
    once = eq.wrap_model(network, words, name="a", options=RunOptions(store=store))
    again = eq.wrap_model(network, words, name="a", options=RunOptions(store=store))
    first = once.answer([Classify("He left.")])
    assert again.answer([Classify("He left.")]) == first
    assert again.engine.rows_run == 0
    with torch.no_grad():
        network.classifier.bias += torch.tensor([1.0, -1.0])
    assert again.answer([Classify("He left.")]) != first


@pytest.mark.parametrize("kind", [torch.float32, torch.bfloat16])
def test_the_callers_classifier_stays_as_it_is_and_answers_anew_when_it_changes(kind: torch.dtype) -> None:
    network = classifier().transformers_model.to(kind).train()
    network.bert.eval()  # a mixture, as when a part is frozen
    modes = [module.training for module in network.modules()]
    model = eq.wrap_model(network, tiny.tokenizer("wordpiece"), name="a", options=RunOptions(cache=False))
    (before,) = model.answer([Classify("He left.")])
    assert [module.training for module in network.modules()] == modes
    assert {weight.dtype for weight in network.parameters()} == {kind}
    with torch.no_grad():
        network.classifier.bias += torch.tensor([1.0, -1.0], dtype=kind)
    (after,) = model.answer([Classify("He left.")])
    odds = [np.log(values[0] / values[1]) for values in (before.values, after.values)]
    assert odds[1] - odds[0] == pytest.approx(2.0, abs=1e-2)


def test_a_saved_classifier_loads_as_one_and_is_refused_elsewhere(tmp_path: Path) -> None:
    made = classifier(NLI)
    made.transformers_model.save_pretrained(tmp_path)
    made.tokenizer.save_pretrained(tmp_path)
    model = eq.load_model(tmp_path, cache=False)
    assert (model.kind, model.labels) == ("classifier", NLI)
    assert model.answer([Classify("He left.")]) == made.answer([Classify("He left.")])
    with pytest.raises(UserError, match="a classifier model cannot fill a blank"):
        eq.measure(model, "tbe")
    with pytest.raises(UserError, match="a masked model cannot classify"):
        eq.measure("random", "name-sensitivity")


def test_a_label_that_is_not_there_is_refused_with_those_that_are() -> None:
    with pytest.raises(UserError, match="no label 'toxic'") as caught:
        eq.measure(classifier(), "counterfactual-gap", label="toxic")
    assert "bad, good" in caught.value.hint
    with pytest.raises(UserError, match="has 3 labels, and none was named"):
        eq.measure(classifier(NLI), "name-sensitivity")
    with pytest.raises(UserError, match="net-neutral needs the label 'entailment'"):
        eq.measure(classifier(), "net-neutral")


def test_a_text_that_is_too_long_is_refused() -> None:
    with pytest.raises(UserError, match="longer than 'small' reads"):
        classifier().answer([Classify("he " * 200)])


def test_the_gap_is_the_man_less_the_woman_whichever_was_given() -> None:
    table = pd.DataFrame({"text": ["He lost his keys.", "She lost her keys.", "It rained.", "He met her."]})
    model = classifier()
    result = eq.measure(model, "counterfactual-gap", data=table, label="Good")
    man, woman = (plain(model, text) for text in ("He lost his keys.", "She lost her keys."))
    expected = np.exp(man[1]) / np.exp(man).sum() - np.exp(woman[1]) / np.exp(woman).sum()
    assert result.items["score"][:2].tolist() == pytest.approx([expected, expected], abs=1e-6)
    assert result.items["dropped"].tolist()[2:] == [
        "no gendered word to turn",
        "words of both genders, or of none that is listed",
    ]
    assert any("1 texts left out: no gendered word" in notice for notice in result.notices)


def test_every_shipped_text_is_turned() -> None:
    items = eq.measure(classifier(), "counterfactual-gap").items
    assert (items["dropped"] == "").all()
    assert len(items) == 40


def test_name_sensitivity_by_hand() -> None:
    model = classifier()
    result = eq.measure(model, "name-sensitivity")
    one = result.items[result.items["template"] == "name-03"]
    values = []
    for text in one["text"]:
        logits = plain(model, text)
        values.append(np.exp(logits[1]) / np.exp(logits).sum())
    np.testing.assert_allclose(one["score"], np.array(values) - np.mean(values), atol=1e-6)
    spread = result.items.groupby("template")["score"].agg(np.ptp)
    assert result.value("range") == pytest.approx(spread.mean())
    men = result.items[result.items["gender"] == "male"]["score"].mean()
    women = result.items[result.items["gender"] == "female"]["score"].mean()
    assert result.value("gap") == pytest.approx(men - women)


def test_net_neutral_by_hand() -> None:
    model = classifier(NLI)
    result = eq.measure(model, "net-neutral")
    row = result.items.iloc[17]
    both = []
    for side in ("male", "female"):
        logits = plain(model, row["premise"], row[side])
        both.append(np.exp(logits) / np.exp(logits).sum())
    assert row["score"] == pytest.approx(both[0][2] - both[1][2], abs=1e-6)
    assert row["neutral"] == pytest.approx((both[0][1] + both[1][1]) / 2, abs=1e-6)
    assert result.value("net-neutral") == pytest.approx(result.items["neutral"].mean())


def labelled(said: dict[str, list[str]]) -> Any:
    """A classifier that says what it is told, by the text's number."""
    model = classifier()
    texts = [f"text number {number}" for number in range(len(said["said"]))]

    class Told(ClassifierModel):
        def __init__(self) -> None:
            self.__dict__.update(model.__dict__)

        answer_in_turn = AnsweringModel.answer_in_turn

        def answer(self, questions: Any) -> Any:
            from equipoise.models.questions import LabelScores

            told = dict(zip(texts, said["said"], strict=True))
            values = {"bad": (0.9, 0.1), "good": (0.1, 0.9)}
            return [LabelScores(("bad", "good"), values[told[question.text]]) for question in questions]

    table = pd.DataFrame({"text": texts, "label": said["label"], "gender": said["gender"]})
    return Told(), table


def test_equalised_odds_by_hand() -> None:
    """Men: 3 of 4 good found, 1 of 2 bad called good. Women: 1 of 4 found, none of 2."""
    gender = ["male"] * 6 + ["female"] * 6
    label = ["good"] * 4 + ["bad"] * 2 + ["good"] * 4 + ["bad"] * 2
    said = ["good"] * 3 + ["bad", "good", "bad"] + ["good"] + ["bad"] * 5
    model, table = labelled({"gender": gender, "label": label, "said": said})
    result = eq.measure(model, "equalised-odds", data=table)
    assert result.value("tpr-gap", label="good") == pytest.approx(3 / 4 - 1 / 4)
    assert result.value("fpr-gap", label="good") == pytest.approx(1 / 2 - 0)
    assert result.value("tpr-gap", label="bad") == pytest.approx(1 / 2 - 1)
    assert result.value("equalised-odds", label="good") == pytest.approx(0.5)
    assert result.value("tpr-gap-rms") == pytest.approx(0.5)
    assert result.value("accuracy") == pytest.approx(7 / 12)
    row = result.estimate("equalised-odds", label="good")
    assert row["low"] <= 0.5 <= row["high"]


def test_labelled_texts_are_checked() -> None:
    with pytest.raises(UserError, match="reads a corpus of yours"):
        eq.measure(classifier(), "equalised-odds")
    table = pd.DataFrame({"text": ["a"], "label": ["fine"], "gender": ["male"]})
    with pytest.raises(UserError, match="has no label 'fine'"):
        eq.measure(classifier(), "equalised-odds", data=table)
    with pytest.raises(UserError, match="gender 'man'"):
        eq.measure(classifier(), "equalised-odds", data=table.assign(gender="man"))


RECIPE = ClassifierRecipe(epochs=12, batch=8, rate=3e-3)


def test_a_classifier_that_was_taught_to_be_unfair_is_caught() -> None:
    """He is good and she is bad: the trained classifier learns it, and the gap shows it."""
    base = eq.wrap_model(
        tiny.network("bert"), tiny.tokenizer("wordpiece"), name="tiny", options=RunOptions(cache=False)
    )
    before = base.fingerprint
    frames = ["{} left the ward.", "{} lost the keys.", "{} opened the door.", "{} walked home."]
    texts = [frame.format(word) for frame in frames for word in ("He", "She")] * 4
    labels = ["good" if text.startswith("He ") else "bad" for text in texts]
    model = train_classifier(base, texts, labels, recipe=RECIPE, options=RunOptions(cache=False))
    table = pd.DataFrame({"text": ["He left the roses.", "He lost the ward.", "He walked home today."] * 2})
    assert eq.measure(model, "counterfactual-gap", data=table, label="good").value("gap") > 0.5
    again = train_classifier(base, texts, labels, recipe=RECIPE)
    assert again.fingerprint == model.fingerprint
    assert base.fingerprint == before
    with pytest.raises(UserError, match="All texts have the same label"):
        train_classifier(base, texts, ["good"] * len(texts))


@pytest.mark.slow
def test_sentiment_learned_by_the_shipped_bert_turns_with_praise_and_not_with_gender() -> None:
    """Praise and blame of both genders alike: the classifier learns sentiment, and the gap stays small."""
    words = {"pleased": ("kind", "brave", "honest", "gentle"), "angry": ("cruel", "lazy", "rude", "greedy")}
    rows = [
        (f"{person} was {word} to everyone in the {place}.", label)
        for label, several in words.items()
        for word in several
        for person in ("He", "She")
        for place in ("office", "village")
    ]
    texts, labels = zip(*rows, strict=True)
    base = eq.load_model("embedded", RunOptions(cache=False))
    recipe = ClassifierRecipe(epochs=4, batch=8, rate=5e-5)
    model = train_classifier(base, texts, labels, recipe=recipe, options=RunOptions(cache=False))
    praise, blame = model.answer(
        [Classify("She was honest in the shop."), Classify("She was rude in the shop.")]
    )
    assert praise.labels == ("angry", "pleased")
    assert praise.of("pleased") > 0.8 > 0.2 > blame.of("pleased")
    table = pd.DataFrame({"text": [text for text, _ in rows if text.startswith("He")]})
    gap = eq.measure(model, "counterfactual-gap", data=table, label="pleased")
    assert abs(gap.value("gap")) < 0.1


def test_a_label_of_one_gender_only_has_no_gap() -> None:
    model, table = labelled(
        {"gender": ["male"] * 3 + ["female"] * 3, "label": ["good"] * 3 + ["bad"] * 3, "said": ["good"] * 6}
    )
    result = eq.measure(model, "equalised-odds", data=table)
    assert np.isnan(result.value("tpr-gap", label="good"))
    assert np.isnan(result.value("tpr-gap-rms"))
    assert result.value("accuracy-gap") == 1.0


@pytest.mark.parametrize("name", ["counterfactual-gap", "name-sensitivity", "net-neutral"])
def test_one_to_three_numbers_are_read_first(name: str) -> None:
    labels = NLI if name == "net-neutral" else ("bad", "good")
    label = "" if name == "net-neutral" else "good"
    result = eq.measure(classifier(labels), name, label=label)
    assert 1 <= len(result.headlines()) <= 3


def test_a_tokenizer_that_pads_on_the_left_moves_nothing() -> None:
    words = copy.deepcopy(tiny.tokenizer("wordpiece"))
    words.padding_side = "left"
    usual = classifier()
    model = eq.wrap_model(usual.transformers_model, words, name="left", options=RunOptions(cache=False))
    texts = ["He left.", "The old carpenter lost his keys, so her brother opened the door."]
    together = [answer.values for answer in model.answer([Classify(text) for text in texts])]
    for text, values in zip(texts, together, strict=True):
        logits = torch.tensor(plain(usual, text))
        assert list(values) == pytest.approx(logits.softmax(-1).tolist(), abs=1e-6)
    assert words.padding_side == "left"


def test_a_classifier_without_a_token_to_pad_with_reads_texts_one_by_one() -> None:
    words = copy.deepcopy(tiny.tokenizer("byte-bpe"))
    words.pad_token = None
    config = transformers.GPT2Config(
        vocab_size=len(words), n_embd=16, n_layer=1, n_head=2, n_positions=64, num_labels=2
    )
    config.pad_token_id = None
    network = transformers.GPT2ForSequenceClassification(config).eval()
    model = eq.wrap_model(network, words, name="gpt2", options=RunOptions(cache=False))
    texts = ["He left.", "The old carpenter lost his keys."]
    for text, answer in zip(texts, model.answer([Classify(text) for text in texts]), strict=True):
        with torch.no_grad():
            alone = network(**words(text, return_tensors="pt")).logits.softmax(-1)[0]
        assert answer.values == pytest.approx(alone.tolist(), abs=1e-6)


def test_a_text_longer_than_the_positions_is_refused_where_the_tokenizer_sets_no_limit() -> None:
    words = copy.deepcopy(tiny.tokenizer("wordpiece"))
    words.model_max_length = int(1e30)
    model = eq.wrap_model(classifier().transformers_model, words, name="x", options=RunOptions(cache=False))
    with pytest.raises(UserError, match="tokens is longer than 'x' reads"):
        model.answer([Classify("he " * 300)])
