"""Are honest receivers accused? Runs with ``test_marks``, and how many of them end with an accusation (``false_acks``).

``python honest.py [SEEDS]`` prints them. A flow with Prague is alone on paths that mark and also lose, reorder, copy, delay and thin; or it is beside
another flow over ``dual-pi2``. It has accurate ECN (ACE with and without the option) or QUIC's counts. Ten seeds make 240 runs. An interval
for none of them is one-sided (rule of three).
"""

from __future__ import annotations

import json
import sys
from typing import Any

import acklab

Table = dict[str, Any]

THERE: dict[str, Table] = {
    "clean": {},
    "1 % lost": {"loss": {"rate": 0.01}},
    "5 % lost": {"loss": {"rate": 0.05}},
    "reordered": {"stages": [{"kind": "reorder", "rate": 0.02, "by": "8ms"}]},
    "copied": {"stages": [{"kind": "duplicate", "rate": 0.02}]},
}
BACK: dict[str, Table] = {
    "ACKs lost": {"loss": {"rate": 0.2}},
    "ACKs thinned": {"stages": [{"kind": "thin", "every": 16, "hold": "10ms", "blind": True}]},
}
SENDERS: dict[str, tuple[Table, Table]] = {
    "ACE and option": ({"stack": "rfc", "accurate_ecn": True}, {"stack": "rfc", "accecn_option": "always"}),
    "ACE only": ({"stack": "rfc", "accurate_ecn": True, "ace": "linux"}, {"stack": "rfc", "accecn_option": "off"}),
    "QUIC": ({"stack": "quic"}, {"stack": "quic"}),
}


def scenario(sender: str, path: str, seed: int) -> str:
    """A run's text."""
    rules, receiver = SENDERS[sender]
    rules = {**rules, "control": "prague", "ecn": True, "pacing": "off", "test_marks": 100}
    link = {
        "between": ["S", "R"],
        "rate": "20Mbps",
        "delay": "10ms",
        "queue": {"kind": "dual-pi2"},
        **THERE.get(path, {}),
        "back": BACK.get(path, {}),
    }
    flow = {"name": "f", "from": "S", "to": "R", "size": "unlimited", "sender": rules, "receiver": receiver}
    flows = [flow, {**flow, "name": "g", "start": "50ms"}] if path == "beside another" else [flow]
    return json.dumps({"seed": seed, "stop": {"at": "10s"}, "link": [link], "flow": flows})


def main(seeds: int) -> None:
    """Prints the accusations of each sender and path."""
    runs = accused = 0
    for sender in SENDERS:
        for path in (*THERE, *BACK, "beside another"):
            found = [acklab.run(scenario(sender, path, seed)).summary()["flows"] for seed in range(1, seeds + 1)]
            wrong = sum(any(flow["false_acks"] for flow in flows) for flows in found)
            marks = sum(flow["marks_received"] for flows in found for flow in flows)
            runs, accused = runs + len(found), accused + wrong
            print(f"{sender:15} {path:15} {wrong} of {len(found)} accused, {marks} marks came", flush=True)
    print(f"{accused} of {runs} runs end with an accusation")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 10)
