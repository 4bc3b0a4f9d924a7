"""Writes the tables of docs/oracle/zoo.md and zoo-simulated.md from ``rows.json`` beside this file: ``python tests/oracle/zoo/write.py``."""

from __future__ import annotations

import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import drawn  # noqa: E402
import simulated  # noqa: E402

from acklab_zoo import output  # noqa: E402
from acklab_zoo.tables import Table, tables  # noqa: E402

HERE = Path(__file__).parent
ORACLE = HERE.parents[2] / "docs" / "oracle"


def block(table: Table) -> str:
    """The table between its marks."""
    return f"<!-- begin {table.name} -->\n{table.about}\n\n{table.markdown()}\n<!-- end {table.name} -->"


def main() -> None:
    """Puts each table between its marks."""
    rows = output.read(HERE / "rows.json")
    fill("zoo.md", tables(rows))
    fill("zoo-simulated.md", [*simulated.tables(rows), drawn.table()])


def fill(page: str, tables: list[Table]) -> None:
    """Writes the tables of a page."""
    text = (ORACLE / page).read_text("utf-8")
    for table in tables:
        text, count = re.subn(
            rf"<!-- begin {table.name} -->.*?<!-- end {table.name} -->",
            lambda _, table=table: block(table),
            text,
            flags=re.DOTALL,
        )
        assert count == 1, f"{page} has no place for the table {table.name}"
    (ORACLE / page).write_text(text, "utf-8")


if __name__ == "__main__":
    main()
