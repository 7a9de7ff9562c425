"""What a model is asked, and what it answers."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd

DEFAULT_RULE = "default"
"""The scoring rule that is natural for the kind of model: masked `original`, causal `left-to-right`."""

Vector = npt.NDArray[np.float32]

MEAN, MEAN_WITH_SPECIAL, FIRST = "mean", "mean-with-special", "first"
POOLINGS = (MEAN, MEAN_WITH_SPECIAL, FIRST)
"""How the tokens of a text become one vector: their mean, without or with those that the tokenizer adds
([CLS], [SEP]), or the first token's alone."""


@dataclass(frozen=True)
class Fill:
    """Log P of each given word at a blank; `hidden` character spans of the text are masked too.

    A causal model that can puts `start` in front of the text in place of its own beginning.
    """

    text: str
    words: tuple[str, ...]
    blank: int | None = None
    hidden: tuple[tuple[int, int], ...] = ()
    unknown_as_nan: bool = False
    start: str = ""


@dataclass(frozen=True)
class TopFill:
    """The `count` likeliest vocabulary entries at the only blank."""

    text: str
    count: int = 10


@dataclass(frozen=True)
class Score:
    """Log P of every token of a text, each given its context by the named rule."""

    text: str
    rule: str = DEFAULT_RULE
    start: str = ""


@dataclass(frozen=True)
class Embed:
    """One vector: the mean over the tokens of a character span of a text, or its tokens pooled by name.

    The tokens of the `hidden` character spans are masked first.
    """

    text: str
    layer: int = -1
    span: tuple[int, int] | None = None
    pooling: str = MEAN
    hidden: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True)
class Raw:
    """Log P of given token ids at one position of a row of ids that is run exactly as it stands."""

    ids: tuple[int, ...]
    position: int
    wanted: tuple[int, ...]


@dataclass(frozen=True)
class Classify:
    """What a classifier says of a text, or of a text and another one (premise and hypothesis)."""

    text: str
    other: str = ""


@dataclass(frozen=True)
class Generate:
    """Texts that a model writes after this one, or as its turn in a chat that this one opens.

    `system` is the chat's system prompt: empty leaves it out, so that the model's template decides.
    """

    text: str
    system: str = ""
    is_chat: bool = True
    count: int = 1
    temperature: float = 1.0
    seed: int = 0
    max_tokens: int = 128


Question = Fill | TopFill | Score | Embed | Raw | Classify | Generate


@dataclass(frozen=True)
class WordScores:
    """Natural-log probabilities of words at a blank, and how many pieces each word took."""

    words: tuple[str, ...]
    logprobs: tuple[float, ...]
    pieces: tuple[int, ...]

    def probability(self, word: str) -> float:
        """The probability of one of the words."""
        return float(np.exp(self.logprobs[self.words.index(word)]))

    def table(self, text: str) -> pd.DataFrame:
        """A row per word, beside the text that was asked."""
        return pd.DataFrame(
            {
                "text": text,
                "word": self.words,
                "logprob": self.logprobs,
                "probability": np.exp(self.logprobs),
                "pieces": self.pieces,
            }
        )


@dataclass(frozen=True)
class TokenScores:
    """Natural-log probability of every token, where it stands in the text, and its weight."""

    tokens: tuple[str, ...]
    logprobs: tuple[float, ...]
    spans: tuple[tuple[int, int], ...]
    weights: tuple[float, ...]

    @property
    def total(self) -> float:
        """The sum over tokens of weight times log P (NaN if any token could not be asked)."""
        return float(np.dot(self.weights, self.logprobs))

    @property
    def mean(self) -> float:
        """The total divided by the number of tokens."""
        return self.total / len(self.tokens)


@dataclass(frozen=True)
class Embedding:
    """One vector; NaN throughout where the model has none for this text."""

    vector: Vector


@dataclass(frozen=True)
class LabelScores:
    """The probability of every label; of a classifier with one output its value as it stands."""

    labels: tuple[str, ...]
    values: tuple[float, ...]

    def of(self, label: str) -> float:
        """The value of one label."""
        return self.values[self.labels.index(label)]

    @property
    def likeliest(self) -> str:
        """The label with the highest value."""
        return self.labels[int(np.argmax(self.values))]


@dataclass(frozen=True)
class Written:
    """The texts that a model wrote, each with the reason why it ended there (`stop` or `length`)."""

    texts: tuple[str, ...]
    endings: tuple[str, ...]


Answer = WordScores | TokenScores | Embedding | LabelScores | Written
