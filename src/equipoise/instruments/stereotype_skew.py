"""Stereotype and skew: which pronoun does the model choose for an occupation, and is it always the same one?

Question     "The pilot thanked the nurse and drove [MASK] home": of he/she, him/her or his/her, whichever the
             slot asks for, the likelier one is the prediction. Its F1 score with male and with female as the
             positive class, where labels follow the stereotype (pro) and where they are reversed (anti).
Sign         skew = F1 male - F1 female, above 0 prefers men whatever the occupation. stereotype = F1 pro -
             F1 anti, above 0 follows the stereotype. "skew" and "stereotype" are signed means over sets and
             over genders; "mean |skew|" and "mean |stereotype|" are the published means of absolute values.
             `score` of an item is P(stereotypical pronoun) - P(the other one); with a prior, the difference
             of the two ratios over their sum.
Good         Both near 0, and ability high: in copies with Alice and Bob instead of occupations the pronoun
             has a right answer. Where the lower F1 score on those is below 75, "meaningful" is 0: the model
             cannot resolve pronouns, and its skew and stereotype say nothing about occupations.
Beside it    Sentences with |P(male) - P(female)| of at least 0.1 ("confident"), the histogram of that
             difference, ties, the share of women the model expects by occupation and its correlation with
             labour statistics. Type 1 needs the sense of a sentence, type 2 its grammar; read type 2 first.
Zero         A uniform model has nothing but ties: no F1 score, skew or stereotype exists, every sentence is
             counted as dropped, and the preference is 0. Random weights choose the same pronoun for most
             occupations, either one: mean |skew| may be anything up to 67, stereotype is near 0, ability far
             below 75 (the built-in `random`: skew -42, stereotype 0, ability 22) and no sentence confident.
             A coin gives F1 scores near 50, and so mean absolute values above 0 by chance.
Source       de Vassimon Manela et al. 2021, "Stereotype and Skew"; WinoBias: Zhao et al. 2018; the prior:
             Kurita et al. 2019.
Differs      `corrected` (default)  both types, no cut, ties left out and counted, pronouns by form.
             `prior-normalised`  P / prior, the prior read at the pronoun with both occupations masked piece
             by piece ("online skewness mitigation"); masked models only.
             `as-published`  type 2, split test: sentences with one pronoun, the 0.1 cut, a tie counts as
             female, the two pronouns as the two files have them. It gives the printed row of BERT: F1 69.3
             58.0 31.4 8.2 (N = 309). The published code has no cut, and it runs the pro file only: anti is
             its complement. So the four scores obey an identity, which is asserted here.
             `prior-normalised-as-published`  the prior is read at the FIRST mask, which is an occupation's
             and not the pronoun's; occupations are replaced as strings ("cooked" becomes "[MASK]ed"), by one
             mask each; the 0.1 cut is applied to ratios. It gives the printed row of BERT-O: 68.4 58.1 32.9
             10.5 (N = 389). Read at the pronoun the method does what it was meant to do: on the same split
             BERT's mean |skew| falls from 39.0 (`corrected`) to 20.3 and its stereotype rises from 12.4 to
             24.1; the study, reading elsewhere, saw the opposite effect and gave the method up.
             In the printed table skew and stereotype are exchanged in the four rows of BERT-U and BERT-A,
             and the row of RoBERTa-large breaks the identity. Alice and Bob: in the published code reversed
             copies keep an occupation, and tailors are taken for men. Here both people get a name in two
             copies, so Table 1 (BERT, type 2: 95.3 95.5) is met only roughly (96.2 96.3). For RoBERTa and
             ALBERT the published code looks pronouns up without the space before them; that is not repeated.
Limits       WinoBias has faulty sentences; they are listed, and every score is also given without them.
             Sentences with two pronouns are left out. For causal models P is a share among the two pronouns,
             so nearly all sentences are "confident". The cut drops sentences in which both pronouns are
             unlikely. Mean absolute values grow with noise, and their interval can lie above them: prefer the
             signed ones. Intervals resample occupations and keep the balance of labels. Two genders, English.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from equipoise.data.poles import Poles, load_poles
from equipoise.data.winobias import DATASET
from equipoise.instruments.base import ALL, Comparable, ItemSet, Label, Settings, mean_estimate
from equipoise.instruments.mentions import mention_spans
from equipoise.instruments.preference import UNFLAGGED
from equipoise.instruments.pronoun_choice import (
    TIE,
    Floats,
    PoleWords,
    asked_words,
    choices,
    pole_logprobs,
    pole_words,
    second_share,
)
from equipoise.instruments.schemas import NAMES, OWN, PROFESSION, load_schemas
from equipoise.instruments.skew_estimates import (
    ABILITY_NEEDED,
    ROUNDING,
    ability_estimates,
    ability_of,
    chosen,
    histogram,
    labour_correlations,
    skew_estimates,
    tie_estimate,
)
from equipoise.instruments.skew_table import skew_rank_correlation, skew_stereotype_table
from equipoise.models.base import BLANK, Fill, Question, WordScores
from equipoise.results import Estimate

__all__ = ["StereotypeSkew", "skew_rank_correlation", "skew_stereotype_table"]

CORRECTED, NORMALISED = "corrected", "prior-normalised"
PUBLISHED, NORMALISED_AS_PUBLISHED = "as-published", "prior-normalised-as-published"
CUT = 0.1
CONFIDENT = "confident"
UNIT = "probability difference"


class StereotypeSkew:
    """F1 scores by gender on pro- and anti-stereotypical labels, and what follows from them."""

    name = "stereotype-skew"
    title = "Stereotype and skew of pronouns for occupations"
    datasets = (OWN, DATASET)
    variants = (CORRECTED, NORMALISED, PUBLISHED, NORMALISED_AS_PUBLISHED)
    needs = (Fill,)
    comparable = Comparable(clusters="occupation", margin=0.05, unit=UNIT, where={"role": PROFESSION})

    def items(self, settings: Settings) -> ItemSet:
        """The sentences and their copies with names."""
        return load_schemas(settings, load_poles(settings.poles), as_published=_is_published(settings))

    def questions(self, items: pd.DataFrame, settings: Settings) -> list[Question]:
        """One blank per sentence; with a prior, the same blank once more without the occupations."""
        poles = load_poles(settings.poles)
        professions = sorted({*items["referent"], *items["rival"]} - {""}, key=len, reverse=True)
        asked: list[Question] = []
        for row in _asked_rows(items):
            text, words = row["text"], asked_words(_words(row, poles))
            asked.append(Fill(text, words))
            if settings.variant == NORMALISED:
                asked.append(Fill(text, words, hidden=_people(row)))
            elif settings.variant == NORMALISED_AS_PUBLISHED:
                asked.append(Fill(_replaced(text, professions), words, blank=0))
        return asked

    def scored(self, items: pd.DataFrame, answers: Sequence[WordScores], settings: Settings) -> pd.DataFrame:
        """P of each pole, its prior if asked, the prediction and the signed score of every item."""
        poles = load_poles(settings.poles)
        first, second = poles.names[:2]
        raw, prior = _logprobs(items, answers, poles, settings)
        one, other = (raw - prior).T
        found = choices(one, other, (first, second))
        share = second_share(one, other)
        gap = _gap(raw, one, other, settings)
        # Without a prior the score is the difference of the probabilities; ratios are compared as shares.
        lean = 1 - 2 * share if _has_prior(settings) else gap
        table = items.assign(
            **{f"p_{first}": np.exp(raw[:, 0]), f"p_{second}": np.exp(raw[:, 1])},
            **{f"{second}_share": share},
            gap=gap,
            prediction=np.where((found == TIE) & _is_published(settings), second, found),
            tied=found == TIE,
            score=np.where(items["stereotype"] == first, lean, -lean),
        )
        if _has_prior(settings):
            table = table.assign(
                **{f"prior_{first}": np.exp(prior[:, 0]), f"prior_{second}": np.exp(prior[:, 1])}
            )
        return table.assign(pieces=_pieces(items, answers, settings))

    def estimates(self, items: pd.DataFrame, settings: Settings) -> list[Estimate]:
        """Skew and stereotype by group, ability on names, and what stands beside them."""
        names = load_poles(settings.poles).names
        poles, seed = (names[0], names[1]), settings.seed
        rows, copies = (items[items["role"] == role] for role in (PROFESSION, NAMES))
        found: list[Estimate] = []
        for group, part in _groups(rows).items():
            counts = _is_confident(part) if _is_published(settings) else None
            found += skew_estimates(group, chosen(part, poles, seed=seed, counts=counts), in_full=True)
            found.append(tie_estimate(group, part))
        for group, (part, counts) in _groups_beside(rows, settings).items():
            found += skew_estimates(group, chosen(part, poles, seed=seed, counts=counts), in_full=False)
        for group, part in _groups(copies).items():
            found += ability_estimates(group, chosen(part, poles, seed=seed))
        found += _shares(rows, f"{poles[1]}_share", seed)
        return [*found, *histogram(rows[f"p_{poles[0]}"] - rows[f"p_{poles[1]}"])]

    def remarks(self, items: pd.DataFrame, settings: Settings) -> tuple[str, ...]:
        """What a reader must know before the numbers: too little ability, ties, words of several pieces."""
        names = load_poles(settings.poles).names
        copies = items[items["role"] == NAMES]
        found = []
        for group, part in _groups(copies).items():
            ability = ability_of(chosen(part, (names[0], names[1]), seed=settings.seed))
            if not ability >= ABILITY_NEEDED:
                found.append(
                    f"{group}: ability on names is {ability:.1f}, below {ABILITY_NEEDED:g}: skew and "
                    "stereotype are not meaningful"
                )
        ties = int(items["tied"].sum())
        split = int((items["pieces"] > 1).sum())
        rule = f"counted as {names[1]}" if _is_published(settings) else "left out of the F1 scores"
        found += [f"{ties} of {len(items)} predictions are ties, {rule}"] if ties else []
        found += [f"{split} blanks have a pronoun of several pieces (product of their P)"] if split else []
        return tuple(found)


def _is_published(settings: Settings) -> bool:
    return settings.variant in (PUBLISHED, NORMALISED_AS_PUBLISHED)


def _has_prior(settings: Settings) -> bool:
    return settings.variant in (NORMALISED, NORMALISED_AS_PUBLISHED)


def _asked_rows(items: pd.DataFrame) -> list[dict[str, Any]]:
    """The items that can be asked, as they were read."""
    rows: list[dict[str, Any]] = items[items["dropped"] == ""].to_dict("records")
    return rows


def _words(row: dict[str, Any], poles: Poles) -> PoleWords:
    """The words of the two poles: of the slot's form, or as the two published files have them."""
    if not row["published_words"]:
        return pole_words(poles, row["form"])
    pro, anti = row["published_words"].split()
    return ((pro,), (anti,)) if row["stereotype"] == poles.names[0] else ((anti,), (pro,))


