"""Section IV: downloads among background flows."""

from __future__ import annotations

from itertools import product
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
NEWRENO = downloads(
    "divack pieces, NewReno",
    "the same where a sender repairs one loss in a round trip",
    {"pieces": (1, *PIECES), "flows": FLOWS},
    _pieces,
    lambda **_: Path(recovery="newreno"),
    most_seeds=30,
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

FLAVOURS = (
    ("RFC 6675", Path()),
    ("SACK 1996", Path(recovery="sack")),
    ("NewReno", Path(recovery="newreno")),
    ("RFC 6675, 64 kB window", Path(window=44)),
    ("NewReno, 64 kB window", Path(recovery="newreno", window=44)),
    ("NewReno, 20 segments (ns-2's default)", Path(recovery="newreno", window=20)),
)
BY_FLAVOUR = downloads(
    "divack flavours",
    "the recoveries and windows that the paper leaves open",
    {"flavour": tuple(name for name, _ in FLAVOURS), "policy": EVERYONE, "flows": (1, 2, 8, 32)},
    lambda policy, **_: Client(policy),
    lambda flavour, **_: dict(FLAVOURS)[flavour],
    {"flavour": ("RFC 6675", "NewReno")},
    most_seeds=6,
)

READINGS = {
    f"{recovery}, {window} segments, pieces {pieces}": Path(recovery=recovery, window=window, pieces=pieces)
    for recovery, window, pieces in product(("rfc6675", "newreno"), (100000, 20), ("slide", "grow"))
}
"""How ns-2, which counts packets, may have taken divided ACKs, with a window that never binds and with its default."""
BY_READING = downloads(
    "divack counting",
    "what a sender makes of the pieces, with two recoveries and windows",
    {"reading": tuple(READINGS), "policy": EVERYONE, "flows": (2, 8, 32)},
    lambda policy, **_: Client(policy),
    lambda reading, **_: READINGS[reading],
    most_seeds=6,
)
LONG_SIZES = (FILE_BYTES, 6_000_000, 24_000_000)
LONG = downloads(
    "divack long",
    "long transfers divided in congestion avoidance, and in slow start",
    {"size": LONG_SIZES, "policy": ("every", "divss1", "divca1", "divca2"), "flows": (2, 8, 32)},
    lambda policy, **_: Client(policy),
    lambda size, **_: Path(file_bytes=size),
    {"size": LONG_SIZES[:2]},
    most_seeds=10,
)
"""Section V: in long transfers division in congestion avoidance pays."""


# --- Section IV: a dividing client among other flows (Figures 5 to 8), and section V's remarks on them


@PAPER.claim("ref.apdp", BY_SIZE)
def apdp_is_faster(grid: Grid) -> Measurement:
    cells = {}
    share: dict[str, float] = {}
    for size in grid.axes["size"]:
        faster = []
        for j in grid.axes["flows"]:
            cell = {p: times(grid, size=size, policy=p, flows=j) for p in REFERENCES}
            cells[f"{size // 1000} kB, J = {j}"] = cell
            faster += [a < b for a, b in zip(cell["every"].values, cell["delayed"].values, strict=True)]
        share[f"{size // 1000} kB"] = 100 * float(np.mean(faster))
    slower = [label for label, cell in cells.items() if cell["every"].value >= cell["delayed"].value]
    return Measurement(
        {"mean": cells},
        f"by mean slower in {len(slower)} of {len(cells)} cells{': ' if slower else ''}{'; '.join(slower[:4])}; faster in "
        f"{', '.join(f'{value:.0f} % of the pairs with {size}' for size, value in share.items())}. {_CHANCE}",
    )


_CHANCE = (
    "A window that opens faster also meets the full buffer earlier; a short download is decided by whether one of its first "
    "segments is lost, which costs a timeout, and which segments are lost differs between the two runs of a pair. "
)


@PAPER.claim("fig6.low", FIGURE_6, beside=[BY_FLAVOUR])
def division_pays_under_low_congestion(grid: Grid, flavours: Grid) -> Measurement:
    parts = {
        f"J={j}": {
            policy: {"every": times(grid, policy="every", flows=j), "divided": times(grid, policy=policy, flows=j)}
            for policy in POLICIES
        }
        for j in (1, 2, 4, 8, 16, 32)
        if j in grid.axes["flows"]
    }
    for j in (1, 2, 4, 8, 16, 32):
        parts.setdefault(f"J={j}", parts[f"J={low(grid)[0]}"])  # a quick look has fewer
    return Measurement(parts, f"{_gains(grid)}. {_OVERSHOOT}. {_by_flavour(flavours)}")


def _gains(grid: Grid, **cell: Any) -> str:
    """Which policies gain at each J."""
    told = []
    for j in low(grid):
        winners = [p for p in POLICIES if ratio(grid, policy=p, reference="every", flows=j, **cell).value < 1]
        told.append(f"J = {j}: {', '.join(winners) or 'none'}")
    return "faster than 1-apdp by mean at " + "; ".join(told)


_OVERSHOOT = (
    "In slow start 16 pieces multiply the window by 17 a round trip. Two round trips after its start a client sends some 600 segments at once "
    "into a buffer of 83. RFC 6675 repairs hundreds of losses in a round trip, NewReno one"
)


def _by_flavour(grid: Grid) -> str:
    """Which policies gain with each recovery, over all J up to 32."""
    told = []
    for name in grid.axes["flavour"]:
        ratios = [
            ratio(grid, policy=p, reference="every", flows=j, flavour=name).value for j in low(grid) for p in POLICIES
        ]
        told.append(f"{name} {sum(r < 1 for r in ratios)} of {len(ratios)}")
    return "Policies and J up to 32 with a gain by mean, by recovery and advertised window: " + ", ".join(told)


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
        f"{_TYPICAL}; by plain means {_means(grid, 'delayed', cells)} of delayed ACKs' time. The region of the references is wide: delayed ACKs take {_region(grid)} times as long as 1-apdp, which competes with "
        f"delayed ACKs in the background. {_timeouts(grid)}",
    )


