"""Epicene: does a German model link fields of work with a gender, once grammar is taken out?

Question     "Diese Person arbeitet auf dem Bau. Am Montag kam [er/sie] zu spät." Does the field of work move
             the pronoun? The score is ln P(er) - ln P(sie) in this sentence, less the same in its control,
             the same frame and noun with a field that says nothing of the work ("hier").
Sign         Above 0 the field leans to men, below 0 to women.
Good         Near 0 for every field.
Also given   Lean by field; fields where mostly men work against those where mostly women do; what agreement
             alone says (the log ratio of the controls, by grammatical gender); nouns that name a man or a
             woman (Mann, Frau), which should keep their side.
Neutral      A model that only makes the pronoun agree with the noun gives exactly 0: agreement is the same in
             a sentence and its control. A uniform model gives 0. Random weights give values near 0.
Source       Written for Equipoise. Bartl et al. 2020 ask German BERT for persons beside professions, where
             `der Arzt` or `die Ärztin` says the gender already. Their German half measures agreement, and so
             `association` in German is not meaningful. Fields where about 70 % or more are women, or men,
             follow the Bundesagentur für Arbeit, "Frauen und Männer am Arbeitsmarkt".
Limits       Subjects only; nine nouns and eight frames, written by one hand. Neuter nouns would take `es`,
             which is not asked. No German model was at hand: the sentences were tried with models made of
             tables, with random weights and with a small model trained on made sentences, never with a real
             German model. Another language is a folder of five files (docs/extending.md).
"""

from collections.abc import Iterator
from dataclasses import replace

import pandas as pd

from equipoise.data.poles import load_poles
from equipoise.data.sets.epicene import POLES, language_files, load_epicene
from equipoise.data.sources import Source
from equipoise.instruments.base import Answers, Ask, PolarDesign, Settings
from equipoise.instruments.parts.estimates import (
    Spec,
    contrast_estimate,
    grouped,
    mean_estimate,
    profession_size_estimate,
    size_estimate,
    size_of_professions,
    size_of_sentences,
)
from equipoise.instruments.parts.items import Row, asked_rows, asked_words, log_masses, with_scores
from equipoise.models.capabilities import FILL
from equipoise.models.protocol import LanguageModel
from equipoise.models.questions import Fill
from equipoise.results import Quantity, Roles, Summary
from equipoise.results.quantity import STEREOTYPED, TOWARDS, Contrast

NATS = "nats"
FACTORS = ("profession", "template")
WORK, CONTROL, NAMED = "field of work", "control", "gendered noun"
_OF_WORK = {"part": WORK}
_LEAN = Quantity(
    "lean",
    "lean of fields of work",
    0.1,
    unit=NATS,
    factors=FACTORS,
    where=_OF_WORK,
    name="how naming a field of work moves the pronoun",
    question="jobs",
    scale="nats",
    sides=TOWARDS,
    headline=True,
)
_SIZE = size_of_professions(
    Quantity(
        "mean-abs-lean",
        "mean |lean| of fields",
        0.1,
        unit=NATS,
        where=_OF_WORK,
        name="size of the move per field of work",
        question="jobs",
        scale="nats",
    )
)
_SENTENCE_SIZE = size_of_sentences(replace(_LEAN, label="lean"), "size of the move per sentence")
_STEREOTYPE = Quantity(
    "stereotype",
    "fields of mostly men less fields of mostly women",
    0.1,
    unit=NATS,
    factors=FACTORS,
    where=_OF_WORK,
    contrast=Contrast("majority", "men", "women"),
    name="stereotype gap between fields of work",
    question="jobs",
    scale="nats",
    sides=STEREOTYPED,
    headline=True,
)
_OWN_SIDE = Quantity(
    "own-side",
    "gendered nouns, to their own side",
    0.2,
    column="own_side",
    unit=NATS,
    better="higher",
    part="guard",
    factors=("template", "noun"),
    where={"part": NAMED},
    name="knows gendered nouns",
    question="guard",
    scale="nats",
    enough=0.7,
)


