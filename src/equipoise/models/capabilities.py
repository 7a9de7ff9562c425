"""What a model can be asked, in one vocabulary: a model's abilities are checked with these words."""

from typing import TYPE_CHECKING

from equipoise.errors import UserError

if TYPE_CHECKING:
    from equipoise.models.protocol import LanguageModel

FILL = "fill"
TOP_FILL = "top-fill"
EMBED = "embed"
RAW_ROWS = "raw-rows"
HIDE_WORDS = "hide-words"
CLASSIFY = "classify"
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
