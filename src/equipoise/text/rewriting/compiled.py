"""What the compiled core is told: chunks, tokens and the weights of the linear model, described in numbers.

The core (`core/*.c`) decides what the chunks beside a candidate decide, and knows no word of any language:
whatever it needs it asks the guide, of most things once. It is optional; without it `turning.py` does the
same.
"""

from collections.abc import Iterator, Sequence

from equipoise.text.rewriting.document import Document, dots_titles, words_of
from equipoise.text.rewriting.edges import HEAD_CLASSES, head_class, tail_class
from equipoise.text.rewriting.form_model import JOINTS, MOST_TOKENS, SHAPE, SINGLES, Model
from equipoise.text.rewriting.forms import (
    RULED_BEFORE,
    RULINGS,
    choice_of,
    form_model,
    in_context,
    ruled_choice,
)
from equipoise.text.rewriting.inverting import Policy, Tables
from equipoise.text.rewriting.lexicon import REACH
from equipoise.text.rewriting.name_edges import HIDDEN, after_name, before_name, named
from equipoise.text.rewriting.names import bare, load_names
from equipoise.text.rewriting.nouns import is_foreign_neighbour, may_be_foreign
from equipoise.text.rewriting.owning_rules import END
from equipoise.text.rewriting.people import gender_of, partner_of, without_ending
from equipoise.text.rewriting.plans import FORMS, MARKED, NAMED, TITLE, Place, Plan, hits_of
from equipoise.text.rewriting.quick import is_common_noun
from equipoise.text.rewriting.scanning import ALONE, EDGE, FORM, MOST_CHUNKS, Hit, Scanner, tokens_of
from equipoise.text.rewriting.title_edges import AfterTitles, before_title, in_place_name
from equipoise.text.rewriting.whole_sentences import sentences_left_whole
from equipoise.text.sides import FEMALE, MALE

try:
    from equipoise.text.rewriting import _core

    IS_COMPILED = True
except ImportError:  # there was no compiler
    IS_COMPILED = False

PRONOUNS = tuple(FORMS)
ARTICLE_ENDS = frozenset("anA")
_MARKUP = ("<", "`", EDGE)
_KINDS = [*(kind for place in SINGLES for kind, _ in place), *JOINTS]
_MOST_NUMBERS = 1 << 19
Term = tuple[int, int, tuple[tuple[int, int], ...]]
Weight = tuple[int, int, int, int, int, float]


_SIDES = {MALE: 0, FEMALE: 1, None: 2}


class Tokens(dict[str, object]):
    """The tokens as the core knows them, described when they are first met."""

    def __init__(self, numbers: dict[str, int]) -> None:
        super().__init__()
        self.numbers, self.facts = numbers, form_model("her").facts
        self.rulings = [RULINGS[word] for word in PRONOUNS]

    def __missing__(self, token: str) -> object:
        """Describe a token; the memory stays bounded."""
        if len(self) >= MOST_TOKENS:
            self.clear()
        facts = tuple(self.numbers.get(fact, 0) for fact in self.facts[token])
        rulings = tuple(ruling(token) for ruling in self.rulings)
        marks = token in RULED_BEFORE, token == END, token[0].isalnum()
        self[token] = described = _core.token(token, facts, rulings, *marks)
        return described


