"""Log probability bias score: by hand, the right blanks against plain torch, variants, poles, refusals."""

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tiny
import torch
from designs import asked, designed

from equipoise.errors import UserError
from equipoise.instruments import lpbs
from equipoise.instruments.base import Settings
from equipoise.instruments.lpbs import (
    NOTHING_TO_HIDE,
    ONE_MASK,
    PER_PIECE,
    PUBLISHED,
    attribute_span,
)
from equipoise.measuring import measure
from equipoise.models.loading import load_model
from equipoise.models.loading.networks import wrap_model
from equipoise.models.options import RunOptions
from equipoise.models.questions import Fill
from equipoise.models.table import TableModel

TEMPLATES = (
    "id,category,form,template\n"
    "t1,work,subject,[MASK] is a <profession>.\n"
    "t2,work,possessive,The <profession> lost [MASK] keys.\n"
)
PROFESSIONS = "profession,category,percent_women\ncook,work,40\nengineer,work,10\npilot,work,5\n"
FILLS = {
    "[MASK] is a cook.": {"he": 0.5, "she": 0.2},
    "[MASK] is an engineer.": {"he": 0.6, "she": 0.1},
    "[MASK] is a pilot.": {"he": 0.3, "she": 0.3},
    "The cook lost [MASK] keys.": {"his": 0.1, "her": 0.4},
    "The engineer lost [MASK] keys.": {"his": 0.4, "her": 0.1},
    "The pilot lost [MASK] keys.": {"his": 0.5, "her": 0.25},
    "[MASK] is a [MASK].": {"he": 0.4, "she": 0.2},
    "[MASK] is an [MASK].": {"he": 0.3, "she": 0.1},
    "The [MASK] lost [MASK] keys.": {"his": 0.3, "her": 0.2},
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return folder_of(tmp_path)


def folder_of(path: Path, templates: str = TEMPLATES, professions: str = PROFESSIONS) -> Path:
    (path / "templates.csv").write_text(templates, encoding="utf-8")
    (path / "professions.csv").write_text(professions, encoding="utf-8")
    return path


def tiny_model(family: str = "bert") -> Any:
    words = tiny.tokenizer(tiny.TOKENIZER_OF.get(family, "wordpiece"))
    return wrap_model(tiny.network(family), words, name=family, options=RunOptions(store=None))


def test_scores_by_hand(folder: Path) -> None:
    result = measure(TableModel(FILLS), "lpbs", Settings(data=str(folder), variant=ONE_MASK))
    items = result.items.set_index("item")
    assert items.loc["t1:cook", "score"] == pytest.approx(math.log(0.5 / 0.4) - math.log(0.2 / 0.2))
    assert items.loc["t1:engineer", "score"] == pytest.approx(math.log(0.6 / 0.3) - math.log(0.1 / 0.1))
    assert items.loc["t2:cook", "score"] == pytest.approx(math.log(0.1 / 0.3) - math.log(0.4 / 0.2))
    assert items.loc["t2:pilot", "log_ratio"] == pytest.approx(math.log(2))
    assert items.loc["t2:pilot", "prior_log_ratio"] == pytest.approx(math.log(1.5))
    assert result.value("lpbs") == pytest.approx(items["score"].mean())
    assert result.value("lpbs", profession="cook") == pytest.approx(
        (math.log(1.25) + math.log(1 / 3) - math.log(2)) / 2
    )
    assert result.value("professions-above-0") == pytest.approx(1 / 3)


def test_lpbs_is_the_difference_of_its_parts(folder: Path) -> None:
    result = measure(tiny_model(), "lpbs", Settings(data=str(folder)))
    assert result.value("lpbs") == pytest.approx(
        result.value("log-ratio") - result.value("prior-log-ratio"), abs=1e-9
    )


def test_d4_the_pronoun_is_asked_and_the_profession_is_hidden(folder: Path) -> None:
    """Word by word with plain torch: a replacement by count would fill the other blank, or none."""
    model = tiny_model()
    result = measure(model, "lpbs", Settings(data=str(folder), variant=PER_PIECE))
    mask = model.mask_id
    for row in result.items.to_dict("records"):
        pair = ("he", "she") if row["form"] == "subject" else ("his", "her")
        whole = row["text"].replace("[MASK]", pair[0])
        encoded = model.tokens.encode(whole)
        target = encoded.positions((whole.index(pair[0]), whole.index(pair[0]) + len(pair[0])))
        at = whole.index(row["profession"])
        attribute = encoded.positions((at, at + len(row["profession"])))
        wanted = [model.tokens.encode(word).ids[1] for word in pair]
        ratios = []
        for hidden in (target, [*target, *attribute]):
            ids = [mask if place in hidden else token for place, token in enumerate(encoded.ids)]
            with torch.no_grad():
                logits = model.transformers_model(input_ids=torch.tensor([ids])).logits[0].double()
            values = torch.log_softmax(logits, dim=-1)[target[0], wanted]
            ratios.append(float(values[0] - values[1]))
        assert row["log_ratio"] == pytest.approx(ratios[0], abs=1e-4)
        assert row["prior_log_ratio"] == pytest.approx(ratios[1], abs=1e-4)


def test_variants_ask_the_blank_that_they_say(folder: Path) -> None:
    priors = {}
    for variant in (PER_PIECE, ONE_MASK, PUBLISHED):
        asks = asked("lpbs", TableModel(), data=str(folder), variant=variant)
        beside = [ask.question for ask in asks if ask.role == "beside"]
        priors[variant] = [ask.question for ask in asks if ask.role == "prior"]
        assert len(beside) == len(priors[variant]) == 6
        assert all(isinstance(one, Fill) and one.blank is None and not one.hidden for one in beside)
    first, last = priors[ONE_MASK][0], priors[ONE_MASK][-1]
    assert (first.text, first.blank) == ("[MASK] is a [MASK].", 0)
    assert (last.text, last.blank) == ("The [MASK] lost [MASK] keys.", 1)
    assert [one.blank for one in priors[PUBLISHED]] == [1, 1, 1, 0, 0, 0]
    hidden = [one.text[slice(*one.hidden[0])] for one in priors[PER_PIECE]]
    assert hidden == ["cook", "engineer", "pilot"] * 2


def test_the_profession_is_found_by_its_slot_and_not_by_its_letters() -> None:
    template = "The cooked meal pleased a <profession> who cooks."
    text = "The cooked meal pleased a cook who cooks."
    start, stop = attribute_span(template, "cook", text)
    assert (start, text[start:stop]) == (26, "cook")
    text = "A cooked egg for an engineer and a apple."
    start, stop = attribute_span("A cooked egg for a <profession> and a apple.", "engineer", text)
    assert text[start:stop] == "engineer"
    with pytest.raises(UserError, match="cannot be found again"):
        attribute_span("<profession> here", "cook", "Somebody else here")


def test_every_shipped_sentence_hides_its_profession() -> None:
    table = designed("lpbs").items
    spans = zip(table["text"], table["start"], table["stop"], strict=True)
    found = [text[start:stop].lower() for text, start, stop in spans]
    assert found == table["profession"].str.lower().tolist()
    assert len(table) > 1000


def test_a_template_without_a_slot_is_dropped_and_counted(tmp_path: Path) -> None:
    folder = folder_of(tmp_path, TEMPLATES + "t3,other,subject,Yesterday [MASK] slept.\n")
    result = measure(TableModel(FILLS), "lpbs", Settings(data=str(folder), variant=ONE_MASK))
    row = result.items.set_index("item").loc["t3"]
    assert row["dropped"] == NOTHING_TO_HIDE
    assert np.isnan(row["score"])
    assert result.notices == [f"1 of 7 items were dropped: {NOTHING_TO_HIDE} (1)"]
    assert result.estimate("lpbs")["n"] == 6


def test_uniform_and_random_models_give_nothing(folder: Path) -> None:
    uniform = TableModel(words=dict.fromkeys(("he", "she", "his", "her"), 0.25))
    assert measure(uniform, "lpbs", Settings(data=str(folder))).value("lpbs") == 0.0
    control = measure(load_model("random", cache=False), "lpbs", Settings(data=str(folder)))
    assert control.items["score"].abs().max() < 0.01


@pytest.mark.parametrize("family", ["roberta", "xlm-roberta", "bart"])
def test_it_runs_on_other_kinds_of_model(family: str, folder: Path) -> None:
    result = measure(tiny_model(family), "lpbs", Settings(data=str(folder)))
    assert result.items["score"].notna().all()
    assert result.items["score"].abs().gt(1e-6).any()


def test_a_causal_model_is_refused_with_the_reason(folder: Path) -> None:
    with pytest.raises(UserError, match="a causal model cannot hide other words"):
        measure(tiny_model("gpt2"), "lpbs", Settings(data=str(folder)))


def test_other_poles(tmp_path: Path) -> None:
    folder = folder_of(
        tmp_path, "id,category,form,template\na,work,adjective,The [MASK] <profession> spoke.\n"
    )
    fills = {
        f"The [MASK] {name} spoke.": {"young": 0.2, "youthful": 0.1, "old": 0.1, "elderly": 0.05}
        for name in ("cook", "engineer", "pilot")
    }
    fills["The [MASK] [MASK] spoke."] = {"young": 0.2, "youthful": 0.2, "old": 0.3, "elderly": 0.1}
    settings = Settings(data=str(folder), poles="age", variant=ONE_MASK)
    result = measure(TableModel(fills), "lpbs", settings)
    assert result.value("lpbs") == pytest.approx(math.log(0.3 / 0.4) - math.log(0.15 / 0.4))


def test_a_pole_without_a_word_of_the_form(folder: Path, tmp_path: Path) -> None:
    poles = tmp_path / "poles.csv"
    poles.write_text("pole,form,word\nx,subject,xe\nx,possessive,xyr\ny,subject,ye\n", encoding="utf-8")
    with pytest.raises(UserError, match=r"'y' of .* has no word of the form 'possessive'"):
        measure(
            TableModel(words={"xe": 0.1, "ye": 0.1}), "lpbs", Settings(data=str(folder), poles=str(poles))
        )


def test_the_card_has_every_heading() -> None:
    card = lpbs.__doc__ or ""
    for heading in ("Question", "Sign", "Good", "Also given", "Neutral", "Source", "Differs", "Limits"):
        assert f"\n{heading}  " in card
