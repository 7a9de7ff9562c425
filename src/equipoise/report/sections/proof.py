"""Proof: what each instrument finds, and which published numbers come out again."""

import pandas as pd

from equipoise.report.files import Table
from equipoise.report.sections import Study
from equipoise.results.records import fixed
from equipoise.studies.proof.verifying import NOT_CHECKED

DOSES = ("instrument", "dose", "found")
NEGATIVE = ("instrument", "control", "found", "draws")
VERIFIED = ("source", "figure", "published", "as_published", "corrected", "verdict", "reason", "other_tools")


def controls_tables(study: Study) -> list[Table]:
    """The share of draws in which each dose was found, then that of false alarms."""
    doses, negative = study.table("doses", DOSES), study.table("negative", NEGATIVE)
    made = []
    if not doses.empty:
        named = doses.assign(across=[f"{dose:g} nats" for dose in doses["dose"]])
        made.append(_shares("found", "Share of draws in which a lean was found, by its size", named))
    if not negative.empty:
        named = negative.assign(across=negative["control"])
        made.append(_shares("alarms", "False alarms: share of draws where nothing should be found", named))
    return made


def _shares(name: str, title: str, rows: pd.DataFrame) -> Table:
    shares = rows.pivot_table(index="instrument", columns="across", values="found", sort=False)
    cells = [
        [one, *(None if share != share else f"{fixed(100 * share, 1)} %" for share in row)]
        for one, row in zip(shares.index, shares.to_numpy(), strict=True)
    ]
    return Table(f"controls-{name}", title, ["test", *map(str, shares.columns)], cells)


def verify_tables(study: Study) -> list[Table]:
    """What differs, what agrees, and what was not checked, with the reasons."""
    table = study.table("verify", VERIFIED).astype(object).fillna("")
    if table.empty:
        return []
    made = []
    for verdict in [*table["verdict"][table["verdict"] != NOT_CHECKED].unique()][::-1]:
        rows = table[table["verdict"] == verdict]
        columns = [*VERIFIED[:5], "reason", "other_tools"]
        headings = [
            *VERIFIED[:3],
            "ours, as published",
            "ours, corrected",
            "why numbers differ",
            "other tools",
        ]
        made.append(
            Table(f"verify-{verdict}", verdict.capitalize(), headings, rows[columns].to_numpy().tolist())
        )
    left = table[table["verdict"] == NOT_CHECKED].groupby(["source", "reason"], sort=False).size()
    cells = [[source, int(count), reason] for (source, reason), count in left.items()]
    return [*made, Table("verify-left", "Not checked", ["source", "figures", "what is missing"], cells)]


TABLES = {"controls": controls_tables, "verify": verify_tables}
