"""Counterfactual self-distillation: what counterfactual averaging answers, put into plain weights.

What it does  The upper layers are tuned on unlabelled text until the model's own distribution matches its
              averaged one (the mean of its answer and of its mirrored answer on the turned text) at
              gendered places, and its old one everywhere else. Nothing is labelled; the model is its own
              teacher, read once before the tuning.
Text          Frames written for this purpose with occupations, person words, first names and definitional
              words, none of which is a sentence of a benchmark; and sentences with a gendered word of your
              corpus, where one is given: without one the model may unlearn how names tell a gender in long
              texts.
Kept          Sentences with a definitional word (pregnant, prostate) keep the old distribution, as does a
              share of the other tokens of the corpus. What a name or another word tells is told in the
              turned text as well.
Breaks        What the shift costs is in the price: read it beside the gain. A frame's wording is learned
              better than wordings far from it, so that a benchmark unlike frames and corpus moves less.
Source        This project; averaging over gender-swapped inputs is an old idea, its distillation into the
              model itself on unlabelled text, with definitional contexts exempt, was not published before
              to our knowledge.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

from equipoise.errors import UserError
from equipoise.mitigations.base import Changed, Materials
from equipoise.mitigations.distilling.contexts import Context, document_contexts, frame_contexts
from equipoise.mitigations.distilling.network import UpperLayers
from equipoise.mitigations.distilling.rows import Example, examples, exchange
from equipoise.mitigations.distilling.tuning import Course, read_examples, tune
from equipoise.models.base import LanguageModel
from equipoise.models.masked import MaskedModel
from equipoise.models.progress import Progress
from equipoise.text.rewriting.mirroring import Mirror


@dataclass(frozen=True)
class SelfDistillation:
    """Tunes the upper layers towards the model's own averaged distribution."""

    name: ClassVar[str] = "self-distillation"
    reads_corpus: ClassVar[bool] = True

    layers: int = 4
    epochs: int = 3
    rate: float = 5e-5
    tokens: int = 800
    frames: int = 2500
    sentences: int = 2000
    pairs: float = 1.0
    keeping: float = 1.0

    def change(self, model: LanguageModel, materials: Materials) -> Changed:
        """The tuned copy, with the losses of every pass in the account."""
        masked = masked_network(model, self.name)
        mirror = Mirror()
        contexts = frame_contexts(mirror, materials.seed, count=self.frames)
        drawn = document_contexts(materials.documents, mirror, count=self.sentences, seed=materials.seed)
        rows = examples(
            [*contexts, *drawn], masked.tokens, longest=masked.max_length or 512, seed=materials.seed
        )
        upper = UpperLayers(masked.transformers_model, self.layers)
        losses = self._tune(upper, rows, masked, materials, mirror)
        tuned = MaskedModel(
            upper.network, masked.tokenizer, name=f"{model.name} ({self.name})", options=masked.options
        )
        return Changed(tuned, _account(contexts, drawn, rows, losses))

    def _tune(
        self,
        upper: UpperLayers,
        rows: list[Example],
        masked: MaskedModel,
        materials: Materials,
        mirror: Mirror,
    ) -> list[float]:
        padding = masked.tokenizer.pad_token_id or 0
        work = (2 + self.epochs) * sum(len(row.ids) for row in rows)
        report = _reporter(materials, work, masked.name)
        reads = read_examples(upper, rows, padding, report)
        course = Course(self.epochs, self.rate, self.tokens, self.pairs, self.keeping, materials.seed)
        partners = exchange(masked.tokens, mirror, int(upper.network.config.vocab_size))
        return tune(upper, rows, reads, course, partners, report)


def masked_network(model: LanguageModel, by: str) -> MaskedModel:
    """The model, if it is a masked one whose weights can be copied."""
    if not isinstance(model, MaskedModel):
        raise UserError(
            f"{by} changes the weights of a masked model, and {model.name!r} is a {model.kind} model"
            f"{'' if model.kind != 'masked' else ' inside a wrapper'}.",
            "Name the folder of a masked model such as BERT.",
        )
    return model


def _reporter(materials: Materials, work: int, name: str) -> Callable[[int, int], None]:
    """Tells of progress in tokens."""
    done = 0

    def report(_rows: int, tokens: int) -> None:
        nonlocal done
        done = min(work, done + tokens)
        if materials.options.progress is not None:
            materials.options.progress(Progress("tuning", done, work, name))

    return report


def _account(
    contexts: list[Context], drawn: list[Context], rows: list[Any], losses: list[float]
) -> tuple[str, ...]:
    kept = sum(context.mirrored is None for context in (*contexts, *drawn))
    return (
        f"{len(contexts):,} contexts from frames and {len(drawn):,} from the corpus; "
        f"{kept:,} of them keep their old distribution; "
        f"{len(contexts) + len(drawn) - len(rows):,} were too long to read.",
        f"Loss by pass: {', '.join(f'{loss:.4f}' for loss in losses)}.",
        *(() if drawn else ("No corpus was given: nothing but frames was learned from.",)),
    )
