"""What the zoo leaves: ``rows.json``, ``rows.parquet`` and one offline page."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from acklab.text.numbers import counted
from acklab.text.terminal import align, one_line, short

from .paths import PATHS
from .tables import Row, tables

if TYPE_CHECKING:
    from acklab.results.directory import Folder

NAMES = ("rows.json", "rows.parquet", "zoo.html")
#: What every row has; what is a text where it is there. The rest are numbers.
NAMED = {"sender", "receiver", "path"}
TEXTS = {*NAMED, "error", "linux", "protocol", "sha256", "version"}
#: Largest number of a row, and most letters of a wrong value that are shown.
MAX_NUMBER, MAX_SHOWN = 2**63 - 1, 60
#: Significant digits of a number in ``rows.json``.
_DIGITS = 7


class ZooError(ValueError):
    """Rows that cannot be read, or a member that is not there."""


def plain(rows: Sequence[Row]) -> str:
    """The rows as JSON, a line a row; what a run did not show is left out."""

    def told(value: Any) -> Any:
        return float(f"{value:.{_DIGITS}g}") if isinstance(value, float) else value

    lines = [
        json.dumps({key: told(value) for key, value in row.items() if value is not None}, allow_nan=False)
        for row in rows
    ]
    return "[\n" + ",\n".join(lines) + "\n]\n"


def read(path: Path) -> list[dict[str, Any]]:
    """The rows of a file that :func:`plain` wrote.

    Raises:
        ZooError: it has none.
        OSError: it cannot be read.
    """
    try:
        rows = json.loads(path.read_text("utf-8"))
    except (ValueError, RecursionError) as error:
        raise ZooError(f"no JSON: {error}") from None
    if not isinstance(rows, list) or not rows or not all(isinstance(row, dict) and row.keys() >= NAMED for row in rows):
        raise ZooError("no rows of the zoo: a list of objects with `sender`, `receiver` and `path`")
    for number, row in enumerate(rows):
        for key, value in row.items():
            if key in TEXTS:
                right, allowed = isinstance(value, str), "a text"
            else:
                right, allowed = isinstance(value, (int, float)) and abs(value) <= MAX_NUMBER, "a number"
            if key == "path" and right:
                right = value in PATHS or value.startswith("drawn ")
                allowed = f"one of {', '.join(PATHS)}, or drawn N"
            if not right:
                shown = short(json.dumps(value), MAX_SHOWN)
                raise ZooError(f"[{number}].{one_line(key)} = {shown}: allowed is {allowed}")
    try:
        tables(rows), headline(rows)
    except KeyError as error:
        raise ZooError(f"a row lacks {error}, which others of its path have") from None
    return rows


def text(rows: Sequence[Row]) -> str:
    """The tables for a terminal, and what failed."""
    made = [f"{table.title}\n{table.about}\n" + "\n".join(align(table.heads, table.cells)) for table in tables(rows)]
    failed = [f"{row['sender']} to {row['receiver']}, {row['path']}: {row['error']}" for row in rows if "error" in row]
    return "\n\n".join([*made, *(["failed:\n" + "\n".join(failed)] if failed else [])])


def headline(rows: Sequence[Row]) -> str:
    """What the page found: the packets for an ACK over ``plain``, or over the first path of which there are any.

    >>> headline([{"sender": name, "receiver": name, "path": "plain", "per_ack": each} for name, each in [("a", 2), ("b", 9.66)]])
    'Over the path plain an ACK is for 2.0 packets (a) to 9.7 (b)'
    """
    own = sorted(
        (row for row in rows if row["sender"] == row["receiver"] and "per_ack" in row),
        key=lambda row: float(row["per_ack"]),
    )
    paths = [row["path"] for row in own]
    path = "plain" if "plain" in paths else next(iter(paths), None)
    mine = [row for row in own if row["path"] == path]
    if not mine:
        return "No stack's ACKs were counted"
    least, most = (f"{row['per_ack']:.1f}" for row in (mine[0], mine[-1]))
    few, many = (
        " and ".join(row["receiver"] for row in mine if f"{row['per_ack']:.1f}" == shown) for shown in (least, most)
    )
    if least == most:
        return f"Over the path {path} an ACK is for {least} packets ({few})"
    return f"Over the path {path} an ACK is for {least} packets ({few}) to {most} ({many})"


def page(rows: Sequence[Row]) -> str:
    """One page that needs no network."""
    from acklab.report.pieces import document, esc, header, table

    names = list(dict.fromkeys(row["receiver"] for row in rows))
    body = [
        header(
            headline(rows),
            "acklab zoo",
            f"{', '.join(names)}; {counted(len(rows), 'run')} in virtual time",
            quick=False,
        ),
        "</header><main>",
    ]
    for one in tables(rows):
        cells = [list(map(esc, cells)) for cells in one.cells]
        shown = table(one.heads, cells, ["text", *[""] * (len(one.heads) - 1)])
        body.append(
            f'<section class="card" id="{one.name}"><h2>{esc(one.title)}</h2><p class="note">{esc(one.about)}</p>{shown}</section>'
        )
    body.append('</main><footer class="foot">rows.json and rows.parquet: each run with all its numbers.</footer>')
    return document("The zoo", "".join(body))


def write(rows: Sequence[Row], folder: Folder) -> None:
    """Writes everything into a directory that is held."""
    import polars as pl

    with folder.replacing({}) as scratch:
        (scratch / "rows.json").write_text(plain(rows), encoding="utf-8")
        pl.DataFrame(json.loads(plain(rows)), infer_schema_length=None).write_parquet(scratch / "rows.parquet")
        (scratch / "zoo.html").write_text(page(rows), encoding="utf-8")
