"""Models behind an address: what a server can do is found out, and what it does wrong is said in words."""

import math
import re
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from command_line import run
from fake_server import KNOWN, FakeServer, logprob, tokens_of
from tenacity import RetryCallState, Retrying

import equipoise as eq
from equipoise.data.reading import own_table
from equipoise.errors import UnaskableError, UserError
from equipoise.models.options import RunOptions
from equipoise.models.questions import Fill, Generate, Score
from equipoise.models.remote.loader import connect_to
from equipoise.models.remote.server import Server, _BusyError, _wait, read_address
from equipoise.models.wrappers.averaging import AveragedModel

Serve = Callable[..., FakeServer]
TEXT = "The nurse said that she was late."


def connected(server: FakeServer, patience: float = 5.0, **options: Any) -> Any:
    """The model of a fake server; nobody waits between two attempts."""
    address = read_address(f"{server.url}#fake")
    return connect_to(
        address, RunOptions(**options), Server(address, patience=patience, sleep=lambda _: None)
    )


def by_hand(text: str, start: str) -> list[float]:
    """Log P of each token after the one before it, from the fake's own table."""
    tokens = tokens_of(start + text)
    return [logprob(before, token) for before, token in pairwise(tokens)]


@pytest.mark.parametrize(("level", "start"), [("full", ""), ("forced", "<s>")])
def test_sentences_have_the_scores_of_the_table(level: str, start: str, serve: Serve) -> None:
    model = connected(serve(level=level))
    assert model.probed.level == level
    (answer,) = model.answer([Score(TEXT)])
    np.testing.assert_allclose(answer.logprobs, by_hand(TEXT, start), atol=1e-9)
    assert [TEXT[slice(*span)] for span in answer.spans] == list(answer.tokens)


@pytest.mark.parametrize("level", ["full", "forced"])
def test_a_blank_is_filled_by_whole_sentences(level: str, serve: Serve) -> None:
    model = connected(serve(level=level))
    (answer,) = model.answer([Fill("The nurse said that [MASK] was late.", ("he", "she"))])
    start = "<s>" if level == "forced" else ""
    he, she = (sum(by_hand(f"The nurse said that {word} was late.", start)) for word in ("he", "she"))
    assert answer.logprobs[0] == pytest.approx(he - np.logaddexp(he, she), abs=1e-9)
    assert sum(map(math.exp, answer.logprobs)) == pytest.approx(1.0)


def test_likeliest_words_are_censored_never_zero(serve: Serve) -> None:
    model = connected(serve(level="top"))
    assert model.probed.level == "top-k"
    (answer,) = model.answer([Fill("The nurse said that [MASK]", ("he", "she", "zebra"))])
    told = sorted(KNOWN, key=lambda token: -logprob(" that", token))[:20]
    is_told = [f" {word}" in told for word in ("he", "she", "zebra")]
    assert [not math.isnan(value) for value in answer.logprobs] == is_told
    assert [count > 0 for count in answer.pieces] == is_told
    assert is_told[2] is False
    assert any("not among the 20 likeliest" in note for note in model.notes)
    with pytest.raises(UnaskableError, match="in the middle"):
        model.answer([Fill("The [MASK] was late.", ("nurse",))])


@pytest.mark.parametrize(
    ("level", "found", "note"),
    [
        ("lying", "top-k", "not to be trusted"),
        ("post-bias", "top-k", "after the bias"),
        ("no-bias", "top-k", "ignores `logit_bias`"),
        ("text", "text", "no log-probabilities"),
        ("chat", "text", "chat only"),
    ],
)
def test_a_server_that_does_not_keep_its_word_is_found_out(
    level: str, found: str, note: str, serve: Serve
) -> None:
    model = connected(serve(level=level))
    assert model.probed.level == found
    assert any(note in one for one in model.notes)
    with pytest.raises(UserError, match="cannot score a sentence"):
        model.answer([Score(TEXT)])


