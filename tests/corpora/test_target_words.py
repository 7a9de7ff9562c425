"""The words that are counted, and target files."""

from pathlib import Path

import pytest

from equipoise.corpora.tokens import tokens
from equipoise.corpora.vocabulary import gendered_words, load_targets
from equipoise.data.reading import own_table
from equipoise.errors import UserError


def test_words_and_marks() -> None:
    assert tokens("“She’d_gone_”—he's father-in-law, O'Brien!") == [
        "“", "she", "'d", "gone", "”", "—", "he", "'s", "father-in-law", ",", "o", "brien", "!",
    ]  # fmt: skip


def test_gendered_words_mention_a_person() -> None:
    words = gendered_words()
    assert {words[word] for word in ("he", "his", "himself", "father", "mr", "lord", "policeman")} == {"male"}
    assert {words[word] for word in ("she", "hers", "mum", "mother", "mrs", "actress", "ms")} == {"female"}
    assert not {"actor", "hero", "groom", "manly", "they", "ma"} & set(words)


def test_our_targets_are_neither_gendered_nor_in_two_categories() -> None:
    targets = load_targets()
    assert list(targets.categories) == [
        "strength",
        "weakness",
        "intelligence",
        "appearance",
        "career",
        "family",
    ]
    words = [word for _, word in targets.items if word]
    assert len(words) == len(set(words))
    assert not set(words) & set(gendered_words())
    assert all(30 <= len(listed) <= 60 for listed in targets.categories.values())
    assert targets.notices == ()


def test_every_change_of_the_gendered_words_has_a_reason() -> None:
    changes = own_table("corpora/gendered-changes.csv")
    assert set(changes["gender"]) == {"male", "female", "none"}
    assert not changes["word"].duplicated().any()
    assert changes["reason"].str.len().min() > 5


def test_a_users_targets(tmp_path: Path) -> None:
    path = tmp_path / "own.csv"
    path.write_text("category,word\nx,Bold\ny,bold\nx,bold\n", encoding="utf-8")
    targets = load_targets(path)
    assert targets.items == [("x", ""), ("y", ""), ("x", "bold"), ("y", "bold")]
    assert targets.categories_of("bold") == ("x", "y")
    assert targets.notices == ("own.csv: repeated and counted once: bold.",)
    path.write_text("category,word\nx,two words\n", encoding="utf-8")
    with pytest.raises(UserError, match="line 2: 'two words' in the category 'x' is not one word"):
        load_targets(path)
    path.write_text("kind,word\nx,bold\n", encoding="utf-8")
    with pytest.raises(UserError, match="no column 'category'"):
        load_targets(path)
