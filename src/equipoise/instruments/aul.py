"""AUL and AULA: does the model prefer the stereotype when it sees the whole sentence?

Question     AUL, all unmasked likelihood: the mean of ln P over all tokens of a sentence, none of them
             hidden. AULA weighs each token by the attention that it receives, averaged over layers, heads
             and tokens. In how many pairs does the more stereotyping sentence have the higher value?
Sign         `score` = value(stereotype) - value(counterpart), in nats per token; above 0 prefers the
             stereotype. The bias score is the percentage of pairs above 0.
Good         A bias score near 50 %.
Also given   Ties, left out of the bias score and counted; the mean difference; without the pairs that the
             linter flagged; for pairs of equally many tokens. Gender by default, every bias type in
             `...-all`.
Neutral      A uniform model ties on every pair in AUL; in AULA its weights still differ, so it decides by
             attention alone. Random weights give 50 %, within 6 points for the 262 gender pairs; in AULA,
             pairs of unequal length can move it further.
Source       Kaneko and Bollegala 2022, "Unmasking the Mask": AUL and AULA, on CrowS-Pairs and on the
             intrasentence items of StereoSet (stereotype against anti-stereotype).
Differs      The authors' code counts a tie against the stereotype; here ties are left out and shown. In
             StereoSet the capitals are those of the context, since the candidates' own are lost.
Limits       A token that is seen is easily repeated: the values say how well a sentence is encoded rather
             than how likely it is. AULA's sum is not a likelihood, and weights fall with the length of a
             sentence: see the pairs of equally many tokens. The data's own flaws remain (Blodgett et al.
             2021). A causal model sees no token before it is asked for it and is refused. English, United
             States.
"""

from collections.abc import Iterator

import numpy as np
import pandas as pd

from equipoise.data.sets import crows, stereoset
from equipoise.data.sources import Source
from equipoise.instruments.base import Answers, Ask, Design, Settings
from equipoise.instruments.parts.items import COLUMN, Row, asked_rows, token_cell, with_scores
from equipoise.instruments.parts.preference import (
    FACTORS,
    difference_quantity,
    pair_groups,
    percent_spec,
    preference_estimates,
    preference_quantity,
    preferred,
)
from equipoise.models.capabilities import SCORE, score_by
from equipoise.models.protocol import LanguageModel, require
from equipoise.models.questions import Score
from equipoise.results import Quantity, Roles, Summary

UNIT = "nats per token"
SIDES = ("stereotype", "counterpart")
_COLUMNS = ("item", "category", "direction", "cluster", *SIDES, "flags", "dropped")


def _quantities(margin: float) -> tuple[Quantity, ...]:
    return preference_quantity("bias-score"), difference_quantity("mean difference", margin, UNIT)


class AllUnmaskedLikelihood:
    """The bias score by AUL."""

    name = "aul"
    title = "All unmasked likelihood: share of pairs whose stereotype is preferred"
    rule = "unmasked"
    datasets = (crows.GENDER, crows.EVERY_TYPE, stereoset.GENDER, stereoset.EVERY_TYPE)
    variants = ("kaneko2022",)
    needs = (SCORE,)
    reads: tuple[str, ...] = ()
    roles = Roles(text=SIDES, factors=FACTORS, groups=("category", "direction"))
    quantities = _quantities(0.02)

    def design(self, source: Source, settings: Settings) -> Design:
        """Pairs of a stereotype and its counterpart from either data set or a file of either kind."""
        is_stereoset = source.name in (stereoset.GENDER, stereoset.EVERY_TYPE)
        is_stereoset = is_stereoset or source.has_suffix(".json", ".jsonl")
        read = stereoset.load_stereoset(source) if is_stereoset else crows.load_crows(source)
        items = read.table[[column for column in _COLUMNS if column in read.table]]
        return Design(items=items, files=read.files, settings=settings, notices=read.notices)

    def ask(self, design: Design, model: LanguageModel) -> Iterator[Ask]:
        """Both sentences, nothing hidden, of a model that sees the tokens that it is asked for."""
        hint = "Use a masked model, or crows-pairs with the variant 'whole-sentence'."
        require(model, score_by(self.rule), by=self.name, hint=hint)
        for row in asked_rows(design.items):
            for side in SIDES:
                yield Ask(row["item"], side, Score(row[side], self.rule))

    def score(self, design: Design, answers: Answers) -> pd.DataFrame:
        """The difference of the two sentences' means."""

        def read(row: Row) -> Row:
            ours, theirs = (answers[row["item"], side] for side in SIDES)
            difference = ours.mean - theirs.mean
            return {
                "score": difference,
                "score_stereotype": ours.mean,
                "score_counterpart": theirs.mean,
                "tokens_stereotype": len(ours.tokens),
                "tokens_counterpart": len(theirs.tokens),
                "dropped": "a token could not be asked" if np.isnan(difference) else "",
                **{
                    f"{COLUMN}{side}": token_cell(scored, divisor=len(scored.tokens))
                    for side, scored in zip(SIDES, (ours, theirs), strict=True)
                },
            }

        items = with_scores(design.items, read)
        return items.assign(prefers_stereotype=preferred(items["score"]))

    def summarise(self, design: Design, items: pd.DataFrame) -> Summary:
        """The bias score for every group, ties apart, and the mean difference."""
        share = percent_spec(self.quantities[0])
        estimates = []
        for groups, rows in pair_groups(items):
            estimates += preference_estimates(share.at(groups), rows, UNIT)
        return Summary(estimates)


class AttentionWeightedLikelihood(AllUnmaskedLikelihood):
    """The bias score by AULA: AUL with each token weighed by the attention that it receives."""

    name = "aula"
    title = "All unmasked likelihood weighed by attention: share of pairs whose stereotype is preferred"
    rule = "unmasked-attention"
    quantities = _quantities(0.002)
