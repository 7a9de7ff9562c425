"""Writes what a buyer asks for: a lock with hashes, a bill of materials, licences of what is installed.

    pip install --dry-run --ignore-installed --report report.json -c constraints.txt torch==2.13.0 .[dev]
    python -m recipes.supply_chain report.json

`requirements.lock` pins the tested set by SHA-256 (`pip install --require-hashes -r requirements.lock`),
`sbom.cdx.json` is a CycloneDX 1.6 bill of materials, `LICENSES/dependencies.csv` names every licence.
"""

import csv
import io
import json
import sys
from importlib.metadata import PackageNotFoundError, metadata
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
OWN = "equipoise"
UNSTATED = "see its files"


def packages(report: dict[str, Any]) -> list[dict[str, str]]:
    """Name, version, hash and licence of everything that pip would install, without this project."""
    rows = []
    for one in report["install"]:
        data, hashes = one["metadata"], one["download_info"].get("archive_info", {}).get("hashes", {})
        if data["name"] != OWN:
            told = {"name": data["name"], "version": data["version"], "sha256": hashes["sha256"]}
            rows.append(told | {"licence": licence_of(data)})
    return sorted(rows, key=lambda row: row["name"].lower())


def licence_of(data: dict[str, Any]) -> str:
    """What a package says of its licence: the expression, a short text, or its classifiers."""
    classified = [
        one.rsplit(" :: ", 1)[1] for one in data.get("classifier", ()) if one.startswith("License ::")
    ]
    stated = data.get("license_expression") or data.get("license") or ""
    short = stated if 0 < len(stated) < 60 and "\n" not in stated else ""
    return short or "; ".join(one for one in classified if one != "OSI Approved") or _expression(data["name"])


def _expression(name: str) -> str:
    """The licence expression of an installed package, which pip's report leaves out."""
    try:
        return metadata(name)["License-Expression"] or UNSTATED
    except PackageNotFoundError:
        return UNSTATED


def lock(rows: list[dict[str, str]]) -> str:
    """One line a package, with the hash of the file that the tests ran with."""
    lines = [f"{row['name']}=={row['version']} --hash=sha256:{row['sha256']}" for row in rows]
    return "\n".join(
        ["# The tested set on Linux x86-64, Python 3.11: see recipes/supply_chain.py.", *lines, ""]
    )


def bill_of_materials(rows: list[dict[str, str]], version: str) -> dict[str, Any]:
    """A CycloneDX document."""
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {"component": {"type": "library", "name": OWN, "version": version}},
        "components": [
            {
                "type": "library",
                "name": row["name"],
                "version": row["version"],
                "purl": f"pkg:pypi/{row['name'].lower()}@{row['version']}",
                "hashes": [{"alg": "SHA-256", "content": row["sha256"]}],
                "licenses": [{"license": {"name": row["licence"]}}],
            }
            for row in rows
        ],
    }


def licences(rows: list[dict[str, str]]) -> str:
    """A table of names, versions and licences."""
    text = io.StringIO()
    writer = csv.DictWriter(text, ("name", "version", "licence"), extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def main(path: str) -> None:
    """Read pip's report and write the three files."""
    report = json.loads(Path(path).read_text(encoding="utf-8"))
    rows = packages(report)
    version = next(one["metadata"]["version"] for one in report["install"] if one["metadata"]["name"] == OWN)
    (ROOT / "requirements.lock").write_text(lock(rows), encoding="utf-8")
    bill = json.dumps(bill_of_materials(rows, version), indent=1)
    (ROOT / "sbom.cdx.json").write_text(bill + "\n", encoding="utf-8")
    (ROOT / "LICENSES/dependencies.csv").write_text(licences(rows), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1])
