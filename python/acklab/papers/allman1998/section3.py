"""Sections 2 and 3: slow start, the five mechanisms alone, and their comparisons in Tables 1 and 2."""

from __future__ import annotations

import itertools
from collections.abc import Hashable, Mapping
from typing import Any

import numpy as np
import polars as pl

from ...reproduce.experiments import Effort, Sweep, Traces, records
from ...reproduce.grid import Array, Grid
from ...reproduce.measure import Measurement
from ..trace import Transfer
from .setting import (
    LOSS_FREE,
    MECHANISMS,
    OVERSHOOT,
    OVERSHOOT_QUEUES,
    PAPER,
    READ,
    RECOVERIES,
    SEGMENTS,
    SHORT,
    SURFACE,
    TIME,
    WINDOW,
    Setting,
    every_fourth,
    traces,
    transfer,
)

Recorded = Mapping[Hashable, Transfer]


@PAPER.claim("eq2", LOSS_FREE)
def slow_start_time_with_delayed_acks(recorded: Recorded) -> Measurement:
    every, delayed = (recorded["reno", m].reaches(WINDOW) for m in ("every", "delayed"))
    return Measurement({"ratio": delayed / every})


def growth_per_round(transfer: Transfer) -> float:
    """Slope of the window in congestion avoidance, in segments a round trip, until the next loss or a full window."""
    if not transfer.fast_retransmits:
        return float("nan")
    start = transfer.fast_retransmits[0]
    later = [s.time_s for s in transfer.fast_retransmits[1:]] + [t.time_s for t in transfer.timeouts]
    end = min([*later, transfer.sent[-1].time_s])
    rounds: dict[int, float] = {}
    for sent in transfer.sent:
        if sent.acked >= start.top and sent.time_s < end and sent.window not in rounds:
            rounds[sent.window] = transfer.state_before(sent.time_s + 1e-9)[1]
    windows = np.array([(k, w) for k, w in rounds.items() if w <= WINDOW])
    return float(np.polyfit(windows[:, 0], windows[:, 1], 1)[0])


@PAPER.claim("sec2.ca", OVERSHOOT)
def congestion_avoidance(recorded: Recorded) -> Measurement:
    lossy = {m: max(q for q in OVERSHOOT_QUEUES if recorded[m, q].fast_retransmits) for m in ("every", "delayed")}
    return Measurement({m: growth_per_round(recorded[m, q]) for m, q in lossy.items()})


# --- Sections 3.1 and 3.2: Figure 1's path, and what queue and slow start do to a transfer (Figures 2 and 3)


LARGE = tuple(n for n in SEGMENTS if n >= 100)
LARGER = tuple(n for n in SEGMENTS if n >= 200)
LOSSY = tuple(range(4, 21))

EVERY, DELAYED = SURFACE["reno", "every"], SURFACE["reno", "delayed"]


def windows(recorded: Recorded, mechanism: str, queue: int) -> dict[int, list[int]]:
    """What the overshoot loses, by window of data.

    The window in which slow start meets the advertised window is cut short and counted with the one before it.
    """
    free = recorded[mechanism, max(OVERSHOOT_QUEUES)]
    full = free.reaches(WINDOW)
    cut = next(s.window for s in free.sent if s.time_s >= full)
    merged: dict[int, list[int]] = {}
    for window, lost in recorded[mechanism, queue].overshoot().items():
        merged.setdefault(min(window, cut - 1), []).extend(lost)
    return merged


def several(recorded: Recorded, mechanism: str, queue: int, segments: int) -> bool:
    """Whether a transfer of that size loses several segments from one window of its slow start."""
    lost = recorded[mechanism, queue].overshoot().values()
    return any(sum(seq < segments for seq in window) >= 2 for window in lost)


def smallest(recorded: Recorded, mechanism: str, queue: int, drops: int) -> float:
    """The smallest size of the paper's that loses so many segments from one window; infinite if none does."""
    for segments in SEGMENTS:
        for window in recorded[mechanism, queue].overshoot().values():
            if sum(seq < segments for seq in window) >= drops:
                return float(segments)
    return float("inf")


