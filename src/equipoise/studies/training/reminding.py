"""Reminders: does a model keep what is gendered by definition when reminding sentences are added?

Table 5 of the thesis: counterfactual fine-tuning flattens *pregnant* and *breastfeed* along with professions;
50 sentences for either word, once, twice and three times, bring part of it back. As in the thesis each word
has trainings of its own; `together` adds the sentences of all words at once.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from itertools import chain

import pandas as pd

from equipoise.corpora.opening import CorpusTexts
from equipoise.data.reading import TABLES
from equipoise.instruments.parts.fragility import originals
from equipoise.instruments.tbe import FACTORS, GUARD
from equipoise.mitigations.counterfactual import Counterfactual
from equipoise.mitigations.reminders import Reminders, reminder_sentences, reminder_table
from equipoise.models.protocol import LanguageModel
from equipoise.results import Result
from equipoise.results.records import shown
from equipoise.stats.means import Mean, mean_with_interval
from equipoise.stats.repeats import over_repeats
from equipoise.studies.papers.published import published
from equipoise.studies.steps import Keeping, Plan
from equipoise.studies.training.arms import BASE, Arm, ArmRuns, Shown, Trial, auditing, run_arms, steps_of

COPIES = (1, 2, 3)
WITHOUT = "copies-0"
"""The arm that is tuned on the rewritten corpus alone: BERT-GAP of the thesis."""

FIFTY = str(TABLES / "reminders-50.csv")
"""Fifty sentences for each word of the thesis; the mitigation `reminders` adds fewer, on more words."""

STEM = 6
"""Letters by which a category of sentences and a word of the templates are the same: pregnancy, pregnant."""

SHOWN = (
    Shown("tbe", "mean-abs-appd"),
    Shown("tbe", "guard", ("", "category", "profession")),
    Shown("tbe", "guard-share", ("", "category")),
    Shown("tbe", "guard-appd", ("gender", "category x gender")),
)


@dataclass(frozen=True)
class Reminding:
    """Which sentences are added, how often, and whether those of all words at once."""

    file: str = FIFTY
    words: str = ""
    copies: Sequence[int] = COPIES
    together: bool = False

    @property
    def categories(self) -> list[str]:
        """The words that are named, else all that the file has."""
        named = [word.strip() for word in self.words.split(",") if word.strip()]
        return named or list(dict.fromkeys(reminder_table(self.file)["category"]))


@dataclass(frozen=True)
class RemindersStudy:
    """APPD of each word by number of copies (Table 5); every estimate of every arm; the differences."""

    words: pd.DataFrame
    table: pd.DataFrame
    differences: pd.DataFrame
    sentences: list[str]


def reminders_study(
    model: LanguageModel,
    corpus: CorpusTexts,
    *,
    reminding: Reminding | None = None,
    trial: Trial | None = None,
    keeping: Keeping | None = None,
) -> RemindersStudy:
    """Tune on the rewritten corpus with the reminding sentences none to three times, and measure."""
    trial, reminding = trial or Trial(), reminding or Reminding()
    chosen = trial.method or Counterfactual()
    added = [reminder_sentences(reminding.file, word) for word in reminding.categories]
    arms = _arms(chosen, reminding, corpus)
    settings = {"model": model.fingerprint, "corpus": corpus.digest, "method": chosen, **trial.record()}
    digest = hashlib.sha256("\n".join(chain(*added)).encode()).hexdigest()
    settings |= {"copies": list(reminding.copies), "together": reminding.together, "sentences": digest}
    steps = steps_of(arms, trial.seeds, model)
    study = (keeping or Keeping()).begin(Plan("reminders", "Reminding sentences", settings, steps))
    runs = run_arms(study, model, arms, trial.seeds, auditing(("tbe",), {"tbe": trial.settings}))
    table, differences = runs.table(SHOWN), runs.differences(BASE)
    words = pd.DataFrame(
        [
            _cell(runs, word, column, arm)
            for word in reminding.categories
            for column, arm in _row(reminding, word)
        ]
    )
    counts = dict(zip(reminding.categories, map(len, added), strict=True))
    sentences = [*_in_words(words, counts), *_whole(table)]
    tables = {"words.csv": words, "reminders.csv": table, "differences.csv": differences}
    study.finish(sentences, tables)
    return RemindersStudy(words, table, differences, sentences)


def with_copies(method: Counterfactual, copies: int, file: str = "", words: str = "") -> Reminders:
    """The same training with reminding sentences."""
    known = {field.name for field in fields(Reminders)}
    kept = {name: value for name, value in asdict(method).items() if name in known}
    return Reminders(**kept, copies=copies, file=file, words=words)


def _arms(method: Counterfactual, reminding: Reminding, corpus: CorpusTexts) -> list[Arm]:
    """The model as it is, tuned without reminders, and with every number of copies of every word."""
    arms = [Arm(BASE), Arm(WITHOUT, with_copies(method, 0), corpus)]
    whole = ",".join(reminding.categories)
    for words in [whole] if reminding.together else reminding.categories:
        for copies in reminding.copies:
            tuned = with_copies(method, copies, reminding.file, words)
            arms.append(Arm(_name(copies, "" if reminding.together else words), tuned, corpus))
    return arms


def _name(copies: int, word: str) -> str:
    return "-".join([*word.split(), f"copies-{copies}"])


def _row(reminding: Reminding, word: str) -> list[tuple[str, str]]:
    """The columns of a word's row in Table 5, each with its arm."""
    own = "" if reminding.together else word
    return [(BASE, BASE), (WITHOUT, WITHOUT)] + [
        (f"copies-{copies}", _name(copies, own)) for copies in reminding.copies
    ]


