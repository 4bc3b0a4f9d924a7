"""Draws docs/img/division.png: `python docs/img/division.py`. Windows of a real kernel that counts ACKs, or bytes.

The kernel's are in `tests/oracle/data/kernel/division.csv`, which `--make` writes anew, as root; the simulator runs the same
scenarios.
"""

from __future__ import annotations

import csv
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import polars
import tomllib
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.append(str(ROOT / "python"))

import acklab  # noqa: E402
from acklab.plot.palette import SLOTS  # noqa: E402

SCENARIO = ROOT / "examples" / "division.toml"
WINDOWS = ROOT / "tests" / "oracle" / "data" / "kernel" / "division.csv"
CREDITS = {"ack-counting": "an ACK is worth a segment", "abc": "an ACK is worth its bytes (RFC 3465, L = 2)"}
POLICIES = {
    "four ACKs a segment": ('{ policy = "divide", pieces = 4 }', "red"),
    "two": ('{ policy = "divide", pieces = 2 }', "pink"),
    "one": ('{ policy = "every" }', "blue"),
    "one for two segments": ('{ policy = "delayed", timer = "100ms" }', "orange"),
}
#: Runs of the same, of which the one with the least lateness counts.
TRIES = 3
#: Seconds that are drawn.
END = 0.5


def run_live(credit: str, policy: str) -> tuple[float, list[tuple[float, float]]]:
    """How late a run was, and its windows."""
    with tempfile.TemporaryDirectory() as scratch:
        out = Path(scratch) / "out"
        command = [
            Path(sys.executable).with_name("acklab"),
            "run",
            "--live",
            SCENARIO,
            "--json",
            "--realtime",
            "--sender",
            "scenario",
        ]
        sets = ["--set", f'flow.f.sender.credit={{ kind = "{credit}" }}', "--set", f"flow.f.receiver.ack={policy}"]
        done = subprocess.run([*command, *sets, "--out", out], capture_output=True, text=True, check=False)
        result = json.loads(done.stdout)
        series = polars.read_parquet(out / "series.parquet")
        rows = series.select("time_s", "cwnd_segments").filter(polars.col("time_s") < END)
        # A connection begins when its thread does.
        late = result["flows"][0]["first_data_s"] - 0.1
        return late + result["lateness"]["p99_s"], [(round(time - late, 4), cwnd) for time, cwnd in rows.iter_rows()]


def make() -> None:
    """Runs them."""
    with WINDOWS.open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["credit", "acks", "time_s", "cwnd_segments"])
        for credit in CREDITS:
            for name, (policy, _) in POLICIES.items():
                _, rows = min(run_live(credit, policy) for _ in range(TRIES))
                writer.writerows((credit, name, time, int(cwnd)) for time, cwnd in rows)


def simulated(credit: str, policy: str) -> tuple[list[float], list[float]]:
    """The simulator's window."""
    acks = tomllib.loads(f"policy = {policy}")["policy"]
    changes = {"flow.f.sender.credit.kind": credit, "flow.f.receiver.ack": acks, "stop": {"at": f"{END}s"}}
    series = polars.DataFrame(acklab.run(SCENARIO, **changes, record={"series": True}).series)
    series = series.filter(polars.col("cwnd_segments") > 1)  # from the end of the handshake
    return series["time_s"].to_list(), series["cwnd_segments"].to_list()


def main() -> None:
    """A panel for each credit."""
    live: dict[tuple[str, str], list[tuple[float, float]]] = {}
    with WINDOWS.open() as file:
        for row in csv.DictReader(file):
            live.setdefault((row["credit"], row["acks"]), []).append(
                (float(row["time_s"]), float(row["cwnd_segments"]))
            )
    figure = Figure(figsize=(11, 4.2), layout="constrained")
    for axes, (credit, title) in zip(
        figure.subplots(1, len(CREDITS), sharex=True, sharey=True), CREDITS.items(), strict=True
    ):
        # The widest first, so that all are seen where they lie on each other.
        for width, (name, (policy, colour)) in zip((4.5, 3.3, 2.2, 1.2), POLICIES.items(), strict=True):
            paint = SLOTS[colour]["light"]
            axes.plot(*simulated(credit, policy), color=paint, lw=width, alpha=0.45, drawstyle="steps-post")
            axes.plot(
                *zip(*live[credit, name], strict=True),
                color=paint,
                ls="",
                marker="o",
                ms=width + 2,
                mfc="none",
                mew=0.8,
            )
        axes.set_yscale("log")
        axes.yaxis.set_major_formatter("{x:,.0f}")
        axes.set_title(title, fontsize=11)
        axes.set_xlabel("time, s")
        axes.grid(alpha=0.3)
    figure.axes[0].set_ylabel("cwnd, segments")
    lines = [Line2D([], [], color=SLOTS[colour]["light"], label=name) for name, (_, colour) in POLICIES.items()]
    lines += [Line2D([], [], color="0.4", lw=3, alpha=0.45, label="simulated")]
    lines += [Line2D([], [], color="0.4", ls="", marker="o", ms=5, mfc="none", label="Linux 6.18")]
    figure.legend(handles=lines, loc="outside lower center", ncols=len(lines), frameon=False)
    figure.savefig(HERE / "division.png", dpi=100)


if __name__ == "__main__":
    if "--make" in sys.argv[1:]:
        make()
    main()
