"""Counts, PMI and log-odds worked out by hand, by a slow plain loop and by resampling documents."""

import math
import random
from collections import Counter
from collections.abc import Sequence

import numpy as np
import pandas as pd
import pytest

from equipoise.corpora.cooccurrence import Moments, cooccurrence_table, mentions_table
from equipoise.corpora.counting import count_block
from equipoise.corpora.documents import Document, Where
from equipoise.corpora.tokens import NO_WORDS, tokens
from equipoise.corpora.vocabulary import Targets, Vocabulary
from equipoise.errors import UserError

TARGETS = Targets({"strength": ("strong", "brave"), "family": ("home", "mother")})
GENDERS = {"he": "male", "him": "male", "she": "female", "her": "female", "mother": "female"}
VOCABULARY = Vocabulary(TARGETS, GENDERS)


def documents_of(texts: Sequence[str], groups: Sequence[str] | None = None) -> list[Document]:
    return [
        Document(str(number), text, {"side": groups[number]} if groups else {}, Where("a", number))
        for number, text in enumerate(texts)
    ]


def counted(documents: Sequence[Document], window: int, block: int = 3) -> Moments:
    """The sums of a corpus, added in blocks."""
    moments = Moments(len(TARGETS.items))
    for start in range(0, len(documents), block):
        part = documents[start : start + block]
        moments.add(part, count_block([one.text for one in part], VOCABULARY, window))
    return moments


def row(table: pd.DataFrame, category: str, word: str = "", level: str = "") -> pd.Series:
    chosen = (table["category"] == category) & (table["word"] == word) & (table["level"] == level)
    return table[chosen].iloc[0]


BY_HAND = ["He is strong, she said.", "She went home. The brave dog saw her.", "Strong; HE's strong!"]
"""Windows of two words. Mentions and the words within two of them:

1. he: is, strong (2 pairs); she: is, strong, said -> the words are he is strong she said, so she is the
   fourth and has is, strong, said (3 pairs).
2. she went home the brave dog saw her: she: went, home (2); her: dog, saw (2).
3. strong he strong ('s is not a word): he: strong, strong (2).

Male pairs M = 2 + 2 = 4, female pairs F = 3 + 2 + 2 = 7. Pairs with strong: male 1 + 2 = 3, female 1; with
home: female 1; with brave: none.
"""


def test_counts_and_log_odds_by_hand() -> None:
    moments = counted(documents_of(BY_HAND * 10), window=2)
    table = cooccurrence_table(moments, TARGETS)
    strong = row(table, "strength", "strong")
    assert (strong["male"], strong["female"], strong["documents"]) == (30, 10, 20)
    male, female, all_male, all_female = 30, 10, 40, 70
    prior_male, prior_female = 40 / 110, 70 / 110
    log_odds = math.log((male + prior_male) / (female + prior_female)) - math.log(all_male / all_female)
    assert strong["log_odds"] == pytest.approx(log_odds)
    assert strong["pmi_male"] == pytest.approx(math.log(30 * 110 / (40 * 40)))
    assert strong["pmi_female"] == pytest.approx(math.log(10 * 110 / (40 * 70)))
    brave = row(table, "strength", "brave")
    assert (brave["male"], brave["female"], brave["note"]) == (0, 0, "too few")
    home = row(table, "family", "home")
    assert (home["male"], home["female"], home["documents"], home["note"]) == (0, 10, 10, "too few")
    assert math.isnan(home["log_odds"])


def test_a_sentence_as_window() -> None:
    """In sentences: he-she-strong as before; home is in the sentence of she, brave in that of her."""
    table = cooccurrence_table(counted(documents_of(BY_HAND), window=0), TARGETS)
    counts = {word: (row(table, category, word)["male"], row(table, category, word)["female"])
              for category, word in TARGETS.items if word}  # fmt: skip
    assert counts == {"strong": (3, 1), "brave": (0, 1), "home": (0, 1), "mother": (0, 0)}


def test_a_target_that_is_gendered_is_not_near_itself() -> None:
    table = cooccurrence_table(counted(documents_of(["His mother saw her mother."]), window=1), TARGETS)
    mother = row(table, "family", "mother")
    assert (mother["male"], mother["female"]) == (0, 1)


def slow_counts(documents: Sequence[Document], window: int) -> tuple[Counter[tuple[str, str]], Counter[str]]:
    """Pairs with each word, and all pairs, by gender: a plain loop over every pair of places."""
    pairs: Counter[tuple[str, str]] = Counter()
    whole: Counter[str] = Counter()
    for document in documents:
        words = [word for word in tokens(document.text) if word not in NO_WORDS]
        for place, word in enumerate(words):
            for other in range(max(place - window, 0), min(place + window + 1, len(words))):
                if other != place and word in GENDERS:
                    pairs[words[other], GENDERS[word]] += 1
                    whole[GENDERS[word]] += 1
    return pairs, whole


def random_documents(n: int, seed: int) -> list[Document]:
    chance = random.Random(seed)
    words = ["he", "she", "him", "her", "mother", "strong", "brave", "home", *["the", "dog", ",", "ran"] * 3]
    texts = []
    for _ in range(n):
        weights = [chance.random() * 3 for _ in words[:8]] + [1.0] * 12
        texts.append(" ".join(chance.choices(words, weights, k=chance.randint(1, 40))))
    return documents_of(texts, [chance.choice("xy") for _ in texts])


