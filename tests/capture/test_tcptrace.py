"""tcptrace counts what our flow table counts, and times what our packets took."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from captured import Captured, RoundTrips, needs, tcptrace
from scenarios import SCENARIOS

pytestmark = needs("tcptrace")
Get = Callable[[str], Captured]

#: tcptrace prints tenths of a millisecond of times it keeps in microseconds.
PRINTED_MS = 0.051


@pytest.mark.parametrize("name", SCENARIOS)
def test_bytes_and_retransmissions_are_the_flow_tables(captured: Get, name: str) -> None:
    run = captured(name)
    for flow in run.flows:
        told = tcptrace(run.file(run.end_of(flow), "pcap"))[run.port(flow["name"])]
        assert int(told["unique_bytes_sent_a2b"]) == flow["bytes"]
        assert int(told["rexmt_data_pkts_a2b"]) == flow["retransmits"]
        asked, answered = run.keep_alives(flow)
        assert int(told["total_packets_a2b"]) == flow["segments_sent"] + answered
        # An ACK may arrive once its connection is over, and a repeating flow has moved on.
        late = int(told["total_packets_b2a"]) - flow["acks_received"] - asked
        assert 0 <= late <= (2 if name == "repeated" else 0)
        assert told["outoforder_pkts_a2b"] == "0"
        assert told["SYN/FIN_pkts_sent_a2b"].split("/")[0] == str(flow["syns_sent"])


@pytest.mark.parametrize("name", SCENARIOS)
def test_round_trips_are_those_of_the_packet_table(captured: Get, name: str) -> None:
    run = captured(name)
    for flow in run.flows:
        told = tcptrace(run.file(run.end_of(flow), "pcap"))[run.port(flow["name"])]
        mine = RoundTrips.of(run, flow)
        assert int(told["RTT_samples_a2b"]) == len(mine.samples)
        for key, value in (("min", min(mine.samples)), ("max", max(mine.samples)), ("avg", mine.mean)):
            assert float(told[f"RTT_{key}_a2b"]) == pytest.approx(value, abs=PRINTED_MS), key
