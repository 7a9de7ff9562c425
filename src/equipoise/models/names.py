"""The models that come with the package, by name."""

BUILT_IN = {"random": "a small model with RANDOM WEIGHTS, which knows nothing; use it to try things out"}
DEFAULT_MODEL = "random"
