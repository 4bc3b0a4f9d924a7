"""Sections 5 and 6: telnet and the conclusions."""

from __future__ import annotations

import json
from collections.abc import Hashable, Mapping
from dataclasses import dataclass

import numpy as np

from ...reproduce.experiments import Effort, Traces, records
from ...reproduce.grid import Array, Grid
from ...reproduce.measure import Measurement
from ...study.intervals import Sample
from ..trace import Transfer
from .section3 import ALL, medians
from .section4 import DROP_TAIL_RUNS, RED_RUNS, Grids, averaged, both, overall
from .setting import PAPER, PAPERS, RECOVERIES, SURFACE, TIME, WINDOW

SECONDS = 120
SEEDS = 80
"""Sessions with ACK counting; where the interval of their median is narrow enough to decide."""
FEWER = 20
"""Sessions with LBC, and of a quick run."""
WRITES = (1, 10, 100)
"""Bytes of a keystroke: 1 is a key, more is what a program echoes; Figure 16's growth depends on it."""


def telnet(mechanism: str, seed: int, write: int = 1, interval: str | None = None, recovery: str = "reno") -> str:
    """A session over Figure 1's path; ``interval`` is the mean of exponential pauses instead of tcplib's."""
    pauses = {"mean": interval} if interval else {"pauses": "tcplib"}
    tree = {
        "seed": seed,
        "stop": {"at": f"{SECONDS}s"},
        "link": PAPERS.links({"kind": "drop-tail", "packets": 22}),
        "flow": [
            {
                "name": "f",
                "from": "S",
                "to": "R",
                "source": {"kind": "telnet", "write": f"{write}B", **pauses},
                # Bytes are counted, and a pause does not cost the window: section 5 looks at its growth.
                "sender": {
                    **PAPERS.sender(recovery, mechanism),
                    "sequence": "bytes",
                    "idle_restart": "timer-keeps-window",
                },
                "receiver": PAPERS.receiver(recovery, mechanism),
            }
        ],
    }
    return json.dumps(tree, separators=(",", ":"))


KEYS, DISPLAY_S = 50, 50.0
FILE_BYTES = 200_000
"""A user types a key a second, ten more than open the window, and then displays a file that is larger than any window."""


def display(mechanism: str, recovery: str = "reno") -> str:
    """Section 5's user, who types and then displays a large file over the same connection."""
    tree = json.loads(telnet(mechanism, 1, recovery=recovery))
    keys = [[f"{i}s", "1B"] for i in range(KEYS)]
    tree["flow"][0]["source"] = {"kind": "listed", "writes": [*keys, [f"{DISPLAY_S:g}s", f"{FILE_BYTES}B"]]}
    return json.dumps({**tree, "stop": {"when": "flows-complete", "at_most": "1000s"}}, separators=(",", ":"))


@dataclass(frozen=True)
class Display:
    """What became of the file."""

    burst: int
    """Segments that leave at once."""
    drops: int
    time_s: float
    """Until all of it is acknowledged."""


def displayed(result: object) -> Display:
    """Reads a recorded display."""
    trace = Transfer(result)
    burst = sum(sent.time_s == DISPLAY_S for sent in trace.sent)
    return Display(burst, len(trace.dropped), trace.acks[-1].time_s - DISPLAY_S)


DISPLAYS = Traces(
    "display",
    "a large file after typing, with delayed ACKs and with LBC",
    lambda _: {
        (recovery, mechanism): records(display(mechanism, recovery), "packets", "series")
        for recovery in RECOVERIES
        for mechanism in ("delayed", "lbc")
    },
    displayed,
)


@dataclass(frozen=True)
class Session:
    """What a session's sender did."""

    times: Array
    windows: Array
    reached_s: float
    outstanding: float
    """Mean number of packets outstanding just after each is sent."""
    sent: Array
    """When segments were sent."""

    @property
    def last(self) -> float:
        """The window at the end."""
        return float(self.windows[-1])


def session(result: object) -> Session:
    """Reads a recorded session."""
    trace = Transfer(result)
    series = trace.series
    times, windows = (series[name].to_numpy() for name in ("time_s", "cwnd_segments"))
    starts = sorted(sent.seq for sent in trace.sent)
    outstanding = [np.searchsorted(starts, s.seq + 1) - np.searchsorted(starts, s.acked) for s in trace.sent]
    reached = trace.reaches(WINDOW)
    sent = np.array([s.time_s for s in trace.sent])
    return Session(times, windows, reached, float(np.mean(outstanding)), sent)


def _sessions(effort: Effort) -> dict[Hashable, str]:
    cells: dict[Hashable, str] = {}
    for mechanism, writes, seeds in (("delayed", (1,), FEWER if effort.quick else SEEDS), ("lbc", WRITES, FEWER)):
        for write in writes:
            for seed in range(1, seeds + 1):
                cells[mechanism, write, seed] = records(telnet(mechanism, seed, write), "packets", "series")
    return cells


