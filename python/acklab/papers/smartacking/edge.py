"""What the Asymmetric configuration's claims owe to the queue at the sender's edge, whose size the paper does not print."""

from __future__ import annotations

from ...figures.charts import Axis, Line, Lines, Panel
from ...reproduce.experiments import Sweep
from ...reproduce.grid import Grid
from ...reproduce.judge import judge
from ...reproduce.paper import Compared, Drawn
from .changing import crossover
from .registry import PAPER
from .runs import ASYMMETRIC, ONE
from .setting import SCHEMES, asymmetric

QUEUES = (9, 18, 27, 36, 50, 74, 148, 100_000)
"""In packets; half a product is 36, and the last loses nothing."""
CLAIMS = ("fig13.acc", "fig13.sp")
SHOWN = ("newreno", "acc", "smart", "smart-paced", "fixed")

EDGE = Sweep(
    "Asymmetric, other edges", "5 to 30 kb/s for ACKs, other queues at the sender's edge",
    {"edge": QUEUES, **ASYMMETRIC.axes},
    lambda edge, scheme, kbps: asymmetric(kbps, scheme, edge=edge), ONE, {"edge": (18, 36, 148), **ASYMMETRIC.quick},
)  # fmt: skip


@PAPER.figure("edge", "", "The queue at the sender's edge, which is not printed", "5.4", [EDGE], evidence="evidence")
def edges(grid: Grid) -> Drawn:
    compared = []
    for size in grid.axes["edge"]:
        part = grid.at(edge=size)
        rates = [f"{crossover(part, 'smart', other):.0f}" for other in ("newreno", "acc")]
        said = [
            f"{name} {judge(PAPER.ledger.claims[id], PAPER.claims[id].measure(part)).verdict}"
            for name in CLAIMS
            for id in [f"smartacking.{name}"]
        ]
        waits = "no loss" if size == QUEUES[-1] else f"{size} packets"
        compared.append(
            Compared(
                f"{waits}: smartacking is faster than NewReno, and than ACC, from (kb/s)",
                "20, 21",
                f"{rates[0]}, {rates[1]}; {', '.join(said)}",
            )
        )
    limited = grid.at(edge=lambda size: size < QUEUES[-1])
    lines = [
        Line(SCHEMES[s].name, limited.axes["edge"], limited.at(scheme=s)["t1"].mean(axis=-1), SCHEMES[s].colour, SCHEMES[s].dash, "o")
        for s in SHOWN
    ]  # fmt: skip
    remark = (
        "The paper prints one size of a drop-tail buffer, half a bandwidth-delay product, and says it is the usual one; whether it holds at "
        "the sender's edge, whose link has the bottleneck's rate, it does not say. There bursts wait, so the size moves every claim of "
        "Figure 13. With half a product (36 packets) smartacking overtakes NewReno about where it is printed; two products (148) come nearest "
        "to the whole figure. 31 kb/s stands for: not up to 30."
    )
    panel = Panel("mean over the rates", Axis("packets that may wait at the edge", low=0), Axis("completion time (s)", low=0), lines)
    return Drawn(
        [Lines("edge", "Asymmetric, by the queue at the sender's edge", [panel])],
        {"times": grid.frame().rename({"kbps": "reverse_kbps", "edge": "edge_packets"})},
        compared,
        remark,
        asymmetric(20, "smart", edge=148),
    )
