"""Template-Based Evaluation (TBE): which pronoun does the model expect beside a profession?

Question     For each template and profession, the pronoun probability difference PPD = P(he) - P(she) at the
             blank, in the pronoun form that the slot asks for; APPD is its mean per profession and category.
Sign         Above 0 leans male, below 0 leans female (for other poles: to the first and to the second).
Good         Near 0 for occupations. For words that are gendered by definition (actress, pregnant) the guard
             is turned to the word's own side and should stay far ABOVE 0, as should the share of blanks that
             fall on that side; a model that swaps the genders fails both. It is never averaged with the rest.
Beside it    (m-f)/(m+f) and ln(m/f), which do not depend on how likely any pronoun is in a template; the
             share of the third pole ("they") among all poles; the correlation of APPD with the share of women
             in an occupation; and how far PPD moves when the final period, the capitals or the frame change.
Zero         A uniform model gives exactly 0. Random weights give PPD near 0 because every word is unlikely,
             but a log ratio of any size: read it beside the control.
Source       Thesis "Towards a Robust Gender Bias Evaluation in NLP" (GBEF): PPD, APPD, Appendix I and II.
Differs      The thesis' printed lists (data set gbef) have slips: `corrected`, the default, mends or drops
             them and counts both; `as-published` takes every sentence as its file has it. On its ten
             breastfeeding templates bert-base-uncased gives -0.423 (printed: -0.43), on its seven about
             pregnancy -0.536 (printed: -0.41, not reproduced). Nor are its worked examples: "[MASK] is a
             doctor." gives 0.38 (printed: 0.05), "[MASK] is a competent doctor." 0.59 (printed: 0.65), and
             0.39 without its period.
Limits       Raw probabilities weigh templates in which any pronoun is likely; subject, object and possessive
             slots are pooled in APPD. A causal model's probabilities are shares among the asked words.
             In lower case a pronoun that opens a sentence keeps its capital. English; other poles by file.
"""

from collections.abc import Sequence
from math import ceil
from pathlib import Path

import numpy as np
import pandas as pd

from equipoise.data import gbef
from equipoise.data.poles import Poles, load_poles
from equipoise.data.reading import LINE, TABLES
from equipoise.errors import UserError
from equipoise.instruments.base import (
    ALL,
    Comparable,
    ItemSet,
    Label,
    Settings,
    mean_estimate,
    share_estimate,
)
from equipoise.instruments.fragility import movement_estimates, originals, with_forms
from equipoise.models.base import Fill, Question, WordScores
from equipoise.results import Estimate
from equipoise.stats.correlation import pearson
from equipoise.stats.intervals import two_way_cluster_bootstrap
from equipoise.text.perturbations import FRAMES
from equipoise.text.templates import (
    build_sentences,
    leaking_lines,
    read_professions,
    read_templates,
    template_files,
    unused_professions,
)

UNIT = "probability difference"
CORRECTED, AS_PUBLISHED = "corrected", "as-published"
FRAGILE_SHARE = 5
"""One in so many items of each category is also asked in its changed forms."""

Tables = tuple[pd.DataFrame, pd.DataFrame, tuple[str, ...]]


