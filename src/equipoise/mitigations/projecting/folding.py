"""An affine map of the last hidden states, folded into the first product of the head: plain weights again."""

from typing import Any

import torch
from torch import nn

from equipoise.errors import UserError
from equipoise.mitigations.networks import BaseOutput, changed_model, own_copy
from equipoise.models.neural.masked import MaskedModel
from equipoise.models.neural.network import replaced_forward
from equipoise.stats.erasure import Affine


def with_map(masked: MaskedModel, mapped: Affine, by: str) -> MaskedModel:
    """A copy of the model whose head reads mapped states; the encoder stays as it is."""
    network = own_copy(masked).eval()
    first = first_product(network)
    with torch.no_grad():
        weight = first.weight.double()
        first.bias.add_((weight @ torch.tensor(mapped.shift)).to(first.bias.dtype))
        first.weight.copy_((weight @ torch.tensor(mapped.matrix)).to(first.weight.dtype))
    return changed_model(network, masked, by)


def first_product(network: Any) -> nn.Linear:
    """The first linear layer that the head applies to the last hidden states."""
    base, width = network.base_model, int(network.config.hidden_size)
    called: list[nn.Linear] = []
    inside = {id(module) for module in base.modules()}
    outside = [one for one in network.modules() if isinstance(one, nn.Linear) and id(one) not in inside]
    hooks = [one.register_forward_pre_hook(lambda module, _inputs: called.append(module)) for one in outside]
    hidden = torch.zeros(1, 2, width)
    try:
        with torch.no_grad(), replaced_forward(base, lambda *_args, **_kwargs: BaseOutput(hidden)):
            network(input_ids=torch.zeros((1, 2), dtype=torch.long))
    finally:
        for hook in hooks:
            hook.remove()
    last = network.get_output_embeddings()
    if not called or called[0] is last or called[0].in_features != width or called[0].bias is None:
        raise UserError(
            f"The head of {type(network).__name__} has no product before its last to fold a map into.",
            "Use a model with BERT's kind of head, or another mitigation.",
        )
    return called[0]
