"""ABE (RFC 8511): the rule `beta_ecn`. Its arithmetic is in crates/tcp/tests/traces/rfc8511.rs."""

from __future__ import annotations

from typing import Any

import pytest

import acklab


def run(**sender: Any) -> acklab.Run:
    link = {"between": ["S", "R"], "rate": "20Mbps", "delay": "20ms", "queue": {"kind": "codel", "ecn": True}}
    flow = {"name": "f", "from": "S", "to": "R", "sender": {"stack": "rfc", "window": 1000, **sender}}
    return acklab.run({"link": [link], "flow": [flow], "stop": {"at": "20s"}})


@pytest.mark.parametrize(("control", "share"), [("reno", 0.8), ("cubic", 0.85)])
def test_a_smaller_reduction_keeps_a_link_with_a_short_queue_busier(control: str, share: float) -> None:
    busy = [run(control=control, ecn=True, beta_ecn=beta)["S->R"]["utilisation"] for beta in (0, share)]
    assert busy[0] + 0.02 < busy[1] <= 1, busy


@pytest.mark.parametrize(
    ("sender", "said"),
    [
        ({"ecn": False}, "but ecn = false; must be 0"),
        ({"ecn": True, "control": "dctcp"}, 'control = "dctcp" has an answer to marks of its own; must be 0'),
        ({"ecn": True, "beta_ecn": 1.0}, "beta_ecn"),
    ],
)
def test_what_it_does_not_go_with_is_refused(sender: dict[str, Any], said: str) -> None:
    with pytest.raises(acklab.ScenarioError) as error:
        run(**{"beta_ecn": 0.8, **sender})
    assert said in str(error.value)
