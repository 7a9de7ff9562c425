"""The command line: parse, one public call, print."""

import gc
import os
import sys
import traceback
from collections.abc import Sequence
from contextlib import suppress
from itertools import pairwise
from typing import NoReturn

from equipoise.errors import UserError, shortage, visible


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line; a user's mistake is two lines and exit code 2, an interruption 130."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    debug = "--debug" in given
    if arguments is None:
        # Plans are millions of objects that live as long as the process: searching them for garbage again
        # and again took a fifth of a command's time.
        gc.set_threshold(100_000, 50, 1000)
    try:
        _run([one for one in given if one != "--debug"])
    except UserError as error:
        if debug:
            traceback.print_exc()
        _say(f"Error: {error.message}", error.hint)
        sys.exit(2)
    except Exception as error:
        lacking = shortage(error)
        if debug or not lacking:
            raise
        _say(
            f"Error: this machine has no {lacking} left: {error}.", "Close other programs or raise the limit."
        )
        sys.exit(2)
    except KeyboardInterrupt:
        if debug:
            traceback.print_exc()
        kept = (
            ""
            if "--no-cache" in given
            else "Finished answers are kept: run the same command again to resume."
        )
        _say("Interrupted.", kept)
        sys.exit(130)
    finally:
        if arguments is None:  # the process ends: what is frozen is not searched for garbage once more
            gc.freeze()


def _run(arguments: list[str]) -> None:
    """Run one command; what cannot be read or written at the edges is a user's matter too."""
    from equipoise.cli.commands import Interruption, app

    _refuse_undecodable(arguments)
    _refuse_empty(arguments)
    _refuse_closed_output()
    _never_fail_to_encode()
    stdout = sys.stdout
    try:
        try:
            app(arguments, prog_name="equipoise", standalone_mode=True)
        finally:
            sys.stdout.flush()
    except Interruption as stop:
        raise KeyboardInterrupt from stop
    except SystemExit:
        if sys.stdout is not stdout:  # what Typer does once nobody reads any more, besides exit code 1
            _leave_quietly()
        raise
    except OSError as error:
        if isinstance(error, BrokenPipeError):
            _leave_quietly()
        if _is_about_output(error):
            reason = error.strerror or str(error)
            raise _unwritten(reason, "Free disk space, or write to another place", arguments) from error
        raise


def _leave_quietly() -> NoReturn:
    """End as other tools do when the reader of a pipe, such as `head`, has seen enough."""
    _give_output_up()
    sys.exit(141)


def _unwritten(reason: str, advice: str, arguments: Sequence[str]) -> UserError:
    _give_output_up()
    has_saved = any(text.partition("=")[0] in ("--out", "-o") for text in arguments)
    saved = "; what --out names was saved before it was printed" if has_saved else ""
    return UserError(f"The output could not be written: {reason}.", f"{advice}{saved}.")


def _refuse_closed_output() -> None:
    """Without a stdout the next file that is opened would take its number, and be written to."""
    if sys.stdout is None:
        raise UserError("The output could not be written: stdout is closed.", "Send it to a file or a pipe.")


def _refuse_undecodable(arguments: Sequence[str]) -> None:
    for place, text in enumerate(arguments, start=1):
        try:
            text.encode("utf-8")
        except UnicodeEncodeError as error:
            shown = text.encode("utf-8", "backslashreplace").decode("ascii", "backslashreplace")
            raise UserError(
                f"Argument {place} is not UTF-8 text: {shown}.",
                "Rename the file, or set the terminal to UTF-8.",
            ) from error


def _refuse_empty(arguments: Sequence[str]) -> None:
    """Refuse an empty argument. An unset shell variable leaves one, and it would pass for a default."""
    for before, text in pairwise(["", *arguments]):
        option, has_value, value = text.partition("=") if text.startswith("--") else (before, "=", text)
        if has_value and not value.strip():
            where = f" behind {option}" if option.startswith("-") else ""
            raise UserError(
                f"An argument{where} is empty.", "Give it a value or leave it out; is a variable unset?"
            )


def _never_fail_to_encode() -> None:
    """A terminal without a character shows a stand-in for it."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")


def _is_about_output(error: OSError) -> bool:
    """Whether writing to the screen or a pipe failed: such an error names no file."""
    return error.filename is None and (isinstance(error, BrokenPipeError) or error.errno in _OUTPUT_ERRORS)


_OUTPUT_ERRORS = (5, 9, 28, 32)
"""EIO, EBADF, ENOSPC and EPIPE."""


def _give_output_up() -> None:
    """Point stdout at nothing, so that the end of the process does not fail at it once more."""
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (OSError, ValueError):
        sys.stdout = None


def _say(*lines: str) -> None:
    for line in lines:
        if line and sys.stderr is not None:
            with suppress(OSError):  # the exit code tells it all the same
                sys.stderr.write(visible(line.replace("\n", " ")) + "\n")
