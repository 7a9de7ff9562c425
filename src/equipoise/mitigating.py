"""Mitigating: a model in, another one out, with a record of what was done."""

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field, is_dataclass
from pathlib import Path
from typing import Any, TypeAlias

import pandas as pd

from equipoise.corpora.opening import CorpusChoice, CorpusTexts, read_corpus
from equipoise.data.reading import file_sha256
from equipoise.errors import UserError, check_seed
from equipoise.measuring import ModelSource, as_model
from equipoise.mitigations import mitigation_class
from equipoise.mitigations.base import Materials, Mitigation, presets_of
from equipoise.models.loading import portable_name
from equipoise.models.protocol import LanguageModel
from equipoise.models.static import StaticModel
from equipoise.models.wrappers.base import WrappedModel
from equipoise.plugins import card_of
from equipoise.results.result import describe_versions

CorpusSource: TypeAlias = "CorpusTexts | pd.DataFrame | str | Path | None"
MitigationSource: TypeAlias = Mitigation | str


@dataclass(frozen=True)
class Mitigated:
    """A changed model, what its account says, the record that is saved with it, and the training's losses."""

    model: LanguageModel
    account: tuple[str, ...]
    record: dict[str, Any]
    history: pd.DataFrame = field(default_factory=pd.DataFrame)

    def save(self, folder: str | Path, *, force: bool = False) -> Path:
        """Write a folder that `load_model` loads (plain weights: transformers too), with a model card."""
        from equipoise.mitigations.saving import save_changed

        save_changed(self.model, self.record, Path(folder), force=force)
        return Path(folder)


def mitigate(
    model: ModelSource,
    mitigation: MitigationSource,
    *,
    corpus: CorpusSource = None,
    text: str | None = None,
    seed: int = 0,
    workshop: Path | None = None,
) -> Mitigated:
    """Change a copy of a model: `mitigate("path/to/bert", "counterfactual", corpus="texts.csv").save(...)`.

    The mitigation is one of the index by name, or an object with options of its own. `text` names the
    corpus' column; in `workshop` a killed run finds its checkpoints when it is called again.
    """
    check_seed(seed)
    loaded = as_model(model)
    chosen = mitigation_class(mitigation)() if isinstance(mitigation, str) else mitigation
    read = _corpus(chosen, corpus, text)
    documents = read.documents if read else ()
    materials = Materials(documents, seed, loaded.options, workshop)
    chosen.check(loaded, materials)
    changed = chosen.change(loaded, materials)
    account = (*_problems(read), *_by_group(read), *changed.account)
    record = _record(chosen, loaded, changed.model, account, (read, seed)) | {"used": dict(changed.used)}
    return Mitigated(changed.model, account, record, changed.history)


def was_made(
    folder: str | Path, mitigation: Mitigation, model: LanguageModel, corpus: CorpusTexts | None, seed: int
) -> bool:
    """Whether a folder holds this very change: the same method, options, model, text and seed."""
    from equipoise.mitigations.saving import read_record

    record = read_record(Path(folder))
    cause = json.loads(json.dumps(_cause(mitigation, model, corpus, seed), default=str))
    texts = [one.get("corpus") or {} for one in (record, cause)]
    bases = [one.get("base") or {} for one in (record, cause)]
    return (
        all(record.get(name) == cause[name] for name in ("mitigation", "options", "seed"))
        and bases[0].get("fingerprint") == bases[1]["fingerprint"]
        and texts[0].get("sha256") == texts[1].get("sha256")
        and record.get("files") == cause.get("files")
    )


def _corpus(mitigation: Mitigation, corpus: CorpusSource, text: str | None) -> CorpusTexts | None:
    if corpus is None:
        return None
    if not mitigation.reads_corpus:
        raise UserError(f"{mitigation.name} reads no corpus.", "Leave it out.")
    if isinstance(corpus, CorpusTexts):
        return corpus
    return read_corpus(corpus, CorpusChoice(text=text))


def _problems(read: CorpusTexts | None) -> tuple[str, ...]:
    if read is None:
        return ()
    notices = tuple(f"{notice}." for notice in read.problems.notices)
    if not read.problems.total:
        return notices
    reasons = ", ".join(f"{count:,} x {reason}" for reason, count in read.problems.unread.most_common())
    return (f"{read.problems.total:,} rows of the corpus were skipped ({reasons}).", *notices)


def _by_group(read: CorpusTexts | None) -> Iterator[str]:
    """How many documents of each group were read."""
    documents = read.documents if read else ()
    for name in documents[0].groups if documents else ():
        counts = Counter(document.groups[name] for document in documents)
        levels = ", ".join(f"{level} {count:,}" for level, count in sorted(counts.items()))
        yield f"{len(documents):,} documents by {name}: {levels}."


def _cause(
    mitigation: Mitigation, before: LanguageModel, read: CorpusTexts | None, seed: int
) -> dict[str, Any]:
    """All that a changed model comes from."""
    described = None
    if read is not None:
        documents = len(read.documents)
        described = {"name": portable_name(read.name), "documents": documents, "sha256": read.digest}
    files = {portable_name(str(path)): file_sha256(path) for path in getattr(mitigation, "files", ())}
    options: dict[str, Any] = asdict(mitigation) if is_dataclass(mitigation) else {}
    return {
        "mitigation": mitigation.name,
        "options": {name: _portable(value) for name, value in options.items()},
        "seed": seed,
        "base": {"name": portable_name(before.name), "fingerprint": before.fingerprint},
        "corpus": described,
        **({"files": files} if files else {}),
    }


def _portable(value: Any) -> Any:
    """An option's value; of a path only what means something on another machine."""
    return portable_name(str(value)) if isinstance(value, str | Path) else value


def _record(
    mitigation: Mitigation,
    before: LanguageModel,
    after: LanguageModel,
    account: Sequence[str],
    given: tuple[CorpusTexts | None, int],
) -> dict[str, Any]:
    return {
        **_cause(mitigation, before, *given),
        "method": card_of(type(mitigation)),
        "presets": presets_of(mitigation),
        "fingerprint": after.fingerprint,
        "kind": after.kind,
        "library": "equipoise" if isinstance(after, WrappedModel | StaticModel) else "transformers",
        "account": list(account),
        "price": [],
        "versions": describe_versions(),
    }