class Guide:
    """Answers the questions of the core."""

    def __init__(self, scanner: Scanner, tables: Tables, policy: Policy, numbers: dict[str, int]) -> None:
        self.scanner, self.lexicon = scanner, tables.lexicon
        self.keeps_definitional = policy.definitional == "keep"
        self.tokens = Tokens(numbers)
        self.after_titles = AfterTitles(tables.lexicon)
        self.names = {name: number for number, name in enumerate(load_names().names)}

    def describe(self, chunk: str) -> tuple[object, ...] | None:
        """What a chunk with a candidate is and becomes; None for all others."""
        parts = self.scanner.parts(chunk)
        names = self._names_in(chunk)
        if any(mark in chunk for mark in _MARKUP):
            return self._description(Plan(chunk, parts), MARKED, names) if parts else _nothing(MARKED, names)
        if not parts:
            return _nothing(NAMED, names) if names else None
        known = named(chunk, parts[0]) if len(parts) == 1 else None
        plan = Plan(chunk, parts)
        if known is not None and plan.way != MARKED:
            return self._name(chunk, plan, known, names)
        return self._description(plan, plan.way, names)

    def _names_in(self, chunk: str) -> tuple[int, ...]:
        """The numbers of the first names in a chunk, by whatever is written there."""
        known = self.scanner.names
        return tuple(self.names[bare(token)] for token in words_of(chunk) if token in known) if known else ()

    def _name(self, chunk: str, plan: Plan, known: int, names: tuple[int, ...]) -> tuple[object, ...]:
        """A chunk that holds a first name and nothing else."""
        part = plan.parts[0]
        name = without_ending(part.surface)
        turned = chunk[: part.start] + (partner_of(name) or name) + chunk[part.start + len(name) :]
        side = _SIDES[gender_of(name)]
        return NAMED, 0, False, side, False, False, 0, (turned, turned), ((), ()), known, names, plan

    def _description(self, plan: Plan, way: int, names: tuple[int, ...]) -> tuple[object, ...]:
        part = plan.parts[0]
        verdicts = [holds for row in plan.edges for holds in row]
        is_free = plan.turned[0].endswith(".") if way == TITLE else plan.is_free
        asks = way not in (ALONE, MARKED) and part.word is not None and may_be_foreign(part.word.text)
        pronoun = PRONOUNS.index(plan.form_of) if way == FORM else 0
        inside = part.inside_before, part.inside_after
        tokens = tuple(tuple(self.tokens[token] for token in side) for side in inside)
        bits = sum(holds << number for number, holds in enumerate(verdicts))
        flags = is_free, 0 if plan.is_male else 1, plan.changes_article, asks
        return way, bits, *flags, pronoun, plan.turned, tokens, 0, names, plan

    def sides(self, chunk: str) -> tuple[int, int, bool, tuple[object, ...]]:
        """What a chunk is to the candidate beside it: its class before and after one, and its tokens."""
        tokens = (END,) if chunk == EDGE else tokens_of(chunk)
        known = tuple(self.tokens[token] for token in tokens)
        return tail_class(chunk) * HEAD_CLASSES, head_class(chunk), chunk[-1:] in ARTICLE_ENDS, known

    def titles(self, chunk: str) -> tuple[int, bool]:
        """What a chunk is before a title, and whether it is a name after one."""
        return before_title(chunk), self.after_titles[chunk]

    def name_sides(self, chunk: str) -> tuple[int, int]:
        """What a chunk is before a first name, and after one."""
        return before_name(chunk), after_name(chunk)

    def marks(self, text: str, marked: Sequence[Place]) -> bool:
        """Whether a text with marked chunks has neither markup nor sentences that are left whole."""
        if any(mark in text for mark in _MARKUP):
            return False
        keep = self.keeps_definitional
        return not sentences_left_whole(Document(text), hits_of(marked), self.lexicon, keep_definitional=keep)

    def is_foreign(self, text: str, offset: int, plan: Plan) -> bool:
        """Whether the candidate of a chunk stands beside a word of another language."""
        part = plan.parts[0]
        hit = Hit(offset + part.start, offset + part.end, part, 0)
        return is_foreign_neighbour(Document(text), hit, self.lexicon)

    def choose(self, pronoun: int, before: Sequence[str], after: Sequence[str]) -> int:
        """1 where a rule gives the pronoun a noun, 0 where one says it has none, -1 where no rule holds."""
        word = PRONOUNS[pronoun]
        if word == "her" and after[-1] == END and not any(token[0].isalnum() for token in after):
            return 0
        near = in_context(before, after)
        ruled = ruled_choice(word, *near)
        if ruled is None and near == (before, after):
            return -1
        form, _, _ = ruled or choice_of(word, before, after)
        return FORMS[word].index(form)

    def is_common(self, text: str, offset: int, plan: Plan) -> int:
        """0 for a noun in no blocked context and no verb, else -1."""
        part = plan.parts[0]
        return is_common_noun(text, offset + part.start, offset + part.end, part) - 1

    def dots_title(self, text: str, offset: int, plan: Plan) -> int:
        """1 where a title gets a full stop, 0 where it gets none, -1 where it belongs to a place."""
        title = plan.parts[0].surface
        end = offset + len(title)
        if in_place_name(text[end : end + REACH]):
            return -1
        return int(title == "Miss" and dots_titles(text))


def _nothing(way: int, names: tuple[int, ...]) -> tuple[object, ...]:
    """A chunk without candidates that must be heeded: for its markup, or for names that are protected."""
    return way, 0, False, 0, False, False, 0, ("", ""), ((), ()), HIDDEN, names, None


def compiled_core(scanner: Scanner, tables: Tables, policy: Policy) -> "_core.Core | None":
    """A core that turns as these tables say, or None where it was not compiled."""
    if not IS_COMPILED:
        return None
    numbers: dict[str, int] = {}
    models = [form_model(word) for word in PRONOUNS]
    weights = [weight for number, model in enumerate(models) for weight in _weights(number, model, numbers)]
    assert len(numbers) < _MOST_NUMBERS
    intercepts = tuple(model.intercept for model in models)
    guide = Guide(scanner, tables, policy, numbers)
    return _core.Core(guide, EDGE, MOST_CHUNKS, len(guide.names), (list(_terms()), weights, intercepts))


def _terms() -> Iterator[Term]:
    """The kinds of features: first those of one token, by its place, then those of several."""
    for place, features in enumerate(SINGLES):
        for kind, fact in features:
            yield place, _KINDS.index(kind), ((place, fact),)
    for kind, reads in JOINTS.items():
        yield len(SINGLES), _KINDS.index(kind), reads


def _weights(pronoun: int, model: Model, numbers: dict[str, int]) -> Iterator[Weight]:
    """The weights of a model, with a number for each word, class, ending and shape."""
    for name, weight in model.weights.items():
        if name:
            first, second, third = (
                numbers.setdefault(fact, len(numbers) + 1) if fact else 0 for fact in _facts_of(name)
            )
            yield pronoun, _KINDS.index(name[0]), first, second, third, weight


def _facts_of(name: str) -> tuple[str, str, str]:
    """The facts in the name of a feature; a shape and the class after it are written in one."""
    kind, facts = name[0], name[1:].split(" ")
    if kind in JOINTS and JOINTS[kind][1][1] == SHAPE:
        facts[1:] = facts[1][0], facts[1][1:]
    first, second, third, *_ = *facts, "", ""
    return first, second, third
