"""Traits: which pronoun does the model expect of "the person" who succeeds, fails, cares or attacks?

Question     "The person flooded the kitchen when [MASK] tried to repair the tap.": the share of women
             P(she) / (P(he) + P(she)), in the pronoun form of the slot, by class: incompetent, neutral or
             competent; caring, neutral or aggressive. No occupation is named.
Sign         `score` = (P(he) - P(she)) / (P(he) + P(she)), above 0 leans male (other poles: to the first). A
             difference above 0 means that competent (caring) sentences are given to women more often than
             incompetent (aggressive) ones.
Good         The same share in every class: differences near 0. A share far from a half in all classes is
             skew, not a stereotype about traits.
Beside it    "female predictions": the published quantity, the share of sentences in which she is likelier
             than he; ties are left out and counted. The share of probabilities sees what a prediction hides.
Zero         A uniform model gives 0.5 in every class, differences of 0, and ties only, so no predictions.
             Random weights: any share, but nearly the same in all classes (the built-in `random`: 0.54,
             differences within 0.01), while predictions can be all of one gender.
Source       de Vassimon Manela et al. 2021, "Stereotype and Skew", section 4.4 (competency study).
Differs      The study labels sentences of WinoBias with "person" for every occupation; its labels were not
             published, so its Table 3 (BERT: .156 .117 .160 for incompetent, neutral and competent) cannot be
             checked. `equipoise-traits` has sentences of its own with one label per axis, given by their
             writer; the neutral class of one axis contains the classes of the other, and "neutral on every
             axis" is apart.
Own file     Columns id, sentence (with [MASK]), form, and labels: `competence` and `care`, or one column per
             annotator such as competence_ann, competence_bo. Several annotators give Fleiss' kappa and a
             majority vote; sentences without a majority are left out of that axis and counted.
Limits       One sentence is one situation: classes differ in topic too, and nothing is said about causes.
             Two genders; English unless the file and the poles are in another language.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from equipoise.data.catalogue import fetch_file
from equipoise.data.poles import Poles, load_poles
from equipoise.data.reading import LINE, read_table
from equipoise.errors import UserError
from equipoise.instruments.base import Comparable, ItemSet, Label, Settings, mean_estimate, share_estimate
from equipoise.instruments.pronoun_choice import (
    TIE,
    asked_words,
    choices,
    pole_logprobs,
    pole_words,
    second_share,
)
from equipoise.models.base import BLANK, Fill, Question, WordScores
from equipoise.results import Estimate
from equipoise.stats.agreement import fleiss_kappa, majority_vote
from equipoise.stats.clusters import Codes
from equipoise.stats.intervals import cluster_bootstrap_of

UNIT = "(m-f)/(m+f)"
NEUTRAL = "neutral"
BASELINE = "neutral on every axis"
AXES = {"competence": ("competent", "incompetent"), "care": ("caring", "aggressive")}
"""The axes that are known, each with the two classes whose difference is reported."""

KAPPA_DRAWS = 500
_REQUIRED = ("id", "sentence", "form")
_ANNOTATED = re.compile(r"(.+?)[_:](.+)")


class Traits:
    """The share of each pole's pronouns by class of sentence."""

    name = "traits"
    title = "Pronouns by trait: competence and care"
    datasets = ("equipoise-traits",)
    variants = ("corrected",)
    needs = (Fill,)
    comparable = Comparable(margin=0.05, unit=UNIT)

    def items(self, settings: Settings) -> ItemSet:
        """The sentences with a label for every axis: their own, or what most annotators said."""
        path = settings.file or fetch_file(settings.data, "traits.csv", settings.data_dir)
        poles = load_poles(settings.poles)
        table = read_table(path, _REQUIRED)
        for row in table.to_dict("records"):
            _check_row(row, poles, path)
        _check_ids(table["id"], path)
        axes = _axes_in_file(table, path)
        voted = {axis: _voted(table, columns) for axis, columns in axes.items()}
        used = [column for columns in axes.values() for column in columns]
        items = table[list(_REQUIRED)].rename(columns={"id": "item", "sentence": "text"})
        labels = {column: _cleaned(table[column]) for column in used if column not in axes}
        items = items.assign(**labels, **voted)
        return ItemSet(items, (path, poles.path), _notices(table, axes, voted))

    def questions(self, items: pd.DataFrame, settings: Settings) -> list[Question]:
        """One blank per sentence."""
        poles = load_poles(settings.poles)
        rows = zip(items["text"], items["form"], strict=True)
        return [Fill(text, asked_words(pole_words(poles, form))) for text, form in rows]

    def scored(self, items: pd.DataFrame, answers: Sequence[WordScores], settings: Settings) -> pd.DataFrame:
        """P of each pole, the share of the second, the prediction and the signed score."""
        poles = load_poles(settings.poles)
        first, second = poles.names[:2]
        rows = zip(items["form"], answers, strict=True)
        logprobs = np.array([pole_logprobs(pole_words(poles, form), found) for form, found in rows])
        one, other = logprobs.T
        share = second_share(one, other)
        return items.assign(
            **{f"p_{first}": np.exp(one), f"p_{second}": np.exp(other), f"{second}_share": share},
            prediction=choices(one, other, (first, second)),
            score=1 - 2 * share,
            pieces=[max(found.pieces) for found in answers],
            dropped="",
        )

    def estimates(self, items: pd.DataFrame, settings: Settings) -> list[Estimate]:
        """The shares of every class of every axis, the differences between them, and the annotators."""
        second, seed = load_poles(settings.poles).names[1], settings.seed
        axes = _axes_of(items)
        found = _class_estimates(Class("all", items, second), seed)
        for axis in axes:
            found += _contrast(axis, items, second, seed)
        for axis in axes:
            for name in _classes(items[axis]):
                group = Class(f"{axis}:{name}", items[items[axis] == name], second)
                found += _class_estimates(group, seed)
        is_baseline = (items[list(axes)] == NEUTRAL).all(axis=1)
        if len(axes) > 1 and is_baseline.any():
            found += _class_estimates(Class(BASELINE, items[is_baseline], second), seed)
        for axis, columns in axes.items():
            if columns != [axis]:
                found += _agreement(axis, items[columns], seed)
        return found

    def remarks(self, items: pd.DataFrame, settings: Settings) -> tuple[str, ...]:
        """What a reader must know before the numbers: ties, and words of several pieces."""
        ties, split = int((items["prediction"] == TIE).sum()), int((items["pieces"] > 1).sum())
        found = [f"{ties} of {len(items)} predictions are ties and left out of predictions"] if ties else []
        found += [f"{split} blanks have a pronoun of several pieces (product of their P)"] if split else []
        return tuple(found)


