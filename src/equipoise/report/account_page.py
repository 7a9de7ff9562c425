"""The account of a rewrite as one page: counts, rules and reasons, and the texts side by side with marks."""

import csv
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

from equipoise.data.csv_text import allow_long_cells
from equipoise.files import resumable_writing, write_beside
from equipoise.text.rewriting.pronouns.forms import UNSURE

if TYPE_CHECKING:
    from equipoise.corpora.rewriting import RewriteSettings, RewriteSummary

MOST_DOCUMENTS = 200
"""Documents shown side by side; every one is in the table beside the page."""

LONGEST_TEXT = 4000
"""Characters of one document that are shown."""

Entry = dict[str, str]
"""One line of the account as the table has it."""


@dataclass
class Account:
    """What the page tells of a whole account: entries by rule and reason, and the first documents in full."""

    changes: Counter[str] = field(default_factory=Counter)
    skips: Counter[str] = field(default_factory=Counter)
    doubtful: int = 0
    judged: int = 0
    documents: int = 0
    shown: dict[int, list[Entry]] = field(default_factory=dict)

    def add(self, line: int, entries: Sequence[Entry]) -> None:
        """Count the entries of one document, and keep them if there is room."""
        self.documents += 1
        for entry in entries:
            kind = self.changes if entry["action"] == "change" else self.skips
            kind[entry["rule"]] += 1
            self.judged += entry["judged"] == "True"
            self.doubtful += is_doubtful(entry)
        if len(self.shown) < MOST_DOCUMENTS:
            self.shown[line] = list(entries)


def is_doubtful(entry: Mapping[str, str]) -> bool:
    """Whether a change was a choice that the rules were unsure of and no judge was asked about."""
    return bool(entry["margin"]) and entry["judged"] != "True" and float(entry["margin"]) < UNSURE


def read_account(path: Path) -> Account:
    """The account that was written as a table, read once from beginning to end."""
    allow_long_cells()
    account = Account()
    with path.open(encoding="utf-8", errors="surrogateescape", newline="") as file:
        for line, entries in groupby(csv.DictReader(file), key=lambda entry: int(entry["line"])):
            account.add(line, list(entries))
    return account


def write_account_page(
    page: Path, source: Path, out: Path, settings: "RewriteSettings", summary: "RewriteSummary"
) -> None:
    """Write the page of a finished rewrite, whose table stands beside it."""
    from equipoise.corpora.rewriting import texts_at

    table = page.with_suffix(".csv")
    account = read_account(table)
    names = {"source": source.name, "out": out.name, "mode": settings.mode, "table": table.name}
    written = account_page(account, texts_at(source, settings, account.shown.keys()), summary, names)
    with resumable_writing(page):
        write_beside(page, written)


def account_page(
    account: Account, texts: Iterable[tuple[int, str]], summary: "RewriteSummary", names: Mapping[str, str]
) -> str:
    """The page; texts are the originals by line, names say source, output, mode and table."""
    title = f"What changed in {names['source']}"
    parts = [
        f"<h1>{_safe(title)}</h1>",
        f"<p>Mode <b>{_safe(names['mode'])}</b>, written to {_safe(names['out'])}. "
        f"Every entry is in {_safe(names['table'])}.</p>",
        _counts(account, summary),
        '<div class="lists">',
        _ranking("Changed, by rule", account.changes),
        _ranking("Left as it is, by reason", account.skips),
        "</div>",
        _bad_rows(summary),
        "<h2>Side by side</h2>",
        _caption(account),
        *(_document(line, text, account.shown[line]) for line, text in texts),
    ]
    return _PAGE.format(title=_safe(title), style=_STYLE, body="\n".join(parts))


def _counts(account: Account, summary: "RewriteSummary") -> str:
    men, women, men_after, women_after = summary.tally
    return (
        f"<p>{summary.rows:,} rows read, {summary.changes:,} changes. Forms in doubt (marked ?): "
        f"{account.doubtful:,}; decided by the judge: {account.judged:,}.</p>"
        "<table><tr><th>gendered words and names</th><th>male</th><th>female</th><th>surplus</th></tr>"
        f"<tr><td>before</td><td>{men:,}</td><td>{women:,}</td><td>{_surplus(men, women)}</td></tr>"
        f"<tr><td>after</td><td>{men_after:,}</td><td>{women_after:,}</td>"
        f"<td>{_surplus(men_after, women_after)}</td></tr></table>"
    )


