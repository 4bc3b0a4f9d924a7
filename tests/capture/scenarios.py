"""Scenarios whose captures are judged: each stack, each recovery, each way to lose a packet.

A name says what it is about. The link next to each sender is fast, so that a packet leaves the host's interface when
its sender sends it, and its queue is deep, so that none is lost before the interface.
"""

from __future__ import annotations

ACCESS = '{ between = ["S", "G"], rate = "100Mbps", delay = "2ms" }'


def one_flow(
    title: str,
    size: str,
    sender: str,
    receiver: str = "",
    path: str = "",
    more: str = "",
    rate: str = "1.5Mbps",
    delay: str = "40ms",
) -> str:
    """A transfer from S over G to R; the keys given are added to sender, receiver, the slow link and the flow."""
    return f"""
title = "{title}"
record = {{ packets = true }}
link = [
    {ACCESS},
    {{ between = ["G", "R"], rate = "{rate}", delay = "{delay}", {path} }},
]
flow = [{{ name = "f", from = "S", to = "R", size = {size}, {more}
          sender = {{ {sender} }}, receiver = {{ {receiver} }} }}]
"""


SHORT_QUEUE = 'queue = { kind = "drop-tail", packets = 12 }'
MANY_LOSSES = "loss = { list = [12, 13, 15, 31, 60, 61, 90] }"
DEEP_QUEUE = 'queue = { kind = "drop-tail", packets = 60 }'
LONE_LOSSES = "loss = { list = [50, 150, 250] }"
BOTH_WAYS = "loss = { rate = 0.03 }, back = { loss = { rate = 0.1 } }"
EVERY = 'ack = { policy = "every" }'

