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

from equipoise.corpora.opening import CorpusChoice
from equipoise.data.sets.person_rows import sentences_of
from equipoise.errors import UserError
from equipoise.instruments import association
from equipoise.instruments.association import (
    Association,
    association_estimates,
    changes,
    hypotheses,
    paired,
    with_orientation,
)
from equipoise.instruments.base import Answers, Ask, Design, Settings
from equipoise.measuring import measure
from equipoise.models.loading import load_model
from equipoise.models.loading.networks import wrap_model
from equipoise.models.questions import Raw, WordScores
from equipoise.models.table import TableModel
from equipoise.results import Result, load_result
from equipoise.results.comparison import compare
from equipoise.results.estimate import estimates_table
from equipoise.text.person_sentences import Sentence

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


def designed(settings: Settings) -> Design:
    """What the instrument reads for these settings."""
    instrument = Association()
    chosen = settings.completed(instrument)
    return instrument.design(chosen.source(instrument), chosen)


def asked(model: Any, settings: Settings) -> dict[tuple[str, str], Any]:
    """What the instrument asks, by item and role."""
    asks: list[Ask] = list(Association().ask(designed(settings), model))
    keyed = {(ask.item, ask.role): ask.question for ask in asks}
    assert len(keyed) == len(asks)
    return keyed


def scored(items: pd.DataFrame, answers: Answers) -> pd.DataFrame:
    """Items scored from answers that were made up."""
    return Association().score(Design(items=items, files=(), settings=Settings()), answers)


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
    result = measure(TableModel(fills), "association", replace(PER_WORD, data=str(folder)))
    assert lookup(result, "t:he:welder") == pytest.approx(log(0.6 / 0.5))
    assert lookup(result, "t:she:welder") == pytest.approx(log(0.1 / 0.4))
    assert lookup(result, "t:she:dental hygienist") == pytest.approx(log(0.8 / 0.2))
    assert result.value("association", group="male", gender="male") == pytest.approx(log(1.2))
    assert result.value("association", group="female", gender="male") == pytest.approx(
        (log(0.4) + log(0.1)) / 2
    )
    assert result.value("association", group="female", gender="female") == pytest.approx(
        (log(4) + log(1)) / 2
    )
    assert result.value("association", group="balanced", gender="female") == 0
    assert result.value("gap", group="male") == pytest.approx(log(1.2) - log(0.25))
    gaps = {"welder": log(1.2 / 0.25), "dental hygienist": log(0.4 / 4), "artist": 0.0, "nurse": log(0.1)}
    assert result.value("gap") == pytest.approx(sum(gaps.values()) / 4)
    assert result.value("gap", profession="nurse") == pytest.approx(gaps["nurse"])
    turned = [log(1.2), -log(0.25), -log(0.4), log(4), -log(0.1), log(1)]
    assert result.value("oriented-association") == pytest.approx(sum(turned) / 6)
    counts = result.estimate("oriented-association")[["n", "dropped"]]
    assert counts.tolist() == [6, 0], "balanced professions were never asked about"
    headlines = result.headlines()
    assert headlines["key"].tolist() == ["oriented-association", *["association"] * 6, "gap"]
    assert len(set(headlines["level"])) == 7, "the six means of Table 4, and two numbers over every item"
    assert not any(sentence.startswith("Association (") for sentence in result.sentences)
    shares = [5, 95, 50, 88]
    expected = np.corrcoef(list(gaps.values()), shares)[0, 1]
    assert result.value("correlation-with-share-of-women") == pytest.approx(expected)
    assert expected < -0.9


