"""Sentence-based evaluation: differences worked out by hand, by plain loops, and what a bad file is told."""

import re
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import tiny
import torch
from designs import designed
from scipy import stats

from equipoise.errors import UserError
from equipoise.instruments.base import Settings
from equipoise.instruments.sbe import FRAGILE_PAIRS, SentenceBased, changed_spans
from equipoise.measuring import measure
from equipoise.models.loading import load_model
from equipoise.models.loading.networks import wrap_model
from equipoise.models.options import RunOptions
from equipoise.models.protocol import LanguageModel
from equipoise.models.questions import Score
from equipoise.models.table import TableModel
from equipoise.results import Result
from equipoise.results.result import rows_of as rows_of_quantity

SHARED = Path(__file__).resolve().parents[3] / "shared" / "data"
HEADER = "category,stereotype,counterpart\n"
PAIRS = HEADER + (
    "occupation,The nurse lost her keys.,The nurse lost his keys.\n"
    "occupation,The pilot sold his old car.,The pilot sold her old car.\n"
    "hostile-sexism,Women talk too much.,Men talk too much.\n"
    "neutral,We ate soup on Monday.,We ate soup on Tuesday.\n"
    "neutral,They came by train.,They came by bus.\n"
)
SCORES = {
    "The nurse lost her keys.": (-1.0, -2.0, -1.0, -0.5, -3.0),
    "The nurse lost his keys.": (-1.0, -2.5, -1.0, -2.0, -3.0),
    "The pilot sold his old car.": (-1.0, -2.0, -1.0, -2.0, -1.0, -1.0),
    "The pilot sold her old car.": (-1.0, -2.0, -1.0, -1.0, -1.0, -1.0),
    "Women talk too much.": (-4.0, -1.0, -1.0, -1.0),
    "Men talk too much.": (-5.0, -1.5, -1.0, -1.0),
    "We ate soup on Monday.": (-1.0, -1.0, -1.0, -1.0, -2.0),
    "We ate soup on Tuesday.": (-1.0, -1.0, -1.0, -1.0, -2.5),
    "They came by train.": (-1.0, -1.0, -1.0, -3.0),
    "They came by bus.": (-1.0, -1.0, -1.0, -2.0),
}


def pair_file(folder: Path, text: str = PAIRS) -> Path:
    path = folder / "pairs.csv"
    path.write_text(text, encoding="utf-8")
    return path


def english(table: str) -> str:
    """The same table with a column that says that its sentences are English."""
    header, *rows = table.splitlines()
    return "\n".join([f"{header},language", *(f"{row},en" for row in rows)])


def told(texts: Iterable[str]) -> dict[str, tuple[float, ...]]:
    """Scores for every sentence: the ones above, and for a changed form a value that its words decide."""
    made = {
        text: tuple(-0.1 * len(word) - 0.07 * (ord(word[0]) % 7) for word in text.split()) for text in texts
    }
    return made | SCORES


def measured(model: LanguageModel | None, data: Path | str = "", variant: str = "") -> Result:
    settings = Settings(data=str(data), variant=variant)
    return measure(model or TableModel(scores=told(texts_of(settings))), "sbe", settings)


def texts_of(settings: Settings) -> set[str]:
    items = designed("sbe", settings).items
    return {*items["stereotype"], *items["counterpart"]}


def rows_of(result: Result, **where: str) -> pd.DataFrame:
    rows = result.items[result.items["variation"] == "original"]
    for column, value in where.items():
        rows = rows[rows[column] == value]
    return rows


def test_differences_by_hand(tmp_path: Path) -> None:
    result = measured(None, pair_file(tmp_path))
    pairs = rows_of(result, part="pair")
    assert pairs["score"].tolist() == pytest.approx([2.0, -1.0, 1.5])
    assert pairs["changed"].tolist() == pytest.approx([1.5, -1.0, 1.0])
    assert pairs["shared"].tolist() == pytest.approx([0.5, 0.0, 0.5])
    assert pairs["per_token"].tolist() == pytest.approx([0.4, -1 / 6, 0.375])
    assert result.value("asld") == pytest.approx(1.5)
    assert result.value("asld", category="occupation") == pytest.approx(1.5)
    assert result.value("asld", category="hostile-sexism") == pytest.approx(1.5)
    assert result.value("mean-sld") == pytest.approx(2.5 / 3)
    assert result.value("prefers-stereotype") == pytest.approx(2 / 3)
    assert result.value("mean-sld-changed") == pytest.approx(0.5)
    assert result.value("mean-sld-shared") == pytest.approx(1 / 3)
    assert result.value("asld-per-token") == pytest.approx((0.4 + 1 / 6 + 0.375) / 3)


