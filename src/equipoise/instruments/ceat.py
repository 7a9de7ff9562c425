"""CEAT: are men's names or words nearer to work, strength or science, in sentences of your corpus?

Question     For every word a random sentence of your corpus that holds it is drawn and the vector of the word
             inside it taken; the four sets of vectors give an effect size as in `weat`. That is done 500
             times, and a random-effects model (DerSimonian and Laird) combines the effect sizes.
Sign, good   As `weat`: above 0 is the stereotype, near 0 is good.
Interval     Where the effect size of one sample of sentences lies: combined +- 1.96 sqrt(variance between +
             mean variance within). It tells how much the contexts matter, and does not shrink with samples.
Variants     last-layer; the layer by `--layer`.
Neutral      As `weat`.
Source       Guo and Caliskan 2021, "Detecting Emergent Intersectional Biases: Contextualized Word Embeddings
             Contain a Distribution of Human-like Biases".
Data         A corpus of yours (`--data`, `--text`), read as `contexts` reads it: up to 20 sentences a word.
             The tests are those of `weat`; `association-sets.csv` beside your corpus replaces them.
Differs      The published p falls with the number of samples drawn, not of words: it is not given. The
             variance of one effect size is Hedges and Olkin's.
Limits       A word without a sentence is left out and counted; a set with fewer than two is dropped with its
             test. Samples share words and sentences: they are not independent.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

from equipoise.corpora.contexts import WordContext, contexts_of_words
from equipoise.corpora.opening import open_documents
from equipoise.data.reading import TABLES
from equipoise.data.sets.association_tests import ROLES, TABLE, each_test, load_association_tests
from equipoise.data.sources import Source
from equipoise.errors import UserError
from equipoise.instruments.base import Answers, Ask, Design, Settings
from equipoise.instruments.parts.choices import CHOSEN_LAYER, CORPUS, MEASURE
from equipoise.instruments.parts.embedding import Stimulus, asked_vectors, vectors_by_layer
from equipoise.instruments.parts.estimates import Groups, Spec, estimate, grouped, mean_estimate
from equipoise.models.capabilities import EMBED
from equipoise.models.protocol import LanguageModel
from equipoise.results import Estimate, Quantity, Roles, Summary
from equipoise.results.quantity import STEREOTYPED
from equipoise.stats.association import effect_size, nearness, whitening_of
from equipoise.stats.clusters import Floats
from equipoise.stats.repeats import combine_effects, effect_size_variance

SENTENCES, SAMPLES, FEWEST_WORDS = 20, 500, 2
KEY, UNIT = "combined-effect-size", "d"
Vectors = dict[str, Floats]


@dataclass(frozen=True, kw_only=True)
class CeatDesign(Design):
    """The tests with their words, and the sentences drawn for each word."""

    tests: pd.DataFrame
    contexts: Mapping[str, list[WordContext]]


_COMBINED = Quantity(
    "mean-combined-effect-size",
    "combined effect size, mean of the tests",
    0.2,
    unit=UNIT,
    name="stereotyped association of words in sentences",
    question="traits",
    scale="effect",
    sides=STEREOTYPED,
    headline=True,
    compared=False,
)


class ContextualisedAssociation:
    """Effect sizes over random samples of sentences, combined."""

    name = "ceat"
    title = "Contextualised association test: weat over sentences of a corpus"
    datasets: tuple[str, ...] = ()
    variants = ("last-layer",)
    needs = (EMBED,)
    reads = (CORPUS, CHOSEN_LAYER, MEASURE)
    scored_jointly = True
    roles = Roles(text=("sample",), factors=("test",), groups=("test",))
    quantities = (
        Quantity(
            "effect-size",
            "effect size, mean of the tests",
            0.2,
            unit=UNIT,
            factors=("test",),
            ranks=True,
            name="stereotyped association of words in sentences",
            question="traits",
            scale="effect",
            sides=STEREOTYPED,
        ),
        _COMBINED,
    )

    def design(self, source: Source, settings: Settings) -> CeatDesign:
        """The words of the tests, and up to twenty sentences of the corpus for each."""
        if source.given is None:
            raise UserError("No corpus was given.", "Name a file or folder with --data.")
        beside = source.beside(TABLE) or TABLES / TABLE
        read = load_association_tests(Source(str(beside), beside), sentences=False)
        opened = open_documents(source.given, settings.corpus)
        words = list(dict.fromkeys(read.table["word"]))
        contexts = contexts_of_words(opened.documents, words, size=SENTENCES, seed=settings.seed)
        items = pd.DataFrame(
            [
                (f"{test} {number}", test, str(number), reason)
                for test, reason in _reasons(read.table, contexts).items()
                for number in range(SAMPLES)
            ],
            columns=["item", "test", "sample", "dropped"],
        )
        return CeatDesign(
            items=items,
            files=(*opened.files, beside),
            settings=settings,
            notices=(*_missing(contexts), *opened.problems.notices),
            tests=read.table,
            contexts=contexts,
        )

    def ask(self, design: CeatDesign, model: LanguageModel) -> Iterator[Ask]:
        """The vector of every word in each of its sentences."""
        stimuli = (
            Stimulus(_name(word, place), context.text, context.span)
            for word, contexts in design.contexts.items()
            for place, context in enumerate(contexts)
        )
        yield from asked_vectors(stimuli, model, design.settings.vectors)

    def score(self, design: CeatDesign, answers: Answers) -> pd.DataFrame:
        """The effect size of every sample of sentences, and its variance."""
        vectors = _vectors(design, answers)
        known = np.unique(np.concatenate(list(vectors.values())), axis=0)
        measure = design.settings.vectors.measure
        whitening = whitening_of(known) if measure == "mahalanobis" else None
        columns = {
            "score": np.full(len(design.items), np.nan),
            "variance": np.full(len(design.items), np.nan),
        }
        for test, rows in each_test(design.tests):
            places = np.flatnonzero((design.items["test"] == test) & (design.items["dropped"] == ""))
            sets = [[w for w in rows.loc[rows["role"] == role, "word"] if w in vectors] for role in ROLES]
            if len(places) and min(map(len, sets)) >= FEWEST_WORDS:
                effects = _effects(sets, vectors, measure, whitening, seed=design.settings.seed)
                columns["score"][places] = effects
                columns["variance"][places] = effect_size_variance(effects, len(sets[0]), len(sets[1]))
        reasons = design.items["dropped"].where(
            (design.items["dropped"] != "") | ~np.isnan(columns["score"]),
            "the model has no vectors for a set",
        )
        return design.items.assign(**columns, dropped=reasons)

    def summarise(self, design: CeatDesign, items: pd.DataFrame) -> Summary:
        """The combined effect size of every test and over all."""
        known = items[items["dropped"] == ""]
        of_tests = [_combined(groups, rows) for groups, rows in grouped(known, "test", whole=False)]
        values = pd.DataFrame({"value": [one.value for one in of_tests]})
        return Summary([mean_estimate(Spec.of(_COMBINED), values["value"], values), *of_tests])


def _effects(
    sets: list[list[str]], vectors: Vectors, measure: str, whitening: Floats | None, *, seed: int
) -> Floats:
    """The effect size of each sample: one of its sentences for every word."""
    rng = np.random.default_rng(seed)
    effects = np.empty(SAMPLES)
    is_first = np.arange(len(sets[0]) + len(sets[1])) < len(sets[0])
    for number in range(SAMPLES):
        first, second, one, other = (
            np.stack([vectors[word][rng.integers(len(vectors[word]))] for word in words]) for words in sets
        )
        targets = np.concatenate([first, second])
        near, far = (
            nearness(targets, side, measure, whitening=whitening).mean(axis=1) for side in (one, other)
        )
        effects[number] = effect_size(near - far, is_first)
    return effects


def _combined(groups: Groups, rows: pd.DataFrame) -> Estimate:
    combined = combine_effects(rows["score"].to_numpy(), rows["variance"].to_numpy())
    spec = Spec(KEY, "combined effect size", UNIT, groups=groups)
    return estimate(spec, combined.value, combined.interval, n=len(rows))


def _vectors(design: CeatDesign, answers: Answers) -> Vectors:
    """The known vectors of every word that has any, at the last layer asked."""
    vectors = {}
    for word, contexts in design.contexts.items():
        names = [_name(word, place) for place in range(len(contexts))]
        layers = vectors_by_layer({key: answers[key] for key in answers if key[0] in set(names)}, names)
        if layers:
            rows = list(layers.values())[-1]
            known = rows[~np.isnan(rows).any(axis=1)]
            if len(known):
                vectors[word] = known
    return vectors


def _reasons(table: pd.DataFrame, contexts: Mapping[str, list[WordContext]]) -> dict[str, str]:
    """For every test why it cannot be asked, or nothing."""
    reasons = {}
    for test, rows in each_test(table):
        there = rows[rows["word"].map(lambda word: bool(contexts[word]))]
        small = [
            rows.loc[rows["role"] == role, "set"].iloc[0]
            for role in ROLES
            if (there["role"] == role).sum() < FEWEST_WORDS
        ]
        reasons[test] = (
            f"the corpus has fewer than {FEWEST_WORDS} words of {', '.join(small)}" if small else ""
        )
    return reasons


def _missing(contexts: Mapping[str, list[WordContext]]) -> tuple[str, ...]:
    missing = [word for word, held in contexts.items() if not held]
    drawn = sum(map(len, contexts.values()))
    told = f"{drawn:,} sentences for {len(contexts) - len(missing)} words, up to {SENTENCES} each"
    without = f"{len(missing)} words have no sentence in the corpus: {', '.join(missing[:10])}"
    return (told, without) if missing else (told,)


def _name(word: str, place: int) -> str:
    return f"{word} {place}"
