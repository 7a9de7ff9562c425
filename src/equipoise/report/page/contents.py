"""What a page holds: the first screen, a part for each question, every item, limits and provenance."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import filterfalse

import pandas as pd

from equipoise.errors import UserError
from equipoise.instruments import INSTRUMENTS, instrument_card
from equipoise.report.answers import Answer
from equipoise.report.between import between_models
from equipoise.report.corpus_findings import SavedCorpus
from equipoise.report.explorer import explorer_data
from equipoise.report.figures import figures_of
from equipoise.report.figures.survey import cooccurrence_figures, mention_figures
from equipoise.report.files import Figure, Section, Table
from equipoise.report.findings import THIS_MODEL, Findings, say
from equipoise.report.measurements import (
    MeasuredModel,
    Measurement,
    measured_models,
    measurements,
    slug,
)
from equipoise.report.page.screen import (
    MOST_SENTENCES,
    Screen,
    anchor_of,
    answer_words,
    corpus_screen,
    screen_of,
)
from equipoise.report.page.several import SeveralScreen, several_screen
from equipoise.report.page.studied import study_screen
from equipoise.report.paper_tables import is_printed, paper_sentences, paper_tables
from equipoise.report.sections import Study, section_of
from equipoise.report.tables import data_table, estimates_table, headline_table, provenance_table
from equipoise.results import Result
from equipoise.results.quantity import QUESTIONS

LIMITS = (
    "That a model is fair: a number near neutral says that one method, on these sentences, found no lean.",
    "What a product does to people: a language model is asked what it expects in short sentences. What an "
    "application makes of that has to be measured there.",
    "Whether a lean is wrong: some of it follows the statistics of the world, or of the text that a model "
    "read. Whether it is wanted depends on the use.",
    "What other phrasings would give: intervals say how far other items of the same kind would move a "
    "number. Tests ask different things and often disagree, so read several.",
    "Anybody the word lists leave out: most tests compare two genders, in English.",
)
"""What numbers of this kind cannot show."""

CORPUS_LIMITS = (
    "Why people are mentioned, or how they are portrayed: counts say who stands in the text and beside which "
    "words.",
    "What a model learns from this text: train one and measure it.",
    "Anybody whom pronouns, titles and gendered nouns do not tell apart.",
)
"""What counts of a corpus cannot show."""

OTHER = "other"
"""The part of measurements that answer none of the questions."""


@dataclass(frozen=True)
class Part:
    """A part of the page below the first screen: a question, or what a study wrote."""

    name: str
    title: str
    sections: Sequence[Section]
    verdicts: Sequence[str] = ()
    aliases: Mapping[str, str] = field(default_factory=dict)
    """Other questions that this part answers: the names by which links find it, with their titles."""

    @property
    def short(self) -> str:
        """The title up to its colon, for the list of the parts."""
        return self.title.partition(":")[0]


@dataclass(frozen=True)
class Contents:
    """Everything that a page shows."""

    title: str
    when: str
    asked: str
    models: Sequence[MeasuredModel]
    screens: Sequence[Screen]
    several: SeveralScreen | None
    parts: Sequence[Part]
    notes: Sequence[str]
    about: Sequence[Table]
    explorer: str
    limits: Sequence[str] = LIMITS

    @property
    def sections(self) -> list[Section]:
        """Every section of every part."""
        return [section for part in self.parts for section in part.sections]

    @property
    def figures(self) -> list[Figure]:
        """Every chart of the page."""
        return [figure for section in self.sections for figure in section.figures]

    @property
    def tables(self) -> list[Table]:
        """Every table of the page."""
        inside = [table for section in self.sections for table in (*section.tables, *section.details)]
        return [*inside, *self.about]


def contents_of(
    results: Sequence[Result], studies: Sequence[Study] = (), corpora: Sequence[SavedCorpus] = ()
) -> Contents:
    """What a page of these results, studies and corpora holds."""
    if not results and not studies and not corpora:
        raise UserError("There is nothing to report.", "Give at least one result folder.")
    models, asked = measured_models(results), measurements(results)
    of_model = [[one.results[model.label] for one in asked if model.label in one.results] for model in models]
    # A page about one model has its name above the headline.
    findings = [say(held, THIS_MODEL if len(models) == 1 else "") for held in of_model]
    measured = _in_order(asked, findings)
    between = between_models(measured) if len(models) > 1 else None
    # Without results the first screen has said a study's first sentences already.
    said = 0 if results else 1 + MOST_SENTENCES
    studied = [replace(one, sentences=one.sentences[said:]) for one in map(section_of, studies)]
    asked_words = _asked(measured, findings)
    screens = [
        screen_of(model.label, said, held, asked_words)
        for model, said, held in zip(models, findings, of_model, strict=True)
    ] or [study_screen(one) for one in studies]
    names = [model.label for model in models] or [study.title for study in studies]
    names += [corpus.name for corpus in corpora]
    return Contents(
        title=", ".join(names[:4]) + (f" and {len(names) - 4} more" if len(names) > 4 else ""),
        when=_when(results),
        asked=asked_words,
        models=models,
        screens=[*screens, *map(corpus_screen, corpora)],
        several=several_screen(findings, of_model, between.changes) if between else None,
        parts=[
            *([Part("between", between.section.title, [between.section])] if between else []),
            *_parts(measured, findings),
            *(Part(section.name, section.title, [section]) for section in studied),
            *map(_corpus_part, corpora),
        ],
        notes=_notes(results, models),
        about=[provenance_table(models), data_table(measured)] if measured else [],
        explorer=explorer_data(measured),
        limits=CORPUS_LIMITS if corpora and not results else LIMITS,
    )


def _in_order(measured: Sequence[Measurement], findings: Sequence[Findings]) -> list[Measurement]:
    """The measurements by question; those that give the answers of the first screen come first."""
    order = (*QUESTIONS, OTHER)
    leads = {answer.instrument for said in findings for answer in said.answers}
    return sorted(measured, key=lambda one: (order.index(question_of(one)), one.instrument not in leads))


def _parts(measured: Sequence[Measurement], findings: Sequence[Findings]) -> list[Part]:
    """A part for each question in their order, then one for what answers none of them."""
    by_question: dict[str, list[Measurement]] = {}
    for one in measured:
        by_question.setdefault(question_of(one), []).append(one)
    places = _places(by_question, findings)
    ordered = [name for name in (*QUESTIONS, OTHER) if name in by_question]
    return [
        Part(
            anchor_of(name),
            QUESTIONS.get(name, "Other measurements"),
            [measurement_section(one) for one in by_question[name]],
            _verdicts(findings, [question for question, place in places.items() if place == name]),
            {
                anchor_of(question): QUESTIONS.get(question, question)
                for question, place in places.items()
                if place == name != question
            },
        )
        for name in ordered
    ]


def _places(by_question: Mapping[str, Sequence[Measurement]], findings: Sequence[Findings]) -> dict[str, str]:
    """The part that shows each answered question: its own, or that of the instrument that answers it."""
    of_instrument = {one.instrument: name for name, held in by_question.items() for one in held}
    return {
        answer.question: answer.question
        if answer.question in by_question
        else of_instrument[answer.instrument]
        for said in findings
        for answer in said.answers
    }


def _verdicts(findings: Sequence[Findings], questions: Sequence[str]) -> list[str]:
    """What every model's answers to these questions are."""
    several = len(findings) > 1
    return [
        f"{f'{said.model}: ' if several else ''}{_verdict(answer)}"
        for question in questions
        for said in findings
        for answer in said.answers
        if answer.question == question
    ]


