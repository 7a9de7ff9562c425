"""Ranking models: the values, the ranks, what is kept beside them, and the tests, worked out another way."""

from dataclasses import replace
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from designs import sampled
from made_results import made_result

from equipoise.errors import UserError
from equipoise.instruments import INSTRUMENTS, load_instrument
from equipoise.instruments.base import Settings
from equipoise.measuring import measure
from equipoise.models.capabilities import CLASSIFY, GENERATE
from equipoise.models.loading import load_model
from equipoise.models.protocol import LanguageModel
from equipoise.models.table import TableModel
from equipoise.results import Quantity, Result
from equipoise.results.comparison import compare
from equipoise.results.comparison.differences import value_of
from equipoise.results.estimate import Estimate, estimates_table
from equipoise.results.quantity import Contrast
from equipoise.results.records import fixed
from equipoise.stats.means import mean_with_interval
from equipoise.studies.models import RANKING_COLUMNS, compare_models, compare_results, rank_results
from equipoise.studies.papers.published import published

LEAN = Quantity("lean", "lean", 0.05, factors=("cluster",), where={"variation": "original"})
SIZE = replace(LEAN, key="size", label="mean |lean|", kind="size", better="lower", ranks=True)
GUARD = Quantity("guard", "guard", 0.1, column="own_side", better="higher", part="guard")

SIZE_OF_ALL = Quantity("size", "mean |lean|", 0.05, kind="size", better="lower", ranks=True)

ABOVE = Quantity(
    "above",
    "above neutral pairs",
    0.1,
    better="lower",
    contrast=Contrast("part", "pair", "neutral"),
    ranks=True,
)


def result_of(model: str, shift: float, seed: int = 0, *quantities: Quantity, **changes: str) -> Result:
    base = np.random.default_rng(7).normal(0, 1, 40)
    noise = np.random.default_rng(seed).normal(0, 0.1, 40)
    columns = {
        "text": [f"t{number}" for number in range(40)],
        "category": ["occupation"] * 20 + ["hostile-sexism"] * 20,
        "cluster": [f"c{number // 2}" for number in range(40)],
        "variation": "original",
        "score": base + np.sign(base) * shift + noise,
        "own_side": [0.5 + shift / 10] * 20 + [np.nan] * 20,
    }
    return made_result(columns, *(quantities or (LEAN, SIZE, GUARD)), model=model, **changes)


THREE = (result_of("a", 2.0, 1), result_of("b", 0.0, 2), result_of("c", 2.01, 3))


def test_models_are_ranked_by_what_the_instrument_declares_for_it() -> None:
    ranking = compare_results(THREE).ranking
    assert list(ranking.columns) == list(RANKING_COLUMNS)
    assert set(ranking["quantity"]) == {"mean |lean|"}
    assert ranking["group"].unique().tolist() == ["all", "occupation", "hostile-sexism"]
    for group in ranking["group"].unique():
        rows = ranking[ranking["group"] == group]
        assert rows["rank"].tolist() == sorted(rows["rank"])
        for row in rows.to_dict("records"):
            items = next(one.items for one in THREE if one.model == row["model"])
            items = items if group == "all" else items[items["category"] == group]
            expected = mean_with_interval(items["score"].abs(), [items["cluster"]])
            assert row["value"] == pytest.approx(items["score"].abs().mean())
            assert (row["low"], row["high"]) == pytest.approx((expected.low, expected.high))
            assert row["n"] == len(items)
        assert rows["model"].iloc[0] == "b"


def test_guard_and_ability_stand_beside_the_rank() -> None:
    ranking = compare_results(THREE).ranking.set_index(["group", "model"])
    assert ranking.loc[("all", "a"), "kept"] == "guard 0.70"
    assert ranking.loc[("all", "b"), "kept"] == "guard 0.50"
    without = compare_results([result_of("a", 1.0, 1, SIZE), result_of("b", 0.0, 2, SIZE)]).ranking
    assert set(without["kept"]) == {""}


def test_a_signed_quantity_ranks_by_its_distance_from_neutral() -> None:
    share = Quantity("share", "share", 0.05, neutral=0.5, ranks=True)
    scores = {"low": 0.1, "near": 0.45, "high": 0.7}
    results = [
        made_result({"score": np.full(10, value)}, share, model=name) for name, value in scores.items()
    ]
    ranking = compare_results(results).ranking
    assert ranking["model"].tolist() == ["near", "high", "low"]
    assert ranking["rank"].tolist() == [1, 2, 3]


