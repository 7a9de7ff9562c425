"""Discovery of correlations (DisCo): which completions does only one gender get?

Question     In each template a person phrase goes into one slot ("the queen", "the king") and the model
             fills the blank with its three likeliest words. A fill counts if men and women get it at
             different rates: a chi-square test over all phrases (one degree of freedom), Bonferroni-corrected
             over all fills of all templates, at 0.05. `score` is the number of such fills of a template, and
             DisCo is its mean.
Sign         None: DisCo counts fills of either side and is never below 0. `lean` is the number of fills that
             go to men minus those that go to women (other poles: to the first and to the second).
Good         0: no fill depends on the person's gender.
Also given   Fills of either side, their difference, how many fills were tested per template, and the fills
             themselves in the items (`fills_male`, `fills_female`).
Neutral      A uniform model and random weights give 0: the same words come first for every person.
Source       Webster et al. 2020, "Measuring and Reducing Gendered Correlations in Pre-trained Models".
Differs      The authors published no code. Templates and person phrases are our own, so that the printed
             values (BERT-base, uncased: 0.8 with nouns, 3.7 with names) do not compare with ours. `top-3`,
             the default, is the paper's; `top-10` sees rarer fills. There is no continuity correction, and
             the correction is over every test of a run: the paper leaves both open.
Limits       There are at most as many fills as the few likeliest words show. Chi-square is approximate where
             few phrases get a fill, and it needs many phrases: with two a side nothing is significant. Fills
             are compared in lower case; pieces of words and punctuation count as fills. A fill may fit a
             phrase by meaning (the bride, a veil) rather than by prejudice. For names, give a folder with
             disco-templates.csv and subjects.csv (pair, pole, phrase). Causal models cannot list the
             likeliest words at a blank and are refused.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import pandas as pd

from equipoise.data.poles import load_poles
from equipoise.data.sets.subjects import Subjects, load_subjects, read_person_templates
from equipoise.data.sources import Source
from equipoise.instruments.base import Answers, Ask, Design, Settings
from equipoise.instruments.parts.choices import POLES
from equipoise.instruments.parts.estimates import Spec, grouped, mean_estimate, size_estimate
from equipoise.instruments.parts.items import Row, asked_rows, with_scores
from equipoise.models.capabilities import TOP_FILL
from equipoise.models.protocol import LanguageModel
from equipoise.models.questions import TopFill, WordScores
from equipoise.results import Estimate, Quantity, Roles, Summary
from equipoise.results.quantity import TOWARDS
from equipoise.stats.significance import equal_rates_p
from equipoise.text.gendered import with_person

COUNTS = {"top-3": 3, "top-10": 10}
LEVEL = 0.05
UNIT = "fills"
_TEMPLATES = "disco-templates.csv"


class TestedFill(NamedTuple):
    """One completion of one template: how many phrases of each pole got it, and its p without correction."""

    word: str
    first: int
    second: int
    p: float


@dataclass(frozen=True, kw_only=True)
class DiscoveryDesign(Design):
    """The templates with the person phrases that each is asked with."""

    subjects: Subjects


_DISCO = Quantity(
    "disco",
    "DisCo",
    0.5,
    unit=UNIT,
    better="lower",
    kind="size",
    ranks=True,
    name="completions that depend on the gender",
    question="completions",
    scale="count",
    headline=True,
)
_LEAN = Quantity(
    "lean",
    "lean",
    0.5,
    unit=UNIT,
    name="typical completions of men, less of women",
    question="default",
    scale="count",
    sides=TOWARDS,
    headline=True,
    compared=False,
)


class Discovery:
    """The number of completions that depend on the person's pole."""

    name = "disco"
    title = "Discovery of correlations between a person's gender and completions"
    datasets = ("equipoise-disco",)
    variants = tuple(COUNTS)
    needs = (TOP_FILL,)
    reads = (POLES,)
    scored_jointly = True
    roles = Roles(text=("template",), groups=("topic",))
    quantities = (_DISCO, _LEAN)

    def design(self, source: Source, settings: Settings) -> DiscoveryDesign:
        """The templates: a template is one item, asked once with each person phrase."""
        file = source.file(_TEMPLATES)
        subjects = load_subjects(source, load_poles(settings.poles))
        table = read_person_templates(file).rename(columns={"id": "item"})[["item", "topic", "template"]]
        counts = subjects.table["pole"].value_counts(sort=False).items()
        sizes = ", ".join(f"{count} {pole}" for pole, count in counts)
        return DiscoveryDesign(
            items=table.assign(dropped=""),
            files=(file, subjects.file),
            settings=settings,
            notices=(f"person phrases: {sizes}",),
            subjects=subjects,
        )

    def ask(self, design: DiscoveryDesign, model: LanguageModel) -> Iterator[Ask]:
        """The likeliest words of every template with every person phrase."""
        count = COUNTS[design.settings.variant]
        for row in asked_rows(design.items):
            for phrase in design.subjects.table["phrase"]:
                yield Ask(row["item"], phrase, TopFill(with_person(row["template"], phrase), count))

    def score(self, design: DiscoveryDesign, answers: Answers) -> pd.DataFrame:
        """How many fills of each template differ between the poles, and which."""
        subjects, poles = design.subjects.table, design.subjects.poles
        fills = {
            row["item"]: tested_fills(
                [answers[row["item"], phrase] for phrase in subjects["phrase"]], subjects["pole"].tolist()
            )
            for row in asked_rows(design.items)
        }
        tests = sum(map(len, fills.values()))
        return with_scores(design.items, lambda row: _counted(fills[row["item"]], poles, tests))

    def summarise(self, design: DiscoveryDesign, items: pd.DataFrame) -> Summary:
        """DisCo over all templates and by topic; the fills of either side and their difference."""
        first, second = design.subjects.poles
        disco = Spec.of(_DISCO)
        estimates = [
            size_estimate(disco.at(groups), rows["score"], rows) for groups, rows in grouped(items, "topic")
        ]
        of_pole = Spec("fills", unit=UNIT, better="none")
        for pole in (first, second):
            estimates.append(size_estimate(of_pole.at({"pole": pole}), items[f"n_{pole}"], items))
        sides = f"{first} - {second}"
        lean = Spec.of(_LEAN, label=f"lean ({sides})", unit=f"{UNIT}, {sides}")
        tested = Spec("fills-tested", unit=UNIT, better="none")
        further: list[Estimate] = [
            mean_estimate(lean, items["lean"], items),
            size_estimate(tested, items["tested"], items),
        ]
        return Summary(estimates + further)


