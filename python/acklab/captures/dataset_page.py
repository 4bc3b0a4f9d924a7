"""The page of a dataset: how often each limit is met, how goodput is distributed, and the directions with most data, to sort."""

from __future__ import annotations

from typing import Any

import polars as pl

from ..figures import pictures
from ..figures.charts import Axis, Bar, Bars
from ..figures.html import document, esc, header, table
from ..text.escapes import one_line
from ..text.numbers import amount, count, percent, seconds
from .directions import Dataset
from .templates import CAUSES

#: Directions of the page's table: those with most acknowledged data.
MOST = 500


def page(found: Dataset) -> str:
    """The page's text."""
    limits = found.limits()
    total, sent = max(int(limits["directions"].sum()), 1), max(int(limits["acked_bytes"].sum()), 1)
    rows = [
        [esc(one["limit"]), f"{one['directions']:,}", percent(one["directions"] / total), percent(one["acked_bytes"] / sent), _rate(one["goodput_bps"])]
        for one in limits.iter_rows(named=True)
    ]  # fmt: skip
    left = f"; {count(found.refused, 'file')} left out" if found.refused else ""
    left += f"; {count(found.unfollowed, 'segment')} not looked at" if found.unfollowed else ""
    heading = f"{count(found.captures, 'capture')}, {count(found.directions, 'direction')}{left}"
    body = [
        header(_finding(limits, total, sent), "acklab analyze: what limits these connections", heading, quick=False),
        "</header><main>",
    ]
    if rows:
        first = found.first(
            "acked_bytes",
            MOST,
            (
                "duration_s",
                "goodput_bps",
                "path_rtt_min_s",
                "resent",
                "policy",
                *(column for column, _ in CAUSES.values()),
            ),
        )
        heads = ["limit", "directions", "of them", "of the data", "median goodput"]
        body.append(f'<section class="card"><h2>Limits</h2>{table(heads, rows, ["text", "", "", "", ""])}</section>')
        body.append(f'<section class="card">{_goodputs(found)}</section>')
        note = f"The {first.height} with most acknowledged data. A heading sorts; <code>connections.parquet</code> has all columns of all."
        body.append(
            f'<section class="card"><h2>Directions</h2><p class="note">{note}</p>{_directions(first)}</section>'
        )
    body.append(
        '</main><footer class="foot">Times of limits are seconds; what each means is in the reference of <code>acklab analyze</code>.</footer>'
    )
    return document("What limits these connections", "".join(body))


def _finding(limits: pl.DataFrame, total: int, sent: int) -> str:
    """The limit of most of the data."""
    if limits.is_empty():
        return "No connection here has a limit that can be told."
    most = limits.sort("acked_bytes", descending=True).row(0, named=True)
    return f"{most['limit']} limits most of the data: {percent(most['acked_bytes'] / sent)} of it, in {percent(most['directions'] / total)} of the directions."


def _goodputs(found: Dataset) -> str:
    """Directions by the decade of their goodput."""
    groups = [
        Bar(f"{amount(10.0**place, 'b/s')} to {amount(10.0 ** (place + 1), 'b/s')}", [float(directions)])
        for place, directions in found.decades().iter_rows()
    ]
    chart = Bars(
        "goodputs", "Directions by their goodput.", ["directions"], ["blue"], groups, Axis("directions (count)"), 2.4
    )
    return pictures.embedded(chart) if groups else ""


def _directions(first: pl.DataFrame) -> str:
    heads = [
        "capture",
        "from",
        "to",
        "acknowledged",
        "lasts",
        "goodput",
        "least round trip",
        "resent",
        "policy",
        "limit",
        *(name for _, name in CAUSES.values()),
    ]
    rows = [
        [esc(f"{one_line(one['file'])} #{one['connection']}"), esc(one["from"]), esc(one["to"]), amount(one["acked_bytes"], "B"), _span(one["duration_s"]),
         _rate(one["goodput_bps"]), _span(one["path_rtt_min_s"]), str(one["resent"]), esc(one["policy"]), esc(one["limit"]), *(_number(one[name]) for name, _ in CAUSES.values())]
        for one in first.iter_rows(named=True)
    ]  # fmt: skip
    return table(heads, rows, ["text", "text", "text", "", "", "", "", "", "text", "text"])


def _rate(value: Any) -> str:
    return "-" if value is None else amount(value, "b/s")


def _span(value: Any) -> str:
    return "-" if value is None else seconds(value)


def _number(value: Any) -> str:
    return "-" if value is None else f"{value:.3f}"
