"""What self-distillation and head refit share: what they refuse, a copy of the network, and its examples."""

from dataclasses import dataclass

from equipoise.errors import Cancelled, UserError
from equipoise.mitigations.base import Materials
from equipoise.mitigations.distilling.contexts import frame_contexts
from equipoise.mitigations.distilling.network import UpperLayers
from equipoise.mitigations.distilling.rows import (
    Example,
    Exchange,
    Read,
    Report,
    causal_examples,
    examples,
    partners_of,
    read_examples,
)
from equipoise.mitigations.distilling.windows import document_contexts, neutral_contexts
from equipoise.mitigations.networks import masked_model, masked_or_causal
from equipoise.models.neural.causal import CausalModel
from equipoise.models.neural.masked import MaskedModel
from equipoise.models.options import STOPPED, TRAINING, Progress, unheard
from equipoise.models.protocol import LanguageModel
from equipoise.text.rewriting.mirroring import Mirror


def check_distilling(
    model: LanguageModel,
    materials: Materials,
    by: str,
    *,
    layers: int,
    sentences: int,
    takes_causal: bool = False,
) -> None:
    """Refuse layers that cannot run alone, and a vocabulary or corpus without a gendered word."""
    source = (masked_or_causal if takes_causal else masked_model)(model, by)
    UpperLayers(source.transformers_model, layers)
    partners_of(source, Mirror())
    documents = materials.documents
    if documents and sentences and not document_contexts(documents, Mirror(), count=1, seed=materials.seed):
        raise no_gendered_sentence(len(documents))


def no_gendered_sentence(documents: int) -> UserError:
    """For a corpus that nothing can be learned from."""
    return UserError(
        f"No short sentence of the {documents:,} documents holds a gendered word.",
        "Give a corpus about people, or none: then only frames are learned from.",
    )


LONGEST = 512
FRAMES_HELP = "contexts from frames; about a fifth more come out of all kinds together"
SENTENCES_HELP = "contexts with a gendered word drawn from the corpus, where one is given"
NEUTRAL_HELP = "contexts of the corpus whose pronouns are all hidden and that tell no gender otherwise"


@dataclass(frozen=True)
class Amount:
    """How much is learned from: contexts of frames, sentences of the corpus, and passes over them."""

    frames: int
    sentences: int
    neutral: int
    passes: int = 0


@dataclass(frozen=True)
class Prepared:
    """A copy of a network with examples that its old self has read, and what to say of them."""

    upper: UpperLayers
    examples: list[Example]
    reads: list[Read]
    exchange: Exchange
    report: Report
    work: int
    """Tokens to read and to tune on; some that were foreseen are not needed, so the end is told apart."""

    account: tuple[str, ...]


def prepare(
    masked: MaskedModel | CausalModel,
    materials: Materials,
    *,
    layers: int,
    amount: Amount,
    is_halved: bool = False,
) -> Prepared:
    """Draw contexts, turn them into examples and let the untouched copy read them."""
    upper = UpperLayers(masked.transformers_model, layers, is_halved=is_halved)
    mirror = Mirror()
    partners = partners_of(masked, mirror)
    drawn = document_contexts(materials.documents, mirror, count=amount.sentences, seed=materials.seed)
    if materials.documents and amount.sentences and not drawn:
        raise no_gendered_sentence(len(materials.documents))
    neutral = neutral_contexts(materials.documents, mirror, count=amount.neutral, seed=materials.seed)
    framed = frame_contexts(mirror, materials.seed, count=amount.frames)
    contexts = [*framed, *drawn, *neutral]
    longest = masked.max_length or LONGEST
    if isinstance(masked, CausalModel):
        rows = causal_examples(contexts, masked, longest=longest, seed=materials.seed)
    else:
        rows = examples(contexts, masked.tokens, longest=longest, seed=materials.seed)
    padding = masked.tokenizer.pad_token_id or 0
    work = (2 + amount.passes) * sum(len(row.ids) for row in rows)
    report = _reporter(materials, work, masked.name)
    kept = sum(context.mirrored is None for context in contexts)
    account = (
        f"{len(framed):,} contexts from frames and {len(drawn) + len(neutral):,} from the corpus, of which "
        f"{len(neutral):,} tell no gender; "
        f"{kept:,} of them keep their old distribution; {len(contexts) - len(rows):,} could not be read.",
        *(() if drawn else ("Nothing was read from a corpus: only frames were learned from.",)),
    )
    reads = read_examples(upper, rows, padding, report)
    return Prepared(upper, rows, reads, partners, report, work, account)


def _reporter(materials: Materials, work: int, name: str) -> Report:
    """Tells of progress in tokens, and ends the run when the caller wants it to stop."""
    done = 0
    tell, is_cancelled = materials.options.progress or unheard, materials.options.is_cancelled

    def report(tokens: int) -> None:
        nonlocal done
        done = min(work, done + tokens)
        tell(Progress(TRAINING, done, work, name))
        if is_cancelled is not None and is_cancelled():
            tell(Progress(STOPPED, 0, 0, name))
            raise Cancelled("stopped while it was tuned")

    return report
