"""Numbers as people read them: rounded, and without a minus sign where nothing is left of them."""

TOO_FEW = "too few to tell"
HUNDREDS = 10.0
"""From this size on a number is shown with one decimal."""


def fixed(number: float, places: int, *, sign: bool = False) -> str:
    """So many decimals; `sign` writes the plus as well, and a number that rounds to zero has neither."""
    text = f"{number:.{places}f}"
    if float(text) == 0:
        return text.removeprefix("-")
    return f"+{text}" if sign and number > 0 else text


def with_interval(value: float, low: float, high: float, *, places: int) -> str:
    """A number with its interval, as a cell of a table has it; one that is not known is a dash."""
    if value != value:
        return "-"
    return fixed(value, places) + (f" [{fixed(low, places)}, {fixed(high, places)}]" if low == low else "")


def told(value: float, low: float, high: float, *, places: int = 2, sign: bool = False) -> str:
    """A number with its interval, as a sentence has it; where there is none, that there are too few."""
    if low != low:
        return TOO_FEW if value != value else f"{fixed(value, places, sign=sign)} ({TOO_FEW})"
    number, *ends = (fixed(one, places, sign=sign) for one in (value, low, high))
    return f"{number} [{', '.join(ends)}]"


def shown(number: float) -> str:
    """A number as a sentence has it."""
    return fixed(number, 1) if abs(number) >= HUNDREDS else three_decimals(number)


def three_decimals(number: float, *, sign: bool = False) -> str:
    """Three decimals; a small number has two digits, a tiny one an exponent."""
    if number == 0 or not abs(number) < 0.01:
        return fixed(number, 3, sign=sign)
    text = f"{number:.2g}" if abs(number) >= 0.001 else f"{number:.1e}"
    return f"+{text}" if sign and number > 0 else text
