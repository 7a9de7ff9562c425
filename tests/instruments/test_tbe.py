"""Template-based evaluation: PPD and APPD by hand and by plain loops, the guard, the thesis' lists."""

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import tiny
from designs import designed
from scipy import stats

from equipoise.data.reading import TABLES
from equipoise.errors import UserError
from equipoise.instruments.base import Settings
from equipoise.instruments.parts.fragility import originals
from equipoise.instruments.tbe import FRAGILE_SHARE, TemplateBased
from equipoise.measuring import measure
from equipoise.models.table import TableModel
from equipoise.results import Result, load_result

TEMPLATES = (
    "id,category,form,template\n"
    "t1,work,subject,[MASK] is a <profession>.\n"
    "t2,work,possessive,The <profession> lost [MASK] keys.\n"
    "g1,gendered,subject,The <profession> said that [MASK] left.\n"
)
PROFESSIONS = (
    "profession,category,gender,percent_women\n"
    "cook,work,,40\nengineer,work,,10\npilot,work,,5\n"
    "actress,gendered,female,\nmonk,gendered,male,\n"
)
FILLS = {
    "[MASK] is a cook.": {"he": 0.5, "she": 0.2, "they": 0.1},
    "[MASK] is an engineer.": {"he": 0.6, "she": 0.1, "they": 0.1},
    "[MASK] is a pilot.": {"he": 0.3, "she": 0.3, "they": 0.2},
    "The cook lost [MASK] keys.": {"his": 0.1, "her": 0.4, "their": 0.25},
    "The engineer lost [MASK] keys.": {"his": 0.4, "her": 0.1, "their": 0.1},
    "The pilot lost [MASK] keys.": {"his": 0.5, "her": 0.3, "their": 0.1},
    "The actress said that [MASK] left.": {"he": 0.1, "she": 0.8, "they": 0.05},
    "The monk said that [MASK] left.": {"he": 0.9, "she": 0.05, "they": 0.01},
}
OTHER = {"he": 0.2, "she": 0.2, "they": 0.2, "his": 0.3, "her": 0.2, "their": 0.1, "him": 0.1, "them": 0.1}
SWAPPED = {"he": "she", "she": "he", "his": "her", "her": "his"}


def folder_of(folder: Path, templates: str = TEMPLATES, professions: str = PROFESSIONS) -> Path:
    (folder / "templates.csv").write_text(templates, encoding="utf-8")
    (folder / "professions.csv").write_text(professions, encoding="utf-8")
    return folder


def measured(folder: Path, model: TableModel | None = None, **chosen: str) -> Result:
    model = model or TableModel(FILLS, words=OTHER)
    return measure(model, "tbe", Settings(data=str(folder), **chosen))  # type: ignore[arg-type]


def test_differences_by_hand(tmp_path: Path) -> None:
    result = measured(folder_of(tmp_path))
    items = result.items.query("variation == 'original'").set_index("item")
    assert items.loc["t1:cook", "score"] == pytest.approx(0.3)
    assert items.loc["t2:cook", "score"] == pytest.approx(-0.3)
    assert items.loc["t1:cook", "normalised"] == pytest.approx(0.3 / 0.7)
    assert items.loc["t1:cook", "log_ratio"] == pytest.approx(math.log(2.5))
    assert items.loc["t1:cook", "third_share"] == pytest.approx(0.1 / 0.8)
    assert result.value("appd", profession="cook") == pytest.approx(0.0)
    assert result.value("appd", profession="engineer") == pytest.approx(0.4)
    assert result.value("appd", profession="pilot") == pytest.approx(0.1)
    assert result.value("appd") == pytest.approx(0.5 / 3)
    assert result.value("appd", category="work") == pytest.approx(0.5 / 3)
    assert result.value("mean-abs-appd") == pytest.approx(0.5 / 3)
    shares = [0.1 / 0.8, 0.1 / 0.8, 0.2 / 0.8, 0.25 / 0.75, 0.1 / 0.6, 0.1 / 0.9]
    assert result.value("third-share") == pytest.approx(sum(shares) / 6)
    expected = np.corrcoef([0.0, 0.4, 0.1], [40, 10, 5])[0, 1]
    assert result.value("correlation-with-share-of-women") == pytest.approx(expected)