def _verdict(answer: Answer) -> str:
    words = answer_words(answer)
    return answer.sentence if answer.sentence.startswith(words) else f"{words}. {answer.sentence}"


def _corpus_part(corpus: SavedCorpus) -> Part:
    """The charts and tables of a corpus."""
    name = slug(f"corpus {corpus.name}")
    tables = [
        Table(f"{name}-{kind}", title, list(map(str, rows.columns)), rows.astype(object).to_numpy().tolist())
        for kind, title, rows in (
            ("mentions", "People mentioned, by group and role", corpus.tables["mentions"]),
            ("words", "Words of the lists near women and men", _whole(corpus.tables["cooccurrence"])),
            ("drivers", "Documents that move the numbers most", corpus.tables["drivers"]),
        )
    ]
    figures = cooccurrence_figures(corpus.tables["cooccurrence"]) + mention_figures(corpus.tables["mentions"])
    title = f"Women and men in {corpus.name}"
    return Part(name, title, [Section(name, title, figures=figures, details=tables)])


def _whole(cooccurrence: pd.DataFrame) -> pd.DataFrame:
    return cooccurrence[cooccurrence["by"] == "all"]


def question_of(measured: Measurement) -> str:
    """The question that a measurement answers: of several, the first in the order of the page."""
    asked = {one.question for one in measured.first.declared if one.headline and one.part == "bias"}
    return next((question for question in QUESTIONS if question in asked), OTHER)


