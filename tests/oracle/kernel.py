#!/usr/bin/env python3
"""The stack `linux` beside the kernel it is named after (`data/kernel/kernel.csv`): real TCPs over the same links.

    kernel.py                 a table: each experiment on the kernel, and in acklab with the stacks `linux` and `rfc`
    kernel.py --shares        what each rule of the stack is worth: how far off it is without it
    kernel.py --make [NAME …] the data anew, or of these experiments (needs root and ten quiet minutes)
    kernel.py --windows       the kernel's windows in `data/kernel/cwnd.csv` anew, from a run each

A live run is never the same twice: `test_kernel.py` states how near the simulator must be to the median of the kernel's runs,
`docs/oracle/kernel.md` why it is no nearer.
"""

import csv
import json
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from engine import run_batch

HERE = Path(__file__).parent
DATA = HERE / "data" / "kernel" / "kernel.csv"
WINDOWS = HERE / "data" / "kernel" / "cwnd.csv"
ACKLAB = HERE.parents[1] / ".venv" / "bin" / "acklab"
RUNS = 3
CONTROLS = ["reno", "cubic"]
COUNTS = ["segments_sent", "retransmits", "timeouts", "acks_sent"]
REALS = ["goodput_bps", "completion_s", "mean_srtt_s"]
COLUMNS = ["experiment", "control", "run", "kernel", "late_p99_s", *REALS, *COUNTS]
# What runs and simulations are compared by: (name, live, simulated).
MEASURES = [("goodput_bps", "goodput_bps"), ("mean_srtt_s", "mean_rtt_s"), *((name, name) for name in COUNTS)]

# Rate, one-way delay, queue in packets, and what else is on the way there or back.
PATHS = {
    "t1": ("1.5Mbps", "50ms", 22, {}, {}),
    "dsl": ("10Mbps", "20ms", 40, {}, {}),
    "fibre": ("20Mbps", "50ms", 167, {}, {}),
    "random": ("10Mbps", "20ms", 200, {"loss": {"rate": 0.01}}, {}),
    "bursts": ("10Mbps", "20ms", 200, {"loss": {"gilbert_elliott": {"good": 300, "bad": 3, "loss_bad": 1.0}}}, {}),
    "outages": (
        "10Mbps",
        "20ms",
        200,
        {"loss": {"gilbert_elliott": {"good": "900ms", "bad": "150ms", "loss_bad": 1.0}}},
        {},
    ),
    "acks-lost": ("10Mbps", "20ms", 60, {}, {"loss": {"rate": 0.3}}),
}
# ... and those that lose nothing but what their queue does, and are uneven.
UNEVEN = {
    "reordered": (
        "5Mbps",
        "20ms",
        60,
        {"stages": [{"kind": "reorder", "rate": 0.02, "by": "15ms", "only": "payload"}]},
        {},
    ),
    "jitter": (
        "5Mbps",
        "20ms",
        60,
        {"stages": [{"kind": "jitter", "mean": "5ms", "order": "free", "only": "payload"}]},
        {},
    ),
    "doubled": ("5Mbps", "20ms", 60, {"stages": [{"kind": "duplicate", "rate": 0.02, "only": "payload"}]}, {}),
    "pauses": ("5Mbps", "20ms", 60, {"stages": [{"kind": "pause", "at": ["3s", "5.5s"], "length": "700ms"}]}, {}),
    "unstamped": ("5Mbps", "20ms", 60, {"stages": [{"kind": "pause", "at": ["3s", "5.5s"], "length": "700ms"}]}, {}),
}

ALL = PATHS | UNEVEN

# Where the sender differs from its stack in both worlds.
SENDERS = {"unstamped": {"timestamps": False}}


def experiments():
    """(name, control) of each."""
    return [(name, control) for name in ALL for control in CONTROLS]


