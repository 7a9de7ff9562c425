"""Frames: what is put in front of a sentence to see how far its score moves."""

from pathlib import Path

from equipoise.data.reading import LINE, TABLES, read_table
from equipoise.errors import UserError
from equipoise.text.perturbations import PLACE

FRAMES = TABLES / "frames.csv"


def load_frames(path: Path = FRAMES) -> dict[str, str]:
    """Frames by name: each says where the sentence goes."""
    table = read_table(path, ("id", "frame"))
    for row in table.to_dict("records"):
        if row["frame"].count(PLACE) != 1:
            raise UserError(
                f"{path}, line {row[LINE]}: the frame {row['frame']!r} does not say where the sentence goes.",
                f"Write {PLACE} in it once.",
            )
    return dict(zip(table["id"], table["frame"], strict=True))
