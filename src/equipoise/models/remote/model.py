"""A model behind an address: it answers what its server was found to be able to.

Sentences are scored token by token from left to right and blanks by whole sentences, as by any causal model.
At the level `top-k` only blanks at the end of a text are asked; a word that is not among the likeliest tokens
is NaN and counted, never 0.
"""

import hashlib
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from math import isnan, nan
from typing import Any

from equipoise.errors import Cancelled, UnaskableError, UserError, unknown_name
from equipoise.models.capabilities import FILL, GENERATE, START, score_by
from equipoise.models.engine.store import AnswerStore, Json, JsonCodec, store_file
from equipoise.models.neural.words import composed_texts, shared_length
from equipoise.models.options import BUDGET, Progress, RunOptions, RunReport
from equipoise.models.protocol import AnsweringModel
from equipoise.models.questions import (
    DEFAULT_RULE,
    Fill,
    Generate,
    Question,
    Score,
    TokenScores,
    WordScores,
    Written,
)
from equipoise.models.remote.budget import Budget, budget_of, guess_of
from equipoise.models.remote.probing import (
    FORCED,
    FULL,
    TEXT,
    TOP,
    Probed,
    chat,
    completion,
    forced,
    start_text,
    tokenize,
)
from equipoise.models.remote.reading import (
    generated,
    pieces,
    read_echo,
    shares,
    spans_of,
    texts,
)
from equipoise.models.remote.server import TOO_LONG, Request, Server
from equipoise.text.blank import BLANK, count_blanks, find_blank

RULE = "left-to-right"
WORKERS = 8
"""Requests on their way at once, unless another number is asked for."""

CAPABILITIES = {
    FULL: frozenset({FILL, GENERATE, score_by(RULE)}),
    FORCED: frozenset({FILL, GENERATE, score_by(RULE)}),
    TOP: frozenset({FILL, GENERATE}),
    TEXT: frozenset({GENERATE}),
}


@dataclass(frozen=True)
class AsRequests:
    """A question as requests, and how to read their answers."""

    requests: list[Request]
    read: Callable[[list[Json]], Any]


