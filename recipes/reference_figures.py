"""Write the figures of reference models that the first screen shows, from their saved results.

    python -m recipes.reference_figures results/random results/bert

The shipped table is made from `equipoise audit --model random` and `equipoise audit --model embedded`.
"""

import sys
from pathlib import Path

import pandas as pd

from equipoise.report.measurements import measured_models
from equipoise.report.page.screen import TABLE, reference_rows
from equipoise.results import load_results


def reference_table(folders: list[Path]) -> pd.DataFrame:
    """A row for each meaningful headline of each model."""
    rows = []
    for folder in folders:
        results = load_results(folder)
        labels = {model.fingerprint: model.label for model in measured_models(results)}
        for result in results:
            rows += reference_rows(result.renamed(labels[result.fingerprint]))
    return pd.DataFrame(rows)


if __name__ == "__main__":
    reference_table([Path(name) for name in sys.argv[1:]]).to_csv(TABLE, index=False, lineterminator="\n")
