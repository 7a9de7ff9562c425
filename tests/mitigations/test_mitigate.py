"""Mitigations on text, from a corpus to a saved folder that transformers loads."""

import copy
import json
import resource
import subprocess
import sys
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import tiny
import torch
import transformers
import yaml
from command_line import run

import equipoise
from equipoise.corpora.documents import Document, Where
from equipoise.corpora.opening import read_corpus
from equipoise.errors import UserError
from equipoise.mitigating import Mitigated, mitigate
from equipoise.mitigations import MITIGATIONS, mitigation_card, mitigation_class, mitigation_summary
from equipoise.mitigations.base import Materials, Mitigation, options_help, set_options
from equipoise.mitigations.counterfactual import Counterfactual
from equipoise.mitigations.distillation import SelfDistillation
from equipoise.mitigations.dropout import Dropout, with_dropout
from equipoise.mitigations.pretraining import Pretraining
from equipoise.mitigations.reminders import Reminders, reminder_sentences
from equipoise.mitigations.saving import add_price, save_changed
from equipoise.mitigations.tuning import read_texts
from equipoise.models.loading import load_model
from equipoise.models.loading.networks import wrap_model
from equipoise.models.options import RunOptions
from equipoise.models.table import TableModel

TEXTS = [f"{one} It was day {number}." for number, one in enumerate(tiny.CORPUS)]
QUICK = {"batch_tokens": 300, "learning_rate": 1e-3}


def model_of(family: str = "bert") -> Any:
    words = tiny.tokenizer(tiny.TOKENIZER_OF.get(family, "wordpiece"))
    options = RunOptions(cache=False, device="cpu")
    return wrap_model(copy.deepcopy(tiny.network(family)), words, name="tiny", options=options)


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("corpus") / "texts.csv"
    pd.DataFrame({"body": TEXTS}).to_csv(path, index=False)
    return path


@pytest.fixture(scope="module")
def changed(corpus: Path) -> Mitigated:
    return mitigate(model_of(), Counterfactual(mode="invert", **QUICK), corpus=corpus, text="body")


def test_a_changed_model_is_another_and_the_given_one_stays(changed: Mitigated) -> None:
    model = model_of()
    assert changed.record["base"]["fingerprint"] == model.fingerprint
    assert changed.model.fingerprint == changed.record["fingerprint"] != model.fingerprint
    assert changed.account[0].startswith(
        "27 documents to train on and 3 held out, split before any rewriting"
    )
    assert "mode invert" in changed.account[0]
    assert changed.record["corpus"]["documents"] == 30
    assert changed.record["options"]["mode"] == "invert"


def test_what_a_mitigation_refuses_is_refused_before_it_changes_anything(corpus: Path) -> None:
    class Fussy(Counterfactual):
        def check(self, model: Any, materials: Materials) -> None:
            raise UserError(f"{len(materials.documents)} documents are too few.", "Give more.")

        def change(self, model: Any, materials: Materials) -> Any:
            raise AssertionError("nothing may be changed")

    with pytest.raises(UserError, match="30 documents are too few"):
        mitigate(model_of(), Fussy(), corpus=corpus, text="body")


def test_the_folder_is_one_that_transformers_loads(changed: Mitigated, tmp_path: Path) -> None:
    folder = changed.save(tmp_path / "new" / "model")
    network = transformers.AutoModelForMaskedLM.from_pretrained(folder)
    words = transformers.AutoTokenizer.from_pretrained(folder)
    ids = words("He is a [MASK].", return_tensors="pt")
    expected = changed.model.transformers_model(**ids).logits
    assert torch.allclose(network(**ids).logits, expected, atol=1e-5)
    assert load_model(folder, cache=False).fingerprint == changed.model.fingerprint
    card = (folder / "README.md").read_text(encoding="utf-8")
    for part in (
        *changed.account,
        changed.record["corpus"]["sha256"],
        "| mode | invert |",
        "Not measured yet",
    ):
        assert part in card
    assert [path.name for path in folder.parent.iterdir()] == ["model"]
    add_price(folder, ["Perplexity of other words 10.2 to 10.3."])
    assert "- Perplexity of other words 10.2 to 10.3." in (folder / "README.md").read_text(encoding="utf-8")
    assert json.loads((folder / "equipoise.json").read_text())["mitigation"] == "counterfactual"


