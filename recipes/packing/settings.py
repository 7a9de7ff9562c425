"""What a recipe may say: how much text to look at, how large the file may be, how long to tune."""

from dataclasses import dataclass, fields
from importlib import import_module
from pathlib import Path
from typing import Any

from equipoise.errors import UserError, unknown_name


@dataclass(frozen=True)
class Recipe:
    """The settings of one packing; two runs with equal settings and inputs give equal bytes."""

    target_bytes: int
    seed: int = 1
    rounds: int = 4
    passages: int = 800
    passage_tokens: int = 128
    mask_share: float = 0.15
    focus_words: tuple[str, ...] = ()
    focus_share: float = 0.5
    batch_tokens: int = 2048
    damping: float = 0.01
    frequency_power: float = 0.5
    tuning_steps: int = 0
    tuning_rate: float = 1e-4
    held_out_titles: tuple[str, ...] = ()


def read_recipe(path: Path) -> Recipe:
    """Read a recipe from a TOML file and refuse settings that do not exist."""
    if not path.is_file():
        raise UserError(f"There is no recipe at {path}.", "Name a TOML file, as in recipes/.")
    try:
        toml: Any = import_module("tomllib")
    except ModuleNotFoundError:
        hint = "Use Python 3.11 or later, or call pack_model from Python."
        raise UserError("Reading a recipe file needs Python 3.11.", hint) from None
    try:
        settings = toml.loads(path.read_text(encoding="utf-8"))
    except ValueError as mistake:
        raise UserError(f"{path} is not TOML: {mistake}.", "See recipes/ for an example.") from None
    return recipe_from_settings(settings)


def recipe_from_settings(settings: dict[str, Any]) -> Recipe:
    """Build a recipe from a plain table of settings."""
    known = [field.name for field in fields(Recipe)]
    for name in settings:
        if name not in known:
            raise unknown_name("packing setting", name, known)
    if "target_bytes" not in settings:
        raise UserError("The recipe does not say target_bytes.", "Add target_bytes = 75_000_000.")
    _check_types(settings)
    listed: dict[str, Any] = {n: tuple(v) if isinstance(v, list) else v for n, v in settings.items()}
    return Recipe(**listed)


def _check_types(settings: dict[str, Any]) -> None:
    """Each setting must be of the kind its default is; a whole number will do for a fraction."""
    kinds: dict[str, Any] = {"int": int, "float": (int, float), "tuple[str, ...]": (list, tuple)}
    expected = {field.name: str(getattr(field.type, "__name__", field.type)) for field in fields(Recipe)}
    for name, value in settings.items():
        kind = expected[name] if expected[name] in kinds else "tuple[str, ...]"
        if isinstance(value, bool) or not isinstance(value, kinds[kind]):
            raise UserError(f"The setting {name} is {value!r}.", f"Give a value of type {kind}.")
