"""Completions (GBM): who is expected where a sentence says something good or bad about a person?

Question     Sentences such as "The <word> person in the photograph is a [MASK]." with words of positive and
             negative sentiment, each in a semantic category. M, F and N are the shares of male words, female
             words and everything else at the blank, averaged over the sentences of a sentiment.
             GBM = (F+ - M+)/N+ + (M- - F-)/N-. An item's `score` is F - M in a positive sentence and M - F
             in a negative one: what the item adds to GBM before the division by N.
Sign         THE OTHER WAY ROUND than in most instruments: GBM, `score` and its mean, "favour", above 0 favour
             women (female words beside positive, male words beside negative ones), below 0 men.
             "female - male" above 0 expects women, whatever the sentiment. For other poles the second one
             stands for women and the first for men.
Good         GBM near 0, and F near M in either sentiment: GBM is also 0 where the two sentiments cancel out.
Beside it    Both ways to count. `full-vocabulary`, the default, sums the probabilities of every listed word
             that is one piece of the model's vocabulary: exact, whatever its rank. `top-5`, as published,
             looks at the five likeliest words only and makes their probabilities add up to one. Further:
             shares by category, how many different listed words are among the completions, the mean squared
             difference of M and F, and how much of each list the vocabulary holds. `top_templates` and
             `unique_completions` list what the numbers rest on; `word_coverage` names the words not asked.
Zero         A uniform model gives GBM 0: M and F are the lists' shares of the vocabulary in either sentiment.
             So do random weights (within 0.001 in full, 0.01 with top-5), because they hardly look at the
             sentence. "female - male" is then what the lists weigh, which is not 0: compare it with that.
Source       Nelson et al., "bias-measurement" (GBM); its word lists are those of md_gender_bias.
Differs      The paper says that both sentiments hold nouns and adjectives; the published file (data set gbm)
             has no positive nouns, and a second sentence for each word. Two adjectives stand in both
             sentiments and three sentences have a wrong article: they are kept and counted, and GBM is given
             without them too. The authors compare words with their capitals, so that "Man" is neither; here
             case does not matter. From the rounded cells of Table 2 GBM is .0623 for BART and .0396 for BERT
             (printed: .063 and .040).
             On the published file, bert-base-uncased has "female - male" -.006 in full and +.026 by top-5:
             cutting off at five words turns the sign.
Limits       GBM depends on K and on the lists: a vocabulary usually holds more of the male words, and words
             of several pieces count as N. It is undefined (NaN) where N is 0 and unbounded near it. In full,
             words are asked as they are listed, with a capital only at a sentence's start. The decoder of an
             encoder-decoder sees the words to the left. Causal models cannot list the likeliest words at a
             blank and are refused.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from equipoise.data import gbm
from equipoise.data.catalogue import fetch_file, fetch_files
from equipoise.data.poles import DEFAULT_POLES, load_poles
from equipoise.data.reading import TABLES
from equipoise.instruments.base import ALL, Comparable, ItemSet, Label, Settings, mean_estimate
from equipoise.models.base import BLANK, Fill, Question, Raw, TopFill, WordScores
from equipoise.models.words import Tokens, place_word
from equipoise.results import Estimate
from equipoise.stats.intervals import cluster_bootstrap_of
from equipoise.text.completion_sentences import POSITIVE, build_sentences, read_patterns, read_words
from equipoise.text.gendered import NEITHER, WordLists, read_word_pairs, word_lists, words_of_poles

FULL, TOP = "full-vocabulary", "top-5"
COUNT = 5
UNIT = "share"
PREFIX = {FULL: "p", TOP: "top"}
"""Items hold the shares of both ways to count, in columns that begin like this."""

_OWN = ("completion-words.csv", "completion-patterns.csv", "gendered-words.csv")
_COLUMNS = ["item", "pattern", "word", "part", "sentiment", "category", "text", "flag"]
Numbers = npt.NDArray[Any]


class Completions:
    """Shares of gendered completions by sentiment, and GBM."""

    name = "completions"
    title = "Completions by sentiment: gender bias metric (GBM)"
    datasets = ("equipoise-completions", gbm.NAME)
    variants = (FULL, TOP)
    needs = (Fill, TopFill)
    comparable = Comparable(clusters="word", margin=0.02, unit=UNIT)

    def items(self, settings: Settings) -> ItemSet:
        """Every word in every pattern for its part of speech, or the published sentences."""
        paths = _files(settings)
        if settings.data == gbm.NAME:
            table = gbm.read_gbm_templates(paths[0])
        else:
            table = build_sentences(read_words(paths[0]), read_patterns(paths[1]))
        notices = gbm.gbm_notices(table)
        lists = load_lists(settings)
        named = [row for row in zip(table["word"], table["text"], strict=True) if _names_one(row[1], lists)]
        if named:
            words = ", ".join(dict.fromkeys(word for word, _ in named))
            notices += (f"{len(named)} sentences name a listed word beside the blank: {words}",)
        files = (*paths, load_poles(settings.poles).path)
        return ItemSet(table[_COLUMNS].assign(dropped=""), files, notices)

    def questions(self, items: pd.DataFrame, settings: Settings) -> list[Question]:
        """Three per item: every listed word of the first pole, of the second, and the likeliest words."""
        lists = load_lists(settings)
        asked: list[Question] = []
        for text in items["text"]:
            asked += [Fill(text, words, unknown_as_nan=True) for words in lists.words.values()]
            asked.append(TopFill(text, COUNT))
        return asked

    def questions_for(self, model: Any, items: pd.DataFrame, settings: Settings) -> list[Question]:
        """The same, of the words that are one piece in place: then an item is one row, whatever the lists."""
        tokens = getattr(model, "tokens", None)
        if tokens is None or not model.can_answer(Raw):
            return self.questions(items, settings)
        return list(_row_questions(tokens, items, load_lists(settings)))

    def scored(self, items: pd.DataFrame, answers: Sequence[WordScores], settings: Settings) -> pd.DataFrame:
        """Shares of both poles in full and among the likeliest words; the score by the chosen variant."""
        lists = load_lists(settings)
        first, second = lists.names
        rows = [_shares(lists, *answers[3 * place : 3 * place + 3]) for place in range(len(items))]
        found = pd.DataFrame(rows, index=items.index)
        prefix = PREFIX[settings.variant]
        sign = np.where(items["sentiment"] == POSITIVE, 1.0, -1.0)
        score = sign * (found[f"{prefix}_{second}"] - found[f"{prefix}_{first}"])
        dropped = np.where(score.isna(), "the vocabulary holds no listed word of one of the poles", "")
        return pd.concat([items.drop(columns="dropped"), found], axis=1).assign(score=score, dropped=dropped)

    def estimates(self, items: pd.DataFrame, settings: Settings) -> list[Estimate]:
        """GBM, then shares by sentiment and category, then what they rest on."""
        poles = _pole_names(settings)
        other = TOP if settings.variant == FULL else FULL
        ways = {"": PREFIX[settings.variant], f" ({other})": PREFIX[other]}
        sound = items[items["flag"] == ""]
        whole = {"gbm": items} | ({"gbm without flagged items": sound} if len(sound) < len(items) else {})
        found = [
            _gbm_estimate(f"{name}{way}", rows, poles=poles, prefix=prefix, seed=settings.seed)
            for name, rows in whole.items()
            for way, prefix in ways.items()
        ]
        found += _favour(items, settings.seed)
        for way, prefix in ways.items():
            found += _share_estimates(items, poles, prefix=prefix, way=way, seed=settings.seed)
        return found + _unique_estimates(items, poles) + _coverage_estimates(items, poles)


def load_lists(settings: Settings) -> WordLists:
    """The words of the two poles: the data set's lists for gender, a user's list, or the poles' own."""
    poles = load_poles(settings.poles)
    if settings.poles != DEFAULT_POLES and settings.file is None:
        return word_lists(words_of_poles(poles), poles.path)
    paths = _files(settings)
    if settings.data == gbm.NAME:
        read = [gbm.read_gbm_words(path) for path in paths[1:]]
        return word_lists(dict(zip(poles.names[:2], read, strict=True)), paths[1])
    is_shipped = paths[2].parent == TABLES
    if is_shipped and settings.poles != DEFAULT_POLES:
        return word_lists(words_of_poles(poles), poles.path)
    return read_word_pairs(paths[2], poles)


