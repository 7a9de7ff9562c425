"""One mitigation per file; this index is the only place that lists them."""

import ast
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from equipoise.plugins import Index, card_of

_ROOM = "equipoise.mitigations"
MITIGATIONS = Index(
    "mitigations",
    {
        "counterfactual-averaging": f"{_ROOM}.averaging:CounterfactualAveraging",
        "self-distillation": f"{_ROOM}.distillation:SelfDistillation",
        "head-refit": f"{_ROOM}.head_refit:HeadRefit",
        "prior-normalisation": f"{_ROOM}.prior_normalisation:PriorNormalisation",
        "self-debias": f"{_ROOM}.self_debias:SelfDebias",
        "direction-removal": f"{_ROOM}.projections:DirectionRemoval",
        "sentence-projection": f"{_ROOM}.projections:SentenceProjection",
        "leace": f"{_ROOM}.projections:Leace",
        "inlp": f"{_ROOM}.projections:NullSpaceProjection",
        "oscar": f"{_ROOM}.oscar:Oscar",
        "neutralise-equalise": f"{_ROOM}.equalising:NeutraliseEqualise",
        "counterfactual": f"{_ROOM}.counterfactual:Counterfactual",
        "dropout": f"{_ROOM}.dropout:Dropout",
        "reminders": f"{_ROOM}.reminders:Reminders",
        "pronoun-resolution": f"{_ROOM}.resolution:PronounResolution",
        "pretraining": f"{_ROOM}.pretraining:Pretraining",
    },
    "mitigation",
)
"""Name to `module:class`, imported when it is asked for."""


def mitigation_class(name: str) -> type[Any]:
    """The class of the mitigation of that name; its fields are its options."""
    kind: type[Any] = MITIGATIONS.load(name)
    return kind


def mitigation_card(name: str) -> str:
    """The card of a mitigation: the docstring of its module."""
    return card_of(mitigation_class(name))


def mitigation_summary(name: str) -> str:
    """One line on a mitigation, read without importing the module and what it needs.

    The first line of its card, or of its class where several mitigations share a card.
    """
    if name not in MITIGATIONS.ours:
        return mitigation_card(name).splitlines()[0]
    module, wanted = MITIGATIONS[name].split(":")
    spec = find_spec(module)
    assert spec is not None
    assert spec.origin is not None
    tree: Any = ast.parse(Path(spec.origin).read_text(encoding="utf-8"))
    if sum(place.startswith(f"{module}:") for place in MITIGATIONS.values()) > 1:
        tree = next(part for part in tree.body if isinstance(part, ast.ClassDef) and part.name == wanted)
    return (ast.get_docstring(tree) or "").splitlines()[0]
