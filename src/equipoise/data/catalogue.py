"""The data sets by name: ours, which ship, and published ones, found in a folder or fetched and checked."""

import os
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from equipoise.data.reading import TABLES, File, file_sha256, read_table
from equipoise.errors import UserError, unknown_name
from equipoise.files import cache_folder

DATA_VARIABLE = "EQUIPOISE_DATA"
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
        return TABLES / file
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