def word_coverage(model: Any, settings: Settings | None = None) -> pd.DataFrame:
    """Every listed word, its pole, its pieces in a sentence (0: unknown to the model), and if it is asked."""
    chosen = settings or Settings()
    chosen = replace(chosen, data=chosen.data or Completions.datasets[0])
    text = Completions().items(chosen).table["text"].iloc[0]
    found = _pieces(model.tokens, text, load_lists(chosen))
    rows = [(word, pole, len(ids), len(ids) == 1) for word, pole, ids in found]
    return pd.DataFrame(rows, columns=["word", "pole", "pieces", "asked"])


def top_templates(items: pd.DataFrame, settings: Settings | None = None, *, count: int = 5) -> pd.DataFrame:
    """The sentences with the largest share of each pole, by sentiment and way to count."""
    parts = []
    for variant, prefix in PREFIX.items():
        for pole in _pole_names(settings or Settings()):
            for sentiment, rows in items.groupby("sentiment", sort=True):
                best = rows.nlargest(count, f"{prefix}_{pole}")
                labels = {"variant": variant, "pole": pole, "sentiment": sentiment}
                shares = {"rank": range(1, len(best) + 1), "share": best[f"{prefix}_{pole}"]}
                parts.append(best[["item", "text"]].assign(**labels, **shares))
    order = ["variant", "pole", "sentiment", "rank", "item", "text", "share"]
    return pd.concat(parts, ignore_index=True)[order]


