"""They-forms: pronouns with their verbs, and gender-neutral nouns."""

import re
from collections.abc import Sequence

from equipoise.text.languages.en.agreement import ADVERBS, INVERTED, contraction, plural_verb
from equipoise.text.rewriting.account import Change
from equipoise.text.rewriting.drafts import Draft
from equipoise.text.rewriting.find.document import Document
from equipoise.text.rewriting.find.lexicon import Lexicon
from equipoise.text.rewriting.find.scanning import NAME, PROTECTED, WORD, Hit
from equipoise.text.rewriting.find.tokens import match_case, neighbours
from equipoise.text.rewriting.find.whole_sentences import FOREIGN_REASON, sentences_left_whole
from equipoise.text.rewriting.nouns.decisions import Leave
from equipoise.text.rewriting.nouns.turning import is_foreign_neighbour, noun, with_ending
from equipoise.text.rewriting.pronouns.forms import choose_form

_FIXED = {
    "he": "they",
    "she": "they",
    "him": "them",
    "hers": "theirs",
    "himself": "themselves",
    "herself": "themselves",
}
_FORMS = {"his": "their", "him": "them", "her": "their", "hers": "theirs"}
_NEXT = re.compile(r"(\s+(?:\w+ly\s+)?)([^\W\d_]+(?:['’]t)?)")
_BEFORE = re.compile(r"\b([^\W\d_]+(?:['’]t)?)(\s+)$")
_OR = "(?:[ ]or[ ]|/)"
_CLOSED = "(?=[.,;:!?)]|$)"
_COORDINATED = re.compile(
    rf"""(?<![\w(])\(?(?:s/he|s\)he|(?:he|she){_OR}s?he
      |(?P<them>(?:him|her){_OR}(?:him|her))(?:{_CLOSED}|(?=[ ](?:to|in|and|for|with|by|on|at|as|the|a)\b))
      |(?P<themselves>(?:him|her)(?:self)?{_OR}(?:him|her)self)
      |(?P<theirs>(?:his|hers){_OR}(?:his|hers)){_CLOSED}
      |(?P<their>(?:his|her){_OR}(?:his|hers?)))\b""",
    re.IGNORECASE | re.VERBOSE,
)


def neutralise(document: Document, hits: Sequence[Hit], lexicon: Lexicon) -> Draft:
    """The draft in which every gendered word that has a neutral one is replaced by it."""
    draft = Draft(document)
    marked = any(hit.part.what > NAME for hit in hits)
    stays = sentences_left_whole(document, hits, lexicon, keep_definitional=False) if marked else None
    joined = 0
    for hit in hits:
        if hit.part.what == PROTECTED:
            draft.leave(hit, "protected")
        if hit.part.what != WORD or hit.start < joined or _is_verb(draft, hit):
            continue
        if stays and (reason := stays.reason(document, hit.start)):
            draft.leave(hit, reason)
        elif marked and is_foreign_neighbour(document, hit, lexicon):
            draft.leave(hit, FOREIGN_REASON)
        elif hit.part.word and hit.part.word.kind == "pronoun":
            joined = _turn_pronoun(draft, hit)
        else:
            _turn_noun(draft, hit, lexicon)
    draft.changes.sort()
    return draft


def _is_verb(draft: Draft, hit: Hit) -> bool:
    """Whether the word was just made to agree with "they" ("she mothers him"): then it is not a noun."""
    return any(change.start <= hit.start < change.end for change in draft.changes[-2:])


def _turn_pronoun(draft: Draft, hit: Hit) -> int:
    """Replace a pronoun, and return where the replaced text ends."""
    document, word = draft.document, hit.part.word
    assert word is not None
    joined = _join(draft, hit)
    if joined:
        return joined
    if word.text in _FIXED:
        new, margin = _FIXED[word.text], None
    else:
        choice = choose_form(word.text, *neighbours(document.plain, hit.start, hit.end))
        new = _FORMS[choice.form if word.text == "her" else _image(choice.form)]
        margin = choice.margin
    surface, suffix = hit.part.surface, hit.part.suffix
    following = _NEXT.match(document.right(hit.end + len(suffix)))
    if new == "they":
        suffix = contraction(suffix, following[2] if following else "")
    end = hit.end + len(hit.part.suffix)
    old = document.text[hit.start : end]
    draft.changes.append(Change(hit.start, end, old, match_case(surface, new) + suffix, "pronoun", margin))
    if new == "they":
        _agree(draft, hit)
    return end


