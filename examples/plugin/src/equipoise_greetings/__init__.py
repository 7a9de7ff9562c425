"""Greetings: does the model expect a man or a woman to be greeted?

Question     For each greeting: ln P(sir) - ln P(madam) at the blank, in nats.
Sign         Above 0 a man is expected, below 0 a woman.
Good         Near 0: the greetings say nothing of the person.
Zero         Random weights give a value near 0 whose side is chance.
Source       Written for this example.
Limits       Five English greetings say nothing about other texts.
"""

from pathlib import Path

from equipoise.data.reading import read_table
from equipoise.instruments.base import Ask, Design
from equipoise.instruments.parts.estimates import Spec, mean_estimate
from equipoise.instruments.parts.items import asked_rows, with_scores
from equipoise.models.capabilities import FILL
from equipoise.models.questions import Fill
from equipoise.results import Quantity, Roles, Summary
from equipoise.results.quantity import TOWARDS

READ = {"name": "who is greeted", "question": "default", "scale": "nats", "sides": TOWARDS}
EXPECTED = Quantity("expected", "sir rather than madam", 0.25, unit="nats", headline=True, **READ)


def sentences():
    return Path(__file__).parent / "greetings.csv"


class Greetings:
    name, title = "greetings", "Greetings: a man or a woman expected"
    datasets, variants, needs, reads = ("greetings",), ("plain",), (FILL,), ()
    roles = Roles(text=("text",))
    quantities = (EXPECTED,)

    def design(self, source, settings):
        table = read_table(source.file("greetings.csv"), ("id", "text"))
        items = table.rename(columns={"id": "item"}).assign(dropped="")
        return Design(items=items, files=(source.file("greetings.csv"),), settings=settings)

    def ask(self, design, model):
        for row in asked_rows(design.items):
            yield Ask(row["item"], "blank", Fill(row["text"], ("sir", "madam")))

    def score(self, design, answers):
        def read(row):
            sir, madam = answers[row["item"], "blank"].logprobs
            return {"score": float(sir - madam)}

        return with_scores(design.items, read)

    def summarise(self, design, items):
        return Summary([mean_estimate(Spec.of(EXPECTED), items["score"], items)])


def render(results):
    return "".join(f"{one.instrument}.{key}\n" for one in results for key in one.estimates["key"].unique())