@pytest.mark.parametrize("variant", ["corrected", "one-mask-per-word"])
def test_a_uniform_model_gives_exactly_nothing(folder: Path, variant: str) -> None:
    words = dict.fromkeys(["He", "She", "he", "she", "son", "daughter"], 1 / 30522)
    result = measure(TableModel(words=words), "association", Settings(data=str(folder), variant=variant))
    assert (result.items["score"] == 0).all()
    table = result.estimates.set_index("key")
    assert (table.loc[["association", "gap", "oriented-association"], "value"] == 0).all()
    assert table.loc["wilcoxon-w", "n"].eq(0).all()


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
        form = row.profession
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
    template = "<person subject> met a <profession>."
    row = (
        "{n}\t{p} met a packer.\t{tm}\t{p} met a [MASK].\t{tam}\t"
        + template
        + "\t{p}\t{g}\tpacker\tbalanced\n"
    )
    broken = row.format(n=0, p="He", g="male", tm="[MASK] met a pack[MASK].", tam="[MASK] met a pack[MASK].")
    sound = row.format(n=1, p="She", g="female", tm="[MASK] met a packer.", tam="[MASK] met a [MASK].")
    path = tmp_path / "corpus.tsv"
    path.write_text(header + broken + sound, encoding="utf-8")
    model = load_model("random", cache=False)
    published, corrected = (
        measure(model, "association", Settings(data=str(path), variant=variant))
        for variant in ("as-published", "corrected")
    )
    assert lookup(published, "1:he:packer") == 0, "both rows of the broken sentence are the same"
    assert lookup(corrected, "1:he:packer") != 0
    assert published.value("association", group="balanced", gender="male") == 0
    sound_only = published.estimates.query("key == 'association-of-sound-sentences'")
    assert sound_only[["by", "level"]].to_numpy().tolist() == [["gender x group", "female x balanced"]]
    notices = " ".join(published.notices)
    assert "1 sentences with the problem: the file masks other words too" in notices
    assert "kept" in notices


def slow_w(gaps: np.ndarray) -> tuple[float, float]:
    """The sums of the positive and the negative ranks."""
    differing = gaps[gaps != 0]
    ranks = rankdata(np.abs(differing))
    return float(ranks[differing > 0].sum()), float(ranks[differing < 0].sum())


def made_items(scores: Callable[[str, str], float], n_jobs: int = 12) -> pd.DataFrame:
    """Items with scores by group and gender plus noise, four pairs and five templates each."""
    noise = np.random.default_rng(3)
    rows = []
    for group in ("female", "male", "balanced"):
        for job in range(n_jobs):
            for template in "abcde":
                for pair in range(4):
                    for gender in ("male", "female"):
                        score = scores(group, gender) + noise.normal(scale=0.05)
                        rows.append((group, f"{group} {job}", template, pair, gender, score))
    names = ["group", "profession", "template", "pair", "gender", "score"]
    table = pd.DataFrame(rows, columns=names)
    table["item"] = [f"item {number}" for number in range(len(table))]
    return with_orientation(table.assign(percent_women=float("nan"), title="", language="en", dropped=""))


def made_result(items: pd.DataFrame) -> Result:
    return Result("association", items, estimates_table(association_estimates(items)))


def stereotype(group: str, gender: str) -> float:
    return 0.0 if group == "balanced" else 0.5 if group == gender else -0.5


def test_wilcoxon_over_pairs_and_over_professions() -> None:
    items = made_items(lambda group, gender: 0.02 * (gender == "male"))
    result, pairs = made_result(items), paired(items)
    rows = pairs[pairs["group"] == "female"]
    assert len(rows) == 240
    for name, gaps in {
        "wilcoxon": rows["gap"].to_numpy(),
        "wilcoxon-per-profession": rows.groupby("profession")["gap"].mean().to_numpy(),
    }.items():
        plus, minus = slow_w(gaps)
        n = len(gaps)
        z = (plus - n * (n + 1) / 4) / sqrt(n * (n + 1) * (2 * n + 1) / 24)
        assert result.value(f"{name}-w", group="female") == plus
        second_minus_first = result.estimate(f"{name}-w-second-minus-first", group="female")
        assert second_minus_first["value"] == minus
        assert second_minus_first["label"].startswith("Wilcoxon W, female - male (one model")
        assert result.value(f"{name}-z", group="female") == pytest.approx(z)
        assert result.value(f"{name}-r", group="female") == pytest.approx(z / sqrt(n))
        assert result.value(f"{name}-r-undirected", group="female") == pytest.approx(-abs(z) / sqrt(2 * n))
        chosen = result.estimate(f"{name}-r", group="female")
        assert chosen["low"] <= chosen["value"] <= chosen["high"]
        assert chosen["n"] == n