_TYPICAL = "ratios of geometric means, for a few downloads take ten times as long as the others"


def _means(grid: Grid, reference: str, cells: list[tuple[str, int]]) -> str:
    return ", ".join(f"{p} {ratio(grid, policy=p, reference=reference, flows=j).value:.2f} (J = {j})" for p, j in cells)


def _region(grid: Grid) -> str:
    found = [ratio(grid, policy="delayed", reference="every", flows=j).value for j in high(grid) or low(grid)[-1:]]
    return " and ".join(f"{value:.2f}" for value in found)


def _timeouts(grid: Grid) -> str:
    j = (high(grid) or low(grid))[0]
    told = [f"{p} {grid.at(policy=p, flows=j)['timeouts'].mean():.1f}" for p in EVERYONE]
    return f"Timeouts of a download at J = {j}: {', '.join(told)}"


def _improvement(pieces: Grid, base: Grid, count: int, j: int) -> Sample:
    return _saved(pieces.at(pieces=count, flows=j), base.at(policy="every", flows=j))


def _saved(divided: Grid, every: Grid) -> Sample:
    """By how many percent the mean time is shorter."""
    upper, lower = divided["time_s"], every["time_s"]
    return jackknife(len(upper), lambda seeds: 100 * float(1 - upper[seeds].mean() / lower[seeds].mean()))


def _with_newreno(grid: Grid, counts: list[int]) -> dict[int, list[float]]:
    """Improvement in percent by J and m."""
    found = {}
    for j in low(grid):
        every = grid.at(pieces=1, flows=j)["time_s"].mean()
        found[j] = [100 * float(1 - grid.at(pieces=m, flows=j)["time_s"].mean() / every) for m in counts]
    return found