class RemoteModel(AnsweringModel):
    """A model that a server runs."""

    kind = "causal"

    def __init__(self, server: Server, model: str, probed: Probed, options: RunOptions) -> None:
        self.server = server
        self.model = model
        self.probed = probed
        self.options = options
        self.name = f"{server.address.url}#{model}"
        self.starts = {"": start_text(options.start, probed)}
        self.capabilities = CAPABILITIES[probed.level] | self._other_starts()
        self.precision = "as served"
        self.start = self.starts[""]
        self.censored = 0
        identity = f"{server.address.url}\n{model}\n{server.identity}\n{probed.level}"
        self.fingerprint = hashlib.sha256(identity.encode()).hexdigest()
        self.store: AnswerStore[Json] = AnswerStore(
            store_file(options), JsonCodec(), fingerprint=self.fingerprint, name=self.name
        )
        self.deviation = 0.0
        self._limit = 0  # what connecting needs is not counted
        self._ahead = 0  # requests of the run that were not sent yet
        self.notes = self._describe()

    def _other_starts(self) -> frozenset[str]:
        """Another start that texts can have, to see how far it moves an answer."""
        other = "auto" if self.options.start == "newline" else "newline"
        text = start_text(other, self.probed)
        if score_by(RULE) not in CAPABILITIES[self.probed.level] or text in ("", self.starts[""]):
            return frozenset()
        self.starts[other] = text
        return frozenset({f"{START}{other}"})

    def _describe(self) -> tuple[str, ...]:
        """What the server can do, what it said of itself, and how far it repeats itself."""
        told = [f"behind an address, level {self.probed.level}; {self.server.identity or 'no build named'}"]
        told += [note for note in self.probed.notes if note]
        if score_by(RULE) in self.capabilities:
            told.append(f"texts begin with {self.start!r}" if self.start else "texts begin without a token")
        if self.probed.level != TEXT:
            told.append(f"asked three times, its log-probabilities differ by at most {self.deviation:.1g}")
        if self.censored:
            told.append(f"{self.censored:,} words were not among the {self.probed.top} likeliest tokens")
        return tuple(told)

    def answer(self, questions: Sequence[Question]) -> list[Any]:
        """Answer all questions; requests of one kind are on their way at the same time."""
        with self._reported(len(questions)) as report:
            return self._answers(questions, report)

    def answer_in_turn(self, groups: Sequence[Sequence[Question]]) -> Iterator[list[Any]]:
        """The answers of one group after the other; the budget of all is told first, or refused."""
        questions = [question for group in groups for question in group]
        self._refuse_unanswerable(questions)
        with self._reported(len(questions)) as report:
            needed = self.budget(questions)
            self._refuse_beyond_limit(needed)
            self._ahead = needed.requests
            if needed.requests and self.options.progress is not None:
                said = f"{needed.count()} to send, {needed.cost(self.options.price)}"
                self.options.progress(Progress(BUDGET, 0, needed.requests, self.name, says=said))
            for group in groups:
                yield self._answers(group, report)

    def _reported(self, questions: int) -> RunReport:
        return RunReport(self.name, questions, self.options.progress, self.options.is_cancelled)

    def _answers(self, questions: Sequence[Question], report: RunReport) -> list[Any]:
        self._refuse_unanswerable(questions)
        self._read_tokens(questions, report)
        asked = []
        for question in questions:
            asked.append(self.ask(question))
            report.planned()
        requests = [request for each in asked for request in each.requests]
        answers = self.fetch(requests, report)
        read = [each.read([answers[request.key] for request in each.requests]) for each in asked]
        self.notes = self._describe()
        return read

    def _refuse_unanswerable(self, questions: Sequence[Question]) -> None:
        for question in questions:
            if not self.can_answer(type(question)):
                raise self.refuse(question)

    def budget(self, questions: Sequence[Question]) -> Budget:
        """The requests and tokens that questions need, without what is stored; the server is not asked."""
        exact: dict[bytes, Request] = {}
        guessed: list[tuple[str, int]] = []
        texts = {text for question in questions for text in self._texts_of(question)}
        cut = self.store.holds([tokenize(self.model, text).key for text in texts])
        for question in questions:
            mine = self._texts_of(question)
            if all(tokenize(self.model, text).key in cut for text in mine):
                exact |= {request.key: request for request in self.ask(question).requests}
            else:
                shared = shared_length(mine) if isinstance(question, Fill) else 0
                guessed += [(text, shared) for text in mine]
        stored = self.store.holds(list(exact))
        known = budget_of([request for key, request in exact.items() if key not in stored])
        return known + guess_of(guessed) if guessed else known

    def _texts_of(self, question: Question) -> list[str]:
        """The texts that the server must cut into tokens before the question can be asked."""
        if self.probed.level != FORCED:
            return []
        if isinstance(question, Score):
            return [question.text]
        if isinstance(question, Fill) and count_blanks(question.text) == 1:
            return composed_texts(question)
        return []

    def check(self, question: Question) -> None:
        """Refuse what the server cannot be asked; texts are tokenised for it."""
        if self.can_answer(type(question)):
            self.ask(question)

    def ask(self, question: Question) -> AsRequests:
        """The requests of one question, and how to read their answers."""
        if isinstance(question, Score):
            if question.rule not in (RULE, DEFAULT_RULE):
                raise unknown_name("scoring rule for a causal model", question.rule, (RULE,))
            return self._ask_score(question.text, start=question.start)
        if isinstance(question, Fill):
            return self._ask_top(question) if self.probed.level == TOP else self._ask_fill(question)
        if isinstance(question, Generate):
            return self._ask_text(question)
        raise self.refuse(question)

    def _ask_score(self, text: str, shared: int = 0, start: str = "") -> AsRequests:
        """Log P of every token of a text; asked one by one, of all but the first `shared` ones."""
        if not text.strip():
            raise UserError("An empty text cannot be scored.", "Give a sentence with words in it.")
        if self.probed.level == FULL:
            request = completion(self.model, self.starts[start] + text, logprobs=1, echo=True)
            return AsRequests([request], lambda answers: read_echo(answers[0], text))
        before, tokens = self._tokens(self.starts[start]), self._tokens(text)
        spans = spans_of(text, [piece for _, piece in tokens])
        known = [number for number, _ in before]
        ids = [*known, *(number for number, _ in tokens)]
        if self.probed.longest and len(ids) > self.probed.longest:
            raise UnaskableError(
                TOO_LONG,
                f"A text of {len(ids)} tokens is longer than {self.name} reads ({self.probed.longest}).",
                "Leave it out or split it; nothing is cut off silently.",
            )
        first = max(1, len(known) + shared)
        requests = [forced(self.model, ids[:place], ids[place]) for place in range(first, len(ids))]

        def read(answers: list[Json]) -> TokenScores:
            skipped = first - len(known)
            names = tuple(piece.decode("utf-8", "replace") for _, piece in tokens[skipped:])
            values = tuple(
                self._forced_value(one, request) for one, request in zip(answers, requests, strict=True)
            )
            return TokenScores(names, values, tuple(spans[skipped:]), (1.0,) * len(values))

        return AsRequests(requests, read)

    def _forced_value(self, answer: Json, request: Request) -> float:
        places = generated(answer)
        (wanted,) = request.body["logit_bias"]
        if not places or (places[0][0].id is not None and str(places[0][0].id) != wanted):
            raise UserError(
                f"{self.name} did not write the token that was forced.",
                "The server changed, or does not do what it was found to do; connect again.",
            )
        return places[0][0].logprob

    def _ask_fill(self, question: Fill) -> AsRequests:
        """Ask for the whole sentence with each word, and normalise over the words.

        What all these sentences begin with adds the same to each, so it is asked only where `echo` gives it.
        """
        self._refuse_second_blank(question)
        composed = composed_texts(question)
        shared = 0
        if self.probed.level == FORCED:
            shared = shared_length([[number for number, _ in self._tokens(text)] for text in composed])
        each = [self._ask_score(text, shared, question.start) for text in composed]
        counts = [len(one.requests) for one in each]

        def read(answers: list[Json]) -> WordScores:
            at = iter(answers)
            totals = [
                one.read([next(at) for _ in range(count)]).total
                for one, count in zip(each, counts, strict=True)
            ]
            return shares(question.words, totals)

        return AsRequests([request for one in each for request in one.requests], read)

    def _ask_top(self, question: Fill) -> AsRequests:
        """The next token after the text to the left of a blank that ends it."""
        self._refuse_second_blank(question)
        left, _, right = question.text.partition(BLANK)
        if right.strip(" .!?\"'"):
            raise UnaskableError(
                "the server tells only the likeliest next tokens, and the blank is not at the end",
                f"{question.text!r} has its blank in the middle, and {self.name} tells only next tokens.",
                "Use a server that scores prompts (llama.cpp, vLLM), or an instrument that asks for text.",
            )
        request = completion(self.model, left.rstrip(), logprobs=self.probed.top)

        def read(answers: list[Json]) -> WordScores:
            places = generated(answers[0])
            told = {token.text: token.logprob for token in (places[0][1] if places else ())}
            values = [told.get(f" {word}", nan) for word in question.words]
            self.censored += sum(map(isnan, values))
            return shares(question.words, values)

        return AsRequests([request], read)

    def _refuse_second_blank(self, question: Fill) -> None:
        if question.hidden or count_blanks(question.text) > 1:
            raise UserError(
                f"{self.name!r} is a causal model: it cannot hide a second word of {question.text!r}.",
                "Instruments that hide two words at once need a masked model.",
            )
        find_blank(question.text, question.blank)

    def _ask_text(self, question: Generate) -> AsRequests:
        """One request per text, each with a seed of its own, so that a killed run keeps what was written."""
        how = {"max_tokens": question.max_tokens, "temperature": question.temperature}
        system = [{"role": "system", "content": question.system}] if question.system else []
        requests = []
        for number in range(question.count):
            seeded = {**how, "seed": question.seed + number}
            if question.is_chat:
                said = [*system, {"role": "user", "content": question.text}]
                requests.append(chat(self.model, said, **seeded))
            else:
                body = {"model": self.model, "prompt": question.text, **seeded}
                requests.append(Request("completions", body))

        def read(answers: list[Json]) -> Written:
            written = [texts(answer)[0] for answer in answers]
            return Written(tuple(text for text, _ in written), tuple(ending for _, ending in written))

        return AsRequests(requests, read)

    def _read_tokens(self, questions: Sequence[Question], report: RunReport) -> None:
        """Tokenise all texts side by side, so that none has to wait for another."""
        wanted = [text for question in questions for text in self._texts_of(question)]
        if wanted and self.start:
            wanted.append(self.start)
        self.fetch([tokenize(self.model, text) for text in wanted], report)

    def _tokens(self, text: str) -> list[tuple[int, bytes]]:
        if not text:
            return []
        request = tokenize(self.model, text)
        return pieces(self.fetch([request])[request.key])

    def fetch(self, requests: Sequence[Request], report: RunReport | None = None) -> dict[bytes, Json]:
        """The answers to all requests by key: from the store where they are, else from the server."""
        distinct = {request.key: request for request in requests}
        answers = self.store.read(list(distinct))
        waiting = [request for key, request in distinct.items() if key not in answers]
        if not waiting:
            return answers
        self._refuse_beyond_limit(budget_of(waiting))
        self._ahead = max(0, self._ahead - len(waiting))
        if report is not None:
            report.expect(len(waiting), later=self._ahead)
        for key, answer in self._ask_server(waiting):
            answers[key] = answer
            if report is not None:
                report.ran(1, 1)
            if self.options.is_cancelled is not None and self.options.is_cancelled():
                raise Cancelled(f"stopped after {self.server.sent} requests; their answers are kept")
        return answers

    def _ask_server(self, requests: Sequence[Request]) -> Iterator[tuple[bytes, Json]]:
        """Ask side by side; whatever stops the caller, requests on their way are answered and kept."""
        pool = ThreadPoolExecutor(self.options.workers or WORKERS)
        try:
            for done in as_completed([pool.submit(self._ask_one, request) for request in requests]):
                yield done.result()
        finally:
            pool.shutdown(cancel_futures=True)

    def _ask_one(self, request: Request) -> tuple[bytes, Json]:
        said = self.server.post(request)
        answer = {name: said[name] for name in ("choices", "tokens") if name in said}
        self.store.write([(request.key, answer)])
        return request.key, answer

    def _refuse_beyond_limit(self, needed: Budget) -> None:
        """Refuse to begin what would need more requests than allowed."""
        if self._limit and self.server.sent + needed.requests > self._limit:
            cost, most = needed.cost(self.options.price), self.options.max_requests
            raise UserError(
                f"{needed.count('more ')} are needed ({cost}), and at most {most:,} are allowed.",
                "Raise --max-requests, or ask less (--quick, --minutes, fewer instruments). "
                "Answers given are kept.",
            )

    def measure_repetition(self, prompts: Sequence[str], rounds: int = 3) -> None:
        """How far the log-probabilities of the same requests differ from one time to the next."""
        said: dict[tuple[str, str], list[float]] = {}
        for number in range(rounds):
            requests = [
                completion(self.model, text, logprobs=self.probed.top, seed=number) for text in prompts
            ]
            answers = self.fetch(requests)
            for text, request in zip(prompts, requests, strict=True):
                for token in (one for _, tops in generated(answers[request.key]) for one in tops):
                    said.setdefault((text, token.text), []).append(token.logprob)
        self.deviation = max((max(values) - min(values) for values in said.values()), default=0.0)
        self.notes = self._describe()

    def begin_counting(self) -> None:
        """Count requests against `--max-requests` from now on."""
        most = self.options.max_requests
        self._limit = self.server.sent + most if most else 0