def test_without_shares_there_is_no_correlation() -> None:
    items = made_items(stereotype)
    keys = set(made_result(items).estimates["key"])
    shares = items["profession"].map({name: n for n, name in enumerate(items["profession"].unique())})
    more = set(made_result(items.assign(percent_women=shares.astype(float))).estimates["key"])
    assert more - keys == {"correlation-with-share-of-women", "rank-correlation-with-share-of-women"}


def test_professions_of_one_statistic_are_one_point() -> None:
    items = made_items(stereotype, n_jobs=4)
    shares = items["profession"].map({name: n for n, name in enumerate(items["profession"].unique())})
    shared = items["profession"].where(items["group"] != "female", "one statistic")
    items = items.assign(percent_women=shares.astype(float), title=shared)
    gaps = paired(items).assign(title=lambda rows: rows["profession"].where(rows["group"] != "female", "one"))
    means = gaps.groupby("title")[["gap", "percent_women"]].mean()
    correlation = made_result(items).estimate("correlation-with-share-of-women")
    assert correlation["n"] == len(means) == 9
    assert correlation["value"] == pytest.approx(np.corrcoef(means["gap"], means["percent_women"])[0, 1])


def test_the_card_has_all_its_headings() -> None:
    card = association.__doc__ or ""
    for heading in ["Question", "Sign", "Good", "Also given", "Neutral", "Source", "Differs", "Limits"]:
        assert f"\n{heading} " in card
    assert "agreement is measured, not" in card


def test_unanswered_items_are_dropped_with_their_pairs() -> None:
    items = made_items(stereotype)
    items.loc[0, ["score", "oriented"]] = float("nan")
    gap = made_result(items).estimate("gap", group="female")
    assert (gap["n"], gap["dropped"]) == (239, 1)


def test_an_unknown_person_word_is_dropped_and_said(folder: Path) -> None:
    words = "pair,gender,phrase,noun\n1,male,he,he\n1,female,she,she\n2,male,our 男,男\n2,female,our 女,女\n"
    (folder / "person-words.csv").write_text(words, encoding="utf-8")
    result = measure(load_model("random", cache=False), "association", Settings(data=str(folder)))
    dropped = result.items[result.items["dropped"] != ""]
    assert sorted(dropped["pair"].unique()) == ["2"]
    assert dropped["score"].isna().all()
    assert result.items["score"].notna().sum() == 16
    assert result.estimate("gap")["dropped"] == 8


def test_hypotheses_in_words() -> None:
    h1, h2, h3 = hypotheses(made_result(made_items(stereotype)))
    assert h1.startswith(
        "The paper's H1, persons are likelier beside professions of their gender: holds. "
        "Female professions, female persons: 1."
    )
    assert h2.startswith(
        "The paper's H2, persons are less likely beside professions of the other gender: holds. "
        "Female professions, male persons: 1."
    )
    assert " times less likely (" in h2
    assert h3.startswith("The paper's H3, balanced professions differ by less than 1.1 times: holds. ")
    answers = hypotheses(made_result(made_items(lambda group, gender: 0.001)))
    assert [answer.split(": ")[1].split(".")[0] for answer in answers] == [
        "does not hold",
        "does not hold",
        "holds",
    ], "an association of a thousandth is none"
    reverse = hypotheses(made_result(made_items(lambda group, gender: -stereotype(group, gender))))
    assert ["does not hold" in answer for answer in reverse] == [True, True, False]
    male = hypotheses(made_result(made_items(lambda group, gender: 0.5 * (gender == "male"))))
    assert "differ by less than 1.1 times: does not hold. Balanced professions: 1." in male[2]


