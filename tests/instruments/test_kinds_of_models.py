"""Which instruments work with which kind of model: the table in docs/models.md against what they ask."""

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import tiny

from equipoise.errors import IncapableError
from equipoise.instruments import INSTRUMENTS, load_instrument
from equipoise.instruments.base import Design, Settings
from equipoise.models.capabilities import CLASSIFY, EMBED
from equipoise.models.neural.encoder_decoder import SentinelModel
from equipoise.models.protocol import AnsweringModel, require
from equipoise.models.remote.model import CAPABILITIES
from equipoise.models.static import STATIC

PAGE = Path(__file__).resolve().parents[2] / "docs" / "models.md"
HEAD = "| instruments |"
FAMILY_OF = {"masked": "bert", "BART": "bart", "causal": "gpt2"}
NEED_A_FILE = {"contexts", "cosine", "ceat", "honest", "equalised-odds"}
"""Of these only the declared needs are compared: what they ask depends on a file of the user."""


class Kind(AnsweringModel):
    """A model of a kind, with the capabilities of that kind; what is asked of it is not answered."""

    fingerprint = "kind"

    def __init__(self, kind: str, capabilities: frozenset[str]) -> None:
        self.name, self.kind, self.capabilities = kind, kind, capabilities


@pytest.fixture(scope="module")
def kinds(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("answers")
    own = {name: tiny.wrapped(family, folder) for name, family in FAMILY_OF.items()}
    classifier = Kind("classifier", frozenset({CLASSIFY}))
    classifier.labels = ("entailment", "neutral", "contradiction")
    return {
        **own,
        "T5": Kind("encoder-decoder", SentinelModel.capabilities),
        "server: full, forced": Kind("causal", CAPABILITIES["full"]),
        "server: text": Kind("causal", CAPABILITIES["text"]),
        "classifier": classifier,
        "vectors": Kind(STATIC, frozenset({EMBED})),
    }


def told() -> dict[str, dict[str, str]]:
    """The cells of the page's table, by instrument and kind."""
    text = PAGE.read_text(encoding="utf-8")
    lines = text[text.index(HEAD) :].split("\n\n")[0].splitlines()
    head, _, *rows = ([cell.strip() for cell in line.strip("|").split("|")] for line in lines)
    return {
        name: dict(zip(head[1:], cells[1:], strict=True))
        for cells in rows
        for name in re.findall(r"`([\w-]+)`", cells[0])
    }


def fits(instrument: Any, design: Design | None, model: Any) -> str:
    """How an instrument asks a model: yes, by a variant other than the first, or no."""
    for place, variant in enumerate(instrument.variants):
        try:
            require(model, *instrument.needs, by=instrument.name)
            if design is None:
                return "yes"
            asked = replace(design, settings=replace(design.settings, variant=variant))
            question = next(iter(instrument.ask(asked, model))).question
        except IncapableError:
            continue
        assert model.can_answer(type(question))
        return "yes" if place == 0 else f"`{variant}`"
    return "no"


def test_the_table_names_every_instrument() -> None:
    assert set(told()) == set(INSTRUMENTS)


@pytest.mark.parametrize("name", INSTRUMENTS)
def test_the_table_says_what_works(
    name: str, kinds: dict[str, Any], shared_data: Callable[[str], Path]
) -> None:
    instrument = load_instrument(name)
    design = None if name in NEED_A_FILE else design_of(instrument, shared_data)
    cells = told()[name]
    for kind, model in kinds.items():
        assert fits(instrument, design, model) == cells[kind], kind


def design_of(instrument: Any, shared_data: Callable[[str], Path]) -> Design:
    settings = Settings(label="entailment").completed(instrument)
    if not instrument.datasets[0].startswith("equipoise-"):
        settings = replace(settings, data_dir=shared_data("bbq").parent)
    return instrument.design(settings.source(instrument), settings)
