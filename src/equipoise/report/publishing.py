"""Publishing on the Hugging Face hub: a changed model or saved results, only to the name that was given.

A new repository is private unless `public` is asked for. One commit holds everything, or nothing is uploaded.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from equipoise.errors import UserError
from equipoise.mitigations.saving import CARD, RECORD
from equipoise.models.wrappers.saving import inner_model
from equipoise.report.exports import export
from equipoise.results.result import load_results
from equipoise.results.saving import FILES, MANIFEST, folders_of_results

MODEL, DATASET = "model", "dataset"
EVAL_RESULTS = ".eval_results/equipoise.yaml"


class Upload(NamedTuple):
    """What would be uploaded: files by their path in the repository, as paths or as bytes."""

    kind: str
    files: dict[str, Path | bytes]

    @property
    def size(self) -> int:
        """The total number of bytes."""
        return sum(len(one) if isinstance(one, bytes) else one.stat().st_size for one in self.files.values())


def push(
    folder: str | Path,
    to: str,
    *,
    results: str | Path | None = None,
    public: bool = False,
    force: bool = False,
) -> str:
    """Upload a folder of `mitigate` as a model, or of results as a data set, and give its address.

    `results` of a model are added as `.eval_results/equipoise.yaml`. A repository that is there is only
    updated with `force`, and only if it is as private or public as asked.
    """
    from huggingface_hub import CommitOperationAdd, HfApi

    upload = collect_upload(Path(folder), Path(results) if results is not None else None)
    api = HfApi(library_name="equipoise")
    with _plain_errors(to, str(api.endpoint)):
        _refuse_unwanted(api, to, upload.kind, public=public, force=force)
        api.create_repo(to, repo_type=upload.kind, private=not public, exist_ok=force)
        added = [CommitOperationAdd(path, given) for path, given in upload.files.items()]
        message = "Upload with Equipoise"
        api.create_commit(to, added, repo_type=upload.kind, commit_message=message)
    return f"{api.endpoint}/{'datasets/' * (upload.kind == DATASET)}{to}"


def collect_upload(folder: Path, results: Path | None = None) -> Upload:
    """Every file that `push` would upload; hidden files and those behind links stay here."""
    if (folder / RECORD).is_file():
        inner = inner_model(folder)
        if inner and Path(inner).is_absolute():
            raise UserError(
                f"{folder} is a recipe around the model in {inner}, which nobody else has.",
                "Upload that model first, and make the recipe around its name on the hub.",
            )
        paths = sorted(path for path in folder.rglob("*") if path.is_file() and not path.is_symlink())
        named = {path.relative_to(folder): path for path in paths}
        shown = {str(name.as_posix()): path for name, path in named.items() if not _is_hidden(name)}
        files: dict[str, Path | bytes] = dict(shown)
        if results is not None:
            files[EVAL_RESULTS] = export(load_results(results), "eval-results").encode()
        return Upload(MODEL, files)
    if results is not None or (folder / "config.json").is_file():
        raise UserError(
            f"{folder} is not a model that `equipoise mitigate` wrote.", "Give its folder, or one of results."
        )
    held = load_results(folder)
    files = {CARD: ("---\ntags:\n- equipoise\n---\n\n" + export(held, "markdown")).encode()}
    for path in folders_of_results(folder):
        files |= {f"{path.name}/{name}": path / name for name in (*FILES, MANIFEST)}
    return Upload(DATASET, files)


def _is_hidden(name: Path) -> bool:
    return any(part.startswith(".") for part in name.parts)


def _refuse_unwanted(api: Any, to: str, kind: str, *, public: bool, force: bool) -> None:
    """Refuse a repository that is there unless forced, and one that others may read where none may."""
    from huggingface_hub.errors import RepositoryNotFoundError

    try:
        is_private = bool(api.repo_info(to, repo_type=kind).private)
    except RepositoryNotFoundError:
        return
    if not force:
        raise UserError(f"{to} exists on the hub.", "Give another name, or --force to update its files.")
    if is_private == public:
        there, asked = ("private", "public") if is_private else ("public", "private")
        hint = "Leave out --public." if public else "Add --public if everybody may read it."
        raise UserError(f"{to} is {there} on the hub, and a {asked} upload was asked for.", hint)


@contextmanager
def _plain_errors(to: str, endpoint: str) -> Iterator[None]:
    """Turn an error of the hub into a `UserError`."""
    from huggingface_hub import get_token
    from huggingface_hub.errors import HfHubHTTPError, HFValidationError

    # The base class of the HTTP library that this release of the hub's client uses.
    unreachable: type[Exception] = HfHubHTTPError.__bases__[0]
    if to.count("/") != 1:
        raise UserError(f"{to!r} is not the name of a repository.", "Write OWNER/NAME.")
    if get_token() is None:
        raise UserError(f"You are not logged in to {endpoint}.", "Run `hf auth login` first.")
    try:
        yield
    except HFValidationError as error:
        raise UserError(f"{to!r} is not the name of a repository: {error}", "Write OWNER/NAME.") from error
    except HfHubHTTPError as error:
        said = error.server_message or str(error).splitlines()[0]
        raise UserError(
            f"{endpoint} refused the upload: {said}", "Check the name and your rights."
        ) from error
    except (OSError, RuntimeError, unreachable) as error:  # a file that cannot be sent is a RuntimeError
        raise UserError(f"The upload to {endpoint} failed: {error}", "Try again later.") from error
