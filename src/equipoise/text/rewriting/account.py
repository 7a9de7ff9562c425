"""The account of a rewrite: what changed and why, what was left and why, and the way back."""

from hashlib import blake2b
from typing import Any, NamedTuple


class Change(NamedTuple):
    """One replacement: its span in the original, and how sure the rule was (in nats, None if certain)."""

    start: int
    end: int
    old: str
    new: str
    rule: str
    margin: float | None = None
    judged: bool = False


class Skip(NamedTuple):
    """A gendered word or name that was left as it is, and why."""

    start: int
    end: int
    word: str
    reason: str


class Tally(NamedTuple):
    """Gendered words and names of each side, before and after."""

    male_before: int = 0
    female_before: int = 0
    male_after: int = 0
    female_after: int = 0


class Rewritten(NamedTuple):
    """A rewritten text with its account; spans of changes and skips point into the original."""

    text: str
    changes: tuple[Change, ...] = ()
    skipped: tuple[Skip, ...] = ()
    tally: Tally = Tally()
    mode: str = "invert"

    @property
    def counts(self) -> dict[str, dict[str, int]]:
        """Gendered words and names by side, before and after: a surplus of one side shows."""
        male_before, female_before, male_after, female_after = self.tally
        return {
            "before": {"male": male_before, "female": female_before},
            "after": {"male": male_after, "female": female_after},
        }

    @property
    def original(self) -> str:
        """The text before the rewrite, rebuilt from the account."""
        return undo(self)

    @property
    def texts(self) -> tuple[str, ...]:
        """What goes into a corpus: the original and its copy where the mode is augment, else the text."""
        return (self.original, self.text) if self.mode == "augment" and self.changes else (self.text,)

    @property
    def twin(self) -> str:
        """An id that an original and its copy share, so that a split can keep them together."""
        return twin_of(self.original)

    @property
    def flags(self) -> tuple[Skip, ...]:
        """The skips that a person should look at: sentences that would have become absurd."""
        return tuple(skip for skip in self.skipped if skip.reason == "definitional sentence")

    def rows(self) -> list[dict[str, Any]]:
        """The account as a table, in the order of the text."""
        changed = [{"action": "change", **change._asdict()} for change in self.changes]
        blank = {"new": "", "margin": None, "judged": False}
        left = [
            {"action": "skip", "start": s.start, "end": s.end, "old": s.word, "rule": s.reason, **blank}
            for s in self.skipped
        ]
        return sorted(changed + left, key=lambda row: (row["start"], row["end"]))


def undo(rewritten: Rewritten) -> str:
    """The exact original, from the rewritten text and its account."""
    pieces, place, shift = [], 0, 0
    for change in rewritten.changes:
        start = change.start + shift
        pieces += [rewritten.text[place:start], change.old]
        place = start + len(change.new)
        shift += len(change.new) - len(change.old)
    return "".join([*pieces, rewritten.text[place:]])


def twin_of(text: str) -> str:
    """The id of a document: equal texts have equal ids."""
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def coin(seed: int, *parts: str) -> bool:
    """A fair coin that depends only on the seed and the text, never on the order of work."""
    key = "\x1f".join((str(seed), *parts)).encode("utf-8", "surrogatepass")
    return blake2b(key, digest_size=8).digest()[0] < 128


def coins(seed: int, text: str, count: int) -> list[bool]:
    """The coins of a text's numbered parts, as `coin` gives them one by one; the text is read once."""
    begun = blake2b(f"{seed}\x1f{text}\x1f".encode("utf-8", "surrogatepass"), digest_size=8)
    drawn = []
    for number in range(count):
        part = begun.copy()
        part.update(str(number).encode())
        drawn.append(part.digest()[0] < 128)
    return drawn


def apply_changes(text: str, changes: list[Change]) -> str:
    """The text with every change made; changes are in order and do not overlap."""
    pieces: list[str] = []
    place = 0
    for start, end, _, new, _, _, _ in changes:
        pieces += (text[place:start], new)
        place = end
    pieces.append(text[place:])
    return "".join(pieces)
