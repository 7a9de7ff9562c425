"""Where sentences begin and end, without a model: exact offsets, abbreviations known."""

import re
from bisect import bisect_right

from equipoise.text.languages.word_sets import word_set

_ABBREVIATIONS = word_set("abbreviations")
_END = re.compile(r"""[.!?…]["”’')\]]*(?:\s["”’])?\s+(?=["“‘'(\[*_]*[A-Z0-9À-Þ])|\n\s*\n""")
_LAST_WORD = re.compile(r"([\w.]+)$")
_OPENERS = " \t\"“‘'([{*_-–—«"


def sentence_starts(text: str) -> list[int]:
    """The offsets at which sentences begin; the first is 0."""
    starts = [0]
    for match in _END.finditer(text):
        if text[match.start()] == "." and _is_abbreviation(text, match.start()):
            continue
        starts.append(match.end())
    return starts


def span_at(starts: list[int], length: int, place: int) -> tuple[int, int]:
    """The sentence that holds a place."""
    number = bisect_right(starts, place) - 1
    end = starts[number + 1] if number + 1 < len(starts) else length
    return starts[number], end


def begins_sentence(text: str, start: int) -> bool:
    """Whether a word stands where a sentence, a quotation or a line begins."""
    place, opened = start - 1, False
    while place >= 0 and text[place] in _OPENERS:
        opened = opened or text[place] in '"“‘«*'
        place -= 1
    if place < 0 or text[place] in "\r\n!?…;:|•>":
        return True
    if text[place] == ".":
        return not _is_abbreviation(text, place)
    return opened and text[place] in ",—–-"


def _is_abbreviation(text: str, dot: int) -> bool:
    """Whether the full stop belongs to an abbreviation or an initial."""
    word = _LAST_WORD.search(text[max(0, dot - 12) : dot])
    if not word:
        return False
    last = word[1]
    return last.lower() in _ABBREVIATIONS or (len(last) == 1 and last.isupper() and last != "I")
