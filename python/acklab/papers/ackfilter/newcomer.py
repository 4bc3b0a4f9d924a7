"""Section 4's two side remarks: busy connections share the reverse link equally, and a newcomer is starved."""

from __future__ import annotations

import json
from collections.abc import Sequence

import numpy as np

from ...reproduce.experiments import Replications
from ...reproduce.grid import Array, Grid
from ...reproduce.measure import Measurement
from ...reproduce.readers import ManyFlows, OneFlow
from ...study.intervals import Sample, jackknife
from .registry import PAPER
from .setting import ALGORITHMS, LARGE_BUFFER, NAMES, SMALL_BUFFER, Many

NEW_SEGMENTS = 100
NEW_STARTS_S = 20.0
BUSY_S = 120.0
PATIENCE_S = 200.0
"""A newcomer that has not finished after so long counts as if it finished then."""


def busy(setting: Many, algorithm: str, sources: int, seed: int, *, newcomer: bool = False, pacing: float = 0.0) -> str:
    """Figure 10 with sources that never stop; the last of them may be a short transfer that starts later."""
    tree = json.loads(setting.scenario(algorithm, sources, seed, BUSY_S))
    for flow in tree["flow"]:
        del flow["repeat"]
        flow["size"] = "unlimited"
        flow["sender"] = {**flow["sender"], "pacing": {"kind": "spread", "share": pacing} if pacing else "off"}
    if newcomer:
        tree["stop"] = {"when": "flows-complete", "at_most": f"{NEW_STARTS_S + PATIENCE_S:g}s"}
        last = tree["flow"].pop()
        start = NEW_STARTS_S + float(last["start"].removesuffix("s"))
        # Its row comes first, where the reader looks.
        tree["flow"].insert(0, {**last, "name": "new", "start": f"{start:.6f}s", "size": {"segments": NEW_SEGMENTS}})
    return json.dumps(tree, separators=(",", ":"))


def _shares(columns: dict[str, Array]) -> Sequence[float]:
    received = columns["acks_received"]
    share = received / received.sum() * len(received)
    return float(share.min()), float(share.max())


MAXMIN = Replications(
    "always busy",
    "sources that never stop, classic filtering",
    {"sources": (2, 5, 10, 20), "pacing": (0.0, 1.0)},
    lambda sources, pacing, seed: busy(LARGE_BUFFER, "classic", sources, seed, pacing=pacing),
    ManyFlows(["least", "most"], ["acks_received"], ["drops"], _shares, where=("D", "A")),
    {"sources": (2, 10)},
    most_seeds=65,
)
"""With 20 seeds the shares of two sources are undecided, and want some 43."""


@PAPER.claim("maxmin", MAXMIN)
def equal_shares(grid: Grid) -> Measurement:
    spread, bursts = grid.at(pacing=1.0), grid.at(pacing=0.0)
    shares = {
        f"{end}, N = {n}": Sample.of(spread.at(sources=n)[end].tolist())
        for n in grid.axes["sources"]
        for end in ("least", "most")
    }
    ends = bursts["least"].min(), bursts["most"].max()
    return Measurement(
        {"share": shares},
        "the connections with the fewest and the most ACKs through, data paced so that ACKs are spread in time, as the claim has it; "
        f"with ns's bursts some connections fall into step and shares reach {ends[0]:.2f} and {ends[1]:.2f}",
    )


def _newcomer(algorithm: str) -> Replications:
    return Replications(
        f"newcomer {algorithm}",
        f"{NAMES[algorithm]}: a transfer of {NEW_SEGMENTS} kB among sources that never stop",
        {"sources": (10,)},
        lambda sources, seed: busy(SMALL_BUFFER, algorithm, sources, seed, newcomer=True),
        OneFlow(["completion_s", "timeouts"], where=("D", "A")),
        most_seeds=30,
    )


NEWCOMER = [_newcomer(algorithm) for algorithm in ALGORITHMS]
"""Nine busy sources and one newcomer, through a reverse buffer of ten packets."""


@PAPER.claim("text.new_connection", *NEWCOMER)
def a_newcomer_is_starved(*grids: Grid) -> Measurement:
    times = {a: taken(grid) for a, grid in zip(ALGORITHMS, grids, strict=True)}
    never = int(np.isnan(grids[0].at(sources=10)["completion_s"]).sum())
    none, rr = times["none"], times["rr"]
    ratio = jackknife(len(none), lambda seeds: float(none[seeds].mean() / rr[seeds].mean()))
    told = ", ".join(f"{NAMES[a]} {t.mean():.1f} (95th percentile {_percentile(t):.1f})" for a, t in times.items())
    return Measurement(
        {"ratio": ratio},
        f"mean time of the newcomer's {NEW_SEGMENTS} kB in s: {told}; without a filter {never} of {len(none)} are not through after "
        f"{PATIENCE_S:g} s and count as that",
    )


def taken(grid: Grid) -> Array:
    """The newcomer's time with each seed, at most :data:`PATIENCE_S`."""
    return np.nan_to_num(grid.at(sources=10)["completion_s"], nan=PATIENCE_S)


def _percentile(times: Array) -> float:
    return float(np.percentile(times, 95))
