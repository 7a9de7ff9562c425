"""Mistakes of typing, which Typer shows in a box, as our two lines: what was given, what to do."""

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import typer
from typer.core import TyperGroup

from equipoise.errors import UserError, nearest, unknown_name

USAGE_ERROR: type[Exception] = typer.BadParameter.__mro__[1]
"""What Typer raises for every mistake of typing; newer versions have it in a private module."""

WANTED = {int: "a whole number", float: "a number"}

WHOLE = 1000
"""More characters than any command's sentence has."""


class Group(TyperGroup):
    """Commands whose mistakes of typing come out as a `UserError`."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Every command with its whole sentence, which Typer would cut to one line."""
        commands = {name: self.get_command(ctx, name) for name in self.list_commands(ctx)}
        with formatter.section("Commands"):
            formatter.write_dl(
                [
                    (name, command.get_short_help_str(WHOLE))
                    for name, command in commands.items()
                    if command is not None
                ]
            )

    def make_context(self, info_name: str | None, args: list[str], *others: Any, **extra: Any) -> Any:
        """Read the options that stand before the command."""
        given = list(args)
        try:
            return super().make_context(info_name, args, *others, **extra)
        except USAGE_ERROR as error:
            raise in_two_lines(error, given) from error

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """The command that the first word names."""
        if args and not args[0].startswith("-") and self.get_command(ctx, args[0]) is None:
            raise unknown_name(f"command of `{ctx.command_path}`", args[0], self.list_commands(ctx))
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: Any) -> Any:
        """Read the rest and run the command."""
        given = [*getattr(ctx, "_protected_args", ()), *ctx.args]
        try:
            return super().invoke(ctx)
        except USAGE_ERROR as error:
            raise in_two_lines(error, given) from error


def in_two_lines(error: Any, arguments: Sequence[str]) -> Exception:
    """A mistake of typing as a `UserError`; a command without anything keeps its help page."""
    if type(error).__name__ == "NoArgsIsHelpError":
        return error
    command = f"`{error.ctx.command_path}`" if error.ctx else "`equipoise`"
    more = f"{command[:-1]} --help` shows what it takes."
    if hasattr(error, "possibilities"):
        return _unknown_option(error, command, more)
    if type(error).__name__ == "MissingParameter":
        return _missing(error, command, more)
    if getattr(error, "param", None) is not None:
        return _unreadable(error, arguments, more)
    extra = re.search(r"unexpected extra argument.*? \((.*)\)$", error.format_message())
    if extra:
        said = f"{command} was given something that it does not take: {extra[1]}."
        return UserError(said, f"Put text with spaces into quotes; {more}")
    return UserError(error.format_message(), more)


def _unknown_option(error: Any, command: str, more: str) -> UserError:
    known = (
        [name for one in error.ctx.command.get_params(error.ctx) for name in one.opts] if error.ctx else []
    )
    close = nearest(error.option_name, [name for name in known if name.startswith("--")])
    suggested = f"Did you mean {close!r}? " if close else ""
    return UserError(f"There is no option {error.option_name!r} of {command}.", suggested + more)


def _missing(error: Any, command: str, more: str) -> UserError:
    name, what = _name(error.param), str(getattr(error.param, "help", "") or "").replace("`", "")
    return UserError(f"{command} was given no {name}.", f"Give {name}: {what} {more}" if what else more)


def _unreadable(error: Any, arguments: Sequence[str], more: str) -> UserError:
    """A value of the wrong kind, such as a word where a number is expected."""
    name = _name(error.param)
    given = _value_of(error.param, arguments)
    low, high = getattr(error.param, "min", None), getattr(error.param, "max", None)
    wanted = WANTED.get(_kind(error.param))
    if wanted is None:
        return UserError(error.format_message(), more)
    reach = (
        f" from {low} to {high}" if None not in (low, high) else f" from {low} on" if low is not None else ""
    )
    said = f"{name} is {given!r}" if given is not None else f"{name} cannot be read"
    return UserError(f"{said} where {wanted}{reach} is expected.", f"Give {wanted}{reach}; {more}")


def _name(parameter: Any) -> str:
    """An option by its long name, an argument as the help page writes it."""
    if parameter.param_type_name == "option":
        return str(max(parameter.opts, key=len))
    return str(parameter.name).upper()


def _value_of(parameter: Any, arguments: Sequence[str]) -> str | None:
    """What stands behind the option, as it was typed."""
    for option, value in pairwise(arguments):
        if option in parameter.opts:
            return value
    joined = (one.split("=", 1) for one in arguments if "=" in one)
    return next((value for option, value in joined if option in parameter.opts), None)


def _kind(parameter: Any) -> Any:
    """The Python type of an option's value, under either of the ways in which Typer keeps it."""
    described = getattr(parameter, "type_descriptor", None)
    if described is not None:
        kinds = getattr(described.annotation, "__args__", None) or (described.annotation,)
        return next((kind for kind in kinds if kind in WANTED), None)
    return {"integer": int, "integer range": int, "float": float, "float range": float}.get(
        getattr(parameter.type, "name", "")
    )