def thresholds(recorded: Recorded, mechanism: str) -> dict[str, int]:
    """Figure 1's four: least queue without a drop, those with one, most with several, most that loses from two windows."""
    drops = {q: sum(map(len, recorded[mechanism, q].overshoot().values())) for q in OVERSHOOT_QUEUES}
    both = [q for q in OVERSHOOT_QUEUES if len(windows(recorded, mechanism, q)) >= 2]
    return {
        "none": min(q for q, d in drops.items() if d == 0),
        "single": max((q for q, d in drops.items() if d == 1), default=0),
        "multiple": max(q for q, d in drops.items() if d >= 2),
        "two": max(both),
    }


@PAPER.claim(
    "fig1", OVERSHOOT, exact="slow start's first overflow, before any repair: it depends on the pipe's capacity alone"
)
def topology_has_all_thresholds(recorded: Recorded) -> Measurement:
    return Measurement({f"{m}-{key}": q for m in ("every", "delayed") for key, q in thresholds(recorded, m).items()})


def median_time(surface: Grid, queue: int, sizes: tuple[int, ...] = LARGER) -> float:
    """Median over the sizes."""
    return float(np.median(surface.at(queue=queue, segments=sizes)[TIME]))


def rise(surface: Grid, queue: int, sizes: tuple[int, ...], over: int = 22) -> Array:
    """Ratio of transfer times, size by size."""
    part = surface.at(segments=sizes)
    return np.asarray(part.at(queue=queue)[TIME] / part.at(queue=over)[TIME])


@PAPER.claim("fig2a.q22", EVERY)
def no_drop_at_22(surface: Grid) -> Measurement:
    return Measurement({"drops": surface.at(queue=22)["drops"].max()})


def single_loss(recorded: Mapping[Hashable, Any], surface: Grid, queue: int) -> dict[str, float]:
    """Most drops from one window over all sizes, timeouts over all sizes, median rise over the loss-free time."""
    return {
        "drops": max(recorded.values()),
        "timeouts": surface.at(queue=queue)["timeouts"].sum(),
        "ratio": float(np.median(rise(surface, queue, SEGMENTS))),
    }


SINGLE_EVERY = traces(
    "every at 21",
    "every size through a queue of 21, packet by packet",
    {n: transfer("reno", "every", 21, n) for n in SEGMENTS},
    lambda result: Transfer(result).most_in_a_window(),
    quick=every_fourth,
)
SINGLE_DELAYED = traces(
    "delayed at 20",
    "every size through a queue of 20 with delayed ACKs, packet by packet",
    {n: transfer("reno", "delayed", 20, n) for n in SEGMENTS},
    lambda result: Transfer(result).most_in_a_window(),
    quick=every_fourth,
)


@PAPER.claim("fig2a.q21", SINGLE_EVERY, EVERY)
def one_drop_at_21(recorded: Mapping[Hashable, int], surface: Grid) -> Measurement:
    return Measurement(single_loss(recorded, surface, 21))


def lossy(recorded: Recorded, surface: Grid, mechanism: str, queue: int, sizes: tuple[int, ...]) -> tuple[float, float]:
    """Share of sizes that lose several segments from a window, and of these the share with a timeout; 0 where there are none of these."""
    hit = [several(recorded, mechanism, queue, n) for n in sizes]
    late = surface.at(queue=queue, segments=sizes)["timeouts"][hit] > 0
    return float(np.mean(hit)), float(late.mean()) if late.size else 0.0


@PAPER.claim("fig2a.q20", OVERSHOOT, EVERY)
def several_drops_below_21(recorded: Recorded, surface: Grid) -> Measurement:
    found = {q: lossy(recorded, surface, "every", q, SEGMENTS) for q in LOSSY}
    return Measurement(
        {"share": {f"at {q}": share for q, (share, _) in found.items()}, "late": {f"at {q}": l for q, (_, l) in found.items()}},
    )  # fmt: skip


@PAPER.claim("fig2a.short", OVERSHOOT)
def smaller_queue_smaller_size(recorded: Recorded) -> Measurement:
    sizes = {f"at {q}": smallest(recorded, "every", q, 2) for q in sorted(LOSSY, reverse=True)}
    inversions = sum(after > before for before, after in itertools.pairwise(sizes.values()))
    return Measurement({"inversions": inversions, "size": {q: sizes[q] for q in ("at 20", "at 4")}, "escape": sizes})


