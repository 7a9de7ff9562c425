"""Stereotype and skew: a point and two bars for each model, and the histogram of the probabilities behind."""

from equipoise.report.elements import Figure
from equipoise.report.figures.skew import bars_figure, histogram_figure, skew_figure
from equipoise.report.sections import Study
from equipoise.studies.skew import COLUMNS

TABLE, HISTOGRAM = "skew", "histogram"


def figures(study: Study) -> list[Figure]:
    """The charts of the study's tables, where they can be drawn."""
    table, histogram = study.tables.get(TABLE), study.tables.get(HISTOGRAM)
    made: list[Figure | None] = []
    if table is not None and set(COLUMNS) <= set(table.columns):
        labels = table["label"] if "label" in table else table["model"]
        rows = table.assign(model=labels).to_dict("records")
        made += [skew_figure("skew plane", rows), bars_figure("skew figure 4", rows)]
    if histogram is not None and len(histogram):
        made.append(histogram_figure("skew figure 3", histogram))
    return [figure for figure in made if figure is not None]
