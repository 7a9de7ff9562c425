"""How a model is trained: every number in one object, and which weights are tuned."""

import warnings
from dataclasses import dataclass
from typing import Any

from torch import nn

from equipoise.choices import option
from equipoise.errors import UserError


@dataclass(frozen=True)
class Recipe:
    """Epochs, learning rate and the rest; the defaults tune a BERT-base on some thousand sentences.

    With a patience the best weights are kept, without one the last.
    """

    epochs: int = option(1, "passes over the text")
    learning_rate: float = option(5e-5, "the highest; it falls to 0 over the steps")
    batch_tokens: int = option(1500, "tokens of a step, padding included")
    warmup: float = option(0.0, "steps, or below 1 a share of all, in which the rate rises")
    decay: float = option(0.0, "AdamW's weight decay")
    clip: float = option(1.0, "the largest norm of a step's gradient")
    epsilon: float = option(1e-8, "AdamW's epsilon")
    validation: float = option(0.1, "share of the documents that is held out")
    patience: int = option(0, "epochs without a better held-out value that end it; 0: none do")
    judged_by: str = option("loss", "held-out value that patience looks at: loss or accuracy")
    top_layers: int = option(0, "tune so many upper layers and the head only; 0: everything")
    lora: int = option(0, "rank of low-rank changes, merged afterwards; 0: whole weights")
    checkpoint_minutes: float = option(3.0, "how often what a killed run goes on from is written")

    def __post_init__(self) -> None:
        for name, is_wrong, expected in (
            ("epochs", self.epochs < 1, "1 or more"),
            ("learning-rate", not 0 < self.learning_rate < 1, "a number between 0 and 1, such as 5e-5"),
            ("batch-tokens", self.batch_tokens < 16, "16 or more"),
            ("warmup", self.warmup < 0, "a number of steps, or a share of all steps below 1"),
            ("validation", not 0 <= self.validation <= 0.5, "a share from 0 to 0.5"),
            ("patience", self.patience < 0, "a number of epochs, or 0 to run them all"),
            ("judged-by", self.judged_by not in ("loss", "accuracy"), "loss or accuracy"),
            ("top-layers", self.top_layers < 0, "a number of layers, or 0 for all"),
            ("lora", self.lora < 0, "a rank such as 8, or 0 for none"),
        ):
            if is_wrong:
                given = getattr(self, name.replace("-", "_"))
                raise UserError(f"{name} is {given}.", f"Give {expected}.")
        if self.patience and not self.validation:
            raise UserError(
                "Training cannot stop early without held-out text to judge by.",
                "Give a validation share such as validation=0.1, or leave patience out.",
            )
        if self.lora and self.top_layers:
            raise UserError("Both lora and top-layers were given.", "Give one of them.")

    @property
    def passes(self) -> float:
        """How often every token is trained on at most."""
        return self.epochs


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
            "Install it with: pip install peft. Or leave lora out.",
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
    """Return a plain network: the low-rank changes are added to the weights."""
    return network.merge_and_unload() if hasattr(network, "merge_and_unload") else network
