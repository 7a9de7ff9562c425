"""Figures: the charts of a measurement, those of its own instrument first."""

from collections.abc import Callable, Mapping

from equipoise.report.figures.association import association_figures
from equipoise.report.figures.both_sides import side_figures
from equipoise.report.figures.corpora import corpus_figures
from equipoise.report.figures.distribution import distribution_figures
from equipoise.report.figures.gender_bars import gender_figures
from equipoise.report.figures.groups import group_figures
from equipoise.report.figures.professions import profession_figures
from equipoise.report.figures.skew import skew_figures
from equipoise.report.files import Figure
from equipoise.report.measurements import Measurement

Maker = Callable[[Measurement], list[Figure]]

MAKERS: tuple[Maker, ...] = (group_figures, profession_figures, distribution_figures)
"""What draws every measurement."""

MOST_MODELS = 8
"""Of more models a chart of groups or professions is metres long; their numbers stand in the table."""

OWN_MAKERS: Mapping[str, tuple[Maker, ...]] = {
    "association": (association_figures,),
    "contexts": (side_figures, gender_figures, corpus_figures),
    "cosine": (side_figures, corpus_figures),
    "stereotype-skew": (skew_figures,),
}
"""What draws the measurements of one instrument, before the others."""


def figures_of(measured: Measurement) -> list[Figure]:
    """Every chart that the measurement has something for."""
    shared = MAKERS if len(measured.results) <= MOST_MODELS else (distribution_figures,)
    makers = (*OWN_MAKERS.get(measured.instrument, ()), *shared)
    return [figure for make in makers for figure in make(measured)]
