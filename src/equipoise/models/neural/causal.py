"""Causal language models: a sentence's probability is exact; a blank is filled by comparing whole sentences.

`fill` gives log P(word | the rest of the sentence, and that it is one of the given words): the sentence is
scored once with each word in the blank and normalised over the words. Unlike a masked model's answer it says
nothing about words that were not given, and probabilities of the given words sum to one.
"""

import sys
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from equipoise.errors import UserError, unknown_name
from equipoise.models.capabilities import EMBED, FILL, GENERATE, RAW_ROWS, START, score_by
from equipoise.models.engine.forward import LanguageForward
from equipoise.models.engine.rows import Row, RowAnswer
from equipoise.models.neural.base import AsRows
from equipoise.models.neural.language import NeuralModel
from equipoise.models.neural.masked import token_scores
from equipoise.models.neural.words import Encoded, is_unknown, place_words, refuse_unknown
from equipoise.models.neural.writing import Writer
from equipoise.models.questions import DEFAULT_RULE, Fill, Generate, Question, Score, WordScores, Written
from equipoise.text.blank import count_blanks, find_blank

RULES = ("left-to-right",)


class CausalModel(NeuralModel):
    """GPT-2 and its family: every model that `AutoModelForCausalLM` knows."""

    kind = "causal"
    capabilities = frozenset({FILL, EMBED, RAW_ROWS, GENERATE, *map(score_by, RULES)})

    def __init__(self, model: Any, tokenizer: Any, **settings: Any) -> None:
        super().__init__(model, tokenizer, **settings)
        self.start_ids = self._find_start(tokenizer, self.options.start)
        other = "auto" if self.options.start == "newline" else "newline"
        self._starts = {"": self.start_ids, other: self._find_start(tokenizer, other)}
        if self._starts[other] not in ((), self.start_ids):
            self.capabilities |= {f"{START}{other}"}
        start = tokenizer.decode(list(self.start_ids)) if self.start_ids else ""
        self.notes = (
            "fill compares whole sentences: probabilities are shares among the given words",
            f"texts begin with {start!r}" if start else "texts begin without a token: the first is left out",
        )
        if start and start in str(getattr(tokenizer, "chat_template", None) or ""):
            self.notes += (
                f"{start!r} is a marker of chats, after which no plain sentence was seen in training: "
                "compare with --start newline",
            )

    def _find_start(self, tokenizer: Any, start: str) -> tuple[int, ...]:
        """The ids in front of a text, by the name of its start."""
        bos, eos = tokenizer.bos_token_id, tokenizer.eos_token_id
        if start == "none":
            return ()
        if start == "newline":
            return tuple(tokenizer("\n", add_special_tokens=False)["input_ids"])
        if start == "bos" and bos is None:
            raise UserError(
                f"The tokenizer of {self.name!r} has no start token.",
                "Use --start auto, newline or none.",
            )
        first = eos if bos is None else bos
        return () if first is None else (int(first),)

    def answer_in_turn(self, groups: Sequence[Sequence[Question]]) -> Iterator[list[Any]]:
        """The answers of one group after the other; texts are written when their group's turn comes."""
        rest = [[one for one in group if not isinstance(one, Generate)] for group in groups]
        for group, answers in zip(groups, super().answer_in_turn(rest), strict=True):
            texts = [one for one in group if isinstance(one, Generate)]
            written, others = iter(self._write(texts) if texts else ()), iter(answers)
            yield [next(written) if isinstance(one, Generate) else next(others) for one in group]

    def check(self, question: Question) -> None:
        """Refuse what cannot be asked; of a text to write, nothing is known before."""
        if not isinstance(question, Generate):
            super().check(question)

    def _write(self, questions: Sequence[Generate]) -> Iterator[Written]:
        network = self.transformers_model
        writer = Writer(network, self.tokenizer, fingerprint=self.fingerprint, name=self.name)
        return writer.write(questions, self.options, self.max_length)

    def ask_words(self, question: Question) -> AsRows:
        """A word at the blank, or the tokens of a text."""
        if isinstance(question, Fill):
            return self._ask_fill(question)
        if isinstance(question, Score):
            return self._ask_score(question)
        raise self.refuse(question)

    def encode(self, text: str, start: str = "") -> Encoded:
        """Tokenise and put the start token in front, so that the first word has a context too."""
        return self.fitting(self._started(self.tokens.encode(text), start))

    def _started(self, encoded: Encoded, start: str) -> Encoded:
        """The text after its start; one that the tokenizer itself put there gives way to it."""
        if start not in self._starts:
            raise unknown_name("start of a text", start, tuple(filter(None, self._starts)))
        drop = 0
        while drop < len(encoded.ids) and encoded.special[drop]:
            drop += 1
        ids = self._starts[start]
        count = len(ids)
        return Encoded(
            encoded.text,
            (*ids, *encoded.ids[drop:]),
            (*[(0, 0)] * count, *encoded.spans[drop:]),
            (*[True] * count, *encoded.special[drop:]),
            (*[None] * count, *encoded.words[drop:]),
        )

    def _ask_fill(self, question: Fill) -> AsRows:
        """The whole sentence once with each word."""
        if question.hidden or count_blanks(question.text) > 1:
            raise UserError(
                f"{self.name!r} is a causal model: it cannot hide a second word of {question.text!r}.",
                "Instruments that hide two words at once need a masked model.",
            )
        find_blank(question.text, question.blank)
        asked: list[tuple[Encoded, Row]] = []
        pieces: list[int] = []
        placements = place_words(self.tokens, question.text, question.words)
        for word, placed in zip(question.words, placements, strict=True):
            if is_unknown(placed, self.tokens):
                if not question.unknown_as_nan:
                    raise refuse_unknown(word, question.text, self.name)
                pieces.append(0)
                continue
            encoded = self.fitting(self._started(placed.encoded, question.start))
            asked.append((encoded, self._sentence(encoded)))
            pieces.append(len(placed.slot))

        def read(answers: list[RowAnswer]) -> WordScores:
            totals = iter(
                sum(answer.logprobs[ask] for ask in row.asks)
                for (_, row), answer in zip(asked, answers, strict=True)
            )
            values = np.array([next(totals) if count else np.nan for count in pieces])
            distinct = np.array(list(dict(zip(question.words, values, strict=True)).values()))
            shares = values - np.logaddexp.reduce(distinct[~np.isnan(distinct)]) if asked else values
            return WordScores(question.words, tuple(shares.tolist()), tuple(pieces))

        return AsRows([row for _, row in asked], read)

    def _sentence(self, encoded: Encoded) -> Row:
        """A sentence as one row: each token's log P is read where the one before it stands."""
        asks = tuple((place - 1, encoded.ids[place]) for place in encoded.content if place > 0)
        return Row(encoded.ids, asks, shared=len(encoded.ids) <= self._longest_branch)

    @property
    def _longest_branch(self) -> int:
        """Tokens of the longest row that may share its beginning with others; 0 where none may.

        Networks that see only so many tokens back would see more of them in a tree.
        """
        forward = self.engine.forward
        if not (isinstance(forward, LanguageForward) and getattr(forward.network, "branches", False)):
            return 0
        config = self._source.config.get_text_config()
        windows = (getattr(config, name, None) for name in ("sliding_window", "attention_chunk_size"))
        return min((int(one) for one in windows if one), default=sys.maxsize)

    def _ask_score(self, question: Score) -> AsRows:
        rule = RULES[0] if question.rule == DEFAULT_RULE else question.rule
        if rule not in RULES:
            raise unknown_name("scoring rule for a causal model", rule, RULES)
        encoded = self.encode(question.text, question.start)
        places = [place for place in encoded.content if place > 0]
        if not places:
            raise UserError(
                f"There is no token with a context to score in {question.text!r}.",
                "Give a sentence with words in it.",
            )
        row = self._sentence(encoded)

        def read(answers: list[RowAnswer]) -> Any:
            values = [answers[0].logprobs[place - 1, encoded.ids[place]] for place in places]
            return token_scores(self, encoded, places, values=values, weights=[1.0] * len(places))

        return AsRows([row], read)
