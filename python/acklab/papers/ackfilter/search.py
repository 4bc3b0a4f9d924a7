"""What the paper leaves open: printed values that do not fit, and readings of what the text leaves open."""

from __future__ import annotations

from collections.abc import Hashable, Mapping

import numpy as np

from ...reproduce.experiments import Effort, Traces, records
from ...reproduce.paper import Compared, Drawn
from .figures_one import GRID
from .registry import PAPER
from .runs import SINGLE, Recorded
from .section2 import PLATEAU_BPS, plateau
from .setting import One, delayed, static
from .trace import Slow

READINGS: Mapping[str, One] = {
    "d = 1, forward 10 Mb/s (the page's)": One(),
    "d = 2, forward 10 Mb/s": One(d=2),
    "d = 1, forward 1 Mb/s": One(forward_rate="1Mbps"),
    "round trip of 400 ms": One(rtt_s=0.4),
}


def _readings(effort: Effort) -> dict[Hashable, str]:
    return {name: records(one.scenario(static(500)), "series", "queue", "packets") for name, one in READINGS.items()}


PRINTED = Traces("readings", "delta = 500 with other readings of section 2.4", _readings, Slow)


@PAPER.figure(
    "printed", "", "Printed values that do not fit: δ = 500 at 5 s, and 1000 kb/s", "2", [PRINTED], evidence="search"
)
def printed(recorded: Recorded) -> Drawn:
    found = []
    for name, run in recorded.items():
        full, resumes = plateau(run, PLATEAU_BPS * READINGS[str(name)].d)
        onset = f"first ACK erased at {run.onset:.2f} s" if len(run.erased) else "no ACK is erased in 10 s"
        more = f"; on its plateau from {full:.2f} to {resumes:.2f} s" if full == full and resumes == resumes else ""
        end = float(run.throughput(np.arange(9.0, 10.0, 0.01)).mean()) / 1e3
        found.append(
            Compared(
                name,
                "filtering from about 5 s; final throughput 1000 kb/s",
                f"{onset}{more}; final throughput {end:,.0f} kb/s",
            )
        )
    return Drawn(
        [],
        {},
        found,
        "With every segment acknowledged, as section 2.4 says, 500 ACKs gather between 1.6 and 3.1 s. With d = 2 it takes until about 6 s. "
        "With twice the round trip filtering starts at the printed 5 s, but the reverse link is full at 3 s and not at the printed 1.5: no "
        "reading gives both. "
        "With a forward link of 1 Mb/s, the printed final throughput comes out, but the reverse link is never full and the filter has "
        "nothing to do, so that is not what was run.",
    )


def _filters(effort: Effort) -> dict[Hashable, str]:
    one = One()
    filters = {
        "presence rate as listed": delayed("presence-literal"),
        "off again at 50 %": delayed(release=0.5),
        "window 50 ms": delayed(window="50ms"),
        "window 1 s": delayed(window="1s"),
        "on at 50 %": delayed(share=0.5),
        "CAKE, conservative": {"kind": "cake"},
        "CAKE, aggressive": {"kind": "cake", "aggressive": True},
    }
    return {name: records(one.scenario(filter), "series", "queue", "packets") for name, filter in filters.items()}


OTHERS = Traces(
    "readings of section 3", "delayed filtering with other windows, thresholds and estimators", _filters, Slow
)


@PAPER.figure(
    "readings", "", "Readings of section 3, and CAKE's filter in slow start", "3", [SINGLE, OTHERS], evidence="search"
)
def readings(recorded: Recorded, others: Recorded) -> Drawn:
    runs = {
        "delayed, output rate (the page's)": recorded["delayed"],
        "delayed, presence rate": recorded["presence"],
        **others,
    }
    base = float(recorded[30].acked(5.0))
    found = []
    for name, run in runs.items():
        acked = float(run.acked(5.0))
        onset = f"{run.onset:.2f} s" if len(run.erased) else "never"
        most = float(run.occupancy(GRID).max())
        found.append(
            Compared(
                str(name),
                "as good as δ = 30",
                f"{acked:.0f} acknowledged by 5 s ({100 * (acked / base - 1):+.1f} %); filtering from {onset}; at most {most:.0f} waiting",
            )
        )
    return Drawn(
        [],
        {},
        found,
        "The presence rate as listed adds one for each event and divides by a time: in steady state it is an event rate of hundreds a "
        "second, which exceeds 90 % from the first ACKs on, so that it filters almost like δ = 1.",
    )
