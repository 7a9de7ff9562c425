"""A result: what one instrument said of one model."""

import platform
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from html import escape
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import pandas as pd

from equipoise.errors import UserError, nearest
from equipoise.models.loading import portable_name
from equipoise.results.estimate import by_of, heading, level_of
from equipoise.results.quantity import Quantity, Roles
from equipoise.results.saving import Stored, folders_of_results, read_result, write_result

_PACKAGES = ("equipoise", "torch", "transformers", "tokenizers", "numpy", "scipy", "pandas")


@dataclass(repr=False)
class Result:
    """What one instrument said of one model.

    `items` has a column `item` that pairs it with another model's, `score` (signed, as the instrument's card
    says) and `dropped`, which is empty or says why an item could not be asked; `roles` names the others.
    """

    instrument: str
    items: pd.DataFrame
    estimates: pd.DataFrame
    provenance: dict[str, Any] = field(default_factory=dict)

    def __repr__(self) -> str:
        said = "".join(f"\n  {sentence}" for sentence in self.sentences)
        return f"<Result of {self.instrument} for {self.model}: {len(self.items):,} items>{said}"

    def _repr_html_(self) -> str:
        """Return HTML for notebooks: the most important estimates, then the same in words."""
        shown = self.headlines()[["label", "value", "low", "high", "n", "neutral", "better", "unit"]]
        said = "".join(f"<li>{escape(sentence)}</li>" for sentence in self.sentences)
        title = f"<b>{escape(self.instrument)}</b> of {escape(self.model)}, {len(self.items):,} items"
        return f"<p>{title}</p>{shown.rename(columns=heading).to_html(index=False)}<ul>{said}</ul>"

    @property
    def model(self) -> str:
        """The measured model's name."""
        return str(self.provenance.get("model", {}).get("name", ""))

    @property
    def fingerprint(self) -> str:
        """The measured model's fingerprint."""
        return str(self.provenance.get("model", {}).get("fingerprint", ""))

    @property
    def kind(self) -> str:
        """The kind of the measured model, such as masked or causal."""
        return str(self.provenance.get("model", {}).get("kind", ""))

    @property
    def precision(self) -> str:
        """The precision that the model was run in."""
        return str(self.provenance.get("model", {}).get("precision", ""))

    @property
    def variant(self) -> str:
        """The instrument's variant."""
        return str(self.provenance.get("instrument", {}).get("variant", ""))

    @property
    def version(self) -> int:
        """The version of the instrument's numbers."""
        return int(self.provenance.get("instrument", {}).get("version", 1))

    @property
    def data_hashes(self) -> dict[str, str]:
        """The files that the items came from, with the SHA-256 of each."""
        return dict(self.provenance.get("data", {}).get("files", {}))

    @property
    def poles(self) -> str:
        """The poles whose words were asked: their name, or the path of a user's file."""
        return str(self.provenance.get("data", {}).get("poles", ""))

    @property
    def choices(self) -> dict[str, str]:
        """What was chosen beside data, variant and poles, such as a layer; what is by default is not here."""
        return {name: str(value) for name, value in self.provenance.get("choices", {}).items()}

    @property
    def fixed_choices(self) -> list[str]:
        """Those of the choices in which results may not differ: all of them, unless the result says which."""
        return list(self.provenance.get("fixed_choices", self.choices))

    @property
    def sample(self) -> dict[str, Any]:
        """Of a sample: its share of the items and what it says of the whole run; of a whole run nothing."""
        return dict(self.provenance.get("sample", {}))

    @property
    def roles(self) -> Roles:
        """Which columns of the items play which part."""
        recorded = self.provenance.get("roles", {})
        return Roles(**{name: tuple(columns) for name, columns in recorded.items()})

    @property
    def declared(self) -> tuple[Quantity, ...]:
        """Every quantity that the instrument declares: how its numbers are read."""
        return tuple(Quantity.from_record(record) for record in self.provenance.get("quantities", ()))

    @property
    def quantities(self) -> tuple[Quantity, ...]:
        """What models are compared by."""
        return tuple(quantity for quantity in self.declared if quantity.compared)

    @property
    def sentences(self) -> list[str]:
        """What the instrument says in words."""
        return list(self.provenance.get("sentences", ()))

    @property
    def notices(self) -> list[str]:
        """What a reader must know about the data and the items."""
        return list(self.provenance.get("data", {}).get("notices", ()))

    def estimate(self, key: str, **groups: str) -> pd.Series:
        """One estimate by its key, over every item or at a level: `estimate("appd", category="x")`."""
        table = self.estimates
        chosen = table[(table["key"] == key) & (table["by"] == by_of(groups))]
        rows = chosen[chosen["level"] == level_of(groups)]
        if len(rows) == 1:
            return rows.iloc[0]
        if key not in set(table["key"]):
            known = ", ".join(dict.fromkeys(table["key"]))
            close = nearest(key, dict.fromkeys(table["key"]))
            suggested = f"Did you mean {close!r}? " if close else ""
            raise UserError(f"{self.instrument} has no estimate {key!r}.", f"{suggested}It has: {known}.")
        named = ", ".join(f"{name}={level}" for name, level in groups.items()) or "every item"
        levels = ", ".join(dict.fromkeys(chosen["level"])) if len(chosen) else ""
        by = ", ".join(dict.fromkeys(table.loc[table["key"] == key, "by"].replace("", "every item")))
        hint = f"Its levels of {by_of(groups)}: {levels}." if levels else f"It is given by: {by}."
        raise UserError(f"{self.instrument} has no estimate {key!r} for {named}.", hint)

    def value(self, key: str, **groups: str) -> float:
        """The value of one estimate."""
        return float(self.estimate(key, **groups)["value"])

    def headlines(self) -> pd.DataFrame:
        """The few estimates to read first."""
        return self.estimates[self.estimates["headline"]]

    def renamed(self, model: str) -> "Result":
        """The same result with its model under another name."""
        named = self.provenance.get("model", {}) | {"name": model}
        return replace(self, provenance=self.provenance | {"model": named})

    def save(self, folder: str | Path, *, force: bool = False) -> Path:
        """Write `FOLDER/<instrument>/`, give its path; only `force` replaces another measurement."""
        stored = Stored(self.instrument, self.items, self.estimates, self.provenance)
        return write_result(stored, Path(folder), force=force)


