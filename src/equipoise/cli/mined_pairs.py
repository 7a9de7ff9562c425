"""`corpus --pairs`: counterfactual sentence pairs of a corpus, in a file for `measure sbe` and `lint`."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from equipoise.cli.writing import write_text
from equipoise.errors import UserError

if TYPE_CHECKING:
    from equipoise.corpora.reading import Corpus


def mine(opened: "Corpus", path: Path, *, sample: int, seed: int, by_flag: bool) -> None:
    """Draw pairs and write them; what was left out, and from how many they were drawn, is said on stderr."""
    from equipoise.corpora.documents import Problems
    from equipoise.corpora.mining import mine_pairs

    problems = Problems()
    mined = mine_pairs(opened.documents(problems), sample=sample, seed=seed, by_flag=by_flag)
    if mined.table.empty:
        raise UserError(
            f"{opened.root} has no sentence whose gender can be turned.", "Give more text, or English text."
        )
    write_text(path, mined.table.to_csv(index=False, lineterminator="\n"), "--pairs")
    said = [f"{len(mined.table):,} of {mined.available:,} pairs, drawn with seed {seed}: {path}"]
    said += [f"  left out, {reason}: {count:,}" for reason, count in mined.left_out.most_common()]
    said += [f"  passed over, {reason}: {count:,}" for reason, count in problems.unread.most_common(3)]
    said += [f"  note: {notice}" for notice in problems.notices]
    sys.stderr.write(
        "\n".join([*said, f"  next: equipoise measure sbe --data {path} --top 10 --out FOLDER\n"])
    )
