"""Section IV: downloads among background flows."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...reproduce.experiments import only
from ...reproduce.grid import Array, Grid
from ...reproduce.measure import Measurement
from ...reproduce.resample import rank_correlation, spearman
from ...study.intervals import Sample, jackknife
from .runs import (
    EVERYONE,
    FIGURE_6,
    HIGH_CONGESTION,
    QUICK_FLOWS,
    distance,
    downloads,
    gain,
    high,
    low,
    ratio,
    times,
    typical,
)
from .setting import BUFFERS, FILE_BYTES, FLOWS, LOW, PAPER, PIECES, POLICIES, REFERENCES, Client, Path


def _pieces(pieces: int, **_: Any) -> Client:
    """divss1; with one piece the reference."""
    return Client("divss1", pieces) if pieces > 1 else Client("every")


FIGURE_7 = downloads(
    "divack pieces",
    "divss1 with 2 to 64 pieces",
    {"pieces": PIECES, "flows": FLOWS},
    _pieces,
)
FIGURE_7_MOST = downloads(
    "divack most pieces",
    "32 and 64 pieces, J up to 32: more seeds",
    {"pieces": (32, 64), "flows": LOW},
    _pieces,
    rounds=(10, 100),
)
"""Some 60 seeds settle how far the two are apart."""
FIGURE_7_64 = downloads(
    "divack pieces, J = 64",
    "the same among 64 flows, where a timeout or two decide how long a download takes: more seeds",
    {"pieces": (1, *PIECES), "flows": (64,)},
    _pieces,
    quick={"flows": (QUICK_FLOWS[-1],)},
    rounds=(10, 100),
)
"""Some 60 seeds settle the gain of the last number of pieces."""
LIMITS = (1.0, 2.0)
FIGURE_8 = downloads(
    "divack ABC",
    "each policy against a sender that counts bytes",
    {"limit": LIMITS, "policy": EVERYONE, "flows": FLOWS},
    lambda policy, limit, **_: Client(policy, credit="abc", limit=limit),
)
FIGURE_8_BOTH = only(FIGURE_8, limit=LIMITS[1:], policy=POLICIES)
REFERENCE = only(FIGURE_6, policy=REFERENCES)
"""The two standard versions of section IV, whose sender counts ACKs."""
THIEF, THIEF_ABC = (
    downloads(
        f"divack thief, {name}",
        f"{about}, J up to 32: more seeds",
        {"policy": ("every", *POLICIES), "flows": LOW},
        lambda policy, rules=rules, **_: Client(policy, **rules),
        rounds=(10, 160),
    )
    for name, about, rules in (
        ("ACKs", "each policy against a sender that counts ACKs", {}),
        ("ABC", "each policy against a sender that counts bytes", {"credit": "abc", "limit": 2.0}),
    )
)
"""Some 100 seeds settle whether ABC leaves less than a third of the gain."""
SLOWER = downloads(
    "divack 1.5 Mb/s",
    "the same through 1.5 Mb/s and 13 packets",
    {"policy": EVERYONE, "flows": FLOWS},
    lambda policy, **_: Client(policy),
    lambda **_: Path(rate=1.5),
    most_seeds=30,
)
SIZES = (15_000, 150_000, FILE_BYTES, 6_000_000)
BY_SIZE = downloads(
    "divack sizes",
    "one ACK a segment against delayed ACKs, four sizes",
    {"size": SIZES, "policy": REFERENCES, "flows": FLOWS},
    lambda policy, **_: Client(policy),
    lambda size, **_: Path(file_bytes=size),
    {"size": (15_000, FILE_BYTES)},
)
BUFFER_SHARES = (0.25, 0.5, 1.0, 2.0, 4.0)
BY_BUFFER = downloads(
    "divack buffers",
    "a quarter of to four bandwidth-delay products of buffer, J = 4",
    {"buffer": BUFFER_SHARES, "policy": ("every", "divss1", "divca1"), "flows": (4,)},
    lambda policy, **_: Client(policy),
    lambda buffer, **_: Path(buffer=round(buffer * BUFFERS[10.0])),
)

# --- Section IV: a dividing client among other flows (Figures 5 to 8), and section V's remarks on them


@PAPER.claim("ref.apdp", BY_SIZE)
def apdp_is_faster(grid: Grid) -> Measurement:
    cells = {
        f"{size // 1000} kB, J = {j}": {p: times(grid, size=size, policy=p, flows=j) for p in REFERENCES}
        for size in grid.axes["size"]
        for j in grid.axes["flows"]
    }
    return Measurement({"mean": cells})


@PAPER.claim("fig6.low", FIGURE_6)
def division_pays_under_low_congestion(grid: Grid) -> Measurement:
    def cell(j: int, policy: str) -> dict[str, Sample]:
        j = j if j in grid.axes["flows"] else low(grid)[0]  # a quick look has fewer
        return {"every": times(grid, policy="every", flows=j), "divided": times(grid, policy=policy, flows=j)}

    return Measurement({f"J={j}": {policy: cell(j, policy) for policy in POLICIES} for j in LOW})


def _average(grid: Grid, flows: list[int]) -> Sample:
    """Time over that of 1-apdp, averaged over the policies and numbers of flows: one pseudo-value a seed."""
    each = [ratio(grid, policy=p, reference="every", flows=flows).values for p in POLICIES]
    return Sample.of([float(np.mean(values)) for values in zip(*each, strict=True)])


@PAPER.claim("fig6.high", HIGH_CONGESTION, THIEF)
def neither_gain_nor_harm_under_high_congestion(grid: Grid, base: Grid) -> Measurement:
    cells = [(p, j) for p in POLICIES for j in high(grid) or low(grid)[-1:]]
    return Measurement(
        {
            "gain": {f"{p} J = {j}": typical(grid, p, "every", j) for p, j in cells},
            "harm": {f"{p} J = {j}": typical(grid, p, "delayed", j) for p, j in cells},
            "contrast": {
                "from 64": _average(grid, high(grid) or low(grid)[-1:]),
                "up to 32": _average(base, low(base)),
            },
        },
    )


def _improvement(pieces: Grid, base: Grid, count: int, j: int) -> Sample:
    return _saved(pieces.at(pieces=count, flows=j), base.at(policy="every", flows=j))


def _saved(divided: Grid, every: Grid) -> Sample:
    """By how many percent the mean time is shorter."""
    upper, lower = divided["time_s"], every["time_s"]
    return jackknife(len(upper), lambda seeds: 100 * float(1 - upper[seeds].mean() / lower[seeds].mean()))


@PAPER.claim("fig7.improve", FIGURE_7)
def more_pieces_more_gain(pieces: Grid) -> Measurement:
    rising = [m for m in pieces.axes["pieces"] if m <= 32]

    table = np.array([pieces.at(flows=j, pieces=rising)["time_s"] for j in low(pieces)])

    def correlation(taken: Array) -> Array:
        """Of pieces and time over that of the fewest, averaged over J; the last axis stays."""
        return np.asarray(spearman(rising, -(taken / taken[:, :1]).mean(axis=0)))

    def best(j: int) -> Sample:
        return min((times(pieces, pieces=m, flows=j) for m in rising if m > 2), key=lambda taken: taken.value)

    possible = {
        f"J = {j}": {"2 pieces": times(pieces, pieces=2, flows=j), "the best of 4 to 32": best(j)} for j in low(pieces)
    }
    return Measurement({"possible": possible, "spearman": rank_correlation(correlation, table)})


@PAPER.claim("fig7.limit", FIGURE_7_MOST)
def thirty_two_is_enough(pieces: Grid) -> Measurement:
    table = {m: np.array([pieces.at(pieces=m, flows=j)["time_s"] for j in low(pieces)]) for m in (32, 64)}

    def apart(seeds: list[int]) -> float:
        means = {m: table[m][:, seeds].mean(axis=1) for m in table}
        return float(np.abs((means[32] - means[64]) / means[32]).mean())

    return Measurement({"apart": jackknife(table[32].shape[1], apart)})


@PAPER.claim("fig7.j64", FIGURE_7_64, FIGURE_7, FIGURE_6)
def no_gain_at_64(grid: Grid, pieces: Grid, base: Grid) -> Measurement:
    j = grid.axes["flows"][0]
    every = grid.at(pieces=1)
    counts = [m for m in grid.axes["pieces"] if m > 1]

    def below(m: int) -> Sample:
        each = [_improvement(pieces, base, m, few).values for few in low(pieces)]
        return Sample.of([float(np.mean(values)) for values in zip(*each, strict=True)])

    return Measurement(
        {
            "gain": {f"m = {m}": _saved(grid.at(pieces=m, flows=j), every.at(flows=j)) for m in counts},
            "effective": {f"m = {m}": below(m) for m in counts},
        }
    )


def _abc(grid: Grid, base: Grid, reference: str, policies: tuple[str, ...]) -> Measurement:
    flows = base.axes["flows"]
    return Measurement(
        {"ratio": {p: distance(grid, base, policy=p, reference=reference, flows=flows, limit=2.0) for p in policies}}
    )


@PAPER.claim("fig8.m1", FIGURE_8_BOTH, REFERENCE)
def method_one_is_apdp(grid: Grid, base: Grid) -> Measurement:
    return _abc(grid, base, "every", ("divss1", "divca1"))


@PAPER.claim("fig8.m2", FIGURE_8_BOTH, REFERENCE)
def method_two_is_delayed(grid: Grid, base: Grid) -> Measurement:
    return _abc(grid, base, "delayed", ("divss2", "divca2"))


@PAPER.claim("fig8.steal", THIEF_ABC, THIEF)
def abc_stops_the_thief(grid: Grid, base: Grid) -> Measurement:
    def best(of: Grid) -> Sample:
        found = [gain(of, policy=p, reference="every", flows=low(of)) for p in POLICIES]
        return max(found, key=lambda one: one.value)

    counted = best(grid)
    return Measurement({"gain": counted, "third": {"third": best(base).over(3.0), "gain": counted}})


@PAPER.claim("both.caps", FIGURE_6, SLOWER)
def both_capacities_alike(fast: Grid, slow: Grid) -> Measurement:
    tables = [grid.at(policy=policy)["time_s"] for grid in (fast, slow) for policy in (list(POLICIES), "every")]

    def correlation(divided: Array, every: Array, slowly: Array, slow_every: Array) -> Array:
        """Of time over that of 1-apdp, over policies and J, of the two capacities; the last axis stays."""
        rows = [ratio.reshape(-1, ratio.shape[-1]) for ratio in (divided / every, slowly / slow_every)]
        return np.asarray(spearman(*rows))

    return Measurement({"spearman": rank_correlation(correlation, *tables)})


@PAPER.claim("concl.burst", HIGH_CONGESTION)
def bursts_do_not_harm(grid: Grid) -> Measurement:
    cells = [(p, j) for p in POLICIES for j in high(grid) or low(grid)[-1:]]
    return Measurement({"ratio": {f"{p} J = {j}": typical(grid, p, "delayed", j) for p, j in cells}})


@PAPER.claim("text.large_buffers", BY_BUFFER)
def large_buffers(grid: Grid) -> Measurement:
    shares = grid.axes["buffer"]

    def correlation(policy: str) -> Sample:
        divided, every = (grid.at(flows=4, policy=p)["time_s"] for p in (policy, "every"))
        return rank_correlation(lambda own, base: spearman(shares, 1 - own / base), divided, every)

    return Measurement(
        {
            "spearman": {policy: correlation(policy) for policy in ("divss1", "divca1")},
            "pays": {
                p: gain(grid.at(buffer=max(shares)), policy=p, reference="every", flows=4) for p in ("divss1", "divca1")
            },
        },
    )
