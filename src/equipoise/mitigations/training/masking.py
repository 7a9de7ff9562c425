"""What models learn from text: a masked one its hidden words, a causal one the next token.

Masked words are those of BERT: 15 % of the tokens, of which 80 % hidden, 10 % replaced, 10 % left.

The stock collator of transformers draws from the global generator, so that a resumed run sees other masks
than the one that was killed. Here every choice comes from the generator of the example.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch.nn.functional import cross_entropy

from equipoise.mitigations.training.batches import Batch, Judged, Logits
from equipoise.mitigations.training.examples import Example
from equipoise.models.engine.forward import padded

HIDDEN, REPLACED = 0.8, 0.9
"""Up to 0.8 a chosen token is hidden, up to 0.9 replaced by a random one, else left as it is."""


@dataclass(frozen=True)
class Vocabulary:
    """The ids that masking needs: mask, padding, and the ordinary tokens to draw a replacement from."""

    mask: int
    padding: int
    ordinary: np.ndarray[Any, np.dtype[np.int64]]

    @classmethod
    def of(cls, tokenizer: Any) -> "Vocabulary":
        """Read from a tokenizer; special and unused tokens are never drawn."""
        special = set(tokenizer.all_special_ids)
        ordinary = [
            number
            for token, number in tokenizer.get_vocab().items()
            if number not in special and not token.startswith("[unused")
        ]
        padding = tokenizer.pad_token_id
        return cls(tokenizer.mask_token_id, 0 if padding is None else padding, np.array(sorted(ordinary)))


@dataclass(frozen=True)
class MaskedWords:
    """The objective of masked language models; whole words are hidden together where that is asked."""

    vocabulary: Vocabulary
    share: float = 0.15
    whole_words: bool = False

    def batch(self, examples: Sequence[Example], rngs: Sequence[np.random.Generator]) -> Batch:
        """Every example with some of its tokens hidden; what stood there is the label."""
        masked = [self.mask(example, rng) for example, rng in zip(examples, rngs, strict=True)]
        ids, attention = padded([ids for ids, _ in masked], self.vocabulary.padding)
        rows = [row for row, (_, places) in enumerate(masked) for _ in places]
        positions = [place for _, places in masked for place in places]
        labels = [
            example.ids[place]
            for example, (_, places) in zip(examples, masked, strict=True)
            for place in places
        ]
        return {
            "ids": ids,
            "attention": attention,
            "rows": torch.tensor(rows),
            "positions": torch.tensor(positions),
            "labels": torch.tensor(labels),
        }

    def judge(self, logits: Logits, batch: Batch) -> Judged:
        """Minus the log-probability of what stood at every chosen place, and whether it was the likeliest."""
        return judged(logits(batch), batch["labels"])

    def mask(self, example: Example, rng: np.random.Generator) -> tuple[list[int], list[int]]:
        """Hide some tokens, at least one; return the new ids and the positions that were chosen."""
        places = self._choose(example, rng)
        ids = list(example.ids)
        for place, fate in zip(places, rng.random(len(places)), strict=True):
            if fate < HIDDEN:
                ids[place] = self.vocabulary.mask
            elif fate < REPLACED:
                ids[place] = int(rng.choice(self.vocabulary.ordinary))
        return ids, places

    def _choose(self, example: Example, rng: np.random.Generator) -> list[int]:
        """As many as the share says, as in BERT's own code, not each by its own coin: no example is idle."""
        content = [place for place, word in enumerate(example.words) if word >= 0]
        count = max(1, round(self.share * len(content)))
        if not self.whole_words:
            return sorted(int(place) for place in rng.choice(content, size=count, replace=False))
        of_word: dict[int, list[int]] = {}
        for place in content:
            of_word.setdefault(example.words[place], []).append(place)
        chosen: list[int] = []
        for word in rng.permutation(list(of_word)):
            pieces = of_word[int(word)]
            if not chosen or len(chosen) + len(pieces) <= count:
                chosen += pieces
        return sorted(chosen)


@dataclass(frozen=True)
class NextTokens:
    """The objective of causal language models: every token but the first, given those before it."""

    padding: int

    def batch(self, examples: Sequence[Example], rngs: Sequence[np.random.Generator]) -> Batch:
        """Return the examples unchanged; each position predicts the token after it."""
        ids, attention = padded([example.ids for example in examples], self.padding)
        places = [
            (row, place - 1, example.ids[place])
            for row, example in enumerate(examples)
            for place in range(1, len(example.ids))
            if example.words[place] >= 0
        ]
        rows, positions, labels = torch.tensor(places).reshape(-1, 3).T
        return {"ids": ids, "attention": attention, "rows": rows, "positions": positions, "labels": labels}

    def judge(self, logits: Logits, batch: Batch) -> Judged:
        """Minus the log-probability of every next token, and whether it was the likeliest."""
        return judged(logits(batch), batch["labels"])


def judged(scores: torch.Tensor, labels: torch.Tensor) -> Judged:
    """The loss of every place and whether it was right."""
    return Judged(cross_entropy(scores, labels, reduction="none"), scores.argmax(-1) == labels)
