"""Goodput by the return link's rate, and the repository's tests before and after its fix."""

from __future__ import annotations

from typing import Any

from acklab.report.charts import Axis, Line, Lines, Mark, Panel
from acklab.reproduce.experiments import Sweep
from acklab.reproduce.explanation import Searched
from acklab.reproduce.grid import Grid, OneFlow
from acklab.reproduce.measure import Measurement
from acklab.reproduce.paper import Compared, Drawn

from .setting import ACK, GAP, LARGEST_PACKET, PACKET, PAPER, RETURN_KBPS, SPARSE, tested, transfer

MEGABITS = 80.0
"""Of a transfer."""
READ = OneFlow(["completion_s", "acks_sent", "segments_sent"], ["utilisation"], ("C", "S"))
PRINTED = {100: "1.9", 200: "4 or 5", 300: "4 or 5", 400: "9"}

ISSUE = Sweep(
    "picoquic's issue",
    "10 MB over 10 Mb/s by the return link's rate, an ACK for every second packet",
    {"kbps": RETURN_KBPS},
    transfer,
    READ,
)
CASES: dict[str, dict[str, Any]] = {
    "as in the issue": {},
    "packets of 1440 bytes": {"packet": LARGEST_PACKET},
    "an ACK for 4 packets": {"gap": 4},
    "an ACK after 10 ms": {"gap": SPARSE},
    "CUBIC": {"control": "cubic"},
}
READINGS = Sweep(
    "picoquic's readings",
    "the same with larger packets, fewer ACKs, and CUBIC",
    {"case": tuple(CASES), "kbps": RETURN_KBPS},
    lambda case, kbps: transfer(kbps, **CASES[case]),
    READ,
)
TESTS = Sweep(
    "picoquic's tests",
    "bbr_asym100 and bbr_asym400, before and after the fix",
    {"kbps": (100, 400), "gap": (GAP, SPARSE)},
    lambda kbps, gap: tested(kbps // 10, kbps, gap),
    READ,
)


def megabits(grid: Grid, **cell: object) -> float:
    """The transfer's mean rate, Mb/s."""
    return MEGABITS / float(grid.at(**cell)["completion_s"])


def _bound(kbps: int) -> float:
    """What the ACKs that fit the return link let through, Mb/s."""
    return kbps * 1e3 / (8 * ACK) * GAP * 8e-6 * (PACKET - 33)


def _rate(grid: Grid, kbps: int) -> Measurement:
    return Measurement(
        {"rate": megabits(grid, kbps=kbps)},
        f"{_bound(kbps):.2f} Mb/s is what {kbps} kb/s of ACKs of {ACK} bytes, one for two packets of {PACKET}, let through",
    )


@PAPER.claim("issue.100", ISSUE)
def at_100_kbps(grid: Grid) -> Measurement:
    return _rate(grid, 100)


@PAPER.claim("issue.200", ISSUE)
def at_200_kbps(grid: Grid) -> Measurement:
    return _rate(grid, 200)


@PAPER.claim("issue.300", ISSUE, beside=[READINGS])
def at_300_kbps(grid: Grid, readings: Grid) -> Measurement:
    found = _rate(grid, 300)
    each = {case: [megabits(readings, case=case, kbps=kbps) for kbps in (200, 300)] for case in CASES}
    told = ", ".join(f"{a:.1f} and {b:.1f} ({case})" for case, (a, b) in each.items())
    return Measurement(
        found.parts,
        f"{found.note}. While ACKs fill the return link the rate is proportional to it, so 200 and 300 kb/s cannot give the same; "
        f"at 200 and 300 kb/s the readings give {told}. The issue names BBR, and CUBIC has 4 or 5 at one of the two rates only",
    )


PAPER.explain("issue.300", Searched(len(CASES), "1 run", 1, "control = cubic"))


@PAPER.claim("issue.400", ISSUE)
def at_400_kbps(grid: Grid) -> Measurement:
    return _rate(grid, 400)


@PAPER.claim("issue.saturated", ISSUE)
def acks_fill_the_return_link(grid: Grid) -> Measurement:
    return Measurement(
        {"use": {f"{kbps} kb/s": 100 * float(grid.at(kbps=kbps)["utilisation"]) for kbps in RETURN_KBPS[:3]}}
    )


@PAPER.claim("tests.before", TESTS)
def before_the_fix(grid: Grid) -> Measurement:
    return Measurement({"time": float(grid.at(kbps=100, gap=GAP)["completion_s"])})


@PAPER.claim("tests.after", TESTS)
def after_the_fix(grid: Grid) -> Measurement:
    slow, fast = (float(grid.at(kbps=kbps, gap=SPARSE)["completion_s"]) for kbps in (100, 400))
    return Measurement({"100": slow, "400": fast})


@PAPER.figure("issue", "Issue 1213", "Rate by the return link's rate", "issue", [ISSUE, READINGS])
def issue(grid: Grid, readings: Grid) -> Drawn:
    colours = dict(zip(CASES, ("blue", "sky", "green", "orange", "cubic"), strict=True))
    lines = [
        Line(
            case,
            RETURN_KBPS,
            [megabits(readings, case=case, kbps=kbps) for kbps in RETURN_KBPS],
            colours[case],
            marker="o",
        )
        for case in CASES
    ]
    lines.append(Line("the issue", RETURN_KBPS, [1.9, 4.5, 4.5, 9.0], "red", dash="", marker="s"))
    panel = Panel(
        "",
        Axis("return link (kb/s)", low=0),
        Axis("rate (Mb/s)", low=0, high=11),
        lines,
        [Mark(10, "the forward link")],
    )
    compared = [
        Compared(f"rate at {kbps} kb/s, Mb/s", PRINTED[kbps], f"{megabits(grid, kbps=kbps):.2f}")
        for kbps in RETURN_KBPS
    ]
    return Drawn(
        [Lines("issue", "10 MB over 10 Mb/s, BBR", [panel])],
        {"issue": readings.frame()},
        compared,
        "The issue gives 4 or 5 Mb/s for 200 and 300 kb/s together; drawn at 4.5.",
        transfer(100),
    )


@PAPER.figure("tests", "Tests", "The tests' transfers, before and after the fix", "tests", [TESTS])
def tests(grid: Grid) -> Drawn:
    printed = {(100, GAP): "9 to 24 s", (100, SPARSE): "at most 8.5 s", (400, GAP): "", (400, SPARSE): "at most 2.35 s"}
    names = {GAP: "an ACK for two packets", SPARSE: "an ACK after 10 ms"}
    rows = [["test", "receiver", "time (s)", "ACKs"]]
    compared = []
    for (kbps, gap), value in printed.items():
        cell = grid.at(kbps=kbps, gap=gap)
        rows.append(
            [f"bbr_asym{kbps}", names[gap], f"{float(cell['completion_s']):.2f}", f"{float(cell['acks_sent']):.0f}"]
        )
        compared.append(Compared(f"bbr_asym{kbps}, {names[gap]}", value, f"{float(cell['completion_s']):.2f} s"))
    lines = [
        Line(
            names[gap],
            (100, 400),
            [MEGABITS / float(grid.at(kbps=kbps, gap=gap)["completion_s"]) for kbps in (100, 400)],
            colour,
            marker="o",
        )
        for gap, colour in ((GAP, "blue"), (SPARSE, "orange"))
    ]
    panel = Panel("", Axis("return link (kb/s)", low=0), Axis("rate (Mb/s)", low=0), lines)
    return Drawn(
        [Lines("tests", "The forward link has a hundred times the return link's rate", [panel])],
        {"tests": grid.frame()},
        compared,
        scenario=tested(10, 100, SPARSE),
        listed=rows,
    )