def _when(results: Sequence[Result]) -> str:
    """The days on which the results were measured."""
    days = sorted({str(result.provenance.get("created", ""))[:10] for result in results} - {""})
    return " to ".join(dict.fromkeys((days[0], days[-1]))) if days else ""


def _asked(measured: Sequence[Measurement], findings: Sequence[Findings]) -> str:
    """How much was asked, in a few words."""
    if not measured:
        return ""
    questions = len({answer.question for said in findings for answer in said.answers})
    items = max(
        sum(len(one.results[label].items) for one in measured if label in one.results)
        for label in {label for one in measured for label in one.results}
    )
    return f"· {questions} question{'' if questions == 1 else 's'}, {items:,} sentences"


def measurement_section(measured: Measurement) -> Section:
    """The section of one instrument: words, charts, tables and its card."""
    several = len(measured.results) > 1
    sentences = [
        f"{label}: {sentence}" if several else sentence
        for label, result in measured.results.items()
        for sentence in result.sentences
    ]
    notes = [
        f"{label}: {notice}" if several else notice
        for label, result in measured.results.items()
        for notice in result.notices
    ]
    papers = paper_tables(measured)
    return Section(
        measured.name,
        measured.title,
        sentences=[*sentences, *paper_sentences(measured)],
        notes=list(dict.fromkeys(notes)),
        figures=figures_of(measured),
        tables=[headline_table(measured), *filter(is_printed, papers)],
        details=[*filterfalse(is_printed, papers), estimates_table(measured)],
        card=card_of(measured.instrument),
    )


def _notes(results: Sequence[Result], models: Sequence[MeasuredModel]) -> list[str]:
    """What a reader must know of all of it: notes of the models, results of different versions."""
    notes = [
        f"{model.label}: {note.replace(model.name, model.label)}" for model in models for note in model.notes
    ]
    versions = {str(result.provenance.get("versions", {}).get("equipoise", "")) for result in results} - {""}
    if len(versions) > 1:
        notes.append(
            "These results were measured with different versions of equipoise, which may be why they differ: "
            f"{', '.join(sorted(versions))}."
        )
    return notes


_HEADING = re.compile(r"^([A-Z][A-Za-z ]{1,11}?)\s{2,}(?=\S)")


def card_of(instrument: str) -> list[tuple[str, str]]:
    """The card of an instrument as pairs of heading and text; none for an instrument of the user's own."""
    return card_parts(instrument_card(instrument)) if instrument in INSTRUMENTS.usable() else []


def card_parts(card: str) -> list[tuple[str, str]]:
    """A card as pairs of heading and text."""
    first, _, body = card.partition("\n")
    parts: list[list[str]] = [["Method", first.strip()]]
    for line in body.splitlines():
        heading = _HEADING.match(line)
        if heading:
            parts.append([heading[1], line[heading.end() :].strip()])
        elif line.strip():
            parts[-1][1] += " " + line.strip()
    return [(heading, text) for heading, text in parts]
