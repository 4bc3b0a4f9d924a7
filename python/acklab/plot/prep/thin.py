"""Fewer rows for the same picture: what a chart of so many columns of dots can show.

A static chart of a million changes has perhaps a thousand columns of dots. In each column
the eye sees four points of a line: where it begins, its lowest, its highest, and where it
ends. Those rows are kept, unchanged. The others make no visible difference. The page does
the same with pyramids, at every zoom.
"""

from __future__ import annotations

import polars as pl


def thin_steps(frame: pl.DataFrame, value: str, columns: int = 1000, time: str = "time_s") -> pl.DataFrame:
    """Keep each column's first, lowest, highest and last row; nothing is changed below 4 rows a column."""
    if frame.height <= 4 * columns:
        return frame
    return extremes(frame.with_columns(_cell(frame, columns, time)), ["_cell"], [pl.col(value)]).drop("_cell")


def extremes(frame: pl.DataFrame, groups: list[str], values: list[pl.Expr]) -> pl.DataFrame:
    """Keep each group's first and last row, and the rows with its lowest and its highest of each of ``values``."""
    at = pl.col("_row")
    wanted = [at.first(), at.last(), *(at.get(place) for v in values for place in (v.arg_min(), v.arg_max()))]
    rows = frame.with_row_index("_row")
    keep = rows.group_by(groups).agg(pl.concat_list(wanted).alias("_keep"))
    kept = keep.explode("_keep").select(_row="_keep").unique().drop_nulls()
    return rows.join(kept, on="_row", how="semi").sort("_row").drop("_row")


def thin_points(frame: pl.DataFrame, columns: int = 1000, each: int = 3, time: str = "time_s") -> pl.DataFrame:
    """Keep at most ``each`` rows a column, evenly taken; nothing is changed where there are fewer."""
    if frame.height <= columns * each:
        return frame
    rows = frame.with_columns(_cell(frame, columns, time))
    nth, size = pl.int_range(pl.len()).over("_cell"), pl.len().over("_cell")
    step = (size / each).ceil().cast(pl.Int64).clip(1)
    return rows.filter(nth % step == 0).drop("_cell")


def _cell(frame: pl.DataFrame, columns: int, time: str) -> pl.Expr:
    low, high = frame[time].min(), frame[time].max()
    span = (high - low) or 1.0
    return ((pl.col(time) - low) / span * columns).floor().cast(pl.Int64).clip(0, columns - 1).alias("_cell")
