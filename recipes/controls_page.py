"""Writes the tables of docs/controls.md from a finished study; they are kept in benchmarks/controls.csv.

equipoise study controls --out results/controls
python -m recipes.controls_page results/controls
"""

import sys
from pathlib import Path

import pandas as pd

from equipoise.studies.proof.controls import in_unit

ROOT = Path(__file__).resolve().parents[1]
CONTROLS, PAGE = ROOT / "benchmarks/controls.csv", ROOT / "docs/controls.md"
START, END = "<!-- {} -->\n", "<!-- end -->"
DOSE = "dose"


def keep(folder: Path) -> None:
    """Keep every dose and every negative control of a finished `study controls`."""
    tables = [pd.read_csv(folder / name) for name in ("doses.csv", "negative.csv", "weights.csv")]
    tables[2]["control"] = "weights"
    pd.concat(tables).to_csv(CONTROLS, index=False, float_format="%.4g", lineterminator="\n")


def doses_table(kept: pd.DataFrame) -> str:
    """The share of draws in which each dose was found, and the smallest that is found in 80 %."""
    doses = kept[kept["control"] == DOSE]
    shares = doses.pivot_table(index="instrument", columns="dose", values="found", sort=False)
    heads = [
        "test",
        *(f"{dose:g} nat{'s' * (dose != 1)}" for dose in shares.columns),
        "finds in 8 of 10 draws",
    ]
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
            shown = f"{100 * alarms / draws:.1f} %" if draws > 100 else f"{int(alarms)} of {int(draws)}"
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


def markdown(heads: list[str], rows: list[list[str]]) -> str:
    """A table; a blank line ends it."""
    lines = [heads, ["---"] * len(heads), *rows]
    return "".join(f"| {' | '.join(map(str, line))} |\n" for line in lines) + "\n"


def page() -> str:
    """The page with its tables written anew between their marks."""
    kept = pd.read_csv(CONTROLS)
    text = PAGE.read_text("utf-8")
    for mark, table in (("doses", doses_table), ("alarms", alarms_table), ("weights", weights_table)):
        start = START.format(mark)
        before, _, rest = text.partition(start)
        text = f"{before}{start}\n{table(kept)}{END}{rest.partition(END)[2]}"
    return text


if __name__ == "__main__":
    if len(sys.argv) > 1:
        keep(Path(sys.argv[1]))
    PAGE.write_text(page(), encoding="utf-8")
