"""Choices of a user, each declared once: as a field of a dataclass, with its help.

The command line, Python, the app, refusals and comparison are made from the declaration:

    whiten: bool = choice(False, "Whiten the vectors first.", may_differ=False)

A dataclass may hold another one as a group of choices, as `Settings` holds `CorpusChoice`.
"""

from collections.abc import Iterator, Mapping
from dataclasses import Field, dataclass, field, fields, is_dataclass, replace
from typing import Any

EACH, ALL_READ = "for each instrument by itself;", "read by all;"


def option(default: Any, text: str, flag: str = "") -> Any:
    """A field that the command line offers, for how something runs rather than for what is measured."""
    return field(default=default, metadata={"help": text, "flag": flag})


def choice(default: Any, text: str, *, may_differ: bool, flag: str = "", given: str = "") -> Any:
    """A field that changes what is measured.

    Two results may be compared although they differ in it only if `may_differ`. An instrument that reads it
    says so in `reads`, unless all read it. `given` holds EACH and ALL_READ, where these apply.
    """
    said = {"help": text, "flag": flag, "may_differ": may_differ, "given": given}
    return field(default=default, metadata=said)


@dataclass(frozen=True)
class Choice:
    """One declared choice: its field and the group that it belongs to."""

    field: Field[Any]
    group: str

    @property
    def name(self) -> str:
        """What Python calls it."""
        return self.field.name

    @property
    def flag(self) -> str:
        """What the command line calls it."""
        return str(self.field.metadata["flag"]) or f"--{self.name.replace('_', '-')}"

    @property
    def help(self) -> str:
        """What it is for."""
        return str(self.field.metadata["help"])

    @property
    def kind(self) -> Any:
        """The type of its value."""
        return self.field.type

    @property
    def default(self) -> Any:
        """Its value where nothing was chosen."""
        return self.field.default

    @property
    def may_differ(self) -> bool:
        """Whether results may be compared although they differ in it."""
        return bool(self.field.metadata["may_differ"])

    def is_given(self, how: str) -> bool:
        """Whether it was declared as EACH or ALL_READ."""
        return how in self.field.metadata.get("given", "")

    def of(self, chosen: Any) -> Any:
        """Its value in an object that holds the choices."""
        return getattr(getattr(chosen, self.group) if self.group else chosen, self.name)

    def is_read_by(self, reads: tuple[str, ...]) -> bool:
        """Whether an instrument that reads these choices or groups reads this one."""
        return self.is_given(ALL_READ) or self.name in reads or self.group in reads


def choices_of(kind: type[Any]) -> tuple[Choice, ...]:
    """Every choice that a dataclass declares, those of its groups included."""
    return tuple(_choices(kind, ""))


def _choices(kind: type[Any], group: str) -> Iterator[Choice]:
    for each in fields(kind):
        if "help" in each.metadata:
            yield Choice(each, group)
        elif isinstance(each.type, type) and is_dataclass(each.type):
            yield from _choices(each.type, each.name)


def with_choices(chosen: Any, values: Mapping[str, Any]) -> Any:
    """The same object with other values; a choice of a group may be named by itself."""
    groups = {one.name: one.group for one in choices_of(type(chosen))}
    inner: dict[str, dict[str, Any]] = {}
    for name, value in values.items():
        inner.setdefault(groups.get(name, ""), {})[name] = value
    chosen = replace(chosen, **inner.pop("", {}))
    return replace(
        chosen, **{group: replace(getattr(chosen, group), **given) for group, given in inner.items()}
    )


def made_choices(chosen: Any) -> list[tuple[Choice, Any]]:
    """What differs from the default, with its value; a table, which cannot be compared, always does."""
    values = [(one, one.of(chosen)) for one in choices_of(type(chosen))]
    return [
        (one, value)
        for one, value in values
        if not isinstance(value, type(one.default)) or value != one.default
    ]
