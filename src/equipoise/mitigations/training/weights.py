"""Which weights are tuned: all, the top layers with the head, or low-rank changes beside them."""

import warnings
from typing import Any

from torch import nn

from equipoise.errors import UserError
from equipoise.mitigations.training.recipe import Recipe


def prepared(network: Any, recipe: Recipe) -> Any:
    """The network with those weights open that the recipe tunes."""
    if recipe.top_layers:
        open_top_layers(network, recipe.top_layers)
    return with_lora(network, recipe.lora) if recipe.lora else network


def open_top_layers(network: Any, count: int) -> None:
    """Close everything but the last layers and the head; word vectors that the head shares stay closed."""
    layers = layers_of(network)
    if count > len(layers):
        raise UserError(
            f"{count} layers were asked for of a model with {len(layers)} that can be tuned apart.",
            f"Give a number up to {len(layers)}, or 0 to tune everything.",
        )
    network.base_model.requires_grad_(False)
    for layer in list(layers)[len(layers) - count :]:
        layer.requires_grad_(True)


def layers_of(network: Any) -> nn.ModuleList:
    """The layers of the encoder, whatever their family calls them."""
    lists = [module for module in network.base_model.modules() if isinstance(module, nn.ModuleList)]
    return max(lists, key=len, default=nn.ModuleList())


def with_lora(network: Any, rank: int) -> Any:
    """Low-rank changes beside every linear map of the encoder."""
    try:
        from peft import LoraConfig, get_peft_model
    except ImportError as error:
        raise UserError(
            "Low-rank tuning needs the package peft, which is not installed.",
            "pip install 'equipoise[lora]', or leave lora out.",
        ) from error
    names = [name for name, module in network.base_model.named_modules() if isinstance(module, nn.Linear)]
    prefix = f"{network.base_model_prefix}."
    settings = LoraConfig(
        r=rank, lora_alpha=2 * rank, lora_dropout=0.0, target_modules=[prefix + name for name in names]
    )
    with warnings.catch_warnings():
        # peft (0.21) asks the network for a property that transformers (5.23) has renamed.
        warnings.filterwarnings("ignore", message="`is_gradient_checkpointing`", category=FutureWarning)
        return get_peft_model(network, settings)


def merged(network: Any) -> Any:
    """The plain network again, with low-rank changes added to the weights they stood beside."""
    return network.merge_and_unload() if hasattr(network, "merge_and_unload") else network
