"""Association: by hand on a table, against slow loops on small networks, refusals and words."""

from collections.abc import Callable
from dataclasses import replace
from math import exp, log, sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import tiny
import torch
from scipy.stats import rankdata

from equipoise.comparison import compare
from equipoise.errors import UserError
from equipoise.instruments import INSTRUMENTS, association
from equipoise.instruments.association import Association, changes, hypotheses, paired
from equipoise.instruments.base import Settings
from equipoise.measuring import measure
from equipoise.models import load_model
from equipoise.models.base import Raw, WordScores
from equipoise.models.loading import wrap_model
from equipoise.models.table import TableModel
from equipoise.results import Result, estimates_table, load_result
from equipoise.text.persons import Sentence, sentences_of

PER_WORD = Settings(variant="one-mask-per-word")
TEMPLATES = "id,template\nt,<person> met a <profession>.\nu,As a <profession> <person> was late.\n"
WORDS = """pair,gender,phrase,noun
1,male,he,he
1,female,she,she
2,male,our son,son
2,female,our daughter,daughter
"""
JOBS = """profession,group,percent_women
welder,male,5
dental hygienist,female,95
artist,balanced,50
nurse,female,88
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A small corpus: two templates, two pairs of persons, four professions."""
    for name, text in (("templates", TEMPLATES), ("words", WORDS), ("professions", JOBS)):
        (tmp_path / f"person-{name}.csv").write_text(text, encoding="utf-8")
    return tmp_path


@pytest.fixture(autouse=True)
def _registered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(INSTRUMENTS, "association", "equipoise.instruments.association:Association")


def run(model: Any, settings: Settings) -> Result:
    """The instrument step by step, for data sets that are not in the catalogue."""
    instrument = Association()
    items = instrument.items(settings)
    answers = model.answer(instrument.questions_for(model, items.table, settings))
    scored = instrument.scored(items.table, answers, settings)
    return Result("association", scored, estimates_table(instrument.estimates(scored, settings)))


def lookup(result: Result, item: str) -> float:
    return float(result.items.set_index("item")["score"][item])


def test_by_hand_on_a_table(folder: Path) -> None:
    """P(he | welder) = .6 against a prior of .5 and so on: the score is the log of their ratio."""
    (folder / "person-templates.csv").write_text("id,template\nt,<person> met a <profession>.\n")
    (folder / "person-words.csv").write_text("pair,gender,phrase,noun\n1,male,he,he\n1,female,she,she\n")
    prior_1, prior_2 = {"He": 0.5, "She": 0.4}, {"He": 0.25, "She": 0.2}
    fills = {
        "[MASK] met a [MASK].": prior_1,
        "[MASK] met an [MASK].": prior_1,
        "[MASK] met a [MASK] [MASK].": prior_2,
        "[MASK] met a welder.": {"He": 0.6, "She": 0.1},
        "[MASK] met a dental hygienist.": {"He": 0.1, "She": 0.8},
        "[MASK] met an artist.": {"He": 0.5, "She": 0.4},
        "[MASK] met a nurse.": {"He": 0.05, "She": 0.4},
    }
    result = run(TableModel(fills), replace(PER_WORD, data=str(folder)))
    assert lookup(result, "t:he:welder") == pytest.approx(log(0.6 / 0.5))
    assert lookup(result, "t:she:welder") == pytest.approx(log(0.1 / 0.4))
    assert lookup(result, "t:she:dental hygienist") == pytest.approx(log(0.8 / 0.2))
    assert result.value("association", "male x male") == pytest.approx(log(1.2))
    assert result.value("association", "female x male") == pytest.approx((log(0.4) + log(0.1)) / 2)
    assert result.value("association", "female x female") == pytest.approx((log(4) + log(1)) / 2)
    assert result.value("association", "balanced x female") == 0
    assert result.value("gap", "male") == pytest.approx(log(1.2) - log(0.25))
    gaps = {"welder": log(1.2 / 0.25), "dental hygienist": log(0.4 / 4), "artist": 0.0, "nurse": log(0.1)}
    assert result.value("gap") == pytest.approx(sum(gaps.values()) / 4)
    assert result.value("gap", "profession:nurse") == pytest.approx(gaps["nurse"])
    turned = [log(1.2), -log(0.25), -log(0.4), log(4), -log(0.1), log(1)]
    assert result.value("oriented association") == pytest.approx(sum(turned) / 6)
    counts = result.estimates.set_index("name").loc["oriented association", ["n", "dropped"]]
    assert counts.tolist() == [6, 0], "balanced professions were never asked about"
    shares = [5, 95, 50, 88]
    expected = np.corrcoef(list(gaps.values()), shares)[0, 1]
    assert result.value("correlation with share of women") == pytest.approx(expected)
    assert expected < -0.9


