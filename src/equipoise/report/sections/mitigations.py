"""The picture of several mitigations: how much bias each leaves against what it costs."""

from typing import Any

from equipoise.report.elements import Figure
from equipoise.report.figures.style import ABOVE, UNCLEAR, chart, values
from equipoise.report.sections import Study

BIAS, PRICE, METHOD, DOMINATED = "bias", "price", "method", "dominated"
"""The columns of the table `pareto`, a row per method; `dominated` names one that is better in both."""


def figures(study: Study) -> list[Figure]:
    """The Pareto front, where the study wrote its table."""
    table = study.tables.get("pareto")
    if table is None or not {BIAS, PRICE, METHOD} <= set(table.columns):
        return []
    known = table[table[BIAS].notna() & table[PRICE].notna()]
    if known.empty:
        return []
    rows = [_row(row) for row in known.to_dict("records")]
    title = "Bias that is left against what it costs"
    told = "; ".join(
        f"{row['method']}: bias {row['bias']:.3f}, price {row['price']:.3f}, {row['front']}" for row in rows
    )
    return [Figure(f"{study.name}-pareto", title, f"{title}. {told}.", _spec(rows))]


def _row(row: "dict[Any, Any]") -> dict[str, Any]:
    better = row.get(DOMINATED)
    is_dominated = (isinstance(better, str) and better.strip() not in ("", "no", "False")) or better is True
    front = "another is better in both" if is_dominated else "on the front"
    return {"method": str(row[METHOD]), "bias": float(row[BIAS]), "price": float(row[PRICE]), "front": front}


def _spec(rows: list[dict[str, Any]]) -> dict[str, Any]:
    across = {"field": "price", "type": "quantitative", "title": "price (right: the model lost more)"}
    upward = {"field": "bias", "type": "quantitative", "title": "bias that is left (down: better)"}
    scale = {"domain": ["on the front", "another is better in both"], "range": [ABOVE, UNCLEAR]}
    colour = {"field": "front", "type": "nominal", "scale": scale, "legend": {"orient": "top", "title": None}}
    front = sorted((row for row in rows if row["front"] == "on the front"), key=lambda row: row["price"])
    layers: list[dict[str, Any]] = [
        {
            "data": values(front),
            "mark": {"type": "line", "interpolate": "step-after", "opacity": 0.5, "color": ABOVE},
            "encoding": {"x": across, "y": upward},
        },
        {
            "mark": {"type": "point", "filled": True, "size": 80, "opacity": 1},
            "encoding": {
                "x": across,
                "y": upward,
                "color": colour,
                "tooltip": [{"field": name} for name in rows[0]],
            },
        },
        {
            "mark": {"type": "text", "align": "left", "dx": 8, "dy": -6, "fontSize": 11},
            "encoding": {"x": across, "y": upward, "text": {"field": "method"}},
        },
    ]
    return chart(layers, height=340, data=values(rows))