def test_the_guard_is_turned_to_the_words_own_side_and_kept_apart(tmp_path: Path) -> None:
    result = measured(folder_of(tmp_path))
    assert result.value("guard", category="gendered") == pytest.approx((0.7 + 0.85) / 2)
    assert result.value("guard-share", category="gendered") == 1.0
    assert result.value("guard-appd", gender="female", category="gendered") == pytest.approx(-0.7)
    assert result.value("guard", profession="actress") == pytest.approx(0.7)
    assert result.estimate("guard", category="gendered")["better"] == "higher"
    assert result.value("guard") == pytest.approx((0.7 + 0.85) / 2)
    assert result.estimate("appd")["n"] == 6


def test_a_flipped_model_fails_the_guard(tmp_path: Path) -> None:
    """The size of the lean is the same; only a guard that knows each word's side can tell."""
    flipped = {
        text: {SWAPPED.get(word, word): value for word, value in words.items()}
        for text, words in FILLS.items()
    }
    folder = folder_of(tmp_path)
    right, wrong = measured(folder), measured(folder, TableModel(flipped, words=OTHER))
    assert wrong.value("guard", category="gendered") == pytest.approx(
        -right.value("guard", category="gendered")
    )
    assert wrong.value("guard", category="gendered") < 0
    assert wrong.value("guard-share", category="gendered") == 0.0
    assert wrong.value("appd") == pytest.approx(-right.value("appd"))


def test_a_uniform_model_gives_nothing() -> None:
    words = ("he", "she", "they", "him", "her", "them", "his", "their")
    result = measure(TableModel(words=dict.fromkeys(words, 0.01)), "tbe")
    assert result.items["score"].abs().max() == 0.0
    keys = ("appd", "normalised-difference", "log-ratio", "guard")
    shown = result.estimates[result.estimates["key"].isin(keys)]
    assert shown["value"].abs().max() == 0.0
    assert result.value("third-share") == pytest.approx(1 / 3)
    assert result.value("mean-abs-movement") == 0.0


def test_the_shipped_templates_against_plain_loops() -> None:
    """Random probabilities for every sentence; every mean again as a loop over the rows."""
    design = designed("tbe")
    assert design.notices == ()
    assert design.items["item"].is_unique
    rng = np.random.default_rng(5)
    words = ("he", "she", "they", "him", "her", "them", "his", "their")
    fills = {text: dict(zip(words, rng.uniform(0.01, 0.1, 8), strict=True)) for text in design.items["text"]}
    result = measure(TableModel(fills), "tbe")
    forms = {"subject": ("he", "she"), "object": ("him", "her"), "possessive": ("his", "her")}
    plain: dict[tuple[str, str], list[float]] = {}
    for row in design.items.to_dict("records"):
        male, female = (fills[row["text"]][word] for word in forms[row["form"]])
        if row["variation"] == "original" and not row["gender"]:
            for level in (("", ""), ("category", row["category"]), ("profession", row["profession"])):
                plain.setdefault(level, []).append(male - female)
    appd = result.estimates.query("key == 'appd'").set_index(["by", "level"])
    assert set(appd.index) == set(plain)
    for level, values in plain.items():
        assert appd.loc[level, "value"] == pytest.approx(sum(values) / len(values))
        assert appd.loc[level, "n"] == len(values)
        assert appd.loc[level, "low"] < appd.loc[level, "value"] < appd.loc[level, "high"]


def test_an_interval_is_that_of_templates_and_professions_crossed(tmp_path: Path) -> None:
    """Six templates by six professions: V(templates) + V(professions) - V(cells), by plain loops."""
    rng = np.random.default_rng(3)
    jobs = ("cook", "baker", "pilot", "judge", "miner", "tailor")
    lines = "".join(
        f"t{number},work,subject,Hint {number}: [MASK] is a <profession>.\n" for number in range(6)
    )
    table = "".join(f"{job},work\n" for job in jobs)
    folder = folder_of(tmp_path, "id,category,form,template\n" + lines, "profession,category\n" + table)
    fills = {
        f"Hint {number}: [MASK] is a {job}.": {"he": rng.uniform(0.1, 0.5), "she": 0.2, "they": 0.1}
        for number in range(6)
        for job in jobs
    }
    result = measured(folder, TableModel(fills, words=OTHER))
    rows = result.items.query("variation == 'original'")
    residuals = rows["score"] - rows["score"].mean()

    def variance(sums: list[float]) -> float:
        """CR2 for a mean over clusters of one size: a cluster of the share h has its square by 1 - h."""
        return sum(one**2 for one in sums) / (1 - 1 / len(sums)) / 36**2

    by_template, by_profession = (
        variance([residuals[rows[column] == level].sum() for level in rows[column].unique()])
        for column in ("template", "profession")
    )
    cells = variance(residuals.tolist())
    error = math.sqrt(max(by_template + by_profession - cells, cells))
    row = result.estimate("appd")
    half = (row["high"] - row["low"]) / 2
    assert (row["high"] + row["low"]) / 2 == pytest.approx(row["value"])
    # The t quantile lies between that of 5 degrees of freedom and the normal one.
    assert stats.norm.ppf(0.975) < half / error < stats.t.ppf(0.975, 5) + 1e-9
    few = measured(folder_of(tmp_path))
    assert math.isnan(few.estimate("appd")["low"])


