"""The last layer by itself gives the states of the whole encoder, padding and all."""

import copy
from typing import Any

import pytest
import tiny
import torch

from equipoise.models.neural.network import Network

BUILT_LIKE_BERT = ("bert", "roberta", "xlm-roberta", "electra")


def padded_batch(vocabulary: int) -> tuple[torch.Tensor, torch.Tensor]:
    ids = torch.randint(5, vocabulary, (6, 9), generator=torch.Generator().manual_seed(3))
    attention = torch.ones_like(ids)
    for row, length in enumerate((9, 9, 7, 6, 4, 3)):
        attention[row, length:] = 0
    return ids, attention


@pytest.mark.parametrize("family", BUILT_LIKE_BERT)
@pytest.mark.parametrize("with_padding", [True, False])
def test_states_are_those_of_the_whole_encoder(family: str, with_padding: bool) -> None:
    network = Network(tiny.network(family))
    ids, mask = padded_batch(network.vocabulary)
    attention = mask if with_padding else None
    rows, positions = torch.arange(6), torch.tensor([8, 0, 6, 2, 3, 1])
    assert network.last is not None
    found = network.hidden_at(ids, attention, (rows, positions))
    with torch.inference_mode():
        whole = network.base(input_ids=ids, attention_mask=attention)[0]
    torch.testing.assert_close(found, whole[rows, positions], atol=1e-5, rtol=0)


def test_rows_read_at_several_positions_run_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    network = Network(tiny.network("bert"))
    ids, attention = padded_batch(network.vocabulary)
    rows, positions = torch.tensor([0, 0, 5]), torch.tensor([1, 4, 2])
    with torch.inference_mode():
        whole = network.base(input_ids=ids, attention_mask=attention)[0]
    monkeypatch.setattr(network.last, "states", None)
    found = network.hidden_at(ids, attention, (rows, positions))
    torch.testing.assert_close(found, whole[rows, positions], atol=1e-5, rtol=0)


def test_a_layer_that_computes_something_else_is_noticed_and_left_as_it_was() -> None:
    """The names are BERT's, the result is not: the encoder is run whole."""
    model = copy.deepcopy(tiny.network("bert"))
    layer = model.base_model.encoder.layer[-1]
    plain = layer.forward

    def larger(*given: Any, **named: Any) -> Any:
        return plain(*given, **named) * 1.1

    layer.forward = larger
    assert Network(model).last is None
    assert layer.forward is larger


def test_an_untouched_layer_is_left_untouched() -> None:
    model = copy.deepcopy(tiny.network("bert"))
    assert Network(model).last is not None
    assert "forward" not in vars(model.base_model.encoder.layer[-1])
