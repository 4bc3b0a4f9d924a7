"""The queue at the sender's edge of the Asymmetric configuration, which is not printed: its posterior from the two rates of section 5.4."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from ...figures.charts import Axis, Line, Lines, Mark, Panel
from ...reproduce.experiments import Replications
from ...reproduce.grid import Array, Grid
from ...reproduce.paper import Compared, Drawn
from ...study.seeds import Nudge, nudged
from .changing import crossover
from .registry import PAPER
from .runs import ASYMMETRIC, ONE
from .setting import asymmetric

QUEUES = (9, 18, 27, 36, 50, 74, 98, 122, 148, 100_000)
"""In packets: eighths of a product (73.75) up to one, thirds up to two, and one that loses nothing."""
PRINTED = {"newreno": 20.0, "acc": 21.0}
"""Section 5.4: the rate in kb/s from which on smartacking is faster than NewReno, and than ACC."""
DEVIATION = 2.5
"""Half of the ledger's tolerance, as in ``acklab infer``."""

EDGE = Replications(
    "Asymmetric, other edges", "5 to 30 kb/s for ACKs, other queues at the sender's edge, nudged",
    {"edge": QUEUES, "scheme": ("newreno", "acc", "smart"), "kbps": ASYMMETRIC.axes["kbps"]},
    lambda edge, scheme, kbps, seed: nudged(asymmetric(kbps, scheme, edge=edge), Nudge(), seed), ONE, {"edge": (18, 36, 122, 148)}, most_seeds=5,
)  # fmt: skip


def posterior(rates: Mapping[str, Array]) -> Array:
    """Probability of each size, each alike before: ``rates`` are (sizes, nudges) for each printed one.

    Errors are normal, as :mod:`acklab.study.posterior` has them: of the printed rate, and of the nudged runs and their mean.
    """
    log = np.zeros(len(next(iter(rates.values()))))
    for other, found in rates.items():
        variance = DEVIATION**2 + found.var(axis=1, ddof=1) * (1 + 1 / found.shape[1])
        log += -0.5 * ((found.mean(axis=1) - PRINTED[other]) ** 2 / variance + np.log(variance))
    weights = np.exp(log - log.max())
    return np.asarray(weights / weights.sum())


def crossovers(grid: Grid, sizes: Sequence[int]) -> dict[str, Array]:
    """The rates by size and nudge."""
    return {
        other: np.array(
            [[crossover(grid.at(edge=size, seed=seed), "smart", other) for seed in grid.axes["seed"]] for size in sizes]
        )
        for other in PRINTED
    }


@PAPER.figure(
    "edge", "", "The queue at the sender's edge, which is not printed", "5.4", [EDGE], evidence="search", slow=True
)
def edges(grid: Grid) -> Drawn:
    sizes = grid.axes["edge"]
    rates = crossovers(grid, sizes)
    weights = posterior(rates)
    best = int(np.argmax(weights))
    compared = [
        Compared(
            f"{'no loss' if size == QUEUES[-1] else f'{size} packets'}: smartacking is faster than NewReno, and than ACC, from (kb/s)",
            ", ".join(f"{rate:g}" for rate in PRINTED.values()),
            f"{', '.join(f'{rates[other][k].mean():.1f}' for other in PRINTED)}; probability {weights[k]:.3f}",
        )
        for k, size in enumerate(sizes)
    ]
    limited = [k for k, size in enumerate(sizes) if size < QUEUES[-1]]
    lines = [
        Line(f"than {name}", [sizes[k] for k in limited], rates[other].mean(axis=1)[limited], colour, "-", "o")
        for other, name, colour in (("newreno", "NewReno", "delayed"), ("acc", "ACC", "acc"))
    ]
    remark = (
        "Bursts wait at the sender's edge, whose link has the bottleneck's rate, so the size of its queue moves every claim of Figure 13. The "
        f"paper does not print it. The two rates of section 5.4 do: of these sizes {sizes[best]} packets have a probability of {weights[best]:.3f}. "
        "It is not used: an edge loses nothing here, as in all other configurations. 31 kb/s stands for: not up to 30."
    )
    panel = Panel(
        "from which rate on smartacking is faster",
        Axis("packets that may wait at the edge", low=0),
        Axis("kb/s", low=0),
        lines,
        [Mark(20.5, "the paper's 20 and 21")],
    )
    table = grid.frame().rename({"kbps": "reverse_kbps", "edge": "edge_packets"})
    return Drawn(
        [Lines("edge", "Asymmetric, by the queue at the sender's edge", [panel])],
        {"times": table},
        compared,
        remark,
        asymmetric(20, "smart"),
    )