def test_what_was_asked_is_not_asked_again(serve: Serve, tmp_path: Path) -> None:
    server = serve()
    questions = [Score(TEXT), Fill("The nurse said that [MASK] was late.", ("he", "she"))]
    first = connected(server, store=tmp_path / "a.sqlite").answer(questions)
    asked = len(server.paths)
    again = connected(server, store=tmp_path / "a.sqlite")
    probes = len(server.paths) - asked
    assert again.answer(questions) == first
    assert len(server.paths) == asked + probes
    assert probes < 8
    bodies = [repr(sorted(body.items())) for body in server.bodies[asked - 40 : asked]]
    assert len(set(bodies)) == len(bodies), "a prefix that two words share is asked once"


def test_a_killed_run_loses_and_repeats_nothing(serve: Serve, tmp_path: Path) -> None:
    server = serve()
    texts = [f"The {person} said that he was late." for person in ("nurse", "doctor", "nurse kind")]
    whole = connected(server, cache=False).answer([Score(text) for text in texts])
    needed = _forced(server)
    server.bodies.clear()
    stops = iter([False] * 5 + [True] * 100)
    stopped = connected(server, store=tmp_path / "a.sqlite", workers=2)
    server.bodies.clear()
    object.__setattr__(stopped.options, "is_cancelled", lambda: next(stops))
    with pytest.raises(Exception, match="answers are kept"):
        stopped.answer([Score(text) for text in texts])
    before = _forced(server)
    assert 0 < len(before) < len(needed)
    resumed = connected(server, store=tmp_path / "a.sqlite")
    server.bodies.clear()
    assert resumed.answer([Score(text) for text in texts]) == whole
    assert sorted(before + _forced(server)) == sorted(set(needed))


def _forced(server: FakeServer) -> list[str]:
    return [repr(body["prompt"] + [*body["logit_bias"]]) for body in server.bodies if _is_scored(body)]


def _is_scored(body: dict[str, Any]) -> bool:
    return "logit_bias" in body and isinstance(body["prompt"], list)


@pytest.mark.parametrize("fault", ["429", "503", "half"])
def test_a_busy_server_is_asked_again(fault: str, serve: Serve) -> None:
    server = serve()
    model = connected(server)
    server.faults += [fault] * 3
    (answer,) = model.answer([Score(TEXT)])
    np.testing.assert_allclose(answer.logprobs, by_hand(TEXT, "<s>"), atol=1e-9)


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        ("garbage", "not JSON"),
        ("bytes", "not JSON"),
        ("hang", "did not answer within 2 seconds"),
        ("401", "asks for a key"),
    ],
)
def test_what_a_server_does_wrong_is_said(fault: str, said: str, serve: Serve) -> None:
    server = serve()
    model = connected(server, patience=2.0)
    server.faults += [fault] * 20
    with pytest.raises(UserError, match=said):
        model.answer([Score(TEXT)])


@pytest.mark.parametrize(("asked", "least", "most"), [(0.0, 0.0, 0.5), (7.0, 7.0, 7.0), (1e6, 60.0, 60.0)])
def test_a_busy_server_is_left_alone_as_long_as_it_asks(asked: float, least: float, most: float) -> None:
    """At most a minute; one that names no time is asked again after half a second at most."""
    state = RetryCallState(Retrying(), None, (), {})
    error = _BusyError("it says 429", asked)
    state.set_exception((_BusyError, error, None))
    assert least <= _wait(state) <= most


def test_a_server_that_stays_busy_is_given_up(serve: Serve) -> None:
    server = serve()
    model = connected(server, workers=1)
    server.faults += ["429"] * 100
    with pytest.raises(UserError, match="no answer in 6 attempts: it says 429"):
        model.answer([Score(TEXT)])


def test_no_server_no_model_no_address(serve: Serve) -> None:
    with pytest.raises(UserError, match="No server answers"):
        eq.connect("http://127.0.0.1:9/v1#m")
    with pytest.raises(UserError, match="is not the address of a server"):
        eq.connect("some/folder")
    for wrong in ("http://", "http://a:b:c/v1", "http://me:secret@127.0.0.1/v1"):
        with pytest.raises(UserError):
            eq.load_model(wrong)
    server = serve(level="chat")
    assert eq.load_model(server.url).name == f"{server.url}#fake"