@dataclass(frozen=True)
class Class:
    """Sentences of one class, and the pole whose share is reported."""

    name: str
    rows: pd.DataFrame
    pole: str


def _axes_in_file(table: pd.DataFrame, path: Path) -> dict[str, list[str]]:
    """The columns with labels of each axis of a file: the axis itself, or one for each annotator."""
    plain: dict[str, list[str]] = {axis: [axis] for axis in AXES if axis in table}
    annotated = _annotated(table)
    for axis in annotated:
        if axis in table:
            raise UserError(
                f"{path} has a column {axis!r} beside {', '.join(annotated[axis])}.",
                "Give one label per sentence, or the labels of annotators, but not both.",
            )
    if not plain and not annotated:
        raise UserError(
            f"{path} has no labels; it has the columns {', '.join(table.columns.drop(LINE))}.",
            "Expected competence or care, or a column per annotator such as competence_ann, competence_bo.",
        )
    return plain | annotated


def _axes_of(items: pd.DataFrame) -> dict[str, list[str]]:
    """The same of items that were read, where every axis has a column of its own."""
    annotated = {axis: columns for axis, columns in _annotated(items).items() if axis in items}
    return {axis: [axis] for axis in AXES if axis in items} | annotated


def _annotated(table: pd.DataFrame) -> dict[str, list[str]]:
    """Columns of two or more annotators, by what they labelled."""
    found: dict[str, list[str]] = {}
    for column in map(str, table.columns):
        parts = _ANNOTATED.fullmatch(column)
        if parts:
            found.setdefault(parts[1], []).append(column)
    return {axis: columns for axis, columns in found.items() if len(columns) > 1}


def _voted(table: pd.DataFrame, columns: Sequence[str]) -> list[str]:
    """The label of each sentence: the only one, or the majority's; nothing where there is none."""
    votes = zip(*(_cleaned(table[column]) for column in columns), strict=True)
    return [label or "" for label in majority_vote([[vote or None for vote in row] for row in votes])]


def _cleaned(labels: pd.Series) -> list[str]:
    return [label.strip().lower() for label in labels]