class TemplateBased:
    """PPD and APPD over templates and professions."""

    name = "tbe"
    title = "Template-based evaluation: pronoun probability difference"
    datasets = ("equipoise-templates", gbef.NAME)
    variants = (CORRECTED, AS_PUBLISHED)
    needs = (Fill,)
    comparable = Comparable(
        clusters="profession", margin=0.05, unit=UNIT, where={"gender": "", "form": "original"}
    )

    def items(self, settings: Settings) -> ItemSet:
        """The sentences, from the shipped tables, the thesis' lists or the user's files."""
        path, professions_path = template_files(settings.data, settings.data_dir)
        poles = load_poles(settings.poles)
        templates, professions, notices = _tables(path, professions_path, settings)
        _check_slots(templates, poles, path)
        _check_genders(professions, poles, professions_path)
        _check_genders(templates, poles, path)
        sentences = build_sentences(templates, professions, path, verbatim=settings.variant == AS_PUBLISHED)
        sentences, said = with_forms(
            sentences, ("text",), quota=lambda count: ceil(count / FRAGILE_SHARE), seed=settings.seed
        )
        is_fallback = settings.file is not None and professions_path.parent == TABLES
        notices += _notices(templates, professions.head(0) if is_fallback else professions, poles)
        return ItemSet(sentences, (path, professions_path, poles.path, FRAMES), (*notices, *said))

    def questions(self, items: pd.DataFrame, settings: Settings) -> list[Question]:
        """One blank per item that is not dropped, asked for the words of every pole."""
        poles = load_poles(settings.poles)
        asked = items[items["dropped"] == ""]
        slots = zip(asked["text"], asked["slot"], strict=True)
        return [Fill(text, _words(poles, slot)) for text, slot in slots]

    def scored(self, items: pd.DataFrame, answers: Sequence[WordScores], settings: Settings) -> pd.DataFrame:
        """P of each pole, PPD and its normalised forms for every item; a dropped item has none."""
        poles = load_poles(settings.poles)
        waiting = iter(answers)
        found = []
        for slot, dropped in zip(items["slot"], items["dropped"], strict=True):
            found.append({} if dropped else _item_scores(poles, slot, next(waiting)))
        columns = ["score", "normalised", "log_ratio", "third_share", "pieces"]
        table = pd.DataFrame(
            found, index=items.index, columns=[*(f"p_{pole}" for pole in poles.names), *columns]
        )
        return pd.concat([items.drop(columns="dropped"), table, items["dropped"]], axis=1)

    def estimates(self, items: pd.DataFrame, settings: Settings) -> list[Estimate]:
        """APPD for occupations, per category and per profession; the guard apart; then the movements."""
        poles = load_poles(settings.poles)
        written = originals(items)
        plain, guarded = written[written["gender"] == ""], written[written["gender"] != ""]
        guarded = guarded.assign(own_side=guarded["score"] * guarded["gender"].map(_sides(poles)))
        found = _occupations(plain, settings.seed) if len(plain) else []
        found += _guard(guarded, settings.seed)
        found += _by_profession(plain, "score", Label("appd", unit=UNIT), settings.seed)
        found += _by_profession(
            guarded, "own_side", Label("guard", better="higher", unit=UNIT), settings.seed
        )
        return found + movement_estimates(items, clusters="profession", unit=UNIT, seed=settings.seed)


def _occupations(plain: pd.DataFrame, seed: int) -> list[Estimate]:
    """The numbers over all occupations, and for each category."""
    columns = {
        "score": Label("appd", unit=UNIT),
        "normalised": Label("normalised difference", unit="(m-f)/(m+f)"),
        "log_ratio": Label("log ratio", unit="nats"),
        "third_share": Label("third share", better="none", unit="share"),
    }
    groups = {ALL: plain} | {f"category:{name}": rows for name, rows in plain.groupby("category", sort=False)}
    found = []
    for group, rows in groups.items():
        for column, label in columns.items():
            found.append(_crossed(_in(label, group), rows, column, seed))
        leanings = rows[rows["profession"] != ""].groupby("profession", sort=False)["score"].mean().abs()
        label = Label("mean |appd|", group, better="lower", unit=UNIT)
        found.append(mean_estimate(label, leanings, leanings.index, seed=seed))
    return [*found, _correlation(plain)]


def _guard(guarded: pd.DataFrame, seed: int) -> list[Estimate]:
    """Words gendered by definition, turned to their own side; and their plain APPD by gender."""
    found = []
    for category, rows in guarded.groupby("category", sort=False):
        group = f"category:{category}"
        found.append(_crossed(Label("guard", group, better="higher", unit=UNIT), rows, "own_side", seed))
        on_side = rows["own_side"].gt(0).astype(float).where(rows["own_side"].notna())
        label = Label("guard share on its own side", group, neutral=0.5, better="higher", unit="share")
        found.append(share_estimate(label, on_side))
        for gender, same in rows.groupby("gender", sort=False):
            label = Label("appd of guard words", f"{group}, {gender}", better="none", unit=UNIT)
            found.append(_crossed(label, same, "score", seed))
    return found


def _by_profession(rows: pd.DataFrame, column: str, label: Label, seed: int) -> list[Estimate]:
    """One estimate for each profession, over the templates of its category."""
    named = rows[rows["profession"] != ""]
    repeated = named.groupby("profession")["category"].nunique()
    found = []
    for (category, profession), same in named.groupby(["category", "profession"], sort=False):
        group = f"profession:{profession}" + (f" ({category})" if repeated[profession] > 1 else "")
        found.append(mean_estimate(_in(label, group), same[column], same["template"], seed=seed))
    return found


def _in(label: Label, group: str) -> Label:
    return Label(label.name, group, label.neutral, label.better, label.unit)


def _crossed(label: Label, rows: pd.DataFrame, column: str, seed: int) -> Estimate:
    """A mean whose interval resamples templates and professions, or the one of them that varies."""
    factors = [
        rows[name]
        for name in ("template", "profession")
        if rows.loc[rows[column].notna(), name].nunique() > 1
    ]
    found = mean_estimate(label, rows[column], factors[0] if factors else rows["template"], seed=seed)
    if len(factors) < 2:
        return found
    low, high = two_way_cluster_bootstrap(rows[column], (factors[0], factors[1]), seed=seed)
    return Estimate(**{**vars(found), "low": low, "high": high})


