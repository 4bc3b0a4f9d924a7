"""What changed when flows came or went in the middle of a run: an upload beside downloads, for example.

Means over a whole run hide its break. So the run is divided where the visitors begin and end, and each part has means of its own of
the flows that stay.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from .together import SIZED, WITHOUT_LIMIT, Group, names

if TYPE_CHECKING:
    import polars as pl

    from .._core import Simulation

Row = Mapping[str, Any]

#: The share of a run at its beginning and end in which a break does not count: the part beside it would be too short for means.
EDGE = 0.02


class Part(NamedTuple):
    """A part of a run."""

    from_s: float
    to_s: float
    visited: bool
    """Whether the visitors send in it."""


class Change(NamedTuple):
    """Flows that stay, flows that come or go, and the parts of the run that these make."""

    visitors: tuple[Group, ...]
    stayers: tuple[Group, ...]
    """Of each group those that send in every part."""
    parts: tuple[Part, ...]

    @property
    def visit(self) -> int:
        """The number of the part in which the visitors send."""
        return next(number for number, part in enumerate(self.parts) if part.visited)

    @property
    def name(self) -> str:
        """What the visitors are called."""
        return names([row["name"] for group in self.visitors for row in group.flows])


def change(groups: Iterable[Group], end_s: float) -> Change | None:
    """The one visit of a run; none where no flow comes or goes in the middle, where none stays, or where there are several visits."""
    edge = EDGE * end_s
    bulk = [group for group in groups if group.manner in (WITHOUT_LIMIT, SIZED)]
    spans = {
        row["name"]: (_start(row), end_s if row.get("finished_s") is None else row["finished_s"])
        for group in bulk
        for row in group.begun
    }
    stays = {name for name, (begin, end) in spans.items() if begin <= edge and end >= end_s - edge}
    begins, ends = (
        zip(*(span for name, span in spans.items() if name not in stays), strict=True)
        if len(stays) < len(spans)
        else ((), ())
    )
    if not stays or not begins or any(max(times) - min(times) > edge for times in (begins, ends)):
        return None
    begin, end = min(begins), max(ends)
    if end - begin < edge:
        return None
    stayers, visitors = (
        tuple(
            group._replace(flows=rows)
            for group in bulk
            if (rows := tuple(row for row in group.begun if (row["name"] in stays) == staying))
        )
        for staying in (True, False)
    )
    first = min(row.get("first_data_s") or 0.0 for group in stayers for row in group.flows)
    cuts = [first, *([begin] if begin > edge else []), *([end] if end < end_s - edge else []), end_s]
    parts = tuple(
        Part(one, other, begin <= (one + other) / 2 <= end) for one, other in zip(cuts, cuts[1:], strict=False)
    )
    return Change(visitors, stayers, parts)


def uneven(groups: Iterable[Group], end_s: float) -> bool:
    """Whether flows come or go in the middle of a run, so that means over all of it hide a break; also where :func:`change` has no parts."""
    edge = EDGE * end_s
    bulk = [row for group in groups if group.manner in (WITHOUT_LIMIT, SIZED) for row in group.begun]
    ends = [end_s if row.get("finished_s") is None else row["finished_s"] for row in bulk]
    return len(bulk) > 1 and (any(_start(row) > edge for row in bulk) or max(ends) - min(ends) > edge)


def span(group: Group) -> str | tuple[float, float]:
    """Over what time a group's means are: of the whole run, in words, or from when to when."""
    edge = EDGE * group.end_s
    begin = min(_start(row) for row in group.begun)
    end = max(group.end_s if row.get("finished_s") is None else row["finished_s"] for row in group.begun)
    return "over the whole run" if begin <= edge and end >= group.end_s - edge else (begin, end)


def _start(row: Row) -> float:
    return float(row.get("start_s") or 0.0)


def rates(parts: Sequence[Part], flows: Iterable[str], bytes_by: Callable[[str, float], float]) -> tuple[float, ...]:
    """The goodput of flows together in each part, in bit/s; ``bytes_by`` gives a flow's payload in order by a time."""
    listed = list(flows)
    return tuple(
        8 * sum(bytes_by(flow, part.to_s) - bytes_by(flow, part.from_s) for flow in listed) / (part.to_s - part.from_s)
        for part in parts
    )


def round_trips(series: pl.LazyFrame, parts: Sequence[Part]) -> dict[tuple[str, int], float]:
    """The mean round trip of each flow in each part by its number, of the table ``series``; nothing where a flow has no sample."""
    import polars as pl

    cuts = [part.from_s for part in parts[1:]]
    number = sum(((pl.col("time_s") >= cut).cast(pl.Int32) for cut in cuts), pl.lit(0, pl.Int32))
    rows = (
        series.select(pl.col("flow").cast(pl.String), "rtt_s", part=number)
        .drop_nulls("rtt_s")
        .group_by("flow", "part")
        .agg(pl.col("rtt_s").mean())
    )
    return {(flow, part): mean for flow, part, mean in rows.collect().iter_rows()}


def mean_of(found: Mapping[tuple[str, int], float], flows: Iterable[str], part: int) -> float | None:
    """The mean over flows of each one's mean round trip in a part, as :attr:`Group.mean_rtt_s` has it of the whole run."""
    means = [found[flow, part] for flow in flows if (flow, part) in found]
    return sum(means) / len(means) if means else None


class Moved(NamedTuple):
    """What flows that stay got in each part."""

    group: Group
    rates: tuple[float, ...]
    """Their goodput together, in bit/s."""
    trips: tuple[float | None, ...] = ()
    """Their mean round trip, in seconds; empty if no samples were recorded."""


#: Beginnings at which a run without tables is looked at.
MOST_LOOKS = 3


def looks(simulation: Simulation) -> dict[float, dict[str, float]]:
    """Runs to where the first flows begin that begin later, and takes each flow's payload in order there: a run need not record it."""
    starts = {row["start_s"] for row in json.loads(simulation.outcome().json(records=False))["flows"] if row["start_s"]}
    found = {}
    for start in sorted(starts)[:MOST_LOOKS]:
        simulation.run_until(start)
        if simulation.finished:
            break
        found[start] = {
            row["name"]: float(row["bytes"]) for row in json.loads(simulation.outcome().json(records=False))["flows"]
        }
    return found


def moved(change: Change | None, found: Mapping[float, Mapping[str, float]], end_s: float) -> list[Moved]:
    """What each group that stays got in each part by :func:`looks`, without round trips; nothing where a part's end was not looked at."""
    if change is None or any(part.from_s not in found for part in change.parts[1:]):
        return []
    got = {
        **found,
        change.parts[0].from_s: {},
        end_s: {row["name"]: float(row["bytes"]) for group in change.stayers for row in group.flows},
    }
    return [
        Moved(
            group,
            rates(change.parts, (row["name"] for row in group.flows), lambda flow, time_s: got[time_s].get(flow, 0.0)),
        )
        for group in change.stayers
    ]
