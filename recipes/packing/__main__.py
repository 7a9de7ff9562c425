"""`python -m recipes.packing RECIPE --source DIR --texts FILE --out DIR`."""

import argparse
import logging
import sys
from collections.abc import Sequence
from pathlib import Path

from equipoise.errors import UserError
from recipes.packing.passages import read_texts
from recipes.packing.settings import read_recipe


def main(arguments: Sequence[str] | None = None) -> int:
    """Pack a model as the recipe says; 0 when done, 2 when the input must be corrected."""
    given = _parser().parse_args(arguments)
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s")
    try:
        sys.stdout.write(_pack(given) + "\n")
    except UserError as mistake:
        sys.stderr.write(f"{mistake}\n")
        return 2
    return 0


def _pack(given: argparse.Namespace) -> str:
    from recipes.packing.recipe import pack_model

    recipe = read_recipe(given.recipe)
    texts = read_texts(given.texts, leave_out=recipe.held_out_titles)
    work = given.work or given.out.with_name(given.out.name + ".work")
    digest = pack_model(given.source, given.out, recipe, texts=texts, work_folder=work)
    return f"{given.out}: packed, SHA-256 {digest}"


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m recipes.packing",
        description="Pack a masked language model. Repeat the command to continue a stopped run.",
    )
    parser.add_argument("recipe", type=Path, help="TOML file with the settings")
    parser.add_argument("--source", type=Path, required=True, help="folder of the model")
    parser.add_argument("--texts", type=Path, required=True, help=".txt or .jsonl to calibrate on")
    parser.add_argument("--out", type=Path, required=True, help="folder for the packed model")
    parser.add_argument("--work", type=Path, help="folder for the stages (default: OUT.work)")
    return parser


if __name__ == "__main__":
    sys.exit(main())
