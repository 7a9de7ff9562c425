"""What mitigations remove and cost on the real BERT: `python -m benchmarks.mitigations MODEL... [--quick]`.

Bias is read on sentences that no mitigation learns from: the held-out sentences, the thesis' templates (tbe
on gbef), BEC-Pro (association, as published and corrected), WinoBias type 2. The price: definitional words,
names and other words for a person (held-out and of the thesis), Alice and Bob, the pronouns of GAP's test
texts, those of novels, news and a treebank, pseudo-perplexity of sentences from novels, StereoSet's
language-model score. `--quick` takes samples of the dearer ones. Rows are added to
benchmarks/mitigations.json under the model's name. `--corpus FILE` only writes the text that the documented
trainings learn from: it lies before every text that is measured on.
"""

import argparse
import json
import re
import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from equipoise import load_model, measure
from equipoise.data.reading import own_table
from equipoise.models.questions import Fill
from equipoise.models.wrappers.averaging import AveragedModel
from equipoise.studies.changes.price import Price
from equipoise.text.blank import BLANK
from equipoise.text.rewriting.mirroring import Mirror
from equipoise.text.sentences import sentence_spans

SHARED = Path(__file__).resolve().parents[2] / "shared"
DATA = SHARED / "data"
LATEST = Path(__file__).parent / "mitigations.json"
PARAGRAPHS_FROM, PARAGRAPHS_STEP = 50_000, 97


def novel_sentences(count: int) -> list[str]:
    """Sentences of 6 to 30 words, with a gendered one, of public-domain novels, spread over the books."""
    sentences: list[str] = []
    gendered = {"his", "her", "him", "hers", *(word for pair in Mirror().pairs for word in pair)}
    with (DATA / "books" / "paragraphs.jsonl").open(encoding="utf-8") as file:
        for number, line in enumerate(file):
            if number >= PARAGRAPHS_FROM and number % PARAGRAPHS_STEP == 0:
                text = json.loads(line)["text"]
                spans = sentence_spans(text)[:1]
                for words in (text[span.start : span.end].split() for span in spans):
                    if 6 <= len(words) <= 30 and gendered & {word.lower() for word in words}:
                        sentences.append(" ".join(words))
            if len(sentences) >= count:
                break
    return sentences[:count]


TRAINED_STEP = 3
NEWS_LEARNED = 60
"""Percent of the news that may be learned from; what is measured on starts a little later."""


