"""Models around models that are saved as a recipe: this index is the only place that lists them."""

from equipoise.models.wrappers.base import WrappedModel
from equipoise.plugins import Index

WRAPPERS = Index(
    "wrappers",
    {
        "counterfactual-averaging": "equipoise.models.wrappers.averaging:AveragedModel",
        "layer-map": "equipoise.models.wrappers.layer_map:LayerMapped",
        "prior-normalisation": "equipoise.models.wrappers.prior:PriorNormalised",
        "self-debias": "equipoise.models.wrappers.self_debias:SelfDebiased",
    },
    "wrapper",
)
"""Name to `module:class`; a class takes the inner model, and its options by name."""


def wrapper_class(name: str) -> type[WrappedModel]:
    """The class of the wrapper of that name."""
    wrapper: type[WrappedModel] = WRAPPERS.load(name)
    return wrapper
