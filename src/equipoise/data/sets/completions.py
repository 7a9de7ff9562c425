"""Sentences that say something good or bad about a person and leave open who it is."""

from pathlib import Path

import numpy as np
import pandas as pd

from equipoise.data.gbm import BOTH
from equipoise.data.reading import LINE, read_table
from equipoise.errors import UserError
from equipoise.text.articles import fix_articles
from equipoise.text.templates import BLANK, refuse_repeats, with_columns

POSITIVE, NEGATIVE = "positive", "negative"
SLOT = "<word>"


def read_words(path: Path) -> pd.DataFrame:
    """Words with their part of speech and sentiment, and a category if there is one."""
    table = with_columns(read_table(path, ("word", "part", "sentiment")), ("category",))
    for row in table.to_dict("records"):
        if row["sentiment"] not in (POSITIVE, NEGATIVE) or not row["word"].strip():
            raise UserError(
                f"{path}, line {row[LINE]}: {row['word']!r} has the sentiment {row['sentiment']!r}.",
                f"Give a word and one of {POSITIVE}, {NEGATIVE}.",
            )
    refuse_repeats(table, ("word", "part", "sentiment"), path)
    return table


def read_patterns(path: Path) -> pd.DataFrame:
    """Patterns by part of speech, each with one slot for a word and one blank."""
    table = read_table(path, ("id", "part", "pattern"))
    refuse_repeats(table, ("id",), path)
    for row in table.to_dict("records"):
        if row["pattern"].count(SLOT) != 1 or row["pattern"].count(BLANK) != 1:
            raise UserError(
                f"{path}, line {row[LINE]}: {row['pattern']!r} needs one {SLOT} and one {BLANK}.",
                f"Write {SLOT} where the word goes and {BLANK} where the model fills a word in.",
            )
    return table


def build_sentences(words: pd.DataFrame, patterns: pd.DataFrame) -> pd.DataFrame:
    """Every word in every pattern of its part of speech, articles agreeing."""
    without = sorted(set(words["part"]) - set(patterns["part"]))
    if without:
        raise UserError(
            f"There is no pattern for words of the part {', '.join(map(repr, without))}.",
            f"Write one of {', '.join(sorted(set(patterns['part'])))} in the column part, or add a pattern.",
        )
    crossed = words.merge(patterns.rename(columns={"id": "pattern", "pattern": "frame"}), on="part")
    pairs = zip(crossed["frame"], crossed["word"], strict=True)
    crossed["text"] = [fix_articles(frame.replace(SLOT, word)) for frame, word in pairs]
    crossed["item"] = crossed["sentiment"] + ":" + crossed["pattern"] + ":" + crossed["word"]
    both = crossed.groupby("text")["sentiment"].transform("nunique").gt(1)
    return crossed.assign(flag=np.where(both, BOTH, ""))
