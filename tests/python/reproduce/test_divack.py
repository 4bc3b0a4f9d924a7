"""What of the paper on ACK division is exact: its packet diagrams, its bursts, and baselines that are ns-2's own."""

from __future__ import annotations

import json

import numpy as np
import pytest

from acklab import _core
from acklab.papers.divack import section1, section3
from acklab.papers.divack.runs import READ
from acklab.papers.divack.setting import PAYLOAD, Client, Path, download
from acklab.reproduce.execute import Lines
from acklab.reproduce.experiments import Warm, records


def recorded(scenario: str) -> section1.Exchange:
    return section1.read(_core.Simulation(records(scenario, "packets")).run())


def test_figure_1_byte_byte_rest() -> None:
    found = recorded(section1.exchange(section1.BYTES, 0.4, rate=section1.SLOW))
    assert found.acks["ack"].to_list()[:6] == [1, 2, PAYLOAD, PAYLOAD + 1, PAYLOAD + 2, 2 * PAYLOAD]


def test_figure_4_four_segments_and_three_with_nagle() -> None:
    off, on = (recorded(section1.exchange(client, 0.3)) for client in (section1.HALVES, section1.HELD))
    assert [list(sizes) for sizes in off.rounds[:2]] == [[1460], [1460, 730, 1460, 730]]
    assert [len(sizes) for sizes in off.rounds] == [1, 4, 16]
    assert [list(sizes) for sizes in on.rounds[:2]] == [[1460], [1460] * 3]


def test_sizes_halve_each_round_trip_once_the_window_is_full() -> None:
    found = recorded(section1.exchange(section1.HALVES, 1.2, window=section1.WINDOW))
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
