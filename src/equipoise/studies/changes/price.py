"""The price of a mitigation: what a model must keep, measured on texts that it was not changed on.

Perplexity    Pseudo-perplexity of held-out sentences, each token hidden in turn, of gendered words and of
              all others apart: a mitigation may move the first a little and must leave the second alone.
Recovery      How often the likeliest word at a blank is the one that stood there, one word in every
              sentence.
Pronouns      How often the pronoun of a named person is found: of GAP's test texts where they are given,
              else of sentences with common first names. Here a model that merely makes he and she equal
              fails.
Beside it     Ability on Alice and Bob and the guard of definitional words come from the instruments
              stereotype-skew and tbe; the divergence on gender-neutral text compares two models
              (`divergence`).
Sentences     Written for this project; a text file of yours, a sentence a line, is taken instead where it
              is given.
"""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from equipoise.data.reading import TABLES, File, own_table, read_lines
from equipoise.data.sets.gap import GAP, OWN, load_named_pronouns
from equipoise.data.sources import Source
from equipoise.errors import UserError
from equipoise.instruments.base import Answers, Ask, Design, Settings
from equipoise.instruments.parts.estimates import (
    Spec,
    estimate,
    mean_estimate,
    probability_estimate,
)
from equipoise.instruments.parts.items import Row, asked_rows, with_scores
from equipoise.models.capabilities import FILL, SCORE
from equipoise.models.protocol import LanguageModel
from equipoise.models.questions import Fill, Score, TokenScores, TopFill, WordScores
from equipoise.results import Estimate, Quantity, Roles, Summary
from equipoise.stats.means import Mean, mean_with_interval
from equipoise.text.blank import BLANK
from equipoise.text.rewriting.mirroring import Mirror

LIKELIEST = 50


def divergence(before: LanguageModel, after: LanguageModel, blanks: Sequence[str]) -> Mean:
    """The mean Kullback-Leibler divergence of after from before, in nats, over texts with one blank.

    The distribution is that over the words that were likeliest before and the rest of the vocabulary as one:
    a lower bound of the divergence over all words, and close to it where those take most of the probability.
    """
    likeliest = before.answer([TopFill(text, LIKELIEST) for text in blanks])
    asked = [
        Fill(text, tuple(word for word in top.words if word.isalpha()), unknown_as_nan=True)
        for text, top in zip(blanks, likeliest, strict=True)
    ]
    values = [
        divergence_of(own, other)
        for own, other in zip(before.answer(asked), after.answer(asked), strict=True)
    ]
    return mean_with_interval(pd.Series(values, dtype=float).to_numpy())


def divergence_of(own: WordScores, other: WordScores) -> float:
    """The divergence over the words that both models can spell and the rest as one."""
    logs = np.array([own.logprobs, other.logprobs], dtype=float)
    logs = logs[:, ~np.isnan(logs).any(axis=0)]
    rest = np.log(np.clip(1 - np.exp(logs).sum(axis=1), 1e-12, None))
    first, second = np.column_stack([logs, rest])
    return float(np.sum(np.exp(first) * (first - second)))


SENTENCES, OWN_SENTENCES = "sentence", TABLES / "held-out-sentences.csv"
WORD, PRONOUN = "word", "pronoun"
"""The parts of the items: whole sentences, one hidden word, the pronoun of a named person."""

_LONG_WORD = re.compile(r"\b[a-z]{4,}\b")
_NATS = "nats per token"


def _kept(key: str, label: str, column: str, *, part: str, margin: float) -> Quantity:
    """What must not fall."""
    return Quantity(
        key,
        label,
        margin,
        column=column,
        unit=_NATS if part == SENTENCES else "share",
        better="higher",
        part="ability",
        kind="mean" if part == SENTENCES else "probability",
        factors=("cluster",),
        where={"part": part},
    )


