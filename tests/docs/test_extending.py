"""The page on adding things is true: its reader, instrument and output format are run as they are printed."""

import re
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import equipoise
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
    result = equipoise.measure("random", "traits")
    assert "keys" in exports.format_names()
    assert "traits.care-contrast\n" in exports.export([result], "keys")
