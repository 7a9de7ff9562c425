"""Pronoun resolution in one table: the model as it is, tuned on hidden pronouns without (U) and with (A) the
flipped copy, each also with its answers divided by the prior (O).

The rows of the paper on skew and stereotype (its Tables 1 and 2): how many pronouns of held-out documents are
right, ability on Alice and Bob, and stereotype and skew of type 2. In print the two columns of the tuned
models are exchanged; here they are what their formulas say.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from equipoise.corpora.documents import Document
from equipoise.corpora.opening import CorpusTexts
from equipoise.data.reading import read_table
from equipoise.data.sources import Data, Source
from equipoise.errors import UserError
from equipoise.instruments.base import Answers, Ask, Design, Settings
from equipoise.instruments.parts.estimates import (
    Spec,
    probability_estimate,
)
from equipoise.instruments.parts.items import Row, asked_rows, with_scores
from equipoise.instruments.parts.preference import TIE
from equipoise.measuring import audit, measure, questions_of
from equipoise.mitigations.resolution import PRONOUNS, PronounResolution, anonymous_texts
from equipoise.mitigations.training.examples import split_documents
from equipoise.models.capabilities import FILL
from equipoise.models.neural.language import NeuralModel
from equipoise.models.protocol import LanguageModel
from equipoise.models.questions import Fill, Question
from equipoise.results import Quantity, Result, Roles, Summary
from equipoise.results.records import fixed, with_interval
from equipoise.studies.papers.published import note_on, published_rows, row_of_skew
from equipoise.studies.papers.skew import MEASURED, PRINTED
from equipoise.studies.steps import Keeping, Plan
from equipoise.studies.training.arms import BASE, SEEDS, Arm, ArmRuns, Shown, run_arms, steps_of
from equipoise.text.blank import BLANK
from equipoise.text.rewriting import Rewriter

TABLE_1_KEYS = ("ability-f1-first", "ability-f1-second")
TABLE_2_KEYS = (
    *("f1-first-pro", "f1-first-anti", "f1-second-pro", "f1-second-anti"),
    *("mean-abs-stereotype", "mean-abs-skew"),
)
ROWS = {"base": "BERT", "O": "BERT-O", "U": "BERT-U", "UO": "BERT-UO", "A": "BERT-A", "AO": "BERT-AO"}
"""The arms as the paper calls them; it tuned BERT-base on OntoNotes."""

RIGHT = "held-out pronouns right"


def resolution_tables(table: pd.DataFrame, model: str) -> dict[str, pd.DataFrame]:
    """The two tables; the rows in print are those of BERT-base and stand below arms of that model only."""
    is_bert = row_of_skew(model, has_prior=False) == "BERT"
    kinds = sorted(set(table.loc[table["by"] == "type", "level"])) or [""]
    arms = list(dict.fromkeys(table["arm"]))
    first, second = [], []
    for arm in arms:
        rows = table[table["arm"] == arm]
        abilities = {
            _named(rows, key, kind): _cell(rows, key, kind) for kind in kinds for key in TABLE_1_KEYS
        }
        scores = {_named(rows, key): _cell(rows, key, kinds[-1]) for key in TABLE_2_KEYS}
        share = _share(rows)
        first.append({"arm": arm, "source": MEASURED, **abilities, RIGHT: share})
        second.append({"arm": arm, "source": MEASURED, **scores, "note": ""})
        name = ROWS.get(arm, "")
        if is_bert and name:
            (right,) = published_rows("skew.accuracy").get(name, (float("nan"),))
            accuracy = fixed(right, 2) if right == right else ""
            first.append(
                _printed(name, list(abilities), published_rows("skew.table-1")[name]) | {RIGHT: accuracy}
            )
            second.append(
                _printed(name, list(scores), published_rows("skew.table-2")[name]) | {"note": note_on(name)}
            )
    return {"table-2": pd.DataFrame(second), "table-1": pd.DataFrame(first)}


def _named(rows: pd.DataFrame, key: str, kind: str = "") -> str:
    """An estimate by its label, with the type of sentences where there are several."""
    label = str(rows.loc[rows["key"] == key, "label"].iloc[0])
    return f"type {kind} {label}" if kind else label


def _cell(rows: pd.DataFrame, key: str, kind: str) -> str:
    """Mean and interval over seeds (over items where there is one run)."""
    chosen = rows[(rows["key"] == key) & (rows["level"].astype(str) == kind)]
    return with_interval(*chosen.iloc[0][["mean", "low", "high"]], places=1) if len(chosen) else "-"


def _share(rows: pd.DataFrame) -> str:
    chosen = rows[rows["key"] == "right"]
    return with_interval(*chosen.iloc[0][["mean", "low", "high"]], places=3) if len(chosen) else ""


def _printed(name: str, columns: Sequence[str], printed: Sequence[float]) -> dict[str, Any]:
    """The printed row; of a table with one type of sentences, the numbers of type 2."""
    numbers = printed[-len(columns) :]
    return {
        "arm": name,
        "source": PRINTED,
        **dict(zip(columns, (fixed(one, 1) for one in numbers), strict=True)),
    }


SKEW = "stereotype-skew"
HELD_OUT = 0.2
PRONOUNS_ASKED = 500
"""Held-out pronouns that every arm is asked unless another number is given."""

VARIANTS = ("corrected", "prior-normalised")
COLUMNS = ("item", "document", "text", "blank", "right", "other", "dropped")
SHOWN = (
    Shown("held-out-pronouns", "right"),
    *(Shown(SKEW, key, ("", "type")) for key in ("ability", *TABLE_1_KEYS, *TABLE_2_KEYS)),
    *(Shown(SKEW, key, ("", "type")) for key in ("stereotype", "skew")),
)


class HeldOutPronouns:
    """Pronouns of texts without names, all hidden at once: how often the right gender is likelier."""

    name = "held-out-pronouns"
    title = "Hidden pronouns of held-out texts"
    datasets: tuple[str, ...] = ()
    variants: tuple[str, ...] = ("all-hidden",)
    needs: tuple[str, ...] = (FILL,)
    reads: tuple[str, ...] = ()
    roles = Roles(text=("text",), factors=("document",), groups=())
    quantities: tuple[Quantity, ...] = (
        Quantity(
            "right",
            "pronouns right",
            0.02,
            unit="share",
            kind="probability",
            factors=("document",),
            better="higher",
        ),
    )

    def design(self, source: Source, settings: Settings) -> Design:
        """The table of `pronoun_items`."""
        given = source.file("pronouns.csv")
        return Design(items=read_table(given, COLUMNS), files=(given,), settings=settings)

    def ask(self, design: Design, model: LanguageModel) -> Iterator[Ask]:
        """Both pronouns of the form at each place."""
        for row in asked_rows(design.items):
            question = Fill(row["text"], (row["right"], row["other"]), blank=int(row["blank"]))
            yield Ask(row["item"], "blank", question)

    def score(self, design: Design, answers: Answers) -> pd.DataFrame:
        """1 where the pronoun that stood there is likelier than the other, half at a tie."""

        def read(row: Row) -> Row:
            right, other = answers[row["item"], "blank"].logprobs
            return {"score": 0.5 if abs(right - other) <= TIE else float(right > other)}

        return with_scores(design.items, read)

    def summarise(self, design: Design, items: pd.DataFrame) -> Summary:
        """The share over all pronouns."""
        spec = Spec("right", "pronouns right", unit="share", better="higher")
        return Summary([probability_estimate(spec, items["score"], items, ("document",))])


def pronoun_items(documents: Sequence[Document]) -> pd.DataFrame:
    """A row per pronoun: the text with every pronoun blank, which one is asked, and the two answers."""
    rows = []
    texts = anonymous_texts(documents, flipped=False)
    for document, rewritten in zip(
        documents, Rewriter("invert", names=False).rewrite_many(texts), strict=True
    ):
        hidden = [change for change in rewritten.changes if change.old.lower() in PRONOUNS]
        text = rewritten.original
        for change in reversed(hidden):
            text = text[: change.start] + BLANK + text[change.end :]
        rows += [
            {
                "item": f"{document.id}: {place}",
                "document": document.id,
                "text": text,
                "blank": str(place),
                "right": change.old.lower(),
                "other": change.new.lower(),
                "dropped": "",
            }
            for place, change in enumerate(hidden)
        ]
    return pd.DataFrame(rows)


def readable(items: pd.DataFrame, model: LanguageModel) -> pd.DataFrame:
    """The pronouns of texts that the model can read whole; one that reads none of them is refused."""
    if not isinstance(model, NeuralModel) or model.max_length is None:
        return items
    lengths = {text: len(model.tokens.encode(text).ids) for text in items["text"].unique()}
    kept = items[items["text"].map(lengths) <= model.max_length]
    if kept.empty:
        raise UserError(
            f"Every held-out text is longer than {model.name!r} reads ({model.max_length} tokens).",
            "Give a corpus of shorter documents.",
        )
    return kept.reset_index(drop=True)


def sampled(items: pd.DataFrame, most: int) -> pd.DataFrame:
    """Whole documents, drawn at random but always the same, up to a number of pronouns; 0: all of them."""
    if not most or len(items) <= most:
        return items
    documents = items["document"].unique()
    drawn = np.random.default_rng(0).permutation(documents)
    counts = items["document"].value_counts().reindex(drawn).cumsum()
    kept = drawn[: max(1, int((counts <= most).sum()))]
    return items[items["document"].isin(kept)].reset_index(drop=True)


@dataclass(frozen=True)
class AskedOfArms:
    """What every arm is asked: the sentences with occupations, and how many held-out pronouns (0: all)."""

    skew_data: Data = ""
    pronouns: int = PRONOUNS_ASKED
    data_dir: str | Path | None = None

    def settings(self, variant: str) -> dict[str, Settings]:
        """The settings of the instrument in one variant."""
        return {SKEW: Settings(data=self.skew_data, variant=variant, data_dir=self.data_dir)}

    def questions(self, model: LanguageModel, items: pd.DataFrame) -> list[Question]:
        """Every question of an arm."""
        held_out = {HeldOutPronouns.name: Settings(data=items)}
        return [
            *questions_of(model, [HeldOutPronouns()], held_out),
            *(one for name in VARIANTS for one in questions_of(model, (SKEW,), self.settings(name))),
        ]

    def measured(self, model: LanguageModel, items: pd.DataFrame) -> list[Result]:
        """Held-out pronouns, and stereotype and skew with and without the prior."""
        skews = [audit(model, (SKEW,), self.settings(name))[0] for name in VARIANTS]
        return [measure(model, HeldOutPronouns(), data=items), *skews]


@dataclass(frozen=True)
class ResolutionStudy:
    """The rows base, O, U, UO, A and AO: every number, and in the form of the paper's Tables 1 and 2."""

    table: pd.DataFrame
    sentences: list[str]
    papers: dict[str, pd.DataFrame]