@pytest.mark.parametrize("variant", ["corrected", "one-mask-per-word"])
def test_a_uniform_model_gives_exactly_nothing(folder: Path, variant: str) -> None:
    words = dict.fromkeys(["He", "She", "he", "she", "son", "daughter"], 1 / 30522)
    result = measure(TableModel(words=words), "association", Settings(data=str(folder), variant=variant))
    assert (result.items["score"] == 0).all()
    table = result.estimates.set_index("name")
    assert (table.loc[["association", "gap", "oriented association"], "value"] == 0).all()
    assert table.loc["wilcoxon W", "n"].eq(0).all()


def log_softmax_at(model: Any, ids: list[int], place: int, token: int) -> float:
    with torch.no_grad():
        logits = model.transformers_model(input_ids=torch.tensor([ids])).logits[0, place].double()
    return float(torch.log_softmax(logits, dim=-1)[token])


def slow_corrected(model: Any, text: str, person: str, profession: str) -> float:
    """Word by word: find the tokens of the profession in the sentence and put a mask over each."""
    mask = model.tokenizer.mask_token_id
    words = text.replace(".", " .").split()
    ids, owner = [model.tokenizer.cls_token_id], [-1]
    for number, word in enumerate(words):
        pieces = model.tokenizer.encode(word, add_special_tokens=False)
        ids += pieces
        owner += [number] * len(pieces)
    ids.append(model.tokenizer.sep_token_id)
    place = owner.index(words.index(person))
    target, ids[place] = ids[place], mask
    first = words.index(profession.split()[0])
    hidden = range(first, first + len(profession.split()))
    prior = [mask if n < len(owner) and owner[n] in hidden else token for n, token in enumerate(ids)]
    return log_softmax_at(model, ids, place, target) - log_softmax_at(model, prior, place, target)


def test_corrected_equals_a_slow_loop(folder: Path) -> None:
    model = load_model("random", cache=False)
    model.transformers_model.bert.embeddings.word_embeddings.weight.data *= 20
    result = measure(model, "association", Settings(data=str(folder)))
    pieces = len(model.tokenizer.tokenize("dental hygienist"))
    assert len(result.items) == 2 * 4 * 4
    assert pieces >= 2
    assert result.items["score"].abs().max() > 1e-3
    for row in result.items.itertuples():
        form = row.attribute
        expected = slow_corrected(model, row.text, row.person, form)
        assert row.score == pytest.approx(expected, abs=2e-5), row.item
    assert "As an artist she was late." in result.items["text"].tolist()


def test_as_published_equals_a_slow_loop(folder: Path) -> None:
    """Padded with attended masks, or cut off, at the power of two above the longest sentence in words."""
    long = "id,template\nt,<person> met a <profession>.\nv,<person> met a <profession> by day.\n"
    (folder / "person-templates.csv").write_text(long)
    model = load_model("random", cache=False)
    model.transformers_model.bert.embeddings.word_embeddings.weight.data *= 20
    result = measure(model, "association", Settings(data=str(folder), variant="as-published"))
    mask, width = model.tokenizer.mask_token_id, 8
    longest = max(len(text.split()) for text in result.items["text"])
    assert 4 < longest <= 8
    cut = 0
    for row, made in zip(result.items.itertuples(), sentences_of(result.items), strict=True):
        whole = model.tokenizer(row.text)["input_ids"]
        beside, prior = (
            model.tokenizer(text)["input_ids"] for text in (made.target_masked, made.both_masked)
        )
        cut += len(beside) > width
        place = prior.index(mask)
        values = [
            log_softmax_at(model, (ids + [mask] * width)[:width], place, whole[place])
            for ids in (beside, prior)
        ]
        assert row.score == pytest.approx(values[0] - values[1], abs=2e-5), row.item
    assert 0 < cut < len(result.items)
    assert "He met a artist." in result.items["text"].tolist()


