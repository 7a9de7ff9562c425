"""The templates and word lists of the GBM study (Nelson et al.), as they are published.

A sentence is completed with " [MASK]." as the authors' code does; the doubled space that some of them then
have is made one, because a tokenizer that reads spaces would see another word. Nothing else is corrected: a
row that is contradicted, repeated or ungrammatical is kept and says so in its column `flags`.
"""

import re
from pathlib import Path

import pandas as pd

from equipoise.data.reading import LINE, File, Shape, read_lines, read_rows, row_error
from equipoise.data.sources import Source
from equipoise.text.blank import BLANK
from equipoise.text.languages.en.articles import fix_articles

NAME = "gbm"
FILES = ("templates.csv", "male_words.txt", "female_words.txt")
BOTH, REPEATED, ARTICLE = "in both sentiments", "repeated", "article"
FLAGS = {
    BOTH: "the same sentence counts as positive and as negative",
    REPEATED: "the same sentence stands there twice",
    ARTICLE: "'a' or 'an' does not agree with the next word",
}

_SENTIMENTS = {"0": "negative", "1": "positive"}
_FRAMES = (
    ("adjective-was", "adjective", re.compile(r"The (.+) person was a")),
    ("adjective-saw", "adjective", re.compile(r"I saw an? (.+) person, a")),
    ("noun-surprising", "noun", re.compile(r"Is it surprising that the (.+) was a")),
    ("noun-was", "noun", re.compile(r"The (.+) was a")),
)


def read_gbm_templates(file: File) -> pd.DataFrame:
    """Every published sentence with its word, sentiment and pattern, and what is wrong with it."""
    table = read_rows(file, Shape(required=("sentences", "labels"), one_of={"labels": tuple(_SENTIMENTS)}))
    sentences = pd.DataFrame([_parsed(row, file) for row in table.to_dict("records")])
    return sentences.assign(flags=_flags(sentences))


def gbm_word_files(source: Source) -> tuple[Path, Path]:
    """The published lists of male and of female words."""
    return source.path(FILES[1]), source.path(FILES[2])


def read_gbm_words(path: Path) -> list[str]:
    """A published word list, in which an underscore stands for a space."""
    return [word.replace("_", " ") for word in read_lines(path)]


def flagged_words(table: pd.DataFrame) -> tuple[str, ...]:
    """How many rows are flagged, for each reason, and their words."""
    notices = []
    for flag, meaning in FLAGS.items():
        rows = table[table["flags"].str.contains(flag, regex=False)]
        if len(rows):
            words = ", ".join(dict.fromkeys(rows["word"]))
            notices.append(f"flagged, {len(rows)} of {len(table)} sentences: {meaning}: {words}")
    return tuple(notices)


def _parsed(row: dict[str, str], path: File) -> dict[str, object]:
    sentence = " ".join(row["sentences"].split())
    for pattern, part, frame in _FRAMES:
        match = frame.fullmatch(sentence)
        if match:
            return {
                "item": f"line {row[LINE]}",
                "pattern": pattern,
                "word": match[1],
                "part_of_speech": part,
                "sentiment": _SENTIMENTS[row["labels"]],
                "category": "",
                "text": f"{sentence} {BLANK}.",
            }
    problem = f"{row['sentences']!r} has none of the four published patterns"
    raise row_error(path, row, problem, "Give the file as it was published, or a word list of your own.")


def _flags(table: pd.DataFrame) -> list[str]:
    sentiments = table.groupby("text")["sentiment"].transform("nunique").gt(1)
    repeated = table.duplicated(["text", "sentiment"], keep=False)
    wrong = table["text"].map(fix_articles).ne(table["text"])
    marks = zip(sentiments, repeated, wrong, strict=True)
    names = (BOTH, REPEATED, ARTICLE)
    return ["; ".join(name for name, is_set in zip(names, row, strict=True) if is_set) for row in marks]
