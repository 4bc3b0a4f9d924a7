"""Sections 3.1 and 3.2: Figure 1's path, and what queue and slow start do to a transfer (Figures 2 and 3)."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any

import numpy as np

from ...reproduce.experiments import Traces
from ...reproduce.grid import Array, Grid
from ...reproduce.measure import Measurement
from ..trace import Transfer
from .registry import PAPER
from .runs import OVERSHOOT, OVERSHOOT_QUEUES, SURFACE, TIME, every_fourth, traces
from .section2 import Recorded
from .setting import PAPERS, SEGMENTS, WINDOW, Setting, transfer

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
    return Measurement(
        {f"{m}-{key}": q for m in ("every", "delayed") for key, q in thresholds(recorded, m).items()},
        "judged by one run; with a link up to 1 % longer some thresholds are one packet lower",
    )


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
        "counting slow start's losses only",
    )  # fmt: skip


@PAPER.claim("fig2a.short", OVERSHOOT)
def smaller_queue_smaller_size(recorded: Recorded) -> Measurement:
    sizes = [smallest(recorded, "every", q, 2) for q in sorted(LOSSY, reverse=True)]
    inversions = sum(after > before for before, after in zip(sizes, sizes[1:], strict=False))  # noqa: RUF007
    return Measurement({"inversions": inversions}, f"from {sizes[0]:.0f} segments at 20 down to {sizes[-1]:.0f} at 4")


def first_and_second(recorded: Recorded, mechanism: str, queue: int, second: int) -> tuple[int, int]:
    """Drops before a window of data, and in it."""
    lost = windows(recorded, mechanism, queue)
    return sum(len(seqs) for window, seqs in lost.items() if window < second), len(lost.get(second, []))


@PAPER.claim("fig2a.q8", OVERSHOOT)
def two_windows_at_8(recorded: Recorded) -> Measurement:
    first, second = first_and_second(recorded, "every", 8, 5)
    lost = sorted(seq for seqs in windows(recorded, "every", 8).values() for seq in seqs)
    return Measurement({"first": first, "second": second}, f"segments {', '.join(map(str, lost))}")


@PAPER.claim("fig2a.q9", OVERSHOOT)
def one_window_from_9(recorded: Recorded) -> Measurement:
    return Measurement(
        {"first": {f"at {q}": first_and_second(recorded, "every", q, 5)[0] for q in range(9, 23)}},
        "the windows are rounds of slow start, segments 15 to 30 and 31 to 62; what is sent beyond, up to the advertised "
        "window, counts with the second",
    )


@PAPER.claim("fig2a.q8jump", EVERY, OVERSHOOT)
def slower_at_8(surface: Grid, recorded: Recorded) -> Measurement:
    at8, at9 = (float(np.median(surface.at(queue=q, segments=LARGE)[TIME])) for q in (8, 9))
    trace = recorded["every", 8]
    late = trace.timeouts[0].time_s if trace.timeouts else float("inf")
    return Measurement(
        {"ratio": at8 / at9, "cuts": sum(f.time_s < late for f in trace.fast_retransmits)},
        f"medians {at8:.3f} and {at9:.3f} s; the cuts are the fast retransmits before the timeout",
    )


@PAPER.claim("fig2b.nojump", SURFACE["sack", "every"])
def sack_without_jumps(surface: Grid) -> Measurement:
    time = np.median(surface.at(segments=LARGER)[TIME], axis=1)
    change = np.abs(np.diff(time))
    at = int(change.argmax())
    return Measurement(
        {"jump": float(change[at])},
        f"from {time[at]:.2f} to {time[at + 1]:.2f} s after a queue of {surface.axes['queue'][at]}",
    )


def recovered(recovery: str = "sack", setting: Setting = PAPERS) -> Traces:
    """What large SACK transfers lose during recovery."""
    return traces(
        "recovery at 8 and 9",
        "every large SACK transfer through queues of 8 and 9, packet by packet",
        {(q, n): transfer(recovery, "every", q, n, setting) for q in (8, 9) for n in LARGE},
        lambda result: Transfer(result).lost_in_recovery(),
        quick=lambda key: every_fourth(key[1]),
    )


RECOVERED = recovered()


@PAPER.claim("fig2b.q8", RECOVERED, SURFACE["sack", "every"])
def loss_in_recovery_at_8(lost: Mapping[tuple[int, int], int], surface: Grid) -> Measurement:
    part = surface.at(segments=LARGE)
    return Measurement(
        {
            "at-8": {f"size {n}": count for (q, n), count in lost.items() if q == 8},
            "at-9": {f"size {n}": count for (q, n), count in lost.items() if q == 9},
            "time": {q: float(np.median(part.at(queue=int(q))[TIME])) for q in ("8", "9")},
        },
        "at 8 it is the retransmission of segment 60 that is lost, which costs a timeout; at 9 every retransmission arrives but "
        "a new segment, 102, is lost before recovery ends, so the window is halved twice there too",
    )


@PAPER.claim("fig3a.q22", DELAYED)
def delayed_without_drops(surface: Grid) -> Measurement:
    return Measurement({f"drops-{q}": surface.at(queue=q)["drops"].max() for q in (22, 21)})


@PAPER.claim("fig3a.q20", SINGLE_DELAYED, DELAYED)
def delayed_single_drop_at_20(recorded: Mapping[Hashable, int], surface: Grid) -> Measurement:
    found = single_loss(recorded, surface, 20)
    return Measurement(
        {"drops": found["drops"], "timeouts": found["timeouts"]}, f"median time {found['ratio']:.3f} of that at 22"
    )


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
    return Measurement({"first": cells}, "the first segment dropped; a transfer that has it is overwhelmed")


@PAPER.claim("fig3a.q7", OVERSHOOT)
def delayed_two_windows_at_7(recorded: Recorded) -> Measurement:
    counts = {q: len(windows(recorded, "delayed", q)) for q in range(4, 9)}
    return Measurement({"lower": {f"at {q}": counts[q] for q in range(4, 8)}, "at-8": counts[8]})


@PAPER.claim("fig3a.q7time", DELAYED)
def delayed_slower_at_7(surface: Grid) -> Measurement:
    part = surface.at(segments=LARGER)
    return Measurement({"time": {q: float(np.median(part.at(queue=int(q))[TIME])) for q in ("7", "8")}})


def ripple(surface: Grid) -> float:
    """How much the time varies over queues of 5 to 20, as a share of its median; mean over sizes from 500."""
    time = surface.at(queue=lambda q: 5 <= q <= 20, segments=lambda n: n >= 500)[TIME]
    return float((time.std(axis=0) / np.median(time, axis=0)).mean())


@PAPER.claim("fig3b.shape", SURFACE["sack", "every"], SURFACE["sack", "delayed"])
def sack_ripples(every: Grid, delayed: Grid) -> Measurement:
    without = [ripple(surface.at(queue=lambda q: q != 8)) for surface in (delayed, every)]
    return Measurement(
        {"ripple": {"fig3b": ripple(delayed), "fig2b": ripple(every)}},
        f"all of the surplus is the timeout at 8 in Figure 2(b); without that queue {without[0]:.4f} and {without[1]:.4f}",
    )
