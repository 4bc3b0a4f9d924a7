"""What the flows of a run did together: flows that compete are a group, and each group is summed up in a sentence; what changed as flows came or went.

Flows are in one group if they send in the same manner (:func:`manners`) and the slowest link of their data is the same. Jain's index
of fairness (Jain, Chiu and Hawe 1984) is given of groups whose flows send without limit and begin within a tenth of the run of each
other. Other flows do not compete for the same thing. Their goodputs differ without being unfair.

Means over a whole run hide what breaks it, such as an upload beside downloads. So the run is divided where such visitors begin and end,
and each part has means of its own of the flows that stay.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from ..text.input import loads

if TYPE_CHECKING:
    import polars as pl


Row = Mapping[str, Any]

#: Manners of sending.
WITHOUT_LIMIT, SIZED, WRITES, OTHER = "without limit", "of a size", "writes", "other"
#: Sources whose flow completes with the last write. Others never end.
_WRITES = ("writes", "listed")
#: The share of a run within which flows begin that are compared.
BEGINNING = 0.1


def manners(scenario_toml: str) -> dict[str, str]:
    """How each flow of an expanded scenario sends; nothing where the scenario is not known."""
    found: dict[str, str] = {}
    for table in loads(scenario_toml).get("flow", ()) if scenario_toml else ():
        source = table.get("source")
        if source is None:
            manner = WITHOUT_LIMIT if table.get("size", "unlimited") == "unlimited" else SIZED
        else:
            manner = WRITES if source["kind"] in _WRITES else OTHER
        count = table.get("count", 1)
        found |= {table["name"] + (str(number) if count > 1 else ""): manner for number in range(count)}
    return found


class Way(NamedTuple):
    """The links from one node to another, and those back."""

    there: tuple[Row, ...]
    back: tuple[Row, ...]

    @property
    def one_way_s(self) -> float:
        """The delays of the links of the data, without queues and transmission times."""
        return sum(link["delay_s"] or 0.0 for link in self.there)

    @property
    def round_trip_s(self) -> float:
        """The delays of all links there and back."""
        return self.one_way_s + sum(link["delay_s"] or 0.0 for link in self.back)

    @staticmethod
    def slowest(links: Iterable[Row]) -> Row | None:
        """The link of the lowest rate, the first of several; none where a rate is not known."""
        links = [*links]
        known = all(link.get("rate_bps") is not None for link in links)
        return min(links, key=lambda link: float(link["rate_bps"])) if links and known else None


class Ways:
    """Routes as the simulator takes them: the fewest links, and of several such routes the one whose links are listed first."""

    def __init__(self, links: Iterable[Row]) -> None:
        self._out: dict[str, list[Row]] = {}
        for link in links:
            self._out.setdefault(link["from"], []).append(link)
        self.route = cache(self._route)

    def way(self, one: str, other: str) -> Way:
        """The route there and the one back."""
        return Way(self.route(one, other), self.route(other, one))

    def _route(self, one: str, other: str) -> tuple[Row, ...]:
        routes: dict[str, tuple[Row, ...]] = {one: ()}
        front = [one]
        while front and other not in routes:
            front, before = [], front
            for node in before:
                for link in self._out.get(node, ()):
                    if link["to"] not in routes:
                        routes[link["to"]] = (*routes[node], link)
                        front.append(link["to"])
        return routes.get(other, ())


class Group(NamedTuple):
    """Flows that compete: one manner of sending, one slowest link."""

    manner: str
    slowest: Row | None
    flows: tuple[Row, ...]
    end_s: float

    @property
    def link(self) -> str:
        """The slowest link of their data."""
        return f"{self.slowest['from']}->{self.slowest['to']}" if self.slowest else ""

    @property
    def begun(self) -> tuple[Row, ...]:
        """Those that were due to start before the run's end."""
        return tuple(row for row in self.flows if began(row, self.end_s))

    @property
    def late(self) -> tuple[Row, ...]:
        """The others."""
        return tuple(row for row in self.flows if not began(row, self.end_s))

    @property
    def names(self) -> str:
        """What the flows are called: down0 to down3."""
        return names([row["name"] for row in self.begun or self.flows])

    @property
    def route(self) -> str:
        """Between which nodes, if that is the same of all."""
        ends = {f"{row.get('from')}->{row.get('to')}" for row in self.flows}
        return ends.pop() if len(ends) == 1 else ""

    @property
    def goodput_bps(self) -> float | None:
        """Their payload over the time from the first data of one to the end of the last."""
        rows = [row for row in self.begun if row.get("bytes") is not None]
        starts = [row["first_data_s"] for row in rows if row.get("first_data_s") is not None]
        if not starts:
            rates = [row["goodput_bps"] for row in self.begun if row.get("goodput_bps")]
            return sum(rates) if rates else None
        ends = [self.end_s if row.get("finished_s") is None else row["finished_s"] for row in rows]
        span = max(ends) - min(starts)
        return 8 * sum(row["bytes"] for row in rows) / span if span > 0 else None

    @property
    def mean_rtt_s(self) -> float | None:
        """The mean over the flows of each one's mean round trip."""
        found = [row["mean_rtt_s"] for row in self.begun if row.get("mean_rtt_s") is not None]
        return sum(found) / len(found) if found else None

    @property
    def apart_s(self) -> float:
        """From the first flow's start to the last one's."""
        starts = [row["start_s"] for row in self.begun if row.get("start_s") is not None]
        return max(starts) - min(starts) if starts else 0.0

    @property
    def share(self) -> float | None:
        """Their payload as a share of the slowest link's rate."""
        rate = self.slowest["rate_bps"] if self.slowest else None
        return self.goodput_bps / rate if rate and self.goodput_bps else None

    @property
    def fairness(self) -> float | None:
        """Jain's index of the goodputs; none unless the flows send without limit, and began within a tenth of the run of each other."""
        rates = [float(row["goodput_bps"]) for row in self.begun if row.get("goodput_bps") is not None]
        if self.manner != WITHOUT_LIMIT or len(rates) < 2 or not any(rates) or self.apart_s > BEGINNING * self.end_s:
            return None
        return sum(rates) ** 2 / (len(rates) * sum(rate * rate for rate in rates))


