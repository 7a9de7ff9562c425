"""Against a baseline: a model fails by everything that `compare` calls worse."""

from collections.abc import Sequence
from math import isnan
from typing import Any

from equipoise.errors import UserError
from equipoise.report.gate.judging import ERROR, FAILED, NOT_JUDGED, PASSED, Outcome, by_model
from equipoise.results import Result
from equipoise.results.comparison import Margins, compare
from equipoise.results.comparison.differences import BETTER, OTHER_SIDE, WORSE

BASELINE = "baseline"
REMARK = f"comparison with the {BASELINE}"


def judge_against(
    baseline: Sequence[Result], results: Sequence[Result], margin: Margins = None
) -> list[Outcome]:
    """One outcome for each quantity that both have, and one for each instrument that only one of them has."""
    if len(by_model(baseline)) > 1:
        names = ", ".join(dict.fromkeys(result.model for result in baseline))
        raise UserError(f"The baseline holds several models: {names}.", "Give the results of one model.")
    model = results[0].model
    known, measured = ([result.instrument for result in held] for held in (baseline, results))
    shared = [result for result in baseline if result.instrument in measured]
    if not shared:
        reason = f"It has {', '.join(known)}, and {', '.join(measured)} was measured now."
        hint = "Measure both with the same instruments."
        return [Outcome(f"no instrument shared with the {BASELINE}", model, ERROR, reason, hint)]
    judged = [result for result in results if result.instrument in known]
    comparison = compare([_told_apart(result, model) for result in shared], judged, margin=margin)
    neutrals = {
        (result.instrument, quantity.key): quantity.neutral
        for result in shared
        for quantity in result.quantities
    }
    rows = comparison.table.to_dict("records")
    outcomes = [_outcome(row, neutrals[row["instrument"], row["quantity"]]) for row in rows]
    remarks = [Outcome(REMARK, model, NOT_JUDGED, note.removesuffix(".")) for note in comparison.notes]
    return outcomes + _not_judged(model, known, measured) + remarks


def _not_judged(model: str, known: Sequence[str], measured: Sequence[str]) -> list[Outcome]:
    """What cannot be set beside anything: new instruments are told, lacking ones never pass."""
    lacking, hint = "it was not measured now", f"Measure it too, or give a {BASELINE} without it."
    new = f"the {BASELINE} was not measured by it"
    return [
        *(Outcome(_rule(name), model, ERROR, lacking, hint) for name in known if name not in measured),
        *(Outcome(_rule(name), model, NOT_JUDGED, new) for name in measured if name not in known),
    ]


def _rule(instrument: str) -> str:
    return f"{instrument} against {BASELINE}"


def _told_apart(result: Result, model: str) -> Result:
    """The baseline under a name of its own: the next version of a model often lies in the same folder."""
    return result.renamed(f"{model} ({BASELINE})") if result.model == model else result


def _outcome(row: dict[str, Any], neutral: float) -> Outcome:
    numbers = f"{row['first_value'] + 0.0:.4g} to {row['second_value'] + 0.0:.4g}"
    name = f"{row['instrument']}, {row['label']} against {BASELINE}"
    if row["void"]:
        reason = f"{numbers}: not meaningful, because {row['void']}"
        hint = "Measure a model that can do the task, or give a baseline without this instrument."
        return Outcome(name, row["second"], ERROR, reason, hint)
    if isnan(row["low"]):
        reason = f"{numbers}: the difference has no interval, because there are too few clusters."
        return Outcome(name, row["second"], ERROR, reason, "Measure both models with more items.")
    interval = f"difference {row['low'] + 0.0:+.4g} to {row['high'] + 0.0:+.4g}"
    state = FAILED if _is_worse(row, neutral) else PASSED
    return Outcome(name, row["second"], state, f"{numbers}, {interval}: {_words(row)}")


def _is_worse(row: dict[str, Any], neutral: float) -> bool:
    """Worse by the verdict, or now leaning the other way at least as far."""
    if row["change"] == OTHER_SIDE:
        return bool(abs(row["second_value"] - neutral) >= abs(row["first_value"] - neutral))
    return bool(row["change"] == WORSE)


def _words(row: dict[str, Any]) -> str:
    verdict, change = str(row["verdict"]), str(row["change"])
    return f"{verdict}, {change}" if change in (BETTER, WORSE) else verdict
