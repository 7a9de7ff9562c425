"""Every reader of a user's files, given damaged ones: it reads them, or says what is wrong; no traceback."""

import json
import random
import shutil
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from designs import designed
from fenced_files import fenced_files
from mutations import changed_bytes, changed_table, changed_value
from stereoset_lines import NEXT, item

from equipoise.corpora.documents import Grouping, read_group_map
from equipoise.corpora.opening import CorpusChoice, read_corpus
from equipoise.corpora.reading import ReadSettings, open_corpus
from equipoise.corpora.vocabulary import load_targets
from equipoise.data.poles import load_poles
from equipoise.errors import UserError
from equipoise.report.gate.rules import read_rules

SEEDS = 20
DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "your-own-data.md"
OWN = {name: file.text for name, file in fenced_files(DOCUMENT).items()}
TEMPLATES = {name: OWN[name] for name in ("templates.csv", "professions.csv", "frames.csv")}
PERSONS = {name: OWN[name] for name in OWN if name.startswith("person-")}
SCHEMAS = {name: OWN[name] for name in ("schemas.csv", "schema-professions.csv")}
COMPLETIONS = {
    name: OWN[name] for name in ("completion-words.csv", "completion-patterns.csv", "gendered-words.csv")
}
SUBJECTS = {
    name: OWN[name] for name in ("disco-templates.csv", "honest-templates.csv", "subjects.csv", "lexicon.csv")
}
SETS = {name: OWN[name] for name in ("association-sets.csv", "association-frames.csv")}
LEANINGS = {name: OWN[name] for name in ("leaning-words.csv", "direction-pairs.csv")}
CROWS = (
    ",sent_more,sent_less,stereo_antistereo,bias_type,annotations,anon_writer,anon_annotators\n"
    "0,The aunt sews.,The uncle sews.,stereo,gender,\"[['gender'], ['gender']]\",a0,\"['a1', 'a2']\"\n"
    "1,Poor people steal.,Rich people steal.,stereo,socioeconomic,\"[['socioeconomic']]\",a0,\"['a1']\"\n"
)
STEREOSET = "\n".join([item("My aunt is BLANK.", ("kind", "strong", "blue")), json.dumps(NEXT)])
WINOGENDER = (
    "occupation(0)\tother-participant(1)\tanswer\tsentence\n"
    "baker\tguest\t0\tThe $OCCUPATION told the $PARTICIPANT that $NOM_PRONOUN had closed.\n"
)
STATISTICS = "occupation\tbergsma_pct_female\tbls_pct_female\tbls_year\nbaker\t20.0\t10.0\t2015\n"
SEAT = {
    f"{kind}{number}": {"category": f"{kind}{number}", "examples": [f"{kind} {number} {n}" for n in "ab"]}
    for kind in ("targ", "attr")
    for number in (1, 2)
}
CORPUS = 'id,text,year,paper\n1,She said that he left.,1999,a\n2,"His aunt, a leader,\nwas strong.",2000,b\n'


def of(instrument: str, **choices: Any) -> Callable[[Path], Any]:
    """Everything that an instrument reads."""
    return lambda folder: designed(instrument, data=str(folder), **choices)


def only(name: str, instrument: str, **choices: Any) -> Callable[[Path], Any]:
    """The same for one file of a folder."""
    return lambda folder: designed(instrument, data=str(folder / name), **choices)


def corpus(name: str, document: str | None = None) -> Callable[[Path], Any]:
    def read(folder: Path) -> None:
        groups = Grouping(("paper",), year="year") if name.endswith(("csv", "jsonl")) else Grouping()
        list(open_corpus(folder / name, ReadSettings(grouping=groups, document=document)).blocks())
        read_corpus(folder / name, CorpusChoice(document=document))
        designed("contexts", data=str(folder / name), corpus=CorpusChoice(document=document))

    return read


