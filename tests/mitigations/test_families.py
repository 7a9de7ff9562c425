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
OPTIONS: dict[str, dict[str, Any]] = {
    "counterfactual-averaging": {},
    "prior-normalisation": {},
    "self-debias": {},
    "direction-removal": {},
    "head-refit": {"frames": 30, "sentences": 2},
    "self-distillation": {"frames": 30, "sentences": 2, "neutral": 2, "epochs": 1, "rate": 1e-3},
    "counterfactual": {"epochs": 1, "mode": "invert", "validation": 0.0, "learning_rate": 1e-3},
}
MASKED = ("bert", "roberta", "distilbert", "deberta-v2", "mpnet", "modernbert")
CAUSAL = {"llama": ("head-refit",), "gpt2": ("head-refit", "self-distillation")}
"""What a causal family refuses; directions are removed behind a layer there."""


def answers_of(model: Any) -> np.ndarray[Any, Any]:
    texts = ["The nurse said that [MASK] is late.", "The doctor said that [MASK] is late."]
    return np.array([one.logprobs for one in model.answer([Fill(text, ("he", "she")) for text in texts])])


@pytest.mark.parametrize("family", [*MASKED, *CAUSAL])
def test_a_family_takes_the_methods_it_is_said_to_take(family: str) -> None:
    words = tiny.tokenizer(tiny.TOKENIZER_OF.get(family, "wordpiece"))
    model = wrap_model(
        copy.deepcopy(tiny.network(family)), words, name=family, options=RunOptions(cache=False)
    )
    before, fingerprint = answers_of(model), model.fingerprint
    for name, options in OPTIONS.items():
        layer = {"layer": 1} if name == "direction-removal" and family in CAUSAL else {}
        method = mitigation_class(name)(**options, **layer)
        materials = Materials(DOCUMENTS if method.reads_corpus else ())
        if name in CAUSAL.get(family, ()):
            with pytest.raises(UserError):
                method.check(model, materials)
            continue
        method.check(model, materials)
        after = answers_of(method.change(model, materials).model)
        assert np.isfinite(after).all(), name
        assert not np.allclose(after, before, atol=1e-6), name
    assert model.fingerprint == fingerprint
    np.testing.assert_allclose(answers_of(model), before, rtol=1e-5)
