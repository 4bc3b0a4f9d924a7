"""What the explorer says of two runs, and where it ends the paths of packets on the way: its modules in node."""

from __future__ import annotations

import json
import shutil
import subprocess
from typing import Any

import pytest
from explorer_runs import ASSETS

from acklab.report import explorer

pytestmark = pytest.mark.skipif(not shutil.which("node"), reason="no node (apt-get install nodejs)")

TREE = explorer.contents()
CABLE = next(preset["text"] for preset in TREE["preset"] if preset["name"].startswith("Cable"))


def node(names: str, module: str, expression: str) -> Any:
    """The value of an expression over names of the page's modules."""
    script = f'import {{ {names} }} from "{(ASSETS / module).as_uri()}"; import {{ state }} from "{(ASSETS / "state.js").as_uri()}";\nprocess.stdout.write(JSON.stringify({expression}));'
    return json.loads(
        subprocess.run(
            ["node", "--input-type=module", "-e", script], capture_output=True, check=True, timeout=60
        ).stdout
    )


def test_paths_of_packets_on_the_way_are_cut_at_the_end() -> None:
    """They all bent to one point at the end of the run, half-way up."""
    ways = "{ sent_s: [9.7, 9.9], flags: [32, 32], end: [NaN, NaN], link: [0, 0], lastTook: 0.5 }"
    both = f"((ways) => (state.manifest = {{ runs: [{{ end_s: 10 }}] }}, [0, 1].map((i) => lineOf({{ run: 0 }}, ways, i, false))))({ways})"
    assert node("lineOf", "timeline_draw.js", both) == [
        {"t0": 9.7, "t1": 10.2, "y0": 0, "y1": 1},
        {"t0": 9.9, "t1": 10.4, "y0": 0, "y1": 1},
    ]


def differing(one: str, other: str) -> Any:
    return node("differing", "explorer_controls.js", f"differing({json.dumps(one)}, {json.dumps(other)})")


def test_settings_that_differ_are_named() -> None:
    every = CABLE.replace('ack = { policy = "linux" }', 'ack = { policy = "every" }')
    assert differing(CABLE, CABLE) == {"settings": [], "whole": True}
    assert differing(CABLE, every) == {
        "settings": [{"name": "ACK policy", "was": "“Linux”", "is": "“every segment”"}],
        "whole": True,
    }
    more = every.replace('delay = "10ms"', 'delay = "20ms"').replace("seed = 1", "seed = 2")
    found = differing(CABLE, more)
    assert {one["name"]: (one["was"], one["is"]) for one in found["settings"]}["Delay, one way"] == (
        "10\u00a0ms",
        "20\u00a0ms",
    )
    assert not found["whole"], "the seed differs, too, and no control sets it"
    for step in TREE["step"]:
        if other := step.get("other"):
            ((path, value),) = other.items()
            text = node(
                "replaced",
                "explorer_text.js",
                f"replaced({json.dumps(step['scenario'])}, {json.dumps(path)}, {json.dumps(value)})",
            )
            told = differing(step["scenario"], text)
            assert told["whole"] and len(told["settings"]) == 1, step["title"]


def told(policy: str, goodput: float, acks: int, queue: float, end: float | None = None) -> dict[str, Any]:
    flow = {
        "goodput_bps": goodput,
        "acks_sent": acks,
        "segments_sent": 1000,
        "retransmits": 5,
        "timeouts": 0,
        "mean_rtt_s": 0.1,
        "completion_s": end,
    }
    return {
        "name": "A", "shown": CABLE.replace('ack = { policy = "linux" }', f'ack = {{ policy = "{policy}" }}'),
        "there": {"mean_queue_packets": queue, "drops": 3}, "result": {"summary": {"end_s": 1.4, "flows": [flow]}},
    }  # fmt: skip


def finding(*runs: dict[str, Any]) -> str:
    return (
        node("finding", "explorer_finding.js", f"finding({json.dumps(list(runs))})")
        .replace("\u00a0", " ")
        .replace("\u202f", "")
    )


def test_the_headline_says_what_differs_and_what_came_of_it() -> None:
    """It said "1.01 times as much" where the point is half the ACKs and the queue."""
    one, other = told("delayed", 8.23e6, 7_276, 15.5), {**told("smart", 8.3e6, 3_719, 7.3), "name": "B"}
    assert finding(one, other) == (
        "B, with ACK policy “smartacking” instead of “delayed (RFC 1122)”, carries 8.30 Mb/s in 1.40 s (A: 8.23 Mb/s), "
        "with 3,719 ACKs (A: 7,276) and a mean queue of 7.3 packets (A: 15.5)."
    )
    one, other = told("every", 8e6, 500, 2.0, 0.722), {**told("divide", 8e6, 500, 2.0, 0.495), "name": "B"}
    assert "completes in 495 ms (A: 722 ms)." in finding(one, other)
    assert finding(one, {**one, "name": "B"}) == "Both runs have the same scenario: 8 Mb/s each."
    assert (
        finding(one)
        == "A goodput of 8 Mb/s in 1.40 s. The link’s queue drops 3 packets; 5 segments sent again, no timeouts."
    )
