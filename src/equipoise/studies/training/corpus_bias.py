"""What corpora would teach a model: tune a flattened model on each of them and measure what comes back.

The corpus study of the thesis (its section 5.2, Table 4): the model is first tuned on a rewritten corpus,
then on each corpus as it is; the sentence-based evaluation tells how far the corpora move it. No labels are
needed. Added here: several seeds, each with other sentences of every corpus, so that intervals are over both;
a control corpus, the sentences of the same corpora that name nobody's gender, which should move nothing; and
beside it what counting alone says of the corpora.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import pandas as pd

from equipoise.corpora.cooccurrence import Moments, cooccurrence_table, mentions_table
from equipoise.corpora.counting import count_block
from equipoise.corpora.documents import Document, Problems
from equipoise.corpora.opening import CorpusTexts
from equipoise.corpora.vocabulary import Vocabulary, gendered_words, load_targets
from equipoise.errors import UserError
from equipoise.mitigations.counterfactual import Counterfactual
from equipoise.models.protocol import LanguageModel
from equipoise.results.records import shown, three_decimals
from equipoise.studies.papers.published import with_published
from equipoise.studies.steps import Keeping, Plan, Step, StudyRun
from equipoise.studies.training.arms import (
    BASE,
    Arm,
    ArmRuns,
    Shown,
    Trial,
    auditing,
    refuse_names,
    run_arms,
    steps_of,
)
from equipoise.text.rewriting import Rewriter
from equipoise.text.sentences import sentence_spans

FLATTENED, CONTROL = "flattened", "no-gender-control"
SHOWN = tuple(Shown("sbe", key, ("", "category")) for key in ("asld", "mean-sld", "prefers-stereotype"))
WINDOW = 10


@dataclass(frozen=True)
class CorpusBias:
    """How far each corpus moved the flattened model, and what counting its words suggests."""

    table: pd.DataFrame
    counts: pd.DataFrame
    differences: pd.DataFrame
    sentences: list[str]


def corpus_bias(
    model: LanguageModel,
    corpora: Mapping[str, CorpusTexts],
    flattening: CorpusTexts,
    *,
    trial: Trial | None = None,
    keeping: Keeping | None = None,
) -> CorpusBias:
    """Flatten the model on a rewritten corpus, tune it on each corpus and on the control, and measure."""
    refuse_names(corpora, {BASE, FLATTENED, CONTROL, "counting", "flattening"})
    trial = trial or Trial()
    chosen, seeds = trial.method or Counterfactual(sentences=500), trial.seeds
    plain = replace(chosen, mode="unchanged")
    arms = [Arm(name, plain, texts) for name, texts in corpora.items()]
    arms.append(Arm(CONTROL, plain, without_gender(corpora)))
    first = Arm(FLATTENED, replace(chosen, mode="substitute"), flattening)
    settings = {"model": model.fingerprint, "flattening": flattening.digest, "method": chosen}
    settings |= {"corpora": {arm.name: arm.corpus.digest for arm in arms if arm.corpus}, **trial.record()}
    steps = [
        *steps_of([Arm(BASE)], (), model),
        Step("counting", "Count who is mentioned near which words", 10),
        Step("flattening", "Tune on the rewritten corpus", steps_of([first], (0,), model)[0].seconds),
        Step(FLATTENED, "Measure the flattened model", 60),
        *steps_of(arms, seeds, model),
    ]
    study = (keeping or Keeping()).begin(Plan("corpus-bias", "What corpora teach", settings, steps))
    return _run(study, model, (first, arms), trial, corpora)


def _run(
    study: StudyRun,
    model: LanguageModel,
    arms: tuple[Arm, list[Arm]],
    trial: Trial,
    corpora: Mapping[str, CorpusTexts],
) -> CorpusBias:
    measure = auditing(("sbe",), {"sbe": trial.settings})
    base = study.results(BASE, lambda: measure(model))
    counts = study.table("counting", lambda: counted(corpora))
    flat = _flattened(study, model, arms[0])
    zero = study.results(FLATTENED, lambda: measure(flat))
    tuned = run_arms(study, flat, arms[1], trial.seeds, measure)
    runs = ArmRuns({FLATTENED: {0: zero}, BASE: {0: base}, **tuned.by_arm})
    table = runs.table(SHOWN).merge(counts, left_on="arm", right_on="corpus", how="left")
    table = with_published(table.drop(columns="corpus"), "corpus-bias")
    differences = runs.differences(FLATTENED)
    sentences = _in_words(table)
    study.finish(sentences, {"corpus-bias.csv": table, "counts.csv": counts, "differences.csv": differences})
    return CorpusBias(table, counts, differences, sentences)


def _flattened(study: StudyRun, model: LanguageModel, arm: Arm) -> LanguageModel:
    """The model that all corpora start from, kept in the study's folder where there is one."""
    from equipoise.mitigating import mitigate
    from equipoise.models.loading import load_model

    assert arm.mitigation is not None
    given = {"corpus": arm.corpus, "workshop": study.workshop("flattening")}
    if study.folder is None:
        return mitigate(model, arm.mitigation, **given).model  # type: ignore[arg-type]

    def write(room: Path) -> None:
        mitigate(model, arm.mitigation, **given).save(room / "model")  # type: ignore[arg-type]

    folder = study.folder_of("flattening", write)
    return load_model(folder / "model", model.options)


