"""What the charts and the report take: a run, as plain tables; and what is drawn of it, its flows with their names and colours.

A run is any mapping or object with these entries; only ``flows`` is required.

- ``label``: short name, shown in legends when runs are compared.
- ``title``: the scenario's title.
- ``seed``: the seed, shown on the page.
- ``end_s``: when the run stopped. Without it, the last time in any table.
- ``invalid``: why a live run's numbers mean nothing. Without it, the column of that name
  in ``flows``. Titles, legends and the headline then say so.
- ``access``: whether its nodes are those of an access path (``--path``): S, A and C.
- ``mechanism``: palette name of what this run shows (``"daass"``). Without it, the label
  is looked up.
- ``flows``: one row a flow. Columns: ``name, from, to, completed, start_s, first_data_s,
  finished_s, completion_s, bytes, goodput_bps, segments_sent, retransmits, timeouts,
  ...`` and ``unit_bytes`` (payload bytes per unit of ``seq``). Optional:
  ``window_segments`` (a constant receiver window) and ``mechanism`` (palette name of the
  flow).
- ``links``: one row a direction. Columns: ``from, to, rate_bps, delay_s, packets, drops,
  lost, filtered, mean_queue_packets, max_queue_packets, utilisation``.
- ``series``: the senders' state at each change. Columns: ``time_s, flow, cwnd_segments,
  ssthresh_segments, flight_segments, rtt_s, rto_s, state``. Optional:
  ``backlog_segments, base_rtt_s``.
- ``queue``: queue lengths at each change. Columns: ``time_s, link, queue_packets,
  queue_bytes``. ``link`` is ``"FROM->TO"``.
- ``packets``: every packet event on every link. Columns: ``time_s, link, event, flow,
  kind, seq, len, ack, sack, size_bytes, retransmit, syn, fin``. Optional: ``window``
  (advertised window of an ACK, in the units of ``seq``).

Each table is a polars or pandas DataFrame, a pyarrow Table, or any object with the
Arrow PyCapsule method ``__arrow_c_stream__``. Tables that were not recorded are
absent or None. With ``scenario_toml``, a text or a method, titles say what differs.
Times are seconds. ``seq``, ``len`` and ``ack`` are in the flow's sequence units.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, wraps
from typing import Any
from weakref import WeakKeyDictionary

import polars as pl

from ..results.together import WRITES, Change, Group, change, groups, manners, samples
from ..results.validity import of_table
from . import palette
from .tables import SCHEMA, Thinned


@dataclass(frozen=True, eq=False)
class Run:
    """One run with its tables as polars frames; see the module's text for the columns."""

    label: str
    title: str
    seed: int | None
    end_s: float
    mechanism: str | None
    flows: pl.DataFrame
    links: pl.DataFrame
    series: pl.DataFrame
    queue: pl.DataFrame
    packets: pl.DataFrame
    scenario: str = ""
    """The scenario as it ran, in TOML; empty where it is not known."""
    invalid: str = ""
    """Why a live run's numbers mean nothing; empty if they are valid."""
    thinned: Thinned = Thinned()
    changed: tuple[str, ...] = ()
    """Keys of the scenario's file that the user set."""
    access: bool = False
    """Whether it is an access path of ``--path``, whose nodes are S, A and C."""
    samples: pl.DataFrame | None = None
    """The round trips of the flows that write now and then, ``flow, time_s, rtt_s``; all of them, also where ``series`` is thinned."""

    @classmethod
    def of(cls, source: Any, label: str | None = None) -> Run:
        """Read a run from a mapping or an object; a :class:`Run` is returned as it is."""
        if isinstance(source, Run):
            return source
        from . import reading  # which knows runs

        end = _get(source, "end_s")
        given = {name: _get(source, name) for name in SCHEMA}
        tables, thinned = reading.read(given)
        scenario = _text(_get(source, "scenario_toml"))
        how = manners(scenario)
        series = given["series"] if isinstance(given["series"], pl.LazyFrame) else tables["series"].lazy()
        title = _get(source, "title") or ""
        seed = _get(source, "seed")
        invalid = str(_get(source, "invalid") or of_table(tables["flows"]))
        label = str(label or _get(source, "label") or title or "run")
        whole = given["series"] is not None and (not thinned.rows.get("series") or series is given["series"])
        return cls(
            label=f"{label} (invalid)" if invalid else label,
            title=f"Invalid run: {title}" if invalid else str(title),
            seed=None if seed is None else int(seed),
            end_s=float(end) if end is not None else _last_time(tables),
            mechanism=_get(source, "mechanism"),
            **tables,
            scenario=scenario,
            invalid=invalid,
            thinned=thinned,
            changed=tuple(_get(source, "changed") or ()),
            access=bool(_get(source, "access")),
            samples=samples(series, how) if whole and WRITES in how.values() else None,
        )

    @cached_property
    def groups(self) -> list[Group]:
        """The flows in groups of those that compete; see :mod:`acklab.results.together`."""
        links = self.links if "rate_bps" in self.links.columns else self.links.clear()
        return groups(self.flows.iter_rows(named=True), links.iter_rows(named=True), self.end_s, manners(self.scenario))

    @cached_property
    def change(self) -> Change | None:
        """The visit of flows in the middle of the run, if there is one."""
        return change(self.groups, self.end_s)

    @property
    def flow_names(self) -> list[str]:
        """The flows, in the order of their table."""
        return self.flows["name"].to_list()

    def flow(self, name: str) -> dict[str, Any]:
        """One flow's row."""
        for row in self.flows.iter_rows(named=True):
            if row["name"] == name:
                return row
        raise KeyError(f"no flow {name!r} in this run; there are {', '.join(self.flow_names)}")

    @cached_property
    def routes(self) -> pl.DataFrame:
        """Which links carried what: ``flow, kind, link``, from the packets; empty if not recorded."""
        return self.packets.select("flow", "kind", "link").unique()

    def data_links(self, flow: str) -> list[str]:
        """The links that carried a flow's data; empty if packets were not recorded."""
        return self.links_of(flow, "data")

    def links_of(self, flow: str, kind: str) -> list[str]:
        """The links that carried a flow's packets of a kind, ``data`` or ``ack``; empty if packets were not recorded."""
        return self.routes.filter((pl.col("flow") == flow) & (pl.col("kind") == kind))["link"].to_list()

    def unit_bytes(self, flow: str) -> int:
        """Payload bytes per unit of the flow's sequence numbers (1 if not told)."""
        return int(self.flow(flow).get("unit_bytes") or 1)


