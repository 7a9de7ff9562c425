"""What the page asks gets the answer that the functions of the package give."""

import io
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from app_client import Client
from command_line import run

import equipoise
from equipoise.probing import probe_blank
from equipoise.report.findings import say
from equipoise.results.records import to_records

PAIRS = "category,stereotype,counterpart\n" + "".join(
    f"occupation,The {word} says that he will stay here.,The {word} says that she will stay here.\n"
    for word in ("doctor", "nurse", "teacher", "farmer", "chef", "pilot")
)


def finished(client: Client, job: dict[str, Any], seconds: float = 180) -> dict[str, Any]:
    until = time.monotonic() + seconds
    while job["state"] in ("waiting", "running", "stopping"):
        assert time.monotonic() < until, job
        time.sleep(0.05)
        job = client.ask("job", job=job["number"])
    return job


def test_probe_is_the_probe_of_the_package(client: Client) -> None:
    content = client.ask("probe", text="[MASK] is a doctor.", words=[], models=["random", "random:2"])
    for name, answer in zip(("random", "random:2"), content["answers"], strict=True):
        expected = probe_blank(equipoise.load_model(name), "[MASK] is a doctor.")
        assert answer["words"] == to_records(expected.words)
        assert answer["likeliest"] == to_records(expected.likeliest)


def test_fifty_clients_get_their_own_answers(client: Client) -> None:
    words = ["doctor", "nurse", "teacher", "farmer", "chef", "pilot", "lawyer", "baker", "clerk", "judge"]
    asked = [
        (f"[MASK] {verb} a {word}.", model)
        for word in words
        for verb, model in (("is", "random"), ("was", "random"), ("is", "random:2"), ("met", "random:2"))
    ]
    asked += asked[:10]
    loaded = {name: equipoise.load_model(name) for name in ("random", "random:2")}
    expected = [
        to_records(probe_blank(loaded[model], text, words=["he", "she"]).words) for text, model in asked
    ]

    def one_client(place: int) -> Any:
        text, model = asked[place]
        answer = client.ask("probe", text=text, words=["he", "she"], models=[model])
        return answer["text"], answer["answers"][0]["words"]

    with ThreadPoolExecutor(50) as pool:
        answers = list(pool.map(one_client, range(50)))
    assert [text for text, _ in answers] == [text for text, _ in asked]
    for (_, answer), wanted in zip(answers, expected, strict=True):
        assert [row["logprob"] for row in answer] == pytest.approx([row["logprob"] for row in wanted])


def test_two_sentences_token_by_token(client: Client) -> None:
    texts = ["The nurse lost her keys.", "The nurse lost his keys."]
    (answer,) = client.ask("sentences", sentences=texts, models=["random"])["answers"]
    tokens = equipoise.load_model("random").score(texts)
    totals = (tokens["logprob"] * tokens["weight"]).groupby(tokens["sentence"]).sum()
    assert [one["logprob"] for one in answer["sentences"]] == pytest.approx(totals.tolist())
    assert [row["token"] for row in answer["sentences"][0]["tokens"]][:2] == ["the", "nurse"]


def test_a_measurement_is_saved_and_listed(client: Client, tmp_path: Path) -> None:
    job = finished(client, client.ask("measure", model="random", instrument="traits"))
    assert job["state"] == "done", job
    assert job["done"] == job["total"] > 0
    (saved,) = equipoise.load_results(tmp_path / "results" / job["answer"]["folder"])
    expected = equipoise.measure("random", "traits")
    assert saved.value("care-contrast") == pytest.approx(expected.value("care-contrast"))
    (listed,) = client.ask("results")["folders"]
    assert (listed["folder"], listed["instruments"]) == (job["answer"]["folder"], ["traits"])
    (opened,) = client.ask("result", folder=listed["folder"])["results"]
    shown = [{key: row[key] for key in row if key != "name"} for row in opened["headlines"]]
    assert shown == to_records(saved.headlines())
    assert opened["headlines"][0]["name"] == "competent rather than incompetent"
    said = say([saved], "random weights")
    (finding,) = job["answer"]["findings"]
    assert finding == {"headline": said.headline, "sentences": list(said.sentences)}
    status, items, headers = client.send("GET", f"/items?folder={listed['folder']}&instrument=traits")
    assert (status, headers["Content-Disposition"]) == (200, 'attachment; filename="items.csv"')
    assert headers["Content-Type"] == "text/csv; charset=utf-8"
    assert len(pd.read_csv(io.BytesIO(items))) == len(saved.items)
    kept = client.send("GET", f"/page?folder={listed['folder']}&download=1")[2]
    assert kept["Content-Disposition"] == 'attachment; filename="equipoise.html"'
    status, page, headers = client.send("GET", f"/page?folder={listed['folder']}")
    assert (status, headers["Content-Type"]) == (200, "text/html; charset=utf-8")
    assert "Content-Disposition" not in headers
    assert saved.fingerprint[:8] in page.decode()
    assert headers["Content-Security-Policy"].startswith("sandbox")
    assert "allow-same-origin" not in headers["Content-Security-Policy"]
    assert client.send("GET", "/page?folder=../..")[0] == 400


