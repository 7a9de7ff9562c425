"""Winogender: the published sentences; leanings, flips, correlations by hand; what a bad file is told."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tiny
from designs import designed

from equipoise.data.poles import load_poles
from equipoise.data.reading import read_table
from equipoise.data.sources import catalogue
from equipoise.errors import UserError
from equipoise.instruments.base import Settings
from equipoise.measuring import measure
from equipoise.models.loading.networks import wrap_model
from equipoise.models.options import RunOptions
from equipoise.models.static import StaticModel
from equipoise.models.table import TableModel
from equipoise.results import Result

HEADER = "occupation(0)\tother-participant(1)\tanswer\tsentence\n"
SHARES = {"baker": (20.0, 10.0), "judge": (40.0, 30.0), "tailor": (60.0, 20.0), "florist": (80.0, 70.0)}


def templates(occupation: str) -> str:
    """Two sentences about an occupation and a guest: one about each."""
    told = "The $OCCUPATION wrote to the $PARTICIPANT that $NOM_PRONOUN"
    return (
        f"{occupation}\tguest\t0\t{told} had closed the shop.\n"
        f"{occupation}\tguest\t1\t{told} could come back later.\n"
    )


def schema_folder(folder: Path, occupations: tuple[str, ...] = tuple(SHARES)) -> Path:
    text = HEADER + "".join(templates(occupation) for occupation in occupations)
    (folder / "templates.tsv").write_text(text, encoding="utf-8")
    rows = [f"{name}\t{text_share}\t{share}\t2015" for name, (share, text_share) in SHARES.items()]
    header = "occupation\tbergsma_pct_female\tbls_pct_female\tbls_year"
    (folder / "occupations-stats.tsv").write_text("\n".join([header, *rows]) + "\n", encoding="utf-8")
    return folder


def measured(model: Any, folder: Path, **settings: str) -> Result:
    return measure(model, "winogender", Settings(data=str(folder), **settings))  # type: ignore[arg-type]


def told(males: dict[str, float], other: float) -> TableModel:
    """P(he) beside each occupation that is meant, and one P(he) where the guest is meant; P(she) is 0.2."""
    fills = {}
    for occupation, male in males.items():
        for guest in ("the guest", "someone"):
            start = f"The {occupation} wrote to {guest} that [MASK]"
            fills[f"{start} had closed the shop."] = {"he": male, "she": 0.2, "they": 0.1}
            fills[f"{start} could come back later."] = {"he": other, "she": 0.2, "they": 0.4}
    return TableModel(fills)


MALES = {"baker": 0.6, "judge": 0.3, "tailor": 0.25, "florist": 0.1}


def test_leanings_by_hand(tmp_path: Path) -> None:
    result = measured(told(MALES, 0.2), schema_folder(tmp_path))
    assert len(result.items) == 16
    assert result.value("mean-difference", referent="occupation") == pytest.approx(0.3125 - 0.2)
    assert result.value("mean-difference", referent="participant") == pytest.approx(0.0)
    ratios = np.log(np.array(list(MALES.values())) / 0.2)
    assert result.value("log-ratio", referent="occupation") == pytest.approx(ratios.mean())
    assert result.value("prefers-first", referent="occupation") == 75.0
    assert result.value("ties", referent="participant") == 100.0
    assert np.isnan(result.value("prefers-first", referent="participant"))
    assert result.value("likeliest-is-they", referent="participant") == 100.0
    assert result.value("third-share", referent="participant") == pytest.approx(0.5)


def test_correlations_are_those_of_numpy(tmp_path: Path) -> None:
    result = measured(told(MALES, 0.3), schema_folder(tmp_path))
    ratios = np.log(list(MALES.values()))
    for place, name in enumerate(("share-of-women", "share-in-text")):
        expected = np.corrcoef(ratios, [shares[place] for shares in SHARES.values()])[0, 1]
        found = result.value(f"correlation-with-{name}", referent="occupation")
        assert found == pytest.approx(expected)
        assert expected < -0.8
    assert np.isnan(result.value("correlation-with-share-of-women", referent="participant"))


def test_a_pronoun_flips_where_the_referent_decides(tmp_path: Path) -> None:
    """Beside the guest the model says "he"; only the florist is "she"."""
    result = measured(told(MALES, 0.3), schema_folder(tmp_path))
    assert result.value("flips-with-referent") == 25.0
    row = result.estimate("flips-with-referent")
    assert (row["n"], row["dropped"]) == (8, 0)
    tied = measured(told(MALES, 0.2), schema_folder(tmp_path))
    row = tied.estimate("flips-with-referent")
    assert (row["n"], row["dropped"]) == (0, 8)


def test_a_uniform_model_gives_zero(tmp_path: Path) -> None:
    uniform = TableModel(words=dict.fromkeys(("he", "she", "they"), 0.001))
    result = measured(uniform, schema_folder(tmp_path))
    assert result.value("mean-difference") == 0.0
    assert result.value("ties") == 100.0
    assert np.isnan(result.value("correlation-with-share-of-women", referent="occupation"))
    assert set(result.items["likeliest"]) == {""}


def test_the_forms_of_the_pronoun_stand_apart(tmp_path: Path) -> None:
    """A model may say "he" and "her": in the mean of the forms that is not a lean."""
    folder = schema_folder(tmp_path)
    file = folder / "templates.tsv"
    meets = "The $OCCUPATION met the $PARTICIPANT"
    file.write_text(
        HEADER
        + "".join(
            f"baker\tguest\t{answer}\t{meets} {end}\n"
            for answer, end in (
                ("0", "when $NOM_PRONOUN opened the shop."),
                ("1", "when $NOM_PRONOUN entered the shop."),
            )
        )
        + f"judge\tguest\t0\t{meets} at $POSS_PRONOUN court.\njudge\tguest\t1\t{meets} with $ACC_PRONOUN.\n"
    )
    model = TableModel(
        words={"he": 0.5, "she": 0.1, "his": 0.1, "her": 0.3, "him": 0.2}
        | dict.fromkeys(("they", "their", "them"), 0.1)
    )
    result = measured(model, folder)
    means = {form: result.value("mean-difference", form=form) for form in ("subject", "object", "possessive")}
    assert means == pytest.approx({"subject": 0.4, "object": -0.1, "possessive": -0.2})
    assert result.value("mean-difference") == pytest.approx((4 * 0.4 + 2 * -0.1 + 2 * -0.2) / 8)
    assert result.value("flips-with-referent", form="subject") == 0.0
    row = result.estimate("flips-with-referent", form="object")
    assert (row["n"], row["dropped"]) == (0, 2)  # its other sentence asks for a possessive


def test_the_faults_of_the_schemas_are_known(shared_data: Callable[[str], Path]) -> None:
    """The counts in the catalogue and on the card are those of the published templates."""
    assert all("WinoPron" in entry.problems for entry in catalogue() if entry.dataset == "winogender")
    items = designed("winogender", data_dir=shared_data("winogender/templates.tsv").parents[1]).items
    named = items[items["other_person"] == "named"]
    assert named["form"].value_counts().to_dict() == {"subject": 89, "possessive": 27, "object": 4}
    assert (named.groupby("schema")["form"].nunique() > 1).sum() == 6
    assert named["text"].str.contains("aiport|a purchases").sum() == 2


def test_they_is_not_asked_to_agree_with_was(tmp_path: Path) -> None:
    folder = schema_folder(tmp_path)
    text = (folder / "templates.tsv").read_text(encoding="utf-8").replace("had closed", "was closing")
    (folder / "templates.tsv").write_text(text, encoding="utf-8")
    result = measured(TableModel(words={"he": 0.3, "she": 0.1, "they": 0.4}), folder)
    row = result.estimate("third-share")
    assert (row["value"], row["n"], row["dropped"]) == (pytest.approx(0.5), 8, 8)
    row = result.estimate("likeliest-is-they")
    assert (row["value"], row["n"]) == (100.0, 8)


def test_the_published_sentences_are_built_word_for_word(shared_data: Callable[[str], Path]) -> None:
    path = shared_data("winogender/all_sentences.tsv")
    design = designed("winogender", data_dir=path.parents[1])
    items = design.items
    assert items["percent_women"].notna().all()
    assert design.notices == ()
    poles = load_poles()
    rows = items.to_dict("records")
    built = {
        row["text"].replace("[MASK]", poles.at(row["form"])[pole][0]).replace("they was ", "they were ")
        for row in rows
        for pole in poles.names
    }
    assert sum(row["verb"] == "singular" for row in rows) == 34
    published = read_table(path, ("sentid", "sentence"), quoted=False)["sentence"]
    assert len(items) == 240
    assert built == set(published)
    referents = items.groupby("referent").size()
    assert referents.to_dict() == {"occupation": 120, "participant": 120}


@pytest.mark.parametrize("family", ["bert", "bart", "gpt2"])
def test_every_kind_that_fills_a_blank_is_measured(family: str, tmp_path: Path) -> None:
    words = tiny.tokenizer(tiny.TOKENIZER_OF.get(family, "wordpiece"))
    store = RunOptions(store=tmp_path / "answers.sqlite")
    model = wrap_model(tiny.network(family), words, name=family, options=store)
    result = measured(model, schema_folder(tmp_path, ("baker",)))
    assert result.items["score"].notna().all()
    assert (result.items["p_male"] > 0).all()


def test_word_vectors_are_refused(tmp_path: Path) -> None:
    vectors = StaticModel({"he": np.ones(2, dtype=np.float32)}, name="vectors")
    with pytest.raises(UserError, match="cannot fill a blank"):
        measured(vectors, schema_folder(tmp_path))


def test_other_poles_have_no_share_of_women(tmp_path: Path) -> None:
    poles = tmp_path / "poles.csv"
    poles.write_text("pole,form,word\nyoung,subject,youth\nold,subject,elder\n", encoding="utf-8")
    model = TableModel(words={"youth": 0.3, "elder": 0.1})
    result = measured(model, schema_folder(tmp_path), poles=str(poles))
    assert result.value("mean-difference") == pytest.approx(0.2)
    assert result.value("prefers-first") == 100.0
    assert result.estimate("prefers-first")["label"] == "prefers young"
    assert result.estimate("mean-difference")["unit"] == "P(young) - P(old)"
    assert not result.estimates["key"].str.startswith("correlation").any()
    assert not result.estimates["key"].eq("third-share").any()


def test_without_statistics_there_is_no_correlation(tmp_path: Path) -> None:
    folder = schema_folder(tmp_path)
    (folder / "occupations-stats.tsv").unlink()
    result = measured(told(MALES, 0.3), folder)
    row = result.estimate("correlation-with-share-of-women", referent="occupation")
    assert np.isnan(row["value"])
    assert row["dropped"] == 4


def test_an_occupation_without_a_share_is_named(tmp_path: Path) -> None:
    folder = schema_folder(tmp_path, (*SHARES, "cooper"))
    assert designed("winogender", data=str(folder)).notices == ("no share of women is known for: cooper",)


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("baker\tguest\t2\tThe $OCCUPATION met the $PARTICIPANT as $NOM_PRONOUN left.", "the answer '2'"),
        ("baker\tguest\t1\tThe $OCCUPATION met the $PARTICIPANT as he left.", "one pronoun"),
        ("baker\tguest\t1\tThe $OCCUPATION met guests as $NOM_PRONOUN left.", "\\$PARTICIPANT"),
        ("baker\tguest\t1", "3 fields"),
    ],
)
def test_a_bad_template_is_told_where(row: str, message: str, tmp_path: Path) -> None:
    folder = schema_folder(tmp_path)
    (folder / "templates.tsv").write_text(HEADER + row + "\n", encoding="utf-8")
    with pytest.raises(UserError, match=f"line 2.*{message}"):
        measured(told(MALES, 0.3), folder)
