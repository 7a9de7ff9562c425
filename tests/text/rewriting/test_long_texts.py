"""Twice the text takes about twice the time, whatever is repeated in it."""

import time

import pytest

from equipoise.text.rewriting import MODES, Rewriter

REWRITERS = {mode: Rewriter(mode) for mode in MODES}
MOST = 3.2
"""Times as long that twice the text may take: quadratic work takes four."""

REPEATED = (
    "0123456789abcdef", ".a", "x-", "_a", "he <!-- ", "he <script>", "he <pre>", "he <pre ", "he ```",
    "he `a", "he.", "he\n", "her,", "Anna.", "Anna ", "Anna and ", "und he ", '"und" he ', "dad ", "He ",
    "King ", "ladies' x ", " ", ".", "Austin, Virginia, ", "he@", "he/", "(", "he'", "“he ", "he-",
    "HE HER KING ", 'the word "he" ', "she was pregnant, ", "he \n \t", "a+", "lion ", "Mr Mrs. Miss ",
    "Mary-", "/a", "Anna & ", "_Emma_ ", "und il la le ", "he <a ", "he [her](", "Priya said he ",
)  # fmt: skip


CASES = [
    *((repeated, "invert") for repeated in REPEATED),
    *(
        (repeated, mode)
        for repeated in ("he.", "x-", "und he ", "Anna ", "Xanfro and ", "<pre ")
        for mode in MODES
    ),
]


@pytest.mark.parametrize(("repeated", "mode"), CASES)
def test_rewriting_is_linear(repeated: str, mode: str) -> None:
    """As long as one of a few tries says so, for the machine may be busy with something else."""
    ratios = []
    while len(ratios) < 4 and (not ratios or min(ratios) > MOST):
        ratios.append(_seconds(repeated, 8_000, mode) / max(_seconds(repeated, 4_000, mode), 0.003))
    assert min(ratios) < MOST


def _seconds(repeated: str, size: int, mode: str) -> float:
    """Of three texts, for chunks are remembered, the one that was read in the shortest time."""
    text = "he she Anna" + repeated * (size // len(repeated))
    times = []
    for number in range(3):
        begun = time.process_time()
        REWRITERS[mode].rewrite(f"{text}{number}")
        times.append(time.process_time() - begun)
    return min(times)