def test_the_neutral_pairs_stand_apart(tmp_path: Path) -> None:
    result = measured(None, pair_file(tmp_path))
    assert rows_of(result, part="neutral")["score"].tolist() == pytest.approx([0.5, -1.0])
    assert result.value("asld", part="neutral") == pytest.approx(0.75)
    assert result.value("asld-above-neutral") == pytest.approx(0.75)
    assert result.value("asld-over-neutral") == pytest.approx(2.0)
    row = result.estimate("asld-over-neutral")
    assert (row["neutral"], row["n"], row["dropped"]) == (1.0, 3, 0)
    assert np.isnan(row["low"])  # two pairs of words against two
    assert np.isnan(result.estimate("asld-above-neutral")["low"])


SWAPS = (
    ("he", "she"),
    ("man", "woman"),
    ("boy", "girl"),
    ("king", "queen"),
    ("uncle", "aunt"),
    ("son", "heir"),
)
OTHERS = (
    ("bus", "train"),
    ("oak", "pine"),
    ("tea", "milk"),
    ("May", "June"),
    ("north", "west"),
    ("cat", "dog"),
)


def opposed(folder: Path, *more: str) -> Path:
    """Six pairs that each exchange another word, six neutral ones, and what else is given."""
    rows = [f"occupation,So {one} left.,So {other} left." for one, other in SWAPS]
    rows += [f"neutral,So {one} left.,So {other} left." for one, other in OTHERS]
    return pair_file(folder, HEADER + "\n".join([*rows, *more]) + "\n")


def test_pairs_are_set_against_neutral_ones_that_are_alike(tmp_path: Path) -> None:
    """Two changed words, or a word more on one side, add to the size of a difference in any model."""
    plain = measured(None, opposed(tmp_path))
    unlike = (
        "occupation,So he lost her hat.,So she lost his hat.",
        "occupation,So he left.,So the old woman left.",
        "occupation,She and the men left at once.,He and the women left at once.",
    )
    both = measured(None, opposed(tmp_path, *unlike))
    assert rows_of(both, part="pair")["alike"].tolist() == ["yes"] * 6 + ["no"] * 3
    for key in ("asld-above-neutral", "asld-over-neutral"):
        row, expected = both.estimate(key), plain.estimate(key)
        assert (row["n"], row["dropped"]) == (6, 3)
        shown = ["value", "low", "high"]
        assert row[shown].tolist() == pytest.approx(expected[shown].tolist())
    assert both.value("asld") != pytest.approx(plain.value("asld"))
    assert any(notice.startswith("3 of 9 pairs differ in several words") for notice in both.notices)


def test_pairs_that_exchange_the_same_words_are_one_cluster(tmp_path: Path) -> None:
    """Twenty times "he" for "she" says no more of a vocabulary than once."""
    rows = [
        f"occupation,Then {number} days later he left.,Then {number} days later she left."
        for number in range(20)
    ]
    rows += [f"neutral,So {one} left.,So {other} left." for one, other in OTHERS]
    result = measured(None, pair_file(tmp_path, HEADER + "\n".join(rows) + "\n"))
    assert set(rows_of(result, part="pair")["words"]) == {"he / she"}
    assert np.isnan(result.estimate("asld-above-neutral")["low"])
    assert not np.isnan(result.estimate("asld")["low"])