@PAPER.claim("fig7.improve", FIGURE_7, FIGURE_6, beside=[NEWRENO])
def more_pieces_more_gain(pieces: Grid, base: Grid, newreno: Grid) -> Measurement:
    counts = pieces.axes["pieces"]
    rising = [m for m in counts if m <= 32]
    other = ", ".join(
        f"J = {j} {spearman(rising, gains):.2f} ({max(gains):.0f} % at best)"
        for j, gains in _with_newreno(newreno, rising).items()
    )

    table = np.array([pieces.at(flows=j, pieces=rising)["time_s"] for j in low(pieces)])

    def correlation(taken: Array) -> Array:
        """Of pieces and time over that of the fewest, averaged over J; the last axis stays."""
        return np.asarray(spearman(rising, -(taken / taken[:, :1]).mean(axis=0)))

    possible = {
        f"J = {j}": {
            "2 pieces": times(pieces, pieces=2, flows=j),
            "the best of 4 to 32": min(
                (times(pieces, pieces=m, flows=j) for m in rising if m > 2), key=lambda taken: taken.value
            ),
        }
        for j in low(pieces)
    }
    best = {j: max(counts, key=lambda m: _improvement(pieces, base, m, j).value) for j in low(pieces)}
    told = ", ".join(f"m = {m} at J = {j} ({_improvement(pieces, base, m, j).value:.0f} %)" for j, m in best.items())
    return Measurement(
        {"possible": possible, "spearman": rank_correlation(correlation, table)},
        f"best: {told}. {_OVERSHOOT}. With NewReno: {other}",
    )


@PAPER.claim("fig7.limit", FIGURE_7_MOST, beside=[NEWRENO])
def thirty_two_is_enough(pieces: Grid, newreno: Grid) -> Measurement:
    table = {m: np.array([pieces.at(pieces=m, flows=j)["time_s"] for j in low(pieces)]) for m in (32, 64)}

    def apart(seeds: list[int]) -> float:
        means = {m: table[m][:, seeds].mean(axis=1) for m in table}
        return float(np.abs((means[32] - means[64]) / means[32]).mean())

    seeds = list(range(table[32].shape[1]))
    signed = {j: float(1 - table[64][i].mean() / table[32][i].mean()) for i, j in enumerate(low(pieces))}
    told = ", ".join(f"{100 * v:+.0f} % at J = {j}" for j, v in signed.items())
    mean = {m: {j: newreno.at(pieces=m, flows=j)["time_s"].mean() for j in low(newreno)} for m in (32, 64)}
    other = {j: 100 * float(1 - mean[64][j] / mean[32][j]) for j in low(newreno)}
    return Measurement(
        {"apart": jackknife(len(seeds), apart)},
        f"m = 64 saves {told}. With NewReno {', '.join(f'{v:+.0f} % at J = {j}' for j, v in other.items())}",
    )


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


@PAPER.claim("fig8.steal", THIEF_ABC, THIEF, beside=[BY_FLAVOUR])
def abc_stops_the_thief(grid: Grid, base: Grid, flavours: Grid) -> Measurement:
    def best(of: Grid, **cell: Any) -> tuple[str, Sample]:
        found = {p: gain(of, policy=p, reference="every", flows=low(of), **cell) for p in POLICIES}
        name = max(found, key=lambda p: found[p].value)
        return name, found[name]

    (with_abc, counted), (without, plain) = best(grid), best(base)
    names = flavours.axes["flavour"]
    thieves = ", ".join(f"{best(flavours, flavour=name)[1].value:.0f} % with {name}" for name in names)
    every = gain(grid, base, policy="every", reference="every", flows=low(grid))
    return Measurement(
        {"gain": counted, "third": {"third": plain.over(3.0), "gain": counted}},
        f"best with ABC {with_abc} {counted.value:.1f} %, best without {without} {plain.value:.1f} %, both against 1-apdp under the "
        f"same credit, mean over J up to 32. 1-apdp itself gains {every.value:.1f} % by ABC. What there is to remove depends on the "
        f"recovery: without ABC the best policy gains, over J = {', '.join(map(str, low(flavours)))}, {thieves}. The gain without ABC is Figure 6's, from which "
        "the recovery was inferred; what ABC leaves of it was not fitted",
    )


