"""Learns which form a pronoun takes, from novels: tables for `equipoise/text/rewriting/pronouns/`.

    python -m recipes.forms --books FILE --bert DIR --out DIR

FILE has a paragraph per line as JSON with `author` and `text`; DIR of BERT is bert-base-uncased. The
truth is free: "his" and "him" are both made "her" and the model learns which it was; "my" and "me",
"our" and "us", "their" and "them" teach the same lesson. Likewise "her" and "hers", "my" and "mine"
and so on, made "his". Words are put in classes by the words around them in the novels; BERT's
word vectors place those that novels seldom or never use. Nothing is drawn at random.
"""

import argparse
import csv
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from safetensors.numpy import load_file
from scipy.optimize import minimize
from scipy.sparse.linalg import svds

from equipoise.text.rewriting.find.tokens import TOKEN, neighbours
from equipoise.text.rewriting.pronouns.form_model import TokenFacts, features, plain_word
from equipoise.text.rewriting.pronouns.forms import in_context

HELD_OUT = ("agatha-christie", "edith-wharton", "f-scott-fitzgerald", "george-eliot", "upton-sinclair")
"""Never used here: the accuracy on novels is theirs."""
CALIBRATION = ("charlotte-bronte", "e-m-forster", "jack-london")
"""Left out of a first fit to learn how much its margins exaggerate."""

CLASSES = 250
LEAST_COUNT = 6
COMMON_TO_BERT = 14_000
"""A word's class is kept if novels use it so often, or BERT has it among so many commonest."""
DIMENSIONS = 60
CONTEXT_WORDS = 500
WEIGHTS_KEPT = {"her": 12_000, "his": 2_000}
OTHER_PERSONS = 0.5
"""The weight of an example with another person than his and him."""
# Nouns of our day that novels of 1850 to 1930 hardly know, and an older word used in the same places.
MODERN = {
    "career": "debut comeback stint candidacy presidency campaign nomination tenure résumé doctorate "
    "phd thesis audition internship contract ranking website blog podcast sitcom persona trademark "
    "birthplace hometown album single movie film documentary screenplay tattoo wheelchair laptop "
    "phone smartphone email",
    "friends": "fans followers teammates bandmates classmates co-stars colleagues aides supporters opponents",
    "wife": "girlfriend boyfriend fiancé fiancée ex-wife ex-husband teammate co-star roommate sidekick",
}
PAIRS = {
    "her": {"his": 1, "him": 0, "my": 1, "me": 0, "our": 1, "us": 0, "their": 1, "them": 0},
    "his": {"her": 1, "hers": 0, "my": 1, "mine": 0, "our": 1, "ours": 0, "their": 1, "theirs": 0}
    | {"your": 1, "yours": 0},
}
_DETERMINED = frozenset(("the", "a", "this", "that", "old", "gold", "coal", "silver", "copper"))
_GENDERED = {"his": "her", "him": "her", "hers": "her", "he": "she", "himself": "herself"}


class Example(NamedTuple):
    """A pronoun with its neighbours, whether a noun goes with it, and who wrote it."""

    pronoun: str
    before: Sequence[str]
    after: Sequence[str]
    attached: int
    author: str


class Weights(NamedTuple):
    """A linear model: an intercept and a weight per feature."""

    intercept: float
    by_feature: dict[str, float]

    def scores(self, examples: Iterable[Sequence[str]]) -> Any:
        """The log odds of every example that a noun goes with the pronoun."""
        get = self.by_feature.get
        return np.array([self.intercept + sum(get(name, 0.0) for name in row) for row in examples])


