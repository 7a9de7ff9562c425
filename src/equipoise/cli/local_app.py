"""`app`: the local app in the browser."""

import sys
import webbrowser
from dataclasses import replace
from pathlib import Path
from threading import Thread
from typing import Annotated

import typer

from equipoise.app.questions import Desk
from equipoise.app.server import open_server
from equipoise.app.shelf import Shelf
from equipoise.cli.arguments import Models, takes_groups
from equipoise.errors import UserError
from equipoise.models.options import RunOptions


@takes_groups
def local_app(
    *,
    options: RunOptions,
    model: Models = None,
    results: Annotated[
        Path, typer.Option("--results", help="Folder of past results; new ones are saved there.")
    ] = Path("results"),
    port: Annotated[
        int | None,
        typer.Option(
            "--port", min=1, max=65535, help="The port. Without this, the first free one from 8642."
        ),
    ] = None,
    browser: Annotated[bool, typer.Option(help="Open the page in the browser.")] = True,
) -> None:
    """Open the app in the browser: ask, measure, compare, check data, rewrite. It stays on this machine.

    Example: equipoise app --model path/to/bert
    """
    desk = Desk(Shelf(model or (), replace(options, progress=None)), results)
    server = open_server(desk, port)
    sys.stdout.write(f"Equipoise is at {server.address} until you press Ctrl-C.\n")
    sys.stdout.flush()
    Thread(target=_warm_up, args=(desk.shelf,), daemon=True).start()
    if browser and not _open_browser(server.address):
        sys.stderr.write(f"No browser could be opened. Open {server.address} yourself.\n")
    try:
        server.serve_forever()
    except KeyboardInterrupt:  # the way out, not an accident
        sys.stdout.write("\nStopped.\n")
    finally:
        desk.jobs.close()
        server.server_close()


def _warm_up(shelf: "Shelf") -> None:
    """Load the first model while the page opens; what is wrong with it is told here and on the page."""
    try:
        shelf.model(shelf.names[0])
    except UserError as error:
        sys.stderr.write(f"{error}\n")


def _open_browser(address: str) -> bool:

    try:
        return webbrowser.open(address)
    except (webbrowser.Error, OSError):
        return False
