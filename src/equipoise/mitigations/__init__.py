"""One mitigation per file; this index is the only place that lists them."""

from importlib import import_module
from typing import Any

from equipoise.errors import unknown_name

MITIGATIONS: dict[str, str] = {
    "counterfactual-averaging": "equipoise.mitigations.averaging:CounterfactualAveraging",
    "prior-normalisation": "equipoise.mitigations.prior_normalisation:PriorNormalisation",
    "self-debias": "equipoise.mitigations.self_debias:SelfDebias",
}
"""Name to `module:class`, imported when it is asked for."""


def mitigation_class(name: str) -> type[Any]:
    """The class of the mitigation of that name; its fields are its options."""
    if name not in MITIGATIONS:
        raise unknown_name("mitigation", name, MITIGATIONS)
    module, kind = MITIGATIONS[name].split(":")
    chosen: type[Any] = getattr(import_module(module), kind)
    return chosen


def mitigation_card(name: str) -> str:
    """The card of a mitigation: the docstring of its module."""
    return (import_module(mitigation_class(name).__module__).__doc__ or "").strip()
