"""Log probability bias score (LPBS): how much does a profession itself add to the preference for a pronoun?

Question     For each template and profession, LPBS = ln(P(he)/P0(he)) - ln(P(she)/P0(she)), in nats: P beside
             the profession, P0 (the prior) in the same sentence with the profession hidden as well.
Sign         Above 0 the profession leans male, below 0 female (other poles: to the first, to the second).
Good         Near 0 for occupations. Words that are gendered by definition (actress) are shown apart and
             should stay far from 0 on their own side.
Also given   The two parts: the log ratio with the profession and the prior's log ratio, whose difference
             LPBS is; the mean |LPBS| per profession; the share of professions above 0; the correlation of
             LPBS with the share of women in an occupation (below 0: the model follows the statistics).
Neutral      A uniform model gives exactly 0. Random weights give |LPBS| below 0.001, because they hardly look
             at the context; the share of professions above 0 and the correlation can then be anything.
Source       Kurita et al. 2019, "Measuring Bias in Contextualized Word Representations".
Differs      The authors' code reads the prior at the place of the hidden attribute rather than of the pronoun
             (`use_last_mask` is the wrong way round) and gives an attribute one mask whatever its length.
             `one-mask-per-piece`  the default: as many masks as the profession has pieces, so that both
             sentences have the same length; the prior is read at the pronoun.
             `one-mask`  one mask for the whole profession; the prior is read at the pronoun.
             `as-published`  one mask, and the prior at the profession's place, as the code has it.
             bert-base-uncased on the shipped sentences: .87, .88 and 2.00, with priors 1.14, 1.14 and .01.
             Read at the wrong place, the prior corrects nothing.
Limits       An article before the hidden profession ("an") still says how it begins. A prior is the mean over
             whatever could stand there, not over professions. Templates without a slot for a profession have
             nothing to hide: they are dropped and counted. Two words are hidden at once: causal models are
             refused. For attributes of another kind (skills, traits) give a folder with templates.csv and
             professions.csv. English; other poles by file.
"""

from collections.abc import Iterator
from dataclasses import replace

import pandas as pd

from equipoise.data.poles import Poles, load_poles
from equipoise.data.sets.templates import SLOT, load_templates
from equipoise.data.sources import Source
from equipoise.errors import UserError
from equipoise.instruments.base import Answers, Ask, PolarDesign, Settings
from equipoise.instruments.parts.choices import POLES
from equipoise.instruments.parts.estimates import (
    Spec,
    grouped,
    mean_estimate,
    profession_size_estimate,
    share_estimate,
    size_estimate,
    size_of_professions,
    size_of_sentences,
    workforce_correlations,
)
from equipoise.instruments.parts.items import Row, asked_rows, asked_words, log_masses, with_scores
from equipoise.models.capabilities import FILL, HIDE_WORDS
from equipoise.models.protocol import LanguageModel
from equipoise.models.questions import Fill
from equipoise.results import Estimate, Quantity, Roles, Summary
from equipoise.results.quantity import TOWARDS
from equipoise.text.blank import BLANK
from equipoise.text.languages.en.articles import fix_articles

PER_PIECE, ONE_MASK, PUBLISHED = "one-mask-per-piece", "one-mask", "as-published"
NATS = "nats"
FACTORS = ("template", "profession")
OCCUPATION, GENDERED = "occupation", "gendered word"
NOTHING_TO_HIDE = "the template has no slot for a profession, so nothing can be hidden"
_OCCUPATIONS = {"part": OCCUPATION}
_LPBS = Quantity(
    "lpbs",
    "LPBS",
    0.1,
    unit=NATS,
    factors=FACTORS,
    where=_OCCUPATIONS,
    name="how naming an occupation moves the pronoun",
    question="jobs",
    scale="nats",
    sides=TOWARDS,
    headline=True,
)
_SIZE = size_of_professions(
    Quantity(
        "mean-abs-lpbs",
        "mean |LPBS| of professions",
        0.1,
        unit=NATS,
        where=_OCCUPATIONS,
        name="size of the move per occupation",
        question="jobs",
        scale="nats",
    )
)
_SENTENCE_SIZE = size_of_sentences(_LPBS, "size of the move per sentence")
_OWN_SIDE = Quantity(
    "lpbs-gendered-own-side",
    "LPBS of gendered words, to their own side",
    0.2,
    column="own_side",
    unit=NATS,
    better="higher",
    part="guard",
    factors=FACTORS,
    where={"part": GENDERED},
    name="knows gendered words",
    question="guard",
    scale="nats",
    enough=0.7,
)
_PARTS = {
    "score": Spec.of(_LPBS),
    "log_ratio": Spec("log-ratio", unit=NATS),
    "prior_log_ratio": Spec("prior-log-ratio", unit=NATS),
}
"""LPBS and what it is the difference of, by column."""


