"""The Veno rule of ns-2's TCP/Linux (docs/oracle/NS2-SEMANTICS.md, section 11) in acklab's sender: ns-2's means.

The port judges the backlog with each ACK, has one threshold of three segments, and lets its flag decide the first loss, too: that
is a table of acklab's Veno. The rest of TCP/Linux is another sender (integer windows, rate halving, a scoreboard that notices lost
retransmissions, for which acklab's SACK takes a timeout), so means over seeds are compared, and at losses of 3 and 10 %, where
a retransmission in thirty or ten is lost, more apart.
"""

import csv
import sys
from collections import defaultdict
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from engine import run_batch  # noqa: E402

SENDER = {
    "stack": "ns2-2.35", "packet": 1460, "window": 100000, "recovery": "sack", "tick": "1ms",
    "control": {"kind": "veno", "alpha": 3.0, "beta": 3.0, "estimate": "per-ack", "first_loss": "by-flag", "clock": "0s"},
}  # fmt: skip
ROWS = {"c_veno_runs.csv": 80, "c_veno200_runs.csv": 60}


def scenario(row):
    """What dumbbell.tcl makes of a row's parameters."""
    flows = int(row["n"])
    bottleneck = {
        "between": ["g1", "g2"], "rate": f"{float(row['bw'])}bps", "delay": f"{row['delay']}s",
        "queue": {"kind": "drop-tail", "packets": int(row["q"])},
        "loss": {"rate": float(row["plr"]), "seed": int(row["lseed"])},
    }  # fmt: skip
    access = {"rate": f"{float(row['abw'])}bps", "delay": f"{row['ad']}s", "queue": {"kind": "drop-tail", "packets": 100000}}
    ends = [pair for i in range(flows) for pair in ([f"s{i}", "g1"], ["g2", f"d{i}"])]
    return {
        "stop": {"at": f"{row['T']}s"},
        "link": [bottleneck, *({"between": pair, **access} for pair in ends)],
        "flow": [
            {"from": f"s{i}", "to": f"d{i}", "start": f"{0.01 * i}s", "sender": SENDER,
             "receiver": {"stack": "ns2-2.35", "ack": {"policy": "every"}}}
            for i in range(flows)
        ],
    }  # fmt: skip


@pytest.mark.parametrize("name", ROWS)
def test_the_ports_rule_has_ns2s_means(name):
    with open(HERE / "data" / name, newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["kind"] == "Linux:veno"]
    assert len(rows) == ROWS[name]
    cells = defaultdict(list)
    for row, answer in zip(rows, run_batch(scenario(row) for row in rows)):
        assert "error" not in answer, answer
        ours = sum(flow["segments_acked"] for flow in answer["flows"])
        cells[row["n"], float(row["plr"])].append((float(row["sum"]), ours))
    for (flows, loss), found in cells.items():
        ns2, ours = (sum(column) / len(found) for column in zip(*found))
        most = 0.05 if loss <= 0.01 else 0.085
        assert abs(ours / ns2 - 1) <= most, f"{flows} flows at {loss}: {ours:.0f} segments, ns-2 {ns2:.0f}"
