"""Sources: what a user named as data, a data set, a path or a table, found in one place."""

from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, TypeAlias, runtime_checkable

import pandas as pd

from equipoise.data.catalogue import fetch_file, is_dataset
from equipoise.data.reading import TABLES, File, GivenTable
from equipoise.errors import UserError, unknown_name
from equipoise.plugins import Index


@runtime_checkable
class Table(Protocol):
    """A table of another library: a `datasets.Dataset`, a polars DataFrame or an Arrow table."""

    def to_pandas(self) -> pd.DataFrame:
        """The same rows as a pandas DataFrame."""


Data: TypeAlias = "str | Path | pd.DataFrame | Table"
"""What a user may give as data."""


def without_table(data: Data) -> "str | Path | pd.DataFrame":
    """A table of another library as a DataFrame; anything else as it is."""
    return data.to_pandas() if isinstance(data, Table) else data


DATA = Index("data", {}, "data set")
"""Data sets of installed packages: each is a function that gives the path of its file or folder."""


@dataclass(frozen=True)
class Source:
    """Where items come from: a data set by name, a user's file or folder, or a table in memory."""

    name: str
    given: File | None = None
    data_dir: str | Path | None = None

    @property
    def is_dataset(self) -> bool:
        """Whether a data set was named, rather than something of the user's own given."""
        return self.given is None

    def file(self, name: str) -> File:
        """The data set's file of this name; of a user's folder the file in it, or what was given itself."""
        if self.given is None:
            return fetch_file(self.name, name, self.data_dir)
        if isinstance(self.given, Path) and self.given.is_dir():
            return self.given / name
        return self.given

    def path(self, name: str) -> Path:
        """The same where only a file will do, because it is not a table."""
        file = self.file(name)
        if isinstance(file, GivenTable):
            raise UserError(
                f"A table was given where {name!r} is read, which is not a table.", "Give the path of a file."
            )
        return file

    def beside(self, name: str) -> Path | None:
        """The file of this name in the user's folder, or beside the user's file; None if there is none."""
        if not isinstance(self.given, Path):
            return None
        path = self.given / name if self.given.is_dir() else self.given.with_name(name)
        return path if path.exists() else None

    def beside_or_shipped(self, name: str) -> Path:
        """A file that a user may put beside the data, else the data set's, else the one that ships."""
        if self.given is None:
            return fetch_file(self.name, name, self.data_dir)
        return self.beside(name) or TABLES / name

    def has_suffix(self, *suffixes: str) -> bool:
        """Whether a file with one of these endings was given."""
        return isinstance(self.given, Path) and self.given.suffix in suffixes


def resolve(data: Data, known: tuple[str, ...], *, reader: str, data_dir: str | Path | None = None) -> Source:
    """What the user named, or the first known data set where nothing was; unknown names are refused."""
    data = without_table(data)
    if isinstance(data, pd.DataFrame):
        return Source("table", GivenTable(data), data_dir)
    if not isinstance(data, str | Path):
        raise UserError(
            f"A {type(data).__name__} was given as data.",
            "Give the name of a data set, the path of a file, or a table (pandas, polars, Arrow, datasets).",
        )
    if not (str(data) or known):
        raise UserError(
            f"{reader} reads a corpus of yours, and none was given.", "Name a file or folder with --data."
        )
    name = str(data) or known[0]
    if name in DATA:
        return Source(name, Path(DATA.load(name)()), data_dir)
    if is_dataset(name):
        if name not in known:
            raise UserError(
                f"{reader} does not read the data set {name!r}.",
                f"It reads {', '.join((*known, 'or a file of yours'))}."
                if known
                else "Give a file of yours.",
            )
        return Source(name, None, data_dir)
    if not Path(name).exists():
        if not known:
            raise UserError(f"There is no file or folder {name}.", f"{reader} reads a corpus of yours.")
        if Path(name).suffix or len(Path(name).parts) > 1:
            hint = f"Check the path, or name a data set: {', '.join(known)}."
            raise UserError(f"There is no file or folder {name}.", hint)
        raise unknown_name(f"data set or file for {reader}", name, known)
    return Source(name, Path(name), data_dir)
