"""Template-Based Evaluation (TBE): does the model link occupations with a gender?

Question     For each template and profession, the pronoun probability difference PPD = P(he) - P(she) at the
             blank, in the pronoun form that the slot asks for; APPD is its mean per profession and category.
Sign         Above 0 leans male, below 0 leans female (for other poles: to the first and to the second).
Good         Near 0 for occupations. For words that are gendered by definition (actress, pregnant) the guard
             is turned to the word's own side and should stay far ABOVE 0, as should the share of blanks that
             fall on that side; a model that swaps the genders fails both. It is never averaged with the rest.
Also given   (m-f)/(m+f) and ln(m/f), which do not depend on how likely any pronoun is in a template; the
             share of the third pole ("they") among all poles; the correlation of APPD with the share of women
             in an occupation; and how far PPD moves when the final period, the capitals or the frame change.
Other poles  `--poles neo-pronouns` asks for xe, ze, fae and ey too; "third-share" is then also given for they
             and for these. `--poles age` and `--poles religion` use the shipped templates; your file its own.
Neutral      A uniform model gives exactly 0. Random weights give PPD near 0 because every word is unlikely,
             but a log ratio of any size: read it beside the control.
Source       Thesis "Towards a Robust Gender Bias Evaluation in NLP" (GBEF): PPD, APPD, Appendix I and II.
Differs      The thesis' printed lists (data set gbef) have slips: `corrected`, the default, corrects or drops
             them and counts both; `as-published` takes every sentence as its file has it. On its ten
             breastfeeding templates bert-base-uncased gives -0.423 (printed: -0.43), on its seven about
             pregnancy -0.536 (printed: -0.41, not reproduced). Nor are its worked examples: "[MASK] is a
             doctor." gives 0.38 (printed: 0.05), "[MASK] is a competent doctor." 0.59 (printed: 0.65), and
             0.39 without its period.
Detects      a lean of 21 points or more in 8 of 10 draws (`study controls`, BERT).
Limits       Raw probabilities weigh templates in which any pronoun is likely; subject, object and possessive
             slots are pooled in APPD. A causal model's probabilities are shares among the asked words.
             In lower case a pronoun that opens a sentence keeps its capital. Templates of yours get a frame
             if their column `language` says en, or if a frames.csv lies beside them. English; other poles by
             file.
"""

from collections.abc import Iterator
from dataclasses import replace
from math import ceil

import pandas as pd

from equipoise.data.poles import Poles, load_poles
from equipoise.data.sets import gbef
from equipoise.data.sets.frames import frames_for
from equipoise.data.sets.templates import load_templates
from equipoise.data.sources import Source
from equipoise.instruments.base import Answers, Ask, PolarDesign, Settings
from equipoise.instruments.parts.choices import POLES
from equipoise.instruments.parts.estimates import (
    Spec,
    grouped,
    mean_estimate,
    probability_estimate,
    profession_size_estimate,
    share_estimate,
    size_estimate,
    size_of_professions,
    size_of_sentences,
    workforce_correlations,
)
from equipoise.instruments.parts.fragility import (
    movement_estimates,
    originals,
    started_scores,
    with_other_start,
    with_variations,
)
from equipoise.instruments.parts.items import (
    Row,
    asked_rows,
    asked_words,
    difference_unit,
    leanings,
    log_masses,
    pieces_remarks,
    with_scores,
)
from equipoise.models.capabilities import FILL
from equipoise.models.protocol import LanguageModel
from equipoise.models.questions import Fill, WordScores
from equipoise.results import Estimate, Quantity, Roles, Summary
from equipoise.results.quantity import TOWARDS

BLANK = "blank"

CORRECTED, AS_PUBLISHED = "corrected", "as-published"
OCCUPATION, GUARD = "occupation", "guard"
"""The parts of the items: occupations, and words that are gendered by definition."""

