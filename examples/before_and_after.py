"""Measure a model, change it, measure it again, and read what the change did.

python examples/before_and_after.py [MODEL]
"""

import sys

import equipoise as eq

model = eq.load_model(*sys.argv[1:2])  # nothing named: the shipped BERT
changed = eq.mitigate(model, "counterfactual-averaging").model

before, after = (eq.measure(one, "traits") for one in (model, changed))
print(eq.compare(before, after))
