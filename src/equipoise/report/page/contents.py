"""What a page holds: the models, the numbers to read first, a section for each measurement, every item."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from equipoise.errors import UserError
from equipoise.report.between import between_section
from equipoise.report.cards import card_of
from equipoise.report.elements import Figure, Section, Table
from equipoise.report.explorer import explorer_data
from equipoise.report.figures import figures_of
from equipoise.report.figures.headlines import headline_figure
from equipoise.report.measurements import (
    MeasuredModel,
    Measurement,
    data_name,
    measured_models,
    measurements,
)
from equipoise.report.paper_tables import SHORT, paper_tables
from equipoise.report.sections import Study, section_of
from equipoise.report.tables import data_table, estimates_table, headline_table, provenance_table
from equipoise.results import Result


class Limits(NamedTuple):
    """What numbers cannot show: the gist in a line, and each point in a sentence."""

    gist: str
    sentences: tuple[str, ...]


LIMITS = Limits(
    "That a model is fair, what a product does to people, whether a lean is wrong, what other ways to ask "
    "would give, and whoever the word lists leave out.",
    (
        "That a model is fair: a number near neutral says that one method, on these sentences, saw no lean.",
        "What a product does to people: a language model is asked what it expects in short sentences; what "
        "an application makes of that has to be measured there.",
        "Whether a lean is wrong: some of it follows the statistics of the world or of the text that a "
        "model read; whether it is wanted depends on the use.",
        "What other ways to ask would give: intervals say how far other items of the same kind would move a "
        "number. Instruments ask different things and often disagree: read several.",
        "Whoever the word lists leave out: most instruments compare two genders, in English.",
    ),
)


@dataclass(frozen=True)
class Contents:
    """Everything that a page shows."""

    title: str
    models: Sequence[MeasuredModel]
    readings: Sequence[tuple[str, str, Sequence[str]]]
    """Model, instrument and what the instrument says of the model."""
    notes: Sequence[str]
    headlines: Figure | None
    sections: Sequence[Section]
    about: Sequence[Table]
    explorer: str
    data: Sequence[str] = ()
    """Which instrument was asked on which data."""
    limits: Limits = LIMITS

    @property
    def figures(self) -> list[Figure]:
        """Every chart of the page."""
        first = [self.headlines] if self.headlines is not None else []
        return first + [figure for section in self.sections for figure in section.figures]

    @property
    def tables(self) -> list[Table]:
        """Every table of the page."""
        inside = [table for section in self.sections for table in (*section.tables, *section.details)]
        return [*inside, *self.about]


def contents_of(results: Sequence[Result], studies: Sequence[Study] = ()) -> Contents:
    """What a page of these results and studies holds."""
    if not results and not studies:
        raise UserError("There is nothing to report.", "Give at least one result folder.")
    models, measured = measured_models(results), measurements(results)
    between = between_section(measured)
    sections = [
        *([between] if between else []),
        *map(measurement_section, measured),
        *map(section_of, studies),
    ]
    names = [model.label for model in models] or [study.title for study in studies]
    return Contents(
        title=", ".join(names[:4]) + (f" and {len(names) - 4} more" if len(names) > 4 else ""),
        models=models,
        readings=[
            (label, one.instrument, result.sentences)
            for one in measured
            for label, result in one.results.items()
        ],
        notes=_notes(results, models),
        headlines=headline_figure(measured) if measured else None,
        sections=sections,
        about=[provenance_table(models), data_table(measured)] if measured else [],
        explorer=explorer_data(measured),
        data=[f"{one.instrument} on {data_name(one.first)}" for one in measured],
    )


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
        sentences=sentences,
        notes=list(dict.fromkeys(notes)),
        figures=figures_of(measured),
        tables=[headline_table(measured), *(table for table in papers if len(table.rows) <= SHORT)],
        details=[*(table for table in papers if len(table.rows) > SHORT), estimates_table(measured)],
        card=card_of(measured.instrument),
    )


def _notes(results: Sequence[Result], models: Sequence[MeasuredModel]) -> list[str]:
    """What a reader must know of all of it: notes of the models, results of different versions."""
    notes = [f"{model.label}: {note}" for model in models for note in model.notes]
    versions = {str(result.provenance.get("versions", {}).get("equipoise", "")) for result in results} - {""}
    if len(versions) > 1:
        notes.append(
            "These results were measured with different versions of equipoise, which may be why they differ: "
            f"{', '.join(sorted(versions))}."
        )
    return notes
