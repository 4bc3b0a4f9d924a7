#!/usr/bin/env python3
"""acklab's congestion controls beside those of ns-2's TCP/Linux (`data/linux/linux.csv`): throughput and windows.

    linux.py               a table: each experiment in ns-2 and in acklab, with a sender of its own and with TCP/Linux's
    linux.py --shares      what each rule of TCP/Linux's sender is worth: the ratios without it
    linux.py --make        the data anew (needs ns)

ns-2 runs modules of Linux 2.6.22 with an integer window over a recovery of its own, so that nothing is equal to the last bit:
`test_linux.py` states how near each number must be, `docs/oracle/linux.md` why the others differ.
"""

import bisect
import csv
import subprocess
import sys
from pathlib import Path

from engine import TCP_LINUX, run_batch

HERE = Path(__file__).parent
DATA = HERE / "data" / "linux" / "linux.csv"
PARAMETERS = ["case", "kind", "bw2", "q", "plr", "lseed", "dl", "T", "step"]
RESULTS = ["acked", "sent", "rexmit", "rto", "cuts", "drops", "cwnds"]
KINDS = ["reno", "cubic", "veno", "vegas", "westwood"]

# What ns-2's modules have for constants. CUBIC's are 410/1024 (41 in units of 1/1024, for a round trip of 100 ms) and 819/1024.
CONTROLS = {
    "reno": {"kind": "reno"},
    "cubic": {"kind": "cubic", "c": 410 / 1024, "beta": 819 / 1024},
    "veno": {"kind": "veno", "alpha": 3.0, "beta": 3.0, "estimate": "per-ack", "clock": "0s", "first_loss": "half"},
    "vegas": {"kind": "vegas", "alpha": 2.0, "beta": 4.0, "gamma": 1.0},
    "westwood": {"kind": "westwood", "gain": 0.9},
}


# The modules' own growth, for TCP/Linux's sender: Veno counts ACKs, and Vegas aims from the window of a round trip before.
MODULES = {
    "veno": {
        "credit": {"kind": "counter"},
        "control": CONTROLS["veno"] | {"first_loss": "by-flag", "base_rtt": "ever"},
    },
    "vegas": {"control": CONTROLS["vegas"] | {"pace": "second-rtt"}},
}

# Each rule of TCP/Linux's sender, and what stands in its place when it is left out.
SHARES = {
    "all of them": {},
    "without Vegas's pace": {"control": CONTROLS["vegas"]},
    "without slow start at ssthresh": {"slow_start_at_ssthresh": False},
    "without the restarts by duplicates": {"recovery": {"kind": "fack", "window": "rate-halving"}},
    "without forward acknowledgment": {"recovery": "sack"},
    "without the fourth segment": {"dup_thresh": 3},
    "without rate halving": {"recovery": {"kind": "fack", "duplicates_restart_timer": True}},
    "without the counters": {"credit": {"kind": "ack-counting"}},
}


def experiments():
    """The parameters of every row."""
    base = {"q": "100000", "plr": "0", "lseed": "1", "dl": "", "step": "0"}
    for kind in KINDS:
        # One loss out of slow start, one before the window is back, one long after, on a link that nobody fills.
        yield base | {"case": "losses", "kind": kind, "bw2": "1e8", "dl": "200;4000;30000", "T": "30", "step": "0.5"}
        # A link of 125 packets' delay and 60 of queue.
        yield base | {"case": "full", "kind": kind, "bw2": "1e7", "q": "61", "T": "60", "step": "0.25"}
        for plr in ("1e-3", "1e-2"):
            for seed in range(1, 9):
                yield base | {
                    "case": "random",
                    "kind": kind,
                    "bw2": "1e7",
                    "q": "61",
                    "plr": plr,
                    "lseed": str(seed),
                    "T": "60",
                }


def scenario(row, linux=False, without=None):
    """The same experiment for acklab; with TCP/Linux's sender, less a rule, if asked for."""
    wide = {"kind": "drop-tail", "packets": 100000}
    narrow = {
        "between": ["G", "R"],
        "rate": f"{int(float(row['bw2']))}bps",
        "delay": "48ms",
        "queue": {"kind": "drop-tail", "packets": int(row["q"])},
        "back": {"queue": wide},
    }
    if row["dl"]:
        narrow["loss"] = {"list": [int(n) for n in row["dl"].split(";")]}
    elif float(row["plr"]) > 0:
        narrow["loss"] = {"rate": float(row["plr"]), "seed": int(row["lseed"])}
    sender = {
        "stack": "ns2-2.35",
        "recovery": "sack",
        "control": CONTROLS[row["kind"]],
        "credit": {"kind": "ack-counting"},
        "packet": 1000,
        "window": 2000,
    }
    if linux:
        sender |= TCP_LINUX | MODULES.get(row["kind"], {}) | (without or {})
    return {
        "stop": {"at": row["T"] + "s"},
        "record": {"series": row["step"] != "0"},
        "link": [{"between": ["S", "G"], "rate": "1Gbps", "delay": "2ms", "queue": wide}, narrow],
        "flow": [
            {
                "name": "f",
                "from": "S",
                "to": "R",
                "size": "unlimited",
                "sender": sender,
                "receiver": {"stack": "ns2-2.35", "ack": {"policy": "every"}},
            }
        ],
    }


