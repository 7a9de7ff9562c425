"""A corpus of two decades, made so that it is known what stands beside whom: one has a stereotype."""

import csv
import random
from pathlib import Path

SETS = {
    "first target": ("men", ("he", "man", "father", "brother", "son", "uncle")),
    "second target": ("women", ("she", "woman", "mother", "sister", "daughter", "aunt")),
    "first attribute": ("work", ("office", "salary", "career", "business", "factory", "contract")),
    "second attribute": ("home", ("kitchen", "cradle", "garden", "laundry", "nursery", "cooking")),
}
FILLERS = ("then", "often", "there", "quite", "again", "today", "soon", "never", "perhaps", "still")


def write_tests(path: Path, test: str = "made") -> Path:
    """The association test that the corpus is about."""
    rows = [(test, role, name, word) for role, (name, words) in SETS.items() for word in words]
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([("test", "role", "set", "word"), *rows])
    return path


def write_decades(path: Path, *, sentences: int = 2500) -> Path:
    """Documents dated 1951 to 1968; in the fifties men stand beside work, in the sixties all is mixed."""
    rng = random.Random(5)
    rows = []
    for number in range(sentences // 5):
        year = rng.choice((1951, 1958, 1962, 1968))
        rows.append((f"{year}-03-{number % 28 + 1:02d}", " ".join(_sentence(rng, year) for _ in range(5))))
    rows += [("1973-01-01", "He and she met there again."), ("undated", "Nobody knows when she wrote this.")]
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([("date", "body"), *rows])
    return path


def _sentence(rng: random.Random, year: int) -> str:
    person = rng.choice((0, 1))
    topic = person if year < 1960 else rng.choice((0, 1))
    sets = [words for _, words in SETS.values()]
    words = [rng.choice(sets[person]), *rng.sample(sets[2 + topic], 3), *rng.sample(FILLERS, 3)]
    rng.shuffle(words)
    return " ".join(words).capitalize() + "."
