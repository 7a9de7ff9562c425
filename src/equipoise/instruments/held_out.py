"""Held-out sentences: does a changed model still lean in text that no method learned from?

Question     Of the pronouns at a blank, lean = (P(he) - P(she)) / (P(he) + P(she)). The size of the lean is
             taken sentence by sentence, then averaged: leans of opposite sign do not cancel out, as they do
             in a mean over templates.
Sign         `score` above 0 leans male, below 0 female. Sizes have no direction.
Good         Sizes near 0 for occupations and associations. Right answers as often as before the change
             where the text says who is meant: definitional words, another word for the person, a name.
Also given   Sizes by register and by kind of association; sentences with capitalised words apart, since a
             method may treat them as names; right answers by kind.
Neutral      A uniform model has size 0 and half of the answers right: it knows nothing. Read both together.
Source       Written for this project by somebody who had not read the sentences that any mitigation learns
             from. A test keeps apart: no noun and no five words in a row stand in any list, frame or corpus
             that a mitigation learns from or another instrument measures with.
Limits       41 templates in twelve registers with 50 occupations, 84 sentences about competence, emotion,
             appearance, household, crime, money and hobbies, 114 that say who is meant. English. Pronouns of
             the poles male and female. One author, who has since extended the lists of definitional words and
             names that averaging reads: those sentences are no longer held out from averaging.
"""

from collections.abc import Iterator
from dataclasses import replace
from itertools import product

import numpy as np
import pandas as pd

from equipoise.data.poles import load_poles
from equipoise.data.reading import TABLES, read_table
from equipoise.data.sources import Source
from equipoise.errors import UserError
from equipoise.instruments.base import Answers, Ask, PolarDesign, Settings
from equipoise.instruments.parts.estimates import (
    Spec,
    grouped,
    mean_estimate,
    probability_estimate,
    size_estimate,
)
from equipoise.instruments.parts.items import (
    SAME,
    Row,
    asked_rows,
    asked_words,
    leanings,
    log_masses,
    pieces_remarks,
    with_scores,
)
from equipoise.models.capabilities import FILL
from equipoise.models.protocol import LanguageModel
from equipoise.models.questions import Fill
from equipoise.results import Estimate, Quantity, Roles, Summary
from equipoise.results.quantity import TOWARDS
from equipoise.text.languages.en.articles import fix_articles

OCCUPATION, ASSOCIATION = "occupation", "association"
KNOWN = ("definitional", "coreference", "names")
"""The parts of the items: where nothing says who is meant, and where something does."""

NOUN, CAPITALS = "<noun>", "capitals"
TEMPLATES, NOUNS, SENTENCES = (TABLES / f"unseen-{name}.csv" for name in ("templates", "nouns", "sentences"))
FACTORS = ("template", "noun")
UNIT = "(male-female)/(male+female)"

_SIZE = Quantity(
    "mean-size",
    "mean |lean| of a sentence",
    0.05,
    unit=UNIT,
    better="lower",
    factors=FACTORS,
    where={"part": OCCUPATION},
    kind="size",
    ranks=True,
    name="size of the lean beside unseen occupations",
    question="jobs",
    headline=True,
)
_ASSOCIATIONS = replace(
    _SIZE,
    key="mean-size-associations",
    label="mean |lean| of a sentence, other associations",
    factors=("template",),
    where={"part": ASSOCIATION},
    name="size of the lean beside other associations",
)
_CAPITALS = replace(
    _SIZE,
    key="mean-size-capitals",
    label="mean |lean| of a sentence with a capitalised word",
    where={"part": OCCUPATION, "kind": CAPITALS},
    headline=False,
    name="size of the lean beside capitalised words",
)
_LEAN = Quantity(
    "lean",
    "mean lean",
    0.05,
    unit=UNIT,
    factors=FACTORS,
    where={"part": OCCUPATION},
    name="mean lean beside unseen occupations",
    question="jobs",
    sides=TOWARDS,
    compared=False,
)


def _right(part: str) -> Quantity:
    return Quantity(
        f"right-{part}",
        f"right answers, {part}",
        0.02,
        column="right",
        unit="share",
        neutral=0.5,
        better="higher",
        part="guard",
        kind="probability",
        factors=("template",),
        where={"part": part},
        name=f"knows who is meant where the text says it ({part})",
        question="guard",
        scale="half",
        enough=0.6,
        headline=part == KNOWN[0],
    )