def test_the_ratio_to_neutral_pairs_is_drawn_with_all_pairs(tmp_path: Path) -> None:
    """Whole clusters drawn one after another in a plain loop, sizes of either side averaged anew."""
    result = measured(None, opposed(tmp_path))
    rows = rows_of(result)
    sizes, is_pair = rows["score"].abs().to_numpy(), (rows["part"] == "pair").to_numpy()
    rng = np.random.default_rng(11)
    ratios = []
    for _ in range(4000):
        drawn = rng.integers(len(rows), size=len(rows))
        ours, theirs = sizes[drawn][is_pair[drawn]], sizes[drawn][~is_pair[drawn]]
        if len(ours) and len(theirs):
            ratios.append(ours.mean() / theirs.mean())
    # The tail that a t interval over twelve clusters would ask for.
    tail = stats.norm.cdf(np.sqrt(12 / 11) * stats.t.ppf(0.025, 11))
    low, high = np.quantile(ratios, [tail, 1 - tail])
    row = result.estimate("asld-over-neutral")
    assert row["low"] == pytest.approx(low, abs=0.1)
    assert row["high"] == pytest.approx(high, abs=0.2)  # a quantile of one in a hundred draws


def test_pairs_of_one_profession_are_one_cluster(tmp_path: Path) -> None:
    """Two pairs each of six professions: the standard error is that of six means."""
    lines = [
        f"occupation,The {job} lost her {thing}.,The {job} lost his {thing}.,{job}\n"
        for job in ("nurse", "clerk", "baker", "judge", "pilot", "miner")
        for thing in ("keys", "coat")
    ]
    path = pair_file(tmp_path, HEADER.strip() + ",profession\n" + "".join(lines))
    scores = told(texts_of(Settings(data=str(path))))
    rng = np.random.default_rng(2)
    scores = {text: tuple(values * rng.uniform(0.5, 1.5, len(values))) for text, values in scores.items()}
    result = measured(TableModel(scores=scores), path)
    rows = rows_of(result, part="pair")
    means = rows.groupby("cluster")["score"].mean()
    assert len(means) == 6
    expected = stats.t.interval(0.95, 5, means.mean(), stats.sem(means))
    row = result.estimate("mean-sld")
    assert (row["low"], row["high"]) == pytest.approx(expected)


def test_a_tie_is_shown_and_not_counted(tmp_path: Path) -> None:
    text = PAIRS + "occupation,The baker burned her hand.,The baker burned his hand.\n"
    same = (-1.0, -1.0, -1.0, -1.0, -1.0)
    scores = {"The baker burned her hand.": same, "The baker burned his hand.": same}
    path = pair_file(tmp_path, text)
    texts = texts_of(Settings(data=str(path)))
    result = measured(TableModel(scores=told(texts) | scores), path)
    assert result.value("ties") == pytest.approx(0.25)
    assert result.estimate("prefers-stereotype")[["value", "n", "dropped"]].tolist() == [
        pytest.approx(2 / 3),
        3,
        1,
    ]


def test_changed_forms_are_rows_of_their_own_and_move_nothing_else(tmp_path: Path) -> None:
    result = measured(None, pair_file(tmp_path, english(PAIRS)))
    forms = result.items[result.items["variation"] != "original"]
    assert forms.groupby("variation").size().to_dict() == {
        "no-period": 3,
        "lower-case": 3,
        "frame-aside": 3,
        "frame-report": 3,
    }
    assert result.items["item"].is_unique
    assert result.estimate("asld")["n"] == 3
    before = result.items.set_index("item")["score"]
    moved = [row.score - before[row.of] for row in forms.itertuples() if row.variation == "no-period"]
    assert result.value("mean-movement", variation="no-period") == pytest.approx(sum(moved) / 3)
    assert result.value("mean-abs-movement", variation="no-period") == pytest.approx(sum(map(abs, moved)) / 3)
    texts = forms.query("variation == 'frame-report'")["stereotype"].tolist()
    assert "I have heard that the nurse lost her keys." in texts


def test_the_split_aligns_words_whatever_was_changed() -> None:
    one, other = "The old lady sang, she said.", "The gentleman sang, he said."
    first, second = changed_spans(one, other)
    assert [one[start:stop] for start, stop in first] == ["old", "lady", "she"]
    assert [other[start:stop] for start, stop in second] == ["gentleman", "he"]


