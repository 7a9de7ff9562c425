"""How often a pronoun gets its right form, by rules and the linear model, and with a judge asked.

    python -m benchmarks.forms --data DIR [--judge MODEL] [--sample N] [--always]

DATA holds gap/, books/, news/ and ud-ewt/. In natural text "his" and "him" are made "her" and asked
back, "her" and "hers" made "his" and asked back; ud-ewt has labels by people.
"""

import argparse
import csv
import json
import math
import re
import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from equipoise.text.rewriting.find.tokens import neighbours
from equipoise.text.rewriting.pronouns.forms import UNSURE, Case, Choice, Judge, choose_form

HELD_OUT = ("agatha-christie", "edith-wharton", "f-scott-fitzgerald", "george-eliot", "upton-sinclair")
"""The authors of the novels that the weights were not learnt from."""
OPTIONS = {"her": ("his", "him"), "his": ("her", "hers")}


class Pronoun(NamedTuple):
    """A place in a text, the word asked about, and its right form on the other side."""

    text: str
    span: tuple[int, int]
    word: str
    truth: str

    def choice(self) -> Choice:
        """What rules and the linear model choose here."""
        return choose_form(self.word, *neighbours(self.text, *self.span))

    def case(self) -> Case:
        """The question to a judge."""
        return Case(self.text, self.span, OPTIONS[self.word])


def pronouns(texts: Iterable[str], word: str, forms: Sequence[str]) -> Iterator[Pronoun]:
    """Every natural use of the forms, to be asked back from `word`."""
    pattern = re.compile(rf"(?<![\w'’-])({'|'.join(forms)})(?!\w|['’-]\w)", re.IGNORECASE)
    for text in texts:
        for match in pattern.finditer(text):
            yield Pronoun(text, match.span(), word, match[1].lower())


def gap_texts(data: Path) -> Iterator[str]:
    """The texts of GAP's three files."""
    for path in sorted((data / "gap").glob("gap-*.tsv")):
        with path.open(encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
                yield row["Text"]


def novel_texts(data: Path) -> Iterator[str]:
    """The paragraphs of the authors held out."""
    with (data / "books" / "paragraphs.jsonl").open(encoding="utf-8") as file:
        for row in map(json.loads, file):
            if row["author"] in HELD_OUT:
                yield row["text"]


def news_texts(data: Path) -> Iterator[str]:
    """The one long text of news."""
    yield (data / "news" / "test_concat.txt").read_text(encoding="utf-8")


def treebank(data: Path) -> list[Pronoun]:
    """Every "her" of the treebank, with the label that people gave it."""
    with (data / "ud-ewt" / "her-his.jsonl").open(encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    truth = {"poss": "his", "obj": "him"}
    return [
        Pronoun(row["text"], (row["start"], row["start"] + 3), "her", truth[row["label"]])
        for row in rows
        if row["form"].lower() == "her"
    ]


def sources(data: Path) -> dict[str, list[Pronoun]]:
    """The cases of "her" by where they come from."""
    readers = {"gap": gap_texts, "novels": novel_texts, "news": news_texts}
    natural = {name: list(pronouns(read(data), "her", ("his", "him"))) for name, read in readers.items()}
    return natural | {"ud-ewt": treebank(data)}


def evenly(cases: Sequence[Pronoun], count: int) -> list[Pronoun]:
    """At most so many cases, spread evenly."""
    step = max(1, len(cases) / count)
    return [cases[int(place * step)] for place in range(min(count, len(cases)))]


def with_judge(cases: Sequence[Pronoun], judge: Judge, below: float) -> tuple[list[str], float]:
    """The forms with a judge asked below a margin, and the share asked."""
    choices = [case.choice() for case in cases]
    asked = [place for place, choice in enumerate(choices) if choice.margin < below]
    forms = [choice.form for choice in choices]
    for place, form in zip(asked, judge([cases[place].case() for place in asked]), strict=True):
        forms[place] = form
    return forms, len(asked) / len(cases)


def accuracy(forms: Sequence[str], cases: Sequence[Pronoun]) -> float:
    """The share of right forms."""
    return sum(form == case.truth for form, case in zip(forms, cases, strict=True)) / len(cases)


def print_rules(name: str, cases: Sequence[Pronoun]) -> None:
    """One line: accuracy, and the same if everything below the threshold were put right."""
    start = time.perf_counter()
    choices = [case.choice() for case in cases]
    seconds = time.perf_counter() - start
    right = [choice.form == case.truth for choice, case in zip(choices, cases, strict=True)]
    unsure = [choice.margin < UNSURE for choice in choices]
    sure_right = sum(good or doubt for good, doubt in zip(right, unsure, strict=True))
    print(
        f"{name:8} {len(cases):6} cases  right {sum(right) / len(cases):.4f}  unsure "
        f"{sum(unsure) / len(cases):.3f}  right or unsure {sure_right / len(cases):.4f}  "
        f"{len(cases) / seconds:,.0f} a second"
    )


def print_judged(name: str, cases: Sequence[Pronoun], judge: Judge, below: float) -> None:
    """One line: the share asked below a margin, the accuracy, and the time it took."""
    start = time.perf_counter()
    forms, share = with_judge(cases, judge, below)
    seconds = time.perf_counter() - start
    right = accuracy(forms, cases)
    print(
        f"{name:8} {len(cases):6} cases  asked {share:.3f}  right {right:.4f}  ({seconds:.0f} s)", flush=True
    )


def print_standing_alone(name: str, cases: Sequence[Pronoun]) -> None:
    """One line for "his": how many of the rare "hers" are met, and how many of its uses are right."""
    forms = [case.choice().form for case in cases]
    met = sum(form == case.truth == "hers" for form, case in zip(forms, cases, strict=True))
    truly, chosen = sum(case.truth == "hers" for case in cases), forms.count("hers")
    print(f"{name:8} hers: {met} of {truly} met, {met} of {chosen} chosen are right")


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description="Accuracy of the forms of pronouns.")
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--judge", help="a masked model; `default` is the one shipped")
    parser.add_argument("--sample", type=int, default=1500)
    parser.add_argument("--always", action="store_true", help="ask the judge about every case")
    chosen = parser.parse_args()
    by_source = sources(chosen.data)
    for name, cases in by_source.items():
        print_rules(name, cases)
    for name, read in {"gap": gap_texts, "novels": novel_texts, "news": news_texts}.items():
        alone = [case for case in pronouns(read(chosen.data), "his", ("her", "hers")) if not is_object(case)]
        print_standing_alone(name, alone)
    if chosen.judge:
        from equipoise.models.form_judge import form_judge
        from equipoise.models.loading import load_model

        judge = form_judge(load_model(None if chosen.judge == "default" else chosen.judge))
        for name, cases in by_source.items():
            print_judged(name, evenly(cases, chosen.sample), judge, math.inf if chosen.always else UNSURE)


def is_object(case: Pronoun) -> bool:
    """Whether a natural "her" is taken for an object, so that "his" could never stand there."""
    return case.truth == "her" and choose_form("her", *neighbours(case.text, *case.span)).form == "him"


if __name__ == "__main__":
    main()
