"""The figure, the table and the paragraph: seven mechanisms on four paths."""

from __future__ import annotations

import math

from ...figures.charts import Multiples, Spot
from ...figures.stats import Sample
from ...reproduce.grid import Grid
from ...reproduce.paper import Drawn
from .registry import STUDY
from .runs import FOUR, ONE, PAIR, sample
from .setting import CONTROLS, MECHANISMS, PATHS, download, scenario

HEADS = (
    "", "1 MB (s)", "20 MB (s)", "20 MB, by bytes (s)", "ACKs/MB", "retx (%)", "Jain, 4 flows", "share (%)", "latency (ms)",
)  # fmt: skip
SHOWN = (1, 2, 4, 5, 7, 8)
"""Columns of the table that are in the figure."""
LEGEND = (
    "By bytes: where all that an ACK covers counts in slow start. ACKs/MB and retx: of the 20 MB. Jain: fairness among four downloads. "
    "Share: of the throughput beside a flow with delayed ACKs. Latency: a small request's round trip beside four downloads."
)
TITLES = (
    "1 MB (s)\n← better", "20 MB (s)\n← better", "ACKs per MB\n(20 MB)", "retransmits (%)\n← better, 20 MB",
    "share beside\ndelayed (%)", "latency under\nload (ms) ← better",
)  # fmt: skip


def cells(one: Grid, four: Grid, pair: Grid, path: str, mechanism: str, control: str) -> list[Sample]:
    """The table's numbers of a row, as samples over the seeds."""
    alone = {"path": path, "mechanism": mechanism, "control": control}
    plain = {**alone, "counting": "segment"}
    return [
        sample(one, "time_s", size="1 MB", **plain),
        sample(one, "time_s", size="20 MB", **plain),
        sample(one, "time_s", size="20 MB", counting="bytes", **alone),
        sample(one, "acks_per_mb", size="20 MB", **plain),
        sample(one, "retransmits_percent", size="20 MB", **plain),
        sample(four, "jain", **alone),
        sample(pair, "share_percent", **alone),
        sample(four, "latency_ms", **alone),
    ]


def spread(one: Sample) -> tuple[float, float]:
    """The 95 % interval; the value itself where no two seeds differ."""
    if len(set(one.values)) == 1:
        return one.value, one.value
    found = one.interval(0.95)
    return found.low, found.high


def told(one: Sample) -> str:
    """A value and half its interval."""
    if math.isnan(one.value):
        return "-"
    low, high = spread(one)
    half = (high - low) / 2
    places = 3 if abs(one.value) < 1 else 2 if abs(one.value) < 10 else 1 if abs(one.value) < 100 else 0
    shown = f"{one.value:.{places}f}"
    return f"{shown} ± {half:.{places}f}" if half >= 0.5 * 10**-places else shown


@STUDY.figure("paths", "", "Seven mechanisms on four paths", "1", [ONE, FOUR, PAIR])
def paths(one: Grid, four: Grid, pair: Grid) -> Drawn:
    controls = [control for control in CONTROLS if control in four.axes["control"]]
    listed, places = [list(HEADS)], []
    for key in one.axes["path"]:
        path = PATHS[key]
        panels: list[list[Spot]] = [[] for _ in SHOWN]
        for control in controls:
            listed.append([f"{path.name}, {CONTROLS[control]}", *[""] * (len(HEADS) - 1)])
            for row, (mechanism, kind) in enumerate(MECHANISMS.items()):
                found = cells(one, four, pair, key, mechanism, control)
                listed.append([kind.name, *(told(value) for value in found)])
                for panel, column in zip(panels, SHOWN, strict=True):
                    value = found[column - 1]
                    panel.append(Spot(row, value.value, spread(value), hollow=control == "reno"))
        places.append((path.name, panels))
    rows = [(kind.name, kind.colour) for kind in MECHANISMS.values()]
    about = (
        "Completion of 1 MB and 20 MB, ACKs per megabyte, retransmits, throughput share beside a flow with delayed ACKs, and round "
        "trip of small requests under four downloads; means and 95 % intervals"
    )
    chart = Multiples("paths", about, rows, TITLES, places, ("CUBIC", "Reno"))
    tables = {"transfers": one.frame(), "sharing": four.frame(), "neighbours": pair.frame()}
    example = scenario("lte", "smart", [download("smart", "cubic")], 1, 20_000_000)
    return Drawn([chart], tables, (), f"{_paragraph(one, four, pair)} In the table: {LEGEND}", example, listed=listed)


