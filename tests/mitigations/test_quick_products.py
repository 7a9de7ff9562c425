"""Quick products give what torch's own give, and leave the network as it was."""

import copy

import pytest
import tiny
import torch
from torch import nn

from equipoise.mitigations.training import products
from equipoise.mitigations.training.products import SMALLEST, QuickLinear, is_onednn_quicker, quick_products


def outcome(layer: nn.Linear, given: torch.Tensor) -> list[torch.Tensor]:
    """The output of a layer and the gradients of a sum of squares over it."""
    asked = given.clone().requires_grad_()
    layer.zero_grad()
    output = layer(asked)
    output.square().sum().backward()
    gradients = [asked.grad, layer.weight.grad, *([] if layer.bias is None else [layer.bias.grad])]
    return [output.detach(), *(one.clone() for one in gradients if one is not None)]


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("shape", [(7, 5), (2, 3, 5), (1, 5), (5,)])
def test_a_quick_product_and_its_gradients_are_those_of_torch(shape: tuple[int, ...], bias: bool) -> None:
    torch.manual_seed(0)
    layer, given = nn.Linear(5, 11, bias=bias), torch.randn(shape)
    expected = outcome(layer, given)
    layer.__class__ = QuickLinear
    answers = outcome(layer, given)
    assert len(answers) == 4 if bias else 3
    for answer, wanted in zip(answers, expected, strict=True):
        assert answer.shape == wanted.shape
        assert torch.allclose(answer, wanted, rtol=1e-5, atol=1e-6)


def test_gradients_that_nobody_asks_are_not_made() -> None:
    layer = nn.Linear(5, 3).requires_grad_(False)
    given = torch.randn(4, 5, requires_grad=True)
    layer.__class__ = QuickLinear
    layer(given).sum().backward()
    assert layer.weight.grad is None
    assert given.grad is not None
    assert torch.allclose(given.grad, layer.weight.sum(0).expand(4, 5), atol=1e-6)


def test_other_number_formats_take_torchs_own_way() -> None:
    layer, given = nn.Linear(5, 3).double(), torch.randn(4, 5, dtype=torch.float64)
    layer.__class__ = QuickLinear
    assert torch.equal(layer(given), nn.functional.linear(given, layer.weight, layer.bias))


def test_the_quicker_library_is_chosen_for_large_layers_only() -> None:
    large, small = nn.Linear(512, 1024), nn.Linear(512, SMALLEST // 512 - 1)
    network = nn.Sequential(large, nn.ReLU(), nn.Linear(1024, 512), small)
    given = torch.randn(6, 512)
    expected = network(given)
    with quick_products(network):
        assert (type(large) is QuickLinear) == is_onednn_quicker(large)
        assert type(small) is nn.Linear
        assert torch.allclose(network(given), expected, atol=1e-5)
    assert type(large) is nn.Linear


def test_a_network_has_its_own_layers_back_even_after_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(products, "is_onednn_quicker", lambda _layer: True)
    network = copy.deepcopy(tiny.network("bert"))
    kinds = [type(module) for module in network.modules()]
    ids = torch.arange(6).view(1, 6)
    expected = network.eval()(input_ids=ids).logits
    with quick_products(network):
        assert sum(isinstance(module, QuickLinear) for module in network.modules()) >= 5
        assert torch.allclose(network(input_ids=ids).logits, expected, atol=1e-5)
    assert [type(module) for module in network.modules()] == kinds
    with pytest.raises(IndexError), quick_products(network):
        network(input_ids=ids + 10**6)
    assert [type(module) for module in network.modules()] == kinds
