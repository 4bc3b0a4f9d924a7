"""Measures the laws between loss and window, draws them, and writes the tables of docs/laws.md: `python docs/img/laws.py`.

Takes about a minute of one processor.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import matplotlib
from matplotlib.figure import Figure

from acklab import run_batch
from acklab.plot import palette
from acklab_studies import laws

HERE = Path(__file__).resolve().parent
PAGE = HERE.parent / "laws.md"

#: Share lost -> how many losses.
LOSSES = {1e-5: 100, 1e-4: 500, 1e-3: 2000, 3e-3: 2000, 1e-2: 2000, 3e-2: 2000, 1e-1: 2000}
#: The same for CUBIC, with its constants and the round trip.
CUBIC = [
    (1e-5, 60, 0.4, 0.7, 0.1), (1e-4, 60, 0.4, 0.7, 0.1), (3e-4, 60, 0.4, 0.7, 0.1), (1e-3, 500, 0.4, 0.7, 0.1),
    (1e-4, 60, 0.4, 0.5, 0.1), (1e-4, 60, 0.8, 0.7, 0.1), (1e-4, 60, 0.4, 0.7, 0.03), (1e-4, 60, 0.4, 0.7, 0.2),
]  # fmt: skip


def constants(shares: list[float]) -> list[dict[str, Any]]:
    """W and p of Reno for each share lost, even and random, every and delayed."""
    cases = [(p, acked, even) for p in shares for acked in (1, 2) for even in (True, False)]
    runs = run_batch(laws.scenario(p, LOSSES[p], even=even, delayed=acked == 2) for p, acked, even in cases)
    rows = []
    for (share, acked, even), outcome in zip(cases, runs, strict=True):
        p, window = laws.measured(outcome)
        rows.append({"share": share, "p": p, "window": window, "acked": acked, "even": even})
    return rows


def constants_table(rows: list[dict[str, Any]]) -> list[str]:
    """A line for each share lost."""
    lines = []
    for share in sorted({row["share"] for row in rows}):
        cells = [f"{share:g}"]
        for acked in (1, 2):
            for even in (True, False):
                row = next(r for r in rows if (r["share"], r["acked"], r["even"]) == (share, acked, even))
                cells.append(f"{row['window'] * math.sqrt(row['p']):.3f}")
            cells.append(f"{laws.pftk(share, 0.1, 1.0, acked) * math.sqrt(share):.3f}")
        lines.append(f"| {' | '.join(cells)} |")
    return lines


def cubic_table(cases: list[tuple[float, int, float, float, float]]) -> list[str]:
    """A line for each case of CUBIC: the formula, and measured without and with fast convergence."""
    scenarios = [
        laws.scenario(p, losses, even=True, rtt_s=rtt,
                      control={"kind": "cubic", "c": c, "beta": beta, "fast_convergence": fast})
        for p, losses, c, beta, rtt in cases for fast in (False, True)
    ]  # fmt: skip
    runs = iter(run_batch(scenarios))
    lines = []
    for p, _, c, beta, rtt in cases:
        plain, fast = (laws.measured(next(runs), rtt)[1] for _ in range(2))
        law = laws.cubic(p, rtt, c, beta)
        lines.append(f"| {p:g} | {c:g} | {beta:g} | {1000 * rtt:g} ms | {law:.1f} | {plain:.1f} | {fast:.1f} |")
    return lines


def plot(rows: Sequence[dict[str, Any]], theme: str = "light") -> Any:
    """Draws measured constants W sqrt(p) over p beside the laws; a row has ``p``, ``window``, ``acked`` (1 or 2) and ``even``."""
    back, ink = palette.BACKGROUND[theme], "#1b1f24" if theme == "light" else "#e6e9ee"
    figure = Figure(figsize=(8.4, 4.2), layout="constrained", facecolor=back)
    axes = figure.add_subplot(facecolor=back)
    over = [10 ** (k / 20) for k in range(-100, -19)]
    for acked, policy, name in ((1, "every", "every segment"), (2, "delayed", "delayed")):
        colour = palette.colour(policy, theme)
        axes.axhline(math.sqrt(1.5 / acked), color=colour, lw=1.2, label=f"√(3/{2 * acked}), {name}")
        law = [laws.pftk(p, 0.1, 1.0, acked) * math.sqrt(p) for p in over]
        axes.plot(over, law, color=colour, lw=1.4, ls="--", label=f"PFTK, {name}")
        for even, marker in ((True, "o"), (False, "x")):
            points = [
                (row["p"], row["window"] * math.sqrt(row["p"]))
                for row in rows
                if (row["acked"], row["even"]) == (acked, even)
            ]
            spread = "even" if even else "random"
            fill = {"markerfacecolor": "none"} if even else {}
            axes.plot(
                *zip(*points, strict=True),
                marker,
                color=colour,
                ms=6,
                mew=1.5,
                label=f"{spread} losses, {name}",
                **fill,
            )
    axes.set(xscale="log", xlabel="share of packets lost, p", ylabel="C = mean window (segments) × √p", ylim=(0, 1.5))
    for item in (axes.xaxis.label, axes.yaxis.label, *axes.get_xticklabels(), *axes.get_yticklabels()):
        item.set_color(ink)
    axes.tick_params(colors=ink, which="both")
    for spine in axes.spines.values():
        spine.set_color(ink)
        spine.set_linewidth(0.6)
    axes.grid(color=ink, alpha=0.15, lw=0.6)
    legend = figure.legend(loc="outside right upper", frameon=False, fontsize=9)
    for text in legend.get_texts():
        text.set_color(ink)
    return figure


def main() -> None:
    """Measures all of it."""
    rows = constants(list(LOSSES))
    matplotlib.rcParams |= {"svg.hashsalt": "acklab", "font.size": 9}
    for theme in ("light", "dark"):
        plot(rows, theme).savefig(HERE / f"laws-{theme}.svg", metadata={"Date": None})
    text = PAGE.read_text(encoding="utf-8")
    for name, lines in (("constants", constants_table(rows)), ("cubic", cubic_table(CUBIC))):
        before, rest = text.split(f"<!-- {name} -->\n")[0::2]
        head = "\n".join(text.split(f"<!-- {name} -->\n")[1].split("\n")[:2])
        text = f"{before}<!-- {name} -->\n{head}\n" + "\n".join(lines) + f"\n<!-- {name} -->\n{rest}"
    PAGE.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
