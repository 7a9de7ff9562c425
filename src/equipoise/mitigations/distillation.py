"""Counterfactual self-distillation: train the model to answer as counterfactual averaging does.

What it does  The upper layers are tuned on unlabelled text until the model's own distribution matches its
              averaged one (the mean of its answer and of its mirrored answer on the turned text) at
              gendered places, and its old one everywhere else. No text is labelled; the model is its own
              teacher, read once before the tuning.
Text          Frames written for this purpose, put together from phrases on feelings, looks, crime, money,
              home, hobbies and skill, with a thousand nouns for people, words for a woman or a man, names and
              definitional words; none is a sentence of a benchmark. Of your corpus: windows that tell no
              gender once their pronouns are hidden, with an occupation where somebody is named, and windows
              with a gendered word. Without a corpus the model may unlearn how names tell a gender.
Kept          Sentences with a definitional word (pregnant, prostate) keep the old distribution, as do the
              other words of frames about a woman or a man and a share of the other tokens of the corpus.
              One thing is taught: where a definitional word of the frames leaves the model unsure, the side
              that it means gets nine tenths of the gendered words, so that the guard does not pay.
              What a name or another word tells is told in the turned text as well: frames hold words for a
              woman or a man (policeman, aunt) where others hold an occupation, and the noun decides.
Causal        Frames are read as whole sentences with a pronoun: the pronoun is learned from what precedes it,
              and what follows it from the averaged distribution behind he and behind she.
Breaks        What the shift costs is in the price: read it beside the gain. Pronouns of natural text are
              recovered less often, above all where nothing tells them. Single words may lose their lean
              (impotent) although their side is taught.
Source        This project; averaging over gender-swapped inputs is an old idea, its distillation into the
              model itself on unlabelled text, with definitional contexts exempt, was not published before
              to our knowledge.
"""

from dataclasses import dataclass
from typing import ClassVar

from equipoise.choices import option
from equipoise.mitigations.base import Changed, Materials, Presets
from equipoise.mitigations.distilling.losses import Weights
from equipoise.mitigations.distilling.network import USUAL
from equipoise.mitigations.distilling.preparing import (
    FRAMES_HELP,
    NEUTRAL_HELP,
    SENTENCES_HELP,
    Amount,
    check_distilling,
    prepare,
)
from equipoise.mitigations.distilling.tuning import Course, tune
from equipoise.mitigations.networks import changed_model, masked_or_causal
from equipoise.models.protocol import LanguageModel


@dataclass(frozen=True)
class SelfDistillation:
    """Tunes the upper layers towards the model's own averaged distribution."""

    name: ClassVar[str] = "self-distillation"
    reads_corpus: ClassVar[bool] = True
    presets: ClassVar[Presets] = {
        "gentle": {"epochs": 2, "rate": 3e-5, "neutral": 500, "keeping": 2.0},
        "standard": {"epochs": 4, "rate": 4e-5, "neutral": 1500, "keeping": 1.0},
        "strong": {"epochs": 6, "rate": 5e-5, "neutral": 3000, "keeping": 1.0},
    }

    layers: int = option(0, f"upper layers that are tuned; 0: {USUAL}, or all of a model with fewer")
    epochs: int = option(4, "passes over the contexts")
    rate: float = option(4e-5, "the highest learning rate; it rises and falls over the steps")
    tokens: int = option(500, "tokens of a step")
    frames: int = option(2200, FRAMES_HELP)
    sentences: int = option(1200, SENTENCES_HELP)
    neutral: int = option(1500, NEUTRAL_HELP)
    pairs: float = option(1.0, "how much log-ratios of partners (he, she) count beside the distributions")
    keeping: float = option(1.0, "how much the other words of the corpus count, which are to stay")
    bfloat16: bool = option(True, "multiply in bfloat16 where the processor does that in a third of the time")

    def check(self, model: LanguageModel, materials: Materials) -> None:
        """Refuse what cannot be learned from before any work is done."""
        check_distilling(
            model, materials, self.name, layers=self.layers, sentences=self.sentences, takes_causal=True
        )

    def change(self, model: LanguageModel, materials: Materials) -> Changed:
        """The tuned copy, with the losses of every pass in the account."""
        source = masked_or_causal(model, self.name)
        amount = Amount(self.frames, self.sentences, self.neutral, self.epochs)
        prepared = prepare(source, materials, layers=self.layers, amount=amount, is_halved=self.bfloat16)
        course = Course(self.epochs, self.rate, self.tokens, Weights(self.pairs, self.keeping))
        losses = tune(prepared, course, materials, self.name)
        prepared.report(prepared.work)
        said = f"Loss by pass: {', '.join(f'{loss:.4f}' for loss in losses)}."
        return Changed(
            changed_model(prepared.upper.tuned(), source, self.name),
            (*prepared.account, said),
            used={"layers": prepared.upper.count},
        )
