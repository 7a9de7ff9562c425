"""AUL and AULA: does the model find the stereotype likelier when it sees the whole sentence?

Question     AUL, all unmasked likelihood: the mean of ln P over all tokens of a sentence, none of them
             hidden. AULA weighs each token by the attention that it receives, averaged over layers, heads
             and tokens. In how many pairs does the more stereotyping sentence have the higher value?
Sign         `score` = value(stereotype) - value(counterpart), in nats per token; above 0 prefers the
             stereotype. The bias score is the percentage of pairs above 0.
Good         A bias score near 50 %.
Beside it    Ties, left out of the bias score and counted; the mean difference; without the pairs that the
             linter flagged; for pairs of equally many tokens. Gender by default, every bias type in
             `...-all`.
Zero         A uniform model ties on every pair in AUL; in AULA its weights still differ, so it decides by
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

from collections.abc import Sequence

import numpy as np
import pandas as pd

from equipoise.data import crows, stereoset
from equipoise.instruments.base import Comparable, ItemSet, Label, Settings, mean_estimate
from equipoise.instruments.preference import (
    check_rule,
    flag_notices,
    pair_groups,
    preference_estimate,
    preferred,
    source_file,
    tie_estimate,
)
from equipoise.models.base import LanguageModel, Question, Score, TokenScores
from equipoise.results import Estimate

CROWS, STEREOSET, EVERY_TYPE = "crows-pairs", "stereoset", "-all"
UNIT = "nats per token"


class AllUnmaskedLikelihood:
    """The bias score by AUL."""

    name = "aul"
    title = "All unmasked likelihood: share of pairs whose stereotype is preferred"
    rule = "unmasked"
    datasets = (CROWS, CROWS + EVERY_TYPE, STEREOSET, STEREOSET + EVERY_TYPE)
    variants = ("kaneko2022",)
    needs = (Score,)
    comparable = Comparable(clusters="cluster", margin=0.02, unit=UNIT)

    def items(self, settings: Settings) -> ItemSet:
        """Pairs of a stereotype and its counterpart from either data set or a file of either kind."""
        bias_type = "gender" if settings.data in (CROWS, STEREOSET) else ""
        if settings.data in self.datasets[2:] or settings.data.endswith((".json", ".jsonl")):
            path = source_file(settings, self.datasets, STEREOSET, stereoset.FILE)
            table = stereoset.read_stereoset(path, bias_type=bias_type)
            table = table.rename(columns={"antistereotype": "counterpart", "target": "cluster"})
            flags = stereoset.FLAGS
        else:
            path = source_file(settings, self.datasets, CROWS, crows.FILE)
            table = crows.read_crows(path, bias_type=bias_type)
            table = table.rename(columns={"sent_more": "stereotype", "sent_less": "counterpart"})
            flags = crows.FLAGS
        columns = ["item", "bias_type", "direction", "cluster", "stereotype", "counterpart", "flags"]
        kept = table[[column for column in columns if column in table]]
        return ItemSet(kept.assign(dropped=""), (path,), flag_notices(table, flags))

    def questions(self, items: pd.DataFrame, settings: Settings) -> list[Question]:
        """Both sentences, nothing hidden."""
        pairs = zip(items["stereotype"], items["counterpart"], strict=True)
        return [Score(text, self.rule) for pair in pairs for text in pair]

    def questions_for(self, model: LanguageModel, items: pd.DataFrame, settings: Settings) -> list[Question]:
        """The same, once it is clear that the model sees the tokens that it is asked for."""
        hint = "Use a masked model, or crows-pairs with the variant 'whole-sentence'."
        check_rule(model, self.rule, what=self.name, hint=hint)
        return self.questions(items, settings)

    def scored(self, items: pd.DataFrame, answers: Sequence[TokenScores], settings: Settings) -> pd.DataFrame:
        """The difference of the two sentences' means."""
        more, less = ([one.mean for one in answers[side::2]] for side in (0, 1))
        scored = items.drop(columns="dropped").assign(
            score=np.subtract(more, less),
            score_more=more,
            score_less=less,
            tokens_more=[len(one.tokens) for one in answers[::2]],
            tokens_less=[len(one.tokens) for one in answers[1::2]],
        )
        scored["prefers_stereotype"] = preferred(scored["score"])
        scored["dropped"] = np.where(scored["score"].isna(), "a token could not be asked", "")
        return scored

    def estimates(self, items: pd.DataFrame, settings: Settings) -> list[Estimate]:
        """The bias score for every group, ties apart, and the mean difference."""
        found = []
        for group, rows in pair_groups(items).items():
            found.append(preference_estimate("bias score", group, rows["score"]))
            found.append(tie_estimate(group, rows["score"]))
            label = Label("mean difference", group, unit=UNIT)
            found.append(mean_estimate(label, rows["score"], rows["cluster"], seed=settings.seed))
        return found


class AttentionWeightedLikelihood(AllUnmaskedLikelihood):
    """The bias score by AULA: AUL with each token weighed by the attention that it receives."""

    name = "aula"
    title = "All unmasked likelihood weighed by attention: share of pairs whose stereotype is preferred"
    rule = "unmasked-attention"
    comparable = Comparable(clusters="cluster", margin=0.002, unit=UNIT)
