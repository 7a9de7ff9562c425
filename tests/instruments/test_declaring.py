"""A new quantity is one declaration: estimates, sentences, comparison and rules follow from it."""

import subprocess
import sys
from pathlib import Path
from shutil import copytree, ignore_patterns

import equipoise

PACKAGE = Path(equipoise.__file__).parent
DECLARED = """
_SURE = Quantity(
    *("sure-of-a-man", "P(male) above 0.9", 0.05),
    column="sure",
    unit="share",
    better="lower",
    kind="share",
    factors=FACTORS,
    where=_MAIN,
    name="sentences that are surely about a man",
    question="jobs",
    headline=True,
)


class TemplateBased:"""
EDITS = {
    "\n\nclass TemplateBased:": f"\n{DECLARED}",
    ", _GUARD_QUANTITY)": ", _GUARD_QUANTITY, _SURE)",
    "return with_scores(design.items, read)": (
        "scored = with_scores(design.items, read)\n"
        '        return scored.assign(sure=(scored["p_male"] > 0.9).astype(float))'
    ),
    '    estimates = []\n    for groups, rows in grouped(plain, "category"):': (
        '    estimates = [share_estimate(Spec.of(_SURE), plain["sure"], plain, FACTORS)]\n'
        '    for groups, rows in grouped(plain, "category"):'
    ),
}
SCRIPT = """
from equipoise import compare, load_model, measure
from equipoise.report.gate import check
one, other = (measure(load_model(name, cache=False), "tbe") for name in ("random", "random:2"))
assert one.estimate("sure-of-a-man")["better"] == "lower"
assert any(said.startswith("Sentences that are surely about a man: 0 points") for said in one.sentences)
table = compare(one, other).table
assert "sure-of-a-man" in set(table["quantity"])
assert [outcome.state for outcome in check([one], ["tbe.sure-of-a-man > 0.5"]).outcomes] == ["passed"]
"""


def test_a_new_quantity_touches_one_file(tmp_path: Path) -> None:
    copytree(PACKAGE, tmp_path / "equipoise", ignore=ignore_patterns("__pycache__"))
    module = tmp_path / "equipoise" / "instruments" / "tbe.py"
    text = module.read_text(encoding="utf-8")
    for old, new in EDITS.items():
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    module.write_text(text, encoding="utf-8")
    subprocess.run([sys.executable, "-c", SCRIPT], check=True, env={"PYTHONPATH": str(tmp_path)}, timeout=120)