def first_and_second(recorded: Recorded, mechanism: str, queue: int, second: int) -> tuple[int, int]:
    """Drops before a window of data, and in it."""
    lost = windows(recorded, mechanism, queue)
    return sum(len(seqs) for window, seqs in lost.items() if window < second), len(lost.get(second, []))


@PAPER.claim("fig2a.q8", OVERSHOOT)
def two_windows_at_8(recorded: Recorded) -> Measurement:
    first, second = first_and_second(recorded, "every", 8, 5)
    return Measurement({"first": first, "second": second})


@PAPER.claim("fig2a.q9", OVERSHOOT)
def one_window_from_9(recorded: Recorded) -> Measurement:
    return Measurement({"first": {f"at {q}": first_and_second(recorded, "every", q, 5)[0] for q in range(9, 23)}})


@PAPER.claim("fig2a.q8jump", EVERY, OVERSHOOT)
def slower_at_8(surface: Grid, recorded: Recorded) -> Measurement:
    trace = recorded["every", 8]
    late = trace.timeouts[0].time_s if trace.timeouts else float("inf")
    return Measurement(
        {
            "ratio": {f"at {q}": median_time(surface, q, LARGE) / median_time(surface, 9, LARGE) for q in range(4, 9)},
            "timeouts": len(trace.timeouts),
            "cuts": sum(f.time_s < late for f in trace.fast_retransmits),
        }
    )


def largest_jump(surface: Grid) -> float:
    """The largest change of the median time from a queue to the next, s."""
    return float(np.abs(np.diff(np.median(surface.at(segments=LARGER)[TIME], axis=1))).max())


@PAPER.claim("fig2b.nojump", SURFACE["sack", "every"])
def sack_without_jumps(surface: Grid) -> Measurement:
    return Measurement({"jump": largest_jump(surface)})


RECOVERED = traces(
    "recovery at 8 and 9",
    "every large SACK transfer through queues of 8 and 9, packet by packet",
    {(q, n): transfer("sack", "every", q, n) for q in (8, 9) for n in LARGE},
    lambda result: Transfer(result).lost_in_recovery(),
    quick=lambda key: every_fourth(key[1]),
)


@PAPER.claim("fig2b.q8", RECOVERED, SURFACE["sack", "every"])
def loss_in_recovery_at_8(lost: Mapping[tuple[int, int], int], surface: Grid) -> Measurement:
    counts = {f"at-{at}": {f"size {n}": count for (q, n), count in lost.items() if q == at} for at in (8, 9)}
    return Measurement({**counts, "time": {str(q): median_time(surface, q, LARGE) for q in (8, 9)}})


@PAPER.claim("fig3a.q22", DELAYED)
def delayed_without_drops(surface: Grid) -> Measurement:
    return Measurement({f"drops-{q}": surface.at(queue=q)["drops"].max() for q in (22, 21)})


@PAPER.claim("fig3a.q20", SINGLE_DELAYED, DELAYED)
def delayed_single_drop_at_20(recorded: Mapping[Hashable, int], surface: Grid) -> Measurement:
    found = single_loss(recorded, surface, 20)
    return Measurement({"drops": found["drops"], "timeouts": found["timeouts"]})


@PAPER.claim("fig3a.q19", OVERSHOOT, DELAYED)
def delayed_several_drops_at_19(recorded: Recorded, surface: Grid) -> Measurement:
    share, late = lossy(recorded, surface, "delayed", 19, LARGE)
    return Measurement({"share": share, "late": late})


@PAPER.claim("fig3a.vs2a", EVERY, DELAYED)
def delayed_rises_more(every: Grid, delayed: Grid) -> Measurement:
    rises = {}
    for name, surface in (("every", every), ("delayed", delayed)):
        part = surface.at(segments=LARGER)
        rises[name] = float(np.median(part.at(queue=19)[TIME] - part.at(queue=22)[TIME]))
    return Measurement({"rise": rises})


@PAPER.claim("fig3a.sizethr", OVERSHOOT)
def delayed_needs_larger_transfers(recorded: Recorded) -> Measurement:
    first = {
        m: {q: min(min(lost) for lost in recorded[m, q].overshoot().values()) for q in LOSSY}
        for m in ("every", "delayed")
    }
    cells = {f"at {q}": {m: float(first[m][q]) for m in first} for q in LOSSY}
    return Measurement({"first": cells})