def test_a_card_is_ready_to_be_published(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """What a hub shows, lines to use it, the options really used, and no folder of this machine."""
    source = tmp_path / "my-bert"
    copy.deepcopy(tiny.network("bert")).half().save_pretrained(source)
    tiny.tokenizer("wordpiece").save_pretrained(source)
    (source / "README.md").write_text("---\nlanguage: en\nlicense: mit\n---\n# It\n", encoding="utf-8")
    model = load_model(source, cache=False)
    quick = set_options(SelfDistillation, ("epochs=1", "frames=20"))
    folder = mitigate(model, quick).save(tmp_path / "tuned")
    card = (folder / "README.md").read_text(encoding="utf-8")
    front = yaml.safe_load(card.split("---\n")[1])
    assert front["base_model"] == "my-bert"
    assert (front["pipeline_tag"], front["language"], front["license"]) == ("fill-mask", "en", "mit")
    assert front["title"] == "my-bert, changed by self-distillation"
    assert str(tmp_path) not in card
    assert f"| layers | {len(model.transformers_model.bert.encoder.layer)} |" in card
    assert "Weights are stored as float32. Those of the source are float16" in card
    usage = card.split("```python\n")[1].split("```")[0]
    monkeypatch.chdir(folder)
    exec(usage, {})  # runs as it is printed
    assert "tired." in capsys.readouterr().out


def test_progress_ends_at_its_end() -> None:
    told: list[Any] = []
    words = tiny.tokenizer("wordpiece")
    options = RunOptions(cache=False, device="cpu", progress=told.append)
    model = wrap_model(copy.deepcopy(tiny.network("bert")), words, name="tiny", options=options)
    mitigate(model, set_options(SelfDistillation, ("epochs=1", "frames=20")))
    assert told[-1].done == told[-1].total > 0


def test_check_says_whether_it_will_do(
    corpus: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tiny.network("bert").save_pretrained(tmp_path / "m")
    tiny.tokenizer("wordpiece").save_pretrained(tmp_path / "m")
    chosen = ("mitigate", "self-distillation", "--model", tmp_path / "m", "--check")
    assert run(*chosen, "--corpus", corpus, "--text", "body") == 0
    assert "with 30 documents. Nothing was changed." in capsys.readouterr().out
    dull = tmp_path / "dull.txt"
    dull.write_text("The lemons are sour.\n", encoding="utf-8")
    assert run(*chosen, "--corpus", dull) == 2
    assert "holds a gendered word" in capsys.readouterr().err


def test_a_wrapper_is_saved_as_a_recipe_around_its_model(tmp_path: Path) -> None:
    tiny.network("bert").save_pretrained(tmp_path / "inner")
    tiny.tokenizer("wordpiece").save_pretrained(tmp_path / "inner")
    inner = load_model(tmp_path / "inner", cache=False)
    wrapped = mitigate(inner, "counterfactual-averaging")
    folder = wrapped.save(tmp_path / "wrapped")
    again = load_model(folder, cache=False)
    assert again.fingerprint == wrapped.model.fingerprint != inner.fingerprint
    card = (folder / "README.md").read_text(encoding="utf-8")
    assert "library_name: equipoise" in card
    with pytest.raises(UserError, match="reads no corpus"):
        mitigate(inner, "counterfactual-averaging", corpus="gap")


def test_what_is_there_is_not_overwritten(changed: Mitigated, tmp_path: Path) -> None:
    folder = changed.save(tmp_path / "model")
    with pytest.raises(UserError, match="exists"):
        changed.save(folder)
    changed.save(folder, force=True)
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "thesis.tex").write_text("years of work")
    with pytest.raises(UserError, match="not a model folder"):
        changed.save(mine, force=True)
    assert (mine / "thesis.tex").exists()


def test_a_full_disk_leaves_nothing_behind(changed: Mitigated, tmp_path: Path) -> None:
    """A limit on the size of files stands for the end of the disk."""
    old = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, old[1]))
    try:
        with pytest.raises(UserError, match="cannot be written"):
            save_changed(changed.model, changed.record, tmp_path / "model")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, old)
    assert list(tmp_path.iterdir()) == [tmp_path / "cache"] * (tmp_path / "cache").exists()