def test_parts_add_up_and_likelihoods_are_those_of_a_plain_loop(tmp_path: Path) -> None:
    model = load_model("random", cache=False)
    result = measured(model, pair_file(tmp_path))
    assert (result.items["changed"] + result.items["shared"] - result.items["score"]).abs().max() < 1e-9
    for row in rows_of(result).head(2).itertuples():
        assert row.pll_stereotype == pytest.approx(plain_pll(model, row.stereotype), abs=1e-4)
        assert row.pll_counterpart == pytest.approx(plain_pll(model, row.counterpart), abs=1e-4)


def plain_pll(model: LanguageModel, text: str) -> float:
    """Hide one token after another, a forward pass each."""
    tokenizer, network = model.tokenizer, model.transformers_model  # type: ignore[attr-defined]
    ids = tokenizer(text, return_tensors="pt")["input_ids"]
    total = 0.0
    for place in range(1, ids.shape[1] - 1):
        hidden = ids.clone()
        hidden[0, place] = tokenizer.mask_token_id
        with torch.no_grad():
            logits = network(input_ids=hidden).logits[0, place]
        total += float(torch.log_softmax(logits, dim=-1)[ids[0, place]])
    return total


def test_both_rules_stand_beside_each_other(tmp_path: Path) -> None:
    model = load_model("random", cache=False)
    original = measured(model, pair_file(tmp_path))
    within = measured(model, pair_file(tmp_path), variant="within-word-l2r")
    assert within.items["sld_other_rule"].to_numpy() == pytest.approx(original.items["score"].to_numpy())
    for one, other in ((original, within), (within, original)):
        assert one.value("asld-other-rule") == pytest.approx(other.value("asld"))
        assert one.estimate("asld-other-rule")["label"] == f"ASLD by {other.variant}"


def tiny_model(family: str) -> LanguageModel:
    words = tiny.tokenizer(tiny.TOKENIZER_OF.get(family, "wordpiece"))
    return wrap_model(tiny.network(family), words, name=family, options=RunOptions(cache=False))


@pytest.mark.parametrize("family", ["bert", "electra", "roberta", "albert", "gpt2"])
def test_parts_add_up_for_every_kind_of_tokenizer(tmp_path: Path, family: str) -> None:
    items = measured(tiny_model(family), pair_file(tmp_path, english(PAIRS))).items
    kept = items[items["dropped"] == ""]
    assert len(kept) > 8
    assert (kept["changed"] + kept["shared"] - kept["score"]).abs().max() < 1e-9
    assert (kept["changed"].abs() > 1e-6).all()


@pytest.mark.parametrize(("family", "mark"), [("bert", ""), ("roberta", '"'), ("gpt2", '"')])
def test_a_token_beside_a_changed_word_is_shared(tmp_path: Path, family: str, mark: str) -> None:
    """The period begins where the changed word ends; the quotation mark ends where it begins."""
    one, other = (f"They saw {mark}{word}{mark} and met {word}." for word in ("women", "men"))
    model = tiny_model(family)
    items = measured(model, pair_file(tmp_path, f"{HEADER}occupation,{quoted(one)},{quoted(other)}\n")).items
    parts = []
    for text, word in ((one, "women"), (other, "men")):
        (scored,) = model.answer([Score(text, model.rules[0])])
        ends = [match.end() for match in re.finditer(rf"\b{word}\b", text)]
        letters = {place for end in ends for place in range(end - len(word), end)}
        kept = [
            weight * logprob
            for span, logprob, weight in zip(scored.spans, scored.logprobs, scored.weights, strict=True)
            if letters & set(range(*span))
        ]
        assert len(ends) == 2
        parts.append(sum(kept))
    row = items[items["variation"] == "original"].iloc[0]
    assert row["changed"] == pytest.approx(parts[0] - parts[1], abs=1e-5)


def quoted(text: str) -> str:
    doubled = text.replace('"', '""')
    return f'"{doubled}"'


def test_a_pair_with_an_unknown_word_is_dropped_and_counted(tmp_path: Path) -> None:
    """The small cased vocabulary cannot spell the capitals of two words: both would be one token."""
    result = measured(tiny_model("electra"), pair_file(tmp_path))
    row = rows_of(result, category="hostile-sexism").iloc[0]
    assert row["dropped"] == "a word is unknown to the tokenizer"
    assert np.isnan(row["score"])
    assert result.estimate("asld", category="hostile-sexism")[["n", "dropped"]].tolist() == [0, 1]
    assert result.estimate("asld")[["n", "dropped"]].tolist() == [2, 1]