def test_a_key_comes_from_the_environment_and_stays_there(
    serve: Serve, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    server = serve(key="k-secret-k")
    with pytest.raises(UserError, match="asks for a key"):
        connected(server)
    monkeypatch.setenv("EQUIPOISE_API_KEY", "another")
    with pytest.raises(UserError, match="refuses the key"):
        connected(server)
    monkeypatch.setenv("EQUIPOISE_API_KEY", "k-secret-k")
    model = connected(server, store=tmp_path / "a.sqlite")
    model.answer([Score(TEXT)])
    assert server.headers[-1]["Authorization"] == "Bearer k-secret-k"
    kept = [path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()]
    assert not any(b"k-secret-k" in content for content in kept)
    assert "k-secret-k" not in repr(vars(model)) + repr(model.server.address) + "".join(model.notes)
    with pytest.raises(UserError, match="plain http to another machine"):
        read_address("http://example.org/v1#m")


def test_requests_are_limited_before_they_are_sent(serve: Serve) -> None:
    server = serve()
    model = connected(server, max_requests=5, price=10.0)
    sent = len(server.paths)
    with pytest.raises(UserError, match=r"more requests are needed \(about .* tokens, about .* at the price"):
        model.answer([Score(TEXT)])
    assert len(server.paths) - sent <= 5


@pytest.mark.parametrize(("level", "slack"), [("full", 0.0), ("forced", 0.25)])
def test_the_budget_of_all_groups_is_told_before_the_first_request(
    level: str, slack: float, serve: Serve, tmp_path: Path
) -> None:
    server = serve(level=level)
    told: list[tuple[Any, int]] = []
    options: dict[str, Any] = {"store": tmp_path / "a.sqlite", "price": 1e6}
    options["progress"] = lambda state: told.append((state, len(server.paths))) if state.says else None
    groups = [[Score(TEXT)], [Fill("The doctor said that [MASK] was late and kind.", ("he", "she", "they"))]]
    model = connected(server, **options)
    before = len(server.paths)
    answers = list(model.answer_in_turn(groups))
    ((state, sent),) = told
    needed = len(server.paths) - before
    assert sent == before
    assert abs(state.total - needed) <= slack * needed
    assert ("about" in state.says.partition("request")[0]) == (level == "forced")
    assert "at the price given" in state.says
    assert list(connected(server, **options).answer_in_turn(groups)) == answers
    assert len(told) == 1, "a run that is stored costs nothing"
    with pytest.raises(UserError, match="more requests are needed"):
        list(connected(server, cache=False, max_requests=needed // 2).answer_in_turn(groups))


def test_a_server_that_changes_is_noticed(serve: Serve) -> None:
    server = serve()
    model = connected(server)
    server.build = "b2"
    with pytest.raises(UserError, match="changed during the run"):
        model.answer([Score(TEXT)])


def test_a_text_that_is_too_long_is_an_item_that_cannot_be_asked(serve: Serve) -> None:
    model = connected(serve(context=8))
    with pytest.raises(UnaskableError, match="longer than"):
        model.answer([Score("The nurse said that she was late and left.")])


def test_texts_are_written_with_seeds_of_their_own(serve: Serve) -> None:
    server = serve(level="chat", reply=lambda messages, body: f"{messages[-1]['content']} {body.get('seed')}")
    model = connected(server)
    (answer,) = model.answer([Generate("Hello", system="Be kind.", count=3, seed=7)])
    assert answer.texts == ("Hello 7", "Hello 8", "Hello 9")
    assert server.bodies[-1]["messages"][0] == {"role": "system", "content": "Be kind."}


def test_an_instrument_measures_a_model_behind_an_address(serve: Serve) -> None:
    import pandas as pd

    server = serve()
    pairs = pd.DataFrame(
        {
            "category": ["occupation", "occupation"],
            "stereotype": ["The nurse said she left.", "The doctor said he left."],
            "counterpart": ["The nurse said he left.", "The doctor said she left."],
        }
    )
    model = connected(server)
    result = eq.measure(model, "sbe", data=pairs)
    items = result.items[result.items["item"].isin(["line 2", "line 3"])]
    assert len(items) == 2
    assert any("level forced" in note for note in model.notes)
    whole = {text: sum(by_hand(text, "<s>")) for text in [*pairs["stereotype"], *pairs["counterpart"]]}
    for _, item in items.iterrows():
        assert item["pll_stereotype"] == pytest.approx(whole[item["stereotype"]])


def test_the_command_line_measures_it_to_the_end_and_says_its_level(
    serve: Serve, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("EQUIPOISE_CACHE", str(tmp_path / "cache"))
    people = tmp_path / "people.csv"
    people.write_text("profession\n" + "".join(f"clerk {at}\n" for at in range(6)), "utf-8")
    server = serve(
        level="chat", reply=lambda _messages, body: "He slept." if body.get("seed", 0) % 2 else "She slept."
    )
    asked = ("measure", "stories", "--data", people, "--model", f"{server.url}#fake")
    assert run(*asked, "--out", tmp_path / "told") == 0
    told = [path.read_text("utf-8") for path in (tmp_path / "told").rglob("*.json")]
    assert any("level text" in one for one in told)
    sent = len(server.paths)
    assert run(*asked, "--out", tmp_path / "again", "--max-requests", 1) == 0
    assert len(server.paths) - sent < 8, "a second run asks the server only what it can do"
    assert run(*asked, "--seed", 100, "--out", tmp_path / "dear", "--max-requests", 1, "--price", 10) == 2
    assert re.search(r"more requests are needed \(about [\d,]+ tokens, about", capsys.readouterr().err)


def test_a_stereotype_planted_in_a_server_is_found(serve: Serve, tmp_path: Path) -> None:
    """One server names the man for tools and the woman for laundry, one the first of the two, one nobody."""
    tools, rows = ("hammer", "tractor", "boxing", "engine", "drill"), ("laundry", "knitting", "ironing")
    table = tmp_path / "words.csv"
    asked = [*((word, "male") for word in tools), *((word, "female") for word in rows)]
    table.write_text("word,gender\n" + "".join(f"{word},{gender}\n" for word, gender in asked), "utf-8")
    listed = own_table("association-sets.csv")
    men, women = (set(listed.loc[listed["set"] == f"{one} names", "word"]) for one in ("male", "female"))

    def named(prompt: str) -> list[str]:
        return [one for one in re.findall(r"\b[A-Z][a-z]+\b", prompt) if one in men | women]

    def stereotyped(messages: list[dict[str, str]], _body: Any) -> str:
        prompt = messages[-1]["content"]
        is_for_men = any(word in prompt for word in tools)
        return "".join(one for one in named(prompt) if (one in men) == is_for_men)

    replies: dict[str, Any] = {
        "planted": stereotyped,
        "first": lambda messages, _: "".join(named(messages[-1]["content"])[:1]),
        "refuses": lambda *_: "I'm sorry, but I cannot answer that.",
    }
    found = {
        reply: eq.measure(
            connected(serve(level="chat", reply=rule), cache=False), "word-association", data=table
        )
        for reply, rule in replies.items()
        if reply != "refuses"
    }
    assert found["planted"].value("stereotype") == 1.0
    assert found["first"].value("stereotype") == 0.0
    refusing = connected(serve(level="chat", reply=replies["refuses"]), cache=False)
    with pytest.raises(UserError, match="none of 40 items could be used; 40 of them: the model declines"):
        eq.measure(refusing, "word-association", data=table)


def test_a_served_model_can_be_averaged(serve: Serve) -> None:
    model = connected(serve())
    texts = [f"The {noun} said that [MASK] was late." for noun in ("nurse", "doctor")]
    answers = AveragedModel(model).answer([Fill(text, ("he", "she")) for text in texts])
    for one in answers:
        assert one.logprobs[0] == pytest.approx(one.logprobs[1], abs=1e-9)
    plain = model.answer([Fill(text, ("he", "she")) for text in texts])
    assert all(abs(one.logprobs[0] - one.logprobs[1]) > 1e-3 for one in plain)
