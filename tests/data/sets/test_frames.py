"""The frames that ship, and one that does not say where its sentence goes."""

from pathlib import Path

import pytest

from equipoise.data.sets.frames import frames_for, load_frames, varied
from equipoise.data.sources import resolve
from equipoise.errors import UserError


def test_the_shipped_frames_take_a_sentence() -> None:
    assert varied("The nurse in Rome lost [MASK] keys.", load_frames().fitting("en")) == {
        "no-period": "The nurse in Rome lost [MASK] keys",
        "lower-case": "the nurse in rome lost [MASK] keys.",
        "frame-aside": "By the way, the nurse in Rome lost [MASK] keys.",
        "frame-report": "I have heard that the nurse in Rome lost [MASK] keys.",
    }


def test_frames_are_chosen_by_language(tmp_path: Path) -> None:
    path = tmp_path / "frames.csv"
    path.write_text(
        'id,language,frame\na,es,"Por cierto, {sentence}"\nb,,"... {sentence}"\n', encoding="utf-8"
    )
    assert load_frames().fitting("es") == load_frames().fitting("") == {}
    assert set(load_frames(path).fitting("es_MX")) == {"a", "b"}
    assert set(load_frames(path).fitting("")) == {"b"}


def test_a_user_s_frames_lie_beside_the_data(tmp_path: Path) -> None:
    (tmp_path / "frames.csv").write_text("id,frame\nx,Dicen que {sentence}\n", encoding="utf-8")
    (tmp_path / "templates.csv").write_text("category,form,template\n", encoding="utf-8")
    for given in (tmp_path, tmp_path / "templates.csv"):
        frames = frames_for(resolve(given, (), reader="tbe"))
        assert (frames.path, frames.fitting("")) == (tmp_path / "frames.csv", {"x": "Dicen que {sentence}"})
    known = resolve("equipoise-pairs", ("equipoise-pairs",), reader="sbe")
    assert frames_for(known).path.parent.name == "tables"


def test_a_frame_without_a_place_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "frames.csv"
    path.write_text("id,frame\nx,So they say\n", encoding="utf-8")
    with pytest.raises(UserError, match=r"frames\.csv, line 2"):
        load_frames(path)
