"""The figure and the table: seven mechanisms on seven paths."""

from __future__ import annotations

from acklab.report.charts import Multiples, Spot
from acklab.reproduce.grid import Grid
from acklab.reproduce.paper import Drawn
from acklab.study.intervals import Sample

from .runs import FOUR, ONE, PAIR
from .setting import MECHANISMS, PATHS, STUDY, download, scenario
from .told import sample, spread, told

HEADS = (
    "", "1 MB (s)", "20 MB (s)", "20 MB, RFC sender (s)", "ACKs/MB", "retx (%)", "Jain", "share (%)", "Mb/s", "uplink (%)", "p50 (ms)", "p99 (ms)",
)  # fmt: skip
LEGEND = (
    "RFC sender: CUBIC, RFC 6675, slow start to the first loss, at most a segment an ACK in it; all else is Linux's sender. ACKs/MB and retx: of "
    "the 20 MB. Jain: fairness among four downloads. Share: of the throughput beside a flow with delayed ACKs. Mb/s and uplink: goodput of "
    "four downloads, and what their ACKs take of the uplink (on Wi-Fi of the time). p50, p99: small requests beside four downloads. Means over the seeds."
)
TITLES = (
    "1 MB (s)\n← better", "20 MB (s)\n← better", "ACKs per MB\n(20 MB)", "share beside\ndelayed (%)",
    "ACKs' share of\nthe uplink (%)", "requests' p99\n(ms) ← better",
)  # fmt: skip


def cells(one: Grid, four: Grid, pair: Grid, path: str, mechanism: str) -> list[Sample]:
    """The table's numbers of a row, as samples over the seeds."""
    kind = {"path": path, "mechanism": mechanism}
    return [
        sample(one, "time_s", size="1 MB", sender="linux", **kind),
        sample(one, "time_s", size="20 MB", sender="linux", **kind),
        sample(one, "time_s", size="20 MB", sender="rfc", **kind),
        sample(one, "acks_per_mb", size="20 MB", sender="linux", **kind),
        sample(one, "retransmits_percent", size="20 MB", sender="linux", **kind),
        sample(four, "jain", **kind),
        sample(pair, "share_percent", **kind),
        sample(four, "goodput_mbps", **kind),
        sample(four, "uplink_percent", **kind),
        sample(four, "p50_ms", **kind),
        sample(four, "p99_ms", **kind),
    ]


@STUDY.figure("paths", "", "Seven mechanisms on seven paths", "1", [ONE, FOUR, PAIR])
def paths(one: Grid, four: Grid, pair: Grid) -> Drawn:
    listed, places = [list(HEADS)], []
    for key in one.axes["path"]:
        panels: list[list[Spot]] = [[] for _ in TITLES]
        listed.append([PATHS[key].name, *[""] * (len(HEADS) - 1)])
        for row, (mechanism, kind) in enumerate(MECHANISMS.items()):
            found = cells(one, four, pair, key, mechanism)
            listed.append([kind.name, *(told(value) for value in found)])
            for panel, column in zip(panels, (1, 2, 4, 7, 9, 11), strict=True):
                value = found[column - 1]
                panel.append(Spot(row, value.value, spread(value)))
            for panel, (quantity, size) in zip(
                panels, (("time_s", "1 MB"), ("time_s", "20 MB"), ("acks_per_mb", "20 MB")), strict=False
            ):
                value = sample(one, quantity, size=size, sender="rfc", path=key, mechanism=mechanism)
                panel.append(Spot(row, value.value, spread(value), hollow=True))
        places.append((PATHS[key].name, panels))
    rows = [(kind.name, kind.colour) for kind in MECHANISMS.values()]
    about = (
        "Completion of 1 MB and 20 MB, ACKs per megabyte, throughput share beside a flow with delayed ACKs, the ACKs' share of the uplink and "
        "99th percentile of small requests under four downloads; means and 95 % intervals"
    )
    chart = Multiples(
        "paths", about, rows, TITLES, places, ("Linux's sender", "a sender by the RFCs (CUBIC, RFC 5681, RFC 6675)")
    )
    tables = {"transfers": one.frame(), "sharing": four.frame(), "neighbours": pair.frame()}
    example = scenario("lte", "smart", [download("smart")], 1, 20_000_000)
    return Drawn([chart], tables, (), LEGEND, example, listed=listed)