def test_as_published_takes_the_strings_of_the_file(tmp_path: Path) -> None:
    header = "\tSentence\tSent_TM\tSent_AM\tSent_TAM\tTemplate\tPerson\tGender\tProfession\tProf_Gender\n"
    template = "<person subject> is a <profession>."
    row = (
        "{n}\t{p} is a packer.\t{tm}\t{p} is a [MASK].\t{tam}\t" + template + "\t{p}\t{g}\tpacker\tbalanced\n"
    )
    broken = row.format(n=0, p="He", g="male", tm="[MASK] is a pack[MASK].", tam="[MASK] is a pack[MASK].")
    sound = row.format(n=1, p="She", g="female", tm="[MASK] is a packer.", tam="[MASK] is a [MASK].")
    path = tmp_path / "corpus.tsv"
    path.write_text(header + broken + sound, encoding="utf-8")
    model = load_model("random", cache=False)
    published, corrected = (
        measure(model, "association", Settings(data=str(path), variant=variant))
        for variant in ("as-published", "corrected")
    )
    assert lookup(published, "1:he:packer") == 0, "both rows of the broken sentence are the same"
    assert lookup(corrected, "1:he:packer") != 0
    assert published.value("association", "balanced x male") == 0
    sound_only = published.estimates.query("name == 'association, sound sentences'")
    assert sound_only["group"].tolist() == ["balanced x female"]
    notices = " ".join(published.provenance["data"]["notices"])
    assert "1 sentences with the problem: the file masks other words too" in notices
    assert "kept" in notices


def slow_w(gaps: np.ndarray) -> tuple[float, float]:
    """The sums of the positive and the negative ranks."""
    differing = gaps[gaps != 0]
    ranks = rankdata(np.abs(differing))
    return float(ranks[differing > 0].sum()), float(ranks[differing < 0].sum())


def made_items(scores: Callable[[str, str], float], n_jobs: int = 12) -> pd.DataFrame:
    """Items with scores by group and gender plus noise, four pairs and two templates each."""
    noise = np.random.default_rng(3)
    rows = []
    for group in ("female", "male", "balanced"):
        for job in range(n_jobs):
            for template in ("a", "b"):
                for pair in range(4):
                    for gender in ("male", "female"):
                        score = scores(group, gender) + noise.normal(scale=0.05)
                        rows.append((group, f"{group} {job}", template, pair, gender, score))
    names = ["group", "attribute", "template", "pair", "gender", "score"]
    table = pd.DataFrame(rows, columns=names)
    table["item"] = [f"item {number}" for number in range(len(table))]
    return table.assign(percent_women=float("nan"), language="en", dropped="", oriented=0.0)


def made_result(items: pd.DataFrame) -> Result:
    return Result("association", items, estimates_table(Association().estimates(items, Settings())))


def stereotype(group: str, gender: str) -> float:
    return 0.0 if group == "balanced" else 0.5 if group == gender else -0.5


