"""Draws docs/img/quic.png: `python docs/img/quic.py`. The settings of docs/howto/quic.md over two uplinks."""

from __future__ import annotations

import statistics
import sys
from collections.abc import Collection
from pathlib import Path

from matplotlib.figure import Figure

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path += [str(ROOT / "python")]

import acklab  # noqa: E402
from acklab.plot.palette import SLOTS  # noqa: E402

UPLINKS = {"1Mbps": ("1 Mb/s up", "orange", "o"), "10Mbps": ("10 Mb/s up", "blue", "s")}


def repair_ms(rows: list[dict]) -> float:
    """Median time from each drop of data to when it leaves again."""
    lost: dict[int, float] = {}
    took = []
    for row in rows:
        if row["kind"] == "data" and row["event"] == "drop":
            lost[row["seq"]] = row["time_s"]
        elif row["kind"] == "data" and row["event"] == "enqueue" and row["seq"] in lost:
            took.append(row["time_s"] - lost.pop(row["seq"]))
    return 1000 * statistics.median(took)


def measured(names: Collection[str] = ()) -> dict[str, list[tuple[str, float, float, float]]]:
    """Uplink -> setting, goodput in Mb/s, share of the uplink in per cent, repair in ms, of the cases that the page compares."""
    quic = ROOT / "examples" / "quic"
    cases = [case for case in acklab.compare.from_file(quic / "asked.toml")["cases"] if not names or case.name in names]
    found: dict[str, list[tuple[str, float, float, float]]] = {}
    for rate in UPLINKS:
        found[rate] = []
        for case in cases:
            sets = ["record.packets=true", f"link.0.back.rate={rate}", *case.sets]
            run = acklab.Run(acklab.Simulation((quic / "uplink.toml").read_text(), sets=sets).run())
            share = 100 * run.links[1]["utilisation"]
            found[rate].append((case.name, run.flows[0]["goodput_bps"] / 1e6, share, repair_ms(list(run.packets))))
    return found


def main() -> None:
    """Three panels, a row for each setting."""
    found = measured()
    figure = Figure(figsize=(11, 4.2), layout="constrained")
    panels = figure.subplots(1, 3, sharey=True)
    titles = [
        ("goodput", "Mb/s", 50),
        ("ACKs' share of the uplink", "%", 105),
        ("from a loss to its repair", "ms, median", 260),
    ]
    names = [row[0] for row in found["1Mbps"]]
    for axes, column, (title, unit, most) in zip(panels, (1, 2, 3), titles, strict=True):
        for offset, (rate, (label, slot, marker)) in zip((-0.12, 0.12), UPLINKS.items(), strict=True):
            values = [row[column] for row in found[rate]]
            axes.plot(
                values,
                [at + offset for at in range(len(names))],
                marker,
                color=SLOTS[slot]["light"],
                label=label,
                markersize=7,
            )
        axes.set(title=title, xlabel=unit, xlim=(-most / 50, most))
        axes.grid(alpha=0.3)
    panels[0].set_yticks(range(len(names)), names)
    panels[0].invert_yaxis()
    panels[0].set_ylabel("an ACK for, or after")
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=2, frameon=False)
    figure.savefig(HERE / "quic.png", dpi=110)


if __name__ == "__main__":
    main()
