"""Pronoun resolution: train the model to fill in pronouns of people whose names are hidden.

What it does  First names become entities (E1, E2), every gendered pronoun is hidden, and the model is tuned
              to give back each of them from what else is said. With `flipped` (BERT-A) a copy with women
              and men exchanged stands beside every text, so that both genders are equally often right;
              without it (BERT-U) the text stands as it is. Learning rates and epochs are searched; what is
              kept is best at telling the two pronouns of a form apart on held-out documents, which are
              split off before the copies are made.
Source        de Vassimon Manela et al. 2021, Stereotype and Skew (BERT-U and BERT-A on OntoNotes, 64 and 58
              % of the pronouns right). Presets `bert-u` and `bert-a` are its two models.
Options       `rates` are searched, in place of one `learning-rate`. Every pronoun is hidden and nothing else,
              so that `mask-share`, `whole-words` and `unit` change nothing.
Departures    OntoNotes is licensed: GAP (`--corpus gap`) or your own corpus takes its place. In the
              published notebook all pronouns of a text share one label, padding is a label, and copies are
              split from their originals; here each pronoun is its own label, padding none, and copies stay
              with their originals.
Breaks        Names as entities teach that a name says nothing of gender: accuracy where a name does tell
              falls. Published T2 rows show stereotype gone and skew kept (the two columns are exchanged in
              print).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
import torch
from torch.nn.functional import cross_entropy

from equipoise.choices import option
from equipoise.corpora.documents import Document
from equipoise.errors import UserError
from equipoise.mitigations.base import Changed, Materials, Presets
from equipoise.mitigations.networks import changed_model, masked_model, own_copy
from equipoise.mitigations.training.batches import Batch, Judged, Logits
from equipoise.mitigations.training.examples import split_documents
from equipoise.mitigations.training.masking import Vocabulary
from equipoise.mitigations.training.recipe import Recipe
from equipoise.mitigations.training.running import Trained, TrainingSet, train
from equipoise.mitigations.tuning import TextTuning, draw, needs_documents
from equipoise.models.engine.forward import padded
from equipoise.models.neural.masked import MaskedModel
from equipoise.models.neural.words import Tokens
from equipoise.models.protocol import LanguageModel
from equipoise.text.rewriting import Policy, Rewriter

PRONOUNS = frozenset({"he", "she", "him", "her", "his", "hers", "himself", "herself"})


@dataclass(frozen=True)
class PronounExample:
    """A text, where its pronouns are, what stood there, and the other gender's pronoun of that form."""

    ids: tuple[int, ...]
    places: tuple[int, ...]
    right: tuple[int, ...]
    other: tuple[int, ...]

    def __len__(self) -> int:
        return len(self.ids)


@dataclass(frozen=True)
class HiddenPronouns:
    """All pronouns of a text are hidden at once; each is asked for what stood there."""

    vocabulary: Vocabulary

    def batch(self, examples: Sequence[PronounExample], rngs: Sequence[np.random.Generator]) -> Batch:
        """Nothing is drawn: what is hidden is the same in every epoch."""
        hidden = []
        for example in examples:
            places = set(example.places)
            hidden.append(
                [self.vocabulary.mask if place in places else one for place, one in enumerate(example.ids)]
            )
        ids, attention = padded(hidden, self.vocabulary.padding)
        return {
            "ids": ids,
            "attention": attention,
            "rows": torch.tensor([row for row, one in enumerate(examples) for _ in one.places]),
            "positions": torch.tensor([place for one in examples for place in one.places]),
            "labels": torch.tensor([label for one in examples for label in one.right]),
            "others": torch.tensor([label for one in examples for label in one.other]),
        }

    def judge(self, logits: Logits, batch: Batch) -> Judged:
        """Right is who finds the pronoun that stood there likelier than the other of its form."""
        scores = logits(batch)
        right, other = (scores.gather(1, batch[name][:, None])[:, 0] for name in ("labels", "others"))
        return Judged(cross_entropy(scores, batch["labels"], reduction="none"), right > other)


