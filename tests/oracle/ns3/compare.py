#!/usr/bin/env python3
"""Run every case of loss_list.jsonl in acklab's `rfc` stack and compare what was retransmitted with ns-3.

  compare.py [ACKLAB]          bytes retransmitted; ACKLAB defaults to $ACKLAB, then the repository's .venv/bin/acklab
  compare.py --lists           also which segments, in which order (one run a case; needs pyarrow, polars or duckdb)
  compare.py --times PERCENT   also lists completion times that are further apart; they do not count as a difference
  compare.py --case ID ...     only these
  compare.py --scenario ID     print the case's scenario and stop

Exit status 1 if a case differs and exceptions.toml gives no reason for it.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import tomllib

HERE = pathlib.Path(__file__).parent
REPOSITORY = HERE.parents[2]


def scenario(case, packets=False):
    """The same transfer for acklab, whose ACK 0 is the SYN's: ns-3's list does not count it."""
    acks = [number + 1 for number in case["lose_acks"]]
    delayed = {"policy": "delayed", "timer": f"{case['ack_timer_s']:g}s", "segments": case["ack_every"]}
    return {
        "title": case["id"],
        "stop": {"when": "flows-complete", "at_most": "1000s"},
        "link": [
            {"between": ["S", "G"], "rate": case["access"], "delay": case["access_delay"], "queue": drop_tail()},
            {
                "between": ["G", "R"],
                "rate": case["rate"],
                "delay": case["delay"],
                "queue": drop_tail(),
                "loss": {"list": case["lose"], "only": "payload"},
                "back": {"loss": {"list": acks, "only": "acks"}},
            },
        ],
        "flow": [
            {
                "from": "S",
                "to": "R",
                "size": {"segments": case["segments"]},
                "sender": {
                    "stack": "rfc",
                    "recovery": {"sack": "rfc6675", "newreno": "newreno"}[case["recovery"]],
                    "control": "reno",
                    "packet": case["payload"] + (12 if case["timestamps"] else 0),
                    "window": 100000,
                    "header": 40,
                    "timestamps": case["timestamps"],
                    "syn": True,
                    "fin": False,
                    "initial_window": case["initial_window"],
                    "initial_rto": "1s",
                    "min_rto": "1s",
                    "max_rto": "60s",
                    "limited_transmit": case["limited_transmit"],
                },
                "receiver": {"stack": "rfc", "ack": {"policy": "every"} if case["ack_every"] == 1 else delayed},
            }
        ],
        "record": {"packets": packets},
    }


def drop_tail():
    return {"kind": "drop-tail", "packets": 1000000}


def find_acklab(given):
    for place in (given, os.environ.get("ACKLAB"), REPOSITORY / ".venv/bin/acklab"):
        if place and pathlib.Path(place).is_file():
            return pathlib.Path(place).resolve()
    sys.exit("acklab not found: give its path, set ACKLAB, or make .venv/bin/acklab")


def run_batch(acklab, cases):
    lines = "".join(json.dumps(scenario(case)) + "\n" for case in cases)
    done = subprocess.run([acklab, "run", "--batch", "-"], input=lines, capture_output=True, text=True)
    results = [json.loads(line) for line in done.stdout.splitlines()]
    if len(results) != len(cases):
        sys.exit(f"acklab answered {len(results)} of {len(cases)} scenarios\n{done.stderr}")
    return results


def read_parquet(path):
    """Rows of a Parquet file as dicts, with whichever reader is there."""
    try:
        import pyarrow.parquet

        return pyarrow.parquet.read_table(path).to_pylist()
    except ImportError:
        pass
    try:
        import polars

        return polars.read_parquet(path).to_dicts()
    except ImportError:
        pass
    try:
        import duckdb

        rows = duckdb.sql(f"select * from read_parquet('{path}')")
        return [dict(zip(rows.columns, row)) for row in rows.fetchall()]
    except ImportError:
        sys.exit("--lists reads Parquet: install pyarrow, polars or duckdb")


def retransmitted_list(acklab, case):
    """[offset, length] of each retransmission in the order sent: what enters S->G at or below what entered before."""
    with tempfile.TemporaryDirectory() as directory:
        text = json.dumps(scenario(case, packets=True))
        subprocess.run(
            [acklab, "run", "-", "--out", directory], input=text, text=True, check=True, stdout=subprocess.DEVNULL
        )
        rows = read_parquet(next(pathlib.Path(directory).rglob("packets.parquet")))
    sent = [
        (row["seq"], row["len"])
        for row in rows
        if row["link"] == "S->G" and row["event"] == "enqueue" and row["kind"] == "data" and not row["syn"]
    ]
    first, top, again = sent[0][0], sent[0][0], []
    for seq, length in sent:
        if seq < top:
            again.append([seq - first, length])
        top = max(top, seq + length)
    return again


def brief(rows, payload):
    """[offset, length] rows as segment numbers, the first twenty of them."""
    more = f" and {len(rows) - 20} more" if len(rows) > 20 else ""
    return " ".join(f"{offset / payload:g}" for offset, _ in rows[:20]) + more or "none"


def difference(case, result, acklab, lists):
    """How acklab's run of a case differs from ns-3's, or None."""
    if "error" in result:
        return f"acklab: {result['error']}"
    flow = result["flows"][0]
    if not flow["completed"]:
        return "acklab did not finish the transfer"
    payload, theirs = case["payload"], case["retransmits"]
    ours = flow["retransmits"] * payload
    if ours != case["retransmitted_bytes"]:
        return (
            f"acklab {ours} bytes, {flow['timeouts']} timeouts, {flow['completion_s']:.3f} s; ns-3"
            f" {case['retransmitted_bytes']} bytes, {case['timeouts']} timeouts, {case['completion_s']:.3f} s,"
            f" segments {brief(theirs, payload)}"
        )
    if lists and (listed := retransmitted_list(acklab, case)) != theirs:
        return f"acklab segments {brief(listed, payload)}; ns-3 {brief(theirs, payload)}"
    return None


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("acklab", nargs="?", help="the acklab command")
    options.add_argument("--lists", action="store_true", help="compare which segments too")
    options.add_argument("--times", type=float, metavar="PERCENT", help="list completion times further apart")
    options.add_argument("--case", nargs="+", metavar="ID", help="only these cases")
    options.add_argument("--scenario", metavar="ID", help="print one case's scenario")
    given = options.parse_args()

    cases = [json.loads(line) for line in (HERE / "loss_list.jsonl").read_text().splitlines()]
    known = {case["id"] for case in cases}
    wanted = set(given.case or ([given.scenario] if given.scenario else known))
    if wanted - known:
        sys.exit(f"no such case: {', '.join(sorted(wanted - known))}")
    cases = [case for case in cases if case["id"] in wanted]
    if given.scenario:
        print(json.dumps(scenario(cases[0]), indent=2))
        return

    excepted = tomllib.loads((HERE / "exceptions.toml").read_text()).get("exception", [])
    reasons = {entry["case"]: entry["reason"] for entry in excepted if given.lists or not entry.get("lists")}
    if set(reasons) - known:
        sys.exit(f"exceptions.toml names no case: {', '.join(sorted(set(reasons) - known))}")

    acklab = find_acklab(given.acklab)
    differ = unexplained = 0
    for case, result in zip(cases, run_batch(acklab, cases)):
        found = difference(case, result, acklab, given.lists)
        reason = reasons.get(case["id"])
        if found:
            differ += 1
            unexplained += reason is None
            print(f"{case['id']}: {found}" + (f"\n    expected: {reason}" if reason else ""))
        elif reason and not given.lists:
            print(f"{case['id']}: agrees, though exceptions.toml says: {reason}")
        if given.times is not None and "error" not in result and result["flows"][0]["completed"]:
            ours = result["flows"][0]["completion_s"]
            if abs(ours / case["completion_s"] - 1) * 100 > given.times:
                print(f"{case['id']}: acklab {ours:.3f} s, ns-3 {case['completion_s']:.3f} s")
    print(f"{len(cases)} cases, {len(cases) - differ} agree, {differ} differ")
    sys.exit(1 if unexplained else 0)


if __name__ == "__main__":
    main()
