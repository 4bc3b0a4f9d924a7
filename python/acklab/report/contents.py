"""What goes into the page: the headline, the tables, and each chart's data as blocks.

The page is told everything in one manifest (JSON) that points to the data blocks. It
holds one *item* for each flow of each run; an item's tables are those the charts draw.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from ..plot import palette, prep
from ..plot.differences import differs
from ..plot.runs import Run, items_of
from ..results.together import WRITES, Ways
from .encode import NANO, Blocks

#: Queues are embedded change by change while all queues of the page together stay below
#: this many rows. Beyond that, the shorter queues are thinned to what a screen can show.
QUEUE_ROWS = 3_000_000
THIN_COLUMNS = 50_000

_STATES = ["slow-start", "congestion-avoidance", "recovery"]
_EVENTS = ["timeout", "fast retransmit"]
_FATE_BITS = 3  # flags: bit 0 resent, 1 SYN, 2 FIN, then the fate


#: The charts of a run, from the top.
CHARTS = ("throughput", "rtt", "queue", "window", "sequence", "timeline")


def manifest(
    runs: list[Run],
    title: str | None = None,
    *,
    charts: Sequence[str] = CHARTS,
    words: bool = True,
    abouts: Mapping[str, str] | None = None,
    sentence: str = "",
    notes: Sequence[str] = (),
    tables: Mapping[str, Any] | None = None,
) -> tuple[dict[str, Any], Blocks]:
    """The manifest and the blocks it points to.

    Without ``words`` only what the charts need; ``abouts`` replace charts' subtitles. ``sentence`` replaces the headline of valid
    runs, ``notes`` come below it, and ``tables`` after those of flows and links.
    """
    blocks = Blocks()
    slots = [item.slot for item in items_of(runs)]
    by_run = palette.run_slots(len(runs))
    out_runs: list[dict[str, Any]] = []
    items: list[dict[str, Any]] = []
    for r, run in enumerate(runs):
        ways = prep.journeys(run) if run.packets.height else None
        group_of = {row["name"]: number for number, group in enumerate(run.groups) for row in group.flows}
        idle = {row["name"] for group in run.groups for row in group.late}
        data = run.packets.filter(kind="data") if run.packets.height else run.packets
        largest = (
            dict(data.group_by(pl.col("flow").cast(pl.String)).agg(pl.col("size_bytes").max()).iter_rows())
            if data.height
            else {}
        )
        by_flow = ways.partition_by("flow", as_dict=True) if ways is not None else {}
        for flow in run.flow_names:
            mine = by_flow.get((flow,), ways.clear() if ways is not None else None)
            items.append(
                {
                    "run": r,
                    **_item(run, flow, mine, blocks),
                    **_capacity(run, flow, largest.get(flow)),
                    "slot": slots[len(items)],
                    "group": group_of[flow],
                    "idle": flow in idle,
                }
            )
        out_runs.append(
            {
                "label": run.label,
                "title": run.title,
                "seed": run.seed,
                "end_s": run.end_s,
                "slot": by_run[r],
                "groups": [{"name": prep.name_of(group), "writes": group.manner == WRITES} for group in run.groups],
                "queues": _queues(run, blocks),
                "recorded": {t: bool(getattr(run, t).height) for t in ("series", "queue", "packets")},
            }
        )
    invalid = any(run.invalid for run in runs)
    headline = prep.headline(runs)
    headline["title"] = sentence if sentence and not invalid else headline["title"]
    headline["points"] += [{"run": None, "about": "note", "text": text} for text in notes]
    told = {
        "title": title or _title(runs),
        "changed": list(runs[0].changed) if all(run.changed == runs[0].changed for run in runs) else [],
        "banner": "Invalid run: its numbers do not show what the scenario does. They are not compared with anything."
        if invalid
        else "",
        "headline": headline,
        "tables": {"flows": prep.flow_table(runs), "links": prep.link_table(runs), **(tables or {})},
        "limits": [] if invalid else _limits(runs),
    }
    return {
        **(told if words else {}),
        "runs": out_runs,
        "items": items,
        "charts": [{"id": name, **({"about": abouts[name]} if abouts and name in abouts else {})} for name in charts],
        **constants(),
    }, blocks


def constants() -> dict[str, Any]:
    """What every manifest says: axes, colours, and the words that numbers in the blocks stand for."""
    return {
        "axes": {name: {**a.__dict__, "label": prep.label(name)} for name, a in prep.AXES.items()},
        "palette": {"slots": palette.SLOTS, "roles": palette.ROLES, "background": palette.BACKGROUND},
        "names": {"states": _STATES, "events": _EVENTS, "fates": list(prep.FATES)},
    }


def _title(runs: list[Run]) -> str:
    titles = list(dict.fromkeys(r.title for r in runs if r.title))
    what = differs([run.scenario for run in runs], [run.label for run in runs])
    return ": ".join(filter(None, [titles[0] if len(titles) == 1 else "", what])) or "acklab run"


def _item(run: Run, flow: str, ways: pl.DataFrame | None, blocks: Blocks) -> dict[str, Any]:
    tables: dict[str, Any] = {}
    window = prep.cwnd(run, flow)
    if window.height:
        states = pl.col("state").replace_strict(_STATES, [1, 2, 3], default=0, return_dtype=pl.Int64)
        resolution = {"time_s": NANO, **dict.fromkeys(window.columns[2:5], 1e-3)}
        tables["window"] = blocks.add(window.drop("flow").with_columns(states), resolution)
        events = prep.window_events(run, flow)
        tables["cuts"] = blocks.add(
            events.select(
                "time_s", pl.col("event").replace_strict(_EVENTS, [0, 1], return_dtype=pl.Int64), "cwnd_segments"
            ),
            {"time_s": NANO, "cwnd_segments": 1e-3},
        )
        samples = prep.rtt(run, flow)
        tables["rtt"] = blocks.add(samples.drop("flow"), {"time_s": NANO, "rtt_ms": 1e-6, "rto_ms": 1e-3})
    depths: dict[str, dict[str, float]] = {}
    if ways is not None:
        for kind in ("data", "ack"):
            tables[kind], depths[kind] = _ways(ways.filter(pl.col("kind") == kind), blocks)
        layers = prep.time_sequence(run, flow, ways)
        tables["sacks"] = blocks.add(layers["sacks"], {"time_s": NANO})
        tables["edge"] = blocks.add(layers["window"], {"time_s": NANO})
        tables["progress"] = blocks.add(prep.progress(run, flow, ways), {"time_s": NANO})
    return {
        "flow": flow,
        "unit": prep.sequence_unit(run, flow),
        "unit_bytes": run.unit_bytes(flow),
        "tables": tables,
        "depths": depths,
        "end_s": _end(run, flow),
    }


def _end(run: Run, flow: str) -> float:
    """Until when the flow's lines are drawn: its own end, or the run's."""
    end = run.flow(flow).get("finished_s")
    return run.end_s if end is None else float(end)


def _ways(ways: pl.DataFrame, blocks: Blocks) -> tuple[dict[str, Any], dict[str, float]]:
    """One direction's journeys: sent, time taken to the end, numbers, flags, where lost."""
    lost = ways.drop_nulls("where").select("where", "depth").unique().sort("where")
    links = lost["where"].to_list()
    number = pl.col("seq") if (ways["kind"] == "data").all() else pl.col("ack")
    fate = pl.col("fate").replace_strict(list(prep.FATES), list(range(len(prep.FATES))), return_dtype=pl.Int64)
    flags = [pl.col(c).cast(pl.Int64) * (1 << bit) for bit, c in enumerate(("retransmit", "syn", "fin"))]
    frame = ways.select(
        "sent_s",
        number.alias("number"),
        "len",
        # Differences are taken between the rounded times, so that the end is exact too.
        took_s=((pl.col("ended_s") / NANO).round() - (pl.col("sent_s") / NANO).round()) * NANO,
        flags=sum(flags, fate * (1 << _FATE_BITS)),
        link=pl.col("where").replace_strict(links, list(range(1, len(links) + 1)), default=0, return_dtype=pl.Int64),
    )
    return blocks.add(frame, {"sent_s": NANO, "took_s": NANO}), dict(lost.iter_rows())