def test_a_measurement_can_be_cancelled_and_the_next_one_runs(client: Client, tmp_path: Path) -> None:
    job = client.ask("measure", model="random:2", instrument="stereotype-skew")
    waiting = client.ask("measure", model="random:2", instrument="traits")
    client.ask("cancel", job=waiting["number"])
    client.ask("cancel", job=job["number"])
    assert finished(client, job)["state"] == "cancelled"
    assert finished(client, waiting)["state"] == "cancelled"
    assert not list((tmp_path / "results").glob("*/*/manifest.json"))
    after = finished(client, client.ask("measure", model="random:2", instrument="traits"))
    assert after["state"] == "done"


def test_an_audit_tells_what_is_done_and_two_of_them_can_be_compared(client: Client) -> None:
    folders = []
    for model in ("random", "random:2"):
        job = finished(client, client.ask("measure", model=model, instrument="traits"))
        folders.append(job["answer"]["folder"])
    changed = client.ask("compare", folders=folders)
    assert changed["findings"][0]["headline"].startswith("random")
    assert {row["instrument"] for row in changed["differences"]} == {"traits"}
    assert "Fewer than two" in client.refused("compare", folders=folders[:1])
    both = "&".join(f"folder={folder}" for folder in folders)
    assert client.send("GET", f"/page?{both}")[0] == 200


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["audit", "quick audit"])
def test_an_audit_has_its_page(kind: str, client: Client) -> None:
    job = finished(client, client.ask("measure", model="random", instrument=kind), seconds=300)
    assert set(job["parts"]) == {one["instrument"] for one in job["answer"]["results"]}
    assert client.send("GET", f"/page?folder={job['answer']['folder']}")[0] == 200


def test_only_what_fits_a_model_is_offered(client: Client) -> None:
    reasons = client.ask("fitting", model="random")["reasons"]
    assert "counterfactual-gap" in reasons
    assert "tbe" not in reasons


def test_the_choices_of_an_instrument_are_those_that_it_declares(client: Client) -> None:
    offered = {
        one["name"]: [each["name"] for each in one["choices"]] for one in client.ask("known")["instruments"]
    }
    assert offered["weat"] == ["variant", "by", "layer", "pooling", "measure"]
    assert offered["tbe"] == ["variant", "poles", "by"]
    job = client.ask("measure", model="random", instrument="weat", choices={"layer": "0", "variant": ""})
    answer = finished(client, job)["answer"]
    assert answer["results"][0]["instrument"] == "weat"
    job = finished(client, client.ask("measure", model="random", instrument="tbe", choices={"layer": "0"}))
    assert "--layer 0 has no effect on tbe" in job["error"]["message"]


def test_a_corpus_is_surveyed(client: Client) -> None:
    text = "text\n" + "He led the team.\nShe cooked for her children.\n" * 30
    for name, content in (("news.csv", text), ("news.txt", text.removeprefix("text\n"))):
        seen = client.ask("look-at-file", name=name, content=content)
        assert (seen["kind"], seen["rows"]) == ("corpus", 60)
        row = next(row for row in seen["mentions"] if row["role"] == "all")
        assert (row["women"], row["men"]) == (60, 30)
        assert seen["headline"]
        status, page, _ = client.send("GET", f"/page?folder={seen['folder']}")
        assert status == 200
        assert seen["headline"] in str(page)


def test_a_dropped_file_is_linted_and_measured(client: Client, tmp_path: Path) -> None:
    faulty = PAIRS + "occupation,The baker  says that he left.,The baker says that she left\n"
    seen = client.ask("look-at-file", name="../../mine.csv", content=faulty)
    assert (seen["kind"], seen["instrument"], seen["rows"]) == ("pairs", "sbe", 7)
    assert {(row["line"], row["code"]) for row in seen["findings"]} >= {(8, "spacing"), (8, "punctuation")}
    job = client.ask("measure", model="random", instrument="sbe", name="../../mine.csv", content=PAIRS)
    job = finished(client, job)
    assert job["state"] == "done", job
    folder = tmp_path / "results" / job["answer"]["folder"]
    assert (folder / "data" / "mine.csv").read_text(encoding="utf-8") == PAIRS
    items = equipoise.load_result(folder).items
    assert set(items.loc[items["part"] == "pair", "variation"]) >= {"original"}
    assert sum((items["part"] == "pair") & (items["variation"] == "original")) == 6
    assert {path.name for path in tmp_path.iterdir()} <= {"results", "cache", "answers.sqlite"} | {
        f"answers.sqlite-{end}" for end in ("wal", "shm")
    }


