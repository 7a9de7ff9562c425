"""Discovery of correlations: fills counted by hand, chi-square against scipy, poles, refusals."""

from pathlib import Path

import pytest
import tiny

from equipoise.errors import UserError
from equipoise.instruments import disco
from equipoise.instruments.base import Settings
from equipoise.instruments.disco import Discovery
from equipoise.measuring import measure
from equipoise.models.loading import load_model
from equipoise.models.loading.networks import wrap_model
from equipoise.models.options import RunOptions
from equipoise.models.questions import TopFill
from equipoise.models.table import TableModel
from equipoise.stats.significance import equal_rates_p

MEN = [f"the man{place}" for place in range(12)]
WOMEN = [f"the woman{place}" for place in range(12)]
TEMPLATES = (
    "id,topic,template\nwork,work,<person> works as a [MASK].\nlikes,free,Today <person> likes [MASK].\n"
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "disco-templates.csv").write_text(TEMPLATES, encoding="utf-8")
    rows = [f"{place},male,{phrase}" for place, phrase in enumerate(MEN)]
    rows += [f"{place},female,{phrase}" for place, phrase in enumerate(WOMEN)]
    (tmp_path / "subjects.csv").write_text("\n".join(["pair,pole,phrase", *rows, ""]), encoding="utf-8")
    return tmp_path


def fills_of(works: dict[str, tuple[str, ...]], likes: tuple[str, ...]) -> TableModel:
    """A model that completes the first template by phrase and the second always in the same way."""
    fills = {}
    for phrase, words in works.items():
        ranked = {word: 0.3 - 0.05 * place for place, word in enumerate(words)}
        fills[f"{phrase[0].upper()}{phrase[1:]} works as a [MASK]."] = ranked
        fills[f"Today {phrase} likes [MASK]."] = {word: 0.3 - 0.05 * n for n, word in enumerate(likes)}
    return TableModel(fills)


def test_fills_by_hand(folder: Path) -> None:
    """All men are clerks and no woman is; nine women and no man are nurses; everybody is a cook."""
    works = dict.fromkeys(MEN, ("clerk", "cook", "Guard"))
    works |= dict.fromkeys(WOMEN[:9], ("nurse", "cook", "guard"))
    works |= dict.fromkeys(WOMEN[9:], ("cook", "guard", "singer"))
    result = measure(fills_of(works, ("tea", "music", "rain")), "disco", Settings(data=str(folder)))
    items = result.items.set_index("item")
    assert items.loc["work", "fills_male"] == "clerk"
    assert items.loc["work", "fills_female"] == "nurse"
    assert items.loc["work", ["score", "lean", "tested"]].tolist() == [2, 0, 5]
    assert items.loc["likes", ["score", "tested"]].tolist() == [0, 3]
    assert result.value("disco") == 1.0
    assert result.value("disco", topic="work") == 2.0
    assert result.value("fills", pole="male") == 0.5
    assert result.value("fills-tested") == 4.0


def test_the_correction_counts_every_test_of_the_run(folder: Path) -> None:
    """Six of twelve against none is significant alone, p = .0047, and as one of ten, but not of eleven."""
    p = equal_rates_p((6, 12), (0, 12))
    assert p == pytest.approx(0.00468, abs=1e-5)
    works = dict.fromkeys(MEN[:6], ("clerk", "cook", "guard"))
    works |= dict.fromkeys((*MEN[6:], *WOMEN), ("cook", "guard", "singer"))
    few = measure(fills_of(works, ("tea", "music", "rain")), "disco", Settings(data=str(folder)))
    assert few.items["tested"].sum() == 7
    assert few.items["fills_male"].tolist() == ["clerk", ""]
    many = fills_of(works, ("tea", "music", "rain"))
    for place, woman in enumerate(WOMEN[:4]):
        many.fills[f"Today {woman} likes [MASK]."] = {f"thing{place}": 0.5, "tea": 0.2, "music": 0.1}
    result = measure(many, "disco", Settings(data=str(folder)))
    assert result.items["tested"].sum() == 11
    assert result.value("disco") == 0.0


def test_each_template_is_asked_with_each_phrase(folder: Path) -> None:
    instrument, settings = Discovery(), Settings(data=str(folder), variant="top-10")
    model = TableModel(words={"tea": 0.5})
    design = instrument.design(settings.source(instrument), settings)
    asked = {(ask.item, ask.role): ask.question for ask in instrument.ask(design, model)}
    assert set(asked) == {(item, phrase) for item in ("work", "likes") for phrase in (*MEN, *WOMEN)}
    assert asked["work", "the man0"] == TopFill("The man0 works as a [MASK].", 10)
    assert asked["likes", "the woman3"] == TopFill("Today the woman3 likes [MASK].", 10)


def test_answers_are_read_by_phrase_not_by_place(folder: Path) -> None:
    """The same phrases in another order give the same fills to the same sides."""
    works = dict.fromkeys(MEN, ("clerk", "cook", "guard")) | dict.fromkeys(WOMEN, ("nurse", "cook", "guard"))
    model = fills_of(works, ("tea", "music", "rain"))
    header, *rows = (folder / "subjects.csv").read_text(encoding="utf-8").splitlines()
    first = measure(model, "disco", data=folder).items
    mixed = [rows[0], *reversed(rows[1:])]
    (folder / "subjects.csv").write_text("\n".join([header, *mixed, ""]), encoding="utf-8")
    again = measure(model, "disco", data=folder).items
    assert again.to_dict("list") == first.to_dict("list")
    assert first["fills_female"].tolist() == ["nurse", ""]
    assert first["lean"].tolist() == [0.0, 0.0]


def test_uniform_and_random_models_give_zero() -> None:
    uniform = TableModel(words=dict.fromkeys(("a", "b", "c", "d"), 0.25))
    assert measure(uniform, "disco").value("disco") == 0.0


def test_random_weights_give_zero(folder: Path) -> None:
    assert (
        measure(load_model("random", cache=False), "disco", Settings(data=str(folder))).value("disco") == 0.0
    )


def test_other_poles_name_persons_by_adjective_and_profession() -> None:
    result = measure(
        TableModel(words={"tea": 0.3, "rain": 0.2, "music": 0.1}), "disco", Settings(poles="age")
    )
    assert result.provenance["data"]["notices"] == ["person phrases: 120 young, 120 old"]
    assert {"fills_young", "fills_old", "n_old"} <= set(result.items.columns)


def test_a_causal_model_is_refused_with_the_reason(folder: Path) -> None:
    model = wrap_model(
        tiny.network("gpt2"), tiny.tokenizer("byte-bpe"), name="gpt2", options=RunOptions(store=None)
    )
    with pytest.raises(UserError, match="a causal model cannot list the likeliest words at a blank"):
        measure(model, "disco", Settings(data=str(folder)))


def test_the_card_has_every_heading() -> None:
    card = disco.__doc__ or ""
    for heading in ("Question", "Sign", "Good", "Also given", "Neutral", "Source", "Differs", "Limits"):
        assert f"\n{heading}  " in card
