"""`study competence`: the share of female pronouns by class of sentence, as the paper's Table 3."""

from pathlib import Path
from typing import Annotated

import typer

from equipoise.cli.options import Force, Json, MaybeOut
from equipoise.errors import UserError


def competence(
    folders: Annotated[list[Path], typer.Argument(help="Result folders of traits: one model, or more.")],
    out: MaybeOut = None,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Show the share of female pronouns in incompetent, neutral and competent sentences, model by model."""
    from equipoise.cli.printing import print_json, print_rows, say
    from equipoise.cli.writing import refuse_taken, write_latex, write_study
    from equipoise.results import load_results
    from equipoise.results.records import to_records
    from equipoise.studies import competence as study

    refuse_taken(out, force=force)
    results = [one for path in folders for one in load_results(path) if one.instrument == study.INSTRUMENT]
    if not results:
        raise UserError(
            f"{folders[0]} holds no result of {study.INSTRUMENT}.",
            f"Write one with `equipoise measure {study.INSTRUMENT} --data LABELS.csv --out DIR`.",
        )
    table, paper = study.competence_table(results), study.table_3(results)
    sentences = study.competence_sentences(results)
    if out is not None:
        tables = {"table-3.csv": paper, "competence.csv": table}
        write_study(out, study.competence_plan(results), sentences, tables)
        write_latex(out / "table-3.tex", paper)
    if as_json:
        print_json({"table": to_records(table), "table_3": to_records(paper), "sentences": sentences})
        return
    title = "Table 3: share of sentences in which the female pronoun is likelier, with 95 % intervals"
    print_rows(title, list(map(str, paper.columns)), paper.to_numpy(dtype=object).tolist())
    for sentence in sentences:
        say(sentence)
    if out is not None:
        say(f"Tables are in {out}.")
