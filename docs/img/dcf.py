"""Draws docs/img/dcf.png: `python docs/img/dcf.py`. Model beside simulation, throughput of saturated 802.11 stations.

The simulation's numbers are those that the medium's test prints (`cargo test -p acklab-path --test dcf_saturation`).
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from matplotlib.figure import Figure

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path += [str(ROOT / "tools"), str(ROOT / "python")]

from dcf_model import CASES  # noqa: E402

from acklab.plot.palette import SLOTS  # noqa: E402
from acklab_studies.dcf import saturation  # noqa: E402

TEST = ["cargo", "test", "-q", "-p", "acklab-path", "--test", "dcf_saturation", "--", "--nocapture", "--test-threads=1"]
ONLY = [
    "under_bianchis_assumptions_as_his_model",
    "the_standard_with_retries_and_eifs_as_the_model_with_finite_retries",
]


def simulated() -> dict[str, list[tuple[int, float]]]:
    """Case -> stations and Mb/s."""
    printed = subprocess.run([*TEST, *ONLY], cwd=ROOT, check=True, capture_output=True, text=True).stdout
    points: dict[str, list[tuple[int, float]]] = {}
    for case, stations, bps in re.findall(r"([\w.-]+) (\d+): (\d+) beside", printed):
        points.setdefault(case, []).append((int(stations), int(bps) / 1e6))
    return points


def main() -> None:
    """Two panels: Bianchi's channel, and 802.11b as it is."""
    points = simulated()
    figure = Figure(figsize=(10, 4), layout="constrained")
    panels = figure.subplots(1, 2)
    titles = {
        "bianchi": "Bianchi's assumptions (1 Mb/s, W = 32, m = 3)",
        "802.11b": "802.11b: EIFS, 7 attempts (11 Mb/s, 1500 B)",
    }
    for axes, (channel, title) in zip(panels, titles.items(), strict=True):
        for access, slot, marker in (("basic", "blue", "o"), ("rts", "orange", "s")):
            case = f"{channel}-{access}"
            colour, name = SLOTS[slot]["light"], {"basic": "basic access", "rts": "RTS and CTS"}[access]
            many = range(1, 51)
            axes.plot(many, [saturation(n, CASES[case]) / 1e6 for n in many], color=colour, label=f"{name}, model")
            axes.plot(
                *zip(*points[case], strict=True), marker, color=colour, fillstyle="none", label=f"{name}, simulated"
            )
        axes.set(
            title=title,
            xlabel="saturated stations",
            ylabel="throughput, Mb/s",
            ylim=(0, 1 if channel == "bianchi" else 8),
            xlim=(0, 51),
        )
        axes.grid(alpha=0.3)
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=4, frameon=False)
    figure.savefig(HERE / "dcf.png", dpi=110)


if __name__ == "__main__":
    main()
