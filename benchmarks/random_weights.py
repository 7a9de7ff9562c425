"""How often SBE calls random weights biased: `python -m benchmarks.random_weights CORPUS LINES [DRAWS]`.

Networks of random weights are drawn with each of four tokenizers: WordPiece, BPE, Unigram and bytes. Each is
measured on the shipped pairs and on pairs mined from CORPUS, a text file or table of novels. Random weights
know nothing of women and men, so the 95 % interval of "ASLD above that of neutral pairs" should leave 0 out
in about one run of twenty. Only pairs that are alike are asked (one changed word, equally many tokens):
the others are left out of that number anyway.

Each draw appends its estimates to the JSONL file LINES; a second run with the same file continues there.
Prints a row for each set and tokenizer, and writes `random_weights.json` beside this file.
"""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pandas as pd
import torch
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers
from transformers import BertConfig, BertForMaskedLM, PreTrainedTokenizerFast

from equipoise.corpora.mining import mine_pairs
from equipoise.corpora.opening import CorpusChoice, open_documents
from equipoise.data.reading import TABLES
from equipoise.instruments.sbe import changed_spans
from equipoise.measuring import measure
from equipoise.models.loading.networks import wrap_model
from equipoise.models.options import RunOptions

DRAWS, WORDS, MINED = 20, 3000, 200
SPECIAL = {"pad": "[PAD]", "unk": "[UNK]", "cls": "[CLS]", "sep": "[SEP]", "mask": "[MASK]"}
KINDS = ("wordpiece", "bpe", "unigram", "bytes")
KEYS = ("asld-above-neutral", "asld-over-neutral")


def tokenizer(kind: str, texts: list[str]) -> Any:
    """A tokenizer of one kind, trained on the texts."""
    names = list(SPECIAL.values())
    if kind == "wordpiece":
        backend = Tokenizer(models.WordPiece(unk_token="[UNK]"))
        backend.normalizer = normalizers.BertNormalizer(lowercase=True)
        backend.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
        backend.decoder = decoders.WordPiece()
        trainer: Any = trainers.WordPieceTrainer(vocab_size=WORDS, special_tokens=names, show_progress=False)
    elif kind == "unigram":
        backend = Tokenizer(models.Unigram())
        backend.pre_tokenizer = pre_tokenizers.Metaspace()
        backend.decoder = decoders.Metaspace()
        trainer = trainers.UnigramTrainer(
            vocab_size=WORDS, special_tokens=names, unk_token="[UNK]", show_progress=False
        )
    else:
        backend = Tokenizer(models.BPE())
        backend.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
        backend.decoder = decoders.ByteLevel()
        alphabet = pre_tokenizers.ByteLevel.alphabet()
        size = WORDS if kind == "bpe" else len(alphabet) + len(names)
        trainer = trainers.BpeTrainer(
            vocab_size=size, special_tokens=names, initial_alphabet=alphabet, show_progress=False
        )
    backend.train_from_iterator(texts, trainer)
    ends = (("[SEP]", backend.token_to_id("[SEP]")), ("[CLS]", backend.token_to_id("[CLS]")))
    backend.post_processor = processors.BertProcessing(*ends)
    tokens = {f"{name}_token": token for name, token in SPECIAL.items()}
    return PreTrainedTokenizerFast(tokenizer_object=backend, model_max_length=512, **tokens)


def network(size: int, seed: int) -> Any:
    """A small network of random weights that tells words apart."""
    torch.manual_seed(seed)
    config = BertConfig(
        vocab_size=size,
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=48,
        max_position_embeddings=512,
        pad_token_id=0,
        initializer_range=0.3,
    )
    return BertForMaskedLM(config).eval()


def alike(pairs: pd.DataFrame, words: Any) -> pd.DataFrame:
    """The pairs that the number rests on with this tokenizer."""
    sides = pairs[["stereotype", "counterpart"]].to_numpy()
    kept = [
        all(len(spans) == 1 for spans in changed_spans(one, other))
        and len(words(one).input_ids) == len(words(other).input_ids)
        for one, other in sides
    ]
    return pairs[kept]


def run_draws(sets: dict[str, pd.DataFrame], lines: Path, draws: int) -> None:
    """Append the estimates of every draw that the file lacks, tokenizer by tokenizer."""
    done = set()
    if lines.exists():
        done = {(row["tokenizer"], row["draw"]) for row in map(json.loads, lines.open(encoding="utf-8"))}
    texts = [text for pairs in sets.values() for text in (*pairs["stereotype"], *pairs["counterpart"])]
    for kind in KINDS:
        words = tokenizer(kind, texts)
        kept = {name: alike(pairs, words) for name, pairs in sets.items()}
        for seed in range(draws):
            if (kind, seed) in done:
                continue
            rows = list(estimates(kind, seed, words, kept))
            with lines.open("a", encoding="utf-8") as file:
                file.writelines(json.dumps(row) + "\n" for row in rows)


def estimates(kind: str, seed: int, words: Any, sets: dict[str, pd.DataFrame]) -> Iterator[dict[str, Any]]:
    """What `sbe` says of one network of random weights."""
    options = RunOptions(cache=False)
    model = wrap_model(network(len(words), seed), words, name=f"{kind} {seed}", options=options)
    for name, pairs in sets.items():
        with TemporaryDirectory() as folder:
            path = Path(folder) / "pairs.csv"
            pairs.to_csv(path, index=False)
            result = measure(model, "sbe", data=path)
        for key in KEYS:
            row = result.estimate(key)
            shown = {part: float(row[part]) for part in ("value", "low", "high", "neutral")}
            run = {"tokenizer": kind, "pairs": name, "draw": seed, "key": key, "n": int(row["n"])}
            yield run | shown


def main(corpus: str, lines: str, draws: str = str(DRAWS)) -> None:
    """Draw, measure, count and write."""
    neutral = pd.read_csv(TABLES / "neutral-pairs.csv").rename(
        columns={"first": "stereotype", "second": "counterpart"}
    )
    neutral = neutral[["stereotype", "counterpart"]].assign(category="neutral")
    mined = mine_pairs(open_documents(Path(corpus), CorpusChoice()).documents, sample=MINED).table
    shipped = pd.read_csv(TABLES / "pairs.csv")
    sets = {name: pd.concat([pairs, neutral]) for name, pairs in (("shipped", shipped), ("mined", mined))}
    run_draws(sets, Path(lines), int(draws))
    table = pd.read_json(lines, lines=True)
    known = table[table["low"].notna()]
    outside = (known["low"] > known["neutral"]) | (known["high"] < known["neutral"])
    rows = known.assign(outside=outside).groupby(["key", "pairs", "tokenizer"], sort=False)
    counted = rows.agg(runs=("outside", "size"), outside=("outside", "sum"), n=("n", "median")).reset_index()
    print(counted.to_string(index=False))
    whole = counted.groupby("key")[["runs", "outside"]].sum()
    print(whole.assign(share=whole["outside"] / whole["runs"]))
    path = Path(__file__).with_suffix(".json")
    path.write_text(json.dumps(counted.to_dict("records"), indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
