"""How a model is trained: every number in one object, whose fields are options of each mitigation."""

from dataclasses import dataclass

from equipoise.errors import UserError


@dataclass(frozen=True)
class Recipe:
    """Epochs, learning rate and the rest; the defaults tune a BERT-base on some thousand sentences.

    `batch_tokens` counts what a batch holds with its padding; `warmup` is a number of steps, or below 1 a
    share of all steps; `patience` is how many epochs without a better validation loss (or accuracy, as
    `judged_by` says) end the training, whose best weights are kept (0: all epochs are run and the last
    weights kept); `top_layers` tunes only so many layers and the head
    (0: everything); `lora` is the rank of low-rank changes, which are merged afterwards (0: none).
    """

    epochs: int = 1
    learning_rate: float = 5e-5
    batch_tokens: int = 1500
    warmup: float = 0.0
    decay: float = 0.0
    clip: float = 1.0
    epsilon: float = 1e-8
    validation: float = 0.1
    patience: int = 0
    judged_by: str = "loss"
    top_layers: int = 0
    lora: int = 0
    checkpoint_minutes: float = 3.0

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
