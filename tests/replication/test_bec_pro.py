"""Bartl et al. 2020 on the real BERT-base-uncased: Table 4 before fine-tuning, and what its defects do."""

from collections.abc import Callable
from functools import cache, partial
from math import sqrt
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import transformers

from equipoise.data.sets.bec_pro import MASKS
from equipoise.instruments.association import Association
from equipoise.instruments.base import Ask, Design, Settings
from equipoise.models.engine.rows import merge
from equipoise.models.loading.networks import wrap_model
from equipoise.models.options import RunOptions
from equipoise.models.questions import Fill
from equipoise.results import Result
from equipoise.results.estimate import estimates_table
from equipoise.stats.significance import wilcoxon_r_from_w

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"
FILE_STRINGS = "the file's own strings without padding"

CELLS = (
    "balanced x female",
    "balanced x male",
    "female x female",
    "female x male",
    "male x female",
    "male x male",
)
TABLE_4 = dict(zip(CELLS, (-0.35, 0.05, 0.50, -0.68, -0.83, 0.16), strict=True))
TABLE_4_DIGITS = dict(zip(CELLS, (-0.3506, 0.0535, 0.4960, -0.6829, -0.8326, 0.1555), strict=True))
UNPADDED = dict(zip(CELLS, (-0.2725, 0.1379, 0.6272, -0.7850, -0.9394, 0.1702), strict=True))
PER_WORD = dict(zip(CELLS, (-0.2709, 0.1528, 0.6272, -0.7850, -0.9394, 0.1703), strict=True))
CORRECTED = dict(zip(CELLS, (-0.2940, 0.1485, 0.6131, -0.7793, -0.9621, 0.1707), strict=True))

pytestmark = pytest.mark.skipif(not (DATA / "bec-pro").is_dir(), reason="needs ../shared/data/bec-pro")


def designed(variant: str) -> Design:
    instrument = Association()
    settings = Settings(data="bec-pro", variant=variant, data_dir=DATA)
    return instrument.design(settings.source(instrument), settings)


def own_strings(items: pd.DataFrame) -> list[Ask]:
    """The masked sentences of the file as they stand, defects included, without any padding."""
    columns = {"beside": "sent_tm", "prior": "sent_tam"}
    return [
        Ask(row["item"], role, Fill(row[column], (row["person"],), blank=0))
        for row in items.to_dict("records")
        for role, column in columns.items()
    ]


@pytest.fixture(scope="module")
def results(bert: Any) -> Callable[[str], Result]:
    """The result of a variant, worked out once."""
    return cache(partial(measured, bert))


def measured(bert: Any, variant: str) -> Result:
    instrument = Association()
    is_variant = variant in instrument.variants
    design = designed(variant if is_variant else "as-published")
    asks = list(instrument.ask(design, bert)) if is_variant else own_strings(design.items)
    answers = bert.answer([ask.question for ask in asks])
    keyed = {(ask.item, ask.role): answer for ask, answer in zip(asks, answers, strict=True)}
    items = instrument.score(design, keyed)
    summary = instrument.summarise(design, items)
    provenance = {"sentences": list(summary.sentences)}
    return Result("association", items, estimates_table(summary.estimates), provenance)


def means(result: Result) -> dict[str, float]:
    cells = {cell: cell.split(" x ") for cell in CELLS}
    return {
        cell: result.value("association", group=group, gender=gender)
        for cell, (group, gender) in cells.items()
    }


def test_table_4_before_fine_tuning(results: Callable[[str], Result]) -> None:
    found = means(results("as-published"))
    assert found == pytest.approx(TABLE_4, abs=0.005)
    assert found == pytest.approx(TABLE_4_DIGITS, abs=0.0005)
    kept = results("as-published").estimates.query("key == 'association'")
    assert kept["n"].eq(900).all()
    assert kept["dropped"].eq(0).all()


@pytest.mark.slow
def test_without_attended_padding_the_effect_is_larger(results: Callable[[str], Result]) -> None:
    assert means(results(FILE_STRINGS)) == pytest.approx(UNPADDED, abs=0.0005)
    published, unpadded = (
        results(name).value("oriented-association") for name in ("as-published", FILE_STRINGS)
    )
    assert unpadded > published + 0.05


@pytest.mark.slow
def test_one_mask_per_word_differs_only_where_the_file_masks_other_words(
    results: Callable[[str], Result],
) -> None:
    ours, theirs = (results(name).items.set_index("item") for name in ("one-mask-per-word", FILE_STRINGS))
    sound = theirs["problem"] != MASKS
    assert (~sound).sum() == 33
    gap = (ours["score"] - theirs["score"]).abs()
    assert gap[sound].max() < 1e-4
    assert gap[~sound].max() > 1
    assert means(results("one-mask-per-word")) == pytest.approx(PER_WORD, abs=0.0005)


@pytest.mark.slow
def test_corrected(results: Callable[[str], Result]) -> None:
    result = results("corrected")
    assert means(result) == pytest.approx(CORRECTED, abs=0.0005)
    assert result.items["pieces"].eq(1).all()
    assert result.value("correlation-with-share-of-women") == pytest.approx(-0.661, abs=0.001)
    h1, h2, h3 = result.sentences
    assert ": open." in h1, "male persons with male professions: the interval reaches below zero"
    assert ": holds." in h2
    assert ": open." in h3, "five templates are few: 0.44 [-0.05, 0.94]"


@pytest.mark.parametrize(("w", "r"), [(359188, -0.47), (96428, -0.32), (395974, -0.58)])
def test_the_published_r_follows_from_the_published_w(w: float, r: float) -> None:
    """The W of Table 4 itself needs the fine-tuned model; docs/mitigations.md has one tuned anew."""
    assert -abs(wilcoxon_r_from_w(w, 900)) / sqrt(2) == pytest.approx(r, abs=0.005)


@pytest.mark.parametrize(
    ("variant", "rows"), [("as-published", 980), ("one-mask-per-word", 960), ("corrected", 993)]
)
def test_at_most_a_thousand_rows(variant: str, rows: int, bert_folder: Path) -> None:
    """10,800 questions, counted on a small network with BERT's vocabulary."""
    tokenizer = transformers.AutoTokenizer.from_pretrained(bert_folder)
    config = transformers.BertConfig(
        vocab_size=len(tokenizer),
        hidden_size=8,
        num_hidden_layers=1,
        num_attention_heads=1,
        intermediate_size=8,
    )
    network = transformers.BertForMaskedLM(config)
    model = wrap_model(network, tokenizer, name="small", options=RunOptions(cache=False))
    asks = list(Association().ask(designed(variant), model))
    assert len(asks) == 2 * 5400
    assert len(merge(row for ask in asks for row in model.ask(ask.question).rows)) == rows