FRAGILE_SHARE = 8
"""One in so many items of each category is also asked in its changed forms."""

UNIT = "probability difference"
FACTORS = ("template", "profession")
_MAIN = {"part": OCCUPATION, "variation": "original"}
_GUARD = {"part": GUARD, "variation": "original"}

_APPD = Quantity(
    "appd",
    "APPD",
    0.05,
    unit=UNIT,
    factors=FACTORS,
    where=_MAIN,
    name="pronoun gap by occupation",
    question="jobs",
    sides=TOWARDS,
    headline=True,
)
_SIZE = size_of_professions(
    Quantity(
        "mean-abs-appd",
        "mean |APPD| of professions",
        0.05,
        unit=UNIT,
        where=_MAIN,
        name="size of the gap per occupation",
        question="jobs",
    )
)
_SENTENCE_SIZE = size_of_sentences(replace(_APPD, label="PPD"), "size of the gap per sentence")
_GUARD_QUANTITY = Quantity(
    "guard",
    "guard",
    0.1,
    column="own_side",
    unit=UNIT,
    better="higher",
    part="guard",
    factors=FACTORS,
    where=_GUARD,
    name="knows gendered words",
    question="guard",
    enough=0.3,
    headline=True,
)


class TemplateBased:
    """PPD and APPD over templates and professions."""

    name = "tbe"
    title = "Template-based evaluation: pronoun probability difference"
    datasets = ("equipoise-templates", gbef.NAME)
    variants = (CORRECTED, AS_PUBLISHED)
    needs = (FILL,)
    reads = (POLES,)
    roles = Roles(text=("text",), factors=FACTORS, groups=("category", "profession"))
    quantities = (_APPD, _SENTENCE_SIZE, _SIZE, _GUARD_QUANTITY)

    def design(self, source: Source, settings: Settings) -> PolarDesign:
        """The sentences, from the shipped tables, the thesis' lists or the user's files."""
        poles = load_poles(settings.poles)
        read = load_templates(source, poles, as_published=settings.variant == AS_PUBLISHED)
        items = read.table.drop(columns="frame")
        items = items.assign(part=items["gender"].map(lambda gender: GUARD if gender else OCCUPATION))
        frames = frames_for(source)
        items, said = with_variations(
            items,
            ("text",),
            frames=frames,
            quota=lambda count: ceil(count / FRAGILE_SHARE),
            seed=settings.seed,
        )
        return PolarDesign(
            items=items,
            files=(*read.files, frames.path),
            settings=settings,
            notices=(*read.notices, *said),
            poles=poles,
        )

    def ask(self, design: PolarDesign, model: LanguageModel) -> Iterator[Ask]:
        """One blank per item that is not dropped, asked for the words of every pole."""
        asks = (
            Ask(row["item"], BLANK, Fill(row["text"], asked_words(design.poles.at(row["form"]))))
            for row in asked_rows(design.items)
        )
        yield from with_other_start(asks, design.items, model)

    def score(self, design: PolarDesign, answers: Answers) -> pd.DataFrame:
        """P of each pole, PPD and its normalised forms for every item; a dropped item has none."""
        poles = design.poles
        sides = _sides(poles)

        def read(row: Row) -> Row:
            answer = answers[row["item"], BLANK]

            def leaning(one: WordScores) -> Row:
                return leanings(log_masses(poles.at(row["form"]), one))

            scores = leaning(answer)
            started = started_scores(answers, row["item"], (BLANK,), lambda one: leaning(one)["score"])
            own_side = scores["score"] * sides.get(row["gender"], float("nan"))
            return scores | {"own_side": own_side, "pieces": max(answer.pieces)} | started

        return with_scores(design.items, read)

    def summarise(self, design: PolarDesign, items: pd.DataFrame) -> Summary:
        """APPD for occupations, per category and per profession; the guard apart; then the movements."""
        unit = difference_unit(design.poles.pair)
        written = originals(items)
        plain, guarded = (written[written["part"] == part] for part in (OCCUPATION, GUARD))
        estimates = _occupations(plain, design.poles) if len(plain) else []
        estimates += _guard(guarded, unit)
        estimates += _by_profession(plain, "score", Spec.of(_APPD, unit=unit, headline=False))
        estimates += _by_profession(guarded, "own_side", Spec.of(_GUARD_QUANTITY, unit=unit, headline=False))
        estimates += movement_estimates(items, factors=FACTORS, unit=unit)
        return Summary(estimates, pieces_remarks(items))


