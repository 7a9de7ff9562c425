"""Verdicts: what a difference means, in one vocabulary, and never without what must not fall."""

from collections.abc import Sequence
from math import isnan

from equipoise.results.comparison.differences import Difference
from equipoise.results.estimate import NOT_MEANINGFUL
from equipoise.results.records import fixed, three_decimals

LOWER, HIGHER, EQUIVALENT = "lower", "higher", "equivalent"
TOO_FEW, OTHER_WAY = "not enough items", "leans the other way"
BETTER, WORSE, SAME, UNKNOWN, OTHER_SIDE = "better", "worse", "same", "unknown", "other side"
ABSENT = "absent"
"""What a verdict means for a reader: whether the second model is nearer to what is good; of a guard or an
ability also that neither model has it."""

ALPHA = 0.05


def corrected_word(difference: Difference, p_corrected: float) -> str:
    """Return a verdict in a word. A difference that does not survive the correction is not claimed."""
    word = difference.verdict.word
    if word not in (LOWER, HIGHER):
        return word
    if not p_corrected < ALPHA:
        return TOO_FEW
    return OTHER_WAY if _crosses(difference) else word


def change_of(difference: Difference, word: str) -> str:
    """Whether the change is for better or worse, by which way is good."""
    quantity, first, second = difference.quantity, difference.first.value, difference.second.value
    if quantity.part != "bias" and word in (EQUIVALENT, TOO_FEW) and _neither_has_it(difference):
        return ABSENT
    if word in (EQUIVALENT, TOO_FEW, NOT_MEANINGFUL):
        return SAME if word == EQUIVALENT else UNKNOWN
    if word == OTHER_WAY:
        return OTHER_SIDE
    if quantity.better in ("lower", "higher"):
        return BETTER if word == quantity.better else WORSE
    nearer = abs(second - quantity.neutral) < abs(first - quantity.neutral)
    return BETTER if nearer else WORSE


def _neither_has_it(difference: Difference) -> bool:
    """Whether both models may be at what no knowledge gives."""
    neutral = difference.quantity.neutral
    return all(side.low <= neutral <= side.high for side in (difference.first, difference.second))


def sentence(row: dict[str, object], kept: Sequence[dict[str, object]], *, is_apart: bool = False) -> str:
    """One row in words, and whether the model still knows what it should; texts do not change."""
    first, second = f"{row['first']} ({_number(row['first_value'])})", _number(row["second_value"])
    interval = f"{_signed(row['low'])} to {_signed(row['high'])}"
    if isnan(_float(row["low"])):
        interval = "unknown: too few clusters to tell"
    numbers = f"difference {_signed(row['difference'])}, 95 % interval {interval}, n = {row['n']}"
    subject = f"{row['instrument']}, {row['label']}: {row['second']} ({second})"
    meaning = _meaning(row, first).removeprefix("now ") if is_apart else _meaning(row, first)
    beside = "" if row["void"] else _beside(kept)
    return f"{subject} {meaning}{beside}; {numbers}."


def _meaning(row: dict[str, object], first: str) -> str:
    word = str(row["verdict"])
    if word == NOT_MEANINGFUL:
        return f"cannot be compared with {first}, because that is not meaningful: {row['void']}"
    if word == TOO_FEW and _is_withdrawn(row):
        p = three_decimals(_float(row["p_holm"]))
        return f"may or may not differ from {first}: with all tests of this comparison counted p = {p}"
    if word == TOO_FEW:
        able = _float(row["detectable"])
        could = "" if isnan(able) else f", {row['n']} could have shown a difference of {three_decimals(able)}"
        return f"may or may not differ from {first}: there are not enough items{could}"
    return {
        LOWER: f"is lower than {first}{_nearness(row)}",
        HIGHER: f"is higher than {first}{_nearness(row)}",
        EQUIVALENT: f"is equivalent to {first} within the margin of {_float(row['margin']):g}",
        OTHER_WAY: f"now leans the other way than {first}",
    }[word]


def _is_withdrawn(row: dict[str, object]) -> bool:
    """Whether the difference would be claimed if it were the only one."""
    return _float(row["low"]) > 0 or _float(row["high"]) < 0


def _nearness(row: dict[str, object]) -> str:
    """Whether a signed number moved to neutral or away from it, which lower and higher do not say."""
    if row["better"] != "neutral":
        return ""
    return ", nearer to neutral" if row["change"] == BETTER else ", farther from neutral"


def _beside(kept: Sequence[dict[str, object]]) -> str:
    """What became of guard and ability; their loss is said first."""
    lost = [row for row in kept if row["change"] == WORSE]
    if lost:
        return f", and the model lost what it should know: {', '.join(map(_moved, lost))}"
    if not kept:
        return ""
    return f" ({', '.join(f'{_moved(row)}, {_kept_word(row)}' for row in kept)})"


def _kept_word(row: dict[str, object]) -> str:
    words = {
        SAME: "kept",
        BETTER: "better",
        UNKNOWN: "not enough items to tell",
        ABSENT: "which neither of them has",
    }
    return words.get(str(row["change"]), "kept")


def _moved(row: dict[str, object]) -> str:
    return f"{row['label']} {fixed(_float(row['first_value']), 2)} to {fixed(_float(row['second_value']), 2)}"


def _crosses(difference: Difference) -> bool:
    """Whether the second mean certainly lies on the other side of neutral than the first."""
    quantity = difference.quantity
    if quantity.kind == "size" or quantity.better != "neutral":
        return False
    first, second = difference.first, difference.second
    was, neutral = first.value - quantity.neutral, quantity.neutral
    is_sure = second.high < neutral if was > 0 else second.low > neutral
    return bool(was != 0 and is_sure)


def _float(value: object) -> float:
    return float(str(value))


def _number(value: object) -> str:
    return three_decimals(_float(value))


def _signed(value: object) -> str:
    return three_decimals(_float(value), sign=True)