class HeldOut:
    """Leans and right answers on sentences that no mitigation learns from."""

    name = "held-out"
    title = "Held-out sentences: leans and knowledge on unprepared text"
    datasets = ("equipoise-unseen",)
    variants = ("per-sentence",)
    needs = (FILL,)
    reads: tuple[str, ...] = ()
    roles = Roles(text=("text",), factors=FACTORS, groups=("part", "kind"))
    quantities = (_SIZE, _ASSOCIATIONS, _CAPITALS, _LEAN, *map(_right, KNOWN))

    def design(self, source: Source, settings: Settings) -> PolarDesign:
        """Every template with every noun, and the sentences that stand by themselves."""
        if not source.is_dataset:
            raise UserError(
                f"held-out measures on its own sentences, but {source.given} was given.",
                "Leave --data out; tbe takes templates of yours.",
            )
        items = pd.concat([crossed(), standing_alone()], ignore_index=True)
        files = (TEMPLATES, NOUNS, SENTENCES)
        return PolarDesign(items=items, files=files, settings=settings, poles=load_poles())

    def ask(self, design: PolarDesign, model: LanguageModel) -> Iterator[Ask]:
        """One blank per item, asked for the pronouns of both poles."""
        for row in asked_rows(design.items):
            yield Ask(row["item"], "blank", Fill(row["text"], asked_words(design.poles.pair_at(row["form"]))))

    def score(self, design: PolarDesign, answers: Answers) -> pd.DataFrame:
        """The lean of every item, and whether it goes to the side that is meant; a tie is half right."""
        first, second = design.poles.pair
        sides = {first: 1.0, second: -1.0}

        def read(row: Row) -> Row:
            answer = answers[row["item"], "blank"]
            lean = leanings(log_masses(design.poles.pair_at(row["form"]), answer))["normalised"]
            own_side = lean * sides.get(row["side"], np.nan)
            right = 0.5 if abs(lean) <= SAME else float(own_side > 0)
            return {
                "score": lean,
                "own_side": own_side,
                "right": right if row["side"] else np.nan,
                "pieces": max(answer.pieces),
            }

        return with_scores(design.items, read)

    def summarise(self, design: PolarDesign, items: pd.DataFrame) -> Summary:
        """Sizes by register and kind, and right answers by part and kind."""
        parts = {part: items[items["part"] == part] for part in (OCCUPATION, ASSOCIATION, *KNOWN)}
        estimates: list[Estimate] = []
        for quantity in (_SIZE, _ASSOCIATIONS):
            spec = Spec.of(quantity)
            for groups, rows in grouped(parts[quantity.where["part"]], "kind"):
                estimates.append(size_estimate(spec.at(groups), rows["score"], rows, quantity.factors))
        capitals = parts[OCCUPATION][parts[OCCUPATION]["kind"] == CAPITALS]
        estimates.append(size_estimate(Spec.of(_CAPITALS), capitals["score"], capitals, FACTORS))
        estimates.append(
            mean_estimate(Spec.of(_LEAN), parts[OCCUPATION]["score"], parts[OCCUPATION], FACTORS)
        )
        for part in KNOWN:
            spec = Spec.of(_right(part))
            for groups, rows in grouped(parts[part], "kind"):
                estimates.append(probability_estimate(spec.at(groups), rows["right"], rows, ("template",)))
        return Summary(estimates, pieces_remarks(items))


def crossed() -> pd.DataFrame:
    """Every template with every noun; its register is its kind."""
    templates = read_table(TEMPLATES, ("register", "form", "template")).to_dict("records")
    nouns = read_table(NOUNS, ("noun",))["noun"]
    rows = [
        {
            "item": f"occupation {number}: {noun}",
            "part": OCCUPATION,
            "kind": row["register"],
            "form": row["form"],
            "side": "",
            "template": f"occupation {number}",
            "noun": noun,
            "text": fix_articles(row["template"].replace(NOUN, noun)),
            "dropped": "",
        }
        for (number, row), noun in product(enumerate(templates, start=1), nouns)
    ]
    return pd.DataFrame(rows)


def standing_alone() -> pd.DataFrame:
    """The sentences without a noun to exchange: associations, and those that say who is meant."""
    table = read_table(SENTENCES, ("part", "kind", "form", "side", "text"))
    names = table["part"] + " " + (table.groupby("part").cumcount() + 1).astype(str)
    columns = ["part", "kind", "form", "side", "text"]
    return table[columns].assign(item=names, template=names, noun="", dropped="")
