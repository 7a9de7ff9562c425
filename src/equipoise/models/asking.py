"""What a model tells before it is asked: why it would refuse a question, and how many layers it has."""

from typing import Any

from equipoise.errors import UnaskableError, UserError
from equipoise.models.protocol import LanguageModel
from equipoise.models.questions import Question
from equipoise.models.wrappers.base import WrappedModel

LONGEST_REASON = 100


def reason_against(model: LanguageModel, question: Question) -> str:
    """Why this model would refuse the question, such as a text that is too long for it; or nothing.

    Texts written for an instrument are meant to fit; those of a corpus may not, and one of them must not
    end a run.
    """
    neural = _neural(model)
    if neural is None:
        return ""
    try:
        neural.ask(question)
    except UserError as error:
        reason = error.message
        return reason if len(reason) <= LONGEST_REASON else reason[:LONGEST_REASON].rstrip() + "…"
    return ""


def unaskable_reason(model: LanguageModel, question: Question) -> str:
    """Why this one question cannot be asked, in words that items can be counted by; empty if it can be."""
    asked: Any = model
    while isinstance(asked, WrappedModel):
        (question,) = asked.rewrite_questions([question])
        asked = asked.inner
    try:
        if hasattr(asked, "ask"):
            asked.ask(question)
    except UnaskableError as error:
        return error.reason
    return ""


def layers_of(model: LanguageModel) -> int | None:
    """How many layers a model has above its embeddings, where it has any."""
    neural = _neural(model)
    return None if neural is None else int(neural.layers)


def find_label(labels: tuple[str, ...], asked: str) -> str:
    """The label of this name, in whatever case; without a name the second of two."""
    by_name = {label.lower(): label for label in labels}
    if asked.lower() in by_name:
        return by_name[asked.lower()]
    if not asked and len(labels) <= 2:
        return labels[-1]
    what = f"has no label {asked!r}" if asked else f"has {len(labels)} labels, and none was named"
    raise UserError(f"The classifier {what}.", f"Name one of its labels with --label: {', '.join(labels)}.")


def _neural(model: Any) -> Any:
    """The network behind a model, under whatever is wrapped around it."""
    from equipoise.models.neural.base import NeuralModel

    while isinstance(model, WrappedModel):
        model = model.inner
    return model if isinstance(model, NeuralModel) else None
