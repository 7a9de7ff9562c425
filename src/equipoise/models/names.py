"""The models that come with the package, by name."""

from pathlib import Path

RANDOM = "random"
EMBEDDED = "embedded"
FOLDERS = {EMBEDDED: Path(__file__).parent / "embedded"}
"""Built-in models that are folders of the package."""

_SHIPPED = (FOLDERS[EMBEDDED] / "packed.json").exists()
BUILT_IN = {
    **({EMBEDDED: "BERT-base-uncased, compressed to fit into the package"} if _SHIPPED else {}),
    RANDOM: "a small model with RANDOM WEIGHTS, which knows nothing; use it to try things out",
}
DEFAULT_MODEL = EMBEDDED if _SHIPPED else RANDOM
