"""Probing: what a model expects at one blank, by pole or by word, beside its likeliest words."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from equipoise.data.poles import DEFAULT_POLES, Poles, load_poles
from equipoise.models.protocol import LanguageModel
from equipoise.models.questions import Fill, TopFill, WordScores
from equipoise.results.records import fixed

PROBABILITY, SHARE = "probability", "share"
SHARES = "shares among the asked words: a causal model gives no probability over all words"


@dataclass(frozen=True)
class Probed:
    """The asked words and the likeliest ones with their probabilities, and what is to be said of them.

    `difference` is the first asked word's probability less the second's, where a blank was asked for two
    sides: the pronoun probability difference (PPD) of the template-based evaluation.
    """

    words: pd.DataFrame
    likeliest: pd.DataFrame
    notes: tuple[str, ...]
    difference: float | None = None

    def sentence(self, model: str = "") -> str:
        """Which of two words is expected, and by how much; nothing where there are not two."""
        if self.difference is None:
            return ""
        model = model or str(self.words["model"].iloc[0])
        value = SHARE if SHARE in self.words else PROBABILITY
        two = self.words.iloc[:2].sort_values(value, ascending=False, kind="stable")
        (likelier, other), (high, low) = two["word"], two[value]
        if high == low:
            return f"{model} finds {likelier} and {other} equally likely ({_percent(high)} each)."
        gap = fixed(100 * (high - low), 0 if high - low >= 0.1 else 1)
        pair = f"{likelier} ({_percent(high)}) rather than {other} ({_percent(low)})"
        return f"{model} expects {pair}: {gap} points."


def _percent(share: float) -> str:
    return "under 0.1 %" if 0 < share < 0.001 else f"{fixed(100 * share, 0 if share >= 0.1 else 1)} %"


def probe_blank(
    model: LanguageModel,
    text: str,
    *,
    words: Sequence[str] = (),
    poles: str = DEFAULT_POLES,
    top: int = 8,
) -> Probed:
    """The words at the blank, or without words those of the poles in the form that fits it best."""
    named = None if words else load_poles(poles)
    asked = tuple(words) if named is None else _all_words(named)
    questions: list[Fill | TopFill] = [Fill(text, asked)]
    if model.can_answer(TopFill):
        questions.append(TopFill(text, top))
    answer, *others = model.answer(questions)
    is_share = model.kind == "causal"
    value = SHARE if is_share else PROBABILITY
    table = _words_table(answer, value) if named is None else _poles_table(answer, named, value)
    likeliest = _words_table(others[0], value).drop(columns="pieces") if others else pd.DataFrame()
    notes = [SHARES] if is_share else []
    if parts := model.unknown_parts(text):
        notes.append(f"{model.name!r} cannot spell {', '.join(parts)} and reads its unknown token there")
    return Probed(_of(model, table), _of(model, likeliest), tuple(notes), _difference(table, value, named))


def _difference(table: pd.DataFrame, value: str, poles: Poles | None) -> float | None:
    """The first pole less the second, or the first of two words less the other."""
    sides = table if poles is None else table[table["pole"].isin(poles.pair)]
    if len(sides) != 2:
        return None
    return float(sides[value].iloc[0] - sides[value].iloc[1])


def _all_words(poles: Poles) -> tuple[str, ...]:
    return tuple(dict.fromkeys(word for words in poles.words.values() for word in words))


def _words_table(answer: WordScores, value: str) -> pd.DataFrame:
    columns = {"word": answer.words, value: np.exp(answer.logprobs), "logprob": answer.logprobs}
    return pd.DataFrame(columns | {"pieces": answer.pieces})


def _poles_table(answer: WordScores, poles: Poles, value: str) -> pd.DataFrame:
    """The likeliest word of each pole, all in the one form that is likeliest at this blank.

    Shares are those among the words of that form: what was asked of the others only chose it.
    """
    table = _words_table(answer, value).set_index("word")
    masses = {
        form: sum(_mass(table, words, value) for words in poles.at(form).values()) for form in poles.forms
    }
    form = max(masses, key=lambda name: masses[name])
    if value == SHARE:
        table = table.assign(
            share=table[value] / masses[form], logprob=table["logprob"] - np.log(masses[form])
        )
    rows = []
    for pole, words in poles.at(form).items():
        if words:
            best = table.loc[list(words)].sort_values(value, ascending=False).iloc[:1].reset_index()
            rows.append(best.assign(pole=pole, form=form))
    shown = pd.concat(rows, ignore_index=True)
    return shown[["pole", "form", "word", value, "logprob", "pieces"]]


def _mass(table: pd.DataFrame, words: Sequence[str], value: str) -> float:
    return float(table.loc[list(words), value].sum()) if words else 0.0


def _of(model: LanguageModel, table: pd.DataFrame) -> pd.DataFrame:
    if len(table.columns):
        table.insert(0, "model", model.name)
    return table
