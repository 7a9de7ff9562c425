"""Counterfactual fine-tuning: train on your text with women and men exchanged.

What it does  Tunes a masked model to fill in hidden words, or a causal one to continue the text, of a corpus
              that was rewritten: every document
              with a coin (`substitute`), all of them (`invert`), each beside its twin (`augment`), sentence
              by sentence (`per-sentence`), without gender (`neutral`), or as it is (`unchanged`, the
              control, and the way to use a corpus that is balanced already). Documents are split before
              they are rewritten, so that no twin of a held-out text is trained on.
Source        Hall Maudslay et al. 2019 (substitution); Zmigrod et al. 2019 and Webster et al. 2020
              (augmentation); Bartl et al. 2020, whose released GAP is inverted throughout though the paper
              says substituted.
Presets       `bartl2020-paper` (learning rate 5e-5) and `bartl2020-code` (2e-5): three epochs over inverted
              sentences. `deng2022`: three epochs over inverted blocks of 128 tokens, warm-up of 1,000
              steps. `gbef`: as Bartl, substituted, as the thesis describes it. `mt-gender`: as Bartl, on a
              corpus that is balanced.
Departures    The published loops train on their padding; here it is neither attended nor a label. They have
              one sentence (Bartl) or 32 blocks (Deng) a batch; here a batch holds up to `batch_tokens`.
Breaks        Pronouns may merely be flattened: definitional contexts (pregnant, prostate) lose their gender
              too, which the guard shows; reminders repair part of it. Perplexity on other text rises with
              epochs and rate.
"""

from dataclasses import dataclass
from typing import ClassVar

from equipoise.mitigations.base import Changed, Materials, Presets
from equipoise.mitigations.networks import masked_or_causal, own_copy
from equipoise.mitigations.tuning import (
    FINE_TUNED,
    UNCHANGED,
    RewritingTuning,
    needs_documents,
    read_texts,
    tune,
)
from equipoise.models.protocol import LanguageModel

BARTL = {"epochs": 3, "mode": "invert"}
PRESETS: Presets = {
    "bartl2020-paper": {**BARTL, "learning_rate": 5e-5},
    "bartl2020-code": {**BARTL, "learning_rate": 2e-5},
    "deng2022": {
        **{"epochs": 3, "mode": "invert", "learning_rate": 2e-5, "warmup": 1000.0, "decay": 0.01},
        **{"unit": "document", "longest": 128},
    },
    "gbef": {"epochs": 3, "mode": "substitute", "learning_rate": 5e-5},
    "mt-gender": {"epochs": 3, "mode": UNCHANGED, "learning_rate": 5e-5},
}


@dataclass(frozen=True)
class Counterfactual(RewritingTuning):
    """Tunes a copy of the model on a rewritten corpus."""

    name: ClassVar[str] = "counterfactual"
    reads_corpus: ClassVar[bool] = True
    takes_causal: ClassVar[bool] = True
    presets: ClassVar[Presets] = PRESETS

    def change(self, model: LanguageModel, materials: Materials) -> Changed:
        """The tuned copy, with counts and losses in the account."""
        source = masked_or_causal(model, self.name)
        needs_documents(materials, self.name)
        texts = read_texts(materials, self, self.mode)
        name = FINE_TUNED if self.mode == UNCHANGED else self.name
        return tune(source, own_copy(source), texts, self, materials, name=name)