def _image(form: str) -> str:
    """his, once it is known whether it would be her or hers."""
    return "hers" if form == "hers" else "his"


def _join(draft: Draft, hit: Hit) -> int:
    """Turn "he or she" and "s/he" into one "they"."""
    document = draft.document
    for back in (0, 1, 2, 3):
        start = hit.start - back
        match = _COORDINATED.match(document.plain, start) if start >= 0 else None
        if match and match.start() <= hit.start < match.end():
            new = match.lastgroup or "they"
            written = match_case(match[0].lstrip("(").replace("/", "").replace(")", ""), new)
            draft.changes.append(Change(match.start(), match.end(), match[0], written, "pronoun"))
            if new == "they":
                _agree_after(draft, match.end())
            return match.end()
    return 0


def _agree(draft: Draft, hit: Hit) -> None:
    """The verb after "they", or before it in a question."""
    document = draft.document
    before = _BEFORE.search(document.left(hit.start))
    if before and before[1].lower().replace("’", "'") in INVERTED:
        start = hit.start - len(before[0])
        _replace_verb(draft, start, before[1])
    elif not hit.part.suffix:
        _agree_after(draft, hit.end)


def _agree_after(draft: Draft, end: int) -> None:
    """Every verb in the third person that the subject governs: he runs and swims, she often sings."""
    document, place = draft.document, end
    for _ in range(3):
        following = _NEXT.match(document.right(place))
        if following is None:
            return
        if following[2].lower() not in ADVERBS:
            break
        place += len(following[0])
    if following is None:
        return
    start = place + following.start(2)
    if _replace_verb(draft, start, following[2]):
        _agree_coordinated(draft, start + len(following[2]))


_AND_VERB = re.compile(
    r"([^.;:!?()]{0,40}?,? (?:and|or|but|then) (?:\w+ly |then |also )?)([a-z]+s)"
    r"(?=(?: (?:a|an|the|his|her|their|to|in|at|on|with|from|for|it|them|him|out|up|down|away|off|home|back)"
    r"\b|[.,;!?]))"
)
_FINITE = re.compile(r"\b(?:who|which|that|he|she|they|it|we|I|you|is|was|are|were|has|had)\b")


def _agree_coordinated(draft: Draft, place: int) -> None:
    match = _AND_VERB.match(draft.document.right(place))
    if match is None or _FINITE.search(match[1]) or re.search(r"\b\w+s (?:and|or) $", match[1]):
        return
    new = plural_verb(match[2])
    if new and match[2] not in ("his", "hers", "its", "others"):
        start = place + match.start(2)
        draft.changes.append(Change(start, start + len(match[2]), match[2], new, "agreement"))


def _replace_verb(draft: Draft, start: int, verb: str) -> bool:
    new = plural_verb(verb)
    if new is None:
        return False
    draft.changes.append(Change(start, start + len(verb), verb, match_case(verb, new), "agreement"))
    return True


def _turn_noun(draft: Draft, hit: Hit, lexicon: Lexicon) -> None:
    decision = noun(draft.document, hit, lexicon)
    word = hit.part.word
    assert word is not None
    if isinstance(decision, Leave):
        draft.leave(hit, decision.reason)
        return
    if not word.neutral or word.neutral == word.text:
        draft.leave(hit, "already neutral" if word.neutral else "no neutral word")
        return
    end, new = with_ending(draft.document, hit, word.neutral)
    change = Change(hit.start, end, draft.document.text[hit.start : end], new, word.kind)
    draft.add_article(change)
    draft.changes.append(change)