def scenario(name, control, stack="linux", paths=ALL):
    """An experiment as a scenario, for either world."""
    rate, delay, packets, there, back = paths[name]
    wide = {"kind": "drop-tail", "packets": 10000}
    link = {"between": ["S", "R"], "rate": rate, "delay": delay, "queue": {"kind": "drop-tail", "packets": packets}}
    # CUBIC is the stack's own where it has one: Linux's differs from RFC 9438's.
    sender = {"stack": stack} | ({} if (stack, control) == ("linux", "cubic") else {"control": control})
    sender |= SENDERS.get(name, {})
    # The data were recorded with a receive buffer of 25 MB that does not grow, of which a segment takes 2304 bytes, and a window of
    # 6.3 MB from the start. It acknowledges at once whatever opens the window.
    fixed = {"policy": "linux", "window": 4345, "buffer": 10922, "autotune": False}
    receiver = {"receiver": {"ack": fixed}} if stack == "linux" else {}
    return {
        "title": f"{name}, {control}",
        "stop": {"at": "8s"},
        "link": [link | there | {"back": {"queue": wide} | back}],
        "flow": [{"name": "f", "from": "S", "to": "R", "size": "unlimited", "sender": sender} | receiver],
    }


def read():
    """{(name, control): its runs}."""
    runs = {}
    with DATA.open() as file:
        for row in csv.DictReader(file):
            runs.setdefault((row["experiment"], row["control"]), []).append(row)
    return runs


def compare(stack="linux", without=None):
    """{(name, control): {measure: (least of the runs, median, most, simulated)}}; `without`: rules to override."""
    runs = read()
    scenarios = [scenario(name, control, stack) for name, control in runs]
    for flow in (experiment["flow"][0] for experiment in scenarios):
        for side, rules in (without or {}).items():
            table = flow.setdefault(side, {})
            for key, value in rules.items():
                # Parameters stand beside the variant that the experiment names.
                table[key] = (
                    {"kind": table[key], **value}
                    if isinstance(value, dict) and key in table and side == "sender"
                    else value
                )
    answers = run_batch(scenarios)
    found = {}
    for (key, rows), answer in zip(runs.items(), answers):
        flow = answer["flows"][0]
        live = {name: sorted(float(row[name]) for row in rows) for name, _ in MEASURES}
        found[key] = {
            name: (live[name][0], statistics.median(live[name]), live[name][-1], flow[ours]) for name, ours in MEASURES
        }
    return found


def make(only):
    """Run the kernel and write the data."""
    kept = [row for rows in (read() if DATA.exists() else {}).values() for row in rows]
    kept = [row for row in kept if only and row["experiment"] not in only]
    for name, control in experiments():
        if only and name not in only:
            continue
        for run in range(RUNS):
            kept.append({"experiment": name, "control": control, "run": run} | live(name, control))
            print(kept[-1], flush=True)
    kept.sort(key=lambda row: (list(ALL).index(row["experiment"]), CONTROLS.index(row["control"]), int(row["run"])))
    with DATA.open("w", newline="") as file:
        out = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        out.writeheader()
        out.writerows(kept)


def make_windows():
    """Run the kernel once more and write its windows, twenty a second."""
    import polars

    with WINDOWS.open("w", newline="") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(["experiment", "control", "time_s", "cwnd_segments"])
        for name, control in experiments():
            with tempfile.TemporaryDirectory() as directory:
                live(name, control, "--out", f"{directory}/run")
                series = polars.read_parquet(f"{directory}/run/series.parquet")
            for row in series.filter(polars.col("cwnd_segments") > 0).gather_every(10).iter_rows(named=True):
                out.writerow([name, control, f"{row['time_s']:.3f}", f"{row['cwnd_segments']:.0f}"])


def live(name, control, *more):
    """One run that was not late."""
    answer = answered(scenario(name, control), *more)
    return lived(answer) | {key: answer["flows"][0][key] for key in REALS + COUNTS}


def lived(answer):
    """What a row says of the run itself."""
    return {"kernel": answer["kernel"].split("-")[0], "late_p99_s": f"{answer['lateness']['p99_s']:.6f}"}


def answered(experiment, *more, acks="kernel"):
    """What one run that was not late says, of several if need be; `acks`: whose ACKs, the kernel's or the scenario's."""
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(experiment, file)
        file.flush()
        words = [
            ACKLAB,
            "run",
            "--live",
            file.name,
            "--acks",
            acks,
            "--sender",
            "kernel",
            "--realtime",
            "--json",
            *more,
        ]
        for _ in range(5):
            done = subprocess.run(words, capture_output=True, text=True)
            if done.returncode == 0:
                return json.loads(done.stdout)
            print(done.stderr.strip(), file=sys.stderr)
    raise SystemExit(f"{experiment['title']}: five runs were late, or failed")


