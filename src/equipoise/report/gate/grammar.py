"""The grammar of a rule, read by recursive descent; nothing of it is ever run as code.

rule       = and-part { "or" and-part }
and-part   = part { "and" part }
part       = "not" part | "(" rule ")" | number-or-estimate sign number-or-estimate
sign       = ">" | ">=" | "<" | "<=" | "==" | "!="
estimate   = INSTRUMENT "." KEY [ "[" GROUP "=" LEVEL { "," GROUP "=" LEVEL } "]" ] [ "." COLUMN ]
COLUMN     = "value" (when none is written) | "low" | "high" | "n"
"""

import re
from collections.abc import Callable

from equipoise.errors import UserError
from equipoise.report.gate.expressions import (
    COLUMNS,
    OPERATORS,
    Condition,
    EstimateName,
    Expression,
    Joined,
    Not,
    Number,
    Operand,
)

LONGEST = 5_000
DEEPEST = 50
EXAMPLES = "Write for example: tbe.appd.low > 0.1 and not sbe.asld[category=occupation].value < 3."

_SPACE = re.compile(r"\s*")
_NUMBER = re.compile(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?(?![\w.])")
_NAME = re.compile(r"[A-Za-z][\w-]*")
_KEY = re.compile(r"\w[\w-]*")
_LEVEL = re.compile(r'"(?P<quoted>[^"]*)"|(?P<bare>[^",\]]+)')
_SIGN = re.compile("|".join(map(re.escape, OPERATORS)))


def parse(text: str) -> Expression:
    """The expression that a rule is; what cannot be read is told with its position."""
    if len(text) > LONGEST:
        raise UserError(f"A rule has {len(text)} characters; at most {LONGEST} can be read.", EXAMPLES)
    reader = _Reader(text)
    expression = reader.rule(0)
    reader.skip(_SPACE)
    if reader.place < len(text):
        reader.refuse('"and", "or" or the end of the rule')
    if next(expression.names(), None) is None:
        raise UserError(f"The rule {text!r} names no estimate, so it says nothing of a model.", EXAMPLES)
    return expression


class _Reader:
    """A text and how far it was read."""

    def __init__(self, text: str) -> None:
        self.text, self.place = text, 0

    def skip(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        """Go over what matches here, if it does."""
        match = pattern.match(self.text, self.place)
        self.place = match.end() if match else self.place
        return match

    def take(self, mark: str) -> bool:
        """Go over spaces and a mark, if it stands here."""
        self.skip(_SPACE)
        is_here = self.text.startswith(mark, self.place)
        self.place += len(mark) if is_here else 0
        return is_here

    def take_word(self, word: str) -> bool:
        """Go over spaces and a word that ends here, such as `and`."""
        self.skip(_SPACE)
        return self.skip(re.compile(rf"{word}(?![\w.-])", re.IGNORECASE)) is not None

    def expect(self, pattern: re.Pattern[str], wanted: str) -> re.Match[str]:
        """Read the token that must come next, or refuse."""
        self.skip(_SPACE)
        return self.skip(pattern) or self.refuse(wanted)

    def refuse(self, wanted: str) -> "re.Match[str]":
        """Say where the rule cannot be read, and what could stand there."""
        rest = self.text[self.place :]
        shown = f"not {rest[:20] + ('...' if len(rest) > 20 else '')!r}" if rest else "but the rule ends"
        raise UserError(
            f"The rule {self.text!r} cannot be read at position {self.place + 1}: "
            f"expected {wanted}, {shown}.",
            EXAMPLES,
        )

    def rule(self, depth: int) -> Expression:
        """Parts joined by `or`, each of them parts joined by `and`."""
        return self._joined("or", lambda: self._joined("and", lambda: self._part(depth)))

    def _joined(self, word: str, read: Callable[[], Expression]) -> Expression:
        parts = [read()]
        while self.take_word(word):
            parts.append(read())
        return parts[0] if len(parts) == 1 else Joined(word, tuple(parts))

    def _part(self, depth: int) -> Expression:
        if depth > DEEPEST:
            self.refuse(f"no more than {DEEPEST} parts within each other")
        if self.take_word("not"):
            return Not(self._part(depth + 1))
        if self.take("("):
            inner = self.rule(depth + 1)
            if not self.take(")"):
                self.refuse('")", "and" or "or"')
            return inner
        left = self._operand()
        sign = self.expect(_SIGN, "a comparison (> >= < <= == !=)")[0]
        return Condition(left, sign, self._operand())

    def _operand(self) -> Operand:
        self.skip(_SPACE)
        number = self.skip(_NUMBER)
        if number:
            return Number(float(number[0]))
        instrument = self.expect(_NAME, "a number or an estimate such as tbe.appd.low")[0]
        self._expect_mark(".", f'"." and an estimate of {instrument}')
        key = self.expect(_KEY, f"the name of an estimate of {instrument}")[0]
        groups = self._groups() if self.take("[") else ()
        column = "value"
        if self.text.startswith(".", self.place):
            self.place += 1
            column = self.expect(re.compile("|".join(rf"{name}\b" for name in COLUMNS)), ", ".join(COLUMNS))[
                0
            ]
        return EstimateName(instrument, key, groups, column)

    def _groups(self) -> tuple[tuple[str, str], ...]:
        groups = [self._group()]
        while self.take(","):
            groups.append(self._group())
        self._expect_mark("]", '"," or "]"')
        return tuple(groups)

    def _group(self) -> tuple[str, str]:
        name = self.expect(_NAME, "the name of a group, such as category")[0]
        self._expect_mark("=", f'"=" and a level of {name}')
        level = self.expect(_LEVEL, f"a level of {name}")
        return name, level["quoted"] if level["bare"] is None else level["bare"].strip()

    def _expect_mark(self, mark: str, wanted: str) -> None:
        if not self.take(mark):
            self.refuse(wanted)