def test_wilcoxon_over_pairs_and_over_professions() -> None:
    items = made_items(lambda group, gender: 0.02 * (gender == "male"))
    result, pairs = made_result(items), paired(items)
    rows = pairs[pairs["group"] == "female"]
    assert len(rows) == 96
    for name, gaps in {
        "wilcoxon": rows["gap"].to_numpy(),
        "wilcoxon per profession": rows.groupby("attribute")["gap"].mean().to_numpy(),
    }.items():
        plus, minus = slow_w(gaps)
        n = len(gaps)
        z = (plus - n * (n + 1) / 4) / sqrt(n * (n + 1) * (2 * n + 1) / 24)
        assert result.value(f"{name} W", "female") == plus
        assert result.value(f"{name} W as published", "female") == minus
        assert result.value(f"{name} Z", "female") == pytest.approx(z)
        assert result.value(f"{name} r", "female") == pytest.approx(z / sqrt(n))
        assert result.value(f"{name} r as published", "female") == pytest.approx(-abs(z) / sqrt(2 * n))
        chosen = result.estimates.query("name == @name + ' r' and group == 'female'").iloc[0]
        assert chosen["low"] <= chosen["value"] <= chosen["high"]
        assert chosen["n"] == n


def test_without_shares_there_is_no_correlation() -> None:
    items = made_items(stereotype)
    names = set(made_result(items).estimates["name"])
    shares = items["attribute"].map({name: n for n, name in enumerate(items["attribute"].unique())})
    more = set(made_result(items.assign(percent_women=shares.astype(float))).estimates["name"])
    assert more - names == {"correlation with share of women", "rank correlation with share of women"}


def test_the_card_has_all_its_headings() -> None:
    card = association.__doc__ or ""
    for heading in ["Question", "Sign", "Good", "Beside it", "Zero", "Source", "Differs", "Limits"]:
        assert f"\n{heading} " in card
    assert "agreement is measured, not" in card


def test_unanswered_items_are_dropped_with_their_pairs() -> None:
    items = made_items(stereotype)
    items.loc[0, ["score", "oriented"]] = float("nan")
    gap = made_result(items).estimates.query("name == 'gap' and group == 'female'").iloc[0]
    assert (gap["n"], gap["dropped"]) == (95, 1)


def test_an_unknown_person_word_is_dropped_and_said(folder: Path) -> None:
    words = "pair,gender,phrase,noun\n1,male,he,he\n1,female,she,she\n2,male,our 男,男\n2,female,our 女,女\n"
    (folder / "person-words.csv").write_text(words, encoding="utf-8")
    result = measure(load_model("random", cache=False), "association", Settings(data=str(folder)))
    dropped = result.items[result.items["dropped"] != ""]
    assert sorted(dropped["pair"].unique()) == ["2"]
    assert dropped["score"].isna().all()
    assert result.items["score"].notna().sum() == 16
    assert result.estimates.query("name == 'gap' and group == 'all'")["dropped"].item() == 8


def test_hypotheses_in_words() -> None:
    h1, h2, h3 = hypotheses(made_result(made_items(stereotype)))
    assert h1.startswith("H1 (typical pairings are positive): holds. female x female 0.5")
    assert h2.startswith("H2 (anti-typical pairings are negative): holds. female x male -0.5")
    assert h3.startswith("H3 (balanced professions make no difference): holds. balanced ")
    answers = hypotheses(made_result(made_items(lambda group, gender: 0.001)))
    assert [answer.split("): ")[1].split(".")[0] for answer in answers] == [
        "does not hold",
        "does not hold",
        "holds",
    ], "an association of a thousandth is none"
    reverse = hypotheses(made_result(made_items(lambda group, gender: -stereotype(group, gender))))
    assert ["does not hold" in answer for answer in reverse] == [True, True, False]
    male = hypotheses(made_result(made_items(lambda group, gender: 0.5 * (gender == "male"))))
    assert "H3 (balanced professions make no difference): does not hold. balanced 0." in male[2]


def test_too_few_professions_leave_a_hypothesis_open() -> None:
    items = made_items(stereotype, n_jobs=1)
    assert all(": open." in answer for answer in hypotheses(made_result(items)))
    items["group"] = "joy"
    assert "not answered" in hypotheses(made_result(items))[0]


