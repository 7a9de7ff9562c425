"""Quick layers give what torch's own give, drop as often as they say, and leave the network as it was."""

import copy

import numpy as np
import pytest
import tiny
import torch
from torch import nn

from equipoise.mitigations.training.products import SMALLEST, QuickLinear, is_onednn_quicker
from equipoise.mitigations.training.quick_layers import QuickDropout, quick_layers


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
    with quick_layers(network):
        assert (type(large) is QuickLinear) == is_onednn_quicker(large)
        assert type(small) is nn.Linear
        assert torch.allclose(network(given), expected, atol=1e-5)
    assert type(large) is nn.Linear


@pytest.mark.parametrize("rate", [0.1, 0.5])
def test_dropout_loses_its_share_and_keeps_the_mean(rate: float) -> None:
    torch.manual_seed(1)
    count = 400_003
    output = QuickDropout(rate)(torch.ones(count)).numpy()
    assert set(np.unique(output)) == {np.float32(0), np.float32(1 / (1 - rate))}
    error = np.sqrt(rate * (1 - rate) / count)
    assert abs((output == 0).mean() - rate) < 4 * error
    for place in range(4):  # four values share one draw of the generator
        assert abs((output[place::4] == 0).mean() - rate) < 8 * error
    neighbours = ((output[1:] == 0) & (output[:-1] == 0)).mean()
    assert abs(neighbours - rate**2) < 8 * error


def test_dropout_repeats_with_torchs_seed_and_is_nothing_outside_training() -> None:
    layer, given = QuickDropout(0.3), torch.randn(9, 31)
    torch.manual_seed(5)
    first = layer(given)
    torch.manual_seed(5)
    assert torch.equal(layer(given), first)
    assert not torch.equal(layer(given), first)
    assert torch.equal(layer.eval()(given), given)


def test_dropout_lets_the_gradient_through_where_it_kept() -> None:
    given = torch.ones(1000, requires_grad=True)
    output = QuickDropout(0.4)(given)
    output.sum().backward()
    assert given.grad is not None
    assert torch.equal(given.grad, output.detach())


def test_a_network_has_its_own_layers_back_even_after_an_error() -> None:
    network = copy.deepcopy(tiny.network("bert"))
    kinds = [type(module) for module in network.modules()]
    ids = torch.arange(6).view(1, 6)
    expected = network.eval()(input_ids=ids).logits
    with quick_layers(network):
        assert sum(isinstance(module, QuickDropout) for module in network.modules()) >= 5
        assert torch.allclose(network(input_ids=ids).logits, expected, atol=1e-5)
    assert [type(module) for module in network.modules()] == kinds
    with pytest.raises(IndexError), quick_layers(network):
        network(input_ids=ids + 10**6)
    assert [type(module) for module in network.modules()] == kinds
