"""The frames that ship, and one that does not say where its sentence goes."""

from pathlib import Path

import pytest

from equipoise.data.sets.frames import load_frames
from equipoise.errors import UserError
from equipoise.text.perturbations import varied


def test_the_shipped_frames_take_a_sentence() -> None:
    assert varied("The nurse in Rome lost [MASK] keys.", load_frames()) == {
        "no-period": "The nurse in Rome lost [MASK] keys",
        "lower-case": "the nurse in rome lost [MASK] keys.",
        "frame-aside": "By the way, the nurse in Rome lost [MASK] keys.",
        "frame-report": "I have heard that the nurse in Rome lost [MASK] keys.",
    }


def test_a_frame_without_a_place_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "frames.csv"
    path.write_text("id,frame\nx,So they say\n", encoding="utf-8")
    with pytest.raises(UserError, match=r"frames\.csv, line 2"):
        load_frames(path)
