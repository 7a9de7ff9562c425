"""Dropout: train on your unchanged text with more dropout.

What it does  Tunes a masked model on a corpus as it is, with a higher dropout in attention and hidden
              layers, so that it leans less on single associations.
Source        Webster et al. 2020, Measuring and Reducing Gendered Correlations in Pre-trained Models, who
              pretrain on; 0.15 in attention and 0.20 in hidden layers were best for BERT. Preset
              `deng2022`: both 0.20.
Breaks        Published results are mixed: StereoSet and CrowS-Pairs move little (60.3 to 60.7 and 57.3 to
              55.3, Meade et al. 2022). In a short tuning it is mostly noise: compare it with the control
              (`counterfactual` with mode=unchanged) over several seeds. Saved with the dropout it was tuned
              with.
"""

from dataclasses import dataclass
from typing import Any, ClassVar

from equipoise.choices import option
from equipoise.errors import UserError
from equipoise.mitigations.base import Changed, Materials, Presets
from equipoise.mitigations.networks import masked_model
from equipoise.mitigations.tuning import (
    UNCHANGED,
    TextTuning,
    needs_documents,
    read_texts,
    tune,
)
from equipoise.models.neural.masked import MaskedModel
from equipoise.models.protocol import LanguageModel

HIDDEN = ("hidden_dropout_prob", "dropout", "mlp_dropout", "embedding_dropout")
ATTENTION = ("attention_probs_dropout_prob", "attention_dropout")
"""What families call the two rates in their configurations."""


@dataclass(frozen=True)
class Dropout(TextTuning):
    """Tunes a copy of the model with other dropout rates."""

    name: ClassVar[str] = "dropout"
    reads_corpus: ClassVar[bool] = True
    presets: ClassVar[Presets] = {
        "deng2022": {"attention": 0.2, "hidden": 0.2, "epochs": 3, "learning_rate": 2e-5, "longest": 128},
    }

    attention: float = option(0.15, "dropout of the attention")
    hidden: float = option(0.2, "dropout of the hidden states")

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("attention", "hidden"):
            if not 0 <= getattr(self, name) < 1:
                raise UserError(f"{name} is {getattr(self, name)}.", "Give a rate from 0 to below 1.")

    def change(self, model: LanguageModel, materials: Materials) -> Changed:
        """The tuned copy, with counts and losses in the account."""
        masked = masked_model(model, self.name)
        needs_documents(materials, self.name)
        network = with_dropout(masked, hidden=self.hidden, attention=self.attention)
        texts = read_texts(materials, self, UNCHANGED)
        texts.account.append(f"Dropout {self.hidden:g} in hidden layers and {self.attention:g} in attention.")
        return tune(masked, network, texts, self, materials, name=self.name)


def with_dropout(model: MaskedModel, *, hidden: float, attention: float) -> Any:
    """A network with the model's weights and other rates, built anew from its configuration."""
    import copy

    original = model.transformers_model
    config = copy.deepcopy(original.config)
    named = [(name, hidden) for name in HIDDEN] + [(name, attention) for name in ATTENTION]
    known = {name: rate for name, rate in named if hasattr(config, name)}
    if not known:
        raise UserError(
            f"{model.name!r} has no dropout to set: its configuration names none of {', '.join(HIDDEN)}.",
            "Use another mitigation for this family.",
        )
    for name, rate in known.items():
        setattr(config, name, rate)
    network = type(original)(config)
    network.load_state_dict(original.state_dict())
    network.tie_weights()
    return network
