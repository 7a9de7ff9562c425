"""How far a packed model is from the original: one table over published data sets.

    python -m recipes.fidelity --original DIR --packed DIR --data DIR [--every N]

DATA holds the published files under the names their authors gave them (gbef/templates.csv and
professions.csv, bec-pro/BEC-Pro_EN_2020.tsv, winobias/*.txt.*, crows-pairs/, books/, gap/).
None of them is used when a model is packed, apart from books, of which the titles below are kept
out.
"""

import argparse
import json
import random
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import torch
from scipy.stats import spearmanr
from transformers import AutoConfig, AutoModelForMaskedLM, AutoTokenizer

from equipoise.models.loading.packed import load_packed

HELD_OUT = ("the-great-gatsby", "emma", "mrs-dalloway", "whose-body")
PRONOUN = re.compile(r"\[(he|she|him|his|her)\]", re.IGNORECASE)
MALE = ("he", "him", "his")
TOKENS_PER_BATCH = 4000
ASSOCIATION_LENGTH = 16


@dataclass(frozen=True)
class Question:
    """Token ids, the masked places asked about, and the tokens wanted at the first of them."""

    ids: tuple[int, ...]
    places: tuple[int, ...]
    wanted: tuple[int, ...] = ()


@dataclass(frozen=True)
class Pair:
    """The original and the packed model with their common tokenizer."""

    original: Any
    packed: Any
    tokenizer: Any

    def token(self, word: str) -> int:
        """The id of a word that is one token."""
        return int(self.tokenizer.convert_tokens_to_ids(word))

    def question(self, sentence: str, *words: str) -> Question:
        """A sentence with one [MASK], and the words wanted there."""
        ids = tuple(self.tokenizer(sentence)["input_ids"])
        place = ids.index(self.tokenizer.mask_token_id)
        return Question(ids, (place,), tuple(self.token(word) for word in words))

    def answers(self, questions: Sequence[Question]) -> Iterator[tuple[int, torch.Tensor]]:
        """The number of each question and both models' log-probabilities, [2, places, words]."""
        longest_first = sorted(range(len(questions)), key=lambda n: -len(questions[n].ids))
        start = 0
        while start < len(longest_first):
            count = max(1, TOKENS_PER_BATCH // len(questions[longest_first[start]].ids))
            numbers = longest_first[start : start + count]
            yield from self._batch(numbers, [questions[n] for n in numbers])
            start += count

    def wanted(self, questions: Sequence[Question]) -> np.ndarray:
        """Both models' log-probabilities of the wanted tokens, [2, questions, wanted]."""
        found: list[Any] = [None] * len(questions)
        for number, both in self.answers(questions):
            found[number] = both[:, 0, list(questions[number].wanted)].numpy()
        return np.stack(found, axis=1)

    def _batch(self, numbers: list[int], asked: list[Question]) -> Iterator[tuple[int, torch.Tensor]]:
        ids = torch.zeros(len(asked), len(asked[0].ids), dtype=torch.long)
        attention = torch.zeros_like(ids)
        for row, question in enumerate(asked):
            ids[row, : len(question.ids)] = torch.tensor(question.ids)
            attention[row, : len(question.ids)] = 1
        rows = [row for row, question in enumerate(asked) for _ in question.places]
        places = [place for question in asked for place in question.places]
        both = torch.stack([_ask(m, ids, attention, rows, places) for m in (self.original, self.packed)])
        pieces = torch.split(both, [len(question.places) for question in asked], dim=1)
        yield from zip(numbers, pieces, strict=True)


@torch.no_grad()
def _ask(
    model: Any, ids: torch.Tensor, attention: torch.Tensor, rows: list[int], places: list[int]
) -> torch.Tensor:
    states = model.base_model(input_ids=ids, attention_mask=attention).last_hidden_state
    return torch.log_softmax(model.cls(states[rows, places]), -1)


def load_pair(original: Path, packed: Path) -> Pair:
    """Both models in single precision."""
    first = AutoModelForMaskedLM.from_pretrained(original, dtype=torch.float32).eval()
    config = AutoConfig.from_pretrained(packed)
    second = type(first).from_pretrained(None, config=config, state_dict=load_packed(packed)).eval()
    return Pair(first, second, AutoTokenizer.from_pretrained(packed))


def pronoun_difference(pair: Pair, data: Path, *, every: int = 1) -> dict[str, tuple[float, ...]]:
    """P(male) - P(female) on the thesis' templates, in the pronoun form that fits the slot."""
    professions = pd.read_csv(data / "gbef" / "professions.csv")
    templates = pd.read_csv(data / "gbef" / "templates.csv")
    items = templates.merge(professions, on="category", how="left")
    items = items[items.profession.notna() | ~items.template.str.contains("<profession>")][::every]
    names = items.profession.fillna(items.category).str.lower()
    filled = [t.replace("<profession>", n) for t, n in zip(items.template, names, strict=True)]
    chance = np.exp(pair.wanted([pair.question(s, "he", "she", "his", "her") for s in filled]))
    subject = chance[0, :, :2].sum(1) >= chance[0, :, 2:].sum(1)
    difference = np.where(subject, chance[..., 0] - chance[..., 1], chance[..., 2] - chance[..., 3])
    means = [pd.Series(d).groupby(names.to_numpy()).mean() for d in difference]
    return {
        f"pronoun difference, mean of {len(filled)} sentences": tuple(difference.mean(1)),
        "pronoun difference, mean absolute error": (0.0, abs(difference[0] - difference[1]).mean()),
        "pronoun difference, Spearman over professions": (1.0, float(spearmanr(*means)[0])),
    }


def association(pair: Pair, data: Path, *, every: int = 1) -> dict[str, tuple[float, ...]]:
    """The six BEC-Pro means as published: 16 ids, padded with [MASK] that is attended to."""
    rows = pd.read_csv(data / "bec-pro" / "BEC-Pro_EN_2020.tsv", sep="\t", index_col=0)[::every]
    questions: dict[Question, int] = {}
    numbers = [_association_questions(pair, row, questions) for row in rows.itertuples()]
    logs = pair.wanted(list(questions))[..., 0]
    with_profession, without = np.array(numbers).T
    scores = logs[:, with_profession] - logs[:, without]
    groups = [rows.assign(score=s).groupby(["Prof_Gender", "Gender"]).score.mean() for s in scores]
    return {
        f"association, {gender} words, {profession} professions": (value, groups[1][profession, gender])
        for (profession, gender), value in groups[0].items()
    }


def _association_questions(pair: Pair, row: Any, seen: dict[Question, int]) -> tuple[int, int]:
    mask = pair.tokenizer.mask_token_id
    padded = [
        (pair.tokenizer(text)["input_ids"] + [mask] * ASSOCIATION_LENGTH)[:ASSOCIATION_LENGTH]
        for text in (row.Sent_TM, row.Sent_TAM)
    ]
    place = padded[1].index(mask)
    target = pair.tokenizer(row.Sentence)["input_ids"][place]
    asked = [Question(tuple(ids), (place,), (target,)) for ids in padded]
    first, second = (seen.setdefault(question, len(seen)) for question in asked)
    return first, second


def predictions(pair: Pair, data: Path, *, every: int = 1) -> dict[str, tuple[float, ...]]:
    """The share of WinoBias sentences (types 1 and 2) where both models prefer the same gender."""
    questions = []
    for kind in ("type1.txt.test", "type1.txt.dev", "type2.txt.test", "type2.txt.dev"):
        sides = [data / "winobias" / f"{side}_stereotyped_{kind}" for side in ("pro", "anti")]
        lines = [path.read_text(encoding="utf-8").splitlines() for path in sides]
        for pro, anti in zip(*lines, strict=True):
            questions += _prediction_question(pair, pro, anti)
    chance = np.exp(pair.wanted(questions[::every]))
    male = chance[..., 0] > chance[..., 1]
    same = float((male[0] == male[1]).mean())
    return {
        f"male predictions, share of {male.shape[1]} sentences": tuple(male.mean(1)),
        "same prediction, share of sentences": (1.0, same),
    }


def _prediction_question(pair: Pair, pro: str, anti: str) -> list[Question]:
    found = [pronoun.lower() for pronoun in PRONOUN.findall(pro) + PRONOUN.findall(anti)]
    male = [pronoun for pronoun in found if pronoun in MALE]
    if len(found) != 2 or len(male) != 1:
        return []
    female = next(pronoun for pronoun in found if pronoun not in MALE)
    masked = PRONOUN.sub("{MASK}", re.sub(r"^\d+ ", "", pro))
    text = masked.replace("[", "").replace("]", "").replace("{MASK}", pair.tokenizer.mask_token)
    return [pair.question(text, male[0], female)]


def pair_scores(pair: Pair, data: Path, *, every: int = 1) -> dict[str, tuple[float, ...]]:
    """Pseudo-log-likelihood of the gender pairs of CrowS-Pairs: the difference within a pair."""
    table = pd.read_csv(data / "crows-pairs" / "crows_pairs_anonymized.csv")
    table = table[table.bias_type == "gender"][::every]
    sentences = [text for row in table.itertuples() for text in (row.sent_more, row.sent_less)]
    asked, owner = [], []
    for number, text in enumerate(sentences):
        ids = pair.tokenizer(text)["input_ids"]
        for place in range(1, len(ids) - 1):
            hidden = (*ids[:place], pair.tokenizer.mask_token_id, *ids[place + 1 :])
            asked.append(Question(hidden, (place,), (ids[place],)))
            owner.append(number)
    logs = pair.wanted(asked)[..., 0]
    sums = np.stack([np.bincount(owner, weights=side) for side in logs])
    difference = sums[:, ::2] - sums[:, 1::2]
    return {
        f"PLL difference, mean of {len(table)} pairs": tuple(difference.mean(1)),
        "PLL difference, mean absolute error": (0.0, abs(difference[0] - difference[1]).mean()),
        "more stereotypical preferred, share of pairs": tuple((difference > 0).mean(1)),
    }


def masked_words(
    pair: Pair, texts: Sequence[str], name: str, *, every: int = 1
) -> dict[str, tuple[float, ...]]:
    """Accuracy at masked words of running text, and the divergence between the two models."""
    questions, gold = _mask_texts(pair, texts[::every])
    hits, divergence, count = torch.zeros(2), 0.0, 0
    for number, both in pair.answers(questions):
        hits += (both.argmax(-1) == torch.tensor(gold[number])).sum(1)
        divergence += float((both[0].exp() * (both[0] - both[1])).sum())
        count += len(gold[number])
    return {
        f"masked top-1 accuracy on {name}, {count} words": tuple((hits / count).tolist()),
        f"divergence on {name}, nats": (0.0, divergence / count),
    }


def _mask_texts(pair: Pair, texts: Sequence[str]) -> tuple[list[Question], list[list[int]]]:
    chosen = random.Random(11)
    questions, gold = [], []
    for ids in pair.tokenizer(list(texts), truncation=True, max_length=128)["input_ids"]:
        places = [place for place in range(1, len(ids) - 1) if chosen.random() < 0.15]
        if places:
            gold.append([ids[place] for place in places])
            hidden = [pair.tokenizer.mask_token_id if n in places else i for n, i in enumerate(ids)]
            questions.append(Question(tuple(hidden), tuple(places)))
    return questions, gold


def held_out_texts(data: Path) -> dict[str, list[str]]:
    """Five hundred paragraphs of books kept out of packing, and 250 texts of GAP."""
    lines = (data / "books" / "paragraphs.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    books = [row["text"] for row in rows if row["title"] in HELD_OUT and len(row["text"]) > 60]
    random.Random(5).shuffle(books)
    gap = pd.read_csv(data / "gap" / "gap-test.tsv", sep="\t", quoting=3).Text.tolist()
    return {"books": books[:500], "GAP": gap[:250]}


def measure(pair: Pair, data: Path, *, every: int = 1) -> dict[str, tuple[float, ...]]:
    """All figures, each as the original's value and the packed model's."""
    table: dict[str, tuple[float, ...]] = {}
    for part in (pronoun_difference, association, predictions, pair_scores):
        table |= part(pair, data, every=every)
    for name, texts in held_out_texts(data).items():
        table |= masked_words(pair, texts, name, every=every)
    return table


def main() -> None:
    """Print the table as Markdown."""
    parser = argparse.ArgumentParser(description="Compare a packed model with its original.")
    for name in ("original", "packed", "data"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    parser.add_argument("--every", type=int, default=1, help="ask only every n-th item")
    given = parser.parse_args()
    table = measure(load_pair(given.original, given.packed), given.data, every=given.every)
    lines = [f"| {name} | {first:.4f} | {second:.4f} |" for name, (first, second) in table.items()]
    sys.stdout.write("\n".join(["| measure | original | packed |", "|---|---|---|", *lines, ""]))


if __name__ == "__main__":
    main()