class Price:
    """What a model keeps: perplexity of held-out text, hidden words recovered, pronouns of named people."""

    name = "price"
    title = "Price: what a changed model must keep"
    datasets: tuple[str, ...] = (OWN,)
    variants: tuple[str, ...] = ("held-out",)
    needs: tuple[str, ...] = (FILL, SCORE)
    reads: tuple[str, ...] = ()
    roles = Roles(text=("text",), factors=("cluster",), groups=("part",))
    quantities: tuple[Quantity, ...] = (
        _kept("likelihood-other", "mean log P of other words", "logp_other", part=SENTENCES, margin=0.01),
        _kept(
            "likelihood-gendered",
            "mean log P of gendered words",
            "logp_gendered",
            part=SENTENCES,
            margin=0.05,
        ),
        _kept("recovery", "recovered words", "right", part=WORD, margin=0.02),
        _kept("pronouns", "pronouns of named people right", "right", part=PRONOUN, margin=0.02),
    )

    def __init__(
        self, texts: Path | None = None, pronouns: Path | None = None, *, most_pronouns: int = 1_000_000
    ) -> None:
        """`texts` has a sentence a line, `pronouns` is a folder with GAP's files; else our own are read."""
        self.texts, self.pronouns, self.most_pronouns = texts, pronouns, most_pronouns

    def __repr__(self) -> str:
        return f"Price({self.texts}, {self.pronouns}, {self.most_pronouns})"

    def design(self, source: Source, settings: Settings) -> Design:
        """The sentences, one word of each, and the pronouns of named people."""
        sentences, file = self._sentences()
        named = Source(OWN) if self.pronouns is None else Source(GAP, self.pronouns)
        pronouns = load_named_pronouns(named)
        asked = pronouns.table.head(self.most_pronouns).assign(part=PRONOUN)
        rows = pd.DataFrame([*_sentence_rows(sentences), *_word_rows(sentences)])
        items = pd.concat([rows, asked.rename(columns={"right": "wanted"})], ignore_index=True).fillna("")
        return Design(items=items, files=(file, *pronouns.files), settings=settings)

    def ask(self, design: Design, model: LanguageModel) -> Iterator[Ask]:
        """The score of a sentence, the likeliest word at a blank, both pronouns at another."""
        for row in asked_rows(design.items):
            if row["part"] == SENTENCES:
                yield Ask(row["item"], SENTENCES, Score(row["text"]))
            elif row["part"] == PRONOUN:
                yield Ask(row["item"], PRONOUN, Fill(row["text"], (row["wanted"], row["other"])))
            elif model.can_answer(TopFill):
                yield Ask(row["item"], WORD, TopFill(row["text"], 1))

    def score(self, design: Design, answers: Answers) -> pd.DataFrame:
        """Return the losses of each sentence, and whether the right word or pronoun is likelier."""
        gendered = _gendered_words()

        def read(row: Row) -> Row:
            answer: Any = answers.get((row["item"], row["part"]))
            if row["part"] == SENTENCES:
                return _likelihoods(answer, row["text"], gendered)
            if answer is None:
                return {"score": np.nan, "right": np.nan, "dropped": "the model names no likeliest word"}
            if row["part"] == WORD:
                right = float(answer.words[0].lower() == row["wanted"])
                return {"score": right, "right": right}
            gap = answer.logprobs[0] - answer.logprobs[1]
            return {"score": gap, "right": 0.5 if abs(gap) <= 1e-9 else float(gap > 0)}

        return with_scores(design.items, read)

    def summarise(self, design: Design, items: pd.DataFrame) -> Summary:
        """Perplexities and shares, each with its interval."""
        parts = {part: items[items["part"] == part] for part in (SENTENCES, WORD, PRONOUN)}
        estimates = [
            _perplexity(f"perplexity-{name}", f"pseudo-perplexity of {name} words", parts[SENTENCES], name)
            for name in ("other", "gendered")
        ]
        for key, part in (("recovery", WORD), ("pronouns", PRONOUN)):
            spec = Spec(key, unit="share", better="higher")
            rows = parts[part]
            # A tie is half right, so that this is a mean and not a share of hits.
            estimates.append(probability_estimate(spec, rows["right"].astype(float), rows, ("cluster",)))
        return Summary(estimates)

    def neutral_blanks(self) -> list[str]:
        """One blank in every sentence without a gendered word."""
        gendered = _gendered_words()
        sentences, _ = self._sentences()
        neutral = [text for text in sentences if not gendered & set(re.findall(r"[a-z]+", text.lower()))]
        return [row["text"] for row in _word_rows(neutral)]

    def _sentences(self) -> tuple[list[str], File]:
        if self.texts is None:
            return own_table(OWN_SENTENCES.name)["text"].tolist(), OWN_SENTENCES
        lines = read_lines(self.texts)
        if len(lines) < 5:
            raise UserError(
                f"{self.texts} has {len(lines)} lines.", "Give at least five sentences, one a line."
            )
        return lines, self.texts


def _sentence_rows(sentences: list[str]) -> Iterator[dict[str, str]]:
    for number, text in enumerate(sentences, start=1):
        yield {
            "item": f"sentence {number}",
            "part": SENTENCES,
            "text": text,
            "cluster": str(number),
            "dropped": "",
        }


def _word_rows(sentences: list[str]) -> Iterator[dict[str, str]]:
    """A word of four letters or more near the middle of each sentence."""
    for number, text in enumerate(sentences, start=1):
        words = list(_LONG_WORD.finditer(text))
        if words:
            middle = words[len(words) // 2]
            blanked = text[: middle.start()] + BLANK + text[middle.end() :]
            named = {"item": f"word {number}", "part": WORD, "text": blanked, "wanted": middle.group()}
            yield named | {"cluster": str(number), "dropped": ""}


def _gendered_words() -> frozenset[str]:
    words = {word for pair in Mirror().pairs for word in pair}
    return frozenset(words | {"his", "her", "him", "hers"})


def _likelihoods(answer: TokenScores, text: str, gendered: frozenset[str]) -> Row:
    """The mean log P of gendered tokens and of the others, and how many there are."""
    is_gendered = np.array([_word_at(text, span) in gendered for span in answer.spans])
    logprobs = np.array(answer.logprobs)
    cells: Row = {"score": float(logprobs.mean()), "right": np.nan}
    for name, chosen in (("gendered", is_gendered), ("other", ~is_gendered)):
        cells[f"tokens_{name}"] = int(chosen.sum())
        cells[f"logp_{name}"] = float(logprobs[chosen].mean()) if chosen.any() else np.nan
    return cells


def _word_at(text: str, span: tuple[int, int]) -> str:
    return text[span[0] : span[1]].strip().lower()


def _perplexity(key: str, label: str, rows: pd.DataFrame, name: str) -> Estimate:
    """exp of the mean loss over tokens, its interval from the sentences' totals."""
    counts = rows[f"tokens_{name}"].fillna(0).to_numpy(dtype=float)
    losses = -np.nan_to_num(rows[f"logp_{name}"].to_numpy(dtype=float)) * counts
    mean = losses.sum() / max(1.0, counts.sum())
    # The ratio's influence on each sentence: the interval of a mean of sums over a mean of counts.
    influence = pd.Series((losses - mean * counts) / max(1e-12, counts.mean()), index=rows.index)
    spread = mean_estimate(Spec(key), influence, rows, ("cluster",))
    spec = Spec(key, label, "exp(nats per token)", 1.0, "lower")
    low, high = np.exp(mean + spread.low), np.exp(mean + spread.high)
    return estimate(spec, float(np.exp(mean)), (float(low), float(high)), n=int(counts.sum()))