def test_modes_read_what_they_say() -> None:
    texts = [
        Document(f"d{number}", f"He met his wife {number}.", {}, Where("x", number)) for number in range(10)
    ]
    materials = Materials(texts, seed=3)
    inverted = read_texts(materials, Counterfactual(), "invert")
    assert len(inverted.train) == 9
    assert all(text.startswith("She met her husband") for text in [*inverted.train, *inverted.held_out])
    assert all(
        text.startswith("He met") for text in read_texts(materials, Counterfactual(), "unchanged").train
    )
    both = read_texts(materials, Counterfactual(), "augment")
    numbers = [text.rsplit(maxsplit=1)[1] for text in both.train]
    assert len(both.train) == 18
    assert sorted(numbers) == sorted(2 * list(dict.fromkeys(numbers)))
    assert not set(numbers) & {text.rsplit(maxsplit=1)[1] for text in both.held_out}
    some = read_texts(materials, Counterfactual(sentences=4), "substitute")
    assert len(some.train) == 4
    starts = {text.split()[0] for text in read_texts(materials, Counterfactual(), "substitute").train}
    assert starts == {"He", "She"}


def test_reminders_are_added_as_often_as_asked(corpus: Path) -> None:
    plain = mitigate(model_of(), Reminders(copies=0, **QUICK), corpus=corpus, text="body")
    thrice = mitigate(model_of(), Reminders(copies=3, **QUICK), corpus=corpus, text="body")
    assert "60 reminding sentences, 3 times each." in thrice.account
    steps = [int(one.account[3].split()[0].replace(",", "")) for one in (plain, thrice)]
    assert steps[1] > steps[0]


def test_reminders_agree_with_the_gender_of_their_row() -> None:
    words = {"female": {"he", "him", "his", "himself"}, "male": {"she", "her", "hers", "herself"}}
    table = pd.read_csv(Path(equipoise.__file__).parent / "data" / "tables" / "reminders.csv")
    assert table["category"].value_counts().to_dict() == {
        "pregnancy": 20,
        "breastfeeding": 20,
        "male body": 20,
    }
    other = [
        row["id"]
        for row in table.to_dict("records")
        if words[row["gender"]] & {word.strip(".,").lower() for word in row["sentence"].split()}
    ]
    assert other == ["breastfeeding-03"]  # her son, who could walk
    assert len(set(reminder_sentences())) == 60


def test_dropout_is_set_in_every_family() -> None:
    for family in tiny.MASKED_FAMILIES:
        network = with_dropout(model_of(family), hidden=0.37, attention=0.21)
        rates = {module.p for module in network.modules() if isinstance(module, torch.nn.Dropout)}
        assert 0.37 in rates, family
        before = tiny.network(family).state_dict()
        assert all(torch.equal(weight, before[name]) for name, weight in network.state_dict().items()), family


def test_dropout_makes_training_noisier_than_the_control(corpus: Path) -> None:
    given = {"corpus": corpus, "text": "body"}
    changed = mitigate(model_of(), Dropout(hidden=0.9, attention=0.9, **QUICK), **given)
    control = mitigate(model_of(), Counterfactual(mode="unchanged", **QUICK), **given)
    assert changed.model.fingerprint != control.model.fingerprint
    assert "Dropout 0.9 in hidden layers and 0.9 in attention." in changed.account


def test_pretraining_begins_from_nothing(corpus: Path) -> None:
    small = Pretraining(epochs=2, layers=1, width=16, heads=2, longest=32)
    changed = mitigate(model_of(), small, corpus=corpus, text="body")
    network = changed.model.transformers_model
    assert (network.config.num_hidden_layers, network.config.hidden_size) == (1, 16)
    assert changed.model.max_length == 32
    again = mitigate(model_of(), small, corpus=corpus, text="body")
    assert again.model.fingerprint == changed.model.fingerprint
    assert (
        mitigate(model_of(), small, corpus=corpus, text="body", seed=1).model.fingerprint
        != changed.model.fingerprint
    )
    with pytest.raises(UserError, match="cannot be shared by 3 heads"):
        Pretraining(width=16, heads=3)


def test_bad_input_is_said_before_anything_is_trained(corpus: Path) -> None:
    nobody = pd.DataFrame({"text": [f"Nothing happened on day {number}." for number in range(10)]})
    with pytest.raises(UserError, match="None of the 9 documents holds a gendered word"):
        mitigate(model_of(), "counterfactual", corpus=nobody)
    with pytest.raises(UserError, match="4 documents is too small"):
        mitigate(model_of(), "counterfactual", corpus=nobody[:4])
    with pytest.raises(UserError, match="no corpus was given"):
        mitigate(model_of(), "counterfactual")
    with pytest.raises(UserError, match="is a causal model"):
        mitigate(model_of("gpt2"), "reminders", corpus=corpus, text="body")
    with pytest.raises(UserError, match="is a table model"):
        mitigate(TableModel({}), "dropout", corpus=corpus, text="body")
    with pytest.raises(UserError, match="There is no corpus 'gab'"):
        mitigate(model_of(), "counterfactual", corpus="gab")
    with pytest.raises(UserError, match="no column 'text'"):
        mitigate(model_of(), "counterfactual", corpus=corpus)
    with pytest.raises(UserError, match="mode called 'flip'"):
        mitigate(model_of(), Counterfactual(mode="flip"), corpus=corpus, text="body")