def unique_completions(items: pd.DataFrame, settings: Settings | None = None) -> pd.DataFrame:
    """The listed words among the likeliest completions, with how many sentences they complete."""
    parts = []
    for pole in _pole_names(settings or Settings()):
        rows = items[["sentiment"]].assign(word=items[f"completions_{pole}"].str.split(", "), pole=pole)
        parts.append(rows.explode("word"))
    table = pd.concat(parts)
    counted = table[table["word"] != ""].groupby(["sentiment", "pole", "word"]).size()
    return counted.rename("sentences").reset_index().sort_values("sentences", ascending=False, kind="stable")


def gender_bias_metric(shares: Numbers, is_positive: Numbers) -> float:
    """GBM of rows of M, F and N, positive or not; NaN where a sentiment is missing or has N = 0."""
    if is_positive.all() or not is_positive.any():
        return float("nan")
    male, female, neither = shares[is_positive].mean(axis=0)
    male_bad, female_bad, neither_bad = shares[~is_positive].mean(axis=0)
    if not (neither > 0 and neither_bad > 0):
        return float("nan")
    return float((female - male) / neither + (male_bad - female_bad) / neither_bad)


def _pole_names(settings: Settings) -> tuple[str, ...]:
    return load_poles(settings.poles).names[:2]


def _files(settings: Settings) -> list[Path]:
    """The files of the data set; beside a user's file the shipped ones, where there is none of that name."""
    if settings.data == gbm.NAME:
        return fetch_files(gbm.NAME, gbm.FILES, settings.data_dir)
    if settings.file is None:
        return [fetch_file(settings.data, name, settings.data_dir) for name in _OWN]
    words = settings.file / _OWN[0] if settings.file.is_dir() else settings.file
    beside = [words.with_name(name) for name in _OWN[1:]]
    return [words, *(path if path.exists() else TABLES / path.name for path in beside)]


def _names_one(text: str, lists: WordLists) -> bool:
    words = text.replace(BLANK, " ").replace(",", " ").replace(".", " ").split()
    return any(lists.pole_of(word) != NEITHER for word in words)


def _pieces(tokens: Tokens, text: str, lists: WordLists) -> list[tuple[str, str, tuple[int, ...]]]:
    """Every listed word, its pole and the ids it becomes in the blank; none if the tokenizer lacks one."""
    found = []
    for pole, words in lists.words.items():
        for word in words:
            ids = place_word(tokens, text, word).pieces
            found.append((word, pole, () if tokens.unknown_id in ids else ids))
    return found


def _row_questions(tokens: Tokens, items: pd.DataFrame, lists: WordLists) -> Iterator[Question]:
    """One row per item, asked for the words of one piece; a word has the same piece throughout a pattern."""
    whole: dict[str, list[tuple[str, str, tuple[int, ...]]]] = {}
    for pattern, text in zip(items["pattern"], items["text"], strict=True):
        if pattern not in whole:
            whole[pattern] = [one for one in _pieces(tokens, text, lists) if len(one[2]) == 1]
        sample = whole[pattern][0][0] if whole[pattern] else lists.words[lists.names[0]][0]
        placed = place_word(tokens, text, sample)
        place, ids = placed.slot[0], list(placed.encoded.ids)
        ids[place] = int(tokens.mask_id or 0)
        for pole in lists.names:
            wanted = dict.fromkeys(piece[0] for _, of, piece in whole[pattern] if of == pole)
            yield Raw(tuple(ids), place, tuple(wanted))
        yield TopFill(text, COUNT)


def _shares(
    lists: WordLists, first: WordScores, second: WordScores, likeliest: WordScores
) -> dict[str, float | str | int]:
    """The columns of one item."""
    weights = np.exp(likeliest.logprobs)
    among = [lists.pole_of(word) for word in likeliest.words]
    found: dict[str, float | str | int] = {}
    for pole, answer in zip(lists.names, (first, second), strict=True):
        known = [value for value in answer.logprobs if not np.isnan(value)]
        found[f"p_{pole}"] = float(np.exp(known).sum()) if known else float("nan")
        of_pole = np.array([one == pole for one in among])
        found[f"top_{pole}"] = float(weights[of_pole].sum() / weights.sum())
        hits = [word.lower() for word, one in zip(likeliest.words, among, strict=True) if one == pole]
        found[f"completions_{pole}"] = ", ".join(dict.fromkeys(hits))
        found[f"asked_{pole}"] = len(known)
        found[f"listed_{pole}"] = len(lists.words[pole])
    for prefix in PREFIX.values():
        both = sum(float(found[f"{prefix}_{pole}"]) for pole in lists.names)
        found[f"{prefix}_{NEITHER}"] = float(np.maximum(0.0, 1.0 - both))
    found["completions"] = ", ".join(likeliest.words)
    return found