@PAPER.claim("fig3a.q7", OVERSHOOT)
def delayed_two_windows_at_7(recorded: Recorded) -> Measurement:
    counts = {q: len(windows(recorded, "delayed", q)) for q in range(4, 9)}
    return Measurement({"lower": {f"at {q}": counts[q] for q in range(4, 8)}, "at-8": counts[8]})


def by_queue(claim: str, of: Sweep, *queues: int) -> None:
    """Registers a claim on the median times at some queues."""
    PAPER.claim(claim, of)(lambda surface: Measurement({"time": {str(q): median_time(surface, q) for q in queues}}))


by_queue("fig3a.q7time", DELAYED, 7, 8)
by_queue("fig6.q10", SURFACE["reno", "lbc"], 7, 8, 9, 10)


def ripple(surface: Grid) -> float:
    """How much the time of transfers without a timeout varies over queues of 5 to 20, over its median; mean over sizes from 500."""
    part = surface.at(queue=lambda q: 5 <= q <= 20, segments=lambda n: n >= 500)
    time = np.where(part["timeouts"] > 0, np.nan, part[TIME])
    return float(np.nanmean(np.nanstd(time, axis=0) / np.nanmedian(time, axis=0)))


@PAPER.claim("fig3b.shape", SURFACE["sack", "every"], SURFACE["sack", "delayed"])
def sack_ripples(every: Grid, delayed: Grid) -> Measurement:
    return Measurement({"jump": largest_jump(delayed), "ripple": {"fig3b": ripple(delayed), "fig2b": ripple(every)}})


# --- Section 3.3: delayed ACKs after slow start, unlimited and limited byte counting (Figures 4, 5 and 6)


# --- 3.3.1 delayed ACKs after slow start


@PAPER.claim("fig4b.q8", SURFACE["sack", "daass"])
def daass_rises_at_8(surface: Grid) -> Measurement:
    time = {q: median_time(surface, q) for q in (8, 9)}
    return Measurement({"time": {str(q): t for q, t in time.items()}, "rise": time[8] - time[9]})


@PAPER.claim("fig4a", SURFACE["reno", "daass"], EVERY, DELAYED)
def daass_resembles_the_standard_receivers(*surfaces: Grid) -> Measurement:
    daass, *standard = ({q: rise(one, q, SEGMENTS).mean() for q in one.axes["queue"]} for one in surfaces)
    nearer = {q: np.clip(own, *sorted(one[q] for one in standard)) for q, own in daass.items()}
    return Measurement({"rise": {f"at {q}": float(own / nearer[q]) for q, own in daass.items()}})


DAASS_RECOVERY = traces(
    "DAASS at 5",
    "large SACK transfers with DAASS through a queue of 5, packet by packet",
    {n: transfer("sack", "daass", 5, n) for n in LARGER},
    lambda result: Transfer(result).lost_in_recovery(),
    quick=every_fourth,
)


@PAPER.claim("fig4b.q5", SURFACE["sack", "daass"], DAASS_RECOVERY)
def daass_rises_at_5(surface: Grid, lost: Mapping[Hashable, int]) -> Measurement:
    time = {q: median_time(surface, q) for q in (5, 6)}
    return Measurement(
        {
            "time": {str(q): t for q, t in time.items()},
            "rise": time[5] - time[6],
            "lost": {f"size {n}": count for n, count in lost.items()},
        }
    )


# --- 3.3.2 unlimited byte counting


def roughness(surface: Grid) -> float:
    """Mean second difference of the time over the queue's size, as a share of the median; mean over sizes."""
    time = surface[TIME]
    bends: Array = np.abs(time[2:] - 2 * time[1:-1] + time[:-2]).mean(axis=0)
    return float((bends / np.median(time, axis=0)).mean())


@PAPER.claim("fig5a", SURFACE["reno", "ubc"], SURFACE["reno", "lbc"])
def ubc_is_rough(ubc: Grid, lbc: Grid) -> Measurement:
    return Measurement({"ratio": roughness(ubc) / roughness(lbc)})


@PAPER.claim("fig5a.loss", SURFACE["reno", "ubc"], SURFACE["reno", "lbc"])
def ubc_loses_more(ubc: Grid, lbc: Grid) -> Measurement:
    return Measurement({"drops": {"ubc": float(ubc["drops"].sum()), "lbc": float(lbc["drops"].sum())}})


