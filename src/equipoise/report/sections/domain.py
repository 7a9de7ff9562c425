"""A domain: the paper's figures, then every number by arm, category and group."""

from collections.abc import Iterator

import pandas as pd

from equipoise.instruments.parts.corpus_items import SEPARATOR
from equipoise.report.figures.arms import COLUMNS, arm_figures
from equipoise.report.figures.both_sides import NEAR, near_rows, side_figure
from equipoise.report.figures.dots import dot, dot_figure
from equipoise.report.figures.gender_bars import GENDERS, MOST, gender_bars
from equipoise.report.figures.style import Row
from equipoise.report.files import Figure
from equipoise.report.sections import Study

LOSSES = {"arm", "loss", "low", "high"}
PROBABILITIES = {
    "arm",
    "by",
    "level",
    *(f"{gender}{end}" for gender in GENDERS for end in ("", "_low", "_high")),
}
WORDS = {"arm", "target", "categories", "cosine_male", "cosine_female", "n_male", "n_female"}
PAIRS = (("strength", "weakness"), ("intelligence", "appearance"), ("career", "family"))
"""Categories that the paper draws in one chart; others have a chart together."""


def figures(study: Study) -> list[Figure]:
    """Figs. 1 to 8 and 11 to 16 of the paper, then each number of each instrument."""
    name = study.name
    return [
        *_losses(name, study.table("losses", LOSSES)),
        *_genders(name, study.table("probabilities", PROBABILITIES)),
        *_words(name, study.table("words", WORDS)),
        *arm_figures(name, study.table("domain", COLUMNS)),
    ]


def _losses(name: str, table: pd.DataFrame) -> Iterator[Figure]:
    """Fig. 1."""
    rows = [dot(str(row["arm"]), row["loss"], row["low"], row["high"]) for row in table.to_dict("records")]
    if rows:
        axis = "cross-entropy (nats per hidden word; lower is better)"
        best = min(rows, key=lambda row: float(row["value"]))["name"]
        yield dot_figure(f"{name} loss", f"Loss on held-out text: lowest with {best}", rows, axis=axis)


def _genders(name: str, table: pd.DataFrame) -> Iterator[Figure]:
    """Fig. 6, then Figs. 7, 8, 11 and 12: a chart for each arm and each thing that contexts are split by."""
    if table.empty:
        return
    known = table.fillna({"by": "", "level": ""}).dropna(subset=list(GENDERS))
    for by, rows in known.groupby("by", sort=False):
        if not by:
            yield gender_bars(f"{name} women and men", "Women and men by arm", _bars(rows, "arm"))
            continue
        for arm, own in rows.groupby("arm", sort=False):
            if 1 < len(own) <= MOST:
                title = f"{arm}: women and men by {by}"
                yield gender_bars(f"{name} {arm} women and men by {by}", title, _bars(own, "level"))


def _bars(rows: pd.DataFrame, named: str) -> list[Row]:
    return [{"name": str(row[named]), **row} for row in rows.to_dict("records")]


def _words(name: str, table: pd.DataFrame) -> Iterator[Figure]:
    """Figs. 2 to 5 and 13 to 16: the words of two categories in each arm."""
    if table.empty:
        return
    first = table["categories"].astype(str).str.split(SEPARATOR).str[0]
    others = tuple(sorted(set(first) - {one for pair in PAIRS for one in pair}))
    for pair in (*PAIRS, others):
        for arm, words in table[first.isin(pair)].groupby("arm", sort=False):
            rows = near_rows(words)
            if rows:
                said = " and ".join(pair)
                title = f"{arm}: words of {said}"
                yield side_figure(f"{name} {arm} words {said}", (title, *NEAR[1:]), rows)


FIGURES = {"domain": figures}
