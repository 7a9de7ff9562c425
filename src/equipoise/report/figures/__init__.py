"""Figures: the charts of a measurement, each one file that gives none where it has nothing to show."""

from equipoise.report.elements import Figure
from equipoise.report.figures.association import association_figures
from equipoise.report.figures.both_sides import side_figures
from equipoise.report.figures.corpora import corpus_figures
from equipoise.report.figures.distribution import distribution_figures
from equipoise.report.figures.gender_bars import gender_figures
from equipoise.report.figures.groups import group_figures
from equipoise.report.figures.professions import profession_figures
from equipoise.report.figures.skew import skew_figures
from equipoise.report.measurements import Measurement

MAKERS = (
    skew_figures,
    side_figures,
    gender_figures,
    corpus_figures,
    association_figures,
    group_figures,
    profession_figures,
    distribution_figures,
)


def figures_of(measured: Measurement) -> list[Figure]:
    """Every chart that the measurement has something for."""
    return [figure for make in MAKERS for figure in make(measured)]