@PAPER.claim("fig5b", SURFACE["reno", "ubc"], SURFACE["sack", "ubc"])
def ubc_is_smooth_with_sack(reno: Grid, sack: Grid) -> Measurement:
    return Measurement({"ratio": roughness(reno) / roughness(sack)})


# --- 3.3.3 limited byte counting


@PAPER.claim("fig6.smooth", SURFACE["reno", "ubc"], SURFACE["reno", "lbc"])
def limit_helps(ubc: Grid, lbc: Grid) -> Measurement:
    hit = (ubc["drops"] > 0) | (lbc["drops"] > 0)
    return Measurement({"time": {"ubc": float(np.median(ubc[TIME][hit])), "lbc": float(np.median(lbc[TIME][hit]))}})


LBC_RECOVERY = traces(
    "LBC recovery",
    "large Reno transfers with LBC through queues of 4 to 10, packet by packet",
    {(q, n): transfer("reno", "lbc", q, n) for q in range(4, 11) for n in LARGER},
    lambda result: bool(Transfer(result).repeated_fast_retransmits()),
    quick=lambda key: every_fourth(key[1]),
)


def repeating(claim: str, *queues: int) -> None:
    """Registers a claim on the share of sizes with a second fast retransmit in one window."""

    def share(found: Mapping[tuple[int, int], bool], queue: int) -> float:
        return float(np.mean([is_repeated for (q, _), is_repeated in found.items() if q == queue]))

    PAPER.claim(claim, LBC_RECOVERY)(lambda found: Measurement({"share": {f"at {q}": share(found, q) for q in queues}}))


repeating("fig6.q7_9", 7, 8, 9)
repeating("fig6.q6", 4, 5, 6)


@PAPER.claim("fig6.sack", SURFACE["sack", "ubc"], SURFACE["sack", "lbc"])
def limit_changes_nothing_with_sack(ubc: Grid, lbc: Grid) -> Measurement:
    return Measurement({"share": float((ubc[TIME] == lbc[TIME]).mean())})


# --- Section 3.4: all mechanisms side by side (Figures 7 and 8, Tables 1 and 2)


SMALL = tuple(range(5, 200, 10))
ALL = [SURFACE[recovery, mechanism] for recovery in RECOVERIES for mechanism in MECHANISMS]
ALTERNATIVES = tuple(m for m in MECHANISMS if m != "delayed")

# --- Figure 7


RENO = {m: SURFACE["reno", m] for m in MECHANISMS}


@PAPER.claim("fig7.order", RENO["every"], RENO["lbc"], RENO["delayed"])
def loss_free_order(every: Grid, lbc: Grid, delayed: Grid) -> Measurement:
    time = {
        name: surface.at(queue=22, segments=SMALL)[TIME]
        for name, surface in (("every", every), ("lbc", lbc), ("delayed", delayed))
    }
    cells = {f"size {n}": {name: float(t[i]) for name, t in time.items()} for i, n in enumerate(SMALL)}
    return Measurement({"each": cells, "median": {name: float(np.median(t)) for name, t in time.items()}})


@PAPER.claim("fig7.gap", RENO["every"], RENO["lbc"])
def gap_is_the_timer(every: Grid, lbc: Grid) -> Measurement:
    sizes = [n for n in SMALL if n < SHORT]
    gap = (lbc.at(queue=22, segments=sizes)[TIME] - every.at(queue=22, segments=sizes)[TIME]) / 0.1
    return Measurement({"gap": {f"size {n}": float(g) for n, g in zip(sizes, gap, strict=True)}})


def _two(mechanism: str, segments: int) -> str:
    return transfer("reno", mechanism, 22, segments, Setting(initial_window=2))


INITIAL_WINDOW_2 = Sweep(
    "initial window of 2",
    "short transfers that start with two segments",
    {"mechanism": ("every", "delayed", "lbc", "ubc"), "segments": SMALL},
    _two,
    READ,
)


@PAPER.claim("fig7.iw2", INITIAL_WINDOW_2)
def two_segments_at_first(grid: Grid) -> Measurement:
    every = grid.at(mechanism="every")[TIME]
    ratios = {m: grid.at(mechanism=m)[TIME] / every for m in ("lbc", "ubc")}
    return Measurement({"ratio": {f"{m} {n}": float(r[i]) for m, r in ratios.items() for i, n in enumerate(SMALL)}})


