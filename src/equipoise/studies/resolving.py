"""Pronoun resolution in one table: the model as it is, tuned on hidden pronouns without (U) and with (A) the
flipped copy, each also with its answers divided by the prior (O).

The rows of the paper on skew and stereotype (its Tables 1 and 2): how many pronouns of held-out documents are
right, ability on Alice and Bob, and stereotype and skew of type 2. In print the two columns of the tuned
models are exchanged; here they are what their formulas say.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import pandas as pd

from equipoise.corpora.documents import Document
from equipoise.corpora.named import CorpusTexts
from equipoise.data.reading import read_table
from equipoise.data.sources import Data, Source
from equipoise.errors import UserError
from equipoise.instruments.base import Answers, Ask, Design, Settings
from equipoise.instruments.parts.estimates import Spec, mean_estimate
from equipoise.instruments.parts.items import Row, asked_rows, with_scores
from equipoise.instruments.parts.preference import TIE
from equipoise.measuring import audit, measure
from equipoise.mitigations.resolution import PRONOUNS, PronounResolution, anonymous_texts
from equipoise.mitigations.training.examples import split_documents
from equipoise.models.base import Fill, LanguageModel
from equipoise.models.capabilities import FILL
from equipoise.results import Quantity, Result, Roles, Summary
from equipoise.studies.arms import BASE, SEEDS, Arm, ArmRuns, Shown, run_arms, steps_of
from equipoise.studies.steps import Keeping, Plan
from equipoise.text.blank import BLANK
from equipoise.text.rewriting import Rewriter

SKEW = "stereotype-skew"
HELD_OUT = 0.2
COLUMNS = ("item", "document", "text", "blank", "right", "other", "dropped")
SHOWN = (
    Shown("held-out-pronouns", "right"),
    *(Shown(SKEW, key, ("type",)) for key in ("ability", "mean-abs-stereotype", "mean-abs-skew")),
    *(Shown(SKEW, key, ("type",)) for key in ("stereotype", "skew")),
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
        Quantity("right", "pronouns right", 0.02, unit="share", factors=("document",), better="higher"),
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
        spec = Spec("right", "pronouns right", unit="share", better="higher", headline=True)
        return Summary([mean_estimate(spec, items["score"], items, ("document",))])


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


@dataclass(frozen=True)
class ResolutionStudy:
    """The rows base, O, U, UO, A and AO."""

    table: pd.DataFrame
    sentences: list[str]


def resolution_study(
    model: LanguageModel,
    corpus: CorpusTexts,
    *,
    method: PronounResolution | None = None,
    seeds: Sequence[int] = SEEDS,
    skew_data: Data = "",
    keeping: Keeping | None = None,
) -> ResolutionStudy:
    """Split by document, tune with and without the flipped copy, and measure all on what was held out."""
    chosen = method or PronounResolution()
    kept, held = split_documents(corpus.documents, HELD_OUT, seed=0)
    texts = replace(corpus, documents=tuple(kept))
    ways = {"U": replace(chosen, flipped=False), "A": replace(chosen, flipped=True)}
    arms = [Arm(BASE), *(Arm(name, way, texts) for name, way in ways.items())]
    settings = {"model": model.fingerprint, "corpus": corpus.digest, "method": chosen, "seeds": list(seeds)}
    items = pronoun_items(held)
    if items.empty:
        raise UserError(
            f"None of the {len(held):,} documents that are held out has a gendered pronoun.",
            "Give a larger corpus about people, such as gap.",
        )
    plan = Plan("resolution", "Pronoun resolution", settings, steps_of(arms, seeds, model))
    study = (keeping or Keeping()).begin(plan)

    def both(one: LanguageModel) -> list[Result]:
        variants = ("corrected", "prior-normalised")
        skews = [audit(one, (SKEW,), {SKEW: Settings(data=skew_data, variant=name)})[0] for name in variants]
        return [measure(one, HeldOutPronouns(), data=items), *skews]

    runs = run_arms(study, model, arms, seeds, both)
    table = ArmRuns(_rows(runs)).table(SHOWN)
    sentences = [
        f"{len(kept):,} documents to tune on, {len(held):,} held out with {len(items):,} pronouns.",
        *_in_words(table),
    ]
    study.finish(sentences, {"resolution.csv": table})
    return ResolutionStudy(table, sentences)


def _rows(runs: ArmRuns) -> dict[str, dict[int, list[Result]]]:
    """Each arm twice: its own answers, and those divided by the prior."""
    rows: dict[str, dict[int, list[Result]]] = {}
    for arm, by_seed in runs.by_arm.items():
        rows[arm] = {seed: [accuracy, plain] for seed, (accuracy, plain, _) in by_seed.items()}
        rows["O" if arm == BASE else f"{arm}O"] = {
            seed: [accuracy, normalised] for seed, (accuracy, _, normalised) in by_seed.items()
        }
    return rows


def _in_words(table: pd.DataFrame) -> list[str]:
    """Pronouns right of every arm whose answers are its own, with the noise of its seeds."""
    rows = table[(table["key"] == "right") & ~table["arm"].str.endswith("O")]
    return [
        f"{row['arm']}: {row['mean']:.1%} of the pronouns right"
        + (f", sd over seeds {row['seed_sd']:.1%}." if row["seeds"] > 1 else ".")
        for row in rows.to_dict("records")
    ]
