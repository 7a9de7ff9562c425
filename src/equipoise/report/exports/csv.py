"""CSV: Every estimate, a row each."""

from collections.abc import Sequence

import pandas as pd

from equipoise.data.csv_text import as_csv
from equipoise.results import Result


def render(results: Sequence[Result]) -> str:
    """One table with the model and the instrument in front."""
    tables = []
    for result in results:
        table = result.estimates.copy()
        table.insert(0, "model", result.model)
        table.insert(1, "instrument", result.instrument)
        table.insert(2, "variant", result.variant)
        tables.append(table)
    return as_csv(pd.concat(tables, ignore_index=True))