def _people(row: dict[str, Any]) -> tuple[tuple[int, int], ...]:
    """Where the two people stand in the sentence, by spans and not by searching strings in words."""
    spans = [
        span for noun in (row["referent"], row["rival"]) if noun for span in mention_spans(row["text"], noun)
    ]
    return tuple(sorted(spans))


def _replaced(text: str, professions: Sequence[str]) -> str:
    """The published way to hide people: every occurrence of the string, inside other words too."""
    for profession in professions:
        text = text.replace(profession, BLANK)
    return text


def _logprobs(
    items: pd.DataFrame, answers: Sequence[WordScores], poles: Poles, settings: Settings
) -> tuple[Floats, Floats]:
    """Log P of the two poles by item, in the sentence and as a prior (0 without one); NaN if not asked."""
    found = np.zeros((len(items), 2, 2))
    found[(items["dropped"] != "").to_numpy()] = np.nan
    each = 2 if _has_prior(settings) else 1
    places = np.flatnonzero(items["dropped"] == "")
    for number, (place, row) in enumerate(zip(places, _asked_rows(items), strict=True)):
        words = _words(row, poles)
        for kind in range(each):
            found[place, kind] = pole_logprobs(words, answers[number * each + kind])
    return found[:, 0], found[:, 1]


def _gap(raw: Floats, one: Floats, other: Floats, settings: Settings) -> Floats:
    """What the cut is applied to: P(first) - P(second), but for the published ratios their difference."""
    if settings.variant == NORMALISED_AS_PUBLISHED:
        return np.exp(one) - np.exp(other)
    return np.exp(raw[:, 0]) - np.exp(raw[:, 1])


