"""The other ways of doing the same work, written as their authors describe them."""

from typing import Any

import torch


def one_forward_per_token(network: Any, tokenizer: Any, sentences: list[str]) -> list[float]:
    """The loop of the official CrowS-Pairs metric: batch of one, every position through the head, and the
    log-softmax over the vocabulary at the masked one. Gradients are recorded there too."""
    totals = []
    for sentence in sentences:
        ids = tokenizer(sentence, return_tensors="pt")["input_ids"]
        total = 0.0
        for place in range(1, ids.shape[1] - 1):
            masked = ids.clone()
            masked[0, place] = tokenizer.mask_token_id
            logits = network(input_ids=masked).logits
            logprobs = torch.log_softmax(logits[0, place], dim=-1)
            total += logprobs[ids[0, place]].item()
        totals.append(total)
    return totals


def padded_batches_of_twenty(network: Any, tokenizer: Any, rows: list[tuple[str, int]]) -> list[float]:
    """The loop of the BEC-Pro authors: batches of 20 rows padded to 16, softmax at every position."""
    found = []
    for start in range(0, len(rows), 20):
        batch = rows[start : start + 20]
        ids = tokenizer(
            [text for text, _ in batch],
            padding="max_length",
            max_length=16,
            truncation=True,
            return_tensors="pt",
        )
        with torch.no_grad():
            probabilities = torch.softmax(network(**ids).logits, dim=-1)
        for number, (_, target) in enumerate(batch):
            place = ids["input_ids"][number].tolist().index(tokenizer.mask_token_id)
            found.append(float(torch.log(probabilities[number, place, target])))
    return found