def once_per_run(function: Callable[..., Any]) -> Callable[..., Any]:
    """Keep what a function of a run (and of plain arguments) returned, as long as the run lives.

    A report asks for the same frames many times, and a run never changes.
    """
    kept: WeakKeyDictionary[Run, dict[Any, Any]] = WeakKeyDictionary()

    @wraps(function)
    def call(run: Run, *args: Any) -> Any:
        mine = kept.setdefault(run, {})
        if args not in mine:
            mine[args] = function(run, *args)
        return mine[args]

    return call


def read_runs(sources: Any) -> list[Run]:
    """A list of runs from one run or several, with labels made distinct."""
    one = isinstance(sources, (Run, Mapping)) or hasattr(sources, "flows")
    items: Iterable[Any] = [sources] if one else sources
    runs = [Run.of(item) for item in items]
    if not runs:
        raise ValueError("no runs to draw")
    seen: dict[str, int] = {}
    out = []
    for run in runs:
        seen[run.label] = n = seen.get(run.label, 0) + 1
        out.append(run if n == 1 else replace(run, label=f"{run.label} ({n})"))
    return out


def recorded(sources: Any, table: str) -> list[Run]:
    """The runs, of which at least one has rows in ``table``.

    Raises:
        ValueError: none has: a chart of them would be empty.
    """
    runs = read_runs(sources)
    if not any(getattr(run, table).height for run in runs):
        raise ValueError(f'nothing to draw: the table {table} was not recorded; run with record={{"{table}": True}}')
    return runs


def _get(source: Any, name: str) -> Any:
    value = source.get(name) if isinstance(source, Mapping) else getattr(source, name, None)
    return value


def _text(value: Any) -> str:
    """A text, or what a method gives."""
    return str(value() if callable(value) else value or "")


def _last_time(tables: dict[str, pl.DataFrame]) -> float:
    times = [t["time_s"].max() for t in tables.values() if "time_s" in t.columns and t.height]
    flows = tables["flows"]
    for column in ("finished_s", "start_s"):
        if column in flows.columns:
            times.append(flows[column].max())
    return float(max((t for t in times if t is not None), default=0.0))


@dataclass(frozen=True)
class Item:
    """One flow of one run, as the legends name and colour it."""

    run: Run
    flow: str
    name: str
    slot: str
    #: Nothing else is drawn: then the roles (data, ACK, cwnd, ...) have their own colours.
    alone: bool

    def colour(self, role: str, theme: str = "light") -> str:
        """The colour of one of the flow's lines."""
        return palette.role_colour(role, theme) if self.alone else palette.SLOTS[self.slot][theme]


def items_of(runs: Any, flow: str | None = None, most: int | None = None, *, bulk: bool = False) -> list[Item]:
    """The flows to draw: all, or the one of that name in each run.

    Runs that are compared differ in colour; within a single run the flows do. ``bulk`` leaves out flows that have not begun, and
    those that write now and then beside others.
    """
    found = read_runs(runs)
    by_run = palette.run_slots(len(found))
    chosen = [(r, name) for r in found for name in r.flow_names if flow is None or name == flow]
    if flow is not None and not chosen:
        raise KeyError(f"no flow {flow!r}; there are {', '.join(n for r in found for n in r.flow_names)}")
    if bulk and flow is None:
        begun = [(run, row["name"], group.manner) for run in found for group in run.groups for row in group.begun]
        kept = {
            (id(run), name)
            for run, name, manner in begun
            if manner != WRITES or all(other == WRITES for _, _, other in begun)
        }
        chosen = [(run, name) for run, name in chosen if (id(run), name) in kept] or chosen
    slots = dict(zip((id(r) for r in found), by_run, strict=True))
    single = len(found) == 1
    by_flow = flow_slots(found[0]) if single else {}
    return [
        Item(
            run=run,
            flow=name,
            name=item_name(run, name, single),
            slot=by_flow[name] if single else slots[id(run)],
            alone=len(chosen) == 1,
        )
        for run, name in chosen[:most]
    ]


def flow_slots(run: Run) -> dict[str, str]:
    """Colours of the flows within one run: by mechanism if told, else by name."""
    names = run.flow_names
    keys = names
    if "mechanism" in run.flows.columns:
        keys = [m or n for m, n in zip(run.flows["mechanism"].to_list(), names, strict=True)]
    elif len(names) == 1 and run.mechanism:
        keys = [run.mechanism]
    return dict(zip(names, palette.slots_for(keys), strict=True))


def item_name(run: Run, flow: str, single: bool) -> str:
    """The name in legends: the flow's, the run's, or both where both are needed."""
    if single:
        return f"{flow} (invalid)" if run.invalid else flow
    return run.label if run.flows.height == 1 else f"{run.label} · {flow}"
