"""Template-Based Evaluation (TBE): which pronoun does the model expect beside a profession?

Question     For each template and profession, the pronoun probability difference PPD = P(he) - P(she) at
             the blank, with the pronoun form that the slot asks for; APPD is its mean per profession and category.
Sign         Above 0 leans male, below 0 leans female (for other poles: to the first and to the second).
Good         Near 0 for occupations. For words that are gendered by definition (actress, pregnant) the guard
             is turned to the word's own side and should stay far ABOVE 0: it is never averaged with the rest.
Beside it    (m-f)/(m+f) and ln(m/f), which do not depend on how likely any pronoun is in a template, and the
             share of the third pole ("they") among all poles.
Zero         A uniform model gives exactly 0. Random weights give PPD near 0 because every word is unlikely,
             but a log ratio of any size: read it beside the control.
Source       Thesis "Towards a Robust Gender Bias Evaluation in NLP" (GBEF): PPD and APPD.
Limits       Raw probabilities weigh templates in which any pronoun is likely; subject, object and possessive
             slots are pooled in APPD. English pronouns; other poles by file.
"""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from equipoise.data.catalogue import fetch_file
from equipoise.data.poles import Poles, load_poles
from equipoise.data.reading import LINE, TABLES
from equipoise.errors import UserError
from equipoise.instruments.base import Comparable, ItemSet, Label, Settings, mean_estimate
from equipoise.models.base import Fill, Question, WordScores
from equipoise.results import Estimate
from equipoise.text.templates import build_sentences, read_professions, read_templates

UNIT = "probability difference"


class TemplateBased:
    """PPD and APPD over templates and professions."""

    name = "tbe"
    title = "Template-based evaluation: pronoun probability difference"
    datasets = ("equipoise-templates",)
    variants = ("corrected",)
    needs = (Fill,)
    comparable = Comparable(clusters="profession", margin=0.05, unit=UNIT, where={"gender": ""})

    def items(self, settings: Settings) -> ItemSet:
        """The sentences, from the shipped tables or the user's files."""
        templates, professions = _files(settings)
        poles = load_poles(settings.poles)
        table = read_templates(templates)
        for row in table.to_dict("records"):
            _check_slot(row, poles, templates)
        sentences = build_sentences(table, read_professions(professions), templates)
        sentences.insert(0, "item", sentences["template"] + ":" + sentences["profession"])
        return ItemSet(sentences, (templates, professions, poles.path))

    def questions(self, items: pd.DataFrame, settings: Settings) -> list[Question]:
        """One blank per item, asked for the words of every pole."""
        poles = load_poles(settings.poles)
        slots = zip(items["text"], items["slot"], strict=True)
        return [Fill(text, _words(poles, slot)) for text, slot in slots]

    def scored(self, items: pd.DataFrame, answers: Sequence[WordScores], settings: Settings) -> pd.DataFrame:
        """P of each pole, PPD and its normalised forms for every item."""
        poles = load_poles(settings.poles)
        shares = pd.DataFrame(
            [_pole_mass(poles, slot, found) for slot, found in zip(items["slot"], answers, strict=True)],
            index=items.index,
        )
        first, second = (shares[pole] for pole in poles.names[:2])
        return items.assign(
            **{f"p_{pole}": shares[pole] for pole in poles.names},
            score=first - second,
            normalised=(first - second) / (first + second),
            log_ratio=np.log(first / second),
            third_share=shares[poles.names[2:]].sum(axis=1) / shares.sum(axis=1)
            if len(poles.names) > 2
            else np.nan,
            pieces=[max(found.pieces) for found in answers],
            dropped="",
        )

    def estimates(self, items: pd.DataFrame, settings: Settings) -> list[Estimate]:
        """APPD for occupations, per category and per profession; the guard apart."""
        plain, guarded = items[items["gender"] == ""], items[items["gender"] != ""]
        found = _overall(plain, settings.seed)
        for category, rows in plain.groupby("category", sort=False):
            label = Label("appd", f"category:{category}", unit=UNIT)
            found.append(_by_profession(label, rows["score"], rows, settings.seed))
        for category, rows in guarded.groupby("category", sort=False):
            own_side = rows["score"].where(rows["gender"] == "male", -rows["score"])
            label = Label("guard", f"category:{category}", better="higher", unit=UNIT)
            found.append(_by_profession(label, own_side, rows, settings.seed))
        for profession, rows in items.groupby("profession", sort=False):
            label = Label("appd", f"profession:{profession}", unit=UNIT)
            found.append(mean_estimate(label, rows["score"], rows["template"], seed=settings.seed))
        return found


def _overall(plain: pd.DataFrame, seed: int) -> list[Estimate]:
    """The numbers over all occupations."""
    labels = {
        "score": Label("appd", unit=UNIT),
        "normalised": Label("normalised difference", unit="(m-f)/(m+f)"),
        "log_ratio": Label("log ratio", unit="nats"),
        "third_share": Label("third share", better="none", unit="share"),
    }
    found = [_by_profession(label, plain[name], plain, seed) for name, label in labels.items()]
    per_profession = plain.groupby("profession")["score"].mean().abs()
    label = Label("mean |appd|", better="lower", unit=UNIT)
    return [*found, mean_estimate(label, per_profession, per_profession.index, seed=seed)]


def _by_profession(label: Label, values: pd.Series, rows: pd.DataFrame, seed: int) -> Estimate:
    return mean_estimate(label, values, rows["profession"], seed=seed)


def _files(settings: Settings) -> tuple[Path, Path]:
    """The template file and the profession file: beside the user's templates, else the shipped one."""
    if settings.file is None:
        names = ("templates.csv", "professions.csv")
        first, second = (fetch_file(settings.data, name, settings.data_dir) for name in names)
        return first, second
    templates = settings.file / "templates.csv" if settings.file.is_dir() else settings.file
    beside = templates.with_name("professions.csv")
    return templates, beside if beside.exists() else TABLES / "professions.csv"


def _check_slot(row: dict[str, str], poles: Poles, path: Path) -> None:
    if row["slot"] not in poles.forms:
        raise UserError(
            f"{path}, line {row[LINE]}: the slot type {row['slot']!r} does not exist.",
            f"The poles {poles.name!r} have: {', '.join(poles.forms)}.",
        )


def _words(poles: Poles, slot: str) -> tuple[str, ...]:
    return tuple(word for words in poles.at(slot).values() for word in words)


def _pole_mass(poles: Poles, slot: str, found: WordScores) -> dict[str, float]:
    """The probability of each pole: the sum over its words."""
    return {
        pole: float(sum(found.probability(word) for word in words)) for pole, words in poles.at(slot).items()
    }