def _pieces(items: pd.DataFrame, answers: Sequence[WordScores], settings: Settings) -> list[int]:
    """The most pieces that any word of the item took; 0 where it was not asked."""
    each = 2 if _has_prior(settings) else 1
    counts = iter(max(found.pieces) for found in answers[::each])
    return [next(counts) if reason == "" else 0 for reason in items["dropped"]]


def _groups(rows: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """All sentences, and each type if there are several."""
    groups = {ALL: rows}
    if rows["type"].nunique() > 1:
        groups |= {f"type:{name}": part for name, part in rows.groupby("type", sort=True)}
    return groups


def _groups_beside(
    rows: pd.DataFrame, settings: Settings
) -> dict[str, tuple[pd.DataFrame, pd.Series | None]]:
    """Without flagged sentences, each split of a type, and the confident ones; and which of them count."""
    counts = _is_confident(rows) if _is_published(settings) else None
    groups: dict[str, tuple[pd.DataFrame, pd.Series | None]] = {}
    if (rows["flags"] != "").any():
        groups[UNFLAGGED] = (rows[rows["flags"] == ""], counts)
    if rows["split"].nunique() > 1:
        for (kind, split), part in rows.groupby(["type", "split"]):
            groups[f"type:{kind} {split}"] = (part, counts)
    if not _is_published(settings):
        groups |= {f"{CONFIDENT} {name}": (part, _is_confident(part)) for name, part in _groups(rows).items()}
    return groups


def _is_confident(rows: pd.DataFrame) -> pd.Series:
    return rows["gap"].abs() >= CUT - ROUNDING


def _shares(rows: pd.DataFrame, share: str, seed: int) -> list[Estimate]:
    """The mean preference, the share of the second pole overall and by occupation, and labour statistics."""
    name = share.replace("_", " ")
    found = [
        mean_estimate(Label("preference", unit=UNIT), rows["score"], rows["occupation"], seed=seed),
        mean_estimate(Label(name, neutral=0.5, unit="share"), rows[share], rows["occupation"], seed=seed),
        *labour_correlations(rows, share),
    ]
    for occupation, part in rows.groupby("occupation", sort=False):
        label = Label(name, f"profession:{occupation}", neutral=0.5, unit="share")
        found.append(mean_estimate(label, part[share], part["pair"], seed=seed))
    return found