def _gbm_estimate(
    name: str, items: pd.DataFrame, *, poles: Sequence[str], prefix: str, seed: int
) -> Estimate:
    """GBM with an interval that resamples words."""
    known = items[items["score"].notna()]
    columns = [f"{prefix}_{pole}" for pole in (*poles, NEITHER)]
    shares = known[columns].to_numpy(dtype=float)
    is_positive = known["sentiment"].eq(POSITIVE).to_numpy()
    value = gender_bias_metric(shares, is_positive)

    def statistic(picked: Numbers) -> float:
        return gender_bias_metric(shares[picked], is_positive[picked])

    low, high = cluster_bootstrap_of(statistic, known["word"], seed=seed)
    return Estimate(name, ALL, value, low, high, n=len(known), dropped=len(items) - len(known), unit="gbm")


def _favour(items: pd.DataFrame, seed: int) -> list[Estimate]:
    """The mean score over all items, by category and by pattern."""
    groups = {ALL: items}
    for column in ("category", "pattern"):
        groups |= {f"{column}:{name}": rows for name, rows in items.groupby(column, sort=False) if name}
    return [
        mean_estimate(Label("favour", group, unit=UNIT), rows["score"], rows["word"], seed=seed)
        for group, rows in groups.items()
    ]


def _share_estimates(
    items: pd.DataFrame, poles: Sequence[str], *, prefix: str, way: str, seed: int
) -> list[Estimate]:
    """M, F, N and F - M by sentiment and, for the chosen way to count, by category and where both cross."""
    first, second = (items[f"{prefix}_{pole}"] for pole in poles)
    shares = {pole: items[f"{prefix}_{pole}"] for pole in (*poles, NEITHER)}
    label = Label(f"mean squared difference{way}", better="lower")
    found = [mean_estimate(label, (second - first) ** 2, items["word"], seed=seed)]
    for group, rows in _groups(items, by_category=not way).items():
        words = rows["word"]
        for name, values in shares.items() if " x " not in group else ():
            label = Label(f"{name}{way}", group, better="none", unit=UNIT)
            found.append(mean_estimate(label, values.loc[rows.index], words, seed=seed))
        label = Label(f"{poles[1]} - {poles[0]}{way}", group, unit=UNIT)
        found.append(mean_estimate(label, (second - first).loc[rows.index], words, seed=seed))
    return found


def _groups(items: pd.DataFrame, *, by_category: bool) -> dict[str, pd.DataFrame]:
    groups = {ALL: items}
    groups |= {f"sentiment:{name}": rows for name, rows in items.groupby("sentiment", sort=False)}
    for name, rows in items.groupby("category", sort=False):
        if by_category and name:
            groups[f"category:{name}"] = rows
            crossed = rows.groupby("sentiment", sort=False)
            groups |= {f"{sentiment} x {name}": part for sentiment, part in crossed}
    return groups


def _unique_estimates(items: pd.DataFrame, poles: Sequence[str]) -> list[Estimate]:
    """How many different listed words are among the likeliest completions of a sentiment."""
    found = []
    for pole in poles:
        for sentiment, rows in items.groupby("sentiment", sort=False):
            words = {word for cell in rows[f"completions_{pole}"] for word in cell.split(", ") if word}
            found.append(
                _count(f"unique {pole} completions", f"sentiment:{sentiment}", len(words), len(rows))
            )
    return found


def _coverage_estimates(items: pd.DataFrame, poles: Sequence[str]) -> list[Estimate]:
    """Which share of each list could be asked: the rest is not one piece of the vocabulary."""
    found = []
    for pole in poles:
        listed, asked = int(items[f"listed_{pole}"].max()), int(items[f"asked_{pole}"].max())
        one = _count("word list in vocabulary", f"list:{pole}", asked / listed, asked)
        found.append(Estimate(**{**vars(one), "dropped": listed - asked, "unit": UNIT}))
    return found


def _count(name: str, group: str, value: float, n: int) -> Estimate:
    """A number that was counted, not sampled: it has no interval."""
    nothing = float("nan")
    return Estimate(name, group, float(value), nothing, nothing, n=n, better="none", unit="words")