def test_a_study_is_listed_once_and_has_its_page(client: Client, tmp_path: Path) -> None:
    """What it measured belongs to it; one that is damaged says so when it is opened."""
    ranked = tmp_path / "results" / "ranked"
    assert run("study", "models", "random", "random:2", "-i", "traits", "--out", ranked) == 0
    (listed,) = client.ask("results")["folders"]
    assert (listed["folder"], listed["study"], listed["instruments"]) == ("ranked", "models", [])
    opened = client.ask("result", folder="ranked")
    assert {one["model"] for one in opened["results"]} == {"random", "random:2"}
    assert any("random:2" in sentence for sentence in opened["sentences"])
    status, page, _ = client.send("GET", "/page?folder=ranked")
    assert status == 200
    assert "Models ranked by traits" in page.decode()
    (ranked / "study.json").write_text("{", encoding="utf-8")
    (listed,) = client.ask("results")["folders"]
    assert listed["study"] == "damaged"
    assert "cannot be read" in client.refused("result", folder="ranked")


def test_dropped_templates(client: Client) -> None:
    text = "category,form,template\nown,subject,[MASK] is a <profession> here.\nown,subject,[MASK] left.\n"
    said = client.refused("look-at-file", name="t.csv", content=text.replace("[MASK] left.", "Who left?"))
    assert "t.csv, line 3" in said
    assert "/tmp" not in said
    medical = text.replace("own,", "medical,").replace("[MASK] left.", "The <profession> lost [MASK].")
    seen = client.ask("look-at-file", name="t.csv", content=medical)
    assert seen["kind"] == "templates"
    assert seen["rows"] == 2 * 16
    assert "neither pairs nor templates nor text" in client.refused(
        "look-at-file", name="x.csv", content="a,b\n1,2\n"
    )


def test_dropped_documents_are_asked_about_a_man_and_a_woman(client: Client) -> None:
    """A document without a person is named before anything is measured."""
    content = (
        "text,question,answers\nMs Abara rents a flat. She pays on the first.,Extend it?,yes|no\n"
        "Mr Lund rents a garage. He owes rent.,Extend it?,yes|no\nThe garage is dry.,Extend it?,yes|no\n"
    )
    seen = client.ask("look-at-file", name="leases.csv", content=content)
    assert (seen["kind"], seen["instrument"], seen["rows"]) == ("documents", "paired-documents", 3)
    assert [(one["code"], one["message"]) for one in seen["findings"]] == [
        ("left out", "no gendered word to turn")
    ]
    job = client.ask(
        "measure", model="random", instrument="paired-documents", name="leases.csv", content=content
    )
    answer = finished(client, job)["answer"]
    assert answer["results"][0]["instrument"] == "paired-documents"
    refused = client.refused("look-at-file", name="leases.csv", content=content.replace("yes|no", "perhaps"))
    assert "leases.csv, line 2: 'perhaps' is not a list of answers" in refused


def test_rewriting_in_pieces(client: Client) -> None:
    text = "Mary told her brother. The King's Cross station <b>is</b> near.\n"
    content = client.ask("rewrite", text=text, mode="invert")
    assert content["text"] == equipoise.rewrite(text).text
    assert "".join(piece["old"] for piece in content["pieces"]) == text
    rebuilt = "".join(
        piece["new"] if piece["kind"] == "change" else piece["old"] for piece in content["pieces"]
    )
    assert rebuilt == content["text"]
    assert "invert" in client.refused("rewrite", text=text, mode="inverse")


@pytest.mark.parametrize(
    ("question", "payload", "said"),
    [
        ("probe", {"text": "", "models": ["random"]}, "text is missing"),
        ("probe", {"text": 5, "models": ["random"]}, "text is missing"),
        ("probe", {"text": "[MASK] is.", "models": []}, "No model was chosen"),
        ("probe", {"text": "[MASK] is.", "models": "random"}, "not a list of texts"),
        ("probe", {"text": "[MASK] is.", "models": ["org/name"]}, "equipoise app --model NAME"),
        ("probe", {"text": "[MASK] is.", "models": ["/nowhere"]}, "no model called '/nowhere'"),
        ("probe", {"text": "No blank.", "models": ["random"]}, "blank"),
        ("probe", {"text": "[MASK]" + "a" * 100_001, "models": ["random"]}, "at most 100,000"),
        ("probe", {"text": "[MASK] is.", "models": list("abcde")}, "at most 4"),
        ("sentences", {"sentences": [], "models": ["random"]}, "No sentence"),
        ("measure", {"model": "random", "instrument": "nothing"}, "nothing"),
        ("measure", {"model": "random", "instrument": "crows-pairs"}, "downloads nothing"),
        ("job", {"job": 99}, "no job 99"),
        ("job", {"job": "1"}, "not a whole number"),
        ("result", {"folder": "../.."}, "not below the results folder"),
        ("result", {"folder": "nowhere"}, "no folder"),
    ],
)
def test_what_cannot_be_answered_is_said(
    client: Client, question: str, payload: dict[str, Any], said: str
) -> None:
    assert said in client.refused(question, **payload)


def test_a_job_that_fails_says_why(client: Client) -> None:
    job = client.ask("measure", model="random", instrument="sbe", name="p.csv", content=PAIRS[:60])
    job = finished(client, job)
    assert job["state"] == "failed"
    assert job["error"]["message"]
