"""Samples: what a run that stops early holds, what it says of the whole run, and how it goes on."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import sqrt
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from scipy import stats

from equipoise import compare
from equipoise.errors import UserError
from equipoise.instruments import INSTRUMENTS, load_instrument
from equipoise.instruments.base import Settings
from equipoise.measuring import audit
from equipoise.models.loading import load_model
from equipoise.models.options import RunOptions
from equipoise.report.findings import say
from equipoise.results import Result, load_result
from equipoise.samples import BLOCKS, LEAST, Stop, blocks_of, units_of
from tests.made_results import made_result
from tests.report.test_findings import GAP

OPENINGS = ("Yes", "So", "Then", "Now", "Well", "Oh", "But", "And", "Still", "Here")
JOBS = ("nurse", "clerk", "cook", "guard", "judge", "pilot", "baker", "driver", "teacher", "lawyer") * 2


class Counting:
    """A model that counts its questions, and may be stopped by Ctrl-C before a group."""

    def __init__(self, model: Any, *, stop_before: int | None = None) -> None:
        self.inner, self.stop_before, self.asked = model, stop_before, 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self.inner, name)

    def answer_in_turn(self, groups: Sequence[Sequence[Any]]) -> Iterator[list[Any]]:
        for number, answers in enumerate(self.inner.answer_in_turn(groups)):
            if number == self.stop_before:
                raise KeyboardInterrupt
            self.asked += len(answers)
            yield answers


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """200 sentences about 20 occupations, and 60 about words gendered by definition."""
    made = tmp_path_factory.mktemp("data")
    templates = [
        f"t{n},work,subject,{opening} [MASK] is a <profession>" for n, opening in enumerate(OPENINGS)
    ]
    (made / "templates.csv").write_text("\n".join(["id,category,form,template", *templates]) + "\n")
    jobs = [f"{job}{'' if n < 10 else ' here'},work,,50" for n, job in enumerate(JOBS)]
    jobs += [
        f"{word},work,{side},50"
        for side, words in {"male": ("king", "uncle", "son"), "female": ("queen", "aunt", "daughter")}.items()
        for word in words
    ]
    (made / "professions.csv").write_text(
        "\n".join(["profession,category,gender,percent_women", *jobs]) + "\n"
    )
    return made


def run(folder: Path, model: Any, stop: Stop | None = None, seed: int = 0) -> Result:
    (result,) = audit(model, ["tbe"], {"tbe": Settings(data=str(folder), seed=seed)}, stop=stop)
    return result


def random_model(seed: str = "") -> Any:
    return load_model(f"random{seed}", RunOptions(cache=False))


@pytest.fixture(scope="module")
def whole(folder: Path) -> Result:
    return run(folder, random_model())


@pytest.fixture(scope="module")
def sample(folder: Path) -> Result:
    return run(folder, random_model(), Stop(quick=True))


def test_a_run_to_the_end_in_blocks_gives_the_same_numbers(folder: Path, whole: Result) -> None:
    result = run(folder, random_model(), Stop())
    pd.testing.assert_frame_equal(result.items, whole.items)
    pd.testing.assert_frame_equal(result.estimates, whole.estimates)
    assert not result.sample


def test_a_sample_holds_the_same_items_with_the_same_scores(sample: Result, whole: Result) -> None:
    assert 0.1 < sample.sample["share"] < 0.6
    assert sample.sample["asked"] == len(sample.items) < sample.sample["of"] == len(whole.items)
    both = sample.items.merge(whole.items, on="item", suffixes=("", "_whole"))
    assert len(both) == len(sample.items)
    assert both["score"].to_numpy() == pytest.approx(both["score_whole"].to_numpy(), abs=1e-6, nan_ok=True)
    assert sample.notices[0].startswith("a sample of ")
    assert say([sample]).headline.count(", in a sample of ") == 1
    assert not say([whole]).headline.startswith("From")


def test_a_sample_says_where_the_whole_run_will_end(sample: Result) -> None:
    """The items of a sample are a simple random one: t times s over root n, by the share that is left."""
    (row,) = (one for one in sample.sample["whole"] if one["key"] == "appd")
    rows = sample.items[(sample.items["part"] == "occupation") & (sample.items["variation"] == "original")]
    n, of = len(rows), 200
    half = stats.t.ppf(0.975, n - 1) * rows["score"].std() / sqrt(n) * sqrt(1 - n / of)
    mean = rows["score"].mean()
    assert (row["low"], row["high"]) == pytest.approx((mean - half, mean + half), rel=1e-3)
    assert row["high"] - row["low"] == pytest.approx(2 * half, rel=1e-2)
    assert sample.estimate("mean-abs-appd")["void"] == "a sample holds only some sentences of each occupation"
    assert "mean-abs-appd" not in {one["key"] for one in sample.sample["whole"]}


def test_ctrl_c_keeps_a_sample_and_the_same_run_goes_on(folder: Path, whole: Result, tmp_path: Path) -> None:
    model = load_model("random", RunOptions(store=tmp_path / "answers.sqlite"))
    stop, stopped = Stop(), Counting(model, stop_before=6)
    result = run(folder, stopped, stop)
    assert stop.interrupted
    assert result.sample["asked"] < len(whole.items)
    before = model.engine.rows_run
    again = load_model("random", RunOptions(store=tmp_path / "answers.sqlite"))
    finished = run(folder, again, Stop())
    pd.testing.assert_frame_equal(finished.items, whole.items, atol=1e-6)
    undisturbed = random_model()
    run(folder, undisturbed, Stop())
    assert before + again.engine.rows_run == undisturbed.engine.rows_run
    with pytest.raises(KeyboardInterrupt):
        run(folder, Counting(model, stop_before=0), Stop())


def test_a_sample_may_grow_but_does_not_replace_more_than_it_holds(
    sample: Result, whole: Result, tmp_path: Path
) -> None:
    sample.save(tmp_path)
    assert load_result(tmp_path).sample == sample.sample
    whole.save(tmp_path)
    with pytest.raises(UserError, match="the whole run there, a sample of"):
        sample.save(tmp_path)


def test_a_sample_is_compared_with_the_same_items_only(folder: Path, sample: Result, whole: Result) -> None:
    other = random_model(":2")
    same = run(folder, other, Stop(quick=True))
    for pair in ((sample, same), (sample, run(folder, other)), (whole, same)):
        compared = compare(*pair)
        assert compared.table["n"].max() <= len(sample.items)
        assert any("compared on a sample of" in note for note in compared.notes)
    longer = run(folder, Counting(other, stop_before=8), Stop())
    with pytest.raises(UserError, match="are different samples"):
        compare(sample, longer)
    assert not compare(whole, run(folder, other)).notes


@pytest.mark.parametrize("name", [name for name in INSTRUMENTS if load_instrument(name).datasets])
def test_every_block_is_a_fair_part_of_every_instrument(name: str) -> None:
    """Whatever an instrument asks, and without a model: a block holds its share of each part and class."""
    instrument = load_instrument(name)
    settings = Settings().completed(instrument)
    try:
        design = instrument.design(settings.source(instrument), settings)
    except UserError:
        pytest.skip("its data are not shipped")
    quantities = design.quantities or instrument.quantities
    blocks = blocks_of(instrument, design, quantities)
    assert blocks.index.tolist() == design.items["item"].tolist()
    if getattr(instrument, "scored_jointly", False):
        assert set(blocks) == {0}
        return
    units = units_of(design.items, instrument.roles)
    assert pd.Series(blocks.to_numpy()).groupby(units.to_numpy()).nunique().max() == 1
    parts = design.items["part"] if "part" in design.items else pd.Series("", index=design.items.index)
    for part in parts.unique():
        of_part = pd.Series(blocks.to_numpy()[parts == part]).groupby(units[parts == part].to_numpy()).first()
        for block, share in enumerate(BLOCKS):
            asked = (of_part <= block).mean()
            assert asked >= share - 0.02 or asked >= LEAST / len(of_part)
    other = replace(design, settings=replace(settings, seed=1))
    assert blocks.equals(blocks_of(instrument, design, quantities))
    assert blocks.nunique() == 1 or not blocks.equals(blocks_of(instrument, other, quantities))


def test_a_run_ends_by_the_clock_or_when_it_is_exact(monkeypatch: pytest.MonkeyPatch) -> None:
    assert [Stop(quick=True).is_time(block) for block in (0, 1, 2)] == [False, False, True]
    assert not Stop().is_time(len(BLOCKS) - 2)
    now = [0.0]
    monkeypatch.setattr("equipoise.samples.time.monotonic", lambda: now[0])
    stop = Stop(minutes=1)
    now[0] = 20.0  # 0.05 of it: the next block would take 12 seconds more
    assert not stop.is_time(0)
    now[0] = 40.0  # 24 seconds more
    assert stop.is_time(0)
    row = {"low": 0.4, "high": 0.5, "percent": False}
    assert Stop(until=0.06).is_exact([{"whole": [row]}])
    assert not Stop(until=0.05).is_exact([{"whole": [row]}])  # widened, because it is looked at often
    assert Stop(until=0.06).is_exact([{"whole": [{"low": 40, "high": 50, "percent": True}]}])
    assert not Stop(until=0.06).is_exact([{"whole": []}])
    for wrong in ({"minutes": 0}, {"until": -1.0}):
        with pytest.raises(UserError, match="Give a number above 0"):
            Stop(**wrong)


def test_findings_of_a_sample_are_marked() -> None:
    made = made_result({"score": [0.1] * 12, "text": ["x"] * 12}, GAP, model="it", instrument="tbe")
    made.provenance["sample"] = {"share": 0.12, "asked": 12, "of": 100, "seed": 0, "whole": []}
    assert (
        say([made]).headline
        == "it was asked no question about bias, in a sample of 12 % of the test sentences."
    )
