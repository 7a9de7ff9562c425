"""Reminders: counterfactual fine-tuning, plus sentences that remind the model which words have a gender.

What it does  Rewriting a corpus teaches a model that men nurse and women have prostates, because pronouns
              are flattened everywhere. Here sentences about gender-definitional words (pregnant,
              breastfeed, prostate), written for this project, are added to the rewritten text, each as
              often as `copies` says.
Source        The repair of the thesis behind the template-based evaluation (its section 6.3, Table 5): 50
              sentences once, twice and three times. Its sentences are not published; ours are others, and
              cover more words.
Options       Those of `counterfactual`; `copies` (0 to leave the sentences out: the same run without them);
              `file`, a CSV of your own with the columns category and sentence; `words`, the categories to
              take, separated by commas.
Breaks        It repairs the words it names, and hardly others. In the thesis one copy did nothing that its
              noise would not: take several seeds.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import pandas as pd

from equipoise.choices import option
from equipoise.data.reading import own_table, read_table
from equipoise.errors import UserError, unknown_name
from equipoise.mitigations.base import Changed, Materials, Presets
from equipoise.mitigations.counterfactual import PRESETS
from equipoise.mitigations.networks import masked_model, own_copy
from equipoise.mitigations.tuning import RewritingTuning, needs_documents, read_texts, tune
from equipoise.models.protocol import LanguageModel

TABLE = "reminders.csv"


@dataclass(frozen=True)
class Reminders(RewritingTuning):
    """Tunes a copy of the model on a rewritten corpus and reminding sentences."""

    name: ClassVar[str] = "reminders"
    reads_corpus: ClassVar[bool] = True
    presets: ClassVar[Presets] = {
        f"gbef-x{copies}": {**PRESETS["gbef"], "copies": copies} for copies in (1, 2, 3)
    }

    copies: int = option(1, "how often the reminders are added; 0: the same run without them")
    file: str = option("", "a CSV with the columns category and sentence; else the shipped sentences")
    words: str = option("", "the categories of sentences to add, separated by commas; else all")

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 <= self.copies <= 100:
            raise UserError(f"copies is {self.copies}.", "Give a number from 0 to 100.")

    def change(self, model: LanguageModel, materials: Materials) -> Changed:
        """The tuned copy, with counts and losses in the account."""
        masked = masked_model(model, self.name)
        needs_documents(materials, self.name)
        sentences = reminder_sentences(self.file, self.words)
        texts = read_texts(materials, self, self.mode)
        texts.train.extend(sentences * self.copies)
        texts.account.append(f"{len(sentences):,} reminding sentences, {self.copies} times each.")
        return tune(masked, own_copy(masked), texts, self, materials, name=self.name)


def reminder_sentences(file: str = "", words: str = "") -> list[str]:
    """The shipped sentences or those of a file, of some categories or of all."""
    table = reminder_table(file)
    chosen = [word.strip() for word in words.split(",") if word.strip()]
    for word in chosen:
        if word not in set(table["category"]):
            raise unknown_name(
                "category of reminding sentences", word, list(dict.fromkeys(table["category"]))
            )
    kept = table[table["category"].isin(chosen)] if chosen else table
    return [str(text) for text in kept["sentence"]]


def reminder_table(file: str = "") -> pd.DataFrame:
    """Reminding sentences with the category of each."""
    table = read_table(Path(file), ("category", "sentence")) if file else own_table(TABLE)
    return table[["category", "sentence"]]