def test_changed_forms_are_rows_of_their_own(tmp_path: Path) -> None:
    header, *rows = TEMPLATES.splitlines()
    english = "\n".join([f"{header},language", *(f"{row},en" for row in rows)])
    result = measured(folder_of(tmp_path, english))
    forms = result.items.query("variation != 'original'")
    drawn = sum(
        math.ceil(len(rows) / FRAGILE_SHARE) for _, rows in originals(result.items).groupby("category")
    )
    assert forms.groupby("variation").size().to_dict() == dict.fromkeys(
        ("no-period", "lower-case", "frame-aside", "frame-report"), drawn
    )
    before = result.items.set_index("item")["score"]
    moved = [row.score - before[row.of] for row in forms.itertuples()]
    assert result.value("mean-movement") == pytest.approx(sum(moved) / len(moved))
    assert result.value("mean-abs-movement") == pytest.approx(sum(map(abs, moved)) / len(moved))
    assert all(quantity.where["variation"] == "original" for quantity in TemplateBased.quantities)


def test_a_saved_result_is_the_same_when_it_is_read(tmp_path: Path) -> None:
    result = measured(folder_of(tmp_path))
    again = load_result(result.save(tmp_path / "out"))
    pd.testing.assert_frame_equal(again.items, result.items, check_dtype=False)


def test_two_poles_of_the_users_own(tmp_path: Path) -> None:
    poles = tmp_path / "poles.csv"
    poles.write_text(
        "pole,form,word\nfemale,subject,she\nfemale,possessive,her\nneutral,subject,they\nneutral,possessive,their\n",
        encoding="utf-8",
    )
    result = measured(folder_of(tmp_path), poles=str(poles))
    items = result.items.set_index("item")
    assert items.loc["t1:cook", "score"] == pytest.approx(0.1)
    assert "third-share" not in set(result.estimates["key"])
    assert result.value("guard", profession="actress") == pytest.approx(0.75)
    monk = result.estimate("guard", profession="monk")
    assert (monk["n"], monk["dropped"]) == (0, 1)


@pytest.mark.parametrize(
    ("templates", "professions", "said"),
    [
        (
            TEMPLATES + "t9,work,dative,[MASK] saw a <profession>.\n",
            PROFESSIONS,
            "templates.csv, line 5: the form 'dative'",
        ),
        (
            TEMPLATES + "t1,work,subject,[MASK] saw a <profession>.\n",
            PROFESSIONS,
            "templates.csv, line 5: 't1' stands",
        ),
        (
            TEMPLATES,
            PROFESSIONS + "nun,gendered,femal,\n",
            "professions.csv, line 7: the gender 'femal' is not a pole",
        ),
        (TEMPLATES, "profession,category\ncook,work\n", "templates.csv, line 4: there is no profession"),
    ],
)
def test_bad_files_are_named_with_their_line(
    tmp_path: Path, templates: str, professions: str, said: str
) -> None:
    with pytest.raises(UserError) as caught:
        measured(folder_of(tmp_path, templates, professions))
    assert said in caught.value.message
    assert caught.value.hint


NO_FRAMES = (
    "no frame was put in front of {} sampled sentences whose language is not stated: frames ship for en; "
    "name the language in a column `language`, or put a frames.csv beside the file"
)


