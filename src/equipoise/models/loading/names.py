"""The models that come with the package, by name."""

import re
from pathlib import Path

from equipoise.errors import UserError

RANDOM = "random"
EMBEDDED = "embedded"
FOLDERS = {EMBEDDED: Path(__file__).parents[1] / "embedded"}
"""Built-in models that are folders of the package."""

_SHIPPED = (FOLDERS[EMBEDDED] / "packed.json").exists()
BUILT_IN = {
    **({EMBEDDED: "BERT-base-uncased, compressed to fit into the package"} if _SHIPPED else {}),
    RANDOM: "a small model with RANDOM WEIGHTS, which knows nothing; use it to try things out",
}
DEFAULT_MODEL = EMBEDDED if _SHIPPED else RANDOM
LABELS = {EMBEDDED: "BERT-base-uncased (built-in)", RANDOM: "random weights"}
"""What the names of our own models stand for, for readers who never saw the command line."""


def portable_name(name: str) -> str:
    """A model's or file's name without the folders of one user: of an absolute path its last two parts."""
    path = Path(name).expanduser()
    if not path.is_absolute():
        return name
    home = Path.home()
    parts = path.relative_to(home).parts if path.is_relative_to(home) else path.parts[1:]
    return "/".join(parts[-2:])


def is_random(name: str) -> bool:
    """Whether a name stands for the small model with random weights, in whichever draw."""
    return name == RANDOM or name.startswith(f"{RANDOM}:")


def draw_of(name: str) -> int:
    """Which draw of random weights is meant: `random` and `random:1` are the first."""
    number = name.removeprefix(RANDOM).removeprefix(":") or "1"
    if not re.fullmatch(r"[1-9][0-9]{0,8}", number):
        raise UserError(
            f"{name!r} does not say which draw of random weights is meant.",
            f"Write {RANDOM}, {RANDOM}:2, {RANDOM}:3 and so on.",
        )
    return int(number)
