"""tshark reads our captures as it reads real ones, and sees the retransmissions our tables count."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import pytest

from acklab import _core
from captured import REPEATED, RETRANSMISSION, Captured, Packet, instant, needs, tshark
from scenarios import SCENARIOS

pytestmark = needs("tshark")
Get = Callable[[str], Captured]

#: tshark's numbers: a checksum's status, a packet's direction, an expert's severity.
GOOD, OUTBOUND, ERROR = "1", "0x00000002", 0x800000

#: Here a retransmission follows new data within the handshake's round trip, and tshark 4.0 calls it out of order; 4.4 does not.
INTERLEAVED = {
    "rfc-defaults",
    "rfc-newreno",
    "ns2-newreno-timestamps",
    "near-sack",
    "near-newreno",
    "marked",
    "several",
}


@pytest.mark.parametrize("name", SCENARIOS)
def test_nothing_is_malformed_and_every_checksum_is_good(captured: Get, name: str) -> None:
    run = captured(name)
    for end in _core.link_ends(run.run._result):
        packets = run.packets(end)
        assert packets
        for packet in packets:
            assert (packet["ip.checksum.status"], packet["tcp.checksum.status"], packet["_ws.malformed"]) == (
                GOOD,
                GOOD,
                "",
            )
            # Notes and warnings are what the scenario is about; an error would be ours.
            assert all(int(level) < ERROR for level in packet["_ws.expert.severity"].split(",") if level)
        instants = [instant(packet) for packet in packets]
        assert instants == sorted(instants)


@pytest.mark.parametrize("name", SCENARIOS)
def test_both_formats_read_alike(captured: Get, name: str) -> None:
    run = captured(name)
    end = run.end_of(run.flows[0])
    told = [tshark(run.file(end, ending)) for ending in ("pcapng", "pcap")]
    only_new = "frame.packet_flags_direction"
    new, old = ([{**packet, only_new: ""} for packet in packets] for packets in told)
    assert new == old


@pytest.mark.parametrize("name", SCENARIOS)
def test_retransmissions_are_ours_packet_by_packet(captured: Get, name: str) -> None:
    run = captured(name)
    total = 0
    for flow in run.flows:
        mine = run.repeats(flow)
        assert len(mine) == flow["retransmits"], "none was lost before the interface"
        seen = [packet for packet in run.sent(flow) if any(packet[kind] for kind in REPEATED)]
        assert [instant(packet) for packet in seen] == [time for time, _ in mine]
        if flow["unit_bytes"] == 1:
            assert [int(packet["tcp.seq"]) for packet in seen] == [seq for _, seq in mine]
        total += len(mine)
    assert total > 0, "a scenario without retransmissions judges nothing"


@pytest.mark.parametrize("name", SCENARIOS)
def test_where_nothing_is_interleaved_the_plain_count_is_ours(captured: Get, name: str) -> None:
    run = captured(name)
    plain = sum(any(packet[kind] for kind in RETRANSMISSION) for flow in run.flows for packet in run.sent(flow))
    mine = sum(flow["retransmits"] for flow in run.flows)
    assert plain <= mine if name in INTERLEAVED else plain == mine


def test_the_plain_count_is_ours_in_ten_scenarios() -> None:
    assert len(SCENARIOS.keys() - INTERLEAVED) >= 10


@pytest.mark.parametrize("name", SCENARIOS)
def test_an_end_sees_what_its_link_carried(captured: Get, name: str) -> None:
    run = captured(name)
    links = {f"{link['from']}->{link['to']}": link for link in run.run.summary()["links"]}
    for end in _core.link_ends(run.run._result):
        packets = run.packets(end)
        link, node = end.split("@")
        out = link if link.startswith(f"{node}->") else "->".join(reversed(link.split("->")))
        directions = Counter(packet["frame.packet_flags_direction"] for packet in packets)
        assert directions[OUTBOUND] == links[out]["packets"]
        if node in {flow["from"] for flow in run.flows}:
            gaps = ("tcp.analysis.lost_segment", "tcp.analysis.ack_lost_segment")
            assert not any(packet[gap] for packet in packets for gap in gaps)


def test_a_syn_offers_what_the_flow_uses(captured: Get) -> None:
    def offers(name: str) -> list[tuple[str, bool, bool, str]]:
        run = captured(name)
        syns = [packet for packet in run.packets(run.end_of(run.flows[0])) if packet["tcp.flags.syn"] == "1"]
        return [
            (
                packet["tcp.options.mss_val"],
                packet["tcp.options.sack_perm"] != "",
                packet["tcp.options.timestamp.tsecr"] != "",
                packet["tcp.options.wscale.shift"],
            )
            for packet in syns
        ]

    assert offers("ns2-1998-sack") == []
    assert offers("ns2-sack") == [("1000", True, False, "0")] * 2
    assert offers("rfc-newreno") == [("1460", False, False, scale) for scale in ("0", "7")]  # 6 MiB in 16 bits
    assert offers("near-sack") == [("1460", True, True, scale) for scale in ("0", "7")]


def test_marks_are_seen(captured: Get) -> None:
    run = captured("marked")
    at_queue, at_receiver = run.packets("G->R@G"), run.packets("G->R@R")

    def those(packets: list[Packet], **flags: str) -> list[str]:
        def has(packet: Packet, name: str, value: str) -> bool:
            return packet["ip.dsfield.ecn" if name == "ecn" else f"tcp.flags.{name}"] == value

        return [packet["tcp.seq"] for packet in packets if all(has(packet, *flag) for flag in flags.items())]

    assert those(at_receiver, syn="1", ece="1", cwr="1") == ["0"]  # the SYN asks
    assert those(at_receiver, syn="1", ece="1", cwr="0") == ["0"]  # the SYN-ACK agrees
    marked = those(at_receiver, ecn="3")
    assert marked and marked == those(at_queue, ecn="3")
    assert those(at_receiver, syn="0", ece="1") and those(at_receiver, syn="0", cwr="1")
