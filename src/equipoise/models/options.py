"""How a model is run: every option in one object, which the command line's options are made from.

A new option is one line here. A field with a help text can be offered on a command line; its flag is the
field's name unless another is given.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from equipoise.choices import option
from equipoise.errors import UserError, unknown_name
from equipoise.models.progress import ProgressCallback

STARTS = ("auto", "bos", "none", "newline")
"""What a causal model may read before a text, so that its first word has a context too."""


@dataclass(frozen=True)
class RunOptions:
    """Precision, device and executor; what may be read and kept; who is told of progress and may cancel."""

    precision: str = option("fp32", "fp32 (exact) or bf16, where the processor has it.")
    device: str = option("auto", "Where to run: cpu, cuda, cuda:1, mps, or auto for the fastest there is.")
    cache: bool = option(True, "Keep no answers between runs.", flag="--no-cache")
    allow_pickle: bool = option(False, "Read pickled weights, which can run code.")
    executor: str = option("local", "What runs the batches: local (this machine) or ray (a cluster).")
    address: str = option("", "Ray cluster: HOST:PORT, or local to start one on this machine.")
    workers: int = option(0, "Batches to run at once; 0 chooses for the device.")
    token_budget: int = option(0, "Tokens to run at once; 0 suits the device.")
    max_requests: int = option(0, "Requests to send to a server at most; 0 sets no limit.")
    price: float = option(0.0, "Price of a million tokens, to estimate what a server will cost.")
    start: str = option("auto", "What a causal model reads before a text: auto, bos, none or newline.")
    progress: ProgressCallback | None = None
    is_cancelled: Callable[[], bool] | None = None
    store: Path | str | None = None

    def __post_init__(self) -> None:
        for name in ("token_budget", "workers", "max_requests"):
            value = getattr(self, name)
            if not isinstance(value, int) or value < 0:
                raise UserError(
                    f"{name.replace('_', ' ')} is {value}, where a whole number from 0 on is expected.",
                    "Give 0 for the default.",
                )
        if self.address and self.executor == "local":
            raise UserError(
                f"The executor 'local' was given the address {self.address!r}.",
                "It runs on this machine. Leave the address out, or choose --executor ray.",
            )
        if self.executor == "ray" and not self.address:
            raise UserError(
                "The executor 'ray' was given no address.",
                "Give --address HOST:PORT of your cluster, or --address local to start one on this machine.",
            )
        if not self.price >= 0:
            raise UserError(f"The price is {self.price}.", "Give the price of a million tokens, from 0 on.")
        if self.start not in STARTS:
            raise unknown_name("start of a text", self.start, STARTS)


def choose_options(options: RunOptions | None, choices: Mapping[str, Any]) -> RunOptions:
    """Options given as one object or one by one, by name; both at once is refused."""
    if not isinstance(options, RunOptions | None):
        raise UserError(
            f"A {type(options).__name__} was given as options.",
            'Give a RunOptions, or name them one by one: precision="fp32".',
        )
    known = [each.name for each in fields(RunOptions)]
    for name in choices:
        if name not in known:
            raise unknown_name("run option", name, known)
    if options is not None and choices:
        raise UserError(
            f"Options were given twice: as an object and as {', '.join(choices)}.",
            "Put them all into RunOptions, or name them one by one.",
        )
    return options or RunOptions(**choices)
