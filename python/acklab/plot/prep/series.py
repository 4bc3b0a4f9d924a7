"""What each chart over time shows.

**Journeys.** The packets table says what happened on each link. The charts need to know when a packet
left, when it arrived, or where it died. The events of one packet are found by its own
fields (flow, kind, seq, ack, ...). Some packets have equal fields, such as duplicate
ACKs. They keep their order on a path of FIFO queues, so the k-th to leave is the k-th
to arrive. Only where some of them were lost, their order is followed link by link.

**Time-sequence graph.** What was sent and acknowledged, seen from the sender's edge. The conventions are tcptrace's.
A segment is a vertical tick at the time it was sent, from
its first unit to the one after its last. Retransmissions are marked R. The ACK line steps
up when ACKs *reach the sender*. SACK blocks stand above it. The advertised window is a
line.

**Timeline.** Time runs along, data slants down, ACKs rise, bands stack. The upper edge of a band is the sender, the lower the
receiver. A packet is a line between two edges. It begins at the time it left and ends at the time it arrived. A line that
crosses the end of a band continues in the next.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import polars as pl

from ..runs import Run, once_per_run
from .packets import CARRIES, DEAD, KEY, Growth, events_of, paired


@dataclass(frozen=True)
class Axis:
    """An axis' title, its unit and how its numbers are shortened.

    ``si`` says that large numbers take a prefix (1.5 M); otherwise they are written out.
    """

    title: str
    unit: str
    si: bool = False


TIME = Axis("time", "s")

#: Chart -> its y axis. The sequence axis depends on the run: see ``sequence_unit``.
AXES: dict[str, Axis] = {
    "time": TIME,
    "cwnd": Axis("window", "segments"),
    "rtt": Axis("round-trip time", "ms"),
    "queue": Axis("queue", "packets waiting"),
    "wait": Axis("wait in the queue", "ms"),
    "throughput": Axis("goodput", "b/s", si=True),
    "sequence:segments": Axis("sequence number", "segments"),
    "sequence:bytes": Axis("sequence number", "B", si=True),
}


def label(name: str) -> str:
    """The axis' label as drawn: ``"round-trip time (ms)"``.

    >>> label("rtt")
    'round-trip time (ms)'
    """
    axis = AXES[name]
    return f"{axis.title} ({axis.unit})"


#: How a journey can end.
FATES = ("delivered", "drop", "lose", "filter", "in flight")

#: Columns of the result, in order.
COLUMNS = [*KEY, "size_bytes", "window", "sent_s", "ended_s", "fate", "where", "depth"]


@once_per_run
def journeys(run: Run) -> pl.DataFrame:
    """One row for each packet sent, in the order of sending.

    Columns: ``flow, kind, seq, len, ack, retransmit, syn, fin, sack, size_bytes, window,
    sent_s, ended_s, fate, where, depth``.

    ``sent_s`` is when the packet was offered to its first link. ``ended_s`` is when it was
    delivered at the other edge or lost (null if it is in flight at the end of the run).
    ``where`` names the link it was lost on. ``depth`` is how far along its path that was
    (0 = where it was sent, 1 = the other edge).
    """
    events = events_of(run.packets, run.flows)
    if run.thinned.ways is not None:
        out = run.thinned.ways
    elif events.height:
        out = paired(events)
    else:
        return pl.DataFrame(schema=dict.fromkeys(COLUMNS, pl.Null))
    out = _depths(out.sort("sent_s", "row", maintain_order=True), run, events)
    return out.select(COLUMNS)


def _depths(out: pl.DataFrame, run: Run, events: pl.DataFrame) -> pl.DataFrame:
    """How far along its path a packet was lost.

    By the propagation delay it had behind it, so that its line in the timeline has the
    slope of the others'; by the links passed if delays are not told. Losses are told
    where a link begins; kept a little off the edges, they stay visible.
    """
    if out["where"].null_count() == out.height:
        return out.with_columns(depth=pl.lit(None, pl.Float64))
    # Links in the order in which they first saw a packet of the flow.
    path = events.group_by("flow", "kind", "link").agg(pl.col("row").min()).sort("flow", "kind", "row")
    if run.links.height and "delay_s" in run.links.columns:
        delays = run.links.select("delay_s", link=pl.format("{}->{}", "from", "to")).unique("link")
        path = path.join(delays, on="link", how="left", maintain_order="left")
    else:
        path = path.with_columns(delay_s=pl.lit(1.0))
    # A path without any delay counts its links.
    length = pl.col("delay_s").fill_null(0.0)
    length = pl.when(length.sum().over("flow", "kind") > 0).then(length).otherwise(1.0)
    path = path.with_columns(length=length).with_columns(
        depth=(pl.col("length").cum_sum() - pl.col("length")).over("flow", "kind")
        / pl.col("length").sum().over("flow", "kind")
    )
    path = path.select("flow", "kind", where="link", depth=pl.col("depth").clip(0.04, 0.96))
    return out.join(path, on=["flow", "kind", "where"], how="left", maintain_order="left")


@once_per_run
def queue(run: Run, link: str | None = None) -> pl.DataFrame:
    """Length at each change: ``time_s, link, queue_packets, queue_bytes, wait_ms``, last change of an instant only.

    ``wait_ms`` is the time until as many packets as waited then had left: in a FIFO queue, what its last packet still waits. It is
    null where they had not left when the run ended. A table that was thinned has it for the rows kept.
    """
    frame = run.queue if link is None else run.queue.filter(pl.col("link") == link)
    thinned = "wait_ms" in frame.columns
    frame = frame.select("time_s", "link", "queue_packets", "queue_bytes", *["wait_ms"] * thinned)
    frame = (
        frame.sort("link", "time_s", maintain_order=True) if link is None else frame.sort("time_s", maintain_order=True)
    )
    if not frame.height and not thinned:
        frame = frame.with_columns(wait_ms=pl.lit(None, pl.Float64))
    elif not thinned:
        frame = pl.concat([queue_waits(part) for part in frame.partition_by("link", maintain_order=True)])
    last = (pl.col("link") != pl.col("link").shift(-1)) | (pl.col("time_s") != pl.col("time_s").shift(-1))
    return frame.filter(last.fill_null(True))


def queue_waits(changes: pl.DataFrame) -> pl.DataFrame:
    """All changes of a queue with the wait of each: the n-th packet in leaves as the n-th out."""
    length = pl.col("queue_packets").cast(pl.Int64)
    step = length.diff().fill_null(length)
    rows = changes.with_columns(out=(-step).clip(0).cum_sum())
    leaves = rows.filter(pl.col("out") != pl.col("out").shift(1, fill_value=0)).select("out", left_s="time_s")
    rows = rows.with_columns(entered=pl.col("out") + length).join_asof(
        leaves, left_on="entered", right_on="out", strategy="forward"
    )
    wait = pl.when(length > 0).then((pl.col("left_s") - pl.col("time_s")) * 1e3).otherwise(0.0)
    return rows.select(*changes.columns, wait_ms=wait)


@once_per_run
def drops(run: Run, link: str | None = None) -> pl.DataFrame:
    """Packets that died on a link: ``time_s, link, event, flow, kind, seq, ack, queue_packets``.

    ``event`` is ``drop`` (the queue's doing), ``lose`` (the loss model's) or ``filter`` (an
    ACK filter's); ``queue_packets`` is the queue's length then, null if not recorded.
    """
    frame = run.packets.filter(DEAD)
    if link is not None:
        frame = frame.filter(pl.col("link") == link)
    frame = frame.select("time_s", "link", "event", "flow", "kind", "seq", "ack").sort("time_s", maintain_order=True)
    parts = [
        part.join_asof(queue(run, name).select("time_s", "queue_packets"), on="time_s", strategy="backward")
        for (name,), part in frame.partition_by("link", as_dict=True, maintain_order=True).items()
    ]
    return (
        pl.concat(parts).sort("time_s", maintain_order=True)
        if parts
        else frame.with_columns(queue_packets=pl.lit(None, pl.Int64))
    )


def fullest(run: Run) -> str | None:
    """The link whose queue grew longest; None if queues were not recorded."""
    if not run.queue.height:
        return None
    tops = run.queue.group_by("link").agg(pl.col("queue_packets").max())
    return tops.sort(["queue_packets", "link"], descending=[True, False])["link"][0]


def rtt(run: Run, flow: str | None = None) -> pl.DataFrame:
    """Each sample: ``time_s, flow, rtt_ms, rto_ms`` (the timer after the sample; null if not recorded)."""
    frame = run.series if flow is None else run.series.filter(pl.col("flow") == flow)
    return (
        frame.drop_nulls("rtt_s")
        .select("time_s", "flow", rtt_ms=pl.col("rtt_s") * 1e3, rto_ms=pl.col("rto_s") * 1e3)
        .sort("flow", "time_s", maintain_order=True)
    )


def sequence_unit(run: Run, flow: str) -> str:
    """``"bytes"`` or ``"segments"``: what the flow's sequence numbers count."""
    return "bytes" if run.unit_bytes(flow) == 1 else "segments"


def time_sequence(run: Run, flow: str, ways: pl.DataFrame | None = None) -> dict[str, pl.DataFrame]:
    """The five layers of one flow's graph, each a frame sorted by time.

    - ``segments``: ``sent_s, seq, end, retransmit, fate``.
    - ``acks``: ``time_s, ack, duplicate`` of arrivals at the sender.
    - ``sacks``: ``time_s, start, end, block``. Block 0 is the one the ACK names first.
    - ``window``: ``time_s, edge``. The edge is the acknowledged number plus the advertised window, if known.
    - ``drops``: ``time_s, seq, end, event, link``. They say where data died on the path.

    ``ways`` takes the run's journeys if the caller has them already.
    """
    ways = journeys(run) if ways is None else ways
    ways = ways.filter(pl.col("flow") == flow)
    data = ways.filter(pl.col("kind") == "data").with_columns(end=pl.col("seq") + pl.col("len"))
    acks = acks_at_sender(ways)
    return {
        "segments": data.select("sent_s", "seq", "end", "retransmit", "fate"),
        "acks": acks.select("time_s", "ack", "duplicate"),
        "sacks": sack_blocks(acks).select("time_s", "start", "end", "block"),
        "window": _window(run, flow, data, acks),
        "drops": data.filter(pl.col("fate").is_in(["drop", "lose"]))
        .select(time_s="ended_s", seq="seq", end="end", event="fate", link="where")
        .sort("time_s"),
    }


def acks_at_sender(ways: pl.DataFrame) -> pl.DataFrame:
    """The ACKs that reached the sender, in the order they did; ``duplicate`` ones moved nothing."""
    acks = ways.filter((pl.col("kind") == "ack") & (pl.col("fate") == "delivered"))
    acks = acks.with_columns(time_s=pl.col("ended_s")).sort("time_s", maintain_order=True)
    highest = pl.col("ack").cum_max().shift(1)
    return acks.with_columns(duplicate=(pl.col("ack") <= highest).fill_null(False)).with_row_index("nth")


def sack_blocks(acks: pl.DataFrame) -> pl.DataFrame:
    """One row for each SACK block: ``nth`` (of the ACK), ``time_s, start, end, block``."""
    with_blocks = acks.filter(pl.col("sack") != "").select("nth", "time_s", pl.col("sack").str.split(","))
    edges = pl.col("sack").str.splitn("-", 2).struct
    return (
        with_blocks.explode("sack")
        .with_columns(
            block=pl.int_range(pl.len()).over("nth"),
            start=edges.field("field_0").cast(pl.Int64),
            end=edges.field("field_1").cast(pl.Int64),
        )
        .drop("sack")
    )


def _window(run: Run, flow: str, data: pl.DataFrame, acks: pl.DataFrame) -> pl.DataFrame:
    known = acks.drop_nulls("window")
    if known.height:
        return known.select("time_s", edge=pl.col("ack") + pl.col("window"))
    row = run.flow(flow)
    segments = row.get("window_segments")
    if segments is None or not acks.height:
        return pl.DataFrame(schema={"time_s": pl.Float64, "edge": pl.Int64})
    # A constant window is told in segments; in a byte sequence a segment is the usual length.
    each = int(data["len"].max() or 1)
    return acks.select("time_s", edge=pl.col("ack").cum_max() + int(segments * each))


def progress(run: Run, flow: str, ways: pl.DataFrame | None = None) -> pl.DataFrame:
    """Bytes in order at the receiver: ``time_s, bytes``, one row for each time they grew.

    A unit is in order once it and all before it have arrived. So its time is the latest of
    their first arrivals: a running maximum over the sequence numbers.
    """
    if run.thinned.progress is not None:
        return run.thinned.progress.filter(pl.col("flow") == flow).drop("flow")
    ways = journeys(run) if ways is None else ways
    came = ways.filter((pl.col("flow") == flow) & CARRIES).select("ended_s", "seq", "len")
    if not came.height:
        return pl.DataFrame(schema={"time_s": pl.Float64, "bytes": pl.Int64})
    return Growth(run.unit_bytes(flow)).add(came)


def throughput(run: Run, flow: str, bin_s: float | None = None, ways: pl.DataFrame | None = None) -> pl.DataFrame:
    """Goodput in bins: ``start_s, end_s, goodput_bps`` from 0 to the end of the run.

    Without ``bin_s`` the run is cut into some hundred bins of a round length.
    """
    done = progress(run, flow, ways)
    width = bin_s or nice_bin(run.end_s / 100)
    count = max(1, math.ceil(run.end_s / width - 1e-9))
    edges = pl.DataFrame({"time_s": [i * width for i in range(count + 1)]})
    at = edges.join_asof(done, on="time_s", strategy="backward").with_columns(pl.col("bytes").fill_null(0))
    # The last bin ends with the run, so that its rate is not diluted by time that never was.
    start, end = at["time_s"][:-1], at["time_s"][1:].clip(upper_bound=run.end_s)
    total = done["bytes"][-1] if done.height else 0
    got = at["bytes"].to_list()
    got[-1] = total
    grown = pl.Series(got).diff()[1:]
    return pl.DataFrame({"start_s": start, "end_s": end}).with_columns(
        goodput_bps=grown * 8 / (pl.col("end_s") - pl.col("start_s"))
    )


def nice_bin(at_least: float) -> float:
    """The smallest of 1, 2, 5 times a power of ten that is at least this long.

    >>> nice_bin(0.03), nice_bin(0.2), nice_bin(7)
    (0.05, 0.2, 10.0)
    """
    if at_least <= 0:
        return 1.0
    power = math.floor(math.log10(at_least))
    for p in (power, power + 1):
        for step in (1, 2, 5):
            value = float(f"{step}e{p}")
            if value >= at_least * (1 - 1e-9):
                return value
    return float(f"1e{power + 2}")


BANDS = 14


def band_length(start_s: float, end_s: float, bands: int = BANDS) -> float:
    """A round length that needs at most so many bands for the span.

    >>> band_length(0, 6.3)
    0.5
    """
    return nice_bin((end_s - start_s) / bands)


def timeline(
    run: Run,
    flow: str,
    start_s: float = 0.0,
    end_s: float | None = None,
    bands: int = BANDS,
    ways: pl.DataFrame | None = None,
) -> pl.DataFrame:
    """Line pieces: ``band, kind, retransmit, fate, seq, ack, x0_s, y0, x1_s, y1, ends``.

    ``x`` is the time since the band began, ``y`` is 0 at the sender's edge and 1 at the
    receiver's. ``ends`` is true on the piece on which the packet arrives or dies. A
    packet on the way when the run stopped takes as long as the last of its kind that
    arrived. Its line is cut at the run's end.
    """
    ways = journeys(run) if ways is None else ways
    stop = run.end_s if end_s is None else end_s
    length = band_length(start_s, stop, bands)
    count = max(1, math.ceil((stop - start_s) / length - 1e-9))
    data = pl.col("kind") == "data"
    whole = ways.filter(pl.col("flow") == flow)
    arrived = pl.col("fate") == "delivered"
    took = (
        (pl.col("ended_s") - pl.col("sent_s"))
        .filter(arrived)
        .sort_by(pl.col("sent_s").filter(arrived))
        .last()
        .over("kind")
    )
    flying = pl.col("ended_s").is_null() & took.is_not_null()
    whole = whole.with_columns(
        t0=pl.col("sent_s"),
        t1=pl.when(flying)
        .then(pl.max_horizontal(pl.lit(run.end_s), pl.col("sent_s") + took))
        .otherwise(pl.col("ended_s").fill_null(run.end_s)),
        reach=pl.when(arrived | flying).then(1.0).otherwise(pl.col("depth").fill_null(0.5)),
    )
    whole = whole.filter((pl.col("t1") >= start_s) & (pl.col("t0") < stop))
    whole = whole.with_columns(
        first=((pl.col("t0") - start_s) / length).floor().cast(pl.Int64).clip(0, count - 1),
        last=((pl.min_horizontal("t1", pl.lit(run.end_s)) - start_s) / length)
        .floor()
        .cast(pl.Int64)
        .clip(0, count - 1),
    )
    pieces = whole.with_columns(band=pl.int_ranges("first", pl.col("last") + 1)).explode("band")
    begin = start_s + pl.col("band") * length
    p0 = pl.max_horizontal("t0", begin)
    p1 = pl.min_horizontal("t1", begin + length, pl.lit(run.end_s))
    took = pl.col("t1") - pl.col("t0")

    def way(at: pl.Expr) -> pl.Expr:
        gone = pl.when(took > 0).then((at - pl.col("t0")) / took).otherwise(1.0) * pl.col("reach")
        return pl.when(data).then(gone).otherwise(1.0 - gone)

    return pieces.select(
        "band",
        "kind",
        "retransmit",
        "fate",
        "seq",
        "ack",
        x0_s=p0 - begin,
        y0=way(p0),
        x1_s=p1 - begin,
        y1=way(p1),
        ends=(pl.col("band") == pl.col("last")) & pl.col("ended_s").is_not_null(),
    ).sort("band", "x0_s", maintain_order=True)


#: A threshold higher than so many times the highest window is not worth the room.
_FAR = 2.5

_SHOWN = ["time_s", "flow", "cwnd_segments", "ssthresh_segments", "flight_segments", "state"]


def cwnd(run: Run, flow: str | None = None) -> pl.DataFrame:
    """The window at each change: ``time_s, flow, cwnd_segments, ssthresh_segments, flight_segments, state``.

    Where several changes bear the same time only the last is kept: it is the one that
    lasted. A slow-start threshold that has not been set (infinite, or beyond 2^30) is
    null, so that it does not flatten the chart.
    """
    return sender_states(run, flow).select(_SHOWN)


def window_shown(run: Run, flow: str | None = None) -> pl.DataFrame:
    """:func:`cwnd` as charts of it are drawn: without thresholds far above the flow's highest window, whose rise and fall were lines
    across the chart. The report's chart has the same rule.
    """
    top = pl.max_horizontal(pl.col("cwnd_segments").max(), pl.col("flight_segments").max()).over("flow")
    threshold = pl.col("ssthresh_segments")
    return cwnd(run, flow).with_columns(ssthresh_segments=pl.when(threshold <= _FAR * top).then(threshold))


def window_height(frames: Iterable[pl.DataFrame]) -> float | None:
    """How high charts of these windows reach: to the highest window or flight, and to ssthresh where it is not far above.

    A stack's first threshold may be as high as the receiver's largest window; its line then leaves the chart at the top
    instead of flattening the rest. The report's chart has the same rule (``chart_window.js``).
    """
    high, threshold = 0.0, 0.0
    for frame in frames:
        used = frame.select(pl.max_horizontal(pl.col("cwnd_segments").max(), pl.col("flight_segments").max())).item()
        high = max(high, used or 0.0)
        threshold = max(threshold, _most(frame["ssthresh_segments"]))
    if high <= 0:
        return None
    return max(high, threshold) if threshold <= _FAR * high else high


def _most(column: pl.Series) -> float:
    most = column.drop_nulls().max()
    return float(most) if isinstance(most, (int, float)) else 0.0


def window_events(run: Run, flow: str | None = None) -> pl.DataFrame:
    """When the sender cut its window: ``time_s, flow, event, cwnd_segments`` (the window after it).

    ``event`` is ``"timeout"`` or, where recovery began, ``"fast retransmit"``. Read from
    the series, so only as good as it: a table without states shows no recovery.
    """
    event = pl.when("timed_out").then(pl.lit("timeout")).when("recovers").then(pl.lit("fast retransmit"))
    frame = sender_states(run, flow).with_columns(event=event)
    return frame.drop_nulls("event").select("time_s", "flow", "event", "cwnd_segments")


@once_per_run
def sender_states(run: Run, flow: str | None = None) -> pl.DataFrame:
    """The columns of :func:`cwnd` with ``rto_s``, and which changes are timeouts (``timed_out``)
    or the beginning of a recovery (``recovers``).

    A timeout shows as a window that fell to one segment outside recovery. If the window was
    one segment already, a timeout shows as a timer that backed off, or as a silence as long
    as the timer. Tahoe's fast retransmit looks the same. So only as many of these changes
    are timeouts as the flow counted. Those where the timer backed off come first, then those
    after the longest silences.
    """
    frame = run.series if flow is None else run.series.filter(pl.col("flow") == flow)
    far = pl.col("ssthresh_segments").is_infinite() | (pl.col("ssthresh_segments") > 2**30)
    frame = (
        frame.select(*_SHOWN, "rtt_s", "rto_s")
        .with_columns(
            ssthresh_segments=pl.when(far).then(None).otherwise(pl.col("ssthresh_segments")),
            state=pl.col("state").fill_null(""),
        )
        .sort("flow", "time_s", maintain_order=True)
    )
    last = (pl.col("flow") != pl.col("flow").shift(-1)) | (pl.col("time_s") != pl.col("time_s").shift(-1))
    frame = frame.filter(last.fill_null(True))

    def before(column: str) -> pl.Expr:
        return pl.col(column).shift(1).over("flow")

    one = (pl.col("cwnd_segments") <= 1.0) & (pl.col("state") != "recovery")
    fell = one & (before("cwnd_segments") > 1.0)
    silence = pl.col("time_s") - before("time_s")
    unheard = pl.col("rtt_s").is_null()
    backed_off = unheard & (pl.col("rto_s") >= 1.5 * before("rto_s"))
    waited = unheard & (silence >= 0.95 * before("rto_s"))
    frame = frame.with_columns(
        fell=fell.fill_null(False),
        maybe=(one & ((before("cwnd_segments") > 1.0) | backed_off | waited)).fill_null(False),
        sure=silence + pl.when(backed_off.fill_null(False)).then(1e9).otherwise(0.0),
    )
    rank = pl.col("sure").rank("ordinal", descending=True).over("flow")
    ranks = frame.filter("maybe").select("flow", "time_s", rank=rank)
    counted = run.flows.select(flow="name", counted="timeouts" if "timeouts" in run.flows.columns else pl.lit(2**31))
    chosen = ranks.join(counted, on="flow", how="left").filter(pl.col("rank") <= pl.col("counted").fill_null(0))
    timed_out = frame.select("flow", "time_s").join(
        chosen.select("flow", "time_s", timed_out=pl.lit(True)),
        on=["flow", "time_s"],
        how="left",
        maintain_order="left",
    )
    began = (pl.col("state") == "recovery") & (before("state").fill_null("") != "recovery")
    return frame.with_columns(timed_out=timed_out["timed_out"].fill_null(False)).with_columns(
        recovers=began | (pl.col("fell") & ~pl.col("timed_out"))
    )