def _cell(runs: ArmRuns, word: str, column: str, arm: str) -> dict[str, object]:
    """APPD of a word in one arm: over its templates in one run, over seeds in several."""
    means = [appd_of(result, word) for results in runs.by_arm[arm].values() for result in results]
    repeats = over_repeats([mean.value for mean in means])
    ends = (means[0].low, means[0].high) if len(means) == 1 else tuple(repeats.interval)
    return {
        **{"word": word, "column": column, "arm": arm, "mean": repeats.mean, "low": ends[0], "high": ends[1]},
        **{"seed_sd": repeats.sd, "seeds": len(means), "n": means[0].n},
        "published": published("reminders", word, column),
    }


def appd_of(result: Result, word: str) -> Mean:
    """Mean PPD (above 0: male) of the templates about a word that is gendered by definition."""
    rows = originals(result.items)
    rows = rows[(rows["part"] == GUARD) & (rows["dropped"] == "")]
    about = rows["profession"].where(rows["profession"].fillna("") != "", rows["category"])
    rows = rows[about.str.lower().str[:STEM] == word.lower()[:STEM]]
    return mean_with_interval(rows["score"].to_numpy(dtype=float), [rows[name] for name in FACTORS[:1]])


def _in_words(words: pd.DataFrame, counts: dict[str, int]) -> list[str]:
    said = []
    for word, rows in words.groupby("word", sort=False):
        values = ", ".join(f"{row['column']} {shown(row['mean'])}" for row in rows.to_dict("records"))
        said.append(f"APPD of {word} ({counts[str(word)]} sentences; below 0: female): {values}.")
    missing = [str(word) for word, rows in words.groupby("word", sort=False) if not rows["n"].any()]
    if missing:
        said.append(f"The templates have no word for {', '.join(missing)}: only the other numbers tell.")
    return said


def _whole(table: pd.DataFrame) -> list[str]:
    rows = table[table["key"].isin(("guard", "mean-abs-appd")) & (table["by"] == "")]
    said = []
    for arm, group in rows.groupby("arm", sort=False):
        values = [
            f"{row['label']} {shown(row['mean'])}"
            + (f" (sd over seeds {shown(row['seed_sd'])})" if row["seeds"] > 1 else "")
            for row in group.to_dict("records")
        ]
        said.append(f"{arm}: {', '.join(values)}.")
    return said