SESSIONS = Traces("telnet", "two minutes of typing for each seed, with delayed ACKs and with LBC", _sessions, session)
Sessions = Mapping[Hashable, Session]


def of(sessions: Sessions, mechanism: str, write: int = 1) -> list[Session]:
    """The sessions of a mechanism, by seed."""
    return [s for key, s in sessions.items() if key[:2] == (mechanism, write)]  # type: ignore[index]


@PAPER.claim("fig15.reach", SESSIONS)
def window_opens(sessions: Sessions) -> Measurement:
    reached = [SECONDS if np.isnan(s.reached_s) else s.reached_s for s in of(sessions, "delayed")]
    return Measurement({"median": Sample.of(reached, median=True)})


@PAPER.claim("fig15.outstanding", SESSIONS)
def few_outstanding(sessions: Sessions) -> Measurement:
    return Measurement({"outstanding": Sample.of([s.outstanding for s in of(sessions, "delayed")])})


@PAPER.claim("fig16.modest", SESSIONS)
def window_opens_modestly(sessions: Sessions) -> Measurement:
    lbc, counting = of(sessions, "lbc"), of(sessions, "delayed")[:FEWER]
    return Measurement(
        {
            "window": Sample.of([s.last for s in lbc]),
            "order": {"counting": Sample.of([s.last for s in counting]), "lbc": Sample.of([s.last for s in lbc])},
        },
    )


@PAPER.claim("sec5.display", DISPLAYS)
def the_file_leaves_in_a_burst(displays: Mapping[tuple[str, str], Display]) -> Measurement:
    return Measurement({"burst": {r: {m: displays[r, m].burst for m in ("delayed", "lbc")} for r in RECOVERIES}})


# --- Section 6: the conclusions, over everything above


EVERYTHING = (*ALL, *DROP_TAIL_RUNS, *RED_RUNS)


def parted(grids: tuple[Grid, ...]) -> tuple[dict[tuple[str, str], Grid], Grids, Grids]:
    """Surfaces, drop-tail's and RED's competitions."""
    surfaces = dict(zip(SURFACE, grids, strict=False))
    return surfaces, *both(grids[len(SURFACE) :])


def gains(surfaces: dict[tuple[str, str], Grid]) -> dict[str, dict[str, float]]:
    """Median improvements over delayed ACKs, which gain 0, by half of a table."""
    found = {}
    for short, name in ((False, "all"), (True, "short")):
        for recovery, values in medians(surfaces, short).items():
            found[f"{recovery} {name}"] = {**values, "delayed": 0.0}
    return found


@PAPER.claim("concl.every", *EVERYTHING)
def every_is_best(*grids: Grid) -> Measurement:
    surfaces, tail, red = parted(grids)
    races = {"drop-tail": tail, "RED": red}
    pair = {name: {m: grids[m] for m in ("every", "delayed")} for name, grids in races.items()}
    return Measurement(
        {
            "tables": gains(surfaces),
            "competing": {name: overall(grids, "throughput") for name, grids in races.items()},
            "loss": {name: overall(grids, "loss") for name, grids in pair.items()},
            "acks": {name: overall(grids, "acks") for name, grids in pair.items()},
        }
    )


def all_acks(surfaces: dict[tuple[str, str], Grid], competing: tuple[Grids, Grids], mechanism: str) -> Array:
    """ACKs over all single transfers and, for each seed, all competing ones."""
    single = sum(surfaces[recovery, mechanism]["acks_sent"].sum() for recovery in RECOVERIES)
    return np.asarray(single + sum(found[mechanism]["acks"].sum(axis=0) for found in competing))


@PAPER.claim("concl.lbc", *EVERYTHING)
def lbc_helps_without_more_acks(*grids: Grid) -> Measurement:
    surfaces, tail, red = parted(grids)
    ratio = all_acks(surfaces, (tail, red), "lbc") / all_acks(surfaces, (tail, red), "delayed")
    return Measurement(
        {
            "tables": {name: {m: g[m] for m in ("lbc", "delayed")} for name, g in gains(surfaces).items()},
            "competing": {
                name: {m: averaged(g[m], "throughput") for m in ("lbc", "delayed")}
                for name, g in (("drop-tail", tail), ("RED", red))
            },
            "acks": float(100 * (ratio.mean() - 1)),
        },
    )


@PAPER.claim("concl.ubc_sack", SURFACE["sack", "ubc"], SURFACE["sack", "lbc"])
def ubc_no_worse_with_sack(ubc: Grid, lbc: Grid) -> Measurement:
    ratio = ubc[TIME] / lbc[TIME]
    return Measurement({"ratio": float(ratio.mean())})