@pytest.mark.parametrize("window", [1, 4, 50])
def test_against_a_plain_loop(window: int) -> None:
    documents = random_documents(200, seed=window)
    moments = counted(documents, window, block=7)
    table = cooccurrence_table(moments, TARGETS)
    for level in ("", "x", "y"):
        own = [document for document in documents if level in ("", document.groups["side"])]
        pairs, whole = slow_counts(own, window)
        for category, word in TARGETS.items:
            listed = [word] if word else TARGETS.categories[category]
            found = row(table, category, word, level)
            for gender in ("male", "female"):
                assert found[gender] == sum(pairs[each, gender] for each in listed)
        base = moments.base[moments.groups.index(("side", level) if level else ("all", ""))]
        assert (base[2], base[3]) == (whole["male"], whole["female"])


def test_intervals_agree_with_resampled_documents() -> None:
    """The linearised interval against 2,000 draws of whole documents, with the same prior."""
    documents = random_documents(400, seed=5)
    table = cooccurrence_table(counted(documents, 4), TARGETS)
    rows = []
    for document in documents:
        pairs, whole = slow_counts([document], 4)
        near = [pairs["strong", gender] + pairs["brave", gender] for gender in ("male", "female")]
        rows.append([*near, whole["male"], whole["female"]])
    counts = np.asarray(rows, dtype=float)
    rng = np.random.default_rng(0)
    sums = np.array([counts[rng.integers(400, size=400)].sum(axis=0) for _ in range(2000)])
    m, f, whole_m, whole_f = sums.T
    pairs_all = whole_m + whole_f
    draws = {
        "log_odds": np.log((m + whole_m / pairs_all) / (f + whole_f / pairs_all)) - np.log(whole_m / whole_f),
        "pmi_male": np.log(m * pairs_all / ((m + f) * whole_m)),
        "pmi_female": np.log(f * pairs_all / ((m + f) * whole_f)),
    }
    found = row(table, "strength")
    for name, drawn in draws.items():
        low, high = np.quantile(drawn, [0.025, 0.975])
        assert found[f"{name}_high"] - found[f"{name}_low"] == pytest.approx(high - low, rel=0.08)
        assert (found[f"{name}_high"] + found[f"{name}_low"]) / 2 == pytest.approx(
            (high + low) / 2, abs=0.1 * (high - low)
        )


def test_shares_and_their_interval_agree_with_resampled_documents() -> None:
    documents = random_documents(300, seed=8)
    moments = counted(documents, 4)
    found = mentions_table(moments).iloc[0]
    counts = np.array(
        [
            [
                sum(GENDERS.get(word) == gender for word in tokens(document.text))
                for gender in ("female", "male")
            ]
            for document in documents
        ]
    )
    women, men = counts.sum(axis=0)
    assert (found["women"], found["men"]) == (women, men)
    assert found["share_women"] == pytest.approx(women / (women + men))
    rng = np.random.default_rng(0)
    sums = np.array([counts[rng.integers(300, size=300)].sum(axis=0) for _ in range(2000)])
    low, high = np.quantile(sums[:, 0] / sums.sum(axis=1), [0.025, 0.975])
    assert (found["low"], found["high"]) == pytest.approx((low, high), abs=0.1 * (high - low))


def test_blocks_do_not_matter() -> None:
    documents = random_documents(50, seed=1)
    tables = [cooccurrence_table(counted(documents, 3, block), TARGETS) for block in (1, 50)]
    order = ["by", "level", "category", "word"]
    first, second = (table.sort_values(order, ignore_index=True) for table in tables)
    pd.testing.assert_frame_equal(first, second)


def test_small_groups_are_too_few_and_one_sided_shares_have_an_interval() -> None:
    texts = ["He and he and he and he and he."] * 4
    moments = counted(documents_of([*texts, *texts, *texts[:2]], list("aaaabbbbbb")), 5)
    shares = mentions_table(moments).set_index(["level", "role"])
    assert shares.loc[("a", "all"), "note"] == "too few"
    assert math.isnan(shares.loc[("a", "all"), "share_women"])
    assert shares.loc[("b", "all"), "share_women"] == 0.0
    # Wilson's upper end for 0 of 6: z^2 / (n + z^2).
    assert shares.loc[("b", "all"), "high"] == pytest.approx(1.959964**2 / (6 + 1.959964**2), rel=1e-5)


def test_an_identifier_is_no_grouping() -> None:
    documents = documents_of(["He ran."] * 2100, [str(number) for number in range(2100)])
    with pytest.raises(UserError, match="more than 2000 groups by"):
        counted(documents, 2, block=100)


def test_a_block_without_documents_or_mentions() -> None:
    moments = counted(documents_of(["The dog ran home."]), 2)
    moments.add([], count_block([], VOCABULARY, 2))
    table = cooccurrence_table(moments, TARGETS)
    assert set(table["note"]) == {"too few"}
    assert table["male"].sum() == 0
