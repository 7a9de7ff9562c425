"""Tuning a model on text: what every mitigation does that differs only in the text it reads."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from equipoise.choices import option
from equipoise.corpora.documents import Document
from equipoise.data.sets.word_lists import read_swap_list
from equipoise.errors import UserError, unknown_name
from equipoise.mitigations.base import Changed, Materials
from equipoise.mitigations.networks import changed_model, masked_model, masked_or_causal
from equipoise.mitigations.training.batches import Objective
from equipoise.mitigations.training.examples import encode_examples, split_documents, text_pieces
from equipoise.mitigations.training.masking import MaskedWords, NextTokens, Vocabulary
from equipoise.mitigations.training.recipe import Recipe
from equipoise.mitigations.training.running import TrainingSet, train
from equipoise.models.neural.causal import CausalModel
from equipoise.models.neural.masked import MaskedModel
from equipoise.models.protocol import LanguageModel
from equipoise.text import swaps
from equipoise.text.rewriting import Rewriter
from equipoise.text.rewriting.account import Rewritten

UNCHANGED = "unchanged"
FINE_TUNED = "fine-tuned"
"""What a model is called that was tuned on text as it is."""

MODES = (UNCHANGED, "substitute", "augment", "invert", "per-sentence", "neutral")
HELD_OUT_MOST = 500
"""Held-out sentences that are looked at after every epoch."""


@dataclass(frozen=True)
class TextTuning(Recipe):
    """How text is read and hidden, beside how weights are tuned."""

    name: ClassVar[str]
    takes_causal: ClassVar[bool] = False

    sentences: int = option(0, "sentences, or documents, drawn to train on; 0: all")
    unit: str = option("sentence", "what a row holds: sentence or document")
    longest: int = option(0, "tokens of a row; 0: as many as the model reads")
    mask_share: float = option(0.15, "share of the words that is hidden")
    whole_words: bool = option(False, "hide all pieces of a word together")

    @property
    def files(self) -> tuple[Path, ...]:
        """Files that say how text is rewritten."""
        return ()

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 < self.mask_share < 1:
            raise UserError(f"mask-share is {self.mask_share}.", "Give a share such as 0.15.")
        for name in ("sentences", "longest"):
            if getattr(self, name) < 0:
                raise UserError(
                    f"{name} is {getattr(self, name)}.", "Give a number of 1 or more, or 0 for all."
                )

    def check(self, model: LanguageModel, materials: Materials) -> None:
        """Refuse what cannot be tuned on before any work is done."""
        check_tuning(model, materials, self, UNCHANGED)


@dataclass(frozen=True)
class RewritingTuning(TextTuning):
    """The same on text that is rewritten first."""

    mode: str = option("substitute", f"how the text is rewritten: {', '.join(MODES)}")
    pairs: str = option("", "a file with your own words to exchange, in the columns male and female")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.pairs and self.mode not in (UNCHANGED, *swaps.MODES):
            raise UserError(
                f"Your own list of words cannot be used in the mode {self.mode!r}.",
                f"Give one of the modes {', '.join(swaps.MODES)}, or leave pairs out.",
            )

    @property
    def files(self) -> tuple[Path, ...]:
        """The user's own list of words, where there is one."""
        return (Path(self.pairs),) if self.pairs else ()

    def check(self, model: LanguageModel, materials: Materials) -> None:
        """Refuse what cannot be tuned on or rewritten before any work is done."""
        check_tuning(model, materials, self, self.mode)


@dataclass
class Texts:
    """Pieces of text to train on and held out, and what was done to the corpus, in sentences."""

    train: list[str]
    held_out: list[str]
    account: list[str] = field(default_factory=list)


Turn = Callable[[Sequence[Document]], tuple[list[str], int]]
"""Documents rewritten, and how many changes that took."""


def needs_documents(materials: Materials, by: str) -> None:
    """Refuse to tune on nothing."""
    if not materials.documents:
        raise UserError(f"{by} trains on text, but no corpus was given.", "Name one with --corpus.")


def check_tuning(model: LanguageModel, materials: Materials, settings: TextTuning, mode: str) -> None:
    """Refuse a model of another kind, and texts that cannot be split or rewritten, before any work."""
    (masked_or_causal if settings.takes_causal else masked_model)(model, settings.name)
    needs_documents(materials, settings.name)
    _check_mode(mode)
    kept, _ = split_documents(materials.documents, settings.validation, materials.seed)
    if mode != UNCHANGED:
        refuse_unchanged(_rewritten(kept, mode, materials.seed, settings.files), mode, materials.seed)


