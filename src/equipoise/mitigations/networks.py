"""What mitigations of weights need: a model of the right kind, a copy of its network, a model of it again."""

import copy
from typing import Any, ClassVar, TypeVar

import torch
from torch import nn

from equipoise.errors import UserError
from equipoise.mitigations.base import Materials
from equipoise.models.neural.causal import CausalModel
from equipoise.models.neural.language import NeuralModel
from equipoise.models.neural.masked import MaskedModel
from equipoise.models.protocol import LanguageModel
from equipoise.models.wrappers.base import WrappedModel

Source = TypeVar("Source", bound=NeuralModel)


def masked_model(model: LanguageModel, by: str) -> MaskedModel:
    """The model, if it is a masked one whose weights can be copied."""
    if isinstance(model, MaskedModel):
        return model
    inside = " inside a wrapper" if isinstance(model, WrappedModel) else ""
    raise UserError(
        f"{by} changes the weights of a masked model, and {model.name!r} is a {model.kind} model{inside}.",
        "Name the folder of a model that was trained with masks, such as a BERT with its head.",
    )


def masked_or_causal(model: LanguageModel, by: str) -> MaskedModel | CausalModel:
    """The model, if it is a masked or a causal one whose weights can be copied."""
    return model if isinstance(model, CausalModel) else masked_model(model, by)


class ChangesWeights:
    """Base of mitigations that change the weights of a masked model: another one is refused at once."""

    name: ClassVar[str]

    def check(self, model: LanguageModel, materials: Materials) -> None:
        """Refuse a model that is not masked."""
        masked_model(model, self.name)


def own_copy(model: NeuralModel) -> Any:
    """A copy of the network in transformers' class, open to changes; the model keeps its own weights."""
    return copy.deepcopy(model.transformers_model).requires_grad_(True)


def changed_model(network: Any, model: Source, by: str) -> Source:
    """A changed network as a model, with the tokenizer of the one it came from and the change in its name."""
    return type(model)(network.eval(), model.tokenizer, name=f"{model.name} ({by})", options=model.options)


def untied_output(network: Any) -> nn.Linear:
    """The head's last product with weights of its own; the word vectors keep theirs."""
    output: nn.Linear = network.get_output_embeddings()
    if output.weight is network.get_input_embeddings().weight:
        output.weight = nn.Parameter(output.weight.detach().clone())
        if output.bias is not None:  # shared with another name, of which a file would hold only one
            output.bias = nn.Parameter(output.bias.detach().clone())
        network.config.tie_word_embeddings = False
    return output


class BaseOutput(tuple[torch.Tensor]):
    """What a base model gives to a head, in the two ways in which heads read it."""

    def __new__(cls, hidden: torch.Tensor) -> "BaseOutput":
        return super().__new__(cls, (hidden,))

    @property
    def last_hidden_state(self) -> torch.Tensor:
        """The states."""
        return self[0]

    hidden_states = attentions = past_key_values = None