@PAPER.claim("both.caps", FIGURE_6, SLOWER)
def both_capacities_alike(fast: Grid, slow: Grid) -> Measurement:
    flows = fast.axes["flows"]
    tables = [grid.at(policy=policy)["time_s"] for grid in (fast, slow) for policy in (list(POLICIES), "every")]

    def correlation(*means: Array, flows: slice = slice(None)) -> Array:
        """Of time over that of 1-apdp, over policies and J, of the two capacities; the last axis stays."""
        divided, every, slowly, slow_every = (mean[..., flows, :] for mean in means)
        rows = [ratio.reshape(-1, ratio.shape[-1]) for ratio in (divided / every, slowly / slow_every)]
        return np.asarray(spearman(*rows))

    means = [table.mean(axis=-1, keepdims=True) for table in tables]
    alike = int(((means[0] < means[1]) == (means[2] < means[3])).sum())
    light = float(correlation(*means, flows=slice(sum(j <= 8 for j in flows)))[0])
    halves = [
        float(correlation(*(t[..., i::2].mean(axis=-1, keepdims=True) for i in (0, 1) for t in two))[0])
        for two in (tables[:2], tables[2:])
    ]
    lost = {j: slow.at(policy="every", flows=j)["timeouts"].mean() for j in flows}
    return Measurement(
        {"spearman": rank_correlation(correlation, *tables)},
        f"{alike} of {means[0].size} policies and J gain at both or lose at both. Up to J = 8 alone the correlation is {light:.2f}. Every second seed "
        f"beside the others has {halves[0]:.2f} at 10 and {halves[1]:.2f} at 1.5 Mb/s, which is what noise leaves of it. Each flow has a sixth of the packets of pipe and "
        f"buffer at 1.5 Mb/s. Time over that of 1-apdp, {', '.join(POLICIES)}: {_room(slow, 1.5, (1, 2))}; {_room(fast, 10.0, (1, 8, 16))}. Timeouts of a download with "
        f"1-apdp at 1.5 Mb/s: {', '.join(f'{v:.0f} at J = {j}' for j, v in lost.items() if j >= 8)}",
    )


def _room(grid: Grid, rate: float, flows: tuple[int, ...]) -> str:
    """What dividing costs, by the packets of pipe and buffer that each flow has."""
    told = []
    for j in flows if set(flows) <= set(grid.axes["flows"]) else grid.axes["flows"]:
        ratios = [ratio(grid, policy=p, reference="every", flows=j).value for p in POLICIES]
        told.append(
            f"{', '.join(f'{r:.1f}' for r in ratios)} with {2 * BUFFERS[rate] / (j + 1):.0f} packets (J = {j} at {rate:g} Mb/s)"
        )
    return "; ".join(told)


@PAPER.claim("concl.burst", HIGH_CONGESTION)
def bursts_do_not_harm(grid: Grid) -> Measurement:
    cells = [(p, j) for p in POLICIES for j in high(grid) or low(grid)[-1:]]
    return Measurement(
        {"ratio": {f"{p} J = {j}": typical(grid, p, "delayed", j) for p, j in cells}},
        f"{_TYPICAL}; by plain means {_means(grid, 'delayed', cells)}. {_timeouts(grid)}",
    )


@PAPER.claim("text.large_buffers", BY_BUFFER)
def large_buffers(grid: Grid) -> Measurement:
    shares = grid.axes["buffer"]

    def correlation(policy: str) -> Sample:
        divided, every = (grid.at(flows=4, policy=p)["time_s"] for p in (policy, "every"))
        return rank_correlation(lambda own, base: spearman(shares, 1 - own / base), divided, every)

    told = []
    for policy in ("divss1", "divca1"):
        gains = [
            f"{gain(grid.at(buffer=share), policy=policy, reference='every', flows=4).value:.0f}" for share in shares
        ]
        told.append(f"{policy} {', '.join(gains)} %")
    return Measurement(
        {
            "spearman": {policy: correlation(policy) for policy in ("divss1", "divca1")},
            "pays": {
                p: gain(grid.at(buffer=max(shares)), policy=p, reference="every", flows=4) for p in ("divss1", "divca1")
            },
        },
        f"gain with {', '.join(f'{s:g}' for s in shares)} bandwidth-delay products: {'; '.join(told)}",
    )
