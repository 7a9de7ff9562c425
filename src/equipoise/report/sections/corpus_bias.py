"""What corpora teach: every arm against the flattened model."""

from equipoise.report.elements import Figure
from equipoise.report.figures.arms import arm_figures
from equipoise.report.sections import Study


def figures(study: Study) -> list[Figure]:
    """Every number by arm, and by what it is split by."""
    return arm_figures(study.name, study.tables.get("corpus-bias"))