# --- Figure 8


def occupancy(result: Any) -> dict[int, float]:
    """Share of the time that the gateway's queue held so many waiting packets, from the start to the end."""
    queue = pl.DataFrame(result.queue).filter(pl.col("link").cast(pl.String) == "G->R")
    held = (
        queue.with_columns(span=pl.col("time_s").shift(-1, fill_value=result.end_s) - pl.col("time_s"))
        .group_by("queue_packets")
        .agg(pl.col("span").sum())
    )
    spans = dict(zip(held["queue_packets"].to_list(), held["span"].to_list(), strict=True))
    spans[0] = spans.get(0, 0.0) + queue["time_s"][0]
    return {int(length): span / result.end_s for length, span in sorted(spans.items())}


def _recorded(effort: Effort) -> dict[Hashable, str]:
    return {m: records(transfer("reno", m, 22, 995), "queue") for m in MECHANISMS}


OCCUPANCY = Traces("queue length", "one long loss-free transfer, every change of the queue", _recorded, occupancy)
Shares = Mapping[Hashable, Mapping[int, float]]


@PAPER.claim("fig8.every", OCCUPANCY)
def twenty_dominates(shares: Shares) -> Measurement:
    most = max(shares["every"], key=lambda length: shares["every"][length])
    return Measurement({"mode": most})


@PAPER.claim("fig8.delayed", OCCUPANCY)
def nineteen_and_twenty(shares: Shares) -> Measurement:
    both = {m: [100 * shares[m].get(length, 0.0) for length in (19, 20)] for m in MECHANISMS if m != "every"}
    return Measurement(
        {
            "together": {m: sum(pair) for m, pair in both.items()},
            "each": {
                f"{m} {length}": share for m, pair in both.items() for length, share in zip((19, 20), pair, strict=True)
            },
        },
    )


@PAPER.claim("fig8.similar", OCCUPANCY)
def queues_alike(shares: Shares) -> Measurement:
    often = {m: max(shares[m], key=lambda length, m=m: shares[m][length]) for m in MECHANISMS}  # type: ignore[misc]
    return Measurement({"apart": max(often.values()) - min(often.values())})


# --- Tables 1 and 2


def improvement(delayed: Grid, mechanism: Grid, short: bool = False, time: str = TIME) -> Array:
    """Percent by which each transfer is faster than with delayed ACKs."""
    if short:
        delayed, mechanism = (grid.at(segments=lambda n: n <= SHORT) for grid in (delayed, mechanism))
    return np.asarray(100 * (delayed[time] - mechanism[time]) / delayed[time])


def _table(number: int, recovery: str, mechanism: str, short: bool) -> None:
    @PAPER.claim(
        f"table{number}.{mechanism}.{'short' if short else 'all'}",
        SURFACE[recovery, "delayed"],
        SURFACE[recovery, mechanism],
    )
    def median_improvement(delayed: Grid, alternative: Grid) -> Measurement:
        return Measurement({"improvement": float(np.median(improvement(delayed, alternative, short)))})


for _number, _recovery in ((1, "reno"), (2, "sack")):
    for _mechanism in ALTERNATIVES:
        for _short in (False, True):
            _table(_number, _recovery, _mechanism, _short)


def medians(surfaces: Mapping[tuple[str, str], Grid], short: bool) -> dict[str, dict[str, float]]:
    """Median improvement by recovery and mechanism."""
    return {
        r: {m: float(np.median(improvement(surfaces[r, "delayed"], surfaces[r, m], short))) for m in ALTERNATIVES}
        for r in RECOVERIES
    }


@PAPER.claim("tables.order.all", *ALL)
def order_of_all(*surfaces: Grid) -> Measurement:
    return Measurement(medians(dict(zip(SURFACE, surfaces, strict=True)), short=False))


@PAPER.claim("tables.order.short", *ALL)
def order_of_short(*surfaces: Grid) -> Measurement:
    found = medians(dict(zip(SURFACE, surfaces, strict=True)), short=True)
    parts = {"reno": ("", "-alike", "-counting"), "sack": ("", "-alike")}
    return Measurement({recovery + part: found[recovery] for recovery, several in parts.items() for part in several})
