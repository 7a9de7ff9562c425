"""Models around models that are saved as a recipe: this index is the only place that lists them."""

from importlib import import_module

from equipoise.errors import unknown_name
from equipoise.models.wrapped import WrappedModel

WRAPPERS = {
    "counterfactual-averaging": "equipoise.models.wrappers.averaging:AveragedModel",
    "layer-map": "equipoise.models.wrappers.layer_map:LayerMapped",
    "prior-normalisation": "equipoise.models.wrappers.prior:PriorNormalised",
    "self-debias": "equipoise.models.wrappers.self_debias:SelfDebiased",
}
"""Name to `module:class`; a class takes the inner model, and its options by name."""


def wrapper_class(name: str) -> type[WrappedModel]:
    """The class of the wrapper of that name."""
    if name not in WRAPPERS:
        raise unknown_name("wrapper", name, WRAPPERS)
    module, kind = WRAPPERS[name].split(":")
    chosen: type[WrappedModel] = getattr(import_module(module), kind)
    return chosen