def _surplus(men: int, women: int) -> str:
    if men == women:
        return "none"
    return f"{abs(men - women):,} {'male' if men > women else 'female'}"


def _ranking(title: str, counts: Counter[str]) -> str:
    rows = "".join(
        f"<tr><td>{_safe(name)}</td><td>{count:,}</td></tr>" for name, count in counts.most_common()
    )
    nothing = "<tr><td>nothing</td><td>0</td></tr>"
    return f"<table><tr><th>{_safe(title)}</th><th></th></tr>{rows or nothing}</table>"


def _bad_rows(summary: "RewriteSummary") -> str:
    if not summary.bad_rows:
        return ""
    rows = "".join(f"<li>line {row.line}: {_safe(row.message)}</li>" for row in summary.bad)
    more = summary.bad_rows - len(summary.bad)
    rows += f"<li>and {more:,} more</li>" if more else ""
    return f"<h2>Rows that could not be read as they are</h2><ul>{rows}</ul>"


def _caption(account: Account) -> str:
    some = f"The first {len(account.shown):,} of {account.documents:,} rows" if account.shown else "No row"
    return (
        f"<p>{some} with a change or a word left. <del>Old</del> and <ins>new</ins> words; "
        '<ins class="doubt">new</ins> where the form is in doubt; <span class="skip">left as it is</span>. '
        "Point at a mark for its rule.</p>"
    )


def _document(line: int, text: str, entries: Sequence[Entry]) -> str:
    cut = len(text) > LONGEST_TEXT
    inside = [entry for entry in entries if int(entry["end"]) <= min(len(text), LONGEST_TEXT)]
    before, after = ("".join(_marked(text[:LONGEST_TEXT], inside, side)) for side in ("old", "new"))
    note = f" (the first {LONGEST_TEXT:,} of {len(text):,} characters)" if cut else ""
    return (
        f'<section><h3>line {line}{note}</h3><div class="pair"><p>{before}</p><p>{after}</p></div></section>'
    )


def _marked(text: str, entries: Sequence[Entry], side: str) -> Iterator[str]:
    """The text of one side in pieces, with every entry marked."""
    place = 0
    for entry in entries:
        start, end = int(entry["start"]), int(entry["end"])
        if start < place:
            continue
        yield _safe(text[place:start])
        yield _mark(entry, side)
        place = end
    yield _safe(text[place:])


def _mark(entry: Entry, side: str) -> str:
    title = f' title="{_safe(entry["rule"])}"'
    if entry["action"] != "change":
        return f'<span class="skip"{title}>{_safe(entry["old"])}</span>'
    if side == "old":
        return f"<del{title}>{_safe(entry['old'])}</del>"
    doubt = ' class="doubt"' if is_doubtful(entry) else ""
    return f"<ins{doubt}{title}>{_safe(entry['new'])}</ins>"


def _safe(text: Any) -> str:
    """Text as HTML; what UTF-8 cannot write is shown as a question mark."""
    return escape(str(text).encode("utf-8", "replace").decode("utf-8"))


_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>{title}</title><style>{style}</style></head>
<body>
{body}
</body></html>
"""
_STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; color: #222; }
body { max-width: 76rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.2rem; margin-top: 2rem; }
h3 { font-size: .85rem; font-weight: 600; color: #555; margin: 0; }
table { border-collapse: collapse; margin: 1rem 0; align-self: flex-start; }
th, td { text-align: left; padding: .2rem .9rem .2rem 0; border-bottom: 1px solid #ddd; }
td + td, th + th { text-align: right; font-variant-numeric: tabular-nums; }
.lists { display: flex; flex-wrap: wrap; gap: 0 3rem; }
section { border-top: 1px solid #ddd; padding: .6rem 0; break-inside: avoid; }
.pair { display: grid; grid-template-columns: 1fr 1fr; gap: 0 2rem; }
.pair p { margin: .2rem 0; white-space: pre-wrap; overflow-wrap: anywhere; }
del { background: #fde3d3; text-decoration: line-through; text-decoration-color: #b04a00; }
ins { background: #d6eaf8; text-decoration: none; font-weight: 600; }
ins.doubt { background: #fff3bf; } ins.doubt::after { content: "?"; color: #7a5c00; }
.skip { border-bottom: 2px dotted #777; }
@media (max-width: 40rem) { .pair { grid-template-columns: 1fr; } }
"""
