"""Every long command, killed at random, twice at once, on a full disk: nothing is lost or asked twice."""

import shutil
from pathlib import Path

import pytest
from killing import asked_in, assert_same, kill_often, run_at_once, run_whole, warm_up
from transformers import BertConfig, BertForMaskedLM, set_seed

from equipoise.models.loading import load_model

TEXT = "The {0} said that he lost his keys. She saw Mary and her brother near the {1}. {2} people came."
COMMANDS = {
    "measure": "measure traits --model one --token-budget 128 --out out",
    "audit": "audit --model one --token-budget 512 --out out",
    "corpus": "corpus texts.csv --out out --pairs out/pairs.csv",
    "rewrite": "rewrite texts.csv --out out/rewritten.csv --processes 1",
    "mitigate": "mitigate counterfactual --model one --corpus few.csv --set epochs=2 --out out/changed",
    "before-after": "study before-after one two -i traits --token-budget 256 --out out",
}


@pytest.fixture(scope="module")
def ready(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two small models and two corpora."""
    warm_up()
    room = tmp_path_factory.mktemp("ready")
    tokenizer = load_model("random").tokenizer
    for seed, name in enumerate(("one", "two")):
        set_seed(seed)
        small = {"hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 16}
        BertForMaskedLM(BertConfig(vocab_size=len(tokenizer), **small)).save_pretrained(room / name)
        tokenizer.save_pretrained(room / name)
    jobs = ("doctor", "teacher", "farmer", "judge", "nurse")
    rows = [TEXT.format(jobs[number % 5], jobs[number % 3], number) for number in range(1500)]
    (room / "out").mkdir()
    (room / "texts.csv").write_text("text\n" + "\n".join(rows) + "\n", encoding="utf-8")
    (room / "few.csv").write_text("text\n" + "\n".join(rows[:120]) + "\n", encoding="utf-8")
    return room


def two_rooms(ready: Path, folder: Path) -> tuple[Path, Path]:
    """A room where nothing goes wrong, and one where something does."""
    rooms = folder / "whole", folder / "disturbed"
    for room in rooms:
        shutil.copytree(ready, room)
    return rooms


@pytest.mark.parametrize(
    ("name", "kills"),
    [
        ("measure", 3),
        *(pytest.param(name, 3, marks=pytest.mark.slow) for name in COMMANDS if name != "measure"),
        *(pytest.param(name, 20, marks=pytest.mark.slow) for name in COMMANDS),
    ],
)
def test_a_command_that_is_killed_loses_and_repeats_nothing(
    name: str, kills: int, ready: Path, tmp_path: Path
) -> None:
    whole, disturbed = two_rooms(ready, tmp_path)
    arguments = COMMANDS[name].split()
    seconds = run_whole(arguments, whole)
    done = kill_often(arguments, disturbed, kills=kills, seconds=seconds, seed=kills)
    repeated = done.asked - asked_in(whole)
    assert (done.kills, repeated.total()) == (kills, 0)
    assert_same(disturbed / "out", whole / "out")


@pytest.mark.slow
@pytest.mark.parametrize("name", COMMANDS)
def test_two_processes_on_one_cache_and_one_folder(name: str, ready: Path, tmp_path: Path) -> None:
    """One may be refused because the other's files are there; what is left is what one alone writes."""
    whole, disturbed = two_rooms(ready, tmp_path)
    arguments = COMMANDS[name].split()
    run_whole(arguments, whole)
    ended = run_at_once(arguments, disturbed, 2)
    said = (disturbed / "said.txt").read_text(encoding="utf-8")
    assert 0 in ended, said
    assert "Traceback" not in said
    assert_same(disturbed / "out", whole / "out")


@pytest.mark.slow
@pytest.mark.parametrize("most", [1_000, 30_000, 90_000])
@pytest.mark.parametrize("name", COMMANDS)
def test_a_full_disk_is_said_and_the_next_run_finishes(
    name: str, most: int, ready: Path, tmp_path: Path
) -> None:
    """No file may grow beyond so many bytes; then the disk has room again."""
    whole, disturbed = two_rooms(ready, tmp_path)
    arguments = COMMANDS[name].split()
    run_whole(arguments, whole)
    (ended,) = run_at_once(arguments, disturbed, 1, most=most)
    said = (disturbed / "said.txt").read_text(encoding="utf-8")
    assert "Traceback" not in said
    if ended:
        assert "Error: " in said
        run_whole(arguments, disturbed)
    assert_same(disturbed / "out", whole / "out")