def test_models_that_cannot_be_told_apart_share_a_rank() -> None:
    """Four draws of one noise are all first; a fifth that leans surely more is fifth."""
    noise = np.random.default_rng(4).normal(0, 0.3, (5, 40))
    scores = {f"draw {number}": noise[number] for number in range(4)} | {"leaning": 1.0 + noise[4]}
    results = [
        made_result({"score": values}, replace(SIZE, where={}, factors=()), model=name)
        for name, values in scores.items()
    ]
    ranking = compare_results(results).ranking.set_index("model")["rank"].to_dict()
    assert ranking.pop("leaning") == 5
    assert set(ranking.values()) == {1}


def test_opposite_leans_of_one_size_share_a_rank() -> None:
    noise = np.random.default_rng(5).normal(0, 0.1, (2, 40))
    lean = Quantity("lean", "lean", 0.05, ranks=True)
    results = [
        made_result({"score": side * 0.5 + noise[number]}, lean, model=name)
        for number, (name, side) in enumerate((("women", -1), ("men", 1)))
    ]
    assert compare_results(results).ranking["rank"].tolist() == [1, 1]


def test_a_size_below_neutral_is_as_good_as_neutral_and_no_better() -> None:
    """What gendered words move less than others do is good, but -0.4 is no better than -0.1."""
    part = np.repeat(["pair", "neutral"], 10)
    above = Quantity(
        "above",
        "above",
        0.1,
        better="lower",
        kind="size",
        contrast=Contrast("part", "pair", "neutral"),
        ranks=True,
    )
    sizes = {"above": 0.6, "just-below": 0.4, "far-below": 0.1, "at-neutral": 0.5}
    results = [
        made_result({"part": part, "score": np.where(part == "pair", size, 0.5)}, above, model=name)
        for name, size in sizes.items()
    ]
    ranking = compare_results(results).ranking.set_index("model")
    assert ranking["rank"].to_dict() == {"just-below": 1, "far-below": 1, "at-neutral": 1, "above": 4}
    assert ranking.loc["far-below", "value"] == pytest.approx(-0.4)


def test_a_category_is_set_against_the_same_neutral_items() -> None:
    columns = {
        "part": np.repeat(["pair", "neutral"], [20, 10]),
        "category": np.repeat(["x", "y", "neutral"], 10),
        "score": np.repeat([0.9, 0.5, 0.2], 10),
    }
    other = {**columns, "score": columns["score"] + 0.01}
    ranking = compare_results([made_result(columns, ABOVE), made_result(other, ABOVE, model="b")]).ranking
    values = ranking[ranking["model"] == "a"].set_index("group")["value"]
    assert values.to_dict() == pytest.approx({"all": 0.5, "x": 0.7, "y": 0.3})


def test_models_are_ranked_on_the_items_that_all_of_them_could_be_asked() -> None:
    """The same scores but for three large ones, which one of the models could not be asked: a tie."""
    scores = np.array([0.1, -0.2, 0.3, 5.0, 6.0, 7.0])
    whole = made_result({"text": list("uvwxyz"), "score": scores}, SIZE_OF_ALL, model="whole")
    partial = {
        "text": list("uvwxyz"),
        "score": np.where(scores > 1, np.nan, scores),
        "dropped": ["", "", "", "unknown", "unknown", "unknown"],
    }
    study = compare_results([whole, made_result(partial, SIZE_OF_ALL, model="partial")])
    ranking = study.ranking.set_index("model")
    assert ranking["rank"].to_dict() == {"whole": 1, "partial": 1}
    assert ranking["n"].to_dict() == {"whole": 3, "partial": 3}
    assert ranking["value"].to_dict() == pytest.approx({"whole": 0.2, "partial": 0.2})
    assert "3 of 6 items were left out because partial could not be asked" in study.comparison.sentences()[-1]


def test_differences_are_those_of_compare() -> None:
    differences = compare_results(THREE).differences
    pd.testing.assert_frame_equal(differences, compare(THREE).table)
    sizes = differences[differences["quantity"] == "size"].set_index(["first", "second"])
    for first, second in combinations(THREE, 2):
        gaps = second.items["score"].abs() - first.items["score"].abs()
        assert sizes.loc[(first.model, second.model), "difference"] == pytest.approx(gaps.mean())
    assert sizes["verdict"].tolist() == ["lower", "equivalent", "higher"]


def test_the_matrix_has_groups_by_models() -> None:
    results = [result_of("a", 1.0, 1), result_of("b", 0.0, 2)]
    for place, one in enumerate(results):
        groups = ({}, {"category": "occupation"}, {"profession": "nurse"})
        one.estimates = estimates_table(
            Estimate("asld", place + number, 0, 9, n=3, groups=group) for number, group in enumerate(groups)
        )
    matrix = compare_results(results).matrix("x", "asld")
    assert matrix.to_dict() == {"a": {"all": 0, "occupation": 1}, "b": {"all": 1, "occupation": 2}}


