"""Each family of networks takes the methods that docs/mitigations.md says it takes, and refuses others."""

import copy
from typing import Any

import numpy as np
import pytest
import tiny

from equipoise.corpora.documents import Document, Where
from equipoise.errors import UserError
from equipoise.mitigations import mitigation_class
from equipoise.mitigations.base import Materials
from equipoise.models.loading.networks import wrap_model
from equipoise.models.options import RunOptions
from equipoise.models.questions import Fill

DOCUMENTS = [Document(str(at), text, {}, Where("texts", at)) for at, text in enumerate(tiny.CORPUS[:4])]
BEHIND = "behind a layer"
OPTIONS: dict[str, dict[str, Any]] = {
    "counterfactual-averaging": {},
    "prior-normalisation": {},
    "self-debias": {},
    "direction-removal": {},
    BEHIND: {"layer": 1},
    "head-refit": {"frames": 30, "sentences": 2},
    "self-distillation": {"frames": 30, "sentences": 2, "neutral": 2, "epochs": 1, "rate": 1e-3},
    "counterfactual": {"epochs": 1, "mode": "invert", "validation": 0.0, "learning_rate": 1e-3},
}
MASKED = ("bert", "roberta", "distilbert", "deberta-v2", "mpnet", "modernbert")
REFUSED = {
    "modernbert": ("direction-removal",),
    "llama": ("head-refit", "self-debias", "direction-removal"),
    "gpt2": ("head-refit", "self-debias", "direction-removal", "self-distillation"),
}
"""What a family refuses; directions are removed behind a layer there, as `behind a layer` says."""


def network_of(family: str) -> tuple[Any, Any]:
    """A small network and its tokenizer, in which he and she are one piece each."""
    kind = {"deberta-v2": "wordpiece", "llama": "byte-bpe"}.get(family) or tiny.TOKENIZER_OF.get(
        family, "wordpiece"
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(tiny.TOKENIZER_OF, family, kind)
        return copy.deepcopy(tiny.network(family, seed=11)), tiny.tokenizer(kind)


def answers_of(model: Any) -> np.ndarray[Any, Any]:
    texts = ["The nurse said that [MASK] is late.", "The doctor said that [MASK] is late."]
    return np.array([one.logprobs for one in model.answer([Fill(text, ("he", "she")) for text in texts])])


@pytest.mark.parametrize("family", [*MASKED, "llama", "gpt2"])
def test_a_family_takes_the_methods_it_is_said_to_take(family: str) -> None:
    network, words = network_of(family)
    model = wrap_model(network, words, name=family, options=RunOptions(cache=False))
    before, fingerprint = answers_of(model), model.fingerprint
    for name, options in OPTIONS.items():
        method = mitigation_class("direction-removal" if name == BEHIND else name)(**options)
        materials = Materials(DOCUMENTS if method.reads_corpus else ())
        if name in REFUSED.get(family, ()):
            with pytest.raises(UserError):
                method.change(model, materials)
            continue
        method.check(model, materials)
        after = answers_of(method.change(model, materials).model)
        assert np.isfinite(after).all(), name
        assert not np.allclose(after, before, atol=1e-6), name
    assert model.fingerprint == fingerprint
    np.testing.assert_allclose(answers_of(model), before, rtol=1e-5)
