"""Skew beside stereotype, a point for each model."""

from equipoise.report.elements import Figure
from equipoise.report.figures.skew import skew_figure
from equipoise.report.sections import Study
from equipoise.studies.skew import COLUMNS

TABLE = "skew"


def figures(study: Study) -> list[Figure]:
    """The chart of the study's table, where it can be drawn."""
    table = study.tables.get(TABLE)
    if table is None or not set(COLUMNS) <= set(table.columns):
        return []
    figure = skew_figure("skew study", table.to_dict("records"))
    return [] if figure is None else [figure]
