"""`probe` and `score`: a blank or a sentence, looked at directly."""

import sys
from pathlib import Path
from typing import Annotated

import pandas as pd
import typer

from equipoise.cli.arguments import (
    Force,
    Json,
    Model,
    Models,
    open_model,
    refuse_existing,
    report_precision,
    takes_groups,
)
from equipoise.cli.printing import print_json, print_table, say
from equipoise.data.csv_text import as_csv
from equipoise.data.poles import load_poles
from equipoise.data.reading import numbered_lines
from equipoise.errors import UserError, explained_writing
from equipoise.files import write_beside
from equipoise.models.loading import LABELS, portable_name
from equipoise.models.options import RunOptions
from equipoise.models.questions import DEFAULT_RULE
from equipoise.probing import probe_blank
from equipoise.results.records import to_records
from equipoise.text.blank import refuse_no_blank

SHOWN_UNKNOWN = 5
"""How many lines with something unknown are named."""


@takes_groups
def probe(
    text: Annotated[str, typer.Argument(help='A sentence with one blank, e.g. "[MASK] is a doctor."')],
    *,
    options: RunOptions,
    model: Models = None,
    word: Annotated[list[str] | None, typer.Option("--word", "-w", help="Ask for this word.")] = None,
    top: Annotated[int, typer.Option(min=1, help="How many of the likeliest words to show.")] = 8,
    poles: Annotated[str, typer.Option(help="A set of poles by name, or a file of poles.")] = "pronouns",
    as_json: Json = False,
) -> None:
    """Show what one or more models expect at a blank.

    Example: equipoise probe "[MASK] is a nurse." --model path/to/bert
    """
    refuse_no_blank(text)
    if not word:
        load_poles(poles)
    probed = []
    names: list[str | None] = [*model] if model else [None]
    for name in names:
        loaded = open_model(name, options)
        probed.append(probe_blank(loaded, text, words=word or (), poles=poles, top=top))
        report_precision(loaded)

    asked = pd.concat([one.words for one in probed])
    likeliest = pd.concat([one.likeliest for one in probed])
    notes = [*dict.fromkeys(note for one in probed for note in one.notes), *_other_forms(asked)]
    if as_json:
        records = {"words": to_records(asked), "likeliest": to_records(likeliest)}
        differences = {str(one.words["model"].iloc[0]): one.difference for one in probed}
        print_json({"text": text, **records, "differences": differences, "notes": notes})
        return
    for one in probed:
        name = str(one.words["model"].iloc[0])
        say(one.sentence(LABELS.get(name, portable_name(name))))
    print_table(text, asked.replace({"model": LABELS}))
    if not likeliest.empty:
        print_table("The likeliest words", likeliest.replace({"model": LABELS}))
    for note in notes:
        say(f"note: {note}")


def _other_forms(asked: "pd.DataFrame") -> list[str]:
    """That the models stand side by side with different words, where each expects another form."""
    forms = asked["form"].unique() if "form" in asked else ()
    if len(forms) < 2:
        return []
    return [f"the models expect different forms ({', '.join(forms)}): ask all for the same words with --word"]


@takes_groups
def score(
    texts: Annotated[list[str], typer.Argument(help="Sentences, or a text file with one per line.")],
    *,
    options: RunOptions,
    model: Model = None,
    rule: Annotated[
        str, typer.Option(help="How sentences are scored; `default` suits the model.")
    ] = "default",
    out: Annotated[Path | None, typer.Option("--out", "-o", help="Write every token to this CSV.")] = None,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Give the log-probability of each sentence.

    Example: equipoise score "He is a nurse." "She is a nurse."
    """
    if out is not None:
        _refuse_input(Path(texts[0]), out)
        refuse_existing(out, force)
    lines = numbered_lines(Path(texts[0])) if _is_file(texts) else dict(enumerate(texts, start=1))
    loaded = open_model(model, options)
    rule = loaded.rules[0] if rule == DEFAULT_RULE and loaded.rules else rule
    tokens = loaded.score(list(lines.values()), rule)
    tokens["sentence"] = tokens["sentence"].map(dict(enumerate(lines)))
    tokens = tokens.rename(columns={"sentence": "line"})
    values = tokens.assign(value=tokens["logprob"] * tokens["weight"]).groupby("line")["value"]
    table = values.agg(tokens="size", logprob="sum", per_token="mean").reset_index()
    table["text"] = table["line"].map(lines)
    if out is not None:
        with explained_writing(out, "Give another path with --out."):
            write_beside(out, as_csv(tokens))
    unknown = {number: parts for number, text in lines.items() if (parts := loaded.unknown_parts(text))}
    _tell_unknown(loaded.name, unknown, len(lines))
    report_precision(loaded)
    if as_json:
        spelt = {"unknown": {str(number): parts for number, parts in unknown.items()}}
        print_json({"model": loaded.name, "rule": rule, "sentences": to_records(table), **spelt})
        return
    name = LABELS.get(loaded.name, portable_name(loaded.name))
    print_table(f"Log-probability in nats, rule {rule!r}, of {name}", table)


def _is_file(texts: list[str]) -> bool:
    """Whether one file was named: a single text without a space is a name, even if nothing is there."""
    return len(texts) == 1 and (" " not in texts[0].strip() or Path(texts[0]).is_file())


def _refuse_input(file: Path, out: Path) -> None:
    if file.exists() and out.exists() and file.samefile(out):
        raise UserError(
            f"--out {out} is the file that is read.", "Give another path, or it would be destroyed."
        )


def _tell_unknown(model: str, unknown: dict[int, list[str]], lines: int) -> None:
    """Say which lines hold something that the tokenizer cannot spell: its score is the unknown token's."""
    if not unknown:
        return
    named = [f"line {number} ({' '.join(parts)})" for number, parts in unknown.items()]
    more = f" and {len(named) - SHOWN_UNKNOWN} more" if len(named) > SHOWN_UNKNOWN else ""
    sys.stderr.write(
        f"{model!r} cannot spell something in {len(named)} of {lines} lines and scores its unknown "
        f"token there: {', '.join(named[:SHOWN_UNKNOWN])}{more}.\n"
    )