def read_paragraphs(path: Path) -> list[tuple[str, str]]:
    """Author and text of every paragraph that may be learnt from."""
    with path.open(encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    return [(row["author"], row["text"]) for row in rows if row["author"] not in HELD_OUT]


def examples_of(paragraphs: Sequence[tuple[str, str]], word: str) -> Iterator[Example]:
    """Every pronoun that would be made `word`."""
    labels = PAIRS[word]
    pattern = re.compile(rf"(?<![\w'’-])({'|'.join(labels)})(?!\w|['’-]\w)", re.IGNORECASE)
    for author, text in paragraphs:
        for match in pattern.finditer(text):
            pronoun = match[1].lower()
            before, after = in_context(*neighbours(text, match.start(), match.end()))
            if pronoun != "mine" or before[-1].lower() not in _DETERMINED:
                yield Example(pronoun, before, after, labels[pronoun], author)


# Classes of words


def class_words(paragraphs: Sequence[tuple[str, str]], bert: Path) -> dict[str, str]:
    """The class of the commonest words, by their neighbours in the novels and BERT's vectors."""
    tokens = [
        word
        for _, text in paragraphs
        for word in ("<s>", *(plain_word(token) for token in TOKEN.findall(text) if not token.isspace()))
    ]
    counts = Counter(tokens)
    words = [word for word, count in counts.most_common() if count >= 4]
    vectors = neighbour_vectors(tokens, words)
    known, known_vectors = bert_vectors(bert)
    words, vectors, weights = blend(words, vectors, counts, known, known_vectors)
    labels = spherical_clusters(vectors, np.sqrt(weights + 3))
    common = set(known[:COMMON_TO_BERT]) | {word for word, count in counts.items() if count >= LEAST_COUNT}
    classes = {word: f"{label:x}" for word, label in zip(words, labels, strict=True) if word in common}
    for model, modern in MODERN.items():
        classes |= dict.fromkeys(modern.split(), classes[model])
    return classes


def neighbour_vectors(tokens: Sequence[str], words: Sequence[str]) -> Any:
    """A unit vector per word: what stands one and two places before and after it."""
    number = {word: place for place, word in enumerate(words)}
    ids = np.array([number.get(token, -1) for token in tokens])
    context = np.array([number.get(_GENDERED.get(token, token), -1) for token in tokens])
    blocks = []
    for distance, weight in ((1, 1.0), (2, 0.25)):
        for own, other in ((ids[:-distance], context[distance:]), (ids[distance:], context[:-distance])):
            used = (own >= 0) & (other >= 0) & (other < CONTEXT_WORDS)
            shape = (len(words), CONTEXT_WORDS)
            blocks.append(sp.coo_matrix((np.full(used.sum(), weight), (own[used], other[used])), shape=shape))
    table = sp.hstack(blocks).tocsr()
    table.sum_duplicates()
    table = sp.diags(1 / (np.asarray(table.sum(axis=1)).ravel() + 10)) @ table
    table.data = np.sqrt(table.data)
    left, sizes, _ = svds(table, k=DIMENSIONS, v0=np.ones(min(table.shape)))
    return unit(left * sizes)


def bert_vectors(folder: Path) -> tuple[list[str], Any]:
    """BERT's whole words, commonest first, and their centred unit vectors."""
    weights = load_file(folder / "model.safetensors")
    table = next(value for name, value in weights.items() if name.endswith("word_embeddings.weight"))
    vocabulary = (folder / "vocab.txt").read_text(encoding="utf-8").splitlines()
    places = [place for place, word in enumerate(vocabulary) if word.isalpha() and len(word) > 1]
    table = unit(table.astype(float) - table.mean(axis=0))
    return [vocabulary[place] for place in places], table[places]


def blend(
    words: Sequence[str], vectors: Any, counts: Mapping[str, int], known: Sequence[str], known_vectors: Any
) -> tuple[list[str], Any, Any]:
    """The novels' vectors, drawn towards what BERT's vectors foretell the more the rarer a word is."""
    place = {word: row for row, word in enumerate(words)}
    both = [row for row, word in enumerate(known) if word in place]
    rows = [place[known[row]] for row in both]
    trust = np.minimum([counts[words[row]] for row in rows], 200) / 200
    inputs = np.hstack([known_vectors, np.ones((len(known), 1))])
    weighted = inputs[both] * trust[:, None]
    square = weighted.T @ inputs[both] + np.eye(inputs.shape[1])
    foretold = unit(inputs @ np.linalg.solve(square, weighted.T @ vectors[rows]))
    added = [row for row, word in enumerate(known) if word not in place]
    every = [*words, *(known[row] for row in added)]
    seen = np.array([counts.get(word, 0) for word in every], dtype=float)
    table = np.vstack([vectors, foretold[added]])
    table[rows] = seen[rows, None] * table[rows] + 30 * foretold[both]
    return every, unit(table), seen


def spherical_clusters(vectors: Any, weights: Any, rounds: int = 40) -> Any:
    """K-means by angle; the centres begin at frequent words as far apart as can be."""
    frequent = vectors[:3000]
    centres = [vectors[0]]
    nearest = frequent @ vectors[0]
    for _ in range(CLASSES - 1):
        centres.append(frequent[int(np.argmin(nearest))])
        nearest = np.maximum(nearest, frequent @ centres[-1])
    table = np.array(centres)
    for _ in range(rounds):
        labels = (vectors @ table.T).argmax(axis=1)
        members = sp.csr_matrix((weights, (labels, np.arange(len(vectors)))), shape=(CLASSES, len(vectors)))
        table = unit(members @ vectors)
    return labels


def unit(table: Any) -> Any:
    """Rows of length one."""
    return table / (np.linalg.norm(table, axis=1, keepdims=True) + 1e-9)


# The linear model


def fit(rows: Sequence[Sequence[str]], truth: Any, trust: Any, names: Sequence[str]) -> Weights:
    """Logistic regression with a ridge penalty of one, over the named features."""
    number = {name: place for place, name in enumerate(names)}
    places = [[number[name] for name in row if name in number] for row in rows]
    ends = np.cumsum([0, *(len(row) for row in places)])
    flat = np.fromiter((place for row in places for place in row), dtype=np.int64)
    table = sp.csr_matrix((np.ones(len(flat)), flat, ends), shape=(len(rows), len(names)))
    turned = table.T.tocsr()

    def loss(weights: Any) -> tuple[float, Any]:
        scores = table @ weights[:-1] + weights[-1]
        error = trust * (1 / (1 + np.exp(-scores)) - truth)
        penalty = 0.5 * weights[:-1] @ weights[:-1]
        value = (trust * np.logaddexp(0, np.where(truth, -scores, scores))).sum() + penalty
        return value, np.append(turned @ error + weights[:-1], error.sum())

    best = minimize(loss, np.zeros(len(names) + 1), jac=True, method="L-BFGS-B", options={"maxiter": 200}).x
    return Weights(float(best[-1]), dict(zip(names, best[:-1].tolist(), strict=True)))


def fit_small(rows: Sequence[Sequence[str]], truth: Any, trust: Any, kept: int) -> Weights:
    """Fit all features seen three times, then again with those that matter most."""
    counts = Counter(name for row in rows for name in row)
    names = sorted(name for name, count in counts.items() if count >= 3)
    for size in (4 * kept, 2 * kept, kept):
        model = fit(rows, truth, trust, names)
        matter = {name: abs(weight) * counts[name] ** 0.5 for name, weight in model.by_feature.items()}
        names = sorted(sorted(names, key=lambda name: (-matter[name], name))[:size])
    return fit(rows, truth, trust, names)


def learn(examples: Sequence[Example], facts: TokenFacts, word: str) -> Weights:
    """The weights of one pronoun, scaled so that its margins are honest on authors not fitted."""
    own = ("his", "him") if word == "her" else ("her", "hers")
    rows = [
        features(facts, case.before, case.after) + (() if case.pronoun in own else ("person",))
        for case in examples
    ]
    truth = np.array([case.attached for case in examples], dtype=float)
    is_own = np.array([case.pronoun in own for case in examples])
    trust = np.where(is_own, 1.0, OTHER_PERSONS)
    apart = np.array([case.author in CALIBRATION for case in examples])
    first = fit_small(
        [row for row, out in zip(rows, apart, strict=True) if not out],
        truth[~apart],
        trust[~apart],
        WEIGHTS_KEPT[word],
    )
    checked = apart & is_own
    scale = calibration(
        first.scores(row for row, use in zip(rows, checked, strict=True) if use), truth[checked]
    )
    final = fit_small(rows, truth, trust, WEIGHTS_KEPT[word])
    scaled = {name: weight * scale for name, weight in final.by_feature.items() if name != "person"}
    return Weights(final.intercept * scale, scaled)


def calibration(scores: Any, truth: Any) -> float:
    """The factor that makes the scores the best log odds."""
    signed = np.where(truth, scores, -scores)
    best = minimize(lambda factor: np.logaddexp(0, -factor[0] * signed).mean(), [1.0], method="Nelder-Mead")
    return float(best.x[0])


def without_objects(examples: Sequence[Example], facts: TokenFacts, her: Weights) -> list[Example]:
    """The examples of "his", without each "her" that may be an object."""
    scores = her.scores(features(facts, case.before, case.after) for case in examples)
    return [case for case, score in zip(examples, scores, strict=True) if case.pronoun != "her" or score > 3]


# Writing


def write_classes(path: Path, classes: Mapping[str, str]) -> None:
    """A row per class with its words."""
    members: dict[str, list[str]] = {}
    for word, label in classes.items():
        members.setdefault(label, []).append(word)
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(("class", "words"))
        writer.writerows((label, " ".join(members[label])) for label in sorted(members))


def write_weights(path: Path, models: Mapping[str, Weights]) -> None:
    """A row per pronoun and feature with its weight in hundredths; the intercept has no feature."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(("pronoun", "feature", "weight"))
        for word, model in models.items():
            writer.writerow((word, "", round(100 * model.intercept)))
            rounded = ((name, round(100 * weight)) for name, weight in sorted(model.by_feature.items()))
            writer.writerows((word, name, weight) for name, weight in rounded if weight)


def main() -> None:
    """Read the novels, learn, and write both tables."""
    parser = argparse.ArgumentParser(description="Learn which form a pronoun takes.")
    parser.add_argument("--books", type=Path, required=True)
    parser.add_argument("--bert", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    chosen = parser.parse_args()
    paragraphs = read_paragraphs(chosen.books)
    classes = class_words(paragraphs, chosen.bert)
    facts = TokenFacts(classes)
    her = learn(list(examples_of(paragraphs, "her")), facts, "her")
    his_examples = without_objects(list(examples_of(paragraphs, "his")), facts, her)
    his = learn(his_examples, facts, "his")
    write_classes(chosen.out / "form_classes.csv", classes)
    write_weights(chosen.out / "form_weights.csv", {"her": her, "his": his})


if __name__ == "__main__":
    main()
