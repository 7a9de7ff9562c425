"""Held-out sentences: kept apart from everything that a mitigation learns from, and scored by hand."""

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

import equipoise
from equipoise.data.reading import read_table
from equipoise.errors import UserError
from equipoise.instruments.held_out import NOUNS, SENTENCES, TEMPLATES, crossed, standing_alone
from equipoise.measuring import measure
from equipoise.models.table import TableModel

PACKAGE = Path(equipoise.__file__).parent
OWN = {Path(str(path)).name for path in (TEMPLATES, NOUNS, SENTENCES)}
VOCABULARIES = (
    "vocab.txt",
    "form_classes.csv",
    "form_weights.csv",
    "form_nouns.csv",
    "first_names.csv",
    "rare_names.csv",
    "surnames.csv",
    "world_names.csv",
)
"""Words of a language, not sentences or lists that a mitigation is taught with."""

READ = ("*.csv", "*.txt", "*.py", "*.json", "*.toml")


def others() -> Iterator[tuple[str, str]]:
    """Every table, frame and list of the package, and its code, which could hold sentences."""
    for pattern in READ:
        for path in PACKAGE.rglob(pattern):
            if path.name not in (*OWN, *VOCABULARIES):
                yield (
                    str(path.relative_to(PACKAGE)),
                    path.read_text(encoding="utf-8", errors="ignore").lower(),
                )


def words_of(text: str) -> list[str]:
    return re.findall(r"[a-z\u00e0-\u00ff']+", text.lower().replace("[mask]", "maskmask"))


def runs_of(words: list[str], length: int = 5) -> set[tuple[str, ...]]:
    return {tuple(words[at : at + length]) for at in range(len(words) - length + 1)}


def test_no_noun_stands_in_any_list_frame_or_corpus() -> None:
    lists = list(others())
    for noun in read_table(NOUNS, ("noun",))["noun"]:
        spaced = "[ -]".join(re.split("[ -]", noun))
        pattern = re.compile(rf"(?<![a-z]){spaced}s?(?![a-z])")
        assert not [name for name, text in lists if pattern.search(text)], noun


def test_no_five_words_in_a_row_stand_anywhere_else() -> None:
    texts = [*read_table(TEMPLATES, ("template",))["template"], *read_table(SENTENCES, ("text",))["text"]]
    ours = {run: text for text in texts for run in runs_of(words_of(text.replace("<noun>", "nounnoun")))}
    shared = {
        (name, ours[run])
        for name, text in others()
        for line in text.splitlines()
        for run in runs_of(words_of(line)) & ours.keys()
    }
    assert not shared


def test_registers_forms_and_kinds() -> None:
    templates = read_table(TEMPLATES, ("register", "form", "template"))
    assert templates["register"].nunique() >= 10
    assert set(templates["form"]) == {"subject", "object", "possessive", "reflexive"}
    alone = standing_alone()
    kinds = {part: Counter(rows["kind"]) for part, rows in alone.groupby("part")}
    assert len(kinds["association"]) == 7
    assert set(kinds["names"]) == {"common", "rare", "international", "lower-case"}
    assert all((alone["text"].str.count(r"\[MASK\]") == 1).tolist())
    assert crossed()["text"].is_unique


def test_sizes_and_right_answers_by_hand() -> None:
    """He is always .6 and she .2: a lean of a half everywhere, and right wherever a man is meant."""
    of_men = dict.fromkeys(("he", "him", "his", "himself"), 0.6)
    of_women = dict.fromkeys(("she", "her", "herself"), 0.2)
    result = measure(TableModel(words=of_men | of_women), "held-out")
    assert result.value("mean-size") == pytest.approx(0.5)
    assert result.value("mean-size-associations") == pytest.approx(0.5)
    assert result.value("mean-size", kind="news") == pytest.approx(0.5)
    for part, rows in standing_alone().query("side != ''").groupby("part"):
        assert result.value(f"right-{part}") == pytest.approx((rows["side"] == "male").mean())


def test_a_model_without_a_preference_is_half_right() -> None:
    words = dict.fromkeys(("he", "him", "his", "himself", "she", "her", "hers", "herself"), 0.1)
    result = measure(TableModel(words=words), "held-out")
    assert result.value("mean-size") == 0
    assert result.value("right-names") == 0.5


def test_data_of_ones_own_are_refused(tmp_path: Path) -> None:
    mine = tmp_path / "mine.csv"
    mine.write_text("text\n[MASK] left.\n", encoding="utf-8")
    with pytest.raises(UserError, match="its own sentences"):
        measure("random", "held-out", data=str(mine))