JSON_LINES = (
    '{"text": "She left.", "paper": "a", "year": 1}\n{"text": "He left.", "paper": "b", "year": "2"}\n'
)
READERS: dict[str, tuple[dict[str, str], Callable[[Path], Any]]] = {
    "sbe": ({"pairs.csv": OWN["pairs.csv"]}, of("sbe")),
    "sbe tsv": ({"pairs.tsv": OWN["pairs.csv"].replace(",", "\t")}, only("pairs.tsv", "sbe")),
    "tbe": (TEMPLATES, of("tbe")),
    "lpbs": (TEMPLATES, of("lpbs")),
    "poles": (
        {"poles.csv": OWN["poles.csv"]},
        lambda folder: load_poles(str(folder / "poles.csv")),
    ),
    "association": (PERSONS, of("association")),
    "stereotype-skew": (SCHEMAS, of("stereotype-skew")),
    "traits": ({"traits.csv": OWN["traits.csv"]}, only("traits.csv", "traits")),
    "traits annotated": ({"t.csv": OWN["traits-annotated.csv"]}, only("t.csv", "traits")),
    "completions": (COMPLETIONS, of("completions")),
    "disco": (SUBJECTS, of("disco")),
    "honest": (SUBJECTS, of("honest")),
    "weat": (SETS, of("weat")),
    "seat": (SETS, of("seat")),
    "seat published": ({"x.jsonl": json.dumps(SEAT)}, only("x.jsonl", "weat")),
    "direct-bias": (LEANINGS, of("direct-bias")),
    "crows-pairs": ({"c.csv": CROWS}, only("c.csv", "crows-pairs")),
    "crows sbe": ({"c.csv": CROWS}, only("c.csv", "sbe")),
    "stereoset": ({"s.jsonl": STEREOSET}, only("s.jsonl", "stereoset")),
    "winogender": ({"templates.tsv": WINOGENDER, "occupations-stats.tsv": STATISTICS}, of("winogender")),
    "rules": (
        {"rules.toml": '[[rule]]\nfail-if = "tbe.appd.low > 0.1"\nname = "a"\nbecause = "b"\n'},
        lambda folder: read_rules(folder / "rules.toml"),
    ),
    "groups": ({"g.csv": "paper,side\na,left\nb,right\n"}, lambda folder: read_group_map(folder / "g.csv")),
    "targets": ({"t.csv": "category,word\ncareer,leader\n"}, lambda folder: load_targets(folder / "t.csv")),
    "corpus csv": ({"c.csv": CORPUS}, corpus("c.csv")),
    "corpus merged": ({"c.csv": CORPUS}, corpus("c.csv", "id")),
    "corpus jsonl": ({"c.jsonl": JSON_LINES}, corpus("c.jsonl")),
    "corpus text": ({"c.txt": "She left. He stayed.\n\nHer aunt.\n"}, corpus("c.txt")),
}


def damaged(text: str, name: str, rng: random.Random) -> bytes:
    if name.endswith(".csv") and rng.random() < 0.5:
        return changed_table(text, rng).encode()
    if name.endswith(".jsonl") and rng.random() < 0.5:
        return "\n".join(
            json.dumps(changed_value(json.loads(line), rng)) for line in text.splitlines()
        ).encode()
    return changed_bytes(text.encode(), rng)


def folders(files: dict[str, str], name: str, folder: Path) -> Iterator[Path]:
    """Folders with one of the files damaged."""
    for seed in range(SEEDS):
        rng = random.Random(f"{name} {seed}")
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        for file, text in files.items():
            (folder / file).write_text(text, encoding="utf-8")
        file = rng.choice(list(files))
        (folder / file).write_bytes(damaged(files[file], file, rng))
        yield folder


@pytest.mark.parametrize("name", READERS)
def test_a_damaged_file_is_read_or_refused(name: str, tmp_path: Path) -> None:
    files, read = READERS[name]
    for folder in folders(files, name, tmp_path / "data"):
        with suppress(UserError):
            read(folder)


@pytest.mark.parametrize("name", READERS)
def test_the_undamaged_file_is_read(name: str, tmp_path: Path) -> None:
    files, read = READERS[name]
    for file, text in files.items():
        (tmp_path / file).write_text(text, encoding="utf-8")
    read(tmp_path)


@pytest.mark.parametrize("name", READERS)
def test_a_long_cell_and_deep_brackets_are_no_traceback(name: str, tmp_path: Path) -> None:
    files, read = READERS[name]
    first, text = next(iter(files.items()))
    end = text.rstrip("\n")
    deep = '{"a": ' * 5000 + "1" + "}" * 5000
    for content in (f"{end}{'x' * 140_000}\n", "[" * 5000, f"a = {'[' * 5000}", deep):
        for file, whole in files.items():
            (tmp_path / file).write_text(whole, encoding="utf-8")
        (tmp_path / first).write_text(content, encoding="utf-8")
        with suppress(UserError):
            read(tmp_path)
