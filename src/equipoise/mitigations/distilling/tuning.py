"""The tuning: towards the averaged distribution at gendered places, and to the old one everywhere else."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch.nn import functional

from equipoise.errors import UserError
from equipoise.mitigations.distilling.network import UpperLayers
from equipoise.mitigations.distilling.rows import Example, Exchange, batches, padded

READING_BUDGET = 4_000
"""Tokens that are read at once where nothing is learned."""

WARM_UP = 0.1
CLIP = 1.0
Report = Callable[[int, int], None]


@dataclass(frozen=True)
class Course:
    """How the tuning goes: passes over the examples, learning rate, tokens a step, weights of the losses."""

    epochs: int = 3
    rate: float = 5e-5
    budget: int = 800
    pairs: float = 1.0
    keeping: float = 1.0
    seed: int = 0


@dataclass(frozen=True)
class Read:
    """An example as the untouched model read it: the states below the tuned layers, and those of masks."""

    below: torch.Tensor
    own: torch.Tensor
    """Last hidden states at the gendered place and the kept ones `[1 + kept, width]`."""

    mirrored: torch.Tensor | None
    """The last hidden state at the mirrored place; None where the old distribution is to stay."""


def read_examples(
    upper: UpperLayers, examples: Sequence[Example], padding: int, report: Report
) -> list[Read]:
    """What the untouched model makes of every example and of its mirror image."""
    below: dict[int, torch.Tensor] = {}
    own = _states(upper, [one.ids for one in examples], padding, below, report)
    turned = [
        at for at, one in enumerate(examples) if one.mirrored_ids is not None and one.mirrored_ids != one.ids
    ]
    rows = [examples[at].mirrored_ids or () for at in turned]
    other = dict(zip(turned, _states(upper, rows, padding, None, report), strict=True))
    reads = []
    for at, one in enumerate(examples):
        mirrored = None
        if one.mirrored_ids is not None:
            mirrored = other[at][one.mirrored_place] if at in other else own[at][one.place]
        places = torch.tensor([one.place, *one.kept])
        reads.append(Read(below[at], own[at][places].clone(), None if mirrored is None else mirrored.clone()))
    return reads


@torch.no_grad()
def _states(
    upper: UpperLayers,
    rows: Sequence[Sequence[int]],
    padding: int,
    below: dict[int, torch.Tensor] | None,
    report: Report,
) -> list[torch.Tensor]:
    """The last hidden states of rows, in their order; those below the tuned layers are kept where wanted."""
    states: dict[int, torch.Tensor] = {}
    for batch in batches([len(row) for row in rows], READING_BUDGET, np.random.default_rng(0)):
        ids, attention = padded([rows[at] for at in batch], padding)
        lower = upper.lower(ids, attention)
        last = upper.upper(lower, attention)
        for number, at in enumerate(batch):
            states[at] = last[number, : len(rows[at])].clone()
            if below is not None:
                below[at] = lower[number, : len(rows[at])].clone()
        report(len(batch), ids.numel())
    return [states[at] for at in range(len(rows))]


def tune(
    upper: UpperLayers,
    examples: Sequence[Example],
    reads: Sequence[Read],
    course: Course,
    exchange: Exchange,
    report: Report = lambda _rows, _tokens: None,
) -> list[float]:
    """Tune the upper layers in place; the mean loss of every pass over the examples."""
    teacher = Head(upper)
    rng = np.random.default_rng(course.seed)
    lengths = [len(one.ids) for one in examples]
    passes = [batches(lengths, course.budget, rng) for _ in range(course.epochs)]
    steps = sum(map(len, passes))
    optimizer = torch.optim.AdamW(upper.learning, lr=course.rate, weight_decay=0.0, fused=True)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: _slope(step, steps))
    losses = []
    for one_pass in passes:
        total = 0.0
        for batch in one_pass:
            loss = _loss(
                upper, teacher, [examples[at] for at in batch], [reads[at] for at in batch], course, exchange
            )
            if not torch.isfinite(loss):
                raise UserError(
                    "The loss is no number any more.", f"Use a smaller learning rate than {course.rate:g}."
                )
            optimizer.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            torch.nn.utils.clip_grad_norm_(upper.learning, CLIP)
            optimizer.step()
            schedule.step()
            total += float(loss.detach()) * len(batch)
            report(len(batch), sum(lengths[at] for at in batch))
        losses.append(total / len(examples))
    return losses


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


def _slope(step: int, steps: int) -> float:
    """The learning rate's share: rising over the first tenth, then falling to nothing."""
    rising = max(1, round(WARM_UP * steps))
    return (step + 1) / rising if step < rising else max(0.0, (steps - step) / max(1, steps - rising))


