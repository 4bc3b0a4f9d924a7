"""``acklab query``: SQL over a sweep's dataset, or any results."""

from __future__ import annotations

import argparse
import io
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..text.escapes import cell, file_name
from ..text.terminal import complain, say, say_json
from .options import add_verb

if TYPE_CHECKING:
    import polars as pl

EXAMPLE = """\
PLACE is a dataset of `acklab sweep --dataset`, with the table flows; the --out directory of another command, with a table for each
Parquet file; or one Parquet file. SQL is DuckDB's. It can read these tables only, and write nothing. Values that CSV or JSON do not
have, such as intervals, are written as texts. An answer may fill a quarter of the machine's memory.

example:
  acklab sweep examples/queue.toml --dataset runs
  acklab query runs "select queue_packets, avg(completion_s) from flows group by all order by all"
  acklab query runs "select * from flows where timeouts > 0" --out timeouts.parquet
  acklab query runs "describe flows"

exit status: 0; 1 the output cannot be written; 2 no dataset, or the SQL cannot be answered; 130 interrupted; 143 terminated
"""
#: Rows that are shown.
MOST_ROWS = 60
ENDINGS = (".parquet", ".csv", ".json")


def add(verbs: Any) -> None:
    """Adds the verb to the command line."""
    about = "Answer SQL over the flows of a dataset, or over the tables of other results."
    verb = add_verb(verbs, "query", act, about, EXAMPLE)
    verb.add_argument(
        "place", metavar="PLACE", help="a dataset's directory or URL, a directory of results, or a Parquet file"
    )
    verb.add_argument("sql", metavar="SQL", help="the question, such as 'select count(*) from flows'")
    how = verb.add_mutually_exclusive_group()
    how.add_argument(
        "--json", action="store_true", help="print a JSON list with an object for each row, and nothing else"
    )
    how.add_argument("--csv", action="store_true", help="print CSV and nothing else")
    how.add_argument("--out", metavar="FILE", help="write the answer there: .parquet, .csv or .json")


def act(options: argparse.Namespace) -> int:
    """Asks and returns the exit status."""
    from ..study.dataset import StoreError
    from ..study.query import QueryError, answer, caveat

    if options.out and Path(options.out).suffix not in ENDINGS:
        options.parser.error(f"--out {file_name(options.out)}: the name ends in {', '.join(ENDINGS)}")
    ending = Path(options.out).suffix if options.out else ".json" if options.json else ""
    try:
        found = answer(options.place, options.sql, {".parquet": "frame", ".json": "json"}.get(ending, "text"))
        said = caveat(options.place)
    except (QueryError, StoreError) as error:
        options.parser.exit(2, f"acklab: {error}\n")
    if said:
        complain(said)
    if ending == ".json":
        found = _with_numbers(found)
    if options.out:
        _write(found, Path(options.out))
    elif options.json:
        say_json(found.write_json())
    elif options.csv:
        from ..results.frames import write_csv

        text = io.BytesIO()
        write_csv(found, text)
        say(text.getvalue().decode().removesuffix("\n"))
    else:
        say(_text(found))
    return 0


def _with_numbers(found: pl.DataFrame) -> pl.DataFrame:
    """Decimals, such as sums of integers in SQL, as numbers: polars writes them to JSON as texts."""
    import polars as pl

    for column in found.get_columns():
        if isinstance(column.dtype, pl.Decimal):
            number = column.cast(pl.Float64 if column.dtype.scale else pl.Int64, strict=False)
            if number.null_count() == column.null_count():  # else the text keeps the digits that 64 bits have not
                found = found.with_columns(number)
    return found


def _write(found: pl.DataFrame, path: Path) -> None:
    from ..results.files import replacing
    from ..results.frames import provenance, system_errors, write_csv

    with replacing(path) as scratch, system_errors(scratch):
        if path.suffix == ".parquet":
            found.write_parquet(scratch, compression="zstd", metadata=provenance())
        elif path.suffix == ".json":
            found.write_json(scratch)
        else:
            with scratch.open("wb") as file:
                write_csv(found, file)


def _text(found: pl.DataFrame) -> str:
    """The first rows as a table of text."""
    from ..text.escapes import width

    columns = []
    for column in found.head(MOST_ROWS).get_columns():
        numbers = column.dtype.is_numeric()
        cells = [
            column.name,
            *(
                "" if value is None else f"{value:.6g}" if isinstance(value, float) else cell(str(value))
                for value in column
            ),
        ]
        cells = [text.replace("\n", " ") for text in cells]
        wide = max(map(width, cells))
        columns.append(
            [" " * (wide - width(text)) + text if numbers else text + " " * (wide - width(text)) for text in cells]
        )
    lines = ["  ".join(row).rstrip() for row in zip(*columns, strict=True)]
    more = (
        [f"{len(found):,} rows, of which the first {MOST_ROWS} are shown; --csv, --json and --out FILE have all"]
        if len(found) > MOST_ROWS
        else []
    )
    return "\n".join([*lines, *more])
