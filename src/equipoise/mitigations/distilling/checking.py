"""What self-distillation and head refit refuse before anything is read or learned."""

from equipoise.errors import UserError
from equipoise.mitigations.base import Materials
from equipoise.mitigations.distilling.contexts import document_contexts
from equipoise.mitigations.distilling.network import UpperLayers
from equipoise.mitigations.distilling.rows import partners_of
from equipoise.mitigations.networks import masked_model
from equipoise.models.protocol import LanguageModel
from equipoise.text.rewriting.mirroring import Mirror


def check_distilling(
    model: LanguageModel, materials: Materials, by: str, *, layers: int, sentences: int
) -> None:
    """Refuse layers that cannot be run apart, a vocabulary or a corpus without a gendered word."""
    masked = masked_model(model, by)
    UpperLayers(masked.transformers_model, layers)
    partners_of(masked, Mirror())
    documents = materials.documents
    if documents and sentences and not document_contexts(documents, Mirror(), count=1, seed=materials.seed):
        raise no_gendered_sentence(len(documents))


def no_gendered_sentence(documents: int) -> UserError:
    """For a corpus that nothing can be learned from."""
    return UserError(
        f"No short sentence of the {documents:,} documents holds a gendered word.",
        "Give a corpus about people, or none: then only frames are learned from.",
    )