def load_result(folder: str | Path) -> Result:
    """Read a result that `save` wrote: its own folder, or a folder that holds just one."""
    return Result(*read_result(Path(folder)))


def load_results(folder: str | Path) -> list[Result]:
    """Read the result that a folder is, or those in its direct subfolders."""
    return [load_result(path) for path in folders_of_results(Path(folder))]


def load_folders(folders: Iterable[Path]) -> list[list[Result]]:
    """The results of several folders; models of one name and other weights are named by their folders too."""
    held = [(folder, load_results(folder)) for folder in folders]
    weights: dict[str, set[str]] = {}
    for _, results in held:
        for result in results:
            weights.setdefault(result.model, set()).add(result.fingerprint)
    return [
        [
            result.renamed(f"{result.model} in {portable_name(str(folder.absolute()))}")
            if len(weights[result.model]) > 1
            else result
            for result in results
        ]
        for folder, results in held
    ]


def as_results(given: Result | Sequence[Result], asker: str) -> Sequence[Result]:
    """One result or several; a folder's name is not read here."""
    held = [given] if isinstance(given, Result) else given
    if not isinstance(held, Sequence) or not all(isinstance(one, Result) for one in held):
        raise UserError(
            f"{asker} takes results and was given {given!r:.80}.",
            'Read saved ones first: equipoise.load_results("results/model").',
        )
    return held


def describe_versions() -> dict[str, str]:
    """The versions of what computed a result."""
    versions = {"python": platform.python_version()}
    for package in _PACKAGES:
        try:
            versions[package] = version(package)
        except PackageNotFoundError:
            continue
    return versions


def rows_of(items: pd.DataFrame, quantity: Quantity, suffixes: tuple[str, ...] = ("",)) -> pd.DataFrame:
    """The rows that a quantity rests on; of paired items those that pass its filter on every side."""
    rows = items
    for column, value in quantity.where.items():
        for name in [column] if column in items else [f"{column}{suffix}" for suffix in suffixes]:
            if name not in rows:
                raise UserError(
                    f"The items have no column {column!r}, by which {quantity.label!r} is taken.",
                    "Measure again with this version.",
                )
            rows = rows[rows[name].fillna("").astype(str) == value]
    return rows


def top_items(result: Result, count: int = 10) -> pd.DataFrame:
    """The `count` items with the largest scores in either direction, with their texts and groups.

    They are taken from the items that the result's first quantity rests on: no changed forms, no guard.
    """
    items = result.items
    if result.quantities:
        items = rows_of(items, result.quantities[0])
    known = items[items["score"].notna()]
    order = known["score"].abs().sort_values(ascending=False, kind="stable").index[:count]
    roles = result.roles
    columns = dict.fromkeys(("score", "item", *roles.groups, *roles.text))
    return known.loc[order, [name for name in columns if name in known]].reset_index(drop=True)
