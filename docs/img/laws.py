"""Measures the laws between loss and window, draws them, and writes the tables of docs/laws.md: `python docs/img/laws.py`.

Takes about a minute of one processor.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import matplotlib

from acklab import run_batch
from acklab.models import laws

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


def main() -> None:
    """Measures all of it."""
    rows = constants(list(LOSSES))
    matplotlib.rcParams |= {"svg.hashsalt": "acklab", "font.size": 9}
    for theme in ("light", "dark"):
        laws.plot(rows, theme).savefig(HERE / f"laws-{theme}.svg", metadata={"Date": None})
    text = PAGE.read_text(encoding="utf-8")
    for name, lines in (("constants", constants_table(rows)), ("cubic", cubic_table(CUBIC))):
        before, rest = text.split(f"<!-- {name} -->\n")[0::2]
        head = "\n".join(text.split(f"<!-- {name} -->\n")[1].split("\n")[:2])
        text = f"{before}<!-- {name} -->\n{head}\n" + "\n".join(lines) + f"\n<!-- {name} -->\n{rest}"
    PAGE.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