@dataclass(frozen=True)
class PronounResolution(TextTuning):
    """Tunes a copy of the model on hidden pronouns."""

    name: ClassVar[str] = "pronoun-resolution"
    reads_corpus: ClassVar[bool] = True
    presets: ClassVar[Presets] = {
        "bert-u": {"flipped": False},
        "bert-a": {"flipped": True},
    }

    epochs: int = 10
    patience: int = 2
    judged_by: str = "accuracy"
    validation: float = 0.2
    longest: int = 164
    flipped: bool = option(True, "add a copy of every text with the other gender")
    rates: str = option("2e-5,5e-5", "learning rates of which the best is kept")

    @property
    def passes(self) -> float:
        """Every rate is tried over all epochs, on copies too."""
        return self.epochs * len(self._rates()) * (2 if self.flipped else 1)

    def check(self, model: LanguageModel, materials: Materials) -> None:
        """Refuse what cannot be tuned on before any work is done: each side of the split needs a pronoun."""
        self._check_options()
        super().check(model, materials)
        for side in split_documents(materials.documents, self.validation, materials.seed):
            if side and not has_pronoun(side):
                raise _too_few_pronouns()

    def change(self, model: LanguageModel, materials: Materials) -> Changed:
        """The best of the searched trainings."""
        self._check_options()
        masked = masked_model(model, self.name)
        needs_documents(materials, self.name)
        data, account = self._examples(masked, materials)
        objective = HiddenPronouns(Vocabulary.of(masked.tokens.tokenizer))
        best: Trained | None = None
        for rate in self._rates():
            recipe = replace(self, learning_rate=rate)
            called = f"{self.name}-{rate:g}"
            trained = train(own_copy(masked), data, objective, recipe, materials, name=called)
            account += [f"Learning rate {rate:g}. {sentence}" for sentence in trained.account()]
            if best is None or trained.kept["accuracy"] > best.kept["accuracy"]:
                best = trained
        assert best is not None
        account.append(f"Kept: {best.kept['accuracy']:.1%} of held-out pronouns right.")
        return Changed(changed_model(best.network, masked, self.name), tuple(account))

    def _check_options(self) -> None:
        """Refuse options that would be ignored, and a search that nothing is held out for."""
        self._rates()
        if self.learning_rate != Recipe.learning_rate:
            raise UserError(
                f"learning-rate is {self.learning_rate:g}, and {self.name} searches the rates {self.rates}.",
                f"Give rates={self.learning_rate:g} to train with that one.",
            )
        if not self.validation:
            raise UserError(
                "validation is 0, and what is kept is chosen by held-out pronouns.",
                "Give a share such as validation=0.2.",
            )

    def _rates(self) -> list[float]:
        try:
            return [float(part) for part in self.rates.split(",")]
        except ValueError:
            raise UserError(f"rates is {self.rates!r}.", "Give learning rates such as 2e-5,5e-5.") from None

    def _examples(self, model: MaskedModel, materials: Materials) -> tuple[TrainingSet, list[str]]:
        sides = split_documents(materials.documents, self.validation, materials.seed)
        texts = [anonymous_texts(side, flipped=self.flipped) for side in sides]
        texts[0] = draw(texts[0], self.sentences, materials.seed)
        longest = min(self.longest or 512, model.max_length or 512)
        examples = [pronoun_examples(side, model.tokens, longest) for side in texts]
        if not all(examples):
            raise _too_few_pronouns()
        counts = [sum(len(one.places) for one in side) for side in examples]
        dropped = [len(side) - len(kept) for side, kept in zip(texts, examples, strict=True)]
        account = [
            f"{len(examples[0]):,} texts with {counts[0]:,} pronouns to train on, {len(examples[1]):,} with "
            f"{counts[1]:,} held out ({'with' if self.flipped else 'without'} flipped copies); "
            f"{sum(dropped):,} texts without a pronoun or longer than {longest} tokens left out."
        ]
        return TrainingSet(*examples), account


def has_pronoun(documents: Sequence[Document]) -> bool:
    """Whether any of the documents has a gendered pronoun."""
    rewritten = Rewriter("invert", names=False).rewrite_many(document.text for document in documents)
    return any(change.old.lower() in PRONOUNS for one in rewritten for change in one.changes)


def _too_few_pronouns() -> UserError:
    return UserError(
        "The corpus has too few texts with a gendered pronoun to train on some and hold out others.",
        "Give a corpus about people, such as gap.",
    )


def anonymous_texts(documents: Sequence[Document], *, flipped: bool) -> list[str]:
    """Texts with entities for names, each followed by its copy with women and men exchanged where asked."""
    entities = Rewriter("anonymise", policy=Policy(entities="numbered"))
    texts = [one.text for one in entities.rewrite_many(document.text for document in documents)]
    if not flipped:
        return texts
    copies = Rewriter("invert", names=False).rewrite_many(texts)
    return [text for one, copy in zip(texts, copies, strict=True) for text in dict.fromkeys((one, copy.text))]


def pronoun_examples(texts: Sequence[str], tokens: Tokens, longest: int) -> list[PronounExample]:
    """The texts that fit the model and have a pronoun that is one token in either gender."""
    examples = []
    for text, rewritten in zip(texts, Rewriter("invert", names=False).rewrite_many(texts), strict=True):
        encoded = tokens.encode(text)
        asked = []
        for change in rewritten.changes:
            if change.old.lower() not in PRONOUNS:
                continue
            places = encoded.positions((change.start, change.end))
            other = tokens.encode(text[: change.start] + change.new + text[change.end :])
            instead = other.positions((change.start, change.start + len(change.new)))
            if len(places) == len(instead) == 1:
                asked.append((places[0], encoded.ids[places[0]], other.ids[instead[0]]))
        if asked and len(encoded.ids) <= longest:
            places_, right, others = zip(*asked, strict=True)
            examples.append(PronounExample(encoded.ids, places_, right, others))
    return examples
