"""Reminders: does a model keep what is gendered by definition when reminding sentences are added?

Table 5 of the thesis: counterfactual fine-tuning flattens *pregnant* and *breastfeed* along with professions;
50 sentences, once, twice and three times, bring part of it back (-0.41 before, -0.12 after, -0.09, -0.22 and
-0.25 with reminders; the step from none to one is within what another seed would give).
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields

import pandas as pd

from equipoise.corpora.named import CorpusTexts
from equipoise.instruments.base import Settings
from equipoise.mitigations.counterfactual import Counterfactual
from equipoise.mitigations.reminders import Reminders
from equipoise.models.base import LanguageModel
from equipoise.results.numbers import fixed
from equipoise.studies.arms import BASE, SEEDS, Arm, Shown, auditing, run_arms, steps_of
from equipoise.studies.steps import Keeping, Plan

COPIES = (0, 1, 2, 3)
SHOWN = (
    Shown("tbe", "mean-abs-appd"),
    Shown("tbe", "guard", ("", "category", "profession")),
    Shown("tbe", "guard-share", ("", "category")),
    Shown("tbe", "guard-appd", ("gender", "category x gender")),
)


@dataclass(frozen=True)
class RemindersStudy:
    """APPD by category, guard and bias for every number of copies, with the noise of the seeds."""

    table: pd.DataFrame
    differences: pd.DataFrame
    sentences: list[str]


def reminders_study(
    model: LanguageModel,
    corpus: CorpusTexts,
    *,
    method: Counterfactual | None = None,
    seeds: Sequence[int] = SEEDS,
    tbe: Settings | None = None,
    keeping: Keeping | None = None,
) -> RemindersStudy:
    """Tune on the rewritten corpus with the reminding sentences none to three times, and measure."""
    chosen = method or Counterfactual()
    arms = [Arm(BASE), *(Arm(f"copies-{copies}", with_copies(chosen, copies), corpus) for copies in COPIES)]
    settings = {"model": model.fingerprint, "corpus": corpus.digest, "method": chosen, "seeds": list(seeds)}
    settings |= {"data": "" if tbe is None else str(tbe.data)}
    plan = Plan(
        "reminders", "Reminding sentences, none to three times", settings, steps_of(arms, seeds, model)
    )
    study = (keeping or Keeping()).begin(plan)
    measure = auditing(("tbe",), {"tbe": tbe or Settings()})
    runs = run_arms(study, model, arms, seeds, measure)
    table, differences = runs.table(SHOWN), runs.differences(BASE)
    sentences = _in_words(table)
    study.finish(sentences, {"reminders.csv": table, "differences.csv": differences})
    return RemindersStudy(table, differences, sentences)


def with_copies(method: Counterfactual, copies: int) -> Reminders:
    """The same training with reminding sentences."""
    known = {field.name for field in fields(Reminders)}
    return Reminders(
        **{name: value for name, value in asdict(method).items() if name in known}, copies=copies
    )


def _in_words(table: pd.DataFrame) -> list[str]:
    rows = table[table["key"].isin(("guard", "mean-abs-appd")) & (table["by"] == "")]
    said = []
    for arm, group in rows.groupby("arm", sort=False):
        values = [
            f"{row['label']} {fixed(row['mean'], 2)}"
            + (f" (seeds: {fixed(row['seed_sd'], 2)})" if row["seeds"] > 1 else "")
            for row in group.to_dict("records")
        ]
        said.append(f"{arm}: {', '.join(values)}.")
    return said
