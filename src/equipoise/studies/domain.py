"""A domain: what tuning on your own text does to the gender a model expects there, and what mitigates it.

The design of Deng and Breuch (news, Figs. 6 to 12): the model as it is, tuned on the text, tuned with more
dropout, tuned on rewritten text; measured by `contexts` and `cosine` on held-out text, by category of target
words and by groups of the corpus. Mended here: documents, not sentences, are split (80 to train, 10 to
validate, 10 to measure); several seeds; and differences of differences, against tuning on the unchanged text,
because tuning alone moves the numbers too.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from functools import partial

import pandas as pd

from equipoise.corpora.documents import Document
from equipoise.corpora.opening import CorpusChoice, CorpusTexts
from equipoise.data.reading import file_sha256
from equipoise.errors import UserError
from equipoise.instruments.base import Settings
from equipoise.mitigations.base import TextTuned
from equipoise.mitigations.counterfactual import Counterfactual
from equipoise.mitigations.dropout import Dropout
from equipoise.mitigations.networks import masked_model
from equipoise.mitigations.training.examples import split_documents
from equipoise.mitigations.training.running import LEARNT
from equipoise.models.protocol import LanguageModel
from equipoise.results.numbers import fixed
from equipoise.studies.arms import BASE, SEEDS, TRAINING, Arm, Shown, auditing, run_arms, steps_of
from equipoise.studies.domain_tables import LOSS, change_table, gender_table, loss_table, word_table
from equipoise.studies.steps import Keeping, Plan

TUNED, DROPPED, REWRITTEN = "fine-tuned", "dropout", "counterfactual"
MEASURED, VALIDATED = 0.1, 1 / 9
"""A tenth is measured; of the rest a ninth, a tenth of all, tells how the training goes."""

FEWEST = 20
ASKED = CorpusChoice(sample=500)
KEYS = ("difference", "p-male", "p-female")


@dataclass(frozen=True)
class DomainStudy:
    """Every arm by category and group, the change from the model as it is and from plain tuning."""

    table: pd.DataFrame
    differences: pd.DataFrame
    sentences: list[str]
    tables: Mapping[str, pd.DataFrame]
    """In the form of the paper: losses, probabilities, changes, words; and every training step by step."""


def domain(
    model: LanguageModel,
    corpus: CorpusTexts,
    *,
    method: Counterfactual | None = None,
    seeds: Sequence[int] = SEEDS,
    asked: CorpusChoice = ASKED,
    keeping: Keeping | None = None,
) -> DomainStudy:
    """Split, tune in three ways and measure on held-out text; `asked` says which contexts of it."""
    refuse_small(corpus)
    chosen = replace(method or Counterfactual(), validation=VALIDATED)
    kept, held = split_documents(corpus.documents, MEASURED, seed=0)
    texts = replace(corpus, documents=tuple(kept))
    arms = [Arm(BASE), *(Arm(name, one, texts) for name, one in ways(chosen).items())]
    settings = {"model": model.fingerprint, "corpus": corpus.digest, "method": chosen, "seeds": list(seeds)}
    settings |= {"contexts": asked}
    files = [*chosen.files, *([asked.targets] if asked.targets else [])]
    settings |= {"files": {path.name: file_sha256(path) for path in files}}
    study = (keeping or Keeping()).begin(
        Plan(
            "domain", "A domain: held-out text by category and group", settings, steps_of(arms, seeds, model)
        )
    )
    held_out = _held_out(held, asked)
    measure = auditing(("contexts", "cosine"), {"contexts": held_out, "cosine": held_out})
    runs = run_arms(study, model, arms, seeds, measure, partial(_losses, held=held, settings=chosen))
    table = with_control(runs.table(_shown(held)))
    differences = runs.differences(TUNED)
    tables = {
        "losses": loss_table(runs),
        "probabilities": gender_table(table),
        "changes": change_table(runs, tuple(held[0].groups)),
        "words": word_table(runs),
        "training": runs.joined(TRAINING),
    }
    sentences = [
        f"{len(kept):,} documents to train and validate, {len(held):,} to measure.",
        *_losses_in_words(tables["losses"]),
        *_in_words(table),
    ]
    written = {**tables, "domain": table, "differences": differences}
    study.finish(sentences, {f"{name}.csv": one for name, one in written.items()})
    return DomainStudy(table, differences, sentences, tables)


def refuse_small(corpus: CorpusTexts) -> None:
    """Refuse a corpus that cannot be split, before a model is loaded."""
    count = len({document.id for document in corpus.documents})
    if count < FEWEST:
        raise UserError(
            f"{corpus.name} has {count} documents, too few to split into 80 %, 10 % and 10 %.",
            f"Give a corpus of at least {FEWEST} documents; a plain text can be cut with --split.",
        )


def _losses(
    model: LanguageModel, *, held: Sequence[Document], settings: Counterfactual
) -> dict[str, pd.DataFrame]:
    from equipoise.mitigations.training.held_out import masked_losses

    return {LOSS: masked_losses(masked_model(model, "domain"), held, settings)}


def ways(method: Counterfactual) -> dict[str, TextTuned]:
    """Plain tuning, the same with more dropout, and on rewritten text."""
    known = {field.name for field in fields(Dropout)}
    shared = {name: value for name, value in asdict(method).items() if name in known}
    return {
        TUNED: replace(method, mode="unchanged"),
        DROPPED: Dropout(**shared, attention=0.2, hidden=0.2),
        REWRITTEN: method,
    }


def with_control(table: pd.DataFrame) -> pd.DataFrame:
    """The difference of differences: an arm's change less the change that plain tuning makes."""
    key = ["instrument", "key", "by", "level"]
    tuned = table[table["arm"] == TUNED].set_index(key)["change"]
    control = tuned.reindex(pd.MultiIndex.from_frame(table[key])).to_numpy()
    beyond = (table["change"] - control).where(~table["arm"].isin((BASE, TUNED)))
    return table.assign(beyond_tuning=beyond)