def _queues(run: Run, blocks: Blocks) -> list[dict[str, Any]]:
    """Each link's queue, the fullest first, with what was dropped there, and whether mainly ACKs pass the link."""
    lost = prep.drops(run)
    offered = (
        run.packets.filter(pl.col("event") == "enqueue").group_by("link").agg(acks=(pl.col("kind") == "ack").mean())
    )
    acks = dict(offered.iter_rows())
    tops = run.queue.group_by("link").agg(pl.col("queue_packets").max().alias("top"), n=pl.len())
    waits = {
        f"{row['from']}->{row['to']}": row["sent_wait_s"] / row["packets"]
        for row in run.links.iter_rows(named=True)
        if row.get("packets") and row.get("sent_wait_s") is not None
    }
    out, rows = [], 0
    for link, top, n in tops.sort(["top", "link"], descending=[True, False]).iter_rows():
        frame = prep.queue(run, link).select("time_s", "queue_packets", "wait_ms")
        rows += n
        whole = rows <= QUEUE_ROWS
        if not whole:
            frame = prep.thin_steps(frame, "queue_packets", THIN_COLUMNS)
        here = lost.filter(pl.col("link") == link)
        marks = here.select(
            "time_s",
            pl.col("event").replace_strict(list(prep.FATES), list(range(len(prep.FATES))), return_dtype=pl.Int64),
            "queue_packets",
            "seq",
            "ack",
            kind=(pl.col("kind") == "ack").cast(pl.Int64),
            flow=pl.col("flow").replace_strict(run.flow_names, list(range(run.flows.height)), return_dtype=pl.Int64),
        )
        out.append(
            {
                "link": link,
                "top": top,
                "acks": acks.get(link, 0) > 0.5,
                **({"wait_s": waits[link]} if link in waits else {}),
                "thinned": not whole or "queue" in run.thinned.rows,
                "timed": bool(frame["wait_ms"].is_not_null().any()),
                "table": blocks.add(frame, {"time_s": NANO, "wait_ms": 1e-3}),
                "drops": blocks.add(marks, {"time_s": NANO}),
            }
        )
    return out


