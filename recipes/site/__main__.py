"""Build the site: `python -m recipes.site --out build/site`."""

import argparse
import sys
from pathlib import Path

from recipes.site.building import build


def main() -> None:
    """Build it and say where it is."""
    parser = argparse.ArgumentParser(description="Build the documentation as a static site.")
    parser.add_argument("--out", type=Path, default=Path("build/site"), help="The folder to write.")
    out: Path = parser.parse_args().out
    count = build(Path(__file__).resolve().parents[2], out)
    sys.stdout.write(f"{count} pages: {out / 'index.html'}\n")


if __name__ == "__main__":
    main()