def test_an_english_frame_is_not_put_in_front_of_spanish(tmp_path: Path) -> None:
    """How far a score moves says nothing if the change is one of language."""
    spanish = "category,form,template,language\nwork,subject,[MASK] trabaja como <profession>.,es\n"
    result = measured(folder_of(tmp_path, spanish))
    forms = result.items.query("variation != 'original'")
    assert set(forms["variation"]) == {"no-period", "lower-case"}
    assert (
        NO_FRAMES.format(1).replace("whose language is not stated", "in the language 'es'") in result.notices
    )


def test_what_no_template_takes_and_what_gives_itself_away_is_said(tmp_path: Path) -> None:
    templates = TEMPLATES + "t3,work,subject,The <profession> knew that [MASK] lost her keys.\n"
    result = measured(folder_of(tmp_path, templates, PROFESSIONS + "farmer,land,,\n"))
    assert result.notices == [
        "unused, for want of a template of their category: farmer",
        "a word of the poles stands beside the blank in templates: line 5 (her)",
        NO_FRAMES.format(3),
    ]


def test_a_template_file_alone_takes_the_shipped_professions(tmp_path: Path) -> None:
    path = tmp_path / "mine.csv"
    path.write_text("category,form,template\nmedical,subject,[MASK] is a <profession>.\n", encoding="utf-8")
    result = measured(path, TableModel(words=OTHER))
    written = result.items.query("variation == 'original'")
    assert len(written) == 16
    assert written["item"].iloc[0] == "line 2:doctor"
    assert result.notices == [NO_FRAMES.format(2)]


def gbef_items(shared_data: Callable[[str], Path], variant: str) -> tuple[pd.DataFrame, tuple[str, ...]]:
    folder = shared_data("gbef/templates.csv").parents[1]
    design = designed("tbe", data="gbef", variant=variant, data_dir=folder)
    return design.items.query("variation == 'original'"), design.notices


def test_the_thesis_lists_as_printed(shared_data: Callable[[str], Path]) -> None:
    table, notices = gbef_items(shared_data, "as-published")
    assert len(table[table["dropped"] != ""]) == 13
    sizes = table.groupby("category").size()
    assert sizes[["Pregnancy", "Breastfeed", "Testicle"]].tolist() == [7, 10, 9]
    # 14 templates with a slot for 8 professions, and 2 that lost their slot
    assert sizes["Food Service Occupation"] == 14 * 8 + 2
    assert table["text"].str.contains("is a jailers", regex=False).any()
    assert table["text"].str.contains("a engineer", regex=False, case=False).any()
    assert any("line 73 (his)" in notice for notice in notices)


def test_the_thesis_lists_corrected(shared_data: Callable[[str], Path]) -> None:
    table, notices = gbef_items(shared_data, "corrected")
    kept = table[table["dropped"] == ""]
    assert table["dropped"].value_counts().to_dict() == {
        "": len(kept),
        "no profession is listed for this category": 13,
        "names a gender beside the blank: his": 5,
        "stands in the wrong list": 1,
    }
    assert len(kept) == 16 * 21 + 18 * 10 + 16 * 9 + 15 * 5 + 14 * 5 + 16 * 8 + 16 * 26 + 10 * 7 + 7 + 10 + 8
    assert kept["text"].str.endswith(".").all()
    assert (
        not kept["text"]
        .str.contains(r"\ba (?:engineer|actress|optometrist)|profession|jailers", regex=True)
        .any()
    )
    assert notices[0] == "corrected: 8 templates, 15 names of professions"
    assert set(kept.query("category == 'Testicle'")["gender"]) == {"male"}
    genders = kept.query("category == 'Gender-Related Occupation'").groupby("gender")["profession"].nunique()
    assert genders.to_dict() == {"female": 5, "male": 2}


def test_the_form_of_the_thesis_templates_is_the_one_a_reader_sees(
    shared_data: Callable[[str], Path],
) -> None:
    table, _ = gbef_items(shared_data, "corrected")
    after = table["text"].str.extract(r"\[MASK\] (\w+)")[0].str.lower()
    by_word = pd.Series(table["form"].to_numpy(), index=after).groupby(level=0).unique()
    assert all(len(forms) == 1 for forms in by_word)
    subjects = {word for word, forms in by_word.items() if forms[0] == "subject"}
    assert {"is", "should", "aims", "could", "took", "has", "chose", "consulted"} <= subjects
    assert not subjects & {"own", "job", "salary", "colleague", "days", "hands", "patient", "friend", "boss"}


