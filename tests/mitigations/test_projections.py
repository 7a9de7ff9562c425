"""Projections: folded maps give what mapped states would give, and what they remove is gone."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tiny
import torch

from equipoise.errors import UserError
from equipoise.mitigating import mitigate
from equipoise.mitigations import mitigation_class
from equipoise.mitigations.base import Materials
from equipoise.mitigations.distilling.network import UpperLayers
from equipoise.mitigations.oscar import Oscar, gender_direction, occupation_direction
from equipoise.mitigations.projecting import PRONOUNS, with_map, word_vectors
from equipoise.mitigations.projections import DirectionRemoval
from equipoise.models.loading import load_model
from equipoise.models.loading.networks import wrap_model
from equipoise.models.options import RunOptions
from equipoise.models.questions import MEAN_WITH_SPECIAL, Embed, Fill, Score
from equipoise.models.wrappers.layer_map import LayerMapped
from equipoise.stats.erasure import Affine


def loaded(family: str = "bert") -> Any:
    words = tiny.tokenizer(tiny.TOKENIZER_OF.get(family, "wordpiece"))
    return wrap_model(tiny.network(family), words, name=family, options=RunOptions(cache=False))


@pytest.mark.parametrize("family", ["bert", "roberta", "distilbert"])
def test_a_folded_map_is_the_map_of_the_states(family: str) -> None:
    model = loaded(family)
    rng = np.random.default_rng(0)
    mapped = Affine(rng.normal(size=(32, 32)), rng.normal(size=32))
    changed = with_map(model, mapped, "test")
    hidden = torch.tensor(rng.normal(size=(5, 32)), dtype=torch.float32)
    before, after = (UpperLayers(one.transformers_model, 1) for one in (model, changed))
    expected = before.logits(torch.tensor(mapped.of(hidden.double().numpy()), dtype=torch.float32))
    torch.testing.assert_close(after.logits(hidden), expected, atol=1e-3, rtol=1e-3)


@pytest.mark.parametrize("name", ["direction-removal", "sentence-projection", "leace", "inlp"])
def test_a_projection_changes_a_copy(name: str) -> None:
    model = loaded()
    before = model.fingerprint
    changed = mitigation_class(name)().change(model, Materials())
    assert model.fingerprint == before != changed.model.fingerprint
    asked = [Fill("[MASK] is a doctor.", ("he", "she"))]
    assert changed.model.answer(asked)[0].logprobs != model.answer(asked)[0].logprobs


def test_the_head_no_longer_sees_the_direction() -> None:
    model = loaded()
    changed = DirectionRemoval(pairs="he-she").change(model, Materials()).model
    vectors = word_vectors(model, PRONOUNS, 0)
    direction = np.linalg.svd(vectors.differences, full_matrices=False)[2][0]
    upper = UpperLayers(changed.transformers_model, 1)
    states = torch.tensor(vectors.male[:3], dtype=torch.float32)
    moved = states + 2.0 * torch.tensor(direction, dtype=torch.float32)
    torch.testing.assert_close(upper.logits(states), upper.logits(moved), atol=1e-4, rtol=1e-4)


def test_oscar_makes_occupations_orthogonal_to_gender() -> None:
    model: Any = load_model(cache=False)  # the shipped one: a small vocabulary has no pairs of one piece
    vocabulary = model.transformers_model.get_input_embeddings().weight.detach().double().numpy()
    gender = gender_direction(model.tokens, vocabulary)
    occupations = occupation_direction(model.tokens, vocabulary)
    changed = Oscar().change(model, Materials()).model.transformers_model
    turned = changed.get_input_embeddings().weight.detach().double().numpy()
    np.testing.assert_allclose(np.linalg.norm(turned, axis=1), np.linalg.norm(vocabulary, axis=1), rtol=1e-5)
    nurse = model.tokens.encode("nurse").ids[1]
    assert np.abs(turned[nurse] - vocabulary[nurse]).max() > 1e-4
    plane = np.linalg.svd(np.vstack([gender, occupations]))[2][2:]
    some = slice(None, None, 20)
    np.testing.assert_allclose(turned[some] @ plane.T, vocabulary[some] @ plane.T, atol=1e-5)
    old = model.transformers_model.get_output_embeddings().weight
    torch.testing.assert_close(changed.get_output_embeddings().weight, old)


@pytest.mark.parametrize(
    ("mitigation", "message"),
    [(DirectionRemoval(components=0), "components is 0"), (DirectionRemoval(pairs="he-shee"), "he-shee")],
)
def test_wrong_options_are_refused(mitigation: Any, message: str) -> None:
    with pytest.raises(UserError, match=message):
        mitigation.change(loaded(), Materials())


def test_oscar_needs_words_of_one_piece() -> None:
    with pytest.raises(UserError, match="where OSCaR needs 3"):
        Oscar().change(loaded(), Materials())


ASKED = "the nurse said that [MASK] was a doctor."


@pytest.mark.parametrize("family", ["bert", "roberta", "distilbert"])
def test_a_map_behind_a_layer_is_the_map_of_the_states_between_the_layers(family: str) -> None:
    model = loaded(family)
    rng = np.random.default_rng(0)
    mapped = Affine(np.eye(32) - np.outer(rng.normal(size=32), rng.normal(size=32)) / 8, rng.normal(size=32))
    outward, inward = mapped.removed()
    assert outward.shape == inward.shape == (1, 32)
    changed = LayerMapped(model, 1, outward.tolist(), inward.tolist(), mapped.shift.tolist())
    ids = torch.tensor([[5, 9, 7, 4], [6, 4, 8, 9]])
    attention = torch.ones_like(ids)
    apart = UpperLayers(model.transformers_model, model.layers - 1)
    between = mapped.of(apart.lower(ids, attention).double().numpy())
    expected = apart.logits(apart.upper(torch.tensor(between, dtype=torch.float32), attention)[1])
    with torch.no_grad():
        whole = changed.mapped.transformers_model(input_ids=ids, attention_mask=attention).logits[1]
    torch.testing.assert_close(whole, expected, atol=1e-4, rtol=1e-4)


def test_the_states_behind_a_layer_have_no_such_direction_any_more() -> None:
    model = loaded()
    changed = DirectionRemoval(pairs="he-she", layer=1).change(model, Materials()).model
    direction = np.linalg.svd(word_vectors(model, PRONOUNS, 0, 1).differences, full_matrices=False)[2][0]
    asked = [Embed("the nurse is a doctor", layer, pooling=MEAN_WITH_SPECIAL) for layer in (0, 1)]
    before, after = (np.array([one.vector for one in each.answer(asked)]) for each in (model, changed))
    np.testing.assert_allclose(after[0], before[0])
    assert abs(before[1] @ direction) > 1e-3
    assert abs(after[1] @ direction) < 1e-5
    np.testing.assert_allclose(after[1], before[1] - (before[1] @ direction) * direction, atol=1e-5)


@pytest.mark.parametrize("layer", [1, 2])
def test_a_map_that_takes_nothing_away_leaves_every_answer(layer: int) -> None:
    model = loaded()
    nothing = [[0.0] * 32]
    same = LayerMapped(model, layer, nothing, nothing, [0.0] * 32)
    asked = [Fill(ASKED, ("he", "she")), Score("the nurse is a doctor")]
    for one, other in zip(model.answer(asked), same.answer(asked), strict=True):
        np.testing.assert_allclose(other.logprobs, one.logprobs, atol=1e-5)
    assert same.fingerprint != model.fingerprint != same.mapped.fingerprint


@pytest.mark.parametrize("name", ["direction-removal", "sentence-projection", "leace", "inlp"])
def test_a_projection_at_a_layer_is_saved_as_a_recipe(name: str, tmp_path: Path) -> None:
    tiny.network("bert").save_pretrained(tmp_path / "model")
    tiny.tokenizer("wordpiece").save_pretrained(tmp_path / "model")
    changed = mitigate(load_model(tmp_path / "model", cache=False), mitigation_class(name)(layer=1))
    changed.save(tmp_path / "changed")
    again = load_model(tmp_path / "changed", cache=False)
    assert again.fingerprint == changed.model.fingerprint == changed.record["fingerprint"]
    asked = [Fill(ASKED, ("he", "she"))]
    answers = [one.answer(asked)[0].logprobs for one in (changed.model, again)]
    assert answers[0] == answers[1]
    assert answers[0] != load_model(tmp_path / "model", cache=False).answer(asked)[0].logprobs
    card = (tmp_path / "changed" / "README.md").read_text()
    assert "library_name: equipoise" in card
    assert "no plain weights can hold the map" in card


@pytest.mark.parametrize("layer", [-1, 3])
def test_a_layer_that_the_model_does_not_have_is_refused(layer: int) -> None:
    with pytest.raises(UserError, match=f"layer is {layer}, and 'bert' has 2"):
        DirectionRemoval(layer=layer).change(loaded(), Materials())
