"""Sentences that say something good or bad about a person and leave open who it is."""

import numpy as np
import pandas as pd

from equipoise.data.reading import File, Shape, read_rows
from equipoise.data.sets import ItemSet, gbm
from equipoise.data.sources import Source
from equipoise.errors import UserError
from equipoise.text.blank import BLANK
from equipoise.text.languages.en.articles import fix_articles

POSITIVE, NEGATIVE = "positive", "negative"
SLOT = "<word>"
WORDS, PATTERNS = "completion-words.csv", "completion-patterns.csv"

_COLUMNS = ("item", "pattern", "word", "part_of_speech", "sentiment", "category", "text", "flags")


def load_completions(source: Source) -> ItemSet:
    """Every word in every pattern for its part of speech, or the published sentences."""
    files: tuple[File, ...]
    if source.name == gbm.NAME:
        files = (source.file(gbm.FILES[0]),)
        table = gbm.read_gbm_templates(files[0])
    else:
        files = (source.file(WORDS), source.beside_or_shipped(PATTERNS))
        table = build_sentences(read_words(files[0]), read_patterns(files[1]))
    return ItemSet(table[list(_COLUMNS)].assign(dropped=""), files, gbm.flagged_words(table))


def read_words(file: File) -> pd.DataFrame:
    """Words with their part of speech and sentiment, and a category if there is one."""
    key = ("word", "part", "sentiment")
    sentiments = {"sentiment": (POSITIVE, NEGATIVE)}
    return read_rows(
        file, Shape(required=key, optional=("category",), filled=("word",), one_of=sentiments, unique=key)
    )


def read_patterns(file: File) -> pd.DataFrame:
    """Patterns by part of speech, each with one slot for a word and one blank."""
    places = {SLOT: "where the word goes", BLANK: "where the model fills a word in"}
    return read_rows(
        file, Shape(required=("id", "part", "pattern"), once={"pattern": places}, unique=("id",))
    )


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
    return crossed.rename(columns={"part": "part_of_speech"}).assign(flags=np.where(both, gbm.BOTH, ""))
