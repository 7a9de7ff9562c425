"""The commands in the order a newcomer meets them."""

from typing import Any

import typer

from equipoise.cli.cache import cache_app
from equipoise.cli.check import check
from equipoise.cli.compare import compare
from equipoise.cli.competence_study import competence
from equipoise.cli.corpus import corpus
from equipoise.cli.corpus_classifiers import corpus_classifiers
from equipoise.cli.domain_study import domain
from equipoise.cli.export import export
from equipoise.cli.lint import lint
from equipoise.cli.listing import list_known
from equipoise.cli.local_app import local_app
from equipoise.cli.measure import audit, measure
from equipoise.cli.mitigate import mitigate
from equipoise.cli.mitigation_studies import before_after, mitigations
from equipoise.cli.probe import probe, score
from equipoise.cli.report import report
from equipoise.cli.resolution_study import resolution
from equipoise.cli.rewrite import rewrite
from equipoise.cli.study import study_app
from equipoise.cli.tuning_studies import (
    corpus_bias,
    learning_curve,
    professions,
    reminders,
)
from equipoise.cli.usage import Group
from equipoise.cli.vectors_study import vectors


class Interruption(Exception):  # noqa: N818 (not an error: the user stopped it)
    """Ctrl-C in the middle of a command."""


class Commands(Group):
    """Lets an interruption through, which Typer would turn into a bare 'Aborted'."""

    def invoke(self, ctx: Any) -> Any:
        """Run a command."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt as stop:
            raise Interruption from stop


app = typer.Typer(
    name="equipoise",
    cls=Commands,
    help="Measure gender bias in language models, and test whether a mitigation really removed it.",
    no_args_is_help=True,
    rich_markup_mode=None,  # plain help: half the time to start, and more of it on a narrow screen
    pretty_exceptions_enable=False,
)
app.command("list")(list_known)
app.command()(probe)
app.command()(score)
app.command()(measure)
app.command()(audit)
app.command()(compare)
app.command()(report)
app.command()(check)
app.command()(export)
app.command()(lint)
app.command()(corpus)
app.command()(rewrite)
app.command()(mitigate)
app.command("app")(local_app)
study_app.command("competence")(competence)
study_app.command("before-after")(before_after)
study_app.command("mitigations")(mitigations)
study_app.command("professions")(professions)
study_app.command("learning-curve")(learning_curve)
study_app.command("reminders")(reminders)
study_app.command("corpus-bias")(corpus_bias)
study_app.command("corpus-classifiers")(corpus_classifiers)
study_app.command("domain")(domain)
study_app.command("resolution")(resolution)
study_app.command("vectors")(vectors)
app.add_typer(study_app, name="study", cls=Group)
app.add_typer(cache_app, name="cache", cls=Group)


@app.callback(invoke_without_command=True)
def _version(
    version: bool = typer.Option(False, "--version", help="Print the version and stop."),
) -> None:
    """Options before the command; `--debug` anywhere shows the traceback of an error."""
    if version:
        from equipoise import __version__

        typer.echo(__version__)
        raise typer.Exit
