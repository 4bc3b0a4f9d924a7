"""The paper's entry, to which the parts add their figures and claims."""

from __future__ import annotations

from ...reproduce.paper import Paper
from .setting import PARAMETERS

PAPER = Paper(
    id="veno",
    title="Improvements Achieved by SACK Employing TCP Veno Equilibrium-Oriented Mechanism over Lossy Networks",
    citation="Chung Ling Chi, Fu Chengpeng and Liew Soung Chang, EUROCON 2001",
    about="A sender that guesses from its round trips whether a loss was congestion, and gives way less if it was not. "
    "SACK TCP and SACK TCP with Veno's window over a modem, over dummynet's pipes, and over a shared bottleneck with losses.",
    sections={
        "2": "SACK, Veno, and both over a modem",
        "3.2": "One connection over dummynet",
        "3.3": "Many connections of one kind",
        "3.4": "Two kinds side by side",
    },
    parameters=PARAMETERS,
    terms={
        "N": "the sender's estimate of its own packets that wait in the bottleneck's queue: cwnd times the share of the round trip above the least",
        "beta": "N above which a loss counts as congestion, and the window grows at half the pace: 3 packets",
        "AI": "additive increase, the part between two losses in which the window grows by about a packet a round trip",
        "cwnd": "the sender's congestion window",
        "p": "the share of packets that are lost at random",
        "BDP": "the product of bandwidth and round trip: what fills the path",
        "b": "segments an ACK, in the formula for throughput (PFTK: Padhye, Firoiu, Towsley, Kurose)",
    },
    ns2={
        "veno.fig5.1pct": "+53 % over TCP/Linux's own Reno, 8 seeds; +69 % over Sack1, which is another stack (RTT 200 ms)",
        "veno.abs.72": "+69 % at most, and that over an unlike stack (RTT 200 ms, Sack1); +53 % over a like one",
    },
    ns2_numbers={"veno.fig5.1pct": 53.0},
)
"""ns-2's gains from docs/oracle/AGREEMENT.md."""
