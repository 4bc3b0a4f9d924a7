"""The Veno rule of ns-2's TCP/Linux (docs/oracle/NS2-SEMANTICS.md, section 11) in acklab's sender: ns-2's means.

The port judges the backlog with each ACK, has one threshold of three segments, and lets its flag decide the first loss, too:
that is a table of acklab's Veno. The rest of TCP/Linux is a table of rules (`engine.TCP_LINUX`): forward acknowledgment, which
notices lost retransmissions, a timer that duplicate ACKs restart, whole windows. What each rule is worth is in
docs/oracle/linux.md. Packets are lost at other instants once the two differ by one, so means over seeds are compared.
"""

import csv
import sys
from collections import defaultdict
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from engine import TCP_LINUX, run_batch  # noqa: E402

SENDER = TCP_LINUX | {
    "packet": 1460, "window": 100000, "credit": {"kind": "counter"},
    "control": {"kind": "veno", "alpha": 3.0, "beta": 3.0, "estimate": "per-ack", "first_loss": "by-flag", "base_rtt": "ever",
                "clock": "0s"},
}  # fmt: skip
ROWS = {"c_veno_runs.csv": 80, "c_veno200_runs.csv": 60}


def scenario(row, sender=SENDER):
    """What dumbbell.tcl makes of a row's parameters."""
    flows = int(row["n"])
    bottleneck = {
        "between": ["g1", "g2"], "rate": f"{float(row['bw'])}bps", "delay": f"{row['delay']}s",
        "queue": {"kind": "drop-tail", "packets": int(row["q"])},
        "loss": {"rate": float(row["plr"]), "seed": int(row["lseed"])},
    }  # fmt: skip
    access = {
        "rate": f"{float(row['abw'])}bps",
        "delay": f"{row['ad']}s",
        "queue": {"kind": "drop-tail", "packets": 100000},
    }
    ends = [pair for i in range(flows) for pair in ([f"s{i}", "g1"], ["g2", f"d{i}"])]
    return {
        "stop": {"at": f"{row['T']}s"},
        "link": [bottleneck, *({"between": pair, **access} for pair in ends)],
        "flow": [
            {"from": f"s{i}", "to": f"d{i}", "start": f"{0.01 * i}s", "sender": sender,
             "receiver": {"stack": "ns2-2.35", "ack": {"policy": "every"}}}
            for i in range(flows)
        ],
    }  # fmt: skip


def compare(name, sender=SENDER):
    """{(flows, loss): [(ns-2's, acklab's) segments and timeouts of each seed]}."""
    with open(HERE / "data" / name, newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["kind"] == "Linux:veno"]
    assert len(rows) == ROWS[name]
    cells = defaultdict(list)
    for row, answer in zip(rows, run_batch(scenario(row, sender) for row in rows)):
        assert "error" not in answer, answer
        ours = [sum(flow[key] for flow in answer["flows"]) for key in ("segments_acked", "timeouts")]
        theirs = [sum(map(float, row[key].split(";"))) for key in ("sum", "rto")]
        cells[int(row["n"]), float(row["plr"])].append((*theirs, *ours))
    return {cell: [sum(column) / len(found) for column in zip(*found)] for cell, found in cells.items()}


@pytest.mark.parametrize("name", ROWS)
def test_the_ports_rule_has_ns2s_means(name):
    for (flows, loss), (theirs, timeouts, ours, our_timeouts) in compare(name).items():
        what = f"{flows} flows at {loss}: {ours:.0f} segments, {our_timeouts:.1f} timeouts; ns-2 {theirs:.0f}, {timeouts:.1f}"
        assert abs(ours / theirs - 1) <= 0.025, what
        assert abs(our_timeouts - timeouts) <= max(2.0, 0.2 * timeouts), what
