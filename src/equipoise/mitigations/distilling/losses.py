"""What the tuning strives for: the averaged distribution at gendered places, the old one everywhere else."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch.nn import functional

from equipoise.mitigations.distilling.network import UpperLayers
from equipoise.mitigations.distilling.preparing import Prepared
from equipoise.mitigations.distilling.rows import Example, Exchange, Read
from equipoise.text.gendered import MALE

TOLD = 0.9
"""The share of gendered words that a definition's own side has at least: a model may be unsure of it."""


class Head:
    """The head as it was before the tuning."""

    def __init__(self, upper: UpperLayers) -> None:
        self._learned = list(upper.learning)
        self._before = [parameter.detach().clone() for parameter in upper.learning]
        self._upper = upper

    @torch.no_grad()
    def logprobs(self, hidden: torch.Tensor) -> torch.Tensor:
        """Log-probabilities of the old head on old states."""
        now = [parameter.data for parameter in self._learned]
        try:
            for parameter, before in zip(self._learned, self._before, strict=True):
                parameter.data = before
            return functional.log_softmax(self._upper.logits(hidden), dim=-1)
        finally:
            for parameter, data in zip(self._learned, now, strict=True):
                parameter.data = data


@dataclass(frozen=True)
class Weights:
    """How much the log-ratios of partners and the kept places count beside the gendered places."""

    pairs: float = 1.0
    keeping: float = 1.0


def batch_loss(prepared: Prepared, teacher: Head, batch: Sequence[int], weights: Weights) -> torch.Tensor:
    """The distance from the averaged distribution at gendered places plus that from the old one elsewhere.

    Targets are worked out anew in every pass: kept for all examples they would fill gigabytes.
    """
    examples = [prepared.examples[at] for at in batch]
    reads = [prepared.reads[at] for at in batch]
    upper, exchange = prepared.upper, prepared.exchange
    averaged, kept_targets = averaged_targets(teacher, examples, reads, exchange)
    asked = [one for one in examples for _ in one.asked]
    targets = told_targets(averaged, asked, exchange)
    width = max(len(one.ids) for one in examples)
    below = torch.stack([functional.pad(read.below, (0, 0, 0, width - len(read.below))) for read in reads])
    attention = torch.tensor([[1] * len(one.ids) + [0] * (width - len(one.ids)) for one in examples])
    hidden = upper.upper(below, attention)
    rows = [number for number, one in enumerate(examples) for _ in (*one.asked, *one.kept)]
    places = [place for one in examples for place in (*(place for place, _ in one.asked), *one.kept)]
    logprobs = functional.log_softmax(upper.logits(hidden[rows, places]), dim=-1)
    is_kept = _kept_places(examples)
    answers, kept = logprobs[~is_kept], logprobs[is_kept]
    forms = torch.tensor([form for one in examples for _, form in one.asked])
    distance = _divergence(targets, answers) + weights.pairs * _pair_distance(
        targets, answers, forms, exchange
    )
    return distance + weights.keeping * _divergence(kept_targets, kept) if len(kept) else distance


def _kept_places(examples: Sequence[Example]) -> torch.Tensor:
    """Of the read places, first those asked and then those kept of every example, which are kept."""
    return torch.tensor(
        [place for one in examples for place in (*(False for _ in one.asked), *(True for _ in one.kept))]
    )


def averaged_targets(
    teacher: Head, examples: Sequence[Example], reads: Sequence[Read], exchange: Exchange
) -> tuple[torch.Tensor, torch.Tensor]:
    """The averaged log-probabilities of asked places, and the old ones of kept places."""
    old = teacher.logprobs(torch.cat([read.own for read in reads]))
    is_kept = _kept_places(examples)
    targets, kept = old[~is_kept], old[is_kept]
    forms = torch.tensor([form for one in examples for _, form in one.asked])
    is_turned = torch.tensor(
        [read.mirrored is not None for one, read in zip(examples, reads, strict=True) for _ in one.asked]
    )
    states = [read.mirrored for read in reads if read.mirrored is not None]
    if states:
        other = teacher.logprobs(torch.cat(states))
        orders = torch.stack(exchange.permutations)[forms[is_turned].long()]
        targets[is_turned] = torch.logaddexp(targets[is_turned], other.gather(1, orders)) - math.log(2)
    return targets, kept


def told_targets(targets: torch.Tensor, examples: Sequence[Example], exchange: Exchange) -> torch.Tensor:
    """The targets, with at least `TOLD` of the gendered probability on the side that a definition names.

    Whole sides are scaled, so that forms and words keep their proportions, and all else its probability.
    """
    raised = targets.clone()
    for number, one in enumerate(examples):
        if one.told:
            sides = exchange.pairs[False] if one.told == MALE else exchange.pairs[False].flip(0)
            own, other = (torch.logsumexp(targets[number, side], dim=0) for side in sides)
            both = torch.logaddexp(own, other)
            if own - both < math.log(TOLD):
                raised[number, sides[0]] += math.log(TOLD) + both - own
                raised[number, sides[1]] += math.log(1 - TOLD) + both - other
    return raised


def _divergence(targets: torch.Tensor, logprobs: torch.Tensor) -> torch.Tensor:
    """The mean Kullback-Leibler divergence from the targets."""
    return functional.kl_div(logprobs, targets, reduction="batchmean", log_target=True)


def _pair_distance(
    targets: torch.Tensor, logprobs: torch.Tensor, forms: torch.Tensor, exchange: Exchange
) -> torch.Tensor:
    """How far log-ratios of partners are from their targets; likelier pairs weigh more, by the square root.

    The divergence alone hardly sees aunt and uncle where he and she take all the probability.
    """
    total = logprobs.new_zeros(())
    for form in (False, True):
        (male, female), of_form = exchange.pairs[form], forms == form
        wanted, got = targets[of_form], logprobs[of_form]
        weights = torch.exp(torch.logaddexp(wanted[:, male], wanted[:, female]) / 2)
        distances = functional.smooth_l1_loss(
            got[:, male] - got[:, female], wanted[:, male] - wanted[:, female], reduction="none"
        )
        total = total + ((weights * distances).sum(1) / weights.sum(1)).sum()
    return total / len(forms)
