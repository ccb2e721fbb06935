"""Write again what follows from the code and is kept in the repository.

``python scripts/snapshots.py`` writes the columns of ``Results.means()`` into the docs and the
schema of JSON; with ``--archives`` also the tables and figures of all kept results, and the index.
"""

import argparse
import json
import re
import subprocess
import sys
from itertools import groupby
from pathlib import Path

from boostbench.papers.metrics import R2
from boostbench.report.document.columns import FRAME, columns_in

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs" / "reference" / "results-in-python.md"
SCHEMA = ROOT / "configs" / "output-schema.json"
LAST = "agreement"
"""The column before which the schema has further ones."""
_TYPES = {"str": '"string"', "int": '"integer"', "bool": '"boolean"', "float": '["number", "null"]'}
COLUMNS = {str(name): column for name, column in columns_in(FRAME, R2)}


def described(docs: str) -> str:
    """Return the page of the docs with the columns as they are."""
    table = "| column | contents |\n|---|---|\n"
    for meaning, group in groupby(COLUMNS.items(), lambda item: item[1].meaning):
        table += f"| {', '.join(f'`{name}`' for name, _ in group)} | {meaning} |\n"
    before, heading, section = docs.partition("\n## means\n")
    return before + heading + re.sub(r"(^\|.*\n)+", lambda _: table, section, count=1, flags=re.M)


def in_schema(text: str) -> str:
    """Return the schema with the columns that it lacks."""
    means = json.loads(text)["$defs"]["report"]["properties"]["means"]["items"]["properties"]
    for name in (name for name in COLUMNS if name not in means):
        column = COLUMNS[name]
        said = json.dumps(f"{column.meaning[:1].upper()}{column.meaning[1:]}.")
        entry = f'"{name}": {{"type": {_TYPES[column.dtype]}, "description": {said}}}'
        indent = 14 * " "
        text = text.replace(f'"{LAST}": {{\n', f'{entry},\n{indent}"{LAST}": {{\n', 1)
        text = text.replace(f'"{LAST}"\n', f'"{name}",\n{indent}"{LAST}"\n', 1)
    return text


def main() -> None:
    """Write the files that the command names."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--archives", action="store_true")
    for path, written in ((DOCS, described), (SCHEMA, in_schema)):
        path.write_text(written(path.read_text("utf-8")), "utf-8")
    if parser.parse_args().archives:
        for archive in sorted((ROOT / "results").glob("*/archive")):
            subprocess.run([sys.executable, "-m", "boostbench", "archive", archive], check=True)
        subprocess.run([sys.executable, ROOT / "scripts" / "results_index.py"], check=True)


if __name__ == "__main__":
    main()