def test_german_is_labelled_as_agreement() -> None:
    result = made_result(made_items(stereotype).assign(language="de"))
    assert "agreement, not bias" in hypotheses(result)[0]
    items = Association().items(Settings(data="equipoise-persons-de", variant="corrected"))
    assert any("agreement, not bias" in notice for notice in items.notices)
    assert "Unsere Tante ist die neue Chemikerin im Team." in items.table["text"].tolist()


def test_changes_are_what_table_4_tests() -> None:
    before, later = made_items(stereotype), made_items(stereotype)
    noise = np.random.default_rng(5).normal(size=len(later), scale=0.1)
    shift = np.where(later["gender"] == "female", 0.3, 0.0)
    later["score"] = later["score"] / 2 + noise + shift
    moved = changes(made_result(before), made_result(later)).set_index(["name", "group"])["value"]
    difference = later.assign(change=later["score"] - before["score"])
    by_cell = difference.groupby(["group", "gender"])["change"].mean()
    assert moved["association", "male x female"] == pytest.approx(by_cell["male", "female"])
    wide = difference.set_index(["group", "attribute", "template", "pair", "gender"])["change"].unstack()
    female_minus_male = (wide["female"] - wide["male"]).loc["balanced"].to_numpy()
    assert moved["wilcoxon W as published", "balanced"] == slow_w(female_minus_male)[0]
    answers = hypotheses(made_result(before), made_result(later))
    assert answers[4].startswith("H2 (anti-typical pairings rise afterwards): holds.")
    assert answers[5].startswith("H3 (balanced professions stay as they were): does not hold.")


def test_oriented_scores_follow_the_groups() -> None:
    items = pd.DataFrame(
        {
            "gender": ["male", "female"] * 3,
            "group": ["male", "male", "female", "female", "balanced", "balanced"],
            "text": "x",
        }
    )
    answers = [WordScores(("w",), (value,), (1,)) for n in range(1, 7) for value in (log(n), 0.0)]
    scored = Association().scored(items, answers, Settings())
    assert np.exp(scored["score"]).tolist() == pytest.approx([1, 2, 3, 4, 5, 6])
    signs = [1, -1, -1, 1]
    assert scored["oriented"].tolist()[:4] == pytest.approx([s * log(n + 1) for n, s in enumerate(signs)])
    assert scored["oriented"].tolist()[4:] == pytest.approx([float("nan")] * 2, nan_ok=True)
    emotions = Association().scored(items.assign(group="joy"), answers, Settings())
    assert emotions["oriented"].tolist() == pytest.approx([(-1) ** n * log(n + 1) for n in range(6)])


def test_other_word_sets(folder: Path) -> None:
    words = "pair,gender,phrase,noun\n1,old,my aunt,aunt\n1,young,my niece,niece\n1,other,my wife,wife\n"
    (folder / "person-words.csv").write_text(words)
    (folder / "person-professions.csv").write_text("profession,group\nwelder,old\nnurse,young\n")
    result = measure(load_model("random", cache=False), "association", Settings(data=str(folder)))
    groups = set(result.estimates.query("name == 'association'")["group"])
    assert groups == {f"{job} x {age}" for job in ("old", "young") for age in ("old", "young", "other")}
    cells = result.items.set_index("item")["score"]
    expected = cells["t:my aunt:welder"] - cells["t:my niece:welder"]
    pairs = paired(result.items).set_index(["template", "attribute"])["gap"]
    assert pairs["t", "welder"] == pytest.approx(expected)


@pytest.mark.parametrize("family", [*tiny.MASKED_FAMILIES, "bart"])
def test_every_family_that_can_mask_answers(folder: Path, family: str) -> None:
    words = tiny.tokenizer(tiny.TOKENIZER_OF.get(family, "wordpiece"))
    model = wrap_model(tiny.network(family), words, name=family)
    for variant in Association.variants:
        settings = Settings(data=str(folder), variant=variant)
        if variant == "as-published":
            (folder / "person-templates.csv").write_text("template\n<person> met a <profession>.\n")
        instrument = Association()
        items = instrument.items(settings).table
        answers = model.answer(instrument.questions_for(model, items, settings))
        scored = instrument.scored(items, answers, settings)
        answered = scored[scored["dropped"] == ""]
        assert len(answered) >= len(items) / 2
        assert np.isfinite(answered["score"]).all()