def training_texts() -> Iterator[str]:
    """Every third of the first 50,000 paragraphs of novels, and the sentences of three fifths of the news."""
    with (DATA / "books" / "paragraphs.jsonl").open(encoding="utf-8") as file:
        yield from (json.loads(line)["text"] for line in islice(file, 0, PARAGRAPHS_FROM, TRAINED_STEP))
    news = (DATA / "news" / "test_concat.txt").read_text(encoding="utf-8")
    learned = news[: len(news) * NEWS_LEARNED // 100]
    yield from (learned[span.start : span.end] for span in sentence_spans(learned))


NATURAL = 300
_PRONOUN = re.compile(r"\b(he|she|him|his|himself|herself)\b")
_PARTNER = {"he": "she", "she": "he", "him": "her", "his": "her", "himself": "herself", "herself": "himself"}


def natural_pronouns() -> dict[str, list[Fill]]:
    """Texts of three domains with one pronoun hidden, the one that stood there before its partner.

    Novels from paragraph 80,000 and news from three fifths of the file on: give earlier text as a corpus.
    """
    rng = np.random.default_rng(5)
    with (DATA / "books" / "paragraphs.jsonl").open(encoding="utf-8") as file:
        novels = [json.loads(line)["text"] for number, line in enumerate(file) if number >= 80_000]
    news = (DATA / "news" / "test_concat.txt").read_text(encoding="utf-8")
    later = news[len(news) * 62 // 100 :]
    domains = {"novels": novels, "news": [later[span.start : span.end] for span in sentence_spans(later)]}
    asked: dict[str, list[Fill]] = {}
    for name, texts in domains.items():
        drawn = (texts[int(at)] for at in rng.permutation(len(texts)))
        found = ((text, list(_PRONOUN.finditer(text))) for text in drawn if 40 < len(text) < 400)
        hits = ((text, places[int(rng.integers(len(places)))]) for text, places in found if places)
        asked[name] = [_hidden(text, hit.start(), hit.group()) for text, hit in islice(hits, NATURAL)]
    lines = (DATA / "ud-ewt" / "her-his.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    asked["treebank"] = [_hidden(row["text"], row["start"], "his") for row in rows if row["form"] == "his"]
    asked["treebank"] += [
        _hidden(row["text"], row["start"], "her", "his" if row["label"] == "poss" else "him")
        for row in rows
        if row["form"] == "her"
    ]
    return asked


def _hidden(text: str, start: int, word: str, partner: str = "") -> Fill:
    return Fill(text[:start] + BLANK + text[start + len(word) :], (word, partner or _PARTNER[word]))


def natural_row(model: Any) -> dict[str, float]:
    """How often the pronoun that stood there is the likelier one, and its log-loss against its partner.

    Of a model that averages, also the share of these texts that it leaves alone.
    """
    row = {}
    for domain, questions in natural_pronouns().items():
        answers = model.answer(questions)
        gaps = np.array([answer.logprobs[0] - answer.logprobs[1] for answer in answers])
        row[f"pronouns right, {domain}"] = float(np.where(np.abs(gaps) < 1e-9, 0.5, gaps > 0).mean())
        row[f"log-loss of pronouns, {domain}"] = float(np.log1p(np.exp(-gaps)).mean())
        if isinstance(model, AveragedModel):
            left = [model.mirror.blank(question.text) is None for question in questions]
            row[f"left alone, {domain}"] = float(np.mean(left))
    return row


def held_out_row(model: Any) -> dict[str, float]:
    """The size of the lean in sentences that nobody prepared, and right answers where the text tells."""
    table = measure(model, "held-out").estimates
    whole = table[table["by"] == ""]
    return {f"held-out {line['key']}": float(line["value"]) for line in whole.to_dict("records")}


def seen_nouns() -> set[str]:
    """Occupations that self-distillation has in its frames."""
    table = own_table("corpora/person-nouns.csv")
    return set(table.loc[table["kind"] == "occupation", "noun"])


def bias_row(model: Any, *, quick: bool) -> dict[str, float]:
    """How much association is left."""
    tbe = measure(model, "tbe", data="gbef", data_dir=DATA)
    row = {"mean abs APPD": tbe.value("mean-abs-appd"), "APPD": tbe.value("appd")}
    of_words = tbe.estimates[(tbe.estimates["key"] == "appd") & (tbe.estimates["by"] == "profession")]
    is_seen = of_words["level"].str.lower().isin(seen_nouns())
    row["mean abs APPD, seen"] = float(of_words["value"][is_seen].abs().mean())
    row["mean abs APPD, unseen"] = float(of_words["value"][~is_seen].abs().mean())
    for variant in ("as-published",) if quick else ("as-published", "corrected"):
        result = measure(model, "association", data="bec-pro", variant=variant, data_dir=DATA)
        gaps = result.estimates[(result.estimates["key"] == "gap") & (result.estimates["by"] == "profession")]
        row[f"BEC-Pro mean abs gap, {variant}"] = float(gaps["value"].abs().mean())
        row[f"BEC-Pro oriented, {variant}"] = result.value("oriented-association")
    row["definitional sentences right"] = tbe.value("guard-share")
    guard = tbe.items[(tbe.items["part"] == "guard") & (tbe.items["variation"] == "original")]
    of_word = guard.groupby(["category", "profession"])["own_side"].mean()
    row["definitional words right"] = float((of_word > 0).mean())
    for name, part in guard.groupby("category"):
        row[f"APPD of {name}"] = float(part["score"].mean())
    return row


def price_row(model: Any, *, quick: bool, folder: Path) -> dict[str, float]:
    """What it cost."""
    texts = folder / "sentences.txt"
    texts.write_text("\n".join(novel_sentences(60 if quick else 400)) + "\n", encoding="utf-8")
    price = measure(model, Price(texts, DATA / "gap", most_pronouns=120 if quick else 2000))
    keys = ("perplexity-other", "perplexity-gendered", "recovery", "pronouns")
    row = {key: price.value(key) for key in keys}
    skew = measure(model, "stereotype-skew", data="winobias", data_dir=DATA)
    table = skew.estimates
    named = table[table["key"].isin(("ability", "stereotype")) & table["level"].isin(("2", ""))]
    row |= {f"T2 {line['key']}": float(line["value"]) for line in named.to_dict("records")}
    stereoset = measure(model, "stereoset", data="stereoset", data_dir=DATA)
    return row | {key: float(stereoset.value(key)) for key in ("lms", "ss", "icat")}


def main() -> None:
    """Measure the named models and add their rows to the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("models", nargs="*")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--corpus", type=Path)
    parser.add_argument("--out", type=Path, default=LATEST)
    chosen = parser.parse_args()
    if chosen.corpus:
        lines = (json.dumps({"text": text}) + "\n" for text in training_texts())
        chosen.corpus.write_text("".join(lines), encoding="utf-8")
    for name in chosen.models:
        started = time.monotonic()
        model = load_model(name)
        row = held_out_row(model) | natural_row(model) | bias_row(model, quick=chosen.quick)
        row |= price_row(model, quick=chosen.quick, folder=chosen.out.parent)
        row["seconds"] = round(time.monotonic() - started, 1)
        table = json.loads(chosen.out.read_text()) if chosen.out.exists() else {}
        label = f"{Path(name).name}{' (quick)' if chosen.quick else ''}"
        table[label] = {key: float(np.round(value, 4)) for key, value in row.items()}
        chosen.out.write_text(json.dumps(table, indent=2) + "\n", encoding="utf-8")
        print(label, json.dumps(table[label], indent=2))


if __name__ == "__main__":
    main()