def test_too_few_professions_leave_a_hypothesis_open() -> None:
    for few in (1, 4):
        items = made_items(stereotype, n_jobs=few)
        answers = hypotheses(made_result(items))
        assert all(": cannot tell." in answer and "(too few to tell)" in answer for answer in answers)
        assert not any("nan" in answer for answer in answers)
    items["group"] = "joy"
    assert "not answered" in hypotheses(made_result(items))[0]


def test_german_is_labelled_as_agreement() -> None:
    result = made_result(made_items(stereotype).assign(language="de"))
    (said,) = hypotheses(result)
    assert "agreement, not bias" in said
    assert (estimates_table(association_estimates(result.items))["void"] != "").all()
    assert (estimates_table(association_estimates(made_items(stereotype)))["void"] == "").all()
    design = designed(Settings(data="equipoise-persons-de"))
    assert any("agreement, not bias" in notice for notice in design.notices)
    assert "Unsere Tante ist die neue Chemikerin im Team." in design.items["text"].tolist()


def test_changes_are_what_table_4_tests() -> None:
    before, later = made_items(stereotype), made_items(stereotype)
    noise = np.random.default_rng(5).normal(size=len(later), scale=0.1)
    shift = np.where(later["gender"] == "female", 0.3, 0.0)
    later["score"] = later["score"] / 2 + noise + shift
    moved = changes(made_result(before), made_result(later)).set_index(["key", "level"])["value"]
    difference = later.assign(change=later["score"] - before["score"])
    by_cell = difference.groupby(["group", "gender"])["change"].mean()
    assert moved["association", "female x male"] == pytest.approx(by_cell["male", "female"])
    wide = difference.set_index(["group", "profession", "template", "pair", "gender"])["change"].unstack()
    female_minus_male = (wide["female"] - wide["male"]).loc["balanced"].to_numpy()
    assert moved["wilcoxon-w-second-minus-first", "balanced"] == slow_w(female_minus_male)[0]
    answers = hypotheses(made_result(before), made_result(later))
    assert "H2, persons become likelier beside professions of the other gender: holds." in answers[4]
    assert "H3, balanced professions move by less than 1.1 times: does not hold." in answers[5]


def told(*values: float) -> dict[tuple[str, str], WordScores]:
    """Answers for items 0, 1, ...: a log probability beside the profession, and 0 without it."""
    answers = {}
    for number, value in enumerate(values):
        answers[str(number), "beside"] = WordScores(("w",), (value,), (1,))
        answers[str(number), "prior"] = WordScores(("w",), (0.0,), (1,))
    return answers


def test_oriented_scores_follow_the_groups() -> None:
    items = pd.DataFrame(
        {
            "item": [str(number) for number in range(6)],
            "gender": ["male", "female"] * 3,
            "group": ["male", "male", "female", "female", "balanced", "balanced"],
            "dropped": "",
        }
    )
    answers = told(*(log(n) for n in range(1, 7)))
    turned = scored(items, answers)
    assert np.exp(turned["score"]).tolist() == pytest.approx([1, 2, 3, 4, 5, 6])
    signs = [1, -1, -1, 1]
    assert turned["oriented"].tolist()[:4] == pytest.approx([s * log(n + 1) for n, s in enumerate(signs)])
    assert turned["oriented"].tolist()[4:] == pytest.approx([float("nan")] * 2, nan_ok=True)
    emotions = scored(items.assign(group="joy"), answers)
    assert emotions["oriented"].tolist() == pytest.approx([(-1) ** n * log(n + 1) for n in range(6)])


