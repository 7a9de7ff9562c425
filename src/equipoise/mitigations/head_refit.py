"""Head refit: solve the output rows of gendered words again, in closed form.

What it does  For every gendered word of one piece that has a partner (he, aunt, actor), the row of the
head's last product is moved by a ridge regression, so that its log-probability becomes the averaged one
(see counterfactual averaging) at gendered places of neutral texts and stays what it was where a
definitional word, a name or another gendered word tells the gender. `keep` weighs the second.
Gives         A plain folder. The head no longer shares its weights with the word vectors, which stay as
              they are: the file grows by one matrix, and what the encoder reads is untouched.
Breaks        One linear map cannot tell all contexts apart: with a small `keep` definitional words and
              pronouns of named people suffer, with a large one less association goes.
Removes       Little in a single sentence. Means over templates fall more, because leans of opposite sign
              cancel. Figures on held-out sentences are in docs/mitigations.md, with the command.
Source        This project.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import torch

from equipoise.choices import option
from equipoise.errors import UserError
from equipoise.mitigations.base import Changed, Materials, Presets
from equipoise.mitigations.distilling.contexts import KEPT, NAMED_ABOUT, TOLD_ABOUT
from equipoise.mitigations.distilling.losses import Head, averaged_targets
from equipoise.mitigations.distilling.preparing import (
    FRAMES_HELP,
    SENTENCES_HELP,
    Amount,
    Prepared,
    check_distilling,
    prepare,
)
from equipoise.mitigations.networks import changed_model, masked_model, untied_output
from equipoise.models.protocol import LanguageModel

KEPT_KINDS = ("definitional", "gendered", "named", TOLD_ABOUT, NAMED_ABOUT, "document", KEPT)
"""Contexts in which something tells the gender, or which ask for something else: what must stay."""

CHUNK = 256


@dataclass(frozen=True)
class HeadRefit:
    """Moves the gendered rows of the head by ridge regression."""

    name: ClassVar[str] = "head-refit"
    reads_corpus: ClassVar[bool] = True
    presets: ClassVar[Presets] = {}

    keep: float = option(1.0, "how much contexts that tell the gender count beside neutral ones")
    ridge: float = option(0.001, "how dear a large change of a row is")
    frames: int = option(1500, FRAMES_HELP)
    sentences: int = option(400, SENTENCES_HELP)

    def check(self, model: LanguageModel, materials: Materials) -> None:
        """Refuse what cannot be learned from before any work is done."""
        check_distilling(model, materials, self.name, layers=1, sentences=self.sentences)

    def change(self, model: LanguageModel, materials: Materials) -> Changed:
        """A copy with other output rows for gendered words."""
        if self.keep < 0 or self.ridge <= 0:
            raise UserError(
                f"keep is {self.keep:g} and ridge {self.ridge:g}.",
                "Give a keep of 0 or more and a ridge above 0.",
            )
        masked = masked_model(model, self.name)
        prepared = prepare(masked, materials, layers=1, amount=Amount(self.frames, self.sentences, 0))
        moved = self._refit(prepared)
        prepared.report(prepared.work)
        said = (
            f"{moved} output rows were moved, by ridge {self.ridge:g} with weight {self.keep:g} on keeping."
        )
        return Changed(changed_model(prepared.upper.tuned(), masked, self.name), (*prepared.account, said))

    def _refit(self, prepared: Prepared) -> int:
        """Solve for the rows and write them; how many there are."""
        upper, rows = prepared.upper, prepared.examples
        states, old, targets = (torch.cat(parts) for parts in zip(*_parts(prepared), strict=True))
        emphasis = torch.tensor(
            [self.keep if row.kind in KEPT_KINDS else 1.0 for row in rows for _ in row.asked]
        ).double()
        inputs = torch.cat([states, torch.ones(len(states), 1)], dim=1).double()
        output = untied_output(upper.network)
        ids = sorted({int(one) for pairs in prepared.exchange.pairs for one in pairs.flatten()})
        partners = prepared.exchange.permutations
        is_possessive = torch.tensor([form for row in rows for _, form in row.asked])
        for word in ids:
            mirrored = torch.where(is_possessive, partners[1][word], partners[0][word])
            both = torch.logaddexp(targets[:, word], targets.gather(1, mirrored[:, None])[:, 0])
            weights = emphasis * torch.exp(both.double() / 2)
            change = solve_ridge(inputs, (targets - old)[:, word].double(), weights, self.ridge).float()
            output.weight.data[word] += change[:-1]
            if output.bias is not None:
                output.bias.data[word] += change[-1]
        return len(ids)


def solve_ridge(
    inputs: torch.Tensor, wanted: torch.Tensor, weights: torch.Tensor, ridge: float
) -> torch.Tensor:
    """The map that minimises the weighted squared error plus `ridge` times its squared size, to scale."""
    weighted = inputs * weights[:, None]
    gram = inputs.T @ weighted
    scale = ridge * gram.diagonal().mean()
    return torch.linalg.solve(gram + scale * torch.eye(len(gram), dtype=gram.dtype), weighted.T @ wanted)


@torch.no_grad()
def _parts(prepared: Prepared) -> Iterator[tuple[torch.Tensor, torch.Tensor, torch.Tensor]]:
    """Yield chunks of the last layer's input at gendered positions, with the old and the wanted log P."""
    upper, head = prepared.upper, Head(prepared.upper)
    caught: list[torch.Tensor] = []
    output = upper.network.get_output_embeddings()
    for start in range(0, len(prepared.examples), CHUNK):
        rows = prepared.examples[start : start + CHUNK]
        reads = prepared.reads[start : start + CHUNK]
        hidden = torch.cat([read.own[: len(row.asked)] for row, read in zip(rows, reads, strict=True)])
        hook = output.register_forward_pre_hook(lambda _module, inputs: caught.append(inputs[0][0]))
        try:
            old = head.logprobs(hidden)
        finally:
            hook.remove()
        targets, _ = averaged_targets(head, rows, reads, prepared.exchange)
        yield caught.pop(), old, targets