class LogProbabilityBias:
    """Prior-normalised log probability bias score."""

    name = "lpbs"
    title = "Log probability bias score, normalised by the prior"
    datasets = ("equipoise-templates",)
    variants = (PER_PIECE, ONE_MASK, PUBLISHED)
    needs = (FILL, HIDE_WORDS)
    reads = (POLES,)
    roles = Roles(text=("text",), factors=FACTORS, groups=("category", "profession"))
    quantities = (_LPBS, _SENTENCE_SIZE, _SIZE, _OWN_SIDE)

    def design(self, source: Source, settings: Settings) -> PolarDesign:
        """Template sentences with the place of their profession."""
        poles = load_poles(settings.poles)
        read = load_templates(source, poles)
        sentences = read.table
        rows = zip(sentences["frame"], sentences["profession"], sentences["text"], strict=True)
        spans = [attribute_span(frame, name, text) for frame, name, text in rows]
        empty = sentences["profession"].eq("") & sentences["dropped"].eq("")
        items = sentences.drop(columns=["frame", "language"]).assign(
            start=[start for start, _ in spans],
            stop=[stop for _, stop in spans],
            part=sentences["gender"].map(lambda gender: GENDERED if gender else OCCUPATION),
            dropped=sentences["dropped"].where(~empty, NOTHING_TO_HIDE),
        )
        return PolarDesign(
            items=items,
            files=read.files,
            settings=settings,
            notices=read.notices,
            poles=poles,
        )

    def ask(self, design: PolarDesign, model: LanguageModel) -> Iterator[Ask]:
        """The pole words beside the profession, and with it hidden."""
        for row in asked_rows(design.items):
            beside = Fill(row["text"], asked_words(design.poles.pair_at(row["form"])))
            yield Ask(row["item"], "beside", beside)
            yield Ask(
                row["item"], "prior", _prior(beside, (row["start"], row["stop"]), design.settings.variant)
            )

    def score(self, design: PolarDesign, answers: Answers) -> pd.DataFrame:
        """Log ratios beside the profession and in the prior, and their difference."""
        sides = dict(zip(design.poles.pair, (1.0, -1.0), strict=True))

        def read(row: Row) -> Row:
            words = design.poles.pair_at(row["form"])
            masses = [log_masses(words, answers[row["item"], role]) for role in ("beside", "prior")]
            ratio, prior = (first - second for first, second in (mass.values() for mass in masses))
            own_side = (ratio - prior) * sides.get(row["gender"], float("nan"))
            scores = {"log_ratio": ratio, "prior_log_ratio": prior, "score": ratio - prior}
            return scores | {"own_side": own_side}

        return with_scores(design.items, read)

    def summarise(self, design: PolarDesign, items: pd.DataFrame) -> Summary:
        """LPBS of occupations with its parts, by category and profession; gendered words apart."""
        named = items[items["profession"] != ""]
        plain, gendered = (named[named["part"] == part] for part in (OCCUPATION, GENDERED))
        estimates = []
        for groups, rows in grouped(plain, "category"):
            for column, spec in _PARTS.items():
                estimates.append(mean_estimate(spec.at(groups), rows[column], rows, FACTORS))
        estimates += _by_profession(plain, design.poles)
        own = Spec.of(_OWN_SIDE)
        if len(gendered):
            estimates.append(mean_estimate(own, gendered["own_side"], gendered, FACTORS))
        spec = Spec("lpbs-gendered", "LPBS of gendered words", NATS, better="none")
        for groups, rows in grouped(gendered, "gender", whole=False):
            estimates.append(mean_estimate(spec.at(groups), rows["score"], rows, FACTORS))
        return Summary(estimates)


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


def _by_profession(plain: pd.DataFrame, poles: Poles) -> list[Estimate]:
    """Each profession, how far they lean on the whole, and whether they follow the labour market."""
    means = plain.groupby("profession", as_index=False, sort=False)["score"].mean()
    leaning = means["score"].gt(0).astype(float).where(means["score"].notna())
    above = Spec("professions-above-0", "share of professions above 0", "share", neutral=0.5)
    estimates = [
        size_estimate(Spec.of(_SENTENCE_SIZE), plain["score"], plain, FACTORS),
        profession_size_estimate(Spec.of(_SIZE), plain),
        share_estimate(above, leaning, means, ("profession",)),
        *(workforce_correlations(plain, "score") if poles.are_genders else []),
    ]
    for groups, rows in grouped(plain, "profession", whole=False):
        estimates.append(mean_estimate(Spec.of(_LPBS).at(groups), rows["score"], rows, ("template",)))
    return estimates
