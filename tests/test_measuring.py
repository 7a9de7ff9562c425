"""What a measurement tells about its texts: those that the model cannot spell."""

from pathlib import Path

import pytest
import tiny

from equipoise.instruments.base import Settings
from equipoise.measuring import measure
from equipoise.models.loading import wrap_model
from equipoise.models.options import RunOptions
from equipoise.models.table import TableModel
from equipoise.results import Result

TEMPLATES = "id,category,slot,template\nt1,work,subject,[MASK] is a <profession>.\n"
PROFESSIONS = "profession,category,gender,percent_women\nnurse,work,,87\npilot,work,,9\n"


def measured(folder: Path, professions: str, family: str = "bert") -> Result:
    (folder / "templates.csv").write_text(TEMPLATES, encoding="utf-8")
    (folder / "professions.csv").write_text(professions, encoding="utf-8")
    words = tiny.tokenizer(tiny.TOKENIZER_OF.get(family, "wordpiece"))
    settings = RunOptions(cache=False)
    model = wrap_model(tiny.network(family), words, name=family, options=settings)
    return measure(model, "tbe", Settings(data=str(folder)))


def about_spelling(result: Result) -> list[str]:
    return [one for one in result.provenance["data"]["notices"] if "cannot spell" in one]


def test_a_profession_that_the_model_cannot_spell_is_told(tmp_path: Path) -> None:
    """Its score is that of a sentence about an unknown token."""
    result = measured(tmp_path, PROFESSIONS + "☃,work,,50\n")
    texts = set(result.items["text"])
    odd = {text for text in texts if "☃" in text}
    assert 0 < len(odd) < len(texts)
    assert about_spelling(result) == [
        f"{len(odd)} of {len(texts)} texts hold something that 'bert' cannot spell and reads as its "
        "unknown token, the first: '[MASK] is a ☃.'"
    ]


@pytest.mark.parametrize(
    ("family", "professions"), [("bert", PROFESSIONS), ("roberta", PROFESSIONS + "☃,work,,50\n")]
)
def test_nothing_is_told_of_texts_that_it_can_spell(tmp_path: Path, family: str, professions: str) -> None:
    """The blank is no unknown word, and a byte-level tokenizer spells anything."""
    assert about_spelling(measured(tmp_path, professions, family)) == []


def test_a_table_misreads_nothing() -> None:
    assert not TableModel({"[MASK] is a ☃.": {"he": 0.5}}).misreads("[MASK] is a ☃.")
