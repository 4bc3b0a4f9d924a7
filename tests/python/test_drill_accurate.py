"""Accurate ECN of a simulated stack in packetdrill's language (RFC 9768)."""

from __future__ import annotations

import pytest

from acklab_drill import accurate
from acklab_drill.script import Option
from acklab_drill.verb import on_stack

SERVER = """`sysctl -q net.ipv4.tcp_ecn=3`
0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3
+0 bind(3, ..., ...) = 0
+0 listen(3, 1) = 0
"""
CLIENT = """`sysctl -q net.ipv4.tcp_ecn=3`
0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 4
+0 ... 0.02 connect(4, ..., ...) = 0
+0 > [noecn] SEWA 0:0(0) <...>
"""


def outcome(text: str) -> str:
    """What became of a script, with the first line that differs."""
    (told,) = on_stack([("own", text)], "linux")
    failed = [f"line {line['line']}: {line['why']}" for line in told["lines"] if line["outcome"] == "failed"]
    return "; ".join([told["outcome"], *failed, *told["unsupported"]])


def test_a_server_counts_packets_and_bytes() -> None:
    # Its answer tells that the SYN came as CE, and a mark is acknowledged at once.
    script = (
        SERVER
        + """
+0 < [ce] SEWA 0:0(0) win 40000 <mss 1000,nop,nop,sackOK,nop,wscale 8>
+0 > [noecn] SWA. 0:0(0) ack 1 <mss 1460,ECN e1b 1 ceb 0 e0b 1,nop,nop,nop,sackOK,nop,wscale 7>
+.02 < [ect0] W. 1:1(0) ack 1 win 300 <ECN e0b 1 ceb 0 e1b 1,nop>
+0 accept(3, ..., ...) = 4
+.02 < [ce] .5 1:701(700) ack 1 win 300
+0 > [ect0] .6 1:1(0) ack 701 <ECN e1b 1 ceb 700 e0b 1,nop>
+.02 < [ect1] .5 701:1201(500) ack 1 win 300
+0 > [ect0] .6 1:1(0) ack 1201 <ECN e1b 501 ceb 700 e0b 1,nop>
+.02 < [ce] .5 2201:2301(100) ack 1 win 301
+0 > [ect0] .7 1:1(0) ack 1201 <ECN e1b 501 ceb 800 e0b 1,nop,nop,nop,sack 2201:2301>
"""
    )
    assert outcome(script) == "passed"
    assert "flags: .AEW expected, .AW sent" in outcome(script.replace("[ce] .5 2201", "[ect0] .5 2201"))


@pytest.mark.parametrize(("ace", "marks"), [(5, 0), (7, 2), (1, 4)])
def test_a_sender_counts_what_the_ack_tells(ace: int, marks: int) -> None:
    assert outcome(CLIENT + f"""
+.02 < [noecn] SW. 0:0(0) ack 1 win 40000 <mss 1012,ECN e0b 1 ceb 0 e1b 1,nop,nop,nop,sackOK,nop,wscale 8>
+0 > [ect0] W. 1:1(0) ack 1 <ECN e1b 1 ceb 0 e0b 1,nop>
+.01 write(4, ..., 4000) = 4000
+0 > [ect0] P5. 1:4001(4000) ack 1 <ECN e1b 1 ceb 0 e0b 1,nop>
+.02 < [ect0] .{ace} 1:1(0) ack 4001 win 300 <ECN e0b 4001 ceb 0 e1b 1,nop>
+.01 %{{ assert tcpi_delivered_ce == {marks} }}%
""") == "passed"  # fmt: skip


@pytest.mark.parametrize(("answer", "ecn"), [("SEWA.", "noecn"), ("S.", "noecn"), ("SE.", "ect0")])
def test_a_client_falls_back(answer: str, ecn: str) -> None:
    assert outcome(CLIENT + f"""
+.02 < [noecn] {answer} 0:0(0) ack 1 win 40000 <mss 1012,nop,nop,sackOK,nop,wscale 8>
+0 > [noecn] . 1:1(0) ack 1
+.01 write(4, ..., 500) = 500
+0 > [{ecn}] P. 1:501(500) ack 1
""") == "passed"  # fmt: skip


def test_of_three_sack_blocks_one_gives_way() -> None:
    fields = ("e1b", "ceb", "e0b")
    side = accurate.Accurate(client=True, sending=2)
    side.seen = True
    for stamps, blocks, changed, written, kept in [
        (0, 3, 0, 3, 3),
        (12, 1, 0, 3, 1),
        (12, 2, 0, 2, 2),
        (12, 3, 2, 2, 2),
        (12, 3, 3, 0, 3),
    ]:
        side.changed = changed
        _, options, left = side.leaves((5, 10, 20, 30), stamps, blocks)
        assert (len(options and options[0].values), left) == (written, kept), (stamps, blocks, changed)
        assert options[:1] == ((Option("ECN1", (30, 10, 20)[:written]),) if written else ()), fields
