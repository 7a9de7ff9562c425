"""Vectors of each group or decade of a corpus, trained anew, and how their associations differ.

What a corpus says of women and men at different times, or in different hands (Garg et al. 2018; Hamilton,
Leskovec and Jurafsky 2016): skip-gram vectors are trained on the text of each group alone, and WEAT is
measured on all of them. Vectors of a few books are unstable (Antoniak and Mimno 2018), therefore: several
seeds, with their spread; `resample` draws the documents anew for each, so that the spread is also that of
the text; a group with too few words is not trained; and all groups are measured on the words that all have.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import pandas as pd

from equipoise.corpora.reading import Corpus
from equipoise.corpora.sentence_files import GroupText, SentenceFiles, read_sentence_files, write_sentences
from equipoise.data.reading import file_sha256
from equipoise.errors import UserError
from equipoise.instruments import load_instrument
from equipoise.instruments.base import Settings
from equipoise.measuring import measure
from equipoise.models.options import READING, TRAINING, Progress, ProgressCallback, unheard
from equipoise.models.static import StaticModel
from equipoise.models.static.binaries import write_binary
from equipoise.models.static.files import load_static
from equipoise.models.static.training import SkipGram, require_gensim, train_vectors
from equipoise.results import Result
from equipoise.results.records import fixed
from equipoise.studies.steps import Keeping, Plan, Step, StudyRun
from equipoise.studies.training.group_associations import (
    COLUMNS,
    EMPTY,
    SharedTests,
    association_table,
    shared_tests,
)

VALUE, DIFFERENCE = ("value", "low", "high"), ("difference", "difference_low", "difference_high")


def in_words(table: pd.DataFrame, shared: SharedTests, cut: SentenceFiles) -> list[str]:
    """A sentence for each test, then what all of them rest on."""
    trained = table[table["note"] == ""]
    said = [_of_test(str(test), rows) for test, rows in trained.groupby("test", sort=False)]
    compared = int(table["difference_low"].notna().sum())
    if compared:
        beyond = int(((table["difference_low"] > 0) | (table["difference_high"] < 0)).sum())
        said.append(
            f"{beyond} of {compared} differences are certain by themselves (0 outside their interval); "
            "of differences that are none, one in 20 looks so."
        )
    small = table.loc[table["note"] != "", "group"].unique()
    if len(small):
        said.append(f"Too few words to be trained: {', '.join(small)}.")
    said.append(
        f"{int(shared.words['kept'].sum())} of {len(shared.words)} words of the tests are in all groups, "
        "and only those count; words.csv says which group lacks which."
    )
    if shared.lost:
        said.append(f"Left out, fewer than two such words in a set: {', '.join(shared.lost)}.")
    if cut.ungrouped:
        said.append(f"{cut.ungrouped:,} documents have no group and were left out.")
    if cut.problems.total:
        reasons = "; ".join(f"{reason}: {count:,}" for reason, count in cut.problems.unread.most_common(3))
        said.append(f"Passed over, {reasons}.")
    return [*said, *(f"{notice}." for notice in cut.problems.notices)]


def _of_test(test: str, rows: pd.DataFrame) -> str:
    first, last = rows.iloc[0], rows.iloc[-1]
    if len(rows) == 1:
        return f"{test}: d = {_number(first, VALUE)}."
    if last["against"] == first["group"]:
        ends = f"{_number(first, VALUE)} in {first['group']}, {_number(last, VALUE)} in {last['group']}"
        return f"{test}: d = {ends}; {_verdict(last)} ({_number(last, DIFFERENCE, sign=True)})."
    low, high = (rows.loc[place] for place in (rows["value"].idxmin(), rows["value"].idxmax()))
    lowest, highest = (f"{_number(row, VALUE)} in {row['group']}" for row in (low, high))
    return f"{test}: d is lowest, {lowest}, and highest, {highest}."


def _verdict(row: "pd.Series[object]") -> str:
    if row["difference_low"] > 0:
        return "it rose"
    return "it fell" if row["difference_high"] < 0 else "no change is certain"


def _number(row: "pd.Series[object]", names: tuple[str, str, str], *, sign: bool = False) -> str:
    """A number with its interval."""
    value, low, high = (fixed(float(str(row[name])), 2, sign=sign) for name in names)
    if row[names[1]] != row[names[1]]:
        return f"{value} (too few words for an interval)"
    return f"{value} [{low}, {high}]"


SENTENCES, WEAT = "sentences", "weat"
CUT_A_SECOND = 4e6
"""Bytes of a corpus that are cut into sentences in a second, for a first guess at the time."""


@dataclass(frozen=True)
class VectorsChoice:
    """By what groups are made (None: all is one), how vectors are trained and measured.

    `fewest` words of text make a group large enough to be trained.
    """

    by: str | None = None
    recipe: SkipGram = field(default_factory=SkipGram)
    seeds: tuple[int, ...] = (0, 1, 2)
    fewest: int = 100_000
    resample: bool = False
    tests: Settings = field(default_factory=Settings)

    def __post_init__(self) -> None:
        if not self.seeds or min(self.seeds) < 0 or len(set(self.seeds)) < len(self.seeds):
            raise UserError(
                f"The seeds are {list(self.seeds)}.", "Give different whole numbers of 0 or more."
            )

    @property
    def in_time(self) -> bool:
        """Whether groups are years, which have an order."""
        return self.by == "year"


@dataclass(frozen=True)
class VectorsStudy:
    """Effect sizes by test and group, the text of every group, the words used, and the files of vectors."""

    table: pd.DataFrame
    groups: pd.DataFrame
    words: pd.DataFrame
    sentences: list[str]


def study_vectors(
    corpus: Corpus,
    choice: VectorsChoice | None = None,
    *,
    keeping: Keeping,
    progress: ProgressCallback = unheard,
) -> VectorsStudy:
    """Cut the corpus by group, train vectors on each with every seed, and measure WEAT on all of them."""
    chosen = choice or VectorsChoice()
    require_gensim()
    tests = _tests(chosen.tests)
    settings: dict[str, Any] = {
        "corpus": _digest(corpus),
        "tests": sha256(tests.to_csv().encode()).hexdigest(),
    }
    settings |= {"reading": repr(corpus.settings), "choice": asdict(replace(chosen, tests=Settings()))}
    settings |= {"variant": chosen.tests.variant, "measure": chosen.tests.vectors.measure}
    first = Step(SENTENCES, "Cut the text of each group into sentences", 1 + corpus.ends[-1] / CUT_A_SECOND)
    run = keeping.begin(Plan("vectors", "Vectors by group", settings, [first]))
    return _Study(run, corpus, chosen, progress).go(tests)


@dataclass(frozen=True)
class _Study:
    """The study at work."""

    run: StudyRun
    corpus: Corpus
    choice: VectorsChoice
    progress: ProgressCallback

    def go(self, tests: pd.DataFrame) -> VectorsStudy:
        """All steps, those of the groups once they are known."""
        folder = self.run.folder_of(SENTENCES, self._cut)
        cut = read_sentence_files(folder)
        trained = [one for one in cut.ordered() if one.words >= self.choice.fewest]
        self._refuse_none(cut, trained)
        names = _file_names(trained)
        self.run.go_on_with(self._steps(trained, names))
        files = {
            one.group: [
                self._vectors(folder / one.file, f"{names[one.group]}-{seed}", seed)
                for seed in self.choice.seeds
            ]
            for one in trained
        }
        shared = _shared(tests, files)
        results = self._measured(files, shared.tests)
        table = self._table(results, cut)
        groups = self._groups(cut, files)
        said = in_words(table, shared, cut)
        kept = {"associations.csv": table, "groups.csv": groups, "words.csv": shared.words}
        self.run.finish(said, kept)
        return VectorsStudy(table, groups, shared.words, said)

    def _cut(self, room: Path) -> None:
        """Cut in the workshop, where a killed run goes on, and move them when all are there."""
        workshop = self.run.workshop(SENTENCES)
        assert workshop is not None
        write_sentences(self.corpus, workshop, by=self.choice.by, advance=self._told(READING, "text"))
        for file in list(workshop.iterdir()):
            file.replace(room / file.name)

    def _steps(self, trained: Sequence[GroupText], names: Mapping[str, str]) -> list[Step]:
        recipe = self.choice.recipe
        steps = [
            Step(
                f"{names[one.group]}-{seed}",
                f"Train vectors on {one.group}, {one.words:,} words, seed {seed}",
                recipe.seconds(one.words),
            )
            for one in trained
            for seed in self.choice.seeds
        ]
        return [*steps, Step(WEAT, "Measure the associations of all of them", 1.0 * len(steps))]

    def _vectors(self, sentences: Path, step: str, seed: int) -> Path:
        """The file of one training: named after its group, so that results are told apart."""
        file = f"{step}.bin"

        def write(room: Path) -> None:
            vectors = train_vectors(
                sentences,
                self.choice.recipe,
                seed=seed,
                resample=self.choice.resample,
                advance=self._told(TRAINING, step),
            )
            write_binary(vectors, room / file)

        return self.run.folder_of(step, write) / file

    def _measured(self, files: Mapping[str, list[Path]], tests: pd.DataFrame) -> dict[str, list[Result]]:
        settings = replace(self.choice.tests, data=tests)
        every = [path for paths in files.values() for path in paths]
        results = self.run.results(
            WEAT, lambda: [measure(load_static(path), WEAT, settings) for path in every]
        )
        taken = iter(results)
        return {group: [next(taken) for _ in paths] for group, paths in files.items()}

    def _table(self, results: Mapping[str, Sequence[Result]], cut: SentenceFiles) -> pd.DataFrame:
        """The effect sizes of groups that were trained, and empty rows for those that were not."""
        weat: Any = load_instrument(WEAT)
        ddof = weat.rules[self.choice.tests.variant or weat.variants[0]].ddof
        table = association_table(results, in_time=self.choice.in_time, ddof=ddof)
        small = [one for one in cut.ordered() if one.group not in results]
        fewest = self.choice.fewest
        empty = pd.DataFrame(
            [
                {**EMPTY, "test": test, "group": one.group, "note": f"too few words, below {fewest:,}"}
                for test in table["test"].unique()
                for one in small
            ]
        )
        every = pd.concat([table, empty], ignore_index=True) if small else table
        words = {one.group: one.words for one in cut.groups}
        every = every.assign(words=every["group"].map(words)).reindex(columns=COLUMNS)
        order = {test: place for place, test in enumerate(table["test"].unique())}
        every = every.assign(place=every["test"].map(order)).sort_values(["place", "group"], kind="stable")
        return every.drop(columns="place").reset_index(drop=True)

    def _groups(self, cut: SentenceFiles, files: Mapping[str, list[Path]]) -> pd.DataFrame:
        assert self.run.folder is not None
        root = self.run.folder
        rows = [
            {
                "group": one.group,
                "documents": one.documents,
                "words": one.words,
                "vectors": " ".join(path.relative_to(root).as_posix() for path in files.get(one.group, ())),
            }
            for one in cut.ordered()
        ]
        return pd.DataFrame(rows)

    def _refuse_none(self, cut: SentenceFiles, trained: Sequence[GroupText]) -> None:
        if trained:
            return
        sizes = sorted(cut.groups, key=lambda one: -one.words)
        largest = f"the largest, {sizes[0].group!r}, has {sizes[0].words:,}" if sizes else "there is none"
        raise UserError(
            f"No group has {self.choice.fewest:,} words of text; {largest}.",
            "Give more text, larger groups, or fewer words with --fewest-words.",
        )

    def _told(self, phase: str, subject: str) -> Callable[[int, int], None]:
        return lambda done, total: self.progress(Progress(phase, min(done, total), total, subject))


def _tests(settings: Settings) -> pd.DataFrame:
    """Every word of the tests, as a table that can be given to the instrument again."""
    weat: Any = load_instrument(WEAT)
    completed = settings.completed(weat)
    design = weat.design(completed.source(weat), completed)
    every = pd.concat([design.items.rename(columns={"side": "role"}), design.attributes], ignore_index=True)
    return every.assign(word=every["text"])[["test", "role", "set", "word"]]


def _shared(tests: pd.DataFrame, files: Mapping[str, Sequence[Path]]) -> SharedTests:
    """The tests on the words that all vectors have."""
    words = list(dict.fromkeys(tests["word"]))
    unknown = {
        group: _unknown(words, [load_static(path) for path in paths]) for group, paths in files.items()
    }
    shared = shared_tests(tests, unknown)
    if shared.tests.empty:
        poorest = max(unknown, key=lambda group: len(unknown[group]))
        raise UserError(
            f"No test has two words in each of its sets that all groups know; {poorest!r} lacks "
            f"{len(unknown[poorest])} of {len(words)} words.",
            "Leave small groups out with --fewest-words, or count rarer words with --min-count.",
        )
    return shared


def _unknown(words: Sequence[str], models: Sequence[StaticModel]) -> set[str]:
    return {word for word in words if any(model.unknown_parts(word) for model in models)}


def _file_names(groups: Sequence[GroupText]) -> dict[str, str]:
    """A name for the files of each group: the group's own without what a file's name may not hold."""
    plain = {one.group: re.sub(r"[^\w.-]+", "-", one.group).strip(".-")[:60] or "group" for one in groups}
    taken = list(plain.values())
    return {
        group: name if taken.count(name) == 1 and name not in (SENTENCES, WEAT) else f"{name}-{number}"
        for number, (group, name) in enumerate(plain.items())
    }


def _digest(corpus: Corpus) -> str:
    """SHA-256 over the names and contents of the corpus' files."""
    parts = [f"{corpus.name(path)} {file_sha256(path)}" for path in corpus.files]
    return sha256("\n".join([corpus.text, *parts]).encode("utf-8", "replace")).hexdigest()