def read():
    """ns-2's rows; the windows as {time: cwnd}."""
    with DATA.open() as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        row["cwnds"] = {float(t): float(w) for t, w in (pair.split(":") for pair in row["cwnds"].split(";") if pair)}
    return rows


def compare(rows=None, linux=False, without=None):
    """(row, acklab's segments acknowledged, acklab's windows at the row's times) for every row."""
    rows = rows or read()
    answers = run_batch(scenario(row, linux, without) for row in rows)
    return [(row, answer["flows"][0]["segments_acked"], windows(row, answer)) for row, answer in zip(rows, answers)]


def windows(row, answer):
    """The window at each time of the row's log."""
    series = answer.get("series") or []
    times = [entry["time_s"] for entry in series]
    at = lambda t: series[max(bisect.bisect_right(times, t) - 1, 0)]["cwnd_segments"]
    return {t: at(t) for t in row["cwnds"]} if series else {}


def make():
    """Run ns-2 and write the data."""
    with DATA.open("w", newline="") as file:
        out = csv.DictWriter(file, PARAMETERS + RESULTS, lineterminator="\n")
        out.writeheader()
        for row in experiments():
            options = {key: value for key, value in row.items() if key not in ("case", "kind") and value}
            words = ["ns", str(HERE / "scripts" / "linux_cwnd.tcl"), f"kind=Linux:{row['kind']}", "window=2000"]
            words += [f"{key}={value}" for key, value in options.items()]
            said = subprocess.run(words, capture_output=True, text=True, check=True).stdout
            line = next(line for line in said.splitlines() if line.startswith("kind="))
            found = dict(word.split("=", 1) for word in line.split())
            out.writerow(row | {key: found[key] for key in RESULTS})


def means(compared, kind, plr):
    """Segments acknowledged, the mean over the seeds of a random case: ns-2's, acklab's."""
    chosen = [
        (int(row["acked"]), ours)
        for row, ours, _ in compared
        if (row["case"], row["kind"], row["plr"]) == ("random", kind, plr)
    ]
    return [sum(column) / len(chosen) for column in zip(*chosen)]


def ratio(compared, kind, plr):
    theirs, ours = means(compared, kind, plr)
    return ours / theirs


def shares():
    """(rule left out, its ratios): Reno, Vegas and Veno at 1e-3 and 1e-2 on this page's link, Veno at 3 and 10 % on the paper's."""
    import test_veno_port as port

    rows = [row for row in read() if row["case"] == "random" and row["kind"] in ("reno", "vegas", "veno")]
    for name, without in SHARES.items():
        kinds = ["vegas"] if "control" in without else ["reno", "vegas", "veno"]
        compared = compare([row for row in rows if row["kind"] in kinds], True, without)
        found = [ratio(compared, kind, plr) if kind in kinds else None
                 for kind in ("reno", "vegas", "veno") for plr in ("1e-3", "1e-2")]  # fmt: skip
        if kinds == ["vegas"]:
            found += [None, None]
        else:
            cells = port.compare("c_veno_runs.csv", port.SENDER | without)
            found += [cells[1, plr][2] / cells[1, plr][0] for plr in (0.03, 0.1)]
        yield name, found


def show_shares():
    print(
        "| rules | Reno 0.1 % | 1 % | Vegas 0.1 % | 1 % | Veno 0.1 % | 1 % | Veno 3 % | 10 % |\n|---|---|---|---|---|---|---|---|---|"
    )
    for name, found in shares():
        print("|", " | ".join([name, *("" if value is None else f"{value:.2f}" for value in found)]), "|")


def show():
    compared, linux = compare(), compare(linux=True)
    for kind in KINDS:
        for plr in ("1e-3", "1e-2"):
            theirs, ours = means(compared, kind, plr)
            _, like = means(linux, kind, plr)
            print(
                f"| {kind} | {plr} | {theirs:.0f} | {ours:.0f} | {ours / theirs:.2f} | {like:.0f} | {like / theirs:.2f} |"
            )
    for row, ours, cwnds in compared:
        if cwnds:
            print(f"{row['case']} {row['kind']}: acked ns-2 {row['acked']}, acklab {ours}")
            for t, w in row["cwnds"].items():
                if t == int(t):
                    print(f"  {t:4g} s  {w:6g}  {cwnds[t]:8.2f}")


if __name__ == "__main__":
    {"--make": make, "--shares": show_shares}.get(" ".join(sys.argv[1:]), show)()
