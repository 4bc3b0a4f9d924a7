"""The flow table's round-trip times can be worked out from the capture at the sender alone."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from captured import EPOCH_S, Captured, instant, needs
from scenarios import SCENARIOS

pytestmark = needs("tshark")
Get = Callable[[str], Captured]


def samples_ms(run: Captured, flow: dict) -> tuple[list[float], bool]:
    """What the sender's clock measured, and whether by timestamps.

    With timestamps every ACK of something new is a sample (RFC 7323); without, one segment at a time is timed, and
    given up when a recovery or a timeout begins (Karn).
    """
    port = str(run.port(flow["name"]))
    packets = [
        packet for packet in run.packets(run.end_of(flow)) if port in (packet["tcp.srcport"], packet["tcp.dstport"])
    ]
    highest = acked = int(packets[0]["tcp.seq"])
    recover, timed, samples, stamped = 0, None, [], False
    for packet in packets:
        now = instant(packet) / 1e6 - 1e3 * EPOCH_S
        if packet["tcp.srcport"] == port:
            seq = int(packet["tcp.seq"])
            if seq < highest:
                if acked >= recover:
                    timed, recover = None, highest
                continue
            highest = seq + sum(int(packet[units]) for units in ("tcp.len", "tcp.flags.syn", "tcp.flags.fin"))
            timed = timed or (highest, now)
        elif (ack := int(packet["tcp.ack"])) > acked:
            acked = ack
            covered = timed is not None and ack >= timed[0]
            if echo := packet["tcp.options.timestamp.tsecr"]:
                stamped = True
                samples.append(now - (int(echo) - 1))  # the clock starts at 1
            elif covered:
                samples.append(now - timed[1])
            if covered:
                timed = None
    return samples, stamped


@pytest.mark.parametrize("name", SCENARIOS)
def test_the_flow_tables_round_trips(captured: Get, name: str) -> None:
    run = captured(name)
    for flow in run.flows:
        samples, stamped = samples_ms(run, flow)
        mean, least = 1e3 * flow["mean_rtt_s"], 1e3 * flow["min_rtt_s"]
        # A timestamp is cut to its millisecond, so its sample is up to 1 ms too long. Else what differs is the wait in
        # the sender's own queue, which the table counts and an interface does not see.
        slack = 1.0 if stamped else 0.02
        assert mean - 0.02 <= sum(samples) / len(samples) <= mean + slack
        assert least - 2.0 <= min(samples) <= least + slack
