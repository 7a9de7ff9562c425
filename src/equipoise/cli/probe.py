"""`probe` and `score`: a blank or a sentence, looked at directly."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from equipoise.cli.options import (
    AllowPickle,
    Json,
    Model,
    Models,
    NoCache,
    Precision,
    open_model,
    report_precision,
)
from equipoise.errors import UserError

if TYPE_CHECKING:
    import pandas as pd

    from equipoise.models.base import LanguageModel


def probe(
    text: Annotated[str, typer.Argument(help='A sentence with one blank, e.g. "[MASK] is a doctor."')],
    model: Models = None,
    word: Annotated[list[str] | None, typer.Option("--word", "-w", help="Ask for this word.")] = None,
    top: Annotated[int, typer.Option(min=1, help="How many of the likeliest words to show.")] = 8,
    poles: Annotated[str, typer.Option(help="Named poles or a poles file.")] = "pronouns",
    precision: Precision = "fp32",
    no_cache: NoCache = False,
    allow_pickle: AllowPickle = False,
    as_json: Json = False,
) -> None:
    """What one or more models expect at a blank."""
    words, likely = [], []
    names: list[str | None] = [*model] if model else [None]
    for name in names:
        loaded = open_model(name, precision=precision, no_cache=no_cache, allow_pickle=allow_pickle)
        asked_of, likeliest_of = _probed(loaded, text, word, poles=poles, top=top)
        words.append(asked_of)
        likely.append(likeliest_of)
        report_precision(loaded)
    import pandas as pd  # here and not above, so that loading the model imports it, which is quicker

    from equipoise.cli.printing import print_json, print_table
    from equipoise.results import to_records

    asked, tops = pd.concat(words), pd.concat(likely)
    if as_json:
        print_json({"text": text, "words": to_records(asked), "likeliest": to_records(tops)})
        return
    print_table(text, asked)
    if not tops.empty:
        print_table("The likeliest words", tops)


def _probed(
    model: "LanguageModel", text: str, words: list[str] | None, *, poles: str, top: int
) -> "tuple[pd.DataFrame, pd.DataFrame]":
    """The asked words or the poles' words in every form, and the likeliest words, from one plan."""
    import pandas as pd

    from equipoise.data.poles import load_poles
    from equipoise.models.base import Fill, TopFill

    pole_of = (
        {} if words else {w: pole for (pole, _), group in load_poles(poles).words.items() for w in group}
    )
    asked = Fill(text, tuple(words or pole_of))
    if not model.can_answer(TopFill):
        (given,) = model.answer([asked])
        return _asked(model.name, given.table(text), pole_of), pd.DataFrame()
    given, likeliest = model.answer([asked, TopFill(text, top)])
    table = likeliest.table(text).assign(model=model.name)
    return _asked(model.name, given.table(text), pole_of), table[["model", "word", "probability", "logprob"]]


def _asked(name: str, table: "pd.DataFrame", pole_of: dict[str, str]) -> "pd.DataFrame":
    """Probabilities of the given words, or of the likeliest word of each pole."""
    if not pole_of:
        return table.assign(model=name)[["model", "word", "probability", "logprob", "pieces"]]
    table.insert(0, "pole", [pole_of[word] for word in table["word"]])
    best = table.sort_values("probability", ascending=False).groupby("pole", sort=False).head(1)
    return best.assign(model=name)[["model", "pole", "word", "probability", "logprob", "pieces"]]


def score(
    file: Annotated[Path, typer.Argument(help="A text file with a sentence on each line.")],
    model: Model = None,
    rule: Annotated[
        str, typer.Option(help="How sentences are scored; `default` suits the model.")
    ] = "default",
    out: Annotated[Path | None, typer.Option("--out", "-o", help="Write every token to this CSV.")] = None,
    precision: Precision = "fp32",
    no_cache: NoCache = False,
    allow_pickle: AllowPickle = False,
    as_json: Json = False,
) -> None:
    """The log-probability of every sentence in a file."""
    from equipoise.cli.printing import print_json, print_table
    from equipoise.data.reading import read_lines
    from equipoise.results import to_records

    sentences = read_lines(file)
    loaded = open_model(model, precision=precision, no_cache=no_cache, allow_pickle=allow_pickle)
    tokens = loaded.score(sentences, rule)
    tokens["value"] = tokens["logprob"] * tokens["weight"]
    table = (
        tokens.groupby("sentence")["value"]
        .agg(tokens="size", logprob="sum", per_token="mean")
        .assign(text=sentences)
        .reset_index(drop=True)
    )
    if out is not None:
        _write(tokens.drop(columns="value"), out)
    report_precision(loaded)
    if as_json:
        print_json({"model": loaded.name, "rule": rule, "sentences": to_records(table)})
        return
    print_table(f"Log-probability in nats, rule {rule!r}, of {loaded.name}", table)


def _write(table: "pd.DataFrame", path: Path) -> None:
    try:
        table.to_csv(path, index=False)
    except OSError as error:
        raise UserError(
            f"{path} cannot be written: {error.strerror or error}.", "Give another path with --out."
        ) from error