def resolution_study(
    model: LanguageModel,
    corpus: CorpusTexts,
    *,
    method: PronounResolution | None = None,
    seeds: Sequence[int] = SEEDS,
    asked: AskedOfArms | None = None,
    keeping: Keeping | None = None,
) -> ResolutionStudy:
    """Split by document, tune with and without the flipped copy, and measure all on what was held out."""
    chosen, asking = method or PronounResolution(), asked or AskedOfArms()
    kept, held = split_documents(corpus.documents, HELD_OUT, seed=0)
    texts = replace(corpus, documents=tuple(kept))
    ways = {"U": replace(chosen, flipped=False), "A": replace(chosen, flipped=True)}
    arms = [Arm(BASE), *(Arm(name, way, texts) for name, way in ways.items())]
    settings = {"model": model.fingerprint, "corpus": corpus.digest, "method": chosen, "seeds": list(seeds)}
    settings |= {"data": str(asking.skew_data), "pronouns": asking.pronouns}
    items = pronoun_items(held)
    if items.empty:
        raise UserError(
            f"None of the {len(held):,} documents that are held out has a gendered pronoun.",
            "Give a larger corpus about people, such as gap.",
        )
    known, items = len(items), sampled(readable(items, model), asking.pronouns)
    steps = steps_of(arms, seeds, model, asking.questions(model, items))
    study = (keeping or Keeping()).begin(Plan("resolution", "Pronoun resolution", settings, steps))
    runs = run_arms(study, model, arms, seeds, lambda one: asking.measured(one, items))
    table = ArmRuns(_rows(runs)).table(SHOWN)
    sentences = [
        f"{len(kept):,} documents to tune on, {len(held):,} held out with {known:,} pronouns"
        f"{f', of which {len(items):,} were asked' if len(items) < known else ''}.",
        *_in_words(table),
    ]
    papers = resolution_tables(table, model.name)
    study.finish(sentences, {**{f"{name}.csv": one for name, one in papers.items()}, "resolution.csv": table})
    return ResolutionStudy(table, sentences, papers)


def _rows(runs: ArmRuns) -> dict[str, dict[int, list[Result]]]:
    """Each arm twice: its own answers, and those divided by the prior, which held-out texts are not asked."""
    rows: dict[str, dict[int, list[Result]]] = {}
    for arm, by_seed in runs.by_arm.items():
        rows[arm] = {seed: [accuracy, plain] for seed, (accuracy, plain, _) in by_seed.items()}
        rows["O" if arm == BASE else f"{arm}O"] = {
            seed: [normalised] for seed, (_, _, normalised) in by_seed.items()
        }
    return rows


def _in_words(table: pd.DataFrame) -> list[str]:
    """Pronouns right of every arm whose answers are its own, with the noise of its seeds."""
    rows = table[table["key"] == "right"]
    return [
        f"{row['arm']}: {row['mean']:.1%} of the pronouns right"
        + (f", sd over seeds {row['seed_sd']:.1%}." if row["seeds"] > 1 else ".")
        for row in rows.to_dict("records")
    ]
