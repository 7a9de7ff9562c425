"""`study domain`: your own text, tuned on in three ways and measured on the part that is held out."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from equipoise.cli.option_groups import Pairs, Reading, TextTuning, takes_groups
from equipoise.cli.options import Length, NoNames, open_model, runs_models, seed_numbers
from equipoise.cli.tuning_studies import CorpusName, Seeds, keeping_of, method_of
from equipoise.models.options import RunOptions

if TYPE_CHECKING:
    import pandas as pd

    from equipoise.studies.domain import DomainStudy

PRINTED_ARMS = ("base", "fine-tuned")
"""The arms whose categories the paper draws."""


@runs_models
@takes_groups
def domain(
    *,
    options: RunOptions,
    corpus: CorpusName,
    tuning: TextTuning,
    reading: Reading,
    contexts: Annotated[int, typer.Option(help="Held-out contexts that are asked; 0: all.")] = 500,
    length: Length = 100,
    no_names: NoNames = False,
    seeds: Seeds = "0,1,2",
    pairs: Pairs = None,
    keep: Annotated[
        bool, typer.Option("--keep", help="Keep the models that are trained, in OUT/models.")
    ] = False,
) -> None:
    """Tune on your own text, plainly, with more dropout and rewritten; measure on the part held out."""
    from equipoise.cli.writing import save_study_figures
    from equipoise.corpora.opening import read_corpus
    from equipoise.studies.domain import domain as study_domain
    from equipoise.studies.domain import refuse_small

    asked = reading.choice(tuning.text, sample=contexts, length=length, names=not no_names)
    read = read_corpus(corpus, replace(asked, with_targets=False), tuning.data_dir)
    refuse_small(read)
    study = study_domain(
        open_model(tuning.model, options),
        read,
        method=method_of(tuning, [f"pairs={pairs}"] if pairs else []),
        seeds=seed_numbers(seeds),
        asked=asked,
        keeping=replace(keeping_of(tuning.out, tuning.force), models=keep),
    )
    saved = save_study_figures(tuning.out)
    _show(study, tuning.out, [str(path) for path in saved], as_json=tuning.as_json)


def _show(study: "DomainStudy", out: Path, figures: list[str], *, as_json: bool) -> None:
    """The tables as the paper prints them, with intervals and the printed values beside them."""
    from equipoise.cli.printing import print_json, print_rows, say
    from equipoise.results.records import to_records

    if as_json:
        overall = study.table[study.table["by"] == ""]
        tables = {name: to_records(table) for name, table in study.tables.items() if name != "training"}
        print_json({"table": to_records(overall), **tables, "sentences": study.sentences, "figures": figures})
        return
    for title, columns, rows in _printed(study.tables):
        print_rows(title, columns, rows)
    for sentence in study.sentences:
        say(sentence)
    if study.tables["probabilities"]["published_male"].notna().any():
        say("Printed: what Deng and Breuch found in news that were never released; compare the direction.")
    say(f"Every table, also by group, and the figures are in {out}.")


Rows = list[list[str]]


def _printed(tables: "Mapping[str, pd.DataFrame]") -> "Iterator[tuple[str, list[str], Rows]]":
    """Title, columns and rows of Figs. 1, 6 to 8 and of the appendix' table."""
    losses = [
        [
            row["arm"],
            _number(row, "loss", "low", "high"),
            _number(row, "perplexity", "perplexity_low", "perplexity_high", places=1),
            _beside(row, "published_loss", "published_perplexity", places=2),
        ]
        for row in tables["losses"].to_dict("records")
    ]
    yield "Held-out text (Fig. 1)", ["arm", "cross-entropy", "perplexity", "printed"], losses
    genders = ["P(male | male)", "P(female | female)", "difference", "printed"]
    table = tables["probabilities"]
    yield "Women and men (Fig. 6)", ["arm", *genders], _genders(table[table["by"] == ""], "arm")
    for arm, rows in table[table["by"] == "category"].groupby("arm", sort=False):
        if arm in PRINTED_ARMS:
            yield (
                f"{arm}: women and men by category (Figs. 7, 8)",
                ["category", *genders],
                _genders(rows, "level"),
            )
    changes = tables["changes"]
    for arm, rows in changes[changes["by"] == "category"].groupby("arm", sort=False):
        yield (
            f"{arm}: change of the difference (appendix 9.0.5)",
            ["context", "before", "after", "change", "printed"],
            [
                [
                    row["level"],
                    *(_number(row, name) for name in ("before", "after")),
                    _number(row, "change", "low", "high", sign=True),
                    _beside(row, "published_before", "published_after", "published_change")
                    if arm == PRINTED_ARMS[-1]
                    else "",
                ]
                for row in rows.to_dict("records")
            ],
        )


def _genders(table: "pd.DataFrame", named: str) -> Rows:
    names = ("male", "female", "difference")
    return [
        [
            row[named],
            *(_number(row, name, f"{name}_low", f"{name}_high") for name in names),
            _beside(row, *(f"published_{name}" for name in names)),
        ]
        for row in table.to_dict("records")
    ]


def _number(row: "Mapping[Any, Any]", name: str, *ends: str, places: int = 3, sign: bool = False) -> str:
    """A number with its interval; a group with too few contexts has neither."""
    from equipoise.results.numbers import fixed

    if row[name] != row[name]:
        return "too few"
    value = fixed(row[name], places, sign=sign)
    low, high = (row[end] for end in ends) if ends else (float("nan"),) * 2
    return value if low != low else f"{value} [{fixed(low, places)}, {fixed(high, places)}]"


def _beside(row: "Mapping[Any, Any]", *names: str, places: int = 3) -> str:
    """What the paper prints in this place, or nothing."""
    from equipoise.results.numbers import fixed

    return " / ".join(fixed(row[name], places) for name in names if row[name] == row[name])
