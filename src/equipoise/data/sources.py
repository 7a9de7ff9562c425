"""Sources: what a user named as data (a data set, a path or a table), found in one place.

Our data sets ship. Published ones are found in a folder, or fetched and checked.
"""

import os
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Protocol, TypeAlias, runtime_checkable

import pandas as pd

from equipoise.data.reading import TABLES, File, GivenTable, file_sha256, read_table
from equipoise.errors import UserError, unknown_name
from equipoise.files import cache_folder
from equipoise.plugins import Index

DATA_VARIABLE = "EQUIPOISE_DATA"
PACKAGE = Path(__file__).parents[1]
_CATALOGUE = Path(__file__).parent / "catalogue.csv"


@dataclass(frozen=True)
class DataFile:
    """One file of a data set: where it comes from, what it must hash to, what is wrong with it."""

    dataset: str
    file: str
    licence: str
    citation: str
    url: str
    sha256: str
    problems: str
    folder: str

    @property
    def home(self) -> str:
        """The folder it lies in: two data sets may be slices of one file."""
        return self.folder or self.dataset

    @property
    def is_ours(self) -> bool:
        """Whether the file ships with the package."""
        return self.dataset.startswith("equipoise-")


@cache
def catalogue() -> tuple[DataFile, ...]:
    """Every file of every known data set."""
    table = read_table(_CATALOGUE).drop(columns="line")
    return tuple(DataFile(*row) for row in table.itertuples(index=False))


def dataset_names() -> list[str]:
    """The names of the known data sets, in the catalogue's order."""
    return list(dict.fromkeys(entry.dataset for entry in catalogue()))


def dataset_files(name: str) -> list[str]:
    """The names of a data set's files, in the catalogue's order."""
    return [entry.file for entry in catalogue() if entry.dataset == name]


def is_dataset(name: str) -> bool:
    """Whether a data set of this name is known."""
    return name in dataset_names()


def fetch_file(dataset: str, file: str, data_dir: str | Path | None = None) -> Path:
    """The path of a data set's file: shipped, in the data folder, or downloaded once and checked."""
    entry = _entry(dataset, file)
    if entry.is_ours:
        return PACKAGE / entry.folder / file if entry.folder else TABLES / file
    folder = Path(data_dir) if data_dir else _folder_from_environment()
    if folder is not None:
        local = folder / entry.home / file
        if local.exists():
            return local
    return _download(entry, folder)


def altered_problem(path: File, dataset: str) -> str:
    """A sentence about a published file whose content is not the published one, or nothing."""
    known = {entry.file: entry.sha256 for entry in catalogue() if entry.dataset == dataset}
    expected = known.get(path.name, "")
    if not expected or file_sha256(path) == expected:
        return ""
    return f"{path.name} differs from the published file of {dataset}"


def _entry(dataset: str, file: str) -> DataFile:
    entries = [entry for entry in catalogue() if entry.dataset == dataset]
    if not entries:
        raise unknown_name("data set", dataset, dataset_names())
    for entry in entries:
        if entry.file == file:
            return entry
    raise unknown_name(f"file of {dataset}", file, [entry.file for entry in entries])


def _folder_from_environment() -> Path | None:
    named = os.environ.get(DATA_VARIABLE)
    return Path(named) if named else None


def _download(entry: DataFile, folder: Path | None) -> Path:
    """Download a file once, refusing it if its hash is not the recorded one."""
    looked = f"It is not in {folder / entry.home}. " if folder else ""
    give = f"Put it at FOLDER/{entry.home}/{entry.file} and pass --data-dir FOLDER"
    if not entry.url:
        raise UserError(
            f"The data set {entry.dataset!r} has no address to download {entry.file!r} from.",
            f"{looked}{give} (or set {DATA_VARIABLE}).",
        )
    import pooch

    try:
        fetched = pooch.retrieve(
            entry.url,
            known_hash=f"sha256:{entry.sha256}",
            fname=entry.file,
            path=cache_folder() / "data" / entry.home,
            progressbar=False,
        )
    except Exception as error:  # requests, urllib3, OSError and ValueError (hash) all mean: not fetched
        raise UserError(
            f"{entry.file!r} of {entry.dataset!r} could not be fetched: {' '.join(str(error).split())[:200]}",
            f"{looked}{give} (or set {DATA_VARIABLE}).",
        ) from error
    return Path(fetched)


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
