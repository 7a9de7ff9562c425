"""What the study of vectors by group says in words: the ends of time or the extremes, and what was left."""

import pandas as pd

from equipoise.corpora.sentence_files import SentenceFiles
from equipoise.results.numbers import fixed
from equipoise.studies.group_associations import SharedTests

VALUE, DIFFERENCE = ("value", "low", "high"), ("difference", "difference_low", "difference_high")


def in_words(table: pd.DataFrame, shared: SharedTests, cut: SentenceFiles) -> list[str]:
    """A sentence for each test, then what all of them rest on."""
    trained = table[table["note"] == ""]
    said = [_of_test(str(test), rows) for test, rows in trained.groupby("test", sort=False)]
    compared = int(table["difference_low"].notna().sum())
    if compared:
        beyond = int(((table["difference_low"] > 0) | (table["difference_high"] < 0)).sum())
        said.append(
            f"{beyond} of {compared} differences are certain by themselves (0 outside their interval); "
            "of differences that are none, one in 20 looks so."
        )
    small = table.loc[table["note"] != "", "group"].unique()
    if len(small):
        said.append(f"Too few words to be trained: {', '.join(small)}.")
    said.append(
        f"{int(shared.words['kept'].sum())} of {len(shared.words)} words of the tests are in all groups, "
        "and only those count; words.csv says which group lacks which."
    )
    if shared.lost:
        said.append(f"Left out, fewer than two such words in a set: {', '.join(shared.lost)}.")
    if cut.ungrouped:
        said.append(f"{cut.ungrouped:,} documents have no group and were left out.")
    if cut.problems.total:
        reasons = "; ".join(f"{reason}: {count:,}" for reason, count in cut.problems.unread.most_common(3))
        said.append(f"Passed over, {reasons}.")
    return [*said, *(f"{notice}." for notice in cut.problems.notices)]


def _of_test(test: str, rows: pd.DataFrame) -> str:
    first, last = rows.iloc[0], rows.iloc[-1]
    if len(rows) == 1:
        return f"{test}: d = {_number(first, VALUE)}."
    if last["against"] == first["group"]:
        ends = f"{_number(first, VALUE)} in {first['group']}, {_number(last, VALUE)} in {last['group']}"
        return f"{test}: d = {ends}; {_verdict(last)} ({_number(last, DIFFERENCE, sign=True)})."
    low, high = (rows.loc[place] for place in (rows["value"].idxmin(), rows["value"].idxmax()))
    lowest, highest = (f"{_number(row, VALUE)} in {row['group']}" for row in (low, high))
    return f"{test}: d is lowest, {lowest}, and highest, {highest}."


def _verdict(row: "pd.Series[object]") -> str:
    if row["difference_low"] > 0:
        return "it rose"
    return "it fell" if row["difference_high"] < 0 else "no change is certain"


def _number(row: "pd.Series[object]", names: tuple[str, str, str], *, sign: bool = False) -> str:
    """A number with its interval."""
    value, low, high = (fixed(float(str(row[name])), 2, sign=sign) for name in names)
    if row[names[1]] != row[names[1]]:
        return f"{value} (too few words for an interval)"
    return f"{value} [{low}, {high}]"
