"""Rewriting a Parquet file, a group of rows at a time; needs pyarrow, an extra."""

from pathlib import Path
from typing import Any

from equipoise.corpora.rewriting_progress import RewriteSettings, RewriteSummary
from equipoise.corpora.rewriting_rows import BadRow
from equipoise.errors import UserError
from equipoise.files import replacing
from equipoise.text.rewriting.pronouns.forms import Judge

ROWS = 2000


def rewrite_parquet(
    source: Path, out: Path, settings: RewriteSettings, *, judge: Judge | None = None, force: bool = False
) -> RewriteSummary:
    """Rewrite the text column; other columns and types stay. A killed run starts anew."""
    parquet = _pyarrow_parquet()
    if out.exists() and not force:
        raise UserError(f"{out} exists.", "Give another --out, or --force to overwrite it.")
    if settings.mode == "augment":
        raise UserError("augment is not written to Parquet.", "Convert to jsonl, or use another mode.")
    file = parquet.ParquetFile(source)
    if settings.text_column not in file.schema_arrow.names:
        raise UserError(
            f"There is no column {settings.text_column!r} among {', '.join(file.schema_arrow.names)}.",
            "Name the column that holds the text with --text.",
        )
    summary, rewriter = RewriteSummary(), settings.rewriter(judge)
    with replacing(out) as target, parquet.ParquetWriter(target, file.schema_arrow) as writer:
        for batch in file.iter_batches(batch_size=ROWS):
            writer.write_batch(_rewritten(batch, settings.text_column, rewriter, summary))
    return summary


def _rewritten(batch: Any, column: str, rewriter: Any, summary: Any) -> Any:
    import pyarrow

    place = batch.schema.names.index(column)
    texts = batch.column(place).to_pylist()
    results = iter(rewriter.rewrite_many(text for text in texts if text is not None))
    written: list[str | None] = []
    for row, text in enumerate(texts):
        if text is None:
            summary.bad_rows += 1
            summary.bad.append(BadRow(summary.rows + row + 1, "no text; kept as it is"))
            written.append(None)
            continue
        rewritten = next(results)
        summary.changes += len(rewritten.changes)
        summary.tally = [total + more for total, more in zip(summary.tally, rewritten.tally, strict=True)]
        written.append(rewritten.text)
    summary.rows += len(texts)
    array = pyarrow.array(written, type=batch.schema.field(place).type)
    return batch.set_column(place, batch.schema.field(place), array)


def _pyarrow_parquet() -> Any:
    try:
        from pyarrow import parquet
    except ModuleNotFoundError as error:
        raise UserError(
            "Parquet files need the package pyarrow.", "Install it with: pip install pyarrow"
        ) from error
    return parquet
