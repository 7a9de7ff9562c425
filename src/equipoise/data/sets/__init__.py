"""One reader per data set: each gives its items in one shape, with one set of column names.

Pairs have `stereotype`, `counterpart`, `category` and `cluster`; blanks have `text` with one blank, `form`
(the grammatical form that it asks for) and, where they have one, `profession`, `template` and `category`.
Every table has `item`, a name of its own for each row, and `dropped`, which is empty or says why it is not
asked.
"""

from dataclasses import dataclass

import pandas as pd

from equipoise.data.reading import File


@dataclass(frozen=True)
class ItemSet:
    """Items as a table, the files they came from, and what is to be said of them."""

    table: pd.DataFrame
    files: tuple[File, ...]
    notices: tuple[str, ...] = ()
