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
from typing import Any

import numpy as np
import pandas as pd

from equipoise.corpora.documents import Document
from equipoise.corpora.opening import CorpusChoice, CorpusTexts
from equipoise.data.reading import file_sha256
from equipoise.errors import UserError
from equipoise.instruments.base import Settings
from equipoise.instruments.contexts import FACTORS
from equipoise.instruments.cosine import target_scatter
from equipoise.instruments.parts.corpus_items import corpus_groups, unless_too_few
from equipoise.instruments.parts.estimates import Spec, contrast_estimate
from equipoise.mitigations.base import TextTuned
from equipoise.mitigations.counterfactual import Counterfactual
from equipoise.mitigations.dropout import Dropout
from equipoise.mitigations.networks import masked_model
from equipoise.mitigations.training.examples import split_documents
from equipoise.mitigations.training.running import LEARNT
from equipoise.models.protocol import LanguageModel
from equipoise.results import Result
from equipoise.results.records import fixed
from equipoise.stats.clusters import Floats, Interval
from equipoise.stats.repeats import over_repeats, with_repeats
from equipoise.stats.resampling import bootstrap_of
from equipoise.studies.papers.published import published
from equipoise.studies.steps import Keeping, Plan
from equipoise.studies.training.arms import (
    BASE,
    SEEDS,
    TRAINING,
    Arm,
    ArmRuns,
    Shown,
    auditing,
    run_arms,
    steps_of,
)
from equipoise.text.gendered import FEMALE, MALE

LOSS = "loss"
GENDERS = (MALE, FEMALE)


def loss_table(runs: ArmRuns) -> pd.DataFrame:
    """Fig. 1: cross-entropy and perplexity on hidden words of the held-out text, by arm."""
    rows = []
    for arm, of_arm in runs.tables.items():
        parts = [held[LOSS] for held in of_arm.values()]
        losses = [part["nats"].sum() / part["places"].sum() for part in parts]
        repeats = over_repeats(losses)
        spread = with_repeats(_loss_interval(pd.concat(parts)), repeats)
        rows.append(
            {
                "arm": arm,
                "loss": repeats.mean,
                "low": spread.low,
                "high": spread.high,
                "perplexity": np.exp(repeats.mean),
                "perplexity_low": np.exp(spread.low),
                "perplexity_high": np.exp(spread.high),
                "recovered": float(np.mean([part["right"].sum() / part["places"].sum() for part in parts])),
                "hidden_words": int(parts[0]["places"].sum()),
                "seeds": len(parts),
                "published_loss": published("news.loss", arm, "loss"),
                "published_perplexity": published("news.loss", arm, "perplexity"),
            }
        )
    return pd.DataFrame(rows)


def _loss_interval(documents: pd.DataFrame) -> Interval:
    """The interval of the mean loss, over documents."""

    def loss(sums: Floats) -> Floats:
        return np.asarray(sums[..., 0] / sums[..., 1])

    cells = documents[["nats", "places"]].to_numpy(dtype=float)
    return bootstrap_of(loss, cells, documents["document"])


def gender_table(table: pd.DataFrame) -> pd.DataFrame:
    """Figs. 6 to 8, 11 and 12: both probabilities and their difference by arm and by everything."""
    rows = table[table["instrument"] == "contexts"]
    keys = {"p-male": "male", "p-female": "female", "difference": "difference"}
    wide: dict[tuple[str, str, str], dict[str, Any]] = {}
    for row in rows[rows["key"].isin(keys)].to_dict("records"):
        place = row["arm"], row["by"], row["level"]
        name = keys[row["key"]]
        wide.setdefault(place, dict(zip(("arm", "by", "level"), place, strict=True))).update(
            {name: row["mean"], f"{name}_low": row["low"], f"{name}_high": row["high"], f"n_{name}": row["n"]}
        )
    for (arm, by, level), row in wide.items():
        named = " ".join(filter(None, (arm, by, level)))
        printed = [published("news.genders", named, gender) for gender in GENDERS]
        row |= {f"published_{name}": value for name, value in zip(GENDERS, printed, strict=True)}
        row["published_difference"] = round(printed[0] - printed[1], 3)
    return pd.DataFrame(list(wide.values())).drop(columns="n_difference")


def change_table(runs: ArmRuns, groups: Sequence[str]) -> pd.DataFrame:
    """Appendix 9.0.5: the difference before, after and the change, of every arm and by everything.

    The interval of a change pairs the contexts, which are the same before and after, and is over documents;
    what trainings with other seeds would give is added to it.
    """
    before = _contexts(runs.by_arm[BASE])[0]
    rows = []
    for arm, of_arm in runs.by_arm.items():
        if arm == BASE:
            continue
        after = _contexts(of_arm)
        own = [one.set_index("item")["own"].reindex(before["item"]).to_numpy() for one in after]
        items = before.assign(after=np.mean(own, axis=0))
        for number, values in enumerate(own):
            items[f"after_{number}"] = values
        for by, part in corpus_groups(items, tuple(groups)):
            rows.append({"arm": arm, **_change(by, part, len(own))})
    return pd.DataFrame(rows)


def _change(by: Mapping[str, str], part: pd.DataFrame, seeds: int) -> dict[str, Any]:
    is_male = part["gender"] == MALE

    def contrast(values: pd.Series) -> Any:
        made = contrast_estimate(Spec("change").at(by), values, is_male, rows=part, factors=FACTORS)
        return unless_too_few(made, of=int(min(is_male.sum(), (~is_male).sum())))

    first, last = contrast(part["own"]).value, contrast(part["after"]).value
    change = contrast(part["after"] - part["own"])
    each = [contrast(part[f"after_{number}"] - part["own"]).value for number in range(seeds)]
    interval = with_repeats(Interval(change.low, change.high), over_repeats(each))
    category = by["category"] if list(by) == ["category"] else ""
    return {
        "by": change.by,
        "level": change.level,
        "before": first,
        "after": last,
        "change": change.value,
        "low": interval.low,
        "high": interval.high,
        "n": len(part),
        **{
            f"published_{name}": published("news.changes", category, name)
            for name in ("before", "after", "change")
        },
    }


def word_table(runs: ArmRuns) -> pd.DataFrame:
    """Figs. 2 to 5 and 13 to 16: the mean cosine of every target word with men and women, by arm."""
    tables = []
    for arm, of_arm in runs.by_arm.items():
        items = pd.concat([_of(results, "cosine").items for results in of_arm.values()], ignore_index=True)
        words = target_scatter(items)
        for name in ("n_male", "n_female"):
            words[name] //= len(of_arm)
        tables.append(words.assign(arm=arm))
    return pd.concat(tables, ignore_index=True)


def _contexts(of_arm: Mapping[int, list[Result]]) -> list[pd.DataFrame]:
    return [_of(results, "contexts").items for results in of_arm.values()]


def _of(results: Sequence[Result], instrument: str) -> Result:
    return next(one for one in results if one.instrument == instrument)


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
