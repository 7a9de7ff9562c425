"""Results and studies that somebody changed, with checksums that fit: a page of them, or a UserError."""

import json
import random
import shutil
from contextlib import suppress
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from mutations import changed_table, changed_value
from report_results import page_result

from equipoise.data.reading import file_sha256
from equipoise.errors import UserError
from equipoise.report.page import collect, contents_of, save_page
from equipoise.results import Result, load_result
from equipoise.results.comparison import compare
from equipoise.results.saving import ESTIMATES, FILES, ITEMS, MANIFEST, PROVENANCE
from equipoise.studies.steps import Keeping, Plan, Step, _checksum, read_study

SEEDS = 60


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return page_result("m/one", items=12).save(tmp_path_factory.mktemp("results"))


def rewrite_json(path: Path, rng: random.Random) -> None:
    path.write_text(json.dumps(changed_value(json.loads(path.read_text()), rng)), encoding="utf-8")


def rewrite_table(path: Path, rng: random.Random) -> None:
    path.write_text(changed_table(path.read_text(), rng), encoding="utf-8")


def seal(folder: Path) -> None:
    """Make the checksums fit."""
    manifest = json.loads((folder / MANIFEST).read_text())
    manifest["files"] = {name: {"sha256": file_sha256(folder / name)} for name in FILES}
    (folder / MANIFEST).write_text(json.dumps(manifest))


def use(folder: Path, other: Result, out: Path) -> None:
    collected = collect([folder])
    save_page(contents_of(collected.results, collected.studies), out / "page.html", force=True)
    for result in collected.results:
        repr(result), result._repr_html_(), result.choices, result.notices
        str(compare(other, result))


@pytest.mark.parametrize("batch", range(4))
def test_a_crafted_result_is_shown_or_refused(batch: int, saved: Path, tmp_path: Path) -> None:
    """17 of 240 ended in a traceback."""
    other, outcomes = page_result("m/two", items=12, shift=0.3), []
    for seed in range(batch * SEEDS, (batch + 1) * SEEDS):
        rng, folder = random.Random(seed), tmp_path / "crafted"
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(saved, folder)
        name = rng.choice((PROVENANCE, PROVENANCE, ESTIMATES, ITEMS, MANIFEST))
        (rewrite_table if name == ITEMS else rewrite_json)(folder / name, rng)
        try:
            if name != MANIFEST:
                seal(folder)
            use(folder, other, tmp_path)
        except UserError as error:
            outcomes.append(bool(error.message and error.hint))
        else:
            outcomes.append(False)
    assert 10 < sum(outcomes) < SEEDS


def test_what_is_wrong_is_named(saved: Path, tmp_path: Path) -> None:
    folder = tmp_path / "crafted"
    shutil.copytree(saved, folder)
    provenance: dict[str, Any] = json.loads((folder / PROVENANCE).read_text())
    provenance["data"]["files"] = {"a.csv": 3}
    (folder / PROVENANCE).write_text(json.dumps(provenance))
    seal(folder)
    with pytest.raises(UserError, match=r"provenance\.data\.files\.a\.csv is 3 where a text is expected"):
        load_result(folder)


def test_deep_json_is_refused(saved: Path, tmp_path: Path) -> None:
    for name in (MANIFEST, PROVENANCE, ESTIMATES):
        folder = tmp_path / name
        shutil.copytree(saved, folder)
        (folder / name).write_text("[" * 100_000)
        if name != MANIFEST:
            seal(folder)
        with pytest.raises(UserError, match="RecursionError"):
            load_result(folder)


TABLE = pd.DataFrame(
    {
        "part": "occupation",
        "category": ["care"] * 3 + ["law"] * 3,
        "profession": list("abcdef"),
        "before": [0.1, 0.2, -0.3, 0.4, 0.5, -0.6],
        "after": [0.0, 0.1, -0.1, 0.2, 0.3, -0.2],
        "seen": [True, False] * 3,
    }
)


def study(folder: Path, name: str = "professions") -> Path:
    tables = {"professions.csv": TABLE, "more.csv": TABLE.head(2)}
    Keeping(folder, force=True).begin(Plan(name, "Professions", {"a": "b"}, ())).finish(["It fell."], tables)
    return folder


def test_a_number_that_was_changed_by_hand_does_not_reach_the_page(tmp_path: Path) -> None:
    folder = study(tmp_path / "study")
    table, record = folder / "professions.csv", folder / "study.json"
    for path, old, new in ((table, "0.4", "0.1"), (record, "It fell.", "It rose.")):
        written = path.read_text()
        assert old in written
        path.write_text(written.replace(old, new))
        with pytest.raises(UserError, match=f"{path.name} is not the file that was saved"):
            collect([folder])
        path.write_text(written)
    assert collect([folder]).studies[0].sentences == ("It fell.",)
    table.unlink()
    with pytest.raises(UserError, match=r"professions\.csv is missing"):
        collect([folder])


def test_a_step_that_was_changed_by_hand_is_not_gone_on_with(tmp_path: Path) -> None:
    plan = Plan("x", "X", {}, [Step("one", "Do it")])
    Keeping(tmp_path / "s").begin(plan).table("one", lambda: TABLE)
    path = tmp_path / "s" / "steps" / "one" / "table.csv"
    pd.testing.assert_frame_equal(Keeping(tmp_path / "s").begin(plan).table("one", lambda: TABLE), TABLE)
    path.write_text(path.read_text().replace("0.4", "0.1"))
    with pytest.raises(UserError, match=r"table\.csv is not the file that was saved"):
        Keeping(tmp_path / "s").begin(plan).table("one", lambda: TABLE)


@pytest.mark.parametrize("name", ["professions", "mitigations", "learning-curve", "before-after", "models"])
def test_a_crafted_study_is_shown_or_refused(name: str, tmp_path: Path) -> None:
    """2 of 40 ended in a traceback; with checksums that fit, as without."""
    for seed in range(24):
        rng, folder = random.Random(f"{name} {seed}"), tmp_path / str(seed)
        study(folder, name)
        record = folder / "study.json"
        if rng.random() < 0.5:
            rewrite_table(folder / "professions.csv", rng)
            content = read_study(folder)
            content["files"]["professions.csv"] = file_sha256(folder / "professions.csv")
        else:
            content = changed_value(read_study(folder), rng)
        content["sha256"] = _checksum(content)
        record.write_text(json.dumps(content))
        with suppress(UserError):
            collected = collect([folder])
            save_page(contents_of(collected.results, collected.studies), tmp_path / "page.html", force=True)