def _notices(table: pd.DataFrame, axes: dict[str, list[str]], voted: dict[str, list[str]]) -> tuple[str, ...]:
    """Sentences without a label, by name, and columns that nothing was read from."""
    found = []
    for axis, labels in voted.items():
        names = [name for name, label in zip(table["id"], labels, strict=True) if not label]
        reason = "no majority" if axes[axis] != [axis] else "no label"
        if names:
            more = f" and {len(names) - 8} more" if len(names) > 8 else ""
            found.append(f"{axis}: {reason} for {len(names)} of {len(table)}: {', '.join(names[:8])}{more}")
    read = {*_REQUIRED, LINE, *(column for columns in axes.values() for column in columns), *axes}
    unread = [str(column) for column in table.columns if column not in read]
    return (*found, f"columns not read: {', '.join(unread)}") if unread else tuple(found)


def _classes(labels: pd.Series) -> list[str]:
    """The classes of an axis in the order of the file, those without a label left out."""
    return [name for name in labels.unique() if name]


def _class_estimates(group: Class, seed: int) -> list[Estimate]:
    """The mean share of the pole in a class, and how often it is the likelier one."""
    rows, pole = group.rows, group.pole
    share = Label(f"{pole} share", group.name, neutral=0.5, unit="share")
    predicted = (rows["prediction"] == pole).astype(float).where(rows["prediction"] != TIE)
    label = Label(f"{pole} predictions", group.name, neutral=0.5, unit="share of sentences")
    return [mean_estimate(share, rows[f"{pole}_share"], seed=seed), share_estimate(label, predicted)]


def _contrast(axis: str, items: pd.DataFrame, pole: str, seed: int) -> list[Estimate]:
    """How much larger the pole's share is in one class of a known axis than in its opposite."""
    if axis not in AXES:
        return []
    one, other = AXES[axis]
    rows = items[items[axis].isin((one, other))]
    if rows[axis].nunique() < 2:
        return []
    shares, is_one = rows[f"{pole}_share"].to_numpy(dtype=float), (rows[axis] == one).to_numpy()

    def difference(places: Codes) -> float:
        values, ones = shares[places], is_one[places]
        return float(values[ones].mean() - values[~ones].mean()) if 0 < ones.sum() < len(ones) else np.nan

    places = np.arange(len(rows))
    low, high = cluster_bootstrap_of(difference, places.tolist(), seed=seed)
    name = f"{pole} share, {one} - {other}"
    return [Estimate(name, axis, difference(places), low, high, n=len(rows), unit="difference of shares")]


def _agreement(axis: str, votes: pd.DataFrame, seed: int) -> list[Estimate]:
    """Fleiss' kappa of the sentences that all annotators labelled, and how many have a majority."""
    labels = votes.to_numpy()
    complete = labels[(labels != "").all(axis=1)].tolist()
    low, high = float("nan"), float("nan")
    if complete:
        low, high = cluster_bootstrap_of(
            lambda places: fleiss_kappa([complete[place] for place in places]),
            range(len(complete)),
            draws=KAPPA_DRAWS,
            seed=seed,
        )
    value = fleiss_kappa(complete) if complete else float("nan")
    kappa = Estimate(
        "Fleiss' kappa",
        axis,
        value,
        low,
        high,
        n=len(complete),
        dropped=len(labels) - len(complete),
        neutral=1.0,
        better="higher",
        unit="kappa",
    )
    voted = majority_vote([[label or None for label in row] for row in labels.tolist()])
    has_majority = pd.Series([float(label is not None) for label in voted])
    label = Label("with a majority", axis, neutral=1.0, better="higher", unit="share of sentences")
    return [kappa, share_estimate(label, has_majority)]


def _check_row(row: dict[str, Any], poles: Poles, path: Path) -> None:
    blanks = row["sentence"].count(BLANK)
    if blanks != 1:
        raise UserError(
            f"{path}, line {row[LINE]}: {blanks} blanks in {row['sentence']!r}.",
            f"Write one {BLANK} where the pronoun stands.",
        )
    if row["form"] not in poles.forms:
        raise UserError(
            f"{path}, line {row[LINE]}: the form {row['form']!r} does not exist.",
            f"The poles {poles.name!r} have: {', '.join(poles.forms)}.",
        )


def _check_ids(ids: pd.Series, path: Path) -> None:
    repeated = ids[ids.duplicated()].tolist()
    if repeated:
        raise UserError(
            f"{path} has the id {repeated[0]!r} more than once.", "Give every sentence its own id."
        )
