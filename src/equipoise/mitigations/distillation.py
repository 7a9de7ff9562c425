"""Counterfactual self-distillation: what counterfactual averaging answers, put into plain weights.

What it does  The upper layers are tuned on unlabelled text until the model's own distribution matches its
              averaged one (the mean of its answer and of its mirrored answer on the turned text) at
              gendered places, and its old one everywhere else. No text is labelled; the model is its own
              teacher, read once before the tuning.
Text          Frames written for this purpose with one or two occupations, person words, first names and
              definitional words, none of which is a sentence of a benchmark; and sentences with a gendered
              word of your corpus, where one is given: without one the model may unlearn how names tell a
              gender in long texts.
Kept          Sentences with a definitional word (pregnant, prostate) keep the old distribution, as do the
              other words of frames about a woman or a man and a share of the other tokens of the corpus.
              One thing is taught: where a definitional word of the frames leaves the model unsure, the side
              that it means gets nine tenths of the gendered words, so that the guard does not pay.
              What a name or another word tells is told in the turned text as well: frames hold words for a
              woman or a man (policeman, aunt) where others hold an occupation, and the noun decides.
Breaks        What the shift costs is in the price: read it beside the gain. A frame's wording is learned
              better than wordings far from it, so that a benchmark unlike frames and corpus moves less.
Source        This project; averaging over gender-swapped inputs is an old idea, its distillation into the
              model itself on unlabelled text, with definitional contexts exempt, was not published before
              to our knowledge.
"""

from dataclasses import dataclass
from typing import ClassVar

from equipoise.choices import option
from equipoise.mitigations.base import Changed, Materials, Presets
from equipoise.mitigations.distilling.checking import check_distilling
from equipoise.mitigations.distilling.losses import Weights
from equipoise.mitigations.distilling.network import USUAL
from equipoise.mitigations.distilling.preparing import FRAMES_HELP, SENTENCES_HELP, Amount, prepare
from equipoise.mitigations.distilling.tuning import Course, tune
from equipoise.mitigations.networks import changed_model, masked_model
from equipoise.models.protocol import LanguageModel


@dataclass(frozen=True)
class SelfDistillation:
    """Tunes the upper layers towards the model's own averaged distribution."""

    name: ClassVar[str] = "self-distillation"
    reads_corpus: ClassVar[bool] = True
    presets: ClassVar[Presets] = {
        "gentle": {"epochs": 3, "rate": 5e-5, "keeping": 2.0},
        "standard": {"epochs": 5, "rate": 8e-5, "keeping": 1.0},
        "strong": {"epochs": 10, "rate": 8e-5, "keeping": 1.0},
    }

    layers: int = option(0, f"upper layers that are tuned; 0: {USUAL}, or all of a model with fewer")
    epochs: int = option(5, "passes over the contexts")
    rate: float = option(8e-5, "the highest learning rate; it rises and falls over the steps")
    tokens: int = option(500, "tokens of a step")
    frames: int = option(2200, FRAMES_HELP)
    sentences: int = option(400, SENTENCES_HELP)
    pairs: float = option(1.0, "how much log-ratios of partners (he, she) count beside the distributions")
    keeping: float = option(1.0, "how much the other words of the corpus count, which are to stay")

    def check(self, model: LanguageModel, materials: Materials) -> None:
        """Refuse what cannot be learned from before any work is done."""
        check_distilling(model, materials, self.name, layers=self.layers, sentences=self.sentences)

    def change(self, model: LanguageModel, materials: Materials) -> Changed:
        """The tuned copy, with the losses of every pass in the account."""
        masked = masked_model(model, self.name)
        amount = Amount(self.frames, self.sentences, self.epochs)
        prepared = prepare(masked, materials, layers=self.layers, amount=amount)
        course = Course(self.epochs, self.rate, self.tokens, Weights(self.pairs, self.keeping))
        losses = tune(prepared, course, materials, self.name)
        prepared.report(prepared.work)
        said = f"Loss by pass: {', '.join(f'{loss:.4f}' for loss in losses)}."
        return Changed(
            changed_model(prepared.upper.network, masked, self.name),
            (*prepared.account, said),
            used={"layers": prepared.upper.count},
        )
