"""`analyze` names faults of RFC 2525: with each fault switched on, and none without, or from where it cannot be told."""

from pathlib import Path

import pytest

import acklab
from acklab.captures.faults import PACKETS, Event, Fault

PATH = """link = [
    {{ between = ['S', 'G'], rate = '1Gbps', delay = '0s' }}, {{ between = ['G', 'R'], rate = '{rate}', delay = '{delay}'{more} }},
]
"""
FLOW = "flow = [{{ from = 'S', to = 'R', size = {{ segments = {segments} }}, sender = {{ stack = 'rfc', {sender} }}, receiver = {{ {receiver} }} }}]\n"
RECORD = "record = { packets = true }\n"
EVERY = "ack = { policy = 'every' }, sack = false"


def analyzed(tmp_path: Path, at: str = "S", **what: str) -> list[Fault]:
    """The faults in a capture of a transfer, taken at an end."""
    rules = {
        "rate": "2Mbps",
        "delay": "50ms",
        "more": "",
        "segments": "200",
        "sender": "recovery = 'newreno'",
        "receiver": EVERY,
        **what,
    }
    run = acklab.run((PATH + FLOW).format(**rules) + RECORD + "stop = { when = 'flows-complete', at_most = '60s' }\n")
    return acklab.analyze(run.capture({"S": "S->G@S", "R": "G->R@R"}[at], path=str(tmp_path / f"{at}.pcapng"))).faults


def sections(faults: list[Fault]) -> list[str]:
    return [fault.section for fault in faults]


def lost(*segments: int) -> str:
    return f", loss = {{ list = {list(segments)} }}"


BACK = ", back = { loss = { list = [0, 1, 2, 3] } }"
#: section: (what is wrong, the same without the fault, the end at which it shows)
FAULTS = {
    "2.1 or 2.3": (
        {"sender": "initial_window = 40, recovery = 'newreno'"},
        {"sender": "initial_window = 10, recovery = 'newreno'"},
        "S",
    ),
    "2.2": (
        {
            "sender": "recovery = 'newreno', fault = 'no-slow-start-after-timeout', window = 30",
            "more": lost(*range(60, 90)),
        },
        {"sender": "recovery = 'newreno', window = 30", "more": lost(*range(60, 90))},
        "S",
    ),
    "2.5": ({"receiver": f"{EVERY}, retain = false", "more": lost(60)}, {"receiver": EVERY, "more": lost(60)}, "R"),
    "2.7": (
        {"sender": "initial_rto = '0.3s', min_rto = '0.2s'", "delay": "400ms"},
        {"sender": "initial_rto = '1s'", "delay": "400ms"},
        "S",
    ),
    "2.8": (
        {"sender": "recovery = 'reno', fault = 'no-deflation', window = 40", "more": lost(100)},
        {"sender": "recovery = 'reno', window = 40", "more": lost(100)},
        "S",
    ),
    "2.10": (
        {"sender": "recovery = 'newreno', fault = 'no-backoff', window = 20", "more": lost(*range(60, 86))},
        {"sender": "recovery = 'newreno', window = 20", "more": lost(*range(60, 86))},
        "S",
    ),
    "2.13": (
        {"receiver": "ack = { policy = 'delayed', segments = 4 }"},
        {"receiver": "ack = { policy = 'delayed', segments = 2 }"},
        "R",
    ),
    "2.18": (
        {"sender": "packet = 1460, timestamps = true, options_in_packet = false"},
        {"sender": "packet = 1460, timestamps = true, options_in_packet = true"},
        "S",
    ),
}


@pytest.mark.parametrize("section", FAULTS)
def test_a_fault_is_named_where_it_shows(section: str, tmp_path: Path) -> None:
    wrong, right, at = FAULTS[section]
    assert sections(analyzed(tmp_path, at, **wrong)) == [section]
    assert analyzed(tmp_path, at, **right) == []


@pytest.mark.parametrize(
    ("section", "at"), [("2.1 or 2.3", "R"), ("2.2", "R"), ("2.5", "S"), ("2.8", "R"), ("2.13", "S")]
)
def test_where_it_cannot_be_told_nothing_is_said(section: str, at: str, tmp_path: Path) -> None:
    assert analyzed(tmp_path, at, **FAULTS[section][0]) == []


class Counted(list[Event]):
    """Events that count how many of them are read by their place."""

    read = 0

    def __getitem__(self, at):  # type: ignore[no-untyped-def]
        found = super().__getitem__(at)
        self.read += len(found) if isinstance(at, slice) else 1
        return found


@pytest.mark.parametrize("check", PACKETS, ids=lambda check: check.__name__)
def test_the_time_grows_with_the_events(check) -> None:  # type: ignore[no-untyped-def]
    number = 2000
    events = Counted()
    for place in range(1, number):
        events.append(Event(place / 10, False, "new", place, place + 1, 1, 0, 0))
        events.append(Event(place / 10 + 0.05, True, "new", place + 1, place + 1, 1, 1, 0))
    row = {
        "vantage": "both", "handshake": True, "segment_bytes": 1, "rtt_min_s": 0.05, "sack_acks": 0, "dsack_acks": 0, "mss": 0, "options": "",
    }  # fmt: skip
    assert check(row, events) is None
    assert events.read <= 4 * number