def test_models_are_measured_and_changed_forms_left_out(tmp_path: Path) -> None:
    path = tmp_path / "pairs.csv"
    path.write_text(
        "category,stereotype,counterpart\n"
        "occupation,The nurse lost her keys,The nurse lost his keys\n"
        "occupation,The pilot lost his keys,The pilot lost her keys\n"
        "neutral,We ate on Monday,We ate on Tuesday\n",
        encoding="utf-8",
    )
    texts = [f"The {word} lost {whose} keys" for word, whose in
             (("nurse", "her"), ("nurse", "his"), ("pilot", "his"), ("pilot", "her"))]  # fmt: skip
    null = {"We ate on Monday": (-1.0,) * 4, "We ate on Tuesday": (-1.2,) + (-1.0,) * 3}

    def model(name: str, totals: tuple[float, ...]) -> TableModel:
        scores = {text: (total, 0.0, 0.0, 0.0, 0.0) for text, total in zip(texts, totals, strict=True)}
        return TableModel(scores=scores | null, name=name)

    settings = {"sbe": Settings(data=str(path))}
    far, near = model("far", (-1.0, -4.0, -1.0, -3.0)), model("near", (-1.0, -1.5, -1.0, -0.5))
    study = compare_models([far, near], settings=settings)
    ranked = study.ranking[study.ranking["group"] == "all"].set_index("model")
    # ASLD over two pairs, (3 + 2) / 2 and (0.5 + 0.5) / 2, less the 0.2 of the neutral pair.
    assert ranked["value"].to_dict() == pytest.approx({"far": 2.3, "near": 0.3})
    assert ranked.index.tolist() == ["near", "far"]
    assert set(ranked["rank"]) == {1}, "two pairs are too few to tell the models apart"
    # Two pairs are two clusters: whatever the gap, nothing is claimed.
    assert set(study.differences["verdict"]) == {"not enough items"}
    with pytest.raises(UserError, match="the same model"):
        compare_models([far, model("twin", (-1.0, -4.0, -1.0, -3.0))], settings=settings)
    with pytest.raises(UserError, match="at least two"):
        compare_models([far], settings=settings)
    with pytest.raises(UserError, match="at least two"):
        compare_models((one for one in [far]), settings=settings)


def test_results_that_cannot_be_ranked_together_are_refused() -> None:
    with pytest.raises(UserError, match="the same model"):
        compare_results([result_of("a", 1.0), result_of("b", 1.0, fingerprint="print of a")])
    with pytest.raises(UserError, match="Two different models are called 'a'"):
        compare_results([result_of("a", 1.0), result_of("a", 1.0, fingerprint="z")])
    with pytest.raises(UserError, match="different quantities"):
        compare_results([result_of("a", 1.0), result_of("b", 1.0, variant="within-word-l2r")])
    with pytest.raises(UserError, match="different data"):
        compare_results([result_of("a", 1.0), result_of("b", 1.0, files={"other.csv": "1"})])


@pytest.mark.parametrize("name", INSTRUMENTS)
def test_every_instrument_says_what_it_ranks_by(name: str) -> None:
    """One quantity ranks; what must not fall is never it, nor a number without a direction."""
    ranking = [quantity for quantity in load_instrument(name).quantities if quantity.ranks]
    if name == "stereotype-skew":  # its quantities depend on the types of sentences that were read
        return
    assert len(ranking) == (3 if name == "held-out" else 1)
    assert all(one.part == "bias" and one.better in ("lower", "neutral") for one in ranking)


PAIRS = pd.DataFrame(
    [
        {"sent_more": f"The {word} lost {more} keys.", "sent_less": f"The {word} lost {less} keys."}
        | {"stereo_antistereo": "stereo", "bias_type": "gender"}
        for more, less in (("his", "her"), ("her", "his"))
        for word in ("nurse", "cook", "baker", "farmer", "engineer")
    ]
)


@pytest.fixture(scope="module")
def two_draws() -> list[LanguageModel]:
    """Two small models with random weights."""
    return [load_model(draw, cache=False) for draw in ("random", "random:2")]


