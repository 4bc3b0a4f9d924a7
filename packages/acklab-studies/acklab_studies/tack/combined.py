"""Figure 13: a WLAN behind a wide-area path, cases 1 and 3 (those without losses)."""

from __future__ import annotations

from acklab.report.charts import Axis, Bar, Bars
from acklab.reproduce.experiments import Branches, Warm
from acklab.reproduce.grid import Grid
from acklab.reproduce.measure import Measurement
from acklab.reproduce.paper import Compared, Drawn
from acklab.study.intervals import Sample

from ..later import gain, sample, spread, told
from .setting import ACKS, COLOURS, PAPER, SECONDS, download, warm_s
from .wlan import READ

CASES = {"case 1": ("802.11g", "100Mbps", 20.0), "case 3": ("802.11n", "500Mbps", 200.0)}
PRINTED = {("case 1", "TCP"): 17.16, ("case 1", "TACK"): 20.21, ("case 3", "TCP"): 159.5, ("case 3", "TACK"): 190.22}
ACKED = {
    ("case 1", "TCP"): 100 * 104298 / 190896,
    ("case 1", "TACK"): 100 * 24356 / 222561,
    ("case 3", "TCP"): 100 * 882545 / 1657476,
    ("case 3", "TACK"): 100 * 2474 / 2067212,
}
"""ACKs for a hundred data packets: the table's counts."""

FIGURE_13 = Branches(
    "TACK over a combined path",
    "one download over a WLAN and a wide-area path",
    {"case": tuple(CASES), "receiver": tuple(ACKS)},
    lambda case, receiver, seed: download(CASES[case][0], receiver, seed, CASES[case][1], CASES[case][2]),
    READ,
    most_seeds=5,
    warm=lambda case, receiver, seed: Warm((case, receiver, seed), warm_s(CASES[case][2])),
)


def megabits(grid: Grid, case: str, receiver: str) -> Sample:
    """Goodput, Mb/s."""
    return sample(grid, "bytes", case=case, receiver=receiver).over(SECONDS[CASES[case][0]] / 8e-6)


def per_segment(grid: Grid, case: str, receiver: str) -> Sample:
    """ACKs for a hundred data segments."""
    cell = grid.at(case=case, receiver=receiver)
    return Sample.of((100 * cell["acks"] / cell["segments"]).tolist())


@PAPER.claim("fig13.goodput", FIGURE_13)
def goodput(grid: Grid) -> Measurement:
    found = {key: megabits(grid, *key) for key in PRINTED}
    rates = ", ".join(f"{one.value:.1f} ({case}, {name})" for (case, name), one in found.items())
    return Measurement(
        {"ratio": {f"{case}, {name}": found[case, name].over(PRINTED[case, name]) for case, name in PRINTED}},
        f"Mb/s here: {rates}. In case 1 the paper's own TCP is slower than over the same WLAN in Figure 10(a), 17.16 instead of 19 Mb/s",
    )


@PAPER.claim("fig13.gain", FIGURE_13)
def improvement(grid: Grid) -> Measurement:
    return Measurement(
        {"gain": {case: gain(grid, "bytes", {"receiver": "TACK"}, {"receiver": "TCP"}, case=case) for case in CASES}}
    )


@PAPER.claim("fig13.acks", FIGURE_13)
def acks(grid: Grid) -> Measurement:
    found = {key: per_segment(grid, *key) for key in ACKED}
    return Measurement(
        {"ratio": {f"{case}, {name}": found[case, name].over(ACKED[case, name]) for case, name in ACKED}},
        ", ".join(
            f"{one.value:.3g} ({case}, {name}; the paper {ACKED[case, name]:.3g})"
            for (case, name), one in found.items()
        ),
    )


@PAPER.figure("figure-13", "Figure 13", "Goodput and ACKs over a WLAN and a wide-area path", "6.5", [FIGURE_13])
def figure_13(grid: Grid) -> Drawn:
    groups = []
    for case in CASES:
        found = [megabits(grid, case, name) for name in ACKS]
        groups.append(Bar(case, [one.value for one in found], [spread(one) for one in found]))
    chart = Bars(
        "figure-13",
        "Goodput (95 % intervals)",
        list(ACKS),
        [COLOURS[n] for n in ACKS],
        groups,
        Axis("goodput (Mb/s)", low=0),
    )
    compared = [Compared(f"{c}, {n}, Mb/s", f"{PRINTED[c, n]:g}", told(megabits(grid, c, n))) for c, n in PRINTED]
    compared += [
        Compared(f"{c}, {n}, ACKs for 100 packets", f"{ACKED[c, n]:.3g}", told(per_segment(grid, c, n)))
        for c, n in ACKED
    ]
    return Drawn(
        [chart],
        {"figure_13": grid.frame()},
        compared,
        "Cases 2 and 4 lose 1 % in both directions; TACK's answer to losses is not modelled, so they are left out.",
        download("802.11g", "TACK", 1, "100Mbps", 20.0),
    )
