"""The competency study: the paper's Table 3 by hand, its files, and what has no labels."""

import json
from pathlib import Path

import pandas as pd
import pytest
from command_line import run

from equipoise.errors import UserError
from equipoise.measuring import measure
from equipoise.models.table import TableModel
from equipoise.results import Result
from equipoise.studies.papers.competence import competence_table, table_3

# Two women in four incompetent sentences, one in two neutral ones, none in three competent ones; one tie.
PREDICTED = {
    "incompetent": ["female", "female", "male", "male"],
    "neutral": ["female", "male", "tie"],
    "competent": ["male", "male", "male"],
}
FILLS = {"female": {"he": 0.1, "she": 0.4}, "male": {"he": 0.4, "she": 0.1}, "tie": {"he": 0.2, "she": 0.2}}
ROWS = [
    (f"{name}-{place}", f"The person {name} {place} when [MASK] ran.", name, chosen)
    for name, predictions in PREDICTED.items()
    for place, chosen in enumerate(predictions)
]


def result_of(name: str, folder: Path, *, turned: bool = False) -> Result:
    other = {"female": "male", "male": "female", "tie": "tie"}
    fills = {text: FILLS[other[chosen] if turned else chosen] for _, text, _, chosen in ROWS}
    table = pd.DataFrame([row[:3] for row in ROWS], columns=["id", "sentence", "competence"])
    table.assign(form="subject").to_csv(folder / "traits.csv", index=False)
    result = measure(TableModel(fills), "traits", data=folder / "traits.csv").renamed(name)
    result.provenance["model"]["fingerprint"] = name
    return result


def test_the_table_has_a_row_for_each_class_and_a_column_for_each_model(tmp_path: Path) -> None:
    results = [result_of("models/bert-base-uncased", tmp_path), result_of("tuned", tmp_path, turned=True)]
    table = competence_table(results).set_index(["model", "class"])
    shares = table["predictions"].to_dict()
    assert shares == {
        ("models/bert-base-uncased", "incompetent"): 0.5,
        ("models/bert-base-uncased", "neutral"): 0.5,
        ("models/bert-base-uncased", "competent"): 0.0,
        ("tuned", "incompetent"): 0.5,
        ("tuned", "neutral"): 0.5,
        ("tuned", "competent"): 1.0,
    }
    assert table.loc[("tuned", "neutral"), ["n", "ties"]].tolist() == [2, 1]
    # Printed numbers stand beside sentences of WinoBias only.
    assert list(table_3(results).columns) == ["class", "bert-base-uncased", "tuned"]
    results[0].provenance["data"]["files"]["pro_stereotyped_type2.txt.test"] = "0"
    paper = table_3(results)
    assert list(paper.columns) == ["class", "bert-base-uncased", "BERT, printed", "tuned"]
    assert paper["class"].tolist() == ["incompetent", "neutral", "competent"]
    assert paper["BERT, printed"].tolist() == ["0.156", "0.117", "0.160"]


def test_the_command_writes_the_table_in_every_form(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folders = []
    for name, turned in (("before", False), ("after", True)):
        result_of(name, tmp_path, turned=turned).save(tmp_path / name)
        folders.append(tmp_path / name)
    out = tmp_path / "out"
    assert run("study", "competence", *folders, "--out", out, "--json") == 0
    printed = json.loads(capsys.readouterr().out)
    assert [row["class"] for row in printed["table_3"]] == ["incompetent", "neutral", "competent"]
    assert any("competent - incompetent: before" in sentence for sentence in printed["sentences"])
    assert list(pd.read_csv(out / "table-3.csv").columns) == ["class", "before", "after"]
    assert "incompetent &" in (out / "table-3.tex").read_text(encoding="utf-8")
    assert run("report", out, "--out", tmp_path / "page.html") == 0
    assert "Female pronouns by competence" in (tmp_path / "page.html").read_text(encoding="utf-8")


def test_results_without_labels_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "care.csv"
    rows = [("a", "The person hugged [MASK] dog.", "possessive", "caring")]
    pd.DataFrame(rows, columns=["id", "sentence", "form", "care"]).to_csv(file, index=False)
    with pytest.raises(UserError, match="have no labels of competence"):
        competence_table([measure(TableModel(words={"his": 0.3, "her": 0.2}), "traits", data=file)])
