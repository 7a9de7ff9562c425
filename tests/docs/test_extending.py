"""The page on adding things is true: its files are run as they are printed."""

import re
from importlib import import_module
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import tiny
import torch
import transformers

import equipoise
from equipoise.mitigations.base import options_help
from equipoise.models.loading.networks import wrap_model
from equipoise.plugins import Index
from equipoise.report import exports

PAGE = Path(__file__).resolve().parents[2] / "docs" / "extending.md"
PROVERBS = pd.DataFrame(
    {
        "common": [f"Old saying number {number} about him." for number in range(6)],
        "turned": [f"Old saying number {number} about her." for number in range(6)],
        "theme": ["work", "home"] * 3,
    }
)


def printed_files() -> dict[str, str]:
    blocks = re.findall(r"```python\n# file: (\S+)\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    return dict(blocks)


def run_files(*names: str) -> dict[str, Any]:
    scope: dict[str, Any] = {}
    for name in names:
        exec(printed_files()[name], scope)
    return scope


def test_a_reader_and_an_instrument_are_all_that_a_pair_benchmark_needs(tmp_path: Path) -> None:
    scope = run_files("data/sets/proverbs.py", "instruments/proverbs.py")
    scores = {row: [-1.0] * len(row.split()) for row in PROVERBS["common"]}
    scores |= {row: [-1.5] * len(row.split()) for row in PROVERBS["turned"]}
    models = [
        equipoise.TableModel(scores=scores, name="one"),
        equipoise.TableModel(scores=scores | {PROVERBS["common"][0]: [-9.0] * 6}, name="other"),
    ]
    results = [equipoise.measure(model, scope["Proverbs"](), data=PROVERBS) for model in models]
    assert results[0].value("difference") == pytest.approx(6 * 0.5)
    assert results[0].value("difference", category="work") == pytest.approx(6 * 0.5)
    assert equipoise.compare(*results).table["n"].tolist() == [6]
    assert equipoise.load_result(results[0].save(tmp_path)).value("difference") == pytest.approx(3.0)


def test_a_file_is_all_that_an_output_format_needs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "keys.py").write_text(printed_files()["report/exports/keys.py"], encoding="utf-8")
    monkeypatch.setattr(exports, "__path__", [*exports.__path__, str(tmp_path)])
    monkeypatch.setattr(exports, "EXPORTS", Index("exports", exports.own_formats(), "output format"))
    result = equipoise.measure("random", "traits")
    assert "keys" in exports.EXPORTS
    assert "traits.care-contrast\n" in exports.export([result], "keys")


def test_a_file_is_all_that_a_mitigation_needs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    printed = printed_files()["mitigations/level_biases.py"]
    (tmp_path / "level_biases.py").write_text(printed, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    kind = import_module("level_biases").LevelBiases
    model = wrap_model(tiny.network("bert"), tiny.tokenizer("wordpiece"), name="small")
    ids = model.tokenizer.convert_tokens_to_ids(["he", "she"])
    with torch.no_grad():
        model.transformers_model.get_output_embeddings().bias[ids] = torch.tensor([2.0, 1.0])
    folder = equipoise.mitigate(model, kind(share=0.5)).save(tmp_path / "levelled")
    saved = transformers.AutoModelForMaskedLM.from_pretrained(folder)
    assert saved.get_output_embeddings().bias[ids].tolist() == pytest.approx([1.75, 1.25])
    card = (folder / "README.md").read_text(encoding="utf-8")
    assert "Moved by 0.5." in card
    assert "no other weight changes" in card
    assert options_help(kind)["share"].startswith("how far they move")