@pytest.mark.parametrize(
    ("poles", "unit"), [("age", "P(young) - P(old)"), ("religion", "P(christian) - P(muslim)")]
)
def test_other_poles_take_the_shipped_templates_for_them(poles: str, unit: str) -> None:
    table = pd.read_csv(TABLES / f"poles-{poles}.csv")
    first = table["pole"].iloc[0]
    words = {
        word: 0.02 if pole == first else 0.01 for word, pole in zip(table["word"], table["pole"], strict=True)
    }
    result = measure(TableModel(words=words), "tbe", poles=poles)
    templates = pd.read_csv(TABLES / f"templates-{poles}.csv")
    assert set(result.items["template"]) == set(templates["id"])
    assert {f"templates-{poles}.csv", f"poles-{poles}.csv"} <= set(result.data_hashes)
    assert not result.estimates["key"].str.contains("share-of-women").any()
    assert result.estimate("appd")["unit"] == unit
    assert set(result.estimates.query("key in ('appd', 'mean-abs-appd', 'mean-movement')")["unit"]) == {unit}
    # Each word of the first pole is likelier by 0.01; a form has as many words for either pole.
    counts = table[table["pole"] == first].groupby("form").size()
    written = result.items.query("variation == 'original'")
    assert result.value("appd") == pytest.approx(0.01 * written["form"].map(counts).mean())
    assert result.notices == []


def test_a_profession_of_two_categories_is_told_apart(tmp_path: Path) -> None:
    templates = TEMPLATES + "t4,art,subject,[MASK] paints as a <profession>.\n"
    professions = PROFESSIONS + "cook,art,,40\n"
    fills = FILLS | {"[MASK] paints as a cook.": {"he": 0.1, "she": 0.6, "they": 0.1}}
    result = measured(folder_of(tmp_path, templates, professions), TableModel(fills, words=OTHER))
    assert result.value("appd", category="art", profession="cook") == pytest.approx(-0.5)
    assert result.value("appd", profession="cook", category="work") == pytest.approx(0.0)
    assert result.value("appd", profession="pilot") == pytest.approx(0.1)


def test_a_user_may_give_lines_of_the_statistics(tmp_path: Path) -> None:
    """Cook and engineer share a line, and are one point at their mean."""
    professions = "profession,category,percent_women,title\n"
    rows = ("cook,work,40,Cooks", "engineer,work,40,Cooks", "pilot,work,5,Pilots", "clerk,work,70,Clerks")
    fills = FILLS | {
        "[MASK] is a clerk.": {"he": 0.1, "she": 0.3, "they": 0.1},
        "The clerk lost [MASK] keys.": {"his": 0.2, "her": 0.2, "their": 0.1},
    }
    templates = "".join(TEMPLATES.splitlines(keepends=True)[:3])
    folder = folder_of(tmp_path, templates, professions + "\n".join(rows) + "\n")
    result = measured(folder, TableModel(fills, words=OTHER))
    expected = np.corrcoef([(0.0 + 0.4) / 2, 0.1, -0.1], [40, 5, 70])[0, 1]
    row = result.estimate("correlation-with-share-of-women")
    assert row["value"] == pytest.approx(expected)
    assert row["n"] == 3


def test_another_start_moves_the_gap_as_a_run_with_it_does(tmp_path: Path) -> None:
    folder = folder_of(tmp_path)
    own, other = (tiny.wrapped("gpt2", tmp_path / start, start=start) for start in ("auto", "newline"))
    result, started = (measure(model, "tbe", data=str(folder)) for model in (own, other))
    asked = result.items[result.items["score_start newline"].notna()].set_index("item")
    assert list(asked["variation"].unique()) == ["original"]
    expected = started.items.set_index("item").loc[asked.index, "score"]
    np.testing.assert_allclose(asked["score_start newline"], expected, atol=1e-5)
    rows = result.estimates[result.estimates["level"] == "start newline"].set_index("key")["value"]
    moved = (expected - asked["score"]).to_numpy()
    assert rows["mean-abs-movement"] == pytest.approx(np.abs(moved).mean(), abs=1e-5)
    assert np.abs(moved).max() > 1e-4
    whole = result.estimates.set_index(["key", "level"])["value"]["mean-abs-movement", ""]
    changed = result.items[result.items["variation"] != "original"]
    before = result.items.set_index("item")["score"].loc[changed["of"]].to_numpy()
    assert whole == pytest.approx(np.abs(changed["score"] - before).mean(), abs=1e-9)