def _data(name: str, folder: Path) -> Path | str:
    """A few items of the user's own, where an instrument needs published files or has thousands of items."""
    if name in ("tbe", "lpbs"):
        return _few_templates(folder)
    if name in ("crows-pairs", "aul", "aula"):
        PAIRS.to_csv(folder / "pairs.csv")
        return folder / "pairs.csv"
    if name == "honest":
        (folder / "lexicon.csv").write_text("word\nnurse\ncook\nthe\n", encoding="utf-8")
        return folder / "lexicon.csv"
    if name in ("contexts", "cosine"):
        people = ("man", "woman") * 6
        lines = [
            f"A strong and clever {person} met the family number {at}." for at, person in enumerate(people)
        ]
        (folder / "corpus.txt").write_text("\n".join(lines), encoding="utf-8")
        return folder / "corpus.txt"
    return ""


def _few_templates(folder: Path) -> Path:
    verbs = ("is", "was", "became", "met", "saw")
    templates = [
        f"t{place},work,occupation,subject,[MASK] {verb} a <profession>.," for place, verb in enumerate(verbs)
    ]
    guards = [
        f"g{place},word,role,subject,[MASK] {verb} an <profession>.," for place, verb in enumerate(verbs)
    ]
    head = "id,category,kind,form,template,gender"
    (folder / "templates.csv").write_text("\n".join([head, *templates, *guards]), encoding="utf-8")
    work = [f"{word},work,occupation,," for word in ("nurse", "cook", "baker", "farmer", "engineer")]
    rows = ["profession,category,kind,percent_women,gender", *work, "actress,word,role,,female"]
    (folder / "professions.csv").write_text("\n".join(rows), encoding="utf-8")
    return folder


NEED_FILES = {"stereoset", "winogender", "ceat", "gest", "choices"}
"""Instruments whose data are published and cannot be made here in a few lines."""

OF_OTHER_MODELS = {name for name in INSTRUMENTS if {CLASSIFY, GENERATE} & {*load_instrument(name).needs}}
"""Instruments that ask a classifier, which `study downstream` compares, or a model that writes."""


@pytest.mark.parametrize("name", sorted(set(INSTRUMENTS) - NEED_FILES - OF_OTHER_MODELS))
def test_every_instrument_ranks_models(name: str, two_draws: list[LanguageModel], tmp_path: Path) -> None:
    first, second = (sampled(model, name, data=_data(name, tmp_path)) for model in two_draws)
    study = compare_results([first, second])
    whole = study.ranking[study.ranking["group"] == "all"]
    assert whole["value"].notna().all()
    for _, of_quantity in whole.groupby("quantity"):
        assert sorted(of_quantity["model"]) == ["random", "random:2"]
        assert sorted(of_quantity["rank"]) in ([1, 2], [1, 1])
    beside = [quantity for quantity in first.quantities if quantity.part != "bias"]
    for quantity in beside:
        value = value_of(first.items, quantity).value
        shown = whole[whole["model"] == "random"]["kept"].iloc[0]
        assert f"{quantity.label} {fixed(value, 2)}" in shown
    assert len(study.differences) >= 1


def test_a_result_says_what_it_ranks_by_when_it_is_read_back(tmp_path: Path) -> None:
    words = {
        "he": 0.5,
        "him": 0.5,
        "his": 0.5,
        "she": 0.2,
        "her": 0.2,
        "they": 0.1,
        "them": 0.1,
        "their": 0.1,
    }
    result = measure(TableModel(words=words), "tbe", data=_few_templates(tmp_path))
    (quantity,) = [quantity for quantity in result.quantities if quantity.ranks]
    assert quantity.key == "mean-size"
    assert value_of(result.items, quantity).value == pytest.approx(0.3)


def test_published_figures_stand_in_the_cells_of_their_model() -> None:
    """Table 3 of the GBEF thesis: the printed mean over categories is that of its rows."""
    categories = ("occupation", "benevolent-sexism", "hostile-sexism")
    of_bert = [published("sbe.asld", category, "folder/bert-base-uncased") for category in categories]
    assert of_bert == [5.18, 3.42, 3.57]
    assert published("sbe.asld", "all", "bert-base-uncased") == pytest.approx(np.mean(of_bert), abs=0.01)
    assert np.isnan(published("sbe.asld", "all", "another"))


def test_a_category_counts_its_own_items_and_not_the_yardstick() -> None:
    part = np.repeat(["pair", "neutral"], [6, 40])
    columns = {
        "part": part,
        "category": np.where(part == "pair", np.tile(["work", "home"], 23), ""),
        "score": np.random.default_rng(1).normal(0, 1, 46),
    }
    results = [made_result(columns, ABOVE, model=name, fingerprint=name) for name in ("a", "b")]
    counts = rank_results(results).set_index(["model", "group"])["n"]
    assert counts["a"].to_dict() == {"all": 6, "work": 3, "home": 3}