def began(row: Row, end_s: float) -> bool:
    """Whether a flow was due to start before the run's end; a table without starts tells of none that was not."""
    return "start_s" not in row or (row["start_s"] is not None and row["start_s"] < end_s)


def groups(flows: Iterable[Row], links: Iterable[Row], end_s: float, how: Mapping[str, str]) -> list[Group]:
    """The flows in their groups, in the order of each one's first flow.

    Args:
        flows: rows of the table of flows.
        links: rows of the table of links.
        end_s: the run's end.
        how: :func:`manners`.
    """
    ways = Ways(links)
    found: dict[Any, list[Row]] = {}
    slowest = {}
    for row in flows:
        link = Way.slowest(ways.route(row.get("from") or "", row.get("to") or ""))
        key = (
            how.get(row["name"], OTHER),
            (link["from"], link["to"]) if link else (row.get("from"), row.get("to"), ""),
        )
        slowest[key] = link
        found.setdefault(key, []).append(row)
    return [Group(key[0], slowest[key], tuple(rows), end_s) for key, rows in found.items()]


def names(several: Sequence[str]) -> str:
    """Names in a few words.

    >>> names(["down0", "down1", "down2"]), names(["a", "of b"]), names(["a", "b", "c", "d"])
    ('down0 to down2', 'a and “of b”', '4 flows')
    """
    several = [name if " " not in name else f"“{name}”" for name in several]
    stems = {name.rstrip("0123456789") for name in several}
    if len(several) > 2 and len(stems) == 1 and "" not in stems:
        return f"{several[0]} to {several[-1]}"
    if len(several) > 3:
        return f"{len(several)} flows"
    return " and ".join(filter(None, [", ".join(several[:-1]), several[-1]]))


def samples(series: pl.LazyFrame, how: Mapping[str, str]) -> pl.DataFrame:
    """The round trips of the flows that write now and then, ``flow, time_s, rtt_s``, of the table ``series``."""
    import polars as pl

    rows = series.filter(pl.col("flow").is_in([name for name, manner in how.items() if manner == WRITES]))
    return rows.select("flow", "time_s", "rtt_s").drop_nulls().collect()


class Trips(NamedTuple):
    """Round trips of flows: how many, their median, and the 5th and 95th percentile (of fewer than 20 the least and the most)."""

    number: int
    median_s: float
    low_s: float
    high_s: float

    @property
    def all(self) -> bool:
        """Whether the two ends are those of all."""
        return self.number < 20


def trips(found: pl.DataFrame | None, group: Group, from_s: float = 0.0, to_s: float = float("inf")) -> Trips | None:
    """A group's round trips that ended in a part of the run, among :func:`samples`; none where there is none."""
    import polars as pl

    if found is None:
        return None
    rtt = found.filter(
        pl.col("flow").is_in([row["name"] for row in group.begun]),
        pl.col("time_s").is_between(from_s, to_s, closed="left"),
    )["rtt_s"]
    ends = (0.0, 1.0) if len(rtt) < 20 else (0.05, 0.95)
    return Trips(len(rtt), *(rtt.quantile(share, "nearest") for share in (0.5, *ends))) if len(rtt) else None  # type: ignore[arg-type]


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


class Moved(NamedTuple):
    """What flows that stay got in each part."""

    group: Group
    rates: tuple[float, ...]
    """Their goodput together, in bit/s."""
