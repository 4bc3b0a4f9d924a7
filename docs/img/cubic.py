"""Draws docs/img/cubic.png: `python docs/img/cubic.py`. The shares of docs/howto/cubic-acks.md, by its plan."""

from __future__ import annotations

import sys
from pathlib import Path

from matplotlib.figure import Figure

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path += [str(ROOT / "python")]

import acklab  # noqa: E402

CREDITS = {"ack-counting": "one segment an ACK", "abc": "ABC, limit 2", "ubc": "all bytes", "linux": "Linux"}


def main() -> None:
    """A panel for each rule: the share of the flow with fewer ACKs, by ratio and round trip."""
    means = acklab.sweep(ROOT / "examples" / "cubic" / "ratio.toml").summary.pivot(
        "metric", index=["credit", "ratio", "delay_s"], values="mean"
    )
    figure = Figure(figsize=(11, 3.1), layout="constrained")
    panels = figure.subplots(1, len(CREDITS), sharey=True)
    for axes, (credit, title) in zip(panels, CREDITS.items(), strict=True):
        rows = means.filter(means["credit"] == credit)
        ratios, delays = sorted(set(rows["ratio"])), sorted(set(rows["delay_s"]))
        share = {
            (r["ratio"], r["delay_s"]): 100 * r["goodput of rarely"] / (r["goodput of rarely"] + r["goodput of often"])
            for r in rows.to_dicts()
        }
        grid = [[share[ratio, delay] for delay in delays] for ratio in ratios]
        shown = axes.imshow(grid, vmin=0, vmax=100, cmap="RdBu", aspect="auto", origin="lower")
        for y, row in enumerate(grid):
            for x, value in enumerate(row):
                axes.text(
                    x, y, f"{value:.0f} %", ha="center", va="center", color="white" if abs(value - 50) > 30 else "black"
                )
        axes.set(title=title, xlabel="round trip, ms", xticks=range(len(delays)), yticks=range(len(ratios)))
        axes.set_xticklabels([f"{2000 * delay + 4:.0f}" for delay in delays])
        axes.set_yticklabels(ratios)
    panels[0].set_ylabel("segments an ACK covers")
    figure.colorbar(shown, ax=panels, label="share of the flow, %")
    figure.savefig(HERE / "cubic.png", dpi=100)


if __name__ == "__main__":
    main()
