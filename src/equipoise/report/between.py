"""Between the models: each difference tested, and how far the instruments agree in ranking them."""

from collections.abc import Sequence
from itertools import combinations
from typing import Any, NamedTuple

import pandas as pd

from equipoise.errors import UserError
from equipoise.report.changes import Changes, say_changes
from equipoise.report.figures.style import chart, values
from equipoise.report.files import Figure, Section, Table
from equipoise.report.measurements import Measurement
from equipoise.results.comparison import compare_pairs
from equipoise.results.comparison.pairing import Paired, check_comparable, pair
from equipoise.results.records import fixed
from equipoise.studies.models import FEWEST_MODELS, concordance, rank_agreement, rank_matrix, rank_results

MOST_MODELS = 4
"""With more models than these each is compared with the first one only."""

_VERDICT_COLUMNS = {
    "instrument": "instrument",
    "label": "quantity",
    "first": "first",
    "second": "second",
    "first_value": "first value",
    "second_value": "second value",
    "low": "difference, low",
    "high": "difference, high",
    "verdict": "verdict",
    "change": "second is",
}


class Between(NamedTuple):
    """The comparison of several models: its sentences about each pair, and its section of the page."""

    changes: list[Changes]
    section: Section


def between_models(measured: Sequence[Measurement]) -> Between | None:
    """Compare two or more models; None for a single one."""
    labels = list(dict.fromkeys(label for one in measured for label in one.results))
    if len(labels) < 2:
        return None
    pairs, notes = _pairs(measured, len(labels) <= MOST_MODELS)
    tables: list[Table] = []
    sentences: list[str] = []
    changes: list[Changes] = []
    if pairs:
        compared = compare_pairs(pairs)
        tables.append(_table("verdicts", "Differences, second less first", compared.table, _VERDICT_COLUMNS))
        sentences += compared.sentences()
        changes = say_changes(compared, [result for one in measured for result in one.results.values()])
    agreement = _agreement(measured)
    section = Section(
        "between",
        "Between the models",
        sentences=(*agreement.sentences, *sentences),
        notes=(*notes, *agreement.notes),
        figures=agreement.figures,
        tables=(*agreement.tables, *tables),
    )
    return Between(changes, section)


def _pairs(measured: Sequence[Measurement], every: bool) -> tuple[list[Paired], list[str]]:
    """The pairs of results that can be compared, and why others cannot."""
    pairs: list[Paired] = []
    notes = [] if every else ["More than four models: each is compared with the first one."]
    for one in measured:
        results = list(one.results.values())
        chosen = list(combinations(results, 2))
        for first, second in chosen if every else chosen[: len(results) - 1]:
            try:
                check_comparable([first, second])
                pairs.append(pair(first, second))
            except UserError as error:
                notes.append(f"Not compared. {error.message} {error.hint}")
    return pairs, notes


def _agreement(measured: Sequence[Measurement]) -> Section:
    """The ranks of the models by each instrument, and how alike they are."""
    rankings, notes = [], []
    for one in measured:
        if len(one.results) >= FEWEST_MODELS:
            try:
                ranking = rank_results(list(one.results.values()), by_group=False)
                rankings.append(ranking.assign(instrument=one.name))
            except UserError as error:
                notes.append(f"{one.name}: not ranked. {error.message}")
    if not rankings:
        return Section("", "", notes=notes)
    ranking = pd.concat(rankings, ignore_index=True)
    agreement = rank_agreement(ranking)
    ranks = rank_matrix(ranking)
    tables = []
    sentences = []
    if len(agreement):
        tables.append(_table("agreement", "Rank correlation of instruments", agreement))
        sentences.append(
            f"Over {len(ranks)} models the {len(ranks.columns)} instruments' rankings agree with W = "
            f"{fixed(concordance(agreement), 2)} (1: all rank alike; 0: not at all)."
        )
    return Section("", "", sentences, notes, [_rank_figure(ranks)] if len(ranks) else [], tables)


def _rank_figure(ranks: pd.DataFrame) -> Figure:
    """A cell for each model and instrument with its rank, 1 nearest to what is good."""
    rows = [
        {"model": str(model), "instrument": str(name), "rank": int(rank)}
        for model, row in ranks.iterrows()
        for name, rank in row.items()
    ]
    across = {
        "field": "instrument",
        "type": "nominal",
        "sort": None,
        "title": None,
        "axis": {"labelAngle": -30},
    }
    down = {"field": "model", "type": "nominal", "sort": None, "title": None}
    shade = {
        "field": "rank",
        "type": "quantitative",
        "scale": {"scheme": "blues", "reverse": True},
        "legend": None,
    }
    middle = (len(ranks) + 1) / 2
    ink = {"condition": {"test": f"datum.rank < {middle}", "value": "white"}, "value": "#1b1f24"}
    layers: list[dict[str, Any]] = [
        {"mark": {"type": "rect"}, "encoding": {"x": across, "y": down, "color": shade}},
        {
            "mark": {"type": "text", "fontWeight": "bold"},
            "encoding": {"x": across, "y": down, "text": {"field": "rank"}, "color": ink},
        },
    ]
    told = "; ".join(f"{row['model']} by {row['instrument']}: {row['rank']}" for row in rows)
    title = "Rank of each model by each instrument (1: nearest to what is good)"
    return Figure(
        "ranks", title, f"{title}. {told}.", chart(layers, height=28 * len(ranks), data=values(rows))
    )


def _table(name: str, title: str, frame: pd.DataFrame, columns: "dict[str, str] | None" = None) -> Table:
    chosen = frame if columns is None else frame[list(columns)].rename(columns=columns)
    return Table(
        name, title, [str(column) for column in chosen.columns], chosen.to_numpy(dtype=object).tolist()
    )