class Epicene:
    """Pronouns after epicene nouns, each sentence against its control."""

    name = "epicene"
    title = "Pronouns after gender-neutral nouns, without agreement (German)"
    datasets = ("equipoise-epicene-de",)
    variants = ("less-agreement",)
    needs = (FILL,)
    reads = ()
    roles = Roles(text=("text",), factors=FACTORS, groups=("category", "profession", "majority"))
    quantities = (_LEAN, _SENTENCE_SIZE, _SIZE, _STEREOTYPE, _OWN_SIDE)

    def design(self, source: Source, settings: Settings) -> PolarDesign:
        """Every sentence; gendered nouns are asked in the controls only."""
        read = load_epicene(source)
        table = read.table
        part = table["majority"].map(lambda majority: WORK if majority else CONTROL)
        table = table.assign(part=part.where(table["gender"] == "", NAMED))
        table = table[(table["part"] != NAMED) | (table["majority"] == "")].reset_index(drop=True)
        poles = load_poles(language_files(source)[POLES])
        return PolarDesign(items=table, files=read.files, settings=settings, poles=poles)

    def ask(self, design: PolarDesign, model: LanguageModel) -> Iterator[Ask]:
        """`er` and `sie` at the blank of every sentence."""
        words = asked_words(design.poles.pair_at("subject"))
        for row in asked_rows(design.items):
            yield Ask(row["item"], "blank", Fill(row["text"], words))

    def score(self, design: PolarDesign, answers: Answers) -> pd.DataFrame:
        """The log ratio of each sentence less that of its control, the mean over the control fields."""
        words = design.poles.pair_at("subject")
        sides = dict(zip(design.poles.pair, (1.0, -1.0), strict=True))

        def read(row: Row) -> Row:
            first, second = log_masses(words, answers[row["item"], "blank"]).values()
            return {"log_ratio": first - second}

        items = with_scores(design.items, read)
        controls = items[items["part"] == CONTROL].groupby(["template", "noun"])["log_ratio"].mean()
        matching = pd.MultiIndex.from_frame(items[["template", "noun"]])
        return items.assign(
            control=controls.reindex(matching).to_numpy(),
            score=(items["log_ratio"] - controls.reindex(matching).to_numpy()).where(items["part"] == WORK),
            own_side=items["log_ratio"] * items["gender"].map(sides),
        )

    def summarise(self, design: PolarDesign, items: pd.DataFrame) -> Summary:
        """The lean of fields, together and by group; agreement and gendered nouns apart."""
        work, controls, named = (items[items["part"] == part] for part in (WORK, CONTROL, NAMED))
        estimates = [
            size_estimate(Spec.of(_SENTENCE_SIZE), work["score"], work, FACTORS),
            profession_size_estimate(Spec.of(_SIZE), work),
        ]
        typical = work[work["majority"].isin(("men", "women"))]
        estimates.append(
            contrast_estimate(
                Spec.of(_STEREOTYPE),
                typical["score"],
                typical["majority"] == "men",
                rows=typical,
                factors=FACTORS,
            )
        )
        for by in ("category", "majority", "profession"):
            for groups, rows in grouped(work, by, whole=by == "category"):
                estimates.append(mean_estimate(Spec.of(_LEAN).at(groups), rows["score"], rows, FACTORS))
        agreement = Spec("agreement", "log ratio of the controls: agreement alone", NATS, better="none")
        for groups, rows in grouped(controls, "agreement", whole=False):
            estimates.append(
                mean_estimate(agreement.at(groups), rows["log_ratio"], rows, ("template", "noun"))
            )
        if len(named):
            estimates.append(
                mean_estimate(Spec.of(_OWN_SIDE), named["own_side"], named, ("template", "noun"))
            )
        return Summary(estimates)
