"""What a model can be asked, in one vocabulary: a model's abilities are checked with these words."""

from equipoise.errors import UserError

FILL = "fill"
TOP_FILL = "top-fill"
EMBED = "embed"
RAW_ROWS = "raw-rows"
HIDE_WORDS = "hide-words"
CLASSIFY = "classify"
GENERATE = "generate"
SCORE = "score:"
"""Before the name of a scoring rule: `score:original`."""

START = "start:"
"""Before the name of a start that texts may have in place of the model's own: `start:newline`."""

SCORING_RULES = ("original", "within-word-l2r", "unmasked", "unmasked-attention", "left-to-right")
"""In the order in which they are named to people; the first that a model has is its default."""

VERBS = {
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


def other_start(capabilities: frozenset[str]) -> str:
    """Another start that a causal model can put in front of a text; empty if it has none."""
    return next((one.removeprefix(START) for one in capabilities if one.startswith(START)), "")


def in_words(capability: str) -> str:
    """What having a capability means, as a verb: `score a sentence by the rule 'original'`."""
    if capability.startswith(SCORE) and capability != SCORE:
        return f"{VERBS[SCORE]} by the rule {capability.removeprefix(SCORE)!r}"
    return VERBS[capability]


def find_label(labels: tuple[str, ...], asked: str) -> str:
    """The label of this name, in whatever case; without a name the second of two."""
    by_name = {label.lower(): label for label in labels}
    if asked.lower() in by_name:
        return by_name[asked.lower()]
    if not asked and len(labels) <= 2:
        return labels[-1]
    what = f"has no label {asked!r}" if asked else f"has {len(labels)} labels, and none was named"
    raise UserError(f"The classifier {what}.", f"Name one of its labels with --label: {', '.join(labels)}.")
