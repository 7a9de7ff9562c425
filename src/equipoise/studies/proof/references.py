"""References: the models that a GEST result is ranked among, published ones and a team's own."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from equipoise.data.csv_text import as_csv
from equipoise.data.reading import read_table
from equipoise.errors import UserError, explained_writing, unknown_name
from equipoise.files import write_beside
from equipoise.instruments.base import Instrument, Settings
from equipoise.instruments.gest import CAUSAL_END, FRAMES, Gest
from equipoise.instruments.parts.gest_population import (
    COLUMNS,
    SHARED_FRAMES,
    league_of,
    profile,
    published_population,
)
from equipoise.measuring import measure
from equipoise.models.table import TableModel
from equipoise.results import Result

FILE, VARIABLE = "equipoise-references.csv", "EQUIPOISE_REFERENCES"
PUBLISHED, OWN = "published", "yours"
PREFIX = {"masked": "mlm", "causal": "glm"}
"""How the authors' files of scores begin."""


def references_file(given: Path | None) -> Path:
    """The file of a team's own references: given, named by the environment, or in this folder."""
    return given or Path(os.environ.get(VARIABLE, FILE))


def own_population(path: Path) -> pd.DataFrame:
    """What a team added; empty where there is no file yet."""
    if not path.exists():
        return pd.DataFrame(columns=list(COLUMNS))
    table = read_table(path, COLUMNS)
    try:
        kinds = {"stereotype": int, "mean": float, "low": float, "high": float, "n": int}
        return table[list(COLUMNS)].replace({"low": "", "high": ""}, "nan").astype(kinds)
    except ValueError as error:
        raise UserError(
            f"{path} is damaged: {error}.", "Correct the cell, or add the results again."
        ) from error


def add_reference(result: Result, path: Path, *, name: str = "") -> pd.DataFrame:
    """Add a GEST result to a team's references, replacing a model of the same name; return all of them."""
    if result.instrument != Gest.name:
        raise UserError(
            f"A result of {result.instrument} was given where one of {Gest.name} is read.",
            f"Write one with `equipoise measure {Gest.name} --model M --out DIR`.",
        )
    called = name or Path(result.model).name
    kind = str(result.provenance.get("model", {}).get("kind", ""))
    rows = profile(result.items).assign(model=called, kind=kind)[list(COLUMNS)]
    if not set(SHARED_FRAMES) <= set(rows["frame"]):
        raise UserError(
            f"The result of {called} lacks the frames that open with the sentence.",
            "Measure gest with its published sentences.",
        )
    earlier = own_population(path)
    table = pd.concat([one for one in (earlier[earlier["model"] != called], rows) if len(one)])
    with explained_writing(path, "Give another file with --league."):
        path.parent.mkdir(parents=True, exist_ok=True)
        write_beside(path, as_csv(table))
    return table


def league(path: Path) -> pd.DataFrame:
    """Every published and own model with its gap as a ratio, the most stereotyped first."""
    own = own_population(path)
    published = published_population()
    parts = [published[~published["model"].isin(own["model"])], own]
    population = pd.concat([one for one in parts if len(one)])
    gaps = league_of(population)
    kinds = population.drop_duplicates("model").set_index("model")["kind"]
    return pd.DataFrame(
        {
            "rank": range(1, len(gaps) + 1),
            "model": gaps.index,
            "kind": kinds[gaps.index].to_numpy(),
            "stereotype_rate": 10 ** gaps.to_numpy(),
            "source": np.where(gaps.index.isin(own["model"]), OWN, PUBLISHED),
        }
    )


def published_result(model: str, data_dir: Path | None) -> Result:
    """The published scores of one of the 34 models as a result, to be compared item by item."""
    kinds = published_population().drop_duplicates("model").set_index("model")["kind"]
    if model not in kinds:
        raise unknown_name("published model", model, list(kinds.index))
    settings = Settings(data=Gest.name, data_dir=data_dir)
    instrument: Instrument[Any] = Gest()
    items = instrument.design(settings.source(instrument), settings.completed(instrument)).items
    frames = list(FRAMES) if kinds[model] == "masked" else list(SHARED_FRAMES)
    folder = (data_dir or Path()) / Gest.name
    fills: dict[str, Mapping[str, float]] = {}
    for place, frame in enumerate(frames):
        path = folder / f"{PREFIX[kinds[model]]}_{model}_template-{place}.txt"
        texts, words = items.loc[items["frame"] == frame, "text"], FRAMES[frame][1]
        for text, score in zip(texts, _scores(path, len(texts)), strict=True):
            asked = text.removesuffix(CAUSAL_END) if kinds[model] == "causal" else text
            ratio = 10.0**score
            fills[asked] = dict(zip(words, (ratio / (1 + ratio), 1 / (1 + ratio)), strict=True))
    answering = TableModel(fills, name=model)
    answering.kind = str(kinds[model])
    return measure(answering, Gest.name, settings)


def _scores(path: Path, count: int) -> npt.NDArray[np.float64]:
    """The scores of a published file, one a line in the order of the sentences."""
    try:
        scores = np.loadtxt(path)
    except (OSError, ValueError) as error:
        raise UserError(
            f"{path} cannot be read: {error}.",
            "Put the files of the authors' folders predictions/english_mlm and english_glm there.",
        ) from error
    if len(scores) != count:
        raise UserError(f"{path} has {len(scores)} scores for {count} sentences.", "Fetch the file again.")
    return scores