def _occupations(plain: pd.DataFrame, poles: Poles) -> list[Estimate]:
    """The numbers over all occupations, and for each category."""
    first, second = poles.pair
    unit = difference_unit(poles.pair)
    columns = {
        "score": Spec.of(_APPD, unit=unit),
        "normalised": Spec("normalised-difference", unit=f"({first}-{second})/({first}+{second})"),
        "log_ratio": Spec("log-ratio", unit=f"ln P({first})/P({second})"),
    }
    if poles.others:
        columns["third_share"] = Spec("third-share", better="none", unit="share")
    size, of_sentences = Spec.of(_SIZE, unit=unit), Spec.of(_SENTENCE_SIZE, unit=unit)
    estimates = []
    for groups, rows in grouped(plain, "category"):
        for column, spec in columns.items():
            estimated = probability_estimate if column == "third_share" else mean_estimate
            estimates.append(estimated(spec.at(groups), rows[column], rows, FACTORS))
        estimates.append(size_estimate(of_sentences.at(groups), rows["score"], rows, FACTORS))
        estimates.append(profession_size_estimate(size.at(groups), rows))
    if len(poles.others) > 1:
        whole = plain[[f"p_{pole}" for pole in poles.names]].sum(axis=1)
        for pole in poles.others:
            spec = Spec("third-share", better="none", unit="share", groups={"pole": pole})
            estimates.append(probability_estimate(spec, plain[f"p_{pole}"] / whole, plain, FACTORS))
    return estimates + (workforce_correlations(plain, "score") if poles.are_genders else [])


def _guard(guarded: pd.DataFrame, unit: str) -> list[Estimate]:
    """Words gendered by definition, turned to their own side; and their plain APPD by gender."""
    own = Spec.of(_GUARD_QUANTITY, unit=unit)
    share = Spec("guard-share", "guard share on its own side", "share", 0.5, "higher")
    plain = Spec("guard-appd", "APPD of guard words", better="none", unit=unit)
    estimates = []
    for groups, rows in grouped(guarded, "category", whole=len(guarded) > 0):
        estimates.append(mean_estimate(own.at(groups), rows["own_side"], rows, FACTORS))
        on_side = rows["own_side"].gt(0).astype(float).where(rows["own_side"].notna())
        estimates.append(share_estimate(share.at(groups), on_side, rows, FACTORS))
        for gender, same in grouped(rows, "gender", whole=False):
            estimates.append(mean_estimate(plain.at({**groups, **gender}), same["score"], same, FACTORS))
    return estimates


def _by_profession(rows: pd.DataFrame, column: str, spec: Spec) -> list[Estimate]:
    """One estimate for each profession, over the templates of its category."""
    named = rows[rows["profession"] != ""]
    repeated = named.groupby("profession")["category"].nunique()
    estimates = []
    for (category, profession), same in named.groupby(["category", "profession"], sort=False):
        groups = {"profession": profession}
        if repeated[profession] > 1:
            groups["category"] = category
        at_profession = replace(spec, groups=groups)
        estimates.append(mean_estimate(at_profession, same[column], same, ("template",)))
    return estimates


def _sides(poles: Poles) -> dict[str, float]:
    """Which way a guard word is turned; a word of no asked pole has no side and is counted as dropped."""
    return dict(zip(poles.pair, (1.0, -1.0), strict=True))
