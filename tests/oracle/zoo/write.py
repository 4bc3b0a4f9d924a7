"""Writes the tables of docs/oracle/zoo.md from ``rows.json`` beside this file: ``python tests/oracle/zoo/write.py``."""

from __future__ import annotations

import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import drawn  # noqa: E402
import second  # noqa: E402
import simulated  # noqa: E402

from acklab.experiments.zoo import output  # noqa: E402
from acklab.experiments.zoo.tables import Table, tables  # noqa: E402

HERE = Path(__file__).parent
PAGE = HERE.parents[2] / "docs" / "oracle" / "zoo.md"


def block(table: Table) -> str:
    """The table between its marks."""
    return f"<!-- begin {table.name} -->\n{table.about}\n\n{table.markdown()}\n<!-- end {table.name} -->"


def main() -> None:
    """Puts each table between its marks."""
    text = PAGE.read_text("utf-8")
    rows = output.read(HERE / "rows.json")
    for table in [*tables(rows), *simulated.tables(rows), drawn.table(), *second.tables()]:
        text, count = re.subn(rf"<!-- begin {table.name} -->.*?<!-- end {table.name} -->", lambda _, table=table: block(table), text, flags=re.DOTALL)
        assert count == 1, f"the page has no place for the table {table.name}"
    PAGE.write_text(text, "utf-8")


if __name__ == "__main__":
    main()
