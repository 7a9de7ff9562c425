"""Texts written by a causal model on this machine: sampled with a seed of their own, and kept."""

import json
from collections.abc import Iterator, Sequence
from hashlib import blake2b
from typing import Any

import torch

from equipoise.errors import Cancelled, UnaskableError
from equipoise.models.engine.store import AnswerStore, Json, JsonCodec, store_file
from equipoise.models.neural.base import TOO_LONG
from equipoise.models.options import RunOptions, RunReport
from equipoise.models.questions import Generate, Written


class Writer:
    """Writes texts with the network of a causal model."""

    def __init__(self, network: Any, tokenizer: Any, *, fingerprint: str, name: str) -> None:
        self.network = network
        self.tokenizer = tokenizer
        self.fingerprint = fingerprint
        self.name = name

    def write(
        self, questions: Sequence[Generate], options: RunOptions, longest: int | None
    ) -> Iterator[Written]:
        """The texts for each question; each is kept as soon as it is written."""
        store: AnswerStore[Json] = AnswerStore(
            store_file(options), JsonCodec(), fingerprint=f"{self.fingerprint}:text", name=self.name
        )
        wanted = [(question, number) for question in questions for number in range(question.count)]
        known = store.read([_key(question, number) for question, number in wanted])
        with RunReport(self.name, len(questions), options.progress, options.is_cancelled) as report:
            report.expect(len(wanted) - len(known), later=0)
            for question in questions:
                said = []
                for number in range(question.count):
                    key = _key(question, number)
                    if key not in known:
                        known[key] = self._text(question, number, longest)
                        store.write([(key, known[key])])
                        report.ran(1, 1)
                        if options.is_cancelled is not None and options.is_cancelled():
                            raise Cancelled("stopped while texts were written; those finished are kept")
                    said.append(known[key])
                report.planned()
                yield Written(tuple(one["text"] for one in said), tuple(one["ending"] for one in said))

    @torch.inference_mode()
    def _text(self, question: Generate, number: int, longest: int | None) -> Json:
        ids = self._prompt(question)
        if longest is not None and len(ids) + question.max_tokens > longest:
            raise UnaskableError(
                TOO_LONG,
                f"{len(ids)} tokens to read and {question.max_tokens} to write are more than {self.name!r} "
                f"can take ({longest}).",
                "Shorten the document; nothing is cut off silently.",
            )
        read = torch.tensor([ids], device=next(self.network.parameters()).device)
        how = {"do_sample": True, "temperature": question.temperature, "top_k": 0, "top_p": 1.0}
        with torch.random.fork_rng():
            torch.manual_seed(question.seed + number)
            written = self.network.generate(
                read,
                attention_mask=torch.ones_like(read),
                max_new_tokens=question.max_tokens,
                pad_token_id=self.tokenizer.pad_token_id or self.tokenizer.eos_token_id or 0,
                **(how if question.temperature > 0 else {"do_sample": False}),
            )[0, len(ids) :]
        text = self.tokenizer.decode(written, skip_special_tokens=True)
        return {"text": text, "ending": "length" if len(written) >= question.max_tokens else "stop"}

    def _prompt(self, question: Generate) -> list[int]:
        """The ids of the prompt, in the tokenizer's chat template where a chat is meant and it has one."""
        if question.is_chat and getattr(self.tokenizer, "chat_template", None):
            system = [{"role": "system", "content": question.system}] if question.system else []
            said = [*system, {"role": "user", "content": question.text}]
            text = self.tokenizer.apply_chat_template(said, tokenize=False, add_generation_prompt=True)
            return list(self.tokenizer(text, add_special_tokens=False)["input_ids"])
        text = f"{question.system}\n{question.text}" if question.system else question.text
        return list(self.tokenizer(text)["input_ids"])


def _key(question: Generate, number: int) -> bytes:
    """What a text depends on: the prompt, how it is sampled, and the seed of this one."""
    how = [question.text, question.system, question.is_chat, question.temperature, question.max_tokens]
    seed = question.seed + number if question.temperature > 0 else 0
    return blake2b(json.dumps([*how, seed]).encode(), digest_size=16).digest()