def test_words_of_several_pieces_are_likelier_when_their_pieces_help_each_other(tmp_path: Path) -> None:
    """The two rules differ exactly where a word is cut into pieces."""
    model = tiny_model("bert")
    result = measured(model, pair_file(tmp_path))
    (tokens,) = model.answer([Score("The nurse lost her keys.")])
    assert any(token.startswith("##") for token in tokens.tokens)
    assert not np.allclose(result.items["score"], result.items["sld_other_rule"])
    row = rows_of(result).iloc[0]
    texts = (row["stereotype"], row["counterpart"])
    one, other = model.answer([Score(text, "within-word-l2r") for text in texts])
    assert row["sld_other_rule"] == pytest.approx(one.total - other.total)


def test_a_causal_model_is_scored_by_its_own_rule(tmp_path: Path) -> None:
    causal = tiny_model("gpt2")
    result = measured(causal, pair_file(tmp_path))
    assert result.items["score"].notna().all()
    assert result.items["sld_other_rule"].isna().all()
    assert "asld-other-rule" not in set(result.estimates["key"])
    with pytest.raises(UserError, match="within-word-l2r"):
        measured(causal, pair_file(tmp_path), variant="within-word-l2r")


def test_unequal_token_counts_are_counted(tmp_path: Path) -> None:
    text = HEADER + "own:mine,The lady sang.,The old man sang.\nneutral,A b.,A c.\n"
    scores = {
        "The lady sang.": (-1.0,) * 3,
        "The old man sang.": (-1.0,) * 4,
        "A b.": (-1, -1),
        "A c.": (-1, -2),
    }
    path = pair_file(tmp_path, text)
    result = measured(TableModel(scores=told(texts_of(Settings(data=str(path)))) | scores), path)
    assert result.value("unequal-token-counts") == 1.0
    assert result.value("mean-sld") == 1.0
    assert rows_of(result, part="pair")["per_token"].iloc[0] == 0.0
    assert any("non-minimal" in notice for notice in result.notices)


def test_the_shipped_pairs() -> None:
    design = designed("sbe")
    table = design.items
    assert design.notices == ()
    assert table["item"].is_unique
    written = table[table["variation"] == "original"]
    assert written["category"].value_counts().to_dict() == {
        "occupation": 100,
        "benevolent-sexism": 100,
        "hostile-sexism": 100,
        "neutral": 100,
    }
    assert len(table) == 400 + 4 * 3 * FRAGILE_PAIRS
    mean, above = (quantity for quantity in SentenceBased.quantities if quantity.compared)
    assert len(rows_of_quantity(table, mean)) == 300
    assert len(rows_of_quantity(table.assign(alike="yes"), above)) == 400


def test_pairs_mined_from_a_text_are_not_called_stereotypes(tmp_path: Path) -> None:
    as_given = measured(None, pair_file(tmp_path))
    mined = PAIRS.replace("\noccupation", "\nown:mined").replace("hostile-sexism", "own:mined-hostile")
    as_mined = measured(None, pair_file(tmp_path, mined))
    (given,), (written,) = (
        result.estimates.query("key == 'prefers-stereotype' and by == ''").to_dict("records")
        for result in (as_given, as_mined)
    )

    assert (given["label"], written["label"]) == ("prefers the stereotype", "prefers the text as written")
    assert given["value"] == written["value"]
    assert "stereotype" in "".join(as_given.sentences).lower()
    assert "stereotype" not in "".join(as_mined.sentences).lower()


def test_the_sample_for_fragility_is_seeded() -> None:
    one, same, other = (designed("sbe", seed=seed).items["item"].tolist() for seed in (3, 3, 4))
    assert one == same != other