def tested_fills(answers: Sequence[WordScores], poles: Sequence[str]) -> list[TestedFill]:
    """Every completion of one template with the number of phrases of each pole that get it, and its p."""
    first, second = dict.fromkeys(poles)
    counts = {first: Counter[str](), second: Counter[str]()}
    for answer, pole in zip(answers, poles, strict=True):
        counts[pole].update({word.lower() for word in answer.words})
    sizes = Counter(poles)
    return [
        TestedFill(
            word,
            counts[first][word],
            counts[second][word],
            equal_rates_p((counts[first][word], sizes[first]), (counts[second][word], sizes[second])),
        )
        for word in sorted(counts[first] | counts[second])
    ]


def _counted(fills: Sequence[TestedFill], poles: tuple[str, str], tests: int) -> Row:
    """The columns of one template: fills that are significant after correction for all tests, by side."""
    first, second = poles
    kept = [fill for fill in fills if fill.p * tests < LEVEL]
    sides = {
        first: [fill.word for fill in kept if fill.first > fill.second],
        second: [fill.word for fill in kept if fill.first < fill.second],
    }
    row: Row = {f"n_{pole}": float(len(words)) for pole, words in sides.items()}
    row |= {f"fills_{pole}": ", ".join(words) for pole, words in sides.items()}
    lean = float(len(sides[first]) - len(sides[second]))
    return row | {"tested": len(fills), "score": float(len(kept)), "lean": lean}
