"""Writes the tables of docs/controls.md and docs/published.md from what the two commands wrote.

    equipoise study controls --out results/controls
    equipoise verify --model bert-base-uncased --data-dir data --out results/proof
    python -m recipes.proof_pages results/controls results/proof

The tables are kept in `benchmarks/controls.csv` and `benchmarks/published.csv`; without folders the pages are
written from those.
"""

import sys
from pathlib import Path

import pandas as pd

from equipoise.studies.proof.controls import in_unit
from equipoise.studies.proof.verifying import NOT_CHECKED

ROOT = Path(__file__).resolve().parents[1]
CONTROLS, PUBLISHED = ROOT / "benchmarks/controls.csv", ROOT / "benchmarks/published.csv"
START, END = "<!-- {} -->\n", "<!-- end -->"
DOSE = "dose"


def keep_controls(folder: Path) -> None:
    """Keep every dose and every negative control of a finished `study controls`."""
    tables = [pd.read_csv(folder / name) for name in ("doses.csv", "negative.csv", "weights.csv")]
    tables[2]["control"] = "weights"
    pd.concat(tables).to_csv(CONTROLS, index=False, float_format="%.4g", lineterminator="\n")


def keep_published(folder: Path) -> None:
    """Keep what a finished `verify` could check."""
    table = pd.read_csv(folder / "verify.csv", keep_default_na=False)
    checked = table[table["verdict"] != NOT_CHECKED]
    checked.to_csv(PUBLISHED, index=False, lineterminator="\n")


def doses_table(kept: pd.DataFrame) -> str:
    """The share of draws in which each dose was found, and the smallest that is found in 80 %."""
    doses = kept[kept["control"] == DOSE]
    shares = doses.pivot_table(index="instrument", columns="dose", values="found", sort=False)
    heads = ["test", *(f"{dose:g} nats" for dose in shares.columns), "finds in 8 of 10 draws"]
    rows = [
        [f"`{name}`", *(f"{100 * share:.0f} %" for share in row), limit_in_words(kept, str(name))]
        for name, row in zip(shares.index, shares.to_numpy(), strict=True)
    ]
    return markdown(heads, rows)


def limit_in_words(kept: pd.DataFrame, instrument: str) -> str:
    """The smallest lean that is found in 8 of 10 draws, as docs and cards say it."""
    rows = kept[(kept["control"] == DOSE) & (kept["instrument"] == instrument)].sort_values(DOSE)
    strong = rows[rows["found"] >= 0.8]
    if strong.empty:
        return "none of these"
    return f"{in_unit(float(strong['change'].iloc[0]), str(strong['unit'].iloc[0]))} or more"


def alarms_table(kept: pd.DataFrame) -> str:
    """How often something was found where there is nothing, by test and control."""
    rows = kept[~kept["control"].isin((DOSE, "weights"))]
    counted = rows.assign(alarms=(rows["found"] * rows["draws"]).round().astype(int))
    groups = counted.groupby(["instrument", "control"], sort=False)[["alarms", "draws"]].sum()
    controls = list(dict.fromkeys(rows["control"]))
    cells = []
    for name in dict.fromkeys(rows["instrument"]):
        row = [f"`{name}`"]
        for control in controls:
            alarms, draws = groups.loc[(name, control)] if (name, control) in groups.index else (0, 0)
            shown = f"{100 * alarms / draws:.1f} %" if draws > 100 else f"{alarms} of {draws}"
            row.append(shown if draws else "-")
        cells.append(row)
    return markdown(["test", *controls], cells)


def weights_table(kept: pd.DataFrame) -> str:
    """How far each test moved after a dose was put into the weights."""
    cells = [
        [f"`{row['instrument']}`", f"{row['change']:.2f} [{row['low']:.2f}, {row['high']:.2f}]", row["unit"]]
        for row in kept[kept["control"] == "weights"].to_dict("records")
    ]
    return markdown(["test", "moves towards the stereotype by", "unit"], cells)


def published_tables(kept: pd.DataFrame) -> str:
    """A table for each source, with the reasons for differences and what other tools print below it."""
    parts = []
    for source, rows in kept.groupby("source", sort=False):
        cells = [
            [
                row["figure"],
                f"{float(row['published']):g}",
                *(_number(row, name) for name in NUMBERS),
                row["verdict"],
            ]
            for row in rows.to_dict("records")
        ]
        notes = [text for text in dict.fromkeys([*rows["reason"], *rows["other_tools"]]) if text]
        table = markdown(["figure", "published", "as published", "corrected", "verdict"], cells)
        parts.append("\n".join([f"## {source}\n", table, *(f"- {note}" for note in notes), ""]))
    return "\n".join(parts)


NUMBERS = ("as_published", "corrected")


def _number(row: dict[str, str], name: str) -> str:
    value = row[name]
    return (
        f"{float(value):.{3 if abs(float(row['published'])) < 10 else 2}f}"
        if value not in ("", "nan")
        else "-"
    )


def markdown(heads: list[str], rows: list[list[str]]) -> str:
    """A table; a blank line ends it."""
    lines = [heads, ["---"] * len(heads), *rows]
    return "".join(f"| {' | '.join(map(str, line))} |\n" for line in lines) + "\n"


def tables() -> dict[str, dict[str, str]]:
    """Every table by page and mark."""
    controls = pd.read_csv(CONTROLS)
    checked = pd.read_csv(PUBLISHED, dtype=str, keep_default_na=False)
    made = {
        "doses": doses_table(controls),
        "alarms": alarms_table(controls),
        "weights": weights_table(controls),
    }
    return {"docs/controls.md": made, "docs/published.md": {"checked": published_tables(checked)}}


def page_with(text: str, marks: dict[str, str]) -> str:
    """A page with its tables written anew between their marks."""
    for mark, table in marks.items():
        start = START.format(mark)
        before, _, rest = text.partition(start)
        text = f"{before}{start}\n{table}{END}{rest.partition(END)[2]}"
    return text


def main(folders: list[str]) -> None:
    """Keep the tables of the given folders and write the pages."""
    if folders:
        controls, published = map(Path, folders)
        keep_controls(controls)
        keep_published(published)
    for page, marks in tables().items():
        path = ROOT / page
        path.write_text(page_with(path.read_text("utf-8"), marks), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
