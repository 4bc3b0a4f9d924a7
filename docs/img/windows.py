"""Draws docs/img/kernel.png and kernel-bbr.png: `python docs/img/windows.py`. A kernel's congestion windows and those of stacks.

The kernel's are in `tests/oracle/data/kernel/cwnd.csv` and `bbr-cwnd.csv`; the simulator runs the same scenarios.
"""

from __future__ import annotations

import csv
import sys
from pathlib import Path

import polars
from matplotlib.figure import Figure

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path += [str(ROOT / "tests" / "oracle"), str(ROOT / "python")]

import kernel  # noqa: E402
import kernel_bbr  # noqa: E402

import acklab  # noqa: E402
from acklab.plot.palette import SLOTS  # noqa: E402

PATHS = ["t1", "dsl", "fibre", "random"]
TITLES = {
    "t1": "1.5 Mb/s, 100 ms, 22 packets",
    "dsl": "10 Mb/s, 40 ms, 40 packets",
    "fibre": "20 Mb/s, 100 ms, 167 packets",
    "random": "10 Mb/s, 40 ms, 1 % loss",
}


def live() -> dict[tuple[str, str], list[tuple[float, float]]]:
    """The kernel's windows."""
    found: dict[tuple[str, str], list[tuple[float, float]]] = {}
    with kernel.WINDOWS.open() as file:
        for row in csv.DictReader(file):
            found.setdefault((row["experiment"], row["control"]), []).append(
                (float(row["time_s"]), float(row["cwnd_segments"]))
            )
    return found


def simulated(name: str, control: str, stack: str) -> tuple[list[float], list[float]]:
    """A stack's window."""
    run = acklab.run(kernel.scenario(name, control, stack), record={"series": True})
    series = polars.DataFrame(run.series)
    return series["time_s"].to_list(), series["cwnd_segments"].to_list()


def main() -> None:
    """A row for each control, a column for each path."""
    windows = live()
    figure = Figure(figsize=(13, 5.6), layout="constrained")
    panels = figure.subplots(2, len(PATHS), sharex=True)
    for axes_of, control in zip(panels, kernel.CONTROLS, strict=True):
        for axes, name in zip(axes_of, PATHS, strict=True):
            axes.plot(*zip(*windows[name, control], strict=True), color="0.55", lw=3, label="Linux 6.18")
            axes.plot(
                *simulated(name, control, "linux"), color=SLOTS["blue"]["light"], lw=1.2, label="stack linux, simulated"
            )
            axes.plot(
                *simulated(name, control, "rfc"),
                color=SLOTS["orange"]["light"],
                lw=1,
                ls="--",
                label="stack rfc, simulated",
            )
            axes.grid(alpha=0.3)
            axes.set_ylim(bottom=0)
            if control == kernel.CONTROLS[0]:
                axes.set_title(TITLES[name], fontsize=10)
            else:
                axes.set_xlabel("time, s")
        axes_of[0].set_ylabel(f"{control}: cwnd, segments")
    handles, labels = panels[0][0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=3, frameon=False)
    figure.savefig(HERE / "kernel.png", dpi=100)


def bbr() -> None:
    """A panel for each path."""
    windows: dict[str, list[tuple[float, float]]] = {}
    with kernel_bbr.WINDOWS.open() as file:
        for row in csv.DictReader(file):
            windows.setdefault(row["experiment"], []).append((float(row["time_s"]), float(row["cwnd_segments"])))
    figure = Figure(figsize=(13, 3.3), layout="constrained")
    for axes, name in zip(figure.subplots(1, len(PATHS), sharex=True), PATHS, strict=True):
        series = polars.DataFrame(acklab.run(kernel_bbr.scenario(name), record={"series": True}).series)
        axes.plot(*zip(*windows[name], strict=True), color="0.55", lw=3, label="Linux 6.18")
        blue = SLOTS["blue"]["light"]
        axes.plot(
            series["time_s"].to_list(),
            series["cwnd_segments"].to_list(),
            color=blue,
            lw=1.2,
            label="stack linux, simulated",
        )
        axes.grid(alpha=0.3)
        axes.set_ylim(bottom=0)
        axes.set_title(TITLES[name], fontsize=10)
        axes.set_xlabel("time, s")
    axes = figure.axes[0]
    axes.set_ylabel("bbr: cwnd, segments")
    figure.legend(*axes.get_legend_handles_labels(), loc="outside lower center", ncols=2, frameon=False)
    figure.savefig(HERE / "kernel-bbr.png", dpi=100)


if __name__ == "__main__":
    main()
    bbr()
