"""What of the paper on ACK division is exact: its packet diagrams, its bursts, and baselines that are ns-2's own."""

from __future__ import annotations

import json

import numpy as np
import pytest

from acklab import _core
from acklab.papers.divack import section3
from acklab.papers.divack.runs import READ
from acklab.papers.divack.setting import PAYLOAD, Client, Path, download
from acklab.reproduce.execute import Lines
from acklab.reproduce.experiments import Warm, records
from acklab.runs import run_batch


def recorded(scenario: str) -> section3.Exchange:
    return section3.exchanged(_core.Simulation(records(scenario, "packets")).run())


def test_figure_1_byte_byte_rest() -> None:
    found = recorded(section3.exchange(section3.BYTES, 0.4, rate=section3.SLOW))
    assert found.acks["ack"].to_list()[:6] == [1, 2, PAYLOAD, PAYLOAD + 1, PAYLOAD + 2, 2 * PAYLOAD]


def test_figure_4_four_segments_and_three_with_nagle() -> None:
    off, on = (recorded(section3.exchange(client, 0.3)) for client in (section3.HALVES, section3.HELD))
    assert [list(sizes) for sizes in off.rounds[:2]] == [[1460], [1460, 730, 1460, 730]]
    assert [len(sizes) for sizes in off.rounds] == [1, 4, 16]
    assert [list(sizes) for sizes in on.rounds[:2]] == [[1460], [1460] * 3]


def test_sizes_halve_each_round_trip_once_the_window_is_full() -> None:
    found = recorded(section3.exchange(section3.HALVES, 1.2, window=section3.WINDOW))
    histogram = [dict(zip(*map(list, np.unique(sizes, return_counts=True)), strict=True)) for sizes in found.rounds]
    assert histogram[1] == {730: 2, 1460: 2}
    # The halves of the halves: each of four ACKs of 365 bytes releases a full segment and as much as it freed.
    assert histogram[2] == {365: 4, 730: 4, 1460: 8}
    medians = [float(np.median(sizes)) for sizes in found.rounds]
    assert medians[4:9] == pytest.approx([730, 365, 182, 91, 46], abs=1)


@pytest.mark.parametrize(("kbps", "arrive"), [(250, 800), (2000, 300)])
def test_figure_3_the_medium_takes_the_pieces(kbps: int, arrive: int) -> None:
    text = section3.station(section3.DIVIDED, kbps, "802.11b", 1)
    burst = section3.read(_core.Simulation(records(text, "packets", "series")).run())
    assert burst.acks == 800
    assert burst.arrived == arrive if kbps == 250 else burst.arrived < arrive


def test_runs_that_share_a_warm_up_are_those_from_the_beginning() -> None:
    path = Path(warm_s=15.0, file_bytes=100_000)
    clients = (Client("every"), Client("divss1"), Client("divca2", credit="abc", limit=2.0))
    texts = [download(client, 3, 5, path) for client in clients]
    lines = Lines(2)
    for text in texts:
        lines.ask(text, READ, Warm("key", path.warm_s))
    assert lines.planned == 3
    lines.run()
    for text in texts:
        whole = _core.Simulation(text)
        whole.run_until(path.warm_s)
        start = whole.outcome().json(False)
        end = whole.run().json(False)
        assert lines.answer(text, READ) == READ(f"{start}\n{end}".encode())


def test_a_bad_branch_is_told_as_a_failure() -> None:
    lines = Lines(1)
    good, other = download(Client("every"), 1, 1), download(Client("every"), 2, 1)
    warm = Warm("key", 1.0)
    lines.ask(good, READ, warm)
    lines.ask(other, READ, warm)
    lines.run()
    assert "differ in more than flows" in str(lines.answer(other, READ))
    assert json.dumps(lines.answer(good, READ)[0])


SYN_S = 0.1 + 40 * 8 / 10e6 + 40 * 8 / 1.5e6
NS2 = {
    (2, "slow-start", 1000, 1000, 30): (0.59584535893333346, 31, 0, 0, 0, 0),
    (2, "slow-start", 1000, 40, 300): (3.4486453845333362, 462, 161, 1, 2, 106),
    (8, "slow-start", 20, 15, 200): (2.077845390933335, 202, 1, 0, 1, 1),
    (3, "slow-start", 40, 25, 100): (1.4274453781333347, 104, 3, 0, 1, 3),
    (16, "always", 20, 15, 300): (3.0034453781333355, 304, 3, 0, 1, 3),
    (4, "congestion-avoidance", 1000, 22, 1000): (9.5782454357331979, 1089, 88, 1, 6, 50),
}
"""ns-2 2.35: ``ns tests/oracle/scripts/single.tcl profile=std kind=Newreno mech=pieces psize=1460 rbw=1e11 rbw1=1e11 pieces=...
when=... window=... q=... segs=...``; time, segments, retransmissions, timeouts, reductions, drops."""


@pytest.mark.parametrize("case", NS2)
def test_pieces_that_only_grow_the_window_are_ns_2s(case: tuple[int, str, int, int, int]) -> None:
    """Section IV: a sender that counts packets, in slow start, in congestion avoidance, and with ns-2's window of 20."""
    pieces, when, window, queue, segments = case
    ample = {"kind": "drop-tail", "packets": 100000}
    ack = {"policy": "divide", "pieces": pieces, "when": when, **({} if when == "always" else {"phase": "oracle"})}
    rules = {"recovery": "newreno", "sequence": {"kind": "bytes", "pieces": "grow"}, "packet": 1460, "window": window}
    sender = {"stack": "ns2-2.35", "rtt_filter": {"phase": "5.5588071586372367ms"}, **rules}
    receiver = {"stack": "ns2-2.35", "ack": ack}
    tree = {
        "stop": {"when": "flows-complete", "at_most": "100s"},
        "link": [
            {"between": ["S", "G"], "rate": "10Mbps", "delay": "2ms", "queue": ample, "back": {"rate": "100Gbps"}},
            {
                "between": ["G", "R"],
                "rate": "1.5Mbps",
                "delay": "48ms",
                "queue": {"kind": "drop-tail", "packets": queue},
                "back": {"rate": "100Gbps", "queue": ample},
            },
        ],
        "flow": [
            {
                "name": "f",
                "from": "S",
                "to": "R",
                "size": {"segments": segments},
                "sender": sender,
                "receiver": receiver,
            }
        ],
    }
    made = next(iter(run_batch([json.dumps(tree)])))
    found = [made["flows"][0][key] for key in ("segments_sent", "retransmits", "timeouts", "window_cuts")]
    assert (*found, made["links"][2]["drops"]) == NS2[case][1:]
    assert made["flows"][0]["completion_s"] + SYN_S == pytest.approx(NS2[case][0], abs=1e-6)
