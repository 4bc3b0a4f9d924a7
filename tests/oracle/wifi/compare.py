"""acklab's 802.11 beside ns-2's: means over seeds of a transfer's time, with confidence intervals.

`runs.csv` is what `ns ../scripts/wifi.tcl wbw=... ack=... rts=... seed=... segs=2000` printed (Debian's ns2 2.35+dfsg-5; rts=0:
always RTS and CTS, 3000: never). The network is a sender W, a wire of `wbw` and 20 ms, a base station B, and a station M.
acklab runs it twice: with the standard's rules (its defaults), and with ns-2's, as far as parameters say them.
"""

import argparse
import csv
import math
import sys
from collections import defaultdict
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from engine import run_batch  # noqa: E402

#: Student's t for 95 % and 7 degrees of freedom.
T7 = 2.3646
ACKS = {"each": {"policy": "every"}, "delack": {"policy": "delayed", "timer": "100ms"}}
#: ns-2's Mac/802_11 (docs/oracle/NS2-SEMANTICS.md): a header of 34 bytes, windows one shorter, a backoff also on an idle
#: medium, slots that count right after the ACK timeout but only after EIFS and DIFS for listeners, collisions of those alone
#: who begin at the same time.
NS2 = {
    "header": "34B",
    "cw_min": 30,
    "always_backoff": True,
    "eifs": "414us",
    "ack_timeout": "212us",
    "propagation": "0us",
    "sense": "0us",
}


def scenario(case, seed, mac):
    """The experiment in acklab's words."""
    wbw, ack, rts = case
    mac = dict(mac, **({"rts_threshold": "0B"} if rts == "0" else {}))
    sender = {"stack": "ns2-2.35", "recovery": "newreno", "window": 100000}
    return {
        "seed": seed,
        "stop": {"when": "flows-complete", "at_most": "1000s"},
        "link": [{"between": ["W", "B"], "rate": f"{float(wbw)}bps", "delay": "20ms"}],
        "wlan": [{"ap": "B", "stations": ["M"], "mac": mac}],
        "flow": [
            {
                "from": "W",
                "to": "M",
                "start": "10s",
                "size": {"segments": 2000},
                "sender": sender,
                "receiver": {"stack": "ns2-2.35", "ack": ACKS[ack]},
            }
        ],
    }


def interval(values):
    """Mean and half the width of its 95 % interval, of eight values."""
    mean = sum(values) / len(values)
    spread = math.sqrt(sum((value - mean) ** 2 for value in values) / (len(values) - 1))
    return mean, T7 * spread / math.sqrt(len(values))


def measured():
    """ns-2's times by case."""
    cases = defaultdict(list)
    with open(HERE / "runs.csv", newline="") as file:
        for row in csv.DictReader(file):
            cases[row["wbw"], row["ack"], row["rts"]].append(float(row["end"]) - 10)
    return cases


def simulated(cases, mac):
    """acklab's times by case."""
    keys = [(case, seed) for case in cases for seed in range(1, 9)]
    outcomes = run_batch(scenario(case, seed, mac) for case, seed in keys)
    times = defaultdict(list)
    for (case, _), outcome in zip(keys, outcomes):
        flow = outcome["flows"][0]
        times[case].append(flow["finished_s"] - 10)
    return times


def table():
    """Rows: the case, then mean and interval of ns-2, the standard's rules, and ns-2's rules."""
    ns2 = measured()
    ours = [simulated(ns2, mac) for mac in ({}, NS2)]
    for case, times in sorted(ns2.items(), key=lambda item: (float(item[0][0]), item[0])):
        yield case, interval(times), *(interval(by_case[case]) for by_case in ours)


def main():
    """Prints the table."""
    argparse.ArgumentParser(description=__doc__.splitlines()[0]).parse_args()
    print("| wire | ACKs | RTS | ns-2 s | the standard s | apart | ns-2's rules s | apart |")
    print("|---|---|---|---|---|---|---|---|")
    for (wbw, ack, rts), ns2, standard, like in table():
        row = [f"{float(wbw) / 1e6:g} Mb/s", {"each": "every", "delack": "delayed"}[ack], "on" if rts == "0" else "off"]
        row.append(f"{ns2[0]:.3f} ± {ns2[1]:.3f}")
        for mean, half in (standard, like):
            row += [f"{mean:.3f} ± {half:.3f}", f"{100 * (mean / ns2[0] - 1):+.1f} %"]
        print("|", " | ".join(row), "|")


if __name__ == "__main__":
    main()