def _held_out(held: Sequence[Document], asked: CorpusChoice) -> Settings:
    """The held-out documents as a table; they were cleaned and put into groups when they were read."""
    groups = tuple(held[0].groups)
    rows = [{"id": document.id, "text": document.text, **document.groups} for document in held]
    plain = replace(asked, text="text", document="id", split=None, clean=False, groups_file=None)
    return Settings(data=pd.DataFrame(rows), corpus=replace(plain, groups=groups))


def _shown(held: Sequence[Document]) -> list[Shown]:
    groups = tuple(held[0].groups)
    by = ("", "category", *groups, *(f"category x {group}" for group in groups))
    return [
        *(Shown("contexts", key, by) for key in KEYS),
        Shown("contexts", "perplexity"),
        Shown("cosine", "difference", by),
    ]


def _losses_in_words(losses: pd.DataFrame) -> list[str]:
    """Whether each arm learnt the text: without that its other numbers say nothing of the text."""
    rows = losses.set_index("arm")
    before, said = rows.loc[BASE], []
    for arm, row in rows.drop(BASE).iterrows():
        fell = before["loss"] - row["loss"] >= LEARNT
        outcome = (
            "the loss on held-out text fell" if fell else "nothing was learnt: the loss on held-out text went"
        )
        said.append(
            f"{arm}: {outcome} from {fixed(before['loss'], 3)} to {fixed(row['loss'], 3)} "
            f"(perplexity {fixed(before['perplexity'], 1)} to {fixed(row['perplexity'], 1)})."
        )
    return said


def _in_words(table: pd.DataFrame) -> list[str]:
    rows = table[(table["instrument"] == "contexts") & (table["key"] == "difference") & (table["by"] == "")]
    said = []
    for row in rows.to_dict("records"):
        mean, beyond = row["mean"], row["beyond_tuning"]
        if mean != mean:
            said.append(f"{row['arm']}: too few contexts to tell whether men or women are recovered better.")
            continue
        better = "men are recovered better than women" if mean > 0 else "women are recovered better than men"
        more = f", {fixed(100 * beyond, 1, sign=True)} beyond plain tuning" if beyond == beyond else ""
        noise = f"; sd over seeds {fixed(100 * row['seed_sd'], 1)}" if row["seeds"] > 1 else ""
        said.append(f"{row['arm']}: {better}, by {fixed(abs(100 * mean), 1)} points{more}{noise}.")
    return said
