"""Token scores: the cells of every pair add up to the value of its side, whatever the rule."""

import json
from pathlib import Path

import pytest
import tiny

from equipoise.instruments.parts.items import token_cell
from equipoise.measuring import measure
from equipoise.models.loading.networks import wrap_model
from equipoise.models.options import RunOptions
from equipoise.models.questions import TokenScores

PAIRS = (
    ",sent_more,sent_less,stereo_antistereo,bias_type,annotations,anon_writer,anon_annotators\n"
    "0,The nurse lost her keys.,The nurse lost his keys.,stereo,gender,[],a0,[]\n"
    "1,He is a doctor.,She is a careful doctor.,antistereo,gender,[],a1,[]\n"
)
SIDES = ("stereotype", "counterpart")


@pytest.mark.parametrize(
    ("instrument", "variant"),
    [
        ("crows-pairs", "nangia2020"),
        ("crows-pairs", "meade2022"),
        ("crows-pairs", "whole-sentence"),
        ("aul", "kaneko2022"),
        ("aula", "kaneko2022"),
        ("sbe", "original"),
    ],
)
def test_tokens_add_up_to_the_value_of_their_side(instrument: str, variant: str, tmp_path: Path) -> None:
    file = tmp_path / "pairs.csv"
    file.write_text(PAIRS, encoding="utf-8")
    if instrument == "sbe":
        file.write_text(
            "category,stereotype,counterpart\noccupation,The nurse lost her keys.,The nurse lost his keys.\n"
            "neutral,He is home.,He is here.\n",
            encoding="utf-8",
        )
    options = RunOptions(cache=False)
    model = wrap_model(tiny.network("bert"), tiny.tokenizer("wordpiece"), name="bert", options=options)
    items = measure(model, instrument, data=file, variant=variant).items
    column = "pll_" if instrument == "sbe" else "score_"
    for row in items[items["dropped"] == ""].to_dict("records"):
        for side in SIDES:
            tokens = json.loads(row[f"token_scores_{side}"])
            adds = sum(value for _, _, value in tokens if value is not None)
            assert adds == pytest.approx(row[f"{column}{side}"], abs=1e-9)
            assert len(tokens) == row[f"tokens_{side}"]
            assert all(0 <= start < end <= len(row[side]) for start, end, _ in tokens)
    if variant == "nangia2020":
        counted = json.loads(items["token_scores_stereotype"].iloc[0])
        assert [value is None for _, _, value in counted].count(True) >= 1  # her is not shared


def test_what_could_not_be_asked_is_null() -> None:
    scored = TokenScores(("a", "b"), (float("nan"), -2.0), ((0, 1), (2, 3)), (1.0, 0.5))
    assert json.loads(token_cell(scored, divisor=2)) == [[0, 1, None], [2, 3, -0.5]]