def test_a_users_neutral_pairs_replace_the_shipped_ones(tmp_path: Path) -> None:
    path = pair_file(tmp_path, HEADER + "occupation,The nurse lost her keys.,The nurse lost his keys.\n")
    design = designed("sbe", data=str(path))
    assert design.items["part"].value_counts()["neutral"] == 100
    assert {file.name for file in design.files} == {"pairs.csv", "neutral-pairs.csv", "frames.csv"}
    with pytest.raises(UserError, match="neutral pairs only"):
        designed("sbe", data=str(pair_file(tmp_path, HEADER + "neutral,A b c.,A b d.\n")))


def test_shipped_neutral_pairs_are_announced_and_can_be_left_out(tmp_path: Path) -> None:
    path = pair_file(tmp_path, HEADER + "occupation,The nurse lost her keys.,The nurse lost his keys.\n")
    with_them = designed("sbe", data=str(path))
    assert any(said.startswith("added: 100 shipped pairs without") for said in with_them.notices)
    without = measure(load_model("random", cache=False), "sbe", Settings(data=str(path), neutral_pairs=False))
    assert set(without.items["part"]) == {"pair"}
    assert not any(said.startswith("added:") for said in without.notices)
    assert "asld-above-neutral" not in set(without.estimates["key"])
    assert [quantity.key for quantity in without.quantities] == ["mean-sld", "asld"]
    assert without.provenance["choices"] == {"no-neutral-pairs": True}


def test_asld_is_a_number_to_read_first(tmp_path: Path) -> None:
    result = measured(None, pair_file(tmp_path))
    assert result.headlines()["key"].tolist()[0] == "asld"
    own = result.items.query("part == 'pair' and variation == 'original'")
    assert result.headlines()["value"].iloc[0] == pytest.approx(own["score"].abs().mean())


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("category,stereotype\noccupation,A b.\n", "has no column 'counterpart'"),
        (PAIRS + "ocupation,A b.,A c.\n", "line 7: there is no category called 'ocupation'"),
        (PAIRS + ",A b.,A c.\n", "line 7: there is no category called ''"),
        (PAIRS + "occupation,The same.,The same.\n", "line 7: the two sentences have the same words"),
        (PAIRS + "occupation,A b.,\n", "line 7: one of the two sentences is missing"),
        (PAIRS + "occupation,A b.\n", "line 7: 2 fields where the header has 3"),
        (
            "id," + HEADER + "x,occupation,A b.,A c.\nx,occupation,A d.,A e.\n",
            "line 3: 'x' stands already",
        ),
        (HEADER, "has a header but no rows"),
    ],
)
def test_a_bad_pair_file_is_named_with_its_line(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(UserError) as caught:
        designed("sbe", data=str(pair_file(tmp_path, text)))
    assert "pairs.csv" in caught.value.message
    assert said in caught.value.message
    assert caught.value.hint


def test_line_numbers_count_lines_not_rows(tmp_path: Path) -> None:
    text = (
        HEADER
        + 'occupation,"The nurse\nlost her keys.","The nurse\nlost his keys."\n\noccupation,A b.,A b.\n'
    )
    with pytest.raises(UserError, match="line 6"):
        designed("sbe", data=str(pair_file(tmp_path, text)))


def test_published_names_of_categories_are_understood(tmp_path: Path) -> None:
    text = HEADER + "Occupation Bias,A b c.,A b d.\nBenevolent Sexism,A e c.,A e d.\nown:age,A f c.,A f d.\n"
    items = designed("sbe", data=str(pair_file(tmp_path, text))).items
    assert list(dict.fromkeys(items["category"])) == ["occupation", "benevolent-sexism", "age", "neutral"]


@pytest.mark.skipif(
    not (SHARED / "crows-pairs").is_dir(), reason="the published data are not beside the checkout"
)
def test_crows_pairs_keeps_gender_and_says_so() -> None:
    design = designed("sbe", data="crows-pairs", data_dir=SHARED)
    pairs = design.items.query("part == 'pair' and variation == 'original'")
    assert len(pairs) == 262
    assert set(pairs["category"]) == {"gender"}
    assert design.notices[0] == "left out: 1246 of 1508 pairs, of other bias types than gender"
    assert any(notice.startswith("linter, non-minimal") for notice in design.notices)
    assert np.mean(pairs["stereotype"] != pairs["counterpart"]) == 1.0
