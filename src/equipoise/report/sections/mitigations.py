"""The picture of several mitigations: how much bias each removes against what it costs."""

from typing import Any

from equipoise.report.elements import Figure
from equipoise.report.figures.style import ABOVE, BELOW, UNCLEAR, chart, upright_interval, values
from equipoise.report.sections import Study
from equipoise.results.numbers import fixed

TABLE = "mitigations"
COLUMNS = ("method", "removed", "price", "front", "dominated_by")
"""What the picture needs of the study's table, a row per method."""

FRONT, BEATEN, UNSURE = "on the front", "another is better in both", "not sure to lower the average"


def figures(study: Study) -> list[Figure]:
    """The Pareto front, where the study wrote its table."""
    table = study.tables.get(TABLE)
    if table is None or not set(COLUMNS) <= set(table.columns):
        return []
    known = table[table["removed"].notna() & table["price"].notna()]
    if known.empty:
        return []
    rows = [_row(row) for row in known.to_dict("records")]
    title = "Bias removed against what it costs"
    told = "; ".join(
        f"{row['method']}: removes {fixed(row['removed'], 0)} %, costs {fixed(row['price'], 1)} %, "
        f"{row['reading']}"
        for row in rows
    )
    return [Figure("mitigations-pareto", title, f"{title}. {told}.", _spec(rows))]


def _row(row: "dict[Any, Any]") -> dict[str, Any]:
    """A method in per cent, with the interval of what it removes where the study has one."""
    ends = {end: 100 * float(row.get(f"removed_{end}", "nan")) for end in ("low", "high")}
    return {
        "method": str(row["method"]),
        "removed": 100 * float(row["removed"]),
        "price": 100 * float(row["price"]),
        "reading": _reading(row),
        **ends,
    }


def _reading(row: "dict[Any, Any]") -> str:
    """Whether it is one to choose from; without an interval it can only be beaten by another."""
    if bool(row["front"]):
        return FRONT
    return UNSURE if float(row.get("removed_low", 1.0)) <= 0 else BEATEN


def _spec(rows: list[dict[str, Any]]) -> dict[str, Any]:
    across = {
        "field": "price",
        "type": "quantitative",
        "title": "price: largest loss, % (left: better)",
        "scale": {"zero": True},
    }
    upward = {"type": "quantitative", "title": "bias removed, % (up: better)"}
    scale = {"domain": [FRONT, UNSURE, BEATEN], "range": [ABOVE, BELOW, UNCLEAR]}
    colour = {
        "field": "reading",
        "type": "nominal",
        "scale": scale,
        "legend": {"orient": "top", "title": None},
    }
    at = {"x": across, "y": upward | {"field": "removed"}}
    front = sorted((row for row in rows if row["reading"] == FRONT), key=lambda row: float(row["price"]))
    tooltip = [{"field": name} for name in ("method", "removed", "price", "reading")]
    layers: list[dict[str, Any]] = [
        {
            "data": values(front),
            "mark": {"type": "line", "interpolate": "step-after", "opacity": 0.5, "color": ABOVE},
            "encoding": at,
        },
        upright_interval(across, upward, colour),
        {
            "mark": {"type": "point", "filled": True, "size": 80, "opacity": 1},
            "encoding": {**at, "color": colour, "tooltip": tooltip},
        },
        {
            "mark": {"type": "text", "align": "left", "dx": 8, "dy": -6, "fontSize": 11},
            "encoding": {**at, "text": {"field": "method"}},
        },
    ]
    return chart(layers, height=340, data=values(rows))