def _correlation(plain: pd.DataFrame) -> Estimate:
    """Do the leanings follow the labour market? Below 0: the more women, the more female pronouns."""
    named = plain[plain["profession"] != ""]
    means = named.groupby(["category", "profession"])[["score", "percent_women"]].mean()
    found = pearson(means["score"], means["percent_women"])
    label = Label("correlation with share of women", unit="r")
    return Estimate(
        label.name,
        ALL,
        found.value,
        *found.interval,
        n=found.n,
        dropped=len(means) - found.n,
        unit=label.unit,
    )


def _item_scores(poles: Poles, slot: str, found: WordScores) -> dict[str, float]:
    """Log masses first: a probability too small for a float still has a ratio."""
    logs = {
        pole: float(np.logaddexp.reduce([found.logprobs[found.words.index(word)] for word in words]))
        for pole, words in poles.at(slot).items()
    }
    masses = {f"p_{pole}": float(np.exp(mass)) for pole, mass in logs.items()}
    first, second, *others = logs.values()
    whole = np.logaddexp.reduce(list(logs.values()))
    third = float(np.exp(np.logaddexp.reduce(others) - whole)) if others else float("nan")
    return masses | {
        "score": float(np.exp(first) - np.exp(second)),
        "normalised": float(np.tanh((first - second) / 2)),
        "log_ratio": first - second,
        "third_share": third,
        "pieces": max(found.pieces),
    }


def _tables(path: Path, professions_path: Path, settings: Settings) -> Tables:
    """Templates and professions, and what was done to them."""
    if settings.data != gbef.NAME:
        return read_templates(path), read_professions(professions_path), ()
    mended = settings.variant == CORRECTED
    professions = gbef.gbef_professions(professions_path, mended=mended)
    templates = gbef.gbef_templates(path, professions, mended=mended)
    if not mended:
        return templates, professions, ()
    changed = gbef.count_mended(path, "template", templates)
    renamed = gbef.count_mended(professions_path, "profession", professions)
    return templates, professions, (f"mended: {changed} templates, {renamed} names of professions",)


def _notices(templates: pd.DataFrame, professions: pd.DataFrame, poles: Poles) -> tuple[str, ...]:
    """Dropped templates by reason, professions that no template takes, templates that give a pole away."""
    notices = []
    for reason, rows in templates[templates["dropped"] != ""].groupby("dropped", sort=False):
        notices.append(
            f"dropped, {len(rows)} of {len(templates)} templates: {reason}; {', '.join(rows['id'])}"
        )
    unused = unused_professions(templates, professions)
    if unused:
        notices.append(f"unused, for want of a template of their category: {', '.join(unused)}")
    words = {word for form in poles.forms for pole in poles.names[:2] for word in poles.at(form)[pole]}
    leaks = leaking_lines(templates[templates["dropped"] == ""], sorted(words))
    if leaks:
        shown = ", ".join(f"line {line} ({word})" for line, word in leaks.items())
        notices.append(f"a word of the poles stands beside the blank in templates: {shown}")
    return tuple(notices)


def _check_slots(templates: pd.DataFrame, poles: Poles, path: Path) -> None:
    for row in templates.to_dict("records"):
        if row["slot"] not in poles.forms:
            raise UserError(
                f"{path}, line {row[LINE]}: the slot type {row['slot']!r} does not exist.",
                f"The poles {poles.name!r} have: {', '.join(poles.forms)}.",
            )
        without = [pole for pole, words in poles.at(row["slot"]).items() if not words]
        if without:
            raise UserError(
                f"{poles.path}: the pole {without[0]!r} has no word for the slot type {row['slot']!r}, "
                f"which {path.name}, line {row[LINE]}, asks for.",
                "Add a word for it.",
            )


def _check_genders(table: pd.DataFrame, poles: Poles, path: Path) -> None:
    known = ("", "male", "female", *poles.names)
    for row in table.to_dict("records"):
        if row["gender"] not in known:
            raise UserError(
                f"{path}, line {row[LINE]}: the gender {row['gender']!r} is no pole.",
                f"Leave it empty for an occupation, or write one of {', '.join(dict.fromkeys(known[1:]))}.",
            )


def _sides(poles: Poles) -> dict[str, float]:
    """Which way a guard word is turned; a word of no asked pole has no side and is counted as dropped."""
    return {poles.names[0]: 1.0, poles.names[1]: -1.0}


def _words(poles: Poles, slot: str) -> tuple[str, ...]:
    return tuple(word for words in poles.at(slot).values() for word in words)
