"""Transfers of random size with random pauses: the same workload whatever the network does to it."""

from __future__ import annotations

import acklab

REPEATED = """\
stop = {{ at = "60s" }}
[[link]]
between = ["S", "R"]
rate = "{rate}"
delay = "10ms"
[[flow]]
name = "f"
from = "S"
to = "R"
size = {{ uniform = ["10kB", "200kB"] }}
repeat = {{ times = 1000, think = "100ms", think_to = "300ms" }}
"""


def transfers(rate: str, seed: int = 1) -> list[dict]:
    flows = acklab.run(REPEATED.format(rate=rate), seed=seed).summary()["flows"]
    return [flow for flow in flows if flow["completed"]]


def test_sizes_and_pauses_do_not_depend_on_the_network() -> None:
    slow, fast = transfers("2Mbps"), transfers("10Mbps")
    assert 50 < len(slow) < len(fast)
    assert [flow["bytes"] for flow in slow] == [flow["bytes"] for flow in fast[: len(slow)]]
    pauses = [[round(b["start_s"] - a["finished_s"], 9) for a, b in zip(flows, flows[1:])] for flows in (slow, fast)]
    assert pauses[0] == pauses[1][: len(pauses[0])]
    assert all(0.1 <= pause < 0.3 for pause in pauses[1])


def test_sizes_are_within_their_ends_and_differ_by_seed() -> None:
    sizes = [flow["bytes"] for flow in transfers("10Mbps")]
    assert 10_000 <= min(sizes) < 30_000 and 180_000 < max(sizes) <= 200_000
    assert sizes[:5] != [flow["bytes"] for flow in transfers("10Mbps", seed=2)][:5]
    assert len(set(sizes)) > 50