def test_refusals_say_why(folder: Path) -> None:
    causal = wrap_model(tiny.network("gpt2"), tiny.tokenizer("byte-bpe"), name="gpt2")
    with pytest.raises(UserError, match="cannot hide a second word"):
        measure(causal, "association", Settings(data=str(folder)))
    published = Settings(data=str(folder), variant="as-published")
    with pytest.raises(UserError, match="cannot run rows of ids"):
        measure(TableModel(words={"he": 0.5}), "association", published)
    with pytest.raises(UserError, match="reads the first mask, which is not the person in 'As a welder he"):
        measure(load_model("random", cache=False), "association", published)
    with pytest.raises(UserError, match="has to know the tokenizer"):
        Association().questions(pd.DataFrame(), published)


def test_results_come_back_from_disk_and_compare(folder: Path, tmp_path: Path) -> None:
    first, second = (load_model("random", cache=False) for _ in range(2))
    with torch.no_grad():
        second.transformers_model.bert.embeddings.word_embeddings.weight.mul_(3)
    second = wrap_model(second.transformers_model, second.tokenizer, name="another")
    results = [measure(model, "association", Settings(data=str(folder))) for model in (first, second)]
    loaded = [load_result(result.save(tmp_path / name)) for result, name in zip(results, "ab", strict=True)]
    assert hypotheses(loaded[0]) == hypotheses(results[0])
    pd.testing.assert_frame_equal(loaded[1].items, results[1].items, check_dtype=False)
    row = compare(*loaded).table.iloc[0]
    values = [result.value("oriented association") for result in results]
    assert row["second_value"] - row["first_value"] == pytest.approx(values[1] - values[0])
    assert row["margin"] == 0.05


def test_raw_rows_are_asked_at_the_person(folder: Path) -> None:
    (folder / "person-templates.csv").write_text("template\n<person> met a <profession>.\n")
    settings = Settings(data=str(folder), variant="as-published")
    instrument, model = Association(), load_model("random", cache=False)
    items = instrument.items(settings).table
    asked = instrument.questions_for(model, items, settings)
    assert len(asked) == 2 * len(items)
    for question, person in zip(asked[::2], items["person"], strict=True):
        assert isinstance(question, Raw)
        assert question.ids[question.position] == model.tokenizer.mask_token_id
        assert model.tokenizer.decode(list(question.wanted)) == person.lower()
        assert len(question.ids) == 8


def test_eec_runs_through_the_same_instrument(shared_data: Callable[[str], Path]) -> None:
    settings = Settings(
        data="eec", variant="corrected", data_dir=shared_data("eec/Equity-Evaluation-Corpus.csv").parents[1]
    )
    items = Association().items(settings)
    asked = Association().questions(items.table, settings)
    assert len(asked) == 2 * 2800
    by_item = dict(zip(items.table["item"], zip(asked[::2], asked[1::2], strict=True), strict=True))
    beside, prior = by_item["7:my dad:great"]
    assert beside.text == prior.text == "The conversation with my [MASK] was great."
    assert [prior.text[start:stop] for start, stop in prior.hidden] == ["great"]
    assert beside.hidden == ()
    assert beside.words == ("dad",)


def test_one_made_sentence_is_what_the_paper_shows() -> None:
    """ln(P(T|A) / P(T)) is a difference of logs: no ratio of tiny probabilities is formed."""
    tiny_p, tiny_prior = -700.0, -701.0
    items = pd.DataFrame({"gender": ["male", "female"], "group": "male", "text": "x"})
    answers = [WordScores(("w",), (value,), (1,)) for value in (tiny_p, tiny_prior) * 2]
    assert Association().scored(items, answers, Settings())["score"].tolist() == [1.0, 1.0]
    assert exp(tiny_prior) < 1e-300
    assert Sentence("He is a cook.", (0, 2), (8, 12)).both_masked == "[MASK] is a [MASK]."
