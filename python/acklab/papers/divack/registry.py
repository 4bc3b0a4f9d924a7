"""The paper's entry, to which the sections add their figures and claims."""

from __future__ import annotations

from ...reproduce.paper import Paper, Parameter

PARAMETERS = [
    Parameter("bottleneck", "10 Mb/s and 1.5 Mb/s, 50 ms", "stated", "section IV"),
    Parameter("access links", "four times that rate, 1 ms", "stated", "section IV"),
    Parameter("buffer", "drop-tail, 83 and 13 packets", "stated", "section IV: one bandwidth-delay product at 1500 B"),
    Parameter("warm-up", "400 s", "stated", "section IV; simulated once a seed and cloned for every policy"),
    Parameter("file", "1.5 MB", "stated", "Figures 6 to 8"),
    Parameter("pieces", "m = 16; 2 to 64 in Figure 7", "stated", "Figures 6 and 7; powers of two"),
    Parameter("background flows", "J = 1, 2, 4, ..., 128", "inferred", "the text names 32 and 64; powers of two"),
    Parameter(
        "recovery", "RFC 6675", "inferred", "not stated. `acklab infer divack` decides it from Figure 6 (> 0.999 of 48 readings of four rules); "
        "NewReno stands beside it in the figures on pieces and on recoveries", fitted_to=("fig6.low", "fig8.steal")
    ),
    Parameter(
        "advertised window", "never binding", "inferred", "not stated; decided by the same search (> 0.999)", fitted_to=("fig6.low",)
    ),
    Parameter("recovery in sections I and III", "NewReno", "inferred", "not stated; at most two segments of a transfer are lost there"),
    Parameter("least RTO", "0.2 s", "inferred", "ns-2.35's. The same search leaves 0.2 s and 1 s open"),
    Parameter("stack", "ns-2.35's rules, sequence numbers of bytes", "inferred", "a segment's ACK has to have pieces"),
    Parameter("delayed-ACK timer", "100 ms", "inferred", "ns-2's default"),
    Parameter("background starts", "uniform in 0 to 10 s", "inferred", "not stated; the same for every policy"),
    Parameter("ABC", "L = 2", "inferred", "the RFC's recommendation; the figure shows L = 1, too"),
    Parameter("phase", "told by the simulator", "inferred", "the text speaks of the sender's phase as known"),
    Parameter("802.11b", "11 Mb/s, basic 2 Mb/s, RTS/CTS, ns-2's defaults", "stated", "section III-A"),
    Parameter("wired delay", "50 ms, 1500 B packets, 50 packets in each queue", "inferred", "not stated"),
    Parameter(
        "Figure 3's burst", "from 10 s on, slow start ending at 20 segments", "inferred", "its instant is not stated"
    ),
]  # fmt: skip

PAPER = Paper(
    id="divack",
    title="TCP ACK Division Revisited",
    citation="Andrés Arcia-Moret, Nicolas Montavont, Jean-Marie Bonnin, David Ros, 2009",
    about="A receiver that acknowledges each segment in pieces makes its sender's window grow faster. Where does that pay: "
    "over a shared medium, with small segments, against other flows, and against senders that count bytes?",
    sections={"I": "ACK division", "II": "Uses", "III": "Shortcomings", "IV": "Facing congestion", "V": "Conclusions"},
    parameters=PARAMETERS,
    terms={
        "divack": "one of the m ACKs in which a receiver divides the ACK of a segment",
        "m": "ACKs for what one ACK would cover",
        "1-apdp": "one ACK for each data packet, not divided",
        "DA": "delayed ACKs: one for every second packet, or when a timer ends",
        "div{ss,ca}1, div{ss,ca}2": "division in slow start or in congestion avoidance, on top of one ACK for each packet (1) or of delayed ACKs (2)",
        "J": "connections that compete",
        "ABC": "appropriate byte counting: the sender's window grows by the bytes that are acknowledged, so that division gains nothing",
        "BDP": "the product of bandwidth and round trip: what fills the path",
    },
)