def test_no_two_mitigations_are_listed_with_the_same_words() -> None:
    assert len({mitigation_summary(name) for name in MITIGATIONS}) == len(MITIGATIONS)


@pytest.mark.parametrize("name", MITIGATIONS)
def test_every_mitigation_keeps_the_contract(name: str) -> None:
    kind = mitigation_class(name)
    assert kind.name == name
    assert isinstance(kind(), Mitigation)
    assert mitigation_summary(name) in (mitigation_card(name).splitlines()[0], kind.__doc__)
    for preset in kind.presets:
        assert set_options(kind, (), preset)


def test_presets_differ_where_paper_and_code_differ() -> None:
    paper, code = (set_options(Counterfactual, (), f"bartl2020-{one}") for one in ("paper", "code"))
    assert (paper.learning_rate, code.learning_rate) == (5e-5, 2e-5)
    assert (paper.epochs, paper.mode, paper.warmup) == (3, "invert", 0)
    assert set_options(Counterfactual, ("epochs=1", "lora=4"), "bartl2020-paper").epochs == 1
    with pytest.raises(UserError, match="Did you mean 'bartl2020-code'"):
        set_options(Counterfactual, (), "bartl-code")
    with pytest.raises(UserError, match="epochs is 'many'"):
        set_options(Counterfactual, ("epochs=many",))


def test_published_corpora_are_read_by_name(shared_data: Any) -> None:
    folder = shared_data("gap/gap-test.tsv").parents[1]
    gap = read_corpus("gap", data_dir=folder)
    assert len(gap.documents) == 4454
    balanced = read_corpus("mt-gender", data_dir=folder)
    assert len(balanced.documents) == 3888
    ending = "to the housekeeper because _ is grateful."
    twins = [one.text for one in balanced.documents if one.id == f"the mover said thank you {ending}"]
    assert {text.split()[9] for text in twins} == {"she", "he"}


def test_the_command_says_what_it_did(
    corpus: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source, out = tmp_path / "source", tmp_path / "out"
    tiny.network("bert").save_pretrained(source)
    tiny.tokenizer("wordpiece").save_pretrained(source)
    given = ["mitigate", "counterfactual", "--model", source, "--corpus", corpus, "--text", "body"]
    given += ["--set", "batch-tokens=300", "--device", "cpu", "--out"]
    assert run(*given, out) == 0
    assert f"Saved to {out}." in capsys.readouterr().out
    assert load_model(out, cache=False).kind == "masked"
    assert not (tmp_path / ".out.workshop").exists()
    assert run(*given, out) == 2
    assert capsys.readouterr().err.splitlines()[0] == f"Error: {out} exists."
    assert run(*given, tmp_path / "many", "--seeds", "0,1", "--json") == 0
    assert sorted(path.name for path in (tmp_path / "many").iterdir()) == ["seed-0", "seed-1"]


def test_every_option_of_every_mitigation_is_explained() -> None:
    for name in MITIGATIONS:
        assert all(options_help(mitigation_class(name)).values()), name
    assert options_help(Pretraining)["epochs"] == "passes over the text"


def test_the_command_explains_and_lists_methods(capsys: pytest.CaptureFixture[str]) -> None:
    run("mitigate", "dropout", "--explain")
    explained = capsys.readouterr().out
    assert "Webster et al. 2020" in explained
    assert "  attention=0.15          dropout of the attention" in explained
    assert "Preset deng2022: attention=0.2" in explained
    run("list", "mitigations", "--json")
    listed = json.loads(capsys.readouterr().out)["mitigations"]
    assert [row["name"] for row in listed] == list(MITIGATIONS)
    run("mitigate", "dropout")
    assert capsys.readouterr().err.splitlines()[0] == "Error: No folder was named for the changed model."
    run("mitigate", "droput", "--out", "x")
    assert "Did you mean 'dropout'" in capsys.readouterr().err


def test_listing_mitigations_needs_no_torch() -> None:
    script = (
        "import sys\nfrom equipoise.cli import main\ntry:\n    main(['list', 'mitigations'])\n"
        "except SystemExit:\n    pass\nassert 'torch' not in sys.modules"
    )
    assert subprocess.run([sys.executable, "-c", script], check=False, capture_output=True).returncode == 0