def test_other_word_sets(folder: Path) -> None:
    words = "pair,gender,phrase,noun\n1,old,my aunt,aunt\n1,young,my niece,niece\n1,other,my wife,wife\n"
    (folder / "person-words.csv").write_text(words)
    (folder / "person-professions.csv").write_text("profession,group\nwelder,old\nnurse,young\n")
    result = measure(load_model("random", cache=False), "association", Settings(data=str(folder)))
    levels = set(result.estimates.query("key == 'association'")["level"])
    assert levels == {f"{age} x {job}" for job in ("old", "young") for age in ("old", "young", "other")}
    assert result.estimate("gap")["unit"] == "nats, old - young"
    assert [quantity.key for quantity in result.quantities] == ["oriented-association", "gap"]
    cells = result.items.set_index("item")["score"]
    expected = cells["t:my aunt:welder"] - cells["t:my niece:welder"]
    pairs = paired(result.items).set_index(["template", "profession"])["gap"]
    assert pairs["t", "welder"] == pytest.approx(expected)


@pytest.mark.parametrize("family", [*tiny.MASKED_FAMILIES, "bart"])
def test_every_family_that_can_mask_answers(folder: Path, family: str) -> None:
    words = tiny.tokenizer(tiny.TOKENIZER_OF.get(family, "wordpiece"))
    model = wrap_model(tiny.network(family), words, name=family)
    for variant in Association.variants:
        settings = Settings(data=str(folder), variant=variant)
        if variant == "as-published":
            (folder / "person-templates.csv").write_text("template\n<person> met a <profession>.\n")
        items = measure(model, "association", settings).items
        answered = items[items["dropped"] == ""]
        assert len(answered) >= len(items) / 2
        assert np.isfinite(answered["score"]).all()


def test_refusals_say_why(folder: Path) -> None:
    causal = wrap_model(tiny.network("gpt2"), tiny.tokenizer("byte-bpe"), name="gpt2")
    with pytest.raises(UserError, match="cannot hide other words"):
        measure(causal, "association", Settings(data=str(folder)))
    published = Settings(data=str(folder), variant="as-published")
    with pytest.raises(UserError, match="cannot run rows of ids"):
        measure(TableModel(words={"he": 0.5}), "association", published)
    with pytest.raises(UserError, match="reads the first mask, which is not the person in 'As a welder he"):
        measure(load_model("random", cache=False), "association", published)


def test_results_come_back_from_disk_and_compare(folder: Path, tmp_path: Path) -> None:
    first, second = (load_model("random", cache=False) for _ in range(2))
    with torch.no_grad():
        second.transformers_model.bert.embeddings.word_embeddings.weight.mul_(3)
    second = wrap_model(second.transformers_model, second.tokenizer, name="another")
    results = [measure(model, "association", Settings(data=str(folder))) for model in (first, second)]
    loaded = [load_result(result.save(tmp_path / name)) for result, name in zip(results, "ab", strict=True)]
    assert hypotheses(loaded[0]) == hypotheses(results[0])
    pd.testing.assert_frame_equal(loaded[1].items, results[1].items, check_dtype=False)
    table = compare(*loaded).table.set_index("quantity")
    for key, margin in (("oriented-association", 0.05), ("gap", 0.1)):
        row, values = table.loc[key], [result.value(key) for result in results]
        assert row["second_value"] - row["first_value"] == pytest.approx(values[1] - values[0])
        assert row["margin"] == margin


def test_raw_rows_are_asked_at_the_person(folder: Path) -> None:
    (folder / "person-templates.csv").write_text("template\n<person> met a <profession>.\n")
    settings = Settings(data=str(folder), variant="as-published")
    model = load_model("random", cache=False)
    questions, items = asked(model, settings), designed(settings).items
    assert len(questions) == 2 * len(items)
    for row in items.itertuples():
        question = questions[row.item, "beside"]
        assert isinstance(question, Raw)
        assert question.ids[question.position] == model.tokenizer.mask_token_id
        assert model.tokenizer.decode(list(question.wanted)) == row.person.lower()
        assert len(question.ids) == 8