SCENARIOS = {
    "rfc-defaults": one_flow(
        "SACK, timestamps, delayed ACKs, overflowing queue, FIN", '{ bytes = "300kB" }', "fin = true", path=SHORT_QUEUE
    ),
    "rfc-newreno": one_flow(
        "NewReno without timestamps, an ACK a segment",
        '{ bytes = "300kB" }',
        'recovery = "newreno", timestamps = false, fin = true',
        EVERY,
        MANY_LOSSES,
    ),
    "rfc-reno-timeouts": one_flow(
        "Reno; a retransmission is lost: timeouts, go-back-N",
        "{ segments = 120 }",
        'recovery = "reno", min_rto = "200ms"',
        path="loss = { list = [20, 21, 22, 30, 31, 45, 46, 47] }",
    ),
    "rfc-sack-both-ways": one_flow(
        "FF96 SACK, segments and ACKs lost at random", "{ segments = 400 }", 'recovery = "sack"', path=BOTH_WAYS
    ),
    "rfc-tahoe": one_flow(
        "Tahoe, small window", "{ segments = 200 }", 'recovery = "tahoe", window = 16', path=MANY_LOSSES
    ),
    "rfc-lone-losses": one_flow(
        "losses far apart, each repaired by one fast retransmit", "{ segments = 400 }", "window = 30", path=LONE_LOSSES
    ),
    "ns2-reno-lone-losses": one_flow(
        "the same, ns-2.35 Reno, an ACK a segment",
        "{ segments = 400 }",
        'stack = "ns2-2.35", recovery = "reno", window = 30',
        'stack = "ns2-2.35", ' + EVERY,
        LONE_LOSSES,
    ),
    "handshake-losses": one_flow(
        "SYN, SYN-ACK and FIN are lost",
        '{ bytes = "20kB" }',
        "fin = true",
        path="loss = { list = [0, 17] }, back = { loss = { list = [0] } }",
    ),
    "repeated": one_flow(
        "three transfers, a connection each",
        '{ bytes = "30kB" }',
        "fin = true",
        path="loss = { list = [5, 30, 33] }",
        more='repeat = { times = 3, think = "200ms" },',
    ),
    "ns2-sack": one_flow(
        "ns-2.35 SACK, delayed ACKs",
        "{ segments = 300 }",
        'stack = "ns2-2.35", recovery = "sack", window = 60',
        'stack = "ns2-2.35", ack = { policy = "delayed", timer = "100ms" }',
        SHORT_QUEUE,
    ),
    "ns2-newreno-timestamps": one_flow(
        "ns-2.35 NewReno with timestamps",
        "{ segments = 200 }",
        'stack = "ns2-2.35", recovery = "newreno", window = 30, timestamps = true',
        'stack = "ns2-2.35", ' + EVERY,
        MANY_LOSSES + ", back = { loss = { list = [40, 41] } }",
    ),
    "ns2-1998-reno": one_flow(
        "no SYN, delayed ACKs (Allman 1998)",
        "{ segments = 200 }",
        'stack = "ns2-1998", recovery = "reno", packet = 1000, window = 40',
        'stack = "ns2-1998", ack = { policy = "delayed", timer = "100ms" }',
        'queue = { kind = "drop-tail", packets = 22 }',
    ),
    "ns2-1998-sack": one_flow(
        "no SYN, SACK, ACKs lost",
        "{ segments = 300 }",
        'stack = "ns2-1998", recovery = "sack", packet = 512, window = 50',
        'stack = "ns2-1998"',
        "loss = { list = [0, 25, 26, 27, 80] }, back = { loss = { rate = 0.05 } }",
    ),
    "keep-alives": one_flow(
        "smartacking: the receiver probes for the round trip",
        "{ segments = 900 }",
        "fin = true",
        'ack = { policy = "smart", initial = 10, interval = "300ms" }',
        LONE_LOSSES,
    ),
    "near-sack": one_flow(
        "a short path with a deep queue",
        "{ segments = 500 }",
        "fin = true",
        path=DEEP_QUEUE,
        rate="5Mbps",
        delay="1ms",
    ),
    "near-newreno": one_flow(
        "the same, NewReno without timestamps",
        "{ segments = 500 }",
        'recovery = "newreno", timestamps = false',
        path=DEEP_QUEUE,
        rate="5Mbps",
        delay="1ms",
    ),
    "near-ns2": one_flow(
        "the same, ns-2.35 SACK",
        "{ segments = 500 }",
        'stack = "ns2-2.35", recovery = "sack", window = 120',
        'stack = "ns2-2.35"',
        DEEP_QUEUE,
        rate="5Mbps",
        delay="1ms",
    ),
    "marked": one_flow(
        "a RED queue marks instead of dropping (ECN)",
        "{ segments = 400 }",
        "ecn = true",
        path='queue = { kind = "red", packets = 60, min = 5, max = 15, ecn = true }',
    ),
    "several": f"""
title = "five flows of three stacks through one queue"
record = {{ packets = true }}
link = [
    {ACCESS},
    {{ between = ["T", "G"], rate = "100Mbps", delay = "9ms" }},
    {{ between = ["G", "R"], rate = "4Mbps", delay = "20ms", queue = {{ kind = "drop-tail", packets = 20 }} }},
]
flow = [
    {{ name = "rfc", from = "S", to = "R", size = {{ segments = 300 }}, count = 2, stagger = "300ms" }},
    {{ name = "newreno", from = "T", to = "R", size = {{ segments = 200 }},
       sender = {{ recovery = "newreno", timestamps = false, fin = true }} }},
    {{ name = "ns2", from = "T", to = "R", start = "100ms", size = {{ segments = 250 }},
       sender = {{ stack = "ns2-2.35", recovery = "sack", window = 40 }}, receiver = {{ stack = "ns2-2.35" }} }},
    {{ name = "old", from = "S", to = "R", start = "1s", size = {{ segments = 150 }},
       sender = {{ stack = "ns2-1998", recovery = "newreno", packet = 1000 }}, receiver = {{ stack = "ns2-1998" }} }},
]
""",
}
