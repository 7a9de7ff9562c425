"""The command line: parse, one public call, print."""

import gc
import sys
from collections.abc import Sequence

from equipoise.errors import UserError


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line; a user's mistake is two lines and exit code 2, an interruption 130."""
    from equipoise.cli.commands import Interruption, app

    given = list(sys.argv[1:] if arguments is None else arguments)
    debug = "--debug" in given
    try:
        app([one for one in given if one != "--debug"], standalone_mode=True)
    except UserError as error:
        if debug:
            raise
        _say(f"Error: {error.message}", error.hint)
        sys.exit(2)
    except (Interruption, KeyboardInterrupt):
        if debug:
            raise
        _say("Interrupted.", "Finished answers are kept: the same command goes on from here.")
        sys.exit(130)
    finally:
        if arguments is None:  # the process ends: what is frozen is not searched for garbage once more
            gc.freeze()


def _say(*lines: str) -> None:
    for line in lines:
        if line:
            sys.stderr.write(line.replace("\n", " ") + "\n")
