"""What the chunks beside a pronoun say of it, in a few classes that are learned once per chunk."""

from equipoise.text.rewriting.quick import may_join, opens_plainly, stands_alone
from equipoise.text.rewriting.scanning import EDGE, FORM, MOST_CHUNKS, Part

# Each class with a text that stands for all of it: nothing that the quick ways read tells its members apart.
_LEFT = {"plain": "x ", "partner": "she or ", "break": ". ", "edge": ""}
_RIGHT = {"lower": " x", "partner": " or she", "other": " X", "empty": "  x", "and": " and x", "edge": ""}
_LEFT_CLASSES, _RIGHT_CLASSES = list(_LEFT), list(_RIGHT)
HEAD_CLASSES = len(_RIGHT)
_BREAKS = frozenset(".!?;:")
_ENDS_IN_OR = ("(or", "/or", "(Or", "/Or", "(and")
_OPENING = frozenset("/(")

Verdicts = tuple[tuple[bool, ...], ...]


def is_odd_before(chunk: str) -> bool:
    """Whether a pronoun after a chunk may be the second of a pair."""
    joined = chunk in ("or", "Or") or chunk.endswith(_ENDS_IN_OR) or chunk[-1:] == "/"
    return joined or "hers" in chunk.lower()


def is_odd_after(chunk: str) -> bool:
    """Whether a pronoun before a chunk may be the first of a pair; a blank is no chunk to judge by."""
    return chunk[:1] in _OPENING or chunk[:3].lower() == "and" or chunk in ("or", "", "&")


def tail_class(chunk: str) -> int:
    """The number of the class of a chunk that stands before a pronoun."""
    return _LEFT_CLASSES.index(_tail_name(chunk))


def _tail_name(chunk: str) -> str:
    if chunk == EDGE:
        return "edge"
    if is_odd_before(chunk):
        return "partner"
    return "break" if chunk[-1:] in _BREAKS else "plain"


def head_class(chunk: str) -> int:
    """The number of the class of a chunk that stands after a pronoun."""
    return _RIGHT_CLASSES.index(_head_name(chunk))


def _head_name(chunk: str) -> str:
    if chunk in ("", EDGE):
        return "edge" if chunk else "empty"
    if chunk == "or" or chunk.startswith("and/") or chunk[0] in _OPENING:
        return "partner"
    if chunk[:3].lower() == "and" or chunk == "&":
        return "partner" if chunk[0].isupper() else "and"
    return "lower" if chunk[0].islower() else "other"


class Tails(dict[str, int]):
    """The class of a chunk that stands before a pronoun."""

    def __missing__(self, chunk: str) -> int:
        """Work the class out when a chunk is first met; the memory stays bounded."""
        if len(self) >= MOST_CHUNKS:
            self.clear()
        self[chunk] = number = tail_class(chunk)
        return number


class Heads(dict[str, int]):
    """The class of a chunk that stands after a pronoun."""

    def __missing__(self, chunk: str) -> int:
        """Work the class out when a chunk is first met; the memory stays bounded."""
        if len(self) >= MOST_CHUNKS:
            self.clear()
        self[chunk] = number = head_class(chunk)
        return number


def stands_anywhere(verdicts: Verdicts) -> bool:
    """Whether the quick way holds beside all chunks but the odd ones."""
    return all(
        verdicts[_LEFT_CLASSES.index(left)][_RIGHT_CLASSES.index(right)]
        for left in ("plain", "break", "edge")
        for right in ("lower", "other")
    )


def stands_by_edges(chunk: str, part: Part) -> Verdicts:
    """Whether the quick way holds for the only candidate of a chunk, by the classes of both neighbours."""
    return tuple(
        tuple(_stands(left + chunk + right, len(left), part, name) for name, right in _RIGHT.items())
        for left in _LEFT.values()
    )


def _stands(text: str, offset: int, part: Part, right: str) -> bool:
    start, end = offset + part.start, offset + part.end
    if part.way != FORM:
        return stands_alone(text, start, end, part)
    if may_join(text, start, end) or (right == "and" and part.surface.lower() == "his"):
        return False
    return part.surface.islower() or opens_plainly(text, start, end)
