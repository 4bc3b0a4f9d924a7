"""Congestion controls against ns-2's TCP/Linux, which runs the modules of Linux 2.6.22: means over seeds.

Rows of ``data/l_linux_controls.csv`` (``ns scripts/dumbbell.tcl``, columns are its arguments) and TCP/Linux's rows of
``c_veno*_runs.csv``. TCP/Linux is another sender than acklab's SACK: integer windows, byte counting, rate halving, and a
scoreboard that notices a lost retransmission, for which FF96 needs a timeout. So only means are compared, and what is allowed
grows with the loss: the more retransmissions are lost, the more of acklab's time is timeouts.

Two modules follow other rules than acklab's controls, and are compared where these do not matter:

* Vegas of 2.6.22 steps from the window of one round trip earlier, so its window grows by one segment every other round trip,
  not every one; with random losses it is slower by about sqrt(2), and is compared without them.
* Westwood of 2.6.22 keeps its rate in whole bytes per millisecond through two truncating filters and takes the smoothed round
  trip for the least one; with random losses at low rates it does what Reno does there. It is compared without them.
"""

import csv
import sys
from collections import defaultdict
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from engine import run_batch  # noqa: E402

SENDER = {"stack": "ns2-2.35", "packet": 1460, "window": 100000, "recovery": "sack", "tick": "1ms"}
# NS2-SEMANTICS section 11: judged with each ACK, one threshold, and the flag decides the first loss, too
VENO = {"kind": "veno", "alpha": 3.0, "beta": 3.0, "estimate": "per-ack", "first_loss": "by-flag", "clock": "0s"}


def allowed(control, rate):
    """Relative difference of the means, or None where the rules differ."""
    if control in ("vegas", "westwood") and rate > 0:
        return None
    return 0.02 if rate == 0 else 0.05 if rate <= 1e-3 else 0.09


def rows(name, kinds="Linux:"):
    with open(HERE / "data" / name, newline="") as file:
        return [row for row in csv.DictReader(file) if row["kind"].startswith(kinds)]


def scenario(row):
    """What dumbbell.tcl makes of a row's arguments."""
    flows, control = int(row.get("n", 1)), row["kind"].split(":")[1]
    bottleneck = {
        "between": ["g1", "g2"], "rate": f"{float(row['bw'])}bps", "delay": f"{row['delay']}s",
        "queue": {"kind": "drop-tail", "packets": int(row["q"])},
    }
    if float(row["plr"]) > 0:
        bottleneck["loss"] = {"rate": float(row["plr"]), "seed": int(row["lseed"])}
    access = {"rate": f"{float(row['abw'])}bps", "delay": f"{row['ad']}s", "queue": {"kind": "drop-tail", "packets": 100000}}
    ends = [pair for i in range(flows) for pair in ([f"s{i}", "g1"], ["g2", f"d{i}"])]
    sender = {**SENDER, "control": VENO if control == "veno" else control}
    return {
        "stop": {"at": f"{row['T']}s"},
        "link": [bottleneck, *({"between": pair, **access} for pair in ends)],
        "flow": [
            {"from": f"s{i}", "to": f"d{i}", "start": f"{0.01 * i}s", "sender": sender,
             "receiver": {"stack": "ns2-2.35", "ack": {"policy": "every"}}}
            for i in range(flows)
        ],
    }


def means(table, acked):
    """Segments per second of each cell: ns-2's mean, acklab's, and acklab's timeouts."""
    answers = run_batch(scenario(row) for row in table)
    cells = defaultdict(list)
    for row, answer in zip(table, answers):
        assert "error" not in answer, answer
        key = row["kind"].split(":")[1], row.get("n", "1"), row["bw"], row["delay"], float(row["plr"])
        ours = sum(flow["segments_acked"] for flow in answer["flows"])
        cells[key].append((sum(map(float, row[acked].split(";"))), ours))
    return {key: [sum(column) / len(column) for column in zip(*found)] for key, found in cells.items()}


def test_means_are_those_of_tcp_linux():
    wrong = []
    cells = means(rows("l_linux_controls.csv"), "acked")
    for (control, *where, rate), (ns2, ours) in cells.items():
        most = allowed(control, rate)
        if most is not None and abs(ours / ns2 - 1) > most:
            wrong.append(f"{control} {where} loss {rate}: {ours:.0f} segments, ns-2 {ns2:.0f} ({ours / ns2 - 1:+.1%})")
    assert not wrong, wrong
    assert sum(allowed(key[0], key[-1]) is not None for key in cells) == 28


@pytest.mark.parametrize("name", ["c_veno_runs.csv", "c_veno200_runs.csv"])
def test_the_ports_veno_rule_has_its_means(name):
    """Within 5 % where retransmissions are rarely lost, within 8.5 % at losses of 3 and 10 %."""
    cells = means(rows(name, "Linux:veno"), "acked")
    for (_, flows, _, _, rate), (ns2, ours) in cells.items():
        most = 0.05 if rate <= 0.01 else 0.085
        assert abs(ours / ns2 - 1) <= most, f"{flows} flows at {rate}: {ours:.0f} segments, ns-2 {ns2:.0f}"


def test_controls_are_told_apart():
    """On the long path with light loss the order is ns-2's, and the factors over Reno are within a tenth."""
    table = [row for row in rows("l_linux_controls.csv") if row["bw"] == "4e7" and row["plr"] == "1e-4"]
    cells = {key[0]: found for key, found in means(table, "acked").items()}
    for control in ("veno", "cubic"):
        ns2, ours = (cells[control][i] / cells["reno"][i] for i in (0, 1))
        assert ns2 > 1.3 and abs(ours / ns2 - 1) < 0.1, (control, ns2, ours)
