"""Log probability bias score (LPBS): what does the profession itself add to the preference for a pronoun?

Question     For each template and profession, LPBS = ln(P(he)/P0(he)) - ln(P(she)/P0(she)), in nats: P beside
             the profession, P0 (the prior) in the same sentence with the profession hidden as well.
Sign         Above 0 the profession leans male, below 0 female (other poles: to the first, to the second).
Good         Near 0 for occupations. Words that are gendered by definition (actress) are shown apart and
             should stay far from 0 on their own side.
Beside it    The two parts: the log ratio beside the profession and the prior's log ratio, whose difference
             LPBS is; the mean |LPBS| per profession; the share of professions above 0; the correlation of
             LPBS with the share of women in an occupation (below 0: the model follows the statistics).
Zero         A uniform model gives exactly 0. Random weights give |LPBS| below 0.001, because they hardly look
             at the context; the share of professions above 0 and the correlation can then be anything.
Source       Kurita et al. 2019, "Measuring Bias in Contextualized Word Representations".
Differs      The authors' code reads the prior at the place of the hidden attribute rather than of the pronoun
             (`use_last_mask` is the wrong way round) and gives an attribute one mask whatever its length.
             `one-mask-per-piece`  the default: as many masks as the profession has pieces, so that both
             sentences have the same length; the prior is read at the pronoun.
             `one-mask`  one mask for the whole profession; the prior is read at the pronoun.
             `as-published`  one mask, and the prior at the profession's place, as the code has it.
             bert-base-uncased on the shipped sentences: .85, .86 and 1.98, with priors 1.10, 1.09 and -.03.
             Read at the wrong place, the prior corrects nothing.
Limits       An article before the hidden profession ("an") still says how it begins. A prior is the mean over
             whatever could stand there, not over professions. Templates without a slot for a profession have
             nothing to hide: they are dropped and counted. Two words are hidden at once: causal models are
             refused. For attributes of another kind (skills, traits) give a folder with templates.csv and
             professions.csv. English; other poles by file.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import logsumexp

from equipoise.data.poles import Poles, load_poles
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
from equipoise.models.base import BLANK, Fill, Question, WordScores
from equipoise.results import Estimate
from equipoise.stats.correlation import pearson
from equipoise.stats.intervals import two_way_cluster_bootstrap
from equipoise.text.articles import fix_articles
from equipoise.text.templates import SLOT, build_sentences, read_professions, read_templates, template_files

PER_PIECE, ONE_MASK, PUBLISHED = "one-mask-per-piece", "one-mask", "as-published"
NATS = "nats"
NOTHING_TO_HIDE = "the template has no slot for a profession, so nothing can be hidden"


class LogProbabilityBias:
    """Prior-normalised log probability bias score."""

    name = "lpbs"
    title = "Log probability bias score, normalised by the prior"
    datasets = ("equipoise-templates",)
    variants = (PER_PIECE, ONE_MASK, PUBLISHED)
    needs = (Fill,)
    comparable = Comparable(clusters="profession", margin=0.1, unit=NATS, where={"gender": ""})

    def items(self, settings: Settings) -> ItemSet:
        """Template sentences with the place of their profession."""
        path, professions_path = template_files(settings.data, settings.data_dir)
        poles = load_poles(settings.poles)
        templates = read_templates(path)
        sentences = build_sentences(templates, read_professions(professions_path), path)
        frames = dict(zip(templates["id"], templates["template"], strict=True))
        rows = zip(sentences["template"], sentences["profession"], sentences["text"], strict=True)
        spans = [attribute_span(frames[template], name, text) for template, name, text in rows]
        sentences = sentences.assign(start=[one for one, _ in spans], stop=[stop for _, stop in spans])
        empty = sentences["profession"].eq("") & sentences["dropped"].eq("")
        sentences.loc[empty, "dropped"] = NOTHING_TO_HIDE
        notices = (f"dropped, {empty.sum()} sentences: {NOTHING_TO_HIDE}",) if empty.any() else ()
        return ItemSet(sentences, (path, professions_path, poles.path), notices)

    def questions(self, items: pd.DataFrame, settings: Settings) -> list[Question]:
        """Two per item that is not dropped: the pole words beside the profession, and with it hidden."""
        poles = load_poles(settings.poles)
        asked: list[Question] = []
        for row in items[items["dropped"] == ""].to_dict("records"):
            beside = Fill(row["text"], _words(poles, row["slot"]))
            asked += [beside, _prior(beside, (row["start"], row["stop"]), settings.variant)]
        return asked

    def questions_for(self, model: Any, items: pd.DataFrame, settings: Settings) -> list[Question]:
        """The same, refusing at once a model that cannot hide a second word."""
        if model.kind == "causal":
            raise UserError(
                f"lpbs cannot measure {model.name!r}: a causal model cannot hide a word beside a blank.",
                "Name a masked model, or an instrument that asks one blank at a time, such as tbe.",
            )
        return self.questions(items, settings)

    def scored(self, items: pd.DataFrame, answers: Sequence[WordScores], settings: Settings) -> pd.DataFrame:
        """Log ratios beside the profession and in the prior, and their difference."""
        poles = load_poles(settings.poles)
        asked = items["dropped"].eq("")
        slots = items.loc[asked, "slot"]
        ratios = [_log_ratio(poles, slot, one) for slot, one in zip(slots.repeat(2), answers, strict=True)]
        found = items.drop(columns="dropped").assign(log_ratio=np.nan, prior_log_ratio=np.nan)
        found.loc[asked, "log_ratio"] = ratios[::2]
        found.loc[asked, "prior_log_ratio"] = ratios[1::2]
        score = found["log_ratio"] - found["prior_log_ratio"]
        return found.assign(score=score, dropped=items["dropped"])

    def estimates(self, items: pd.DataFrame, settings: Settings) -> list[Estimate]:
        """LPBS of occupations with its parts, by category and profession; gendered words apart."""
        plain = items[(items["gender"] == "") & (items["profession"] != "")]
        groups = {ALL: plain}
        groups |= {f"category:{name}": rows for name, rows in plain.groupby("category", sort=False)}
        found = []
        for group, rows in groups.items():
            for name, column in _PARTS.items():
                found.append(_crossed(Label(name, group, unit=NATS), rows, column, settings.seed))
        found += _by_profession(plain, settings.seed)
        for gender, rows in items[items["gender"] != ""].groupby("gender", sort=False):
            label = Label("lpbs of gendered words", f"gender:{gender}", better="none", unit=NATS)
            found.append(_crossed(label, rows, "score", settings.seed))
        return found


_PARTS = {"lpbs": "score", "log ratio": "log_ratio", "prior log ratio": "prior_log_ratio"}


def attribute_span(template: str, name: str, text: str) -> tuple[int, int]:
    """Where a profession stands in a sentence, by its template: the name may occur elsewhere too."""
    if not name:
        return 0, 0
    stop = len(fix_articles(template.split(SLOT)[0] + name))
    start = stop - len(name)
    if text[start:stop].lower() != name.lower():
        raise UserError(
            f"{name!r} cannot be found again where {template!r} puts it.",
            f"Put a space or punctuation beside {SLOT}.",
        )
    return start, stop


def _prior(beside: Fill, span: tuple[int, int], variant: str) -> Fill:
    """The question with the profession hidden, piece by piece or behind one mask."""
    if variant == PER_PIECE:
        return replace(beside, hidden=(span,))
    start, stop = span
    is_pronoun_first = beside.text.index(BLANK) < start
    pronoun, profession = (0, 1) if is_pronoun_first else (1, 0)
    return Fill(
        beside.text[:start] + BLANK + beside.text[stop:],
        beside.words,
        blank=profession if variant == PUBLISHED else pronoun,
    )


def _words(poles: Poles, slot: str) -> tuple[str, ...]:
    """The words of the first two poles in the form that the slot asks for."""
    at = poles.at(slot)
    for pole in poles.names[:2]:
        if not at[pole]:
            raise UserError(
                f"{poles.path}: the pole {pole!r} has no word for the slot type {slot!r}.", "Add one for it."
            )
    return tuple(word for pole in poles.names[:2] for word in at[pole])


def _log_ratio(poles: Poles, slot: str, found: WordScores) -> float:
    """Ln of the first pole's probability over the second's, in logs throughout: priors can be tiny."""
    first, second = (
        logsumexp([found.logprobs[found.words.index(word)] for word in poles.at(slot)[pole]])
        for pole in poles.names[:2]
    )
    return float(first - second)


def _by_profession(plain: pd.DataFrame, seed: int) -> list[Estimate]:
    """Each profession, how far they lean on the whole, and whether they follow the labour market."""
    means = plain.groupby("profession", sort=False)[["score", "percent_women"]].mean()
    leaning = means["score"].gt(0).astype(float).where(means["score"].notna())
    sizes = Label("mean |lpbs| of professions", better="lower", unit=NATS)
    followed = pearson(means["score"], means["percent_women"])
    found = [
        mean_estimate(sizes, means["score"].abs(), means.index, seed=seed),
        share_estimate(Label("share of professions above 0", neutral=0.5, unit="share"), leaning),
        Estimate(
            "correlation with share of women",
            ALL,
            followed.value,
            *followed.interval,
            n=followed.n,
            dropped=len(means) - followed.n,
            unit="r",
        ),
    ]
    for profession, rows in plain.groupby("profession", sort=False):
        label = Label("lpbs", f"profession:{profession}", unit=NATS)
        found.append(mean_estimate(label, rows["score"], rows["template"], seed=seed))
    return found


def _crossed(label: Label, rows: pd.DataFrame, column: str, seed: int) -> Estimate:
    """A mean whose interval resamples templates and professions, or only the one that varies."""
    found = mean_estimate(label, rows[column], rows["template"], seed=seed)
    low, high = two_way_cluster_bootstrap(rows[column], (rows["template"], rows["profession"]), seed=seed)
    return found if np.isnan(low) else replace(found, low=low, high=high)
