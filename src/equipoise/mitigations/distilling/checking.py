"""What self-distillation and head refit refuse before anything is read or learned."""

from equipoise.errors import UserError
from equipoise.mitigations.base import Materials
from equipoise.mitigations.distilling.network import UpperLayers
from equipoise.mitigations.distilling.rows import partners_of
from equipoise.mitigations.distilling.windows import document_contexts
from equipoise.mitigations.networks import masked_model, masked_or_causal
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
    """Refuse layers that cannot be run apart, a vocabulary or a corpus without a gendered word."""
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
