"""The one trainer: every mitigation that tunes weights on text uses it, whatever it asks of the model."""

from equipoise.mitigations.training.batches import Batch, Objective
from equipoise.mitigations.training.examples import Example
from equipoise.mitigations.training.masking import MaskedWords
from equipoise.mitigations.training.recipe import Recipe
from equipoise.mitigations.training.running import Trained, TrainingSet, train

__all__ = ["Batch", "Example", "MaskedWords", "Objective", "Recipe", "Trained", "TrainingSet", "train"]