def _loss(
    upper: UpperLayers,
    teacher: Head,
    examples: Sequence[Example],
    reads: Sequence[Read],
    course: Course,
    exchange: Exchange,
) -> torch.Tensor:
    """The distance from the averaged distribution at gendered places plus that from the old one elsewhere."""
    targets, kept_targets = averaged_targets(teacher, examples, reads, exchange)
    width = max(len(one.ids) for one in examples)
    below = torch.stack([functional.pad(read.below, (0, 0, 0, width - len(read.below))) for read in reads])
    attention = torch.tensor([[1] * len(one.ids) + [0] * (width - len(one.ids)) for one in examples])
    hidden = upper.upper(below, attention)
    rows = [number for number, one in enumerate(examples) for _ in (0, *one.kept)]
    places = [place for one in examples for place in (one.place, *one.kept)]
    is_kept = torch.tensor([number > 0 for one in examples for number in range(1 + len(one.kept))])
    logprobs = functional.log_softmax(upper.logits(hidden[rows, places]), dim=-1)
    asked, kept = logprobs[~is_kept], logprobs[is_kept]
    loss = _divergence(targets, asked) + course.pairs * _pair_distance(targets, asked, examples, exchange)
    if len(kept):
        loss = loss + course.keeping * _divergence(kept_targets, kept)
    return loss


def averaged_targets(
    teacher: Head, examples: Sequence[Example], reads: Sequence[Read], exchange: Exchange
) -> tuple[torch.Tensor, torch.Tensor]:
    """The averaged log-probabilities of gendered places, and the old ones of kept places."""
    old = teacher.logprobs(torch.cat([read.own for read in reads]))
    first = np.cumsum([0, *(len(read.own) for read in reads)])[:-1].tolist()
    is_kept = torch.ones(len(old), dtype=torch.bool)
    is_kept[first] = False
    targets = old[first].clone()
    turned = [number for number, read in enumerate(reads) if read.mirrored is not None]
    if turned:
        states = [reads[number].mirrored for number in turned]
        other = teacher.logprobs(torch.stack([state for state in states if state is not None]))
        for number, values in zip(turned, other, strict=True):
            mirrored = values[exchange.permutations[examples[number].is_possessive]]
            targets[number] = torch.logaddexp(targets[number], mirrored) - float(np.log(2))
    return targets, old[is_kept]


def _divergence(targets: torch.Tensor, logprobs: torch.Tensor) -> torch.Tensor:
    """The mean Kullback-Leibler divergence from the targets."""
    return functional.kl_div(logprobs, targets, reduction="batchmean", log_target=True)


def _pair_distance(
    targets: torch.Tensor, logprobs: torch.Tensor, examples: Sequence[Example], exchange: Exchange
) -> torch.Tensor:
    """How far log-ratios of partners are from their targets; likelier pairs weigh more, by the square root.

    The divergence alone hardly sees aunt and uncle where he and she take all the probability.
    """
    total = logprobs.new_zeros(())
    for number, one in enumerate(examples):
        male, female = exchange.pairs[one.is_possessive]
        weights = torch.exp(torch.logaddexp(targets[number, male], targets[number, female]) / 2)
        wanted = targets[number, male] - targets[number, female]
        ratio = logprobs[number, male] - logprobs[number, female]
        distances = functional.smooth_l1_loss(ratio, wanted, reduction="none")
        total = total + (weights * distances).sum() / weights.sum()
    return total / len(examples)
