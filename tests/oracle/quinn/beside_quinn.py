#!/usr/bin/env python3
"""The cases of `cases.csv` in acklab, with the stack `quic`, beside what quinn made of them (`quinn.csv`).

beside_quinn.py      a table: ACKs, completion, packets lost, and how long the first loss took to be noticed, in both
"""

import csv
from pathlib import Path

import acklab

HERE = Path(__file__).parent


def rows(name):
    with (HERE / name).open() as file:
        return list(csv.DictReader(file))


def scenario(case, **sender):
    """One transfer as quinn's: the handshake is a round trip, and nothing is measured before the first data."""
    ack = {"policy": "quic"}
    if case["segments"]:
        ack |= {
            "segments": int(case["segments"]),
            "max_ack_delay": f"{case['max_ack_delay_ms']}ms",
            "reordering": int(case["reordering"]),
        }
    lost = [int(number) for number in case["lose"].split()]
    return {
        "stop": {"when": "flows-complete", "at_most": "600s"},
        "link": [
            {
                "between": ["S", "R"],
                "rate": f"{case['rate_bps']}bps",
                "delay": f"{case['delay_ms']}ms",
                "queue": {"kind": "drop-tail", "packets": int(case["queue"])},
                "back": {
                    "rate": f"{case['back_bps']}bps",
                    "queue": {"kind": "drop-tail", "packets": int(case["back_queue"])},
                },
            }
            | ({"loss": {"list": lost, "only": "payload"}} if lost else {})
        ],
        "flow": [
            {
                "name": "f",
                "from": "S",
                "to": "R",
                "size": {"bytes": f"{case['bytes']}B"},
                "sender": {"stack": "quic", "window": "30MB"} | sender,
                "receiver": {"ack": ack},
            }
        ],
    }


def ours(cases, **sender):
    """acklab's results, by the same names as quinn's."""
    results = {}
    for case, run in zip(cases, acklab.run_batch([scenario(case, **sender) for case in cases]), strict=True):
        if "error" in run:
            raise RuntimeError(f"{case['name']}: {run['error']}")
        flow = run["flows"][0]
        results[case["name"]] = {
            "completion_s": flow["completion_s"],
            # The SYN's is none of the transfer's.
            "acks": flow["acks_sent"] - 1,
            "data_packets": flow["segments_sent"] - 1,
            "resent": flow["retransmits"],
            "timeouts": flow["timeouts"],
        }
    return results


def main():
    cases = rows("cases.csv")
    theirs = {row["name"]: row for row in rows("quinn.csv")}
    mine = ours(cases)
    print(f"{'':24} {'ACKs':>11} {'':6} {'completion':>15} {'':6} {'lost':>9}  PTOs")
    for name, row in theirs.items():
        us = mine[name]
        acks, done = int(row["acks"]), float(row["completion_s"])
        print(
            f"{name:24} {acks:5} {us['acks']:5} {us['acks'] / acks - 1:+6.1%} {done:7.3f} {us['completion_s']:7.3f} "
            f"{us['completion_s'] / done - 1:+6.1%} {row['declared_lost']:>4} {us['resent']:4}  {us['timeouts']}"
        )


if __name__ == "__main__":
    main()
