"""The command line called in this process."""

from equipoise.cli import main


def run(*arguments: object) -> int:
    """Run one command and give its exit code."""
    try:
        main([str(one) for one in arguments])
    except SystemExit as stop:
        return int(stop.code or 0)
    return 0
