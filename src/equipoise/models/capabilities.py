"""What a model can be asked, in one vocabulary: a model's abilities are checked with these words."""

from typing import TYPE_CHECKING

from equipoise.errors import UnaskableError, UserError

if TYPE_CHECKING:
    from equipoise.models.protocol import LanguageModel
    from equipoise.models.questions import Question

FILL = "fill"
TOP_FILL = "top-fill"
EMBED = "embed"
RAW_ROWS = "raw-rows"
HIDE_WORDS = "hide-words"
CLASSIFY = "classify"
GENERATE = "generate"
SCORE = "score:"
"""Before the name of a scoring rule: `score:original`."""

SCORING_RULES = ("original", "within-word-l2r", "unmasked", "unmasked-attention", "left-to-right")
"""In the order in which they are named to people; the first that a model has is its default."""

_VERBS = {
    FILL: "fill a blank with given words",
    TOP_FILL: "list the likeliest words at a blank",
    EMBED: "embed a text",
    RAW_ROWS: "run raw rows of token ids",
    HIDE_WORDS: "hide other words of a sentence while it fills a blank",
    CLASSIFY: "classify a text",
    GENERATE: "write a text",
    SCORE: "score a sentence",
}


def score_by(rule: str) -> str:
    """The capability of scoring by a rule."""
    return f"{SCORE}{rule}"


def scoring_rules(capabilities: frozenset[str]) -> tuple[str, ...]:
    """The rules that a model with these capabilities scores by, its default first."""
    return tuple(rule for rule in SCORING_RULES if score_by(rule) in capabilities)


def in_words(capability: str) -> str:
    """What having a capability means, as a verb: `score a sentence by the rule 'original'`."""
    if capability.startswith(SCORE) and capability != SCORE:
        return f"{_VERBS[SCORE]} by the rule {capability.removeprefix(SCORE)!r}"
    return _VERBS[capability]


def require(model: "LanguageModel", *capabilities: str, by: str, hint: str = "") -> None:
    """Refuse a model that lacks a capability which the instrument named in `by` needs."""
    for capability in capabilities:
        if not _has(model, capability):
            raise UserError(
                f"{by} cannot measure {model.name!r}: a {model.kind} model cannot {in_words(capability)}.",
                hint or _what_it_can(model),
            )


def _what_it_can(model: "LanguageModel") -> str:
    """What a model can be asked, by its verbs, and where to find what asks that."""
    verbs = [_VERBS[name] for name in _VERBS if name != RAW_ROWS and _has(model, name)]
    can = ", ".join(verbs) or "do nothing"
    return f"It can {can}. Name another instrument (`equipoise list instruments`) or another kind of model."


def _has(model: "LanguageModel", capability: str) -> bool:
    """Whether a model has a capability; to score at all is to score by any rule."""
    if capability == SCORE:
        return bool(scoring_rules(model.capabilities))
    return capability in model.capabilities


def listing(model: "LanguageModel") -> str:
    """A model's capabilities, for a sentence."""
    return ", ".join(sorted(model.capabilities)) or "nothing"


LONGEST_REASON = 100


def reason_against(model: "LanguageModel", question: "Question") -> str:
    """Why this model would refuse the question, such as a text that is too long for it; or nothing.

    Texts written for an instrument are meant to fit; those of a corpus may not, and one of them must not
    end a run.
    """
    try:
        model.check(question)
    except UserError as error:
        reason = error.message
        return reason if len(reason) <= LONGEST_REASON else reason[:LONGEST_REASON].rstrip() + "…"
    return ""


def unaskable_reason(model: "LanguageModel", question: "Question") -> str:
    """Why this one question cannot be asked, in words that items can be counted by; empty if it can be."""
    try:
        model.check(question)
    except UnaskableError as error:
        return error.reason
    return ""


def find_label(labels: tuple[str, ...], asked: str) -> str:
    """The label of this name, in whatever case; without a name the second of two."""
    by_name = {label.lower(): label for label in labels}
    if asked.lower() in by_name:
        return by_name[asked.lower()]
    if not asked and len(labels) <= 2:
        return labels[-1]
    what = f"has no label {asked!r}" if asked else f"has {len(labels)} labels, and none was named"
    raise UserError(f"The classifier {what}.", f"Name one of its labels with --label: {', '.join(labels)}.")
