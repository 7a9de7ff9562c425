"""`cache`: what the answer store holds, and clearing it."""

import typer

from equipoise.cli.options import Json

cache_app = typer.Typer(help="Look at or clear the stored answers.", no_args_is_help=True)


@cache_app.command("info")
def info(as_json: Json = False) -> None:
    """How many answers are stored, by model."""
    from equipoise.cli.printing import print_json, print_rows
    from equipoise.models.engine.inventory import stored_models
    from equipoise.models.engine.store import cache_file

    path = cache_file()
    models = stored_models(path)
    size = path.stat().st_size if path.exists() else 0
    if as_json:
        rows = [vars(model) for model in models]
        print_json({"file": str(path), "bytes": size, "models": rows})
        return
    rows_shown = [
        (one.name, one.fingerprint[:12], one.answers, f"{one.bytes / 1e6:.1f} MB") for one in models
    ]
    print_rows(f"{path} ({size / 1e6:.1f} MB)", ("model", "fingerprint", "answers", "size"), rows_shown)


@cache_app.command("clear")
def clear(as_json: Json = False) -> None:
    """Delete every stored answer."""
    from equipoise.cli.printing import print_json
    from equipoise.models.engine.inventory import clear_store
    from equipoise.models.engine.store import cache_file

    freed = clear_store(cache_file())
    if as_json:
        print_json({"file": str(cache_file()), "freed_bytes": freed})
    else:
        typer.echo(f"Cleared {cache_file()}: {freed / 1e6:.1f} MB.")
