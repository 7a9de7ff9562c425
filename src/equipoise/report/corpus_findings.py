"""What a corpus says about women and men, in words: who is mentioned, how groups differ, which words."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import erfc, log, sqrt
from pathlib import Path
from typing import Any

import pandas as pd

from equipoise.errors import UserError
from equipoise.results.quantity import Quantity
from equipoise.results.reading import CERTAIN, LIKELY, NEGLIGIBLE, Measured, certainty_of, size_of
from equipoise.results.records import fixed
from equipoise.stats.significance import holm

SHARE = Quantity(
    "share-women",
    "share of women",
    0.05,
    unit="share",
    neutral=0.5,
    scale="half",
    sides=("towards women", "towards men"),
    name="women among the people mentioned",
)
"""How the share of women is read: half is neutral, and less than 5 points away from it is negligible."""

MOST_GROUPS = 20
WORDS_SHOWN = 3
TABLES = ("mentions", "cooccurrence", "drivers")
"""The tables of `equipoise corpus` that a page needs, by the names of their files."""

ALPHA, LIKELY_ALPHA = 0.05, 0.2
_TEXTS = dict.fromkeys(("by", "level", "role", "category", "word", "note"), str)
_WIDTH = 2 * 1.959964
_COUNTS = {2: "Both", 3: "All three", 4: "All four", 5: "All five"}


@dataclass(frozen=True)
class CorpusFinding:
    """One answer about a corpus: its title, size, certainty and sentence, with a number where it has one."""

    name: str
    question: str
    answer: str
    sentence: str
    size: str = ""
    certainty: str = ""
    measured: Measured | None = None
    value: str = ""


@dataclass(frozen=True)
class CorpusFindings:
    """What the tables of a corpus say."""

    headline: str
    sentences: tuple[str, ...]
    findings: tuple[CorpusFinding, ...]


@dataclass(frozen=True)
class SavedCorpus:
    """The tables that `equipoise corpus` wrote to a folder."""

    name: str
    tables: dict[str, pd.DataFrame]


def is_corpus(folder: Path) -> bool:
    """Whether `equipoise corpus` wrote this folder."""
    return all((folder / f"{name}.csv").is_file() for name in TABLES)


def load_corpus(folder: Path) -> SavedCorpus:
    """Read the tables of a folder; damaged ones are refused."""
    try:
        tables = {name: pd.read_csv(folder / f"{name}.csv", dtype=_TEXTS) for name in TABLES}
        for table in tables.values():
            texts = [name for name in _TEXTS if name in table]
            table[texts] = table[texts].fillna("")
        say_corpus(tables["mentions"], tables["cooccurrence"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise UserError(
            f"The tables in {folder} cannot be read: {error}.", "Run `equipoise corpus` again."
        ) from error
    return SavedCorpus(folder.resolve().name, tables)


def say_corpus(mentions: pd.DataFrame, cooccurrence: pd.DataFrame) -> CorpusFindings:
    """What the tables of `equipoise corpus` say."""
    everybody = _known(mentions[mentions["role"] == "all"])
    mentioned = _mentioned(everybody[everybody["by"] == "all"])
    groups = [
        (str(by), rows)
        for by, rows in everybody[~everybody["by"].isin(("all", "year"))].groupby("by", sort=False)
        if 1 < len(rows) <= MOST_GROUPS
    ]
    differences = [_groups_differ(by, rows) for by, rows in groups]
    findings = (mentioned, *differences, _words(cooccurrence))
    headline = _all_alike(groups) or mentioned.answer.replace(", more", " are mentioned more")
    return CorpusFindings(headline, tuple(one.sentence for one in findings), findings)


def _mentioned(rows: pd.DataFrame) -> CorpusFinding:
    """Who is mentioned more often over the whole corpus."""
    question = "Who is mentioned?"
    if rows.empty:
        answer = "There are too few people in this corpus to tell who is mentioned more often"
        return CorpusFinding("mentioned", question, f"{answer}.", f"{answer}.")
    row = rows.iloc[0]
    share, measured = float(row["share_women"]), _measured(row)
    total = int(row["women"]) + int(row["men"])
    size, certainty = size_of(share - 0.5, SHARE), certainty_of(measured, SHARE)
    interval = f"{_percent(measured.low)} to {_percent(measured.high)}"
    numbers = f"Of {total:,} mentions {_percent(share)} % are women ({interval})"
    if size == NEGLIGIBLE or certainty not in (CERTAIN, LIKELY):
        same = certainty == CERTAIN
        answer = "Women and men are mentioned equally often" if same else "No difference was found"
        answer += "." if same else " in how often women and men are mentioned."
        return CorpusFinding(
            "mentioned", question, answer, f"{numbers}.", "", "", measured, f"{_percent(share)} % women"
        )
    first, second = ("Women", "men") if share > 0.5 else ("Men", "women")
    return CorpusFinding(
        "mentioned",
        question,
        f"{first}, more often than {second}.",
        f"{numbers}: {size}, {certainty}.",
        size,
        certainty,
        measured,
        f"{_percent(share)} % women",
    )


def _all_alike(groups: Sequence[tuple[str, pd.DataFrame]]) -> str:
    """The headline where every group leans to the same side for certain; else nothing."""
    if not groups:
        return ""
    by, rows = groups[0]
    sure = [certainty_of(_measured(row), SHARE) == CERTAIN for _, row in rows.iterrows()]
    sizes = [size_of(float(share) - 0.5, SHARE) for share in rows["share_women"]]
    sides = {float(share) > 0.5 for share in rows["share_women"]}
    if len(sides) > 1 or not all(sure) or NEGLIGIBLE in sizes:
        return ""
    first, second = ("women", "men") if sides == {True} else ("men", "women")
    count = _COUNTS.get(len(rows), f"All {len(rows)}")
    return f"{count} groups by {by} mention {first} more often than {second}."


def _groups_differ(by: str, rows: pd.DataFrame) -> CorpusFinding:
    """The largest difference between two groups, tested against chance over all pairs (Holm)."""
    pairs = list(combinations(rows.to_dict("records"), 2))
    corrected = holm([_p_of_difference(*pair) for pair in pairs])
    apart = [abs(float(one["share_women"]) - float(other["share_women"])) for one, other in pairs]
    sure = [place for place, p in enumerate(corrected) if p < ALPHA]
    likely = [place for place, p in enumerate(corrected) if p < LIKELY_ALPHA]
    lead = max(sure or likely or range(len(pairs)), key=lambda place: apart[place])
    high, low = sorted(pairs[lead], key=lambda row: -float(row["share_women"]))
    # One decimal where whole numbers would not add up: 51 % and 40 % are not 10 points apart.
    ends = [100 * float(row["share_women"]) for row in (high, low)]
    digits = 0 if apart[lead] >= 0.1 else 1
    adds_up = fixed(round(ends[0]) - round(ends[1]), digits) == fixed(100 * apart[lead], digits)
    places, digits = (0, digits) if adds_up else (1, 1)
    shares = ", ".join(
        f"{row['level']} {fixed(end, places)} %" for row, end in zip((high, low), ends, strict=True)
    )
    question = f"Do the groups by {by} differ?"
    points = f"{fixed(100 * apart[lead], digits)} points"
    if not likely:
        return CorpusFinding(
            f"by {by}",
            question,
            "No difference found",
            f"No two groups by {by} differ for certain; the largest difference is {points} ({shares}).",
        )
    size, certainty = size_of(apart[lead], SHARE), CERTAIN if sure else LIKELY
    return CorpusFinding(
        f"by {by}",
        question,
        f"Yes, by up to {points}",
        f"Women among the people mentioned: {shares}, a difference of {points}: {size}, {certainty}.",
        size,
        certainty,
    )


def _p_of_difference(one: "dict[Any, Any]", other: "dict[Any, Any]") -> float:
    """Two-sided p of a difference of two independent log-odds, from the intervals of the shares."""
    ends = [[_logit(float(row[name])) for name in ("share_women", "low", "high")] for row in (one, other)]
    spread = sqrt(sum(((high - low) / _WIDTH) ** 2 for _, low, high in ends))
    return erfc(abs(ends[0][0] - ends[1][0]) / spread / sqrt(2)) if spread > 0 else 1.0


def _logit(share: float) -> float:
    inside = min(1 - 1e-9, max(1e-9, share))
    return log(inside / (1 - inside))


def _words(cooccurrence: pd.DataFrame) -> CorpusFinding:
    """The words closest to women and to men, of those that are certain over all words (Holm)."""
    known = _known(cooccurrence[(cooccurrence["by"] == "all") & (cooccurrence["word"] != "")])
    question = "Which words stand near women and men?"
    nothing = "No word stands nearer to one gender for certain"
    if known.empty:
        return CorpusFinding("words", question, "Too few words to tell", "There are too few words to tell.")
    sure = certain_rows(known)
    if sure.empty:
        return CorpusFinding("words", question, "No difference found", f"{nothing} ({len(known)} words).")
    women = sure[sure["log_odds"] < 0].nsmallest(WORDS_SHOWN, "log_odds_high")["word"].tolist()
    men = sure[sure["log_odds"] > 0].nlargest(WORDS_SHOWN, "log_odds_low")["word"].tolist()
    told = [
        f"Closest to {side}: {', '.join(words)}." for side, words in (("women", women), ("men", men)) if words
    ]
    count = f"{len(sure)} of {len(known)} words"
    told.append(f"{count} {'stands' if len(sure) == 1 else 'stand'} nearer to one gender for certain.")
    return CorpusFinding(
        "words",
        question,
        f"{count} {'is' if len(sure) == 1 else 'are'} gendered",
        " ".join(told),
        certainty=CERTAIN,
    )


def certain_rows(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows whose log-odds differ from 0 for certain, corrected over all of them (Holm)."""
    spread = (rows["log_odds_high"] - rows["log_odds_low"]) / _WIDTH
    ratio = (rows["log_odds"].abs() / spread.where(spread > 0)).fillna(0.0)
    corrected = holm([erfc(float(z) / sqrt(2)) for z in ratio])
    return rows[[p < ALPHA for p in corrected]]


def _known(rows: pd.DataFrame) -> pd.DataFrame:
    return rows[rows["note"].fillna("") == ""]


def _measured(row: Any) -> Measured:
    return Measured(float(row["share_women"]), float(row["low"]), float(row["high"]), 0.5)


def _percent(share: Any) -> str:
    return fixed(100 * float(share), 0)
