"""What follows from the text by arithmetic, or from how the two models are set up."""

from __future__ import annotations

from math import sqrt

from ...figures.stats import Sample
from ...reproduce.grid import Grid
from ...reproduce.measure import Measurement, NotTestable
from .dummynet import CAPACITY, FIGURE_3, READING
from .registry import PAPER
from .setting import FIGURE_5, LOSSES, MODEM_BPS, MODEM_MSS
from .surface import FIGURE_5_RUNS


def pftk(rtt_s: float, loss: float, acked: int, timeout_s: float = 1.0, cut: float = 0.5) -> float:
    """Segments per second by Padhye, Firoiu, Towsley and Kurose (1998, equation 30 without a window limit).

    ``acked`` is how many segments an ACK covers; ``cut`` is what a fast retransmit takes off the window: the square-root
    term is that of AIMD (1, cut).
    """
    window = sqrt((2 - cut) / (2 * cut * acked * loss))
    waiting = timeout_s * min(1.0, 3 * sqrt(3 * acked * loss / 8)) * loss * (1 + 32 * loss**2)
    return 1 / (rtt_s / window + waiting)


@PAPER.claim("check.double_pass")
def predicted_rates() -> Measurement:
    return Measurement(
        {
            "single, delayed": pftk(0.115, 0.01, 2),
            "single, every": pftk(0.115, 0.01, 1),
            "double, SACK": pftk(0.215, 0.02, 2),
            "double, Veno": pftk(0.215, 0.02, 2, cut=0.2),
        },
        "the formula knows neither the queue nor the link's rate, so the runs of Figure 3 are held against the paper there",
    )


@PAPER.claim("check.512k")
def a_segment_of_the_modem() -> Measurement:
    return Measurement(
        {"mss": MODEM_MSS},
        f"a segment of 512 kB would take {8 * 512e3 / MODEM_BPS:.0f} s, as long as the whole file: one window update in all",
    )


@PAPER.claim("check.pkt1460")
def a_segment_over_dummynet() -> Measurement:
    return Measurement(
        {"mss": 1460}, f"800 kb/s carry {CAPACITY:.1f} packets of 1500 bytes a second, of 1460 kB not one in 14 s"
    )


@PAPER.claim("fig4.range")
def losses_of_figure_4() -> Measurement:
    return Measurement(
        {"least": min(LOSSES), "most": max(LOSSES)}, "the text names 1e-1, which the range in the body leaves out"
    )


@PAPER.claim("sec3.pbdp", beside=[FIGURE_5_RUNS])
def loss_times_pipe_squared(grid: Grid) -> Measurement:
    pipe = 2 * FIGURE_5.one_way_ms / 1e3 * FIGURE_5.segments_per_s
    used = {p: float(grid.at(control="sack", connections=1, loss=p)["utilisation"].mean()) for p in grid.axes["loss"]}
    runs = ", ".join(f"{p * pipe**2:.2g}: {u:.0f} %" for p, u in used.items())
    return Measurement({"product": 0.01 * pipe**2}, f"utilisation of one SACK connection by the product: {runs}")


@PAPER.claim("fig2", FIGURE_3, FIGURE_5_RUNS)
def where_losses_are(dummynet: Grid, ns: Grid) -> Measurement:
    fewest = dummynet.at(control="sack", **READING)["acks_dropped"].reshape(-1, len(dummynet.axes["seed"])).min(axis=0)
    most = ns["acks_lost"].reshape(-1, len(ns.axes["seed"])).max(axis=0)
    return Measurement(
        {"ns": Sample.of(most.tolist()), "dummynet": Sample.of(fewest.tolist())},
        "ACKs lost: in ns's runs none, over dummynet some in each",
    )


@PAPER.claim("check.missing_page")
def the_missing_page() -> NotTestable:
    return NotTestable(
        "the text at hand ends within section 3.4; no run can say what stood on the page that is missing"
    )