def _capacity(run: Run, flow: str, largest: int | None) -> dict[str, Any]:
    """The slowest link that the flow's data crossed, the time it takes to send the ``largest`` packet, and the round trip without queues."""
    if not run.links.height or not {"rate_bps", "delay_s"} <= set(run.links.columns):
        return {"capacity_bps": None}
    row = run.flow(flow)
    trip = Ways(run.links.iter_rows(named=True)).way(row["from"], row["to"]).round_trip_s
    links = (
        run.links.filter(pl.format("{}->{}", "from", "to").is_in(run.data_links(flow)))
        .drop_nulls("rate_bps")
        .sort("rate_bps", maintain_order=True)
    )
    if not links.height:
        return {"capacity_bps": None, "delays_ms": 1e3 * trip}
    slowest = links.row(0, named=True)
    return {
        "capacity_bps": slowest["rate_bps"],
        "capacity_link": f"{slowest['from']}→{slowest['to']}",
        "packet_s": 8 * largest / slowest["rate_bps"] if largest and slowest["rate_bps"] else None,
        "delays_ms": 1e3 * trip,
    }


def _limits(runs: list[Run]) -> list[dict[str, Any]]:
    """Where each flow's time went, for the bars under the headline."""
    out = []
    for r, run in enumerate(runs):
        now_and_then = {row["name"] for group in run.groups if group.manner == WRITES for row in group.flows}
        for flow in [name for name in run.flow_names if name not in now_and_then] or run.flow_names:
            found = prep.limits(run, flow)
            spans = [{"cause": cause, "from_s": since, "s": took} for cause, since, took in found.spans]
            out.append(
                {
                    "run": r,
                    "flow": flow,
                    "from_s": run.flow(flow).get("first_data_s") or run.flow(flow).get("start_s") or 0.0,
                    "active_s": found.active_s,
                    "seconds": found.seconds,
                    "spans": spans,
                }
            )
    return out