def _paragraph(one: Grid, four: Grid, pair: Grid) -> str:
    """What follows, in so many words; only where all four paths were run."""
    if set(one.axes["path"]) != set(PATHS):
        return ""

    def time(path: str, mechanism: str, size: str, counting: str = "segment") -> str:
        at = {"path": path, "mechanism": mechanism, "control": "cubic", "size": size, "counting": counting}
        return f"{sample(one, 'time_s', **at).value:.3g}"

    def acks(path: str, mechanism: str) -> str:
        at = {"path": path, "mechanism": mechanism, "control": "cubic"}
        return f"{sample(one, 'acks_per_mb', size='20 MB', counting='segment', **at).value:.0f}"

    def shared(path: str, mechanism: str) -> str:
        return f"{sample(four, 'acks_per_mb', path=path, mechanism=mechanism, control='cubic').value:.0f}"

    def share(mechanism: str) -> str:
        each = [sample(pair, "share_percent", path=path, mechanism=mechanism, control="cubic").value for path in PATHS]
        return f"{min(each):.0f} to {max(each):.0f} %"

    def jains(mechanism: str) -> str:
        each = [sample(four, "jain", path=path, mechanism=mechanism, control="cubic").value for path in PATHS]
        return f"{min(each):.2f} to {max(each):.2f}"

    return (
        "With CUBIC: there is no best ACK strategy, because what an ACK is worth at the sender matters more than when it is sent. "
        "Where it is worth a segment at most in slow start (RFC 5681), the fewer ACKs, the longer 1 MB takes: by satellite "
        f"{time('geo', 'every', '1 MB')} s with every segment acknowledged, {time('geo', 'abc', '1 MB')} with ABC, "
        f"{time('geo', 'delayed', '1 MB')} delayed, and {time('geo', 'tack', '1 MB')} with TACK's four ACKs a round trip, which presume "
        f"a sender that counts bytes: with one, 20 MB take {time('geo', 'tack', '20 MB', 'bytes')} s instead of "
        f"{time('geo', 'tack', '20 MB')}. For 20 MB the overshoot of slow start decides, as it has no HyStart++ in this part: who grows fast loses "
        "much, and a lost retransmission costs a timeout. Smartacking alone on a wire is the best there is: never slower than every "
        f"segment acknowledged, nothing lost, {acks('fibre', 'smart')} ACKs per megabyte on fibre and {acks('lte', 'smart')} on LTE where "
        f"delayed ACKs take {acks('fibre', 'delayed')} and {acks('lte', 'delayed')}. But that is fragile. Where the sender counts bytes, "
        f"few ACKs no longer brake slow start, and it overshoots as with the others ({time('fibre', 'smart', '20 MB', 'bytes')} s instead of "
        f"{time('fibre', 'smart', '20 MB')} on fibre). Beside three of its kind it acknowledges all but every segment "
        f"({shared('lte', 'smart')} per megabyte on LTE, and as many if the sender tells it window and round trip): with a standing "
        "queue a window takes just a round trip to arrive, and there is nothing to delay. Behind Wi-Fi's aggregates "
        f"segments arrive at one instant, and it never delays ({acks('wifi', 'smart')}). "
        f"ACC acknowledges nearly every segment on all four paths, as uplinks are hardly congested enough to mark; the CAKE-style filter does "
        f"nothing but on Wi-Fi, where it spares {100 * (1 - float(acks('wifi', 'cake')) / float(acks('wifi', 'delayed'))):.0f} % of the ACKs, "
        f"costs 20 MB nothing and 1 MB {time('wifi', 'cake', '1 MB')} s instead of {time('wifi', 'delayed', '1 MB')}. "
        f"Beside a flow with delayed ACKs, every segment acknowledged gets {share('every')} of the throughput, TACK's clock {share('tack')}; among "
        f"four of a kind Jain's index is {jains('every')} with every segment acknowledged, {jains('delayed')} delayed. "
        "Latency under load is the buffer's, whatever acknowledges, but where TACK's clock leaves the satellite idle."
    )