def test_published_sentences_about_one_gender_are_refused(tmp_path: Path) -> None:
    """As a truncated copy of a published file holds; it ended in a traceback."""
    written = "Sentence,Template,Person,Gender,Race,Emotion,Emotion word\n"
    written += "My cook hums softly.,<person subject> hums <emotion word>.,my cook,female,,joy,softly\n"
    (tmp_path / "eec").mkdir()
    (tmp_path / "eec/Equity-Evaluation-Corpus.csv").write_text(f"ID,{written}".replace("\nMy", "\n1,My"))
    with pytest.raises(UserError, match="one gender only: female"):
        designed(Settings(data="eec", data_dir=tmp_path))


def test_eec_runs_through_the_same_instrument(shared_data: Callable[[str], Path]) -> None:
    folder = shared_data("eec/Equity-Evaluation-Corpus.csv").parents[1]
    questions = asked(TableModel(words={"he": 0.5}), Settings(data="eec", data_dir=folder))
    assert len(questions) == 2 * 2800
    beside, prior = (questions["7:my dad:great", role] for role in ("beside", "prior"))
    assert beside.text == prior.text == "The conversation with my [MASK] was great."
    assert [prior.text[start:stop] for start, stop in prior.hidden] == ["great"]
    assert beside.hidden == ()
    assert beside.words == ("dad",)


def test_templates_can_be_a_table_in_memory() -> None:
    table = pd.DataFrame({"id": ["t"], "template": ["<person> met a <profession>."]})
    design = designed(Settings(data=table))
    assert len(design.items) == 18 * 60
    assert "My aunt met an electrician." not in design.items["text"].tolist()
    assert "Our aunt met an electrician." in design.items["text"].tolist()


def test_one_made_sentence_is_what_the_paper_shows() -> None:
    """ln(P(T|A) / P(T)) is a difference of logs: no ratio of tiny probabilities is formed."""
    tiny_p, tiny_prior = -700.0, -701.0
    items = pd.DataFrame({"item": ["0", "1"], "gender": ["male", "female"], "group": "male", "dropped": ""})
    answers = {
        (item, role): WordScores(("w",), (value,), (1,))
        for item in items["item"]
        for role, value in (("beside", tiny_p), ("prior", tiny_prior))
    }
    assert scored(items, answers)["score"].tolist() == [1.0, 1.0]
    assert exp(tiny_prior) < 1e-300
    assert Sentence("He is a cook.", (0, 2), (8, 12)).both_masked == "[MASK] is a [MASK]."


def test_a_sample_keeps_partners_together_and_the_shares_of_the_groups() -> None:
    whole = designed(Settings(data="equipoise-persons-de")).items
    settings = Settings(data="equipoise-persons-de", corpus=CorpusChoice(sample=600), seed=3)
    design = designed(settings)
    sizes = design.items.groupby("group", sort=False).size()
    assert (sizes / whole.groupby("group", sort=False).size()).tolist() == pytest.approx(
        [600 / len(whole)] * 3, abs=0.003
    )
    partners = design.items.groupby(["group", "template", "pair", "profession"])["gender"].nunique()
    assert (partners == 2).all()
    assert any(notice.startswith(f"a sample of {len(design.items):,} of") for notice in design.notices)
    assert design.items["item"].tolist() == designed(settings).items["item"].tolist()
    assert design.items["item"].tolist() != designed(replace(settings, seed=4)).items["item"].tolist()
    assert len(designed(replace(settings, corpus=CorpusChoice(sample=0))).items) == len(whole)


def test_only_the_sample_of_a_corpus_choice_means_something_here(folder: Path) -> None:
    model = load_model("random", cache=False)
    settings = Settings(data=str(folder), corpus=CorpusChoice(sample=16))
    assert len(measure(model, "association", settings).items) < 32
    with pytest.raises(UserError, match="--length 50 has no effect on association"):
        measure(model, "association", replace(settings, corpus=CorpusChoice(length=50)))
