"""Pronoun resolution in the form of Tables 1 and 2 of Stereotype and Skew, printed rows below."""

from collections.abc import Sequence
from typing import Any

import pandas as pd

from equipoise.results.numbers import fixed
from equipoise.studies.published import note_on, published_rows, row_of_skew
from equipoise.studies.skew import MEASURED, PRINTED

TABLE_1_KEYS = ("ability-f1-first", "ability-f1-second")
TABLE_2_KEYS = (
    *("f1-first-pro", "f1-first-anti", "f1-second-pro", "f1-second-anti"),
    *("mean-abs-stereotype", "mean-abs-skew"),
)
ROWS = {"base": "BERT", "O": "BERT-O", "U": "BERT-U", "UO": "BERT-UO", "A": "BERT-A", "AO": "BERT-AO"}
"""The arms as the paper calls them; it tuned BERT-base on OntoNotes."""

RIGHT = "held-out pronouns right"


def resolution_tables(table: pd.DataFrame, model: str) -> dict[str, pd.DataFrame]:
    """The two tables; the rows in print are those of BERT-base and stand below arms of that model only."""
    is_bert = row_of_skew(model, has_prior=False) == "BERT"
    kinds = sorted(set(table.loc[table["by"] == "type", "level"])) or [""]
    arms = list(dict.fromkeys(table["arm"]))
    first, second = [], []
    for arm in arms:
        rows = table[table["arm"] == arm]
        abilities = {
            _named(rows, key, kind): _cell(rows, key, kind) for kind in kinds for key in TABLE_1_KEYS
        }
        scores = {_named(rows, key): _cell(rows, key, kinds[-1]) for key in TABLE_2_KEYS}
        share = _share(rows)
        first.append({"arm": arm, "source": MEASURED, **abilities, RIGHT: share})
        second.append({"arm": arm, "source": MEASURED, **scores, "note": ""})
        name = ROWS.get(arm, "")
        if is_bert and name:
            (right,) = published_rows("skew.accuracy").get(name, (float("nan"),))
            accuracy = fixed(right, 2) if right == right else ""
            first.append(
                _printed(name, list(abilities), published_rows("skew.table-1")[name]) | {RIGHT: accuracy}
            )
            second.append(
                _printed(name, list(scores), published_rows("skew.table-2")[name]) | {"note": note_on(name)}
            )
    return {"table-2": pd.DataFrame(second), "table-1": pd.DataFrame(first)}


def _named(rows: pd.DataFrame, key: str, kind: str = "") -> str:
    """An estimate by its label, with the type of sentences where there are several."""
    label = str(rows.loc[rows["key"] == key, "label"].iloc[0])
    return f"type {kind} {label}" if kind else label


def _cell(rows: pd.DataFrame, key: str, kind: str) -> str:
    """Mean and interval over seeds (over items where there is one run)."""
    chosen = rows[(rows["key"] == key) & (rows["level"].astype(str) == kind)]
    return _shown(chosen.iloc[0], 1) if len(chosen) else "-"


def _share(rows: pd.DataFrame) -> str:
    chosen = rows[rows["key"] == "right"]
    return _shown(chosen.iloc[0], 3) if len(chosen) else ""


def _shown(row: pd.Series, places: int) -> str:
    if pd.isna(row["mean"]):
        return "-"
    value = fixed(row["mean"], places)
    return (
        value
        if pd.isna(row["low"])
        else f"{value} [{fixed(row['low'], places)}, {fixed(row['high'], places)}]"
    )


def _printed(name: str, columns: Sequence[str], printed: Sequence[float]) -> dict[str, Any]:
    """The printed row; of a table with one type of sentences, the numbers of type 2."""
    numbers = printed[-len(columns) :]
    return {
        "arm": name,
        "source": PRINTED,
        **dict(zip(columns, (fixed(one, 1) for one in numbers), strict=True)),
    }