def refuse_unchanged(rewritten: Iterable[Rewritten], mode: str, seed: int) -> None:
    """Refuse texts that rewriting leaves as they are; what is gendered in them is told from what is not."""
    count = left = 0
    for one in rewritten:
        if one.changes:
            return
        count, left = count + 1, left + len(one.skipped)
    if left:
        raise UserError(
            f"Mode {mode} with seed {seed} changes none of the {count:,} documents, "
            f"although they hold {left:,} gendered words.",
            "Give a larger corpus, another seed, or another mode such as invert.",
        )
    raise UserError(
        f"None of the {count:,} documents holds a gendered word, so there is nothing to rewrite.",
        "Give a corpus about people.",
    )


def read_texts(materials: Materials, settings: TextTuning, mode: str) -> Texts:
    """Split by document, rewrite each side, cut into pieces and draw as many as were asked for."""
    _check_mode(mode)
    kept, held = split_documents(materials.documents, settings.validation, materials.seed)
    (train_texts, changes), (held_texts, _) = (
        turned(side, mode, materials.seed, settings.files) for side in (kept, held)
    )
    if mode != UNCHANGED and not changes:
        refuse_unchanged(_rewritten(kept, mode, materials.seed, settings.files), mode, materials.seed)
    pieces = list(text_pieces(train_texts, settings.unit))
    said = f"{len(kept):,} documents to train on and {len(held):,} held out, split before any rewriting"
    if mode != UNCHANGED:
        said += f"; mode {mode}, {changes:,} changes"
        said += f" by the words of {settings.files[0].name}" if settings.files else ""
    drawn = draw(pieces, settings.sentences, materials.seed)
    account = [f"{said}.", f"{len(drawn):,} of {len(pieces):,} pieces of text ({settings.unit}) trained on."]
    return Texts(
        drawn, draw(list(text_pieces(held_texts, settings.unit)), HELD_OUT_MOST, materials.seed), account
    )


def turned(
    documents: Sequence[Document], mode: str, seed: int, files: Sequence[Path] = ()
) -> tuple[list[str], int]:
    """The texts in a mode of rewriting, and how many changes it took; `augment` keeps both versions."""
    if mode == UNCHANGED:
        return [document.text for document in documents], 0
    rewritten = list(_rewritten(documents, mode, seed, files))
    return [text for one in rewritten for text in one.texts], sum(len(one.changes) for one in rewritten)


def _check_mode(mode: str) -> None:
    if mode not in MODES:
        raise unknown_name("mode", mode, MODES)


def _rewritten(
    documents: Sequence[Document], mode: str, seed: int, files: Sequence[Path] = ()
) -> Iterator[Rewritten]:
    """The documents rewritten: by our rewriter, or by the user's own list of words."""
    texts = (document.text for document in documents)
    if not files:
        return Rewriter(mode, seed=seed).rewrite_many(texts)
    return map(swaps.WordSwaps(read_swap_list(files[0]), mode, seed).rewrite, texts)


def draw(pieces: Sequence[str], count: int, seed: int) -> list[str]:
    """Some pieces in their order, by chance; all of them where that many are not there or 0 was asked."""
    if not count or count >= len(pieces):
        return list(pieces)
    places = np.random.default_rng((seed, 2)).choice(len(pieces), size=count, replace=False)
    return [pieces[place] for place in sorted(places)]


def tune(
    model: MaskedModel | CausalModel,
    network: Any,
    texts: Texts,
    settings: TextTuning,
    materials: Materials,
    *,
    name: str,
) -> Changed:
    """The network, which is our own copy, tuned to fill in hidden words of the texts, or to continue them."""
    longest = min(settings.longest or 512, model.max_length or 512)
    start = model.start_ids if isinstance(model, CausalModel) else ()
    sides = [
        [one.behind(start) for one in encode_examples(side, model.tokens, longest - len(start))]
        for side in (texts.train, texts.held_out)
    ]
    objective: Objective
    if isinstance(model, CausalModel):
        objective = NextTokens(model.tokens.padding_id or 0)
    else:
        vocabulary = Vocabulary.of(model.tokens.tokenizer)
        objective = MaskedWords(vocabulary, settings.mask_share, settings.whole_words)
    trained = train(network, TrainingSet(*sides), objective, settings, materials, name=name)
    account = (*texts.account, *trained.account())
    return Changed(changed_model(trained.network, model, name), account, trained.history)
