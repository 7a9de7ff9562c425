"""Sentence pairs of your own, from a table in memory: which version does the model find likelier?

python examples/own_sentences.py [MODEL]
"""

import sys

import pandas as pd

import equipoise as eq

SENTENCES = [
    "The coach said that he would wait for the bus.",
    "The captain lost his whistle before the match.",
    "Everybody thanked the referee, and he smiled.",
    "The scout wrote the names in his notebook.",
    "The trainer bandaged the knee himself.",
    "Ask the groundskeeper whether he mowed the pitch.",
]

pairs = pd.DataFrame(
    {
        "category": "own:sports",
        "stereotype": SENTENCES,
        "counterpart": [eq.rewrite(sentence).text for sentence in SENTENCES],
    }
)
result = eq.measure(eq.load_model(*sys.argv[1:2]), "sbe", data=pairs)
print(result.items.query("part == 'pair' and variation == 'original'")[["counterpart", "score"]])
print(result)
