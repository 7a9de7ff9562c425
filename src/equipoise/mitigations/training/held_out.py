"""The loss of a masked model on hidden words of held-out text, document by document."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
import torch

from equipoise.corpora.documents import Document
from equipoise.mitigations.training.batches import HELD_OUT, Batches
from equipoise.mitigations.training.examples import Example, encode_examples, text_pieces
from equipoise.mitigations.training.head import HeadAtPlaces
from equipoise.mitigations.training.masking import MaskedWords, Vocabulary
from equipoise.mitigations.tuning import TextTuning
from equipoise.models.neural.masked import MaskedModel

MOST = 500
"""Pieces of text that are looked at, drawn by chance."""

COLUMNS = ["document", "nats", "places", "right"]


def masked_losses(model: MaskedModel, documents: Sequence[Document], settings: TextTuning) -> pd.DataFrame:
    """A row for each document: the summed loss of its hidden words, how many there are and were recovered.

    The words are hidden as in training, and the same ones for every model, so that models can be compared.
    """
    examples, owners = _examples(model, documents, settings)
    objective = MaskedWords(Vocabulary.of(model.tokens.tokenizer), settings.mask_share, settings.whole_words)
    batches = Batches(examples, objective, tokens=settings.batch_tokens, seed=0)
    network = model.transformers_model
    was_training = network.training
    network.eval()
    device, head, rows = next(network.parameters()).device, HeadAtPlaces(network), []
    with torch.no_grad():
        for number in range(len(batches)):
            batch = {name: part.to(device) for name, part in batches[HELD_OUT, number].items()}
            judged = objective.judge(lambda one: head(network, one), batch)
            members = batches.order(HELD_OUT)[batches.cuts[number] : batches.cuts[number + 1]]
            places = [owners[members[row]] for row in batch["rows"].tolist()]
            scores = zip(places, judged.losses.double().tolist(), judged.right.tolist(), strict=True)
            rows += [(name, loss, 1, int(right)) for name, loss, right in scores]
    network.train(was_training)
    return pd.DataFrame(rows, columns=COLUMNS).groupby("document", as_index=False, sort=False).sum()


def _examples(
    model: MaskedModel, documents: Sequence[Document], settings: TextTuning
) -> tuple[list[Example], list[str]]:
    """The pieces that are looked at, and the document of each."""
    longest = min(settings.longest or 512, model.max_length or 512)
    examples: list[Example] = []
    owners: list[str] = []
    for document in documents:
        own = encode_examples(text_pieces([document.text], settings.unit), model.tokens, longest)
        examples += own
        owners += [document.id] * len(own)
    drawn = np.sort(np.random.default_rng(0).permutation(len(examples))[:MOST])
    return [examples[place] for place in drawn], [owners[place] for place in drawn]