def lines():
    """The rows of the page's table: the kernel's median, then the stacks `linux` and `rfc`, for four measures."""
    ours, plain = compare(), compare("rfc")
    for (name, control), measures in ours.items():
        cells = [name, control]
        for measure, shown in SHOWN:
            found = [measures[measure][1], measures[measure][3], plain[name, control][measure][3]]
            cells += [shown(value) for value in found]
        yield row(cells)


# Each rule of the stack, and the stack `rfc`'s in its place.
SHARES = {
    "all of them": {},
    "without HyStart": {"sender": {"control": {"slow_start": "standard"}}},
    "without credit for every segment": {"sender": {"credit": {"kind": "rfc5681"}}},
    "without RACK and TLP": {
        "sender": {"recovery": {"kind": "rfc6675", "window": "prr-linux", "undo": "both", "frto": "linux"}}
    },
    "without proportional rate reduction": {"sender": {"recovery": {"window": "at-once"}}},
    "without its timeout": {"sender": {"rtt_filter": "rfc6298", "rto_floor": "before-backoff", "min_rto": "1s"}},
    "without halving cwnd": {"sender": {"halving": "flight-size"}},
    "without its measure of reordering": {"sender": {"recovery": {"reordering": "rfc8985"}}},
    "without its round-trip samples": {"sender": {"recovery": {"rtt_samples": "segments"}}},
    "without counting losses that were sent again": {"sender": {"recovery": {"loss_counts": "unsent"}}},
    "without its window after a timeout": {
        "sender": {"recovery": {"timeout_cwnd": "one-segment"}, "timeout_ssthresh": "first-of-segment"}
    },
    "without its probes": {"sender": {"recovery": {"probe": "rfc8985"}}},
    "without its clock": {"sender": {"recovery": {"tick": "0s", "timer_margin": "0s", "timestamp_unit": "0s"}}},
    "without undoing": {"sender": {"recovery": {"undo": "off", "frto": "off"}}},
    "without F-RTO": {"sender": {"recovery": {"frto": "off"}}},
    "without its receiver": {"receiver": {"ack": {"policy": "delayed", "timer": "200ms"}}},
}


def shares():
    """A row for each rule left out: how far goodput, retransmissions and ACKs are off, in the mean over experiments and at most."""
    for name, without in SHARES.items():
        cells = [name]
        for measure in ("goodput_bps", "retransmits", "acks_sent"):
            found = [values[measure] for values in compare(without=without).values()]
            if measure == "retransmits":
                apart = [abs(simulated - median) for _, median, _, simulated in found]
                cells += [f"{sum(apart) / len(apart):.0f}", f"{max(apart):.0f}"]
            else:
                apart = [abs(simulated / median - 1) for _, median, _, simulated in found]
                cells += [f"{100 * sum(apart) / len(apart):.1f} %", f"{100 * max(apart):.0f} %"]
        yield row(cells)


SHOWN = [
    ("goodput_bps", lambda value: f"{value / 1e6:.2f}"),
    ("retransmits", lambda value: f"{value:.0f}"),
    ("acks_sent", lambda value: f"{value:.0f}"),
    ("mean_srtt_s", lambda value: f"{1e3 * value:.0f}"),
]


def row(cells):
    """A row of a page's table."""
    return f"| {' | '.join(cells)} |"


def span(least, most):
    """Two numbers as they are shown, or one where they look the same."""
    return least if least == most else f"{least} to {most}"


def show(names, measures, worlds, lines):
    """Prints a page's table: columns of `names`, then for each of `measures` one for each of `worlds`."""
    columns = [*names]
    for measure in measures:
        columns += [f"{measure}: {worlds[0]}", *worlds[1:]]
    print(row(columns), "|---" * len(columns) + "|", *lines, sep="\n")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--make"]:
        make(sys.argv[2:])
    elif sys.argv[1:] == ["--windows"]:
        make_windows()
    elif sys.argv[1:] == ["--shares"]:
        show(["rules"], ["Mb/s", "resent", "ACKs"], ["mean", "most"], shares())
    else:
        show(["path", "control"], ["Mb/s", "resent", "ACKs", "RTT ms"], ["kernel", "`linux`", "`rfc`"], lines())
