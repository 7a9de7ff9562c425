"""Takes Vega and Vega-Lite out of vl-convert, for the pages that Equipoise writes.

    python -m recipes.vega_bundle

Bundling takes seconds every time, and a page must not: so the bundle is shipped, 0.3 MB compressed.
"""

import gzip
from pathlib import Path
from typing import Any

import vl_convert

TARGET = Path(__file__).resolve().parents[1] / "src/equipoise/report/page/assets/vega.js.gz"


def bundle() -> str:
    """The two libraries as one script that sets `vega` and `vegaLite`."""
    make: Any = vl_convert.javascript_bundle  # its type hints demand what may be left out
    script: str = make()
    if "</script" in script.lower():
        raise ValueError("the bundle would end the script element that it stands in")
    return script


if __name__ == "__main__":
    TARGET.write_bytes(gzip.compress(bundle().encode("utf-8"), compresslevel=9, mtime=0))
