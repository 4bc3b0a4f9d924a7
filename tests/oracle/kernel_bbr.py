#!/usr/bin/env python3
"""BBR beside the kernel's own (`data/kernel/bbr.csv`), over seven paths of `kernel.py`, two whose way back is slow, and two whose
receiver thins its ACKs, for long enough to look for the least round trip twice.

    kernel_bbr.py                 a table: each path on the kernel, and in acklab
    kernel_bbr.py --timing        what becomes of it where packets are uneven by fractions of a millisecond
    kernel_bbr.py --make [NAME …] the data anew, or of these paths (needs root and ten minutes)

`test_kernel_bbr.py` states how near the simulator must be, `docs/oracle/kernel.md` why it is no nearer.
"""

import csv
import statistics
import sys
import tempfile

import kernel
from engine import run_batch

DATA = kernel.DATA.with_name("bbr.csv")
WINDOWS = kernel.DATA.with_name("bbr-cwnd.csv")
SECONDS = 25
SLOW = {"rate": "200kbps", "queue": {"kind": "drop-tail", "packets": 50}}
SEVEN = ["t1", "dsl", "fibre", "random", "bursts", "outages", "acks-lost"]
PATHS = {name: kernel.PATHS[name] for name in SEVEN} | {
    "acks-slow": ("20Mbps", "20ms", 67, {}, SLOW),
    "acks-filtered": ("20Mbps", "20ms", 67, {}, SLOW | {"queue": SLOW["queue"] | {"filter": {"kind": "cake"}}}),
    "every-8th": ("20Mbps", "20ms", 67, {}, {}),
    "every-32nd": ("20Mbps", "20ms", 67, {}, {}),
}
# Receivers of a live run whose ACKs are not the kernel's.
THINNED = {
    "every-8th": {"policy": "delayed", "segments": 8, "timer": "100ms"},
    "every-32nd": {"policy": "delayed", "segments": 32, "timer": "100ms"},
}
# What is compared: (name in the data, of a simulated flow or link).
FLOW = [("goodput_bps", "goodput_bps"), ("mean_srtt_s", "mean_rtt_s"), *((name, name) for name in kernel.COUNTS)]
LINK = ["mean_queue_packets"]
COLUMNS = ["experiment", "run", "kernel", "late_p99_s", *kernel.REALS, *kernel.COUNTS, *LINK]


def scenario(name):
    """A path as a scenario, for either world."""
    base = kernel.scenario(name, "bbr", paths=PATHS) | {"stop": {"at": f"{SECONDS}s"}}
    if name in THINNED:
        base["flow"][0]["receiver"] = {"ack": THINNED[name]}
    return base


def read():
    """{name: its runs}."""
    runs = {}
    with DATA.open() as file:
        for row in csv.DictReader(file):
            runs.setdefault(row["experiment"], []).append(row)
    return runs


def compare(change=None):
    """{name: {measure: (least of the runs, median, most, simulated)}}; `change` may change a scenario."""
    runs, found = read(), {}
    for name, answer in zip(runs, run_batch([(change or dict)(scenario(name)) for name in runs])):
        flow, link = answer["flows"][0], answer["links"][0]
        ours = {live: flow[simulated] for live, simulated in FLOW} | {measure: link[measure] for measure in LINK}
        found[name] = {}
        for measure, simulated in ours.items():
            values = sorted(float(row[measure]) for row in runs[name])
            found[name][measure] = (values[0], statistics.median(values), values[-1], simulated)
    return found


def make(only):
    """Run the kernel and write the data."""
    import polars

    kept = [row for rows in (read() if DATA.exists() else {}).values() for row in rows]
    kept = [row for row in kept if only and row["experiment"] not in only]
    windows = []
    if WINDOWS.exists():
        with WINDOWS.open() as file:
            windows = [row for row in csv.DictReader(file) if only and row["experiment"] not in only]
    for name in PATHS:
        if only and name not in only:
            continue
        for run in range(kernel.RUNS):
            with tempfile.TemporaryDirectory() as directory:
                acks = "scenario" if name in THINNED else "kernel"
                answer = kernel.answered(scenario(name), "--out", f"{directory}/run", acks=acks)
                series = polars.read_parquet(f"{directory}/run/series.parquet")
            flow, link = answer["flows"][0], answer["links"][0]
            kept.append(
                {"experiment": name, "run": run}
                | kernel.lived(answer)
                | {key: flow[key] for key in kernel.REALS + kernel.COUNTS}
                | {key: link[key] for key in LINK}
            )
            print(kept[-1], flush=True)
            if run == 0:
                windows += window_rows(name, series)
    for path, columns, rows in [(DATA, COLUMNS, kept), (WINDOWS, ["experiment", "time_s", "cwnd_segments"], windows)]:
        rows.sort(key=lambda row: (list(PATHS).index(row["experiment"]), int(row.get("run", 0))))
        with path.open("w", newline="") as file:
            out = csv.DictWriter(file, columns, lineterminator="\n")
            out.writeheader()
            out.writerows(rows)


def window_rows(name, series):
    """A run's window, ten times a second."""
    import polars

    for row in series.filter(polars.col("cwnd_segments") > 0).gather_every(20).iter_rows(named=True):
        yield {"experiment": name, "time_s": f"{row['time_s']:.3f}", "cwnd_segments": f"{row['cwnd_segments']:.0f}"}


SHOWN = [*kernel.SHOWN, ("mean_queue_packets", lambda value: f"{value:.1f}")]


def lines():
    """The rows of the page's table: for five measures the kernel's runs, least to most, and the stack."""
    for name, measures in compare().items():
        cells = [name]
        for measure, shown in SHOWN:
            least, _, most, simulated = measures[measure]
            cells += [kernel.span(shown(least), shown(most)), shown(simulated)]
        yield kernel.row(cells)


# How uneven packets are made, in the mean.
TIMING = ["0ms", "0.1ms", "0.3ms"]


def uneven(mean):
    """A change of scenarios: each packet to the receiver is held for a while of its own, and none overtakes another."""

    def change(experiment):
        if mean == TIMING[0]:
            return experiment
        stage = {"kind": "jitter", "distribution": "exponential", "mean": mean, "order": "kept"}
        link = experiment["link"][0]
        return experiment | {"link": [link | {"stages": [stage], "back": link["back"] | {"stages": []}}]}

    return change


def timing():
    """The mean queue of the paths without losses of their own: the kernel's median, then the simulator's, ever less even."""
    found = [compare(uneven(mean)) for mean in TIMING]
    for name in ("t1", "dsl", "fibre"):
        queues = [f"{values[name]['mean_queue_packets'][3]:.1f}" for values in found]
        yield kernel.row([name, f"{found[0][name]['mean_queue_packets'][1]:.1f}", *queues])


if __name__ == "__main__":
    if sys.argv[1:2] == ["--make"]:
        make(sys.argv[2:])
    elif sys.argv[1:] == ["--timing"]:
        print(*timing(), sep="\n")
    else:
        kernel.show(["path"], ["Mb/s", "resent", "ACKs", "RTT ms", "queue"], ["kernel", "`linux`"], lines())
