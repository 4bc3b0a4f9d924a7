"""Scenario 1, rows of Prague: with another Prague, and with CUBIC."""

from __future__ import annotations

from acklab.report.charts import Axis, Line, Lines, Mark, Panel
from acklab.reproduce.experiments import Branches, Warm
from acklab.reproduce.grid import Grid
from acklab.reproduce.measure import Measurement
from acklab.reproduce.paper import Compared, Drawn
from acklab.study.intervals import Sample

from ..later import sample, spread, told
from .fairness import ONE_RUN, OVERHEAD, TITLES, Read
from .setting import FROM_S, PAIRS_MS, PAPER, QUEUES, RATES_MBPS, pair

COPY = (50, "pfifo", "P10-C20")
"""A row of which the table may have another's numbers (the ledger's head)."""
NOTES = {
    "pfifo": ONE_RUN,
    "fqcodel": "With a queue a flow, a CUBIC flow of 160 ms lacks what it does not fill after a reduction; why Linux's filled more was not examined.",
    "dualpi2": "Prague here is of a later draft than the kernel's, and reduces its window by fractions of a segment; what that changes was not examined.",
}
PRAGUE_PAIRS = {f"{first}-{second}": (first, second) for first, second in PAIRS_MS}
MIXED_PAIRS = {
    f"P{first}-C{second}": (first, second)
    for one, two in PAIRS_MS
    for first, second in dict.fromkeys(((one, two), (two, one)))
}
"""Round trips of the Prague flow and the CUBIC flow."""
PAIRS = {"prague": PRAGUE_PAIRS, "mixed": MIXED_PAIRS}
CONTROLS = {"prague": ("prague", "prague"), "mixed": ("prague", "cubic")}
WHO = {"prague": "two Prague flows", "mixed": "a Prague and a CUBIC flow"}


def _runs(kind: str, rate: int, queue: str) -> Branches:
    def scenario(pair_ms: str, seed: int) -> str:
        return pair(rate, queue, *PAIRS[kind][pair_ms], seed, CONTROLS[kind])

    return Branches(
        f"{kind}, {queue}, {rate}",
        f"{WHO[kind]} through {TITLES[queue]} at {rate} Mb/s, by round trips",
        {"pair_ms": tuple(PAIRS[kind])},
        scenario,
        Read(),
        warm=lambda pair_ms, seed: Warm((kind, rate, queue, pair_ms, seed), FROM_S),
        most_seeds=2,  # of a quick look
        rounds=(4,),
    )


RUNS = {(kind, rate, queue): _runs(kind, rate, queue) for kind in PAIRS for rate in RATES_MBPS for queue in QUEUES}
"""An experiment for each claim, so that seeds are added where a claim is open."""


def _shares(grid: Grid, kind: str, rate: int, queue: str) -> Measurement:
    judged = (name for name in PAIRS[kind] if (rate, queue, name) != COPY)
    return Measurement({name: sample(grid, "share", pair_ms=name) for name in judged}, note=NOTES[queue])


for _kind, _rate, _queue in RUNS:
    PAPER.claim(f"{_kind}.{_queue}.{_rate}", RUNS[_kind, _rate, _queue])(
        lambda grid, of=(_kind, _rate, _queue): _shares(grid, *of),
    )


def _sums(rate: int, grids: tuple[Grid, ...]) -> Measurement:
    of = [key for key in RUNS if key[1] == rate]
    cells = ((key, grid, name) for key, grid in zip(of, grids, strict=True) for name in PAIRS[key[0]])
    sums = {f"{queue}, {name}": sample(grid, "sum", pair_ms=name) for (_, _, queue), grid, name in cells}
    return Measurement({"sum": sums}, note=OVERHEAD)


@PAPER.claim("prague.sum.50", *(runs for key, runs in RUNS.items() if key[1] == 50))
def together_at_50(*grids: Grid) -> Measurement:
    return _sums(50, grids)


@PAPER.claim("prague.sum.10", *(runs for key, runs in RUNS.items() if key[1] == 10))
def together_at_10(*grids: Grid) -> Measurement:
    return _sums(10, grids)


def _over(grid: Grid, pair_ms: str, second: bool) -> Sample:
    """One flow's rate over the other's, by seed."""
    share = grid.at(pair_ms=pair_ms)["share"] / 100
    return Sample.of(((1 - share) / share if second else share / (1 - share)).tolist())


@PAPER.claim("prague.bias", RUNS["mixed", 50, "dualpi2"])
def over_cubic(grid: Grid) -> Measurement:
    return Measurement({"ratio": _over(grid, "P20-C20", second=False)}, note=NOTES["dualpi2"])


@PAPER.claim("prague.rtt", RUNS["prague", 50, "dualpi2"], RUNS["prague", 10, "dualpi2"])
def by_round_trips(fast: Grid, slow: Grid) -> Measurement:
    cells = {f"{rate} Mb/s": _over(grid, "160-10", second=True) for rate, grid in ((50, fast), (10, slow))}
    return Measurement({"ratio": cells}, note=NOTES["dualpi2"])


@PAPER.claim("prague.fifo", RUNS["mixed", 50, "pfifo"], RUNS["mixed", 10, "pfifo"])
def through_a_fifo(fast: Grid, slow: Grid) -> Measurement:
    equal = ("P10-C10", "P20-C20", "P80-C80")
    shares = {
        f"{rate} Mb/s, {name}": sample(grid, "share", pair_ms=name)
        for rate, grid in ((50, fast), (10, slow))
        for name in equal
    }
    return Measurement({"share": shares}, note=ONE_RUN)


def _printed(kind: str, rate: int, queue: str) -> dict[str, float]:
    """What the ledger asks for, by row."""
    criterion = PAPER.ledger.claims[f"l4s.{kind}.{queue}.{rate}"].criterion
    assert criterion is not None
    return {part.name: part.target for part in criterion.parts if part.target is not None}


@PAPER.figure("prague", "Prague", "Shares of Prague, printed and simulated", "prague", list(RUNS.values()))
def shares(*grids: Grid) -> Drawn:
    panels, compared = [], []
    for (kind, rate, queue), grid in zip(RUNS, grids, strict=True):
        printed = _printed(kind, rate, queue)
        places = tuple(range(1, len(printed) + 1))
        found = [sample(grid, "share", pair_ms=name) for name in printed]
        lines = [
            Line("printed", places, list(printed.values()), "orange", marker="o"),
            Line(
                "acklab",
                places,
                [one.value for one in found],
                "blue",
                marker="s",
                spread=[spread(one) for one in found],
            ),
        ]
        about = f"{TITLES[queue]}, {rate} Mb/s, {WHO[kind]}"
        x = Axis("round trips (ms)", ticks=places, words=list(printed))
        panels.append(Panel(about, x, Axis("share (%)", low=0, high=100), lines, [Mark(50, "equal")]))
        compared += [
            Compared(f"{about}, {name}", f"{value:g} %", told(one, "%"))
            for (name, value), one in zip(printed.items(), found, strict=True)
        ]
    return Drawn(
        [
            Lines(
                "prague",
                "the share of the first flow, or of Prague beside CUBIC, by round trips (95 % intervals)",
                panels,
            )
        ],
        {"prague": grids[0].frame()},
        compared,
        "P is the round trip of the Prague flow, C that of the CUBIC flow. The table has one run a row, and two where both round trips are equal.",
        pair(50, "dualpi2", 20, 20, 1, ("prague", "cubic")),
    )