def without_gender(corpora: Mapping[str, CorpusTexts]) -> CorpusTexts:
    """The sentences of all corpora in which nothing is gendered: text that should teach nothing."""
    rewriter = Rewriter("invert")
    kept: list[Document] = []
    for name, corpus in corpora.items():
        for document in corpus.documents:
            spans = sentence_spans(document.text)
            pieces = [document.text[start:end] for start, end in spans]
            plain = [
                piece
                for piece, one in zip(pieces, rewriter.rewrite_many(pieces), strict=True)
                if not one.changes and not one.skipped
            ]
            if plain:
                kept.append(document._replace(id=f"{name}: {document.id}", text=" ".join(plain)))
    if not kept:
        raise UserError(
            "Every sentence of the corpora names a gender. The study also needs sentences without gender, as "
            "a control.",
            "Add whole documents, not only sentences that were chosen for their gendered words.",
        )
    return CorpusTexts(tuple(kept), CONTROL, Problems())


def counted(corpora: Mapping[str, CorpusTexts]) -> pd.DataFrame:
    """What counting says: the share of women among those mentioned, and how far words lean on average."""
    targets = load_targets(None)
    vocabulary = Vocabulary(targets, gendered_words())
    rows = []
    for name, corpus in corpora.items():
        moments = Moments(len(targets.items))
        moments.add(corpus.documents, count_block([one.text for one in corpus.documents], vocabulary, WINDOW))
        mentions = mentions_table(moments).iloc[0]
        leans = cooccurrence_table(moments, targets)["log_odds"].abs()
        rows.append(
            {
                "corpus": name,
                "documents": len(corpus.documents),
                "share_women": float(mentions["share_women"]),
                "mean_abs_log_odds": float(leans.mean()),
                "words_counted": int(leans.notna().sum()),
            }
        )
    return pd.DataFrame(rows)


def _in_words(table: pd.DataFrame) -> list[str]:
    whole = table[(table["key"] == "asld") & (table["by"] == "")]
    values = {row["arm"]: row for row in whole.to_dict("records")}
    said = [
        f"Before: ASLD {shown(values[BASE]['mean'])} nats; flattened: {shown(values[FLATTENED]['mean'])}."
    ]
    noise = values[CONTROL]["change"]
    for arm, row in values.items():
        if arm in (BASE, FLATTENED):
            continue
        spread = f", sd over seeds {shown(row['seed_sd'])}" if row["seeds"] > 1 else ""
        change = three_decimals(row["change"], sign=True)
        said.append(f"{arm}: {shown(row['mean'])} ({change} from flattened{spread}).")
    return [
        *said,
        f"Text that names no gender moves it by {three_decimals(noise, sign=True)}: "
        "read the others against that.",
    ]
