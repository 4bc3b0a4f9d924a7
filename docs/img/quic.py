"""Draws docs/img/quic.png: `python docs/img/quic.py`. The settings of docs/howto/quic.md over two uplinks."""

from __future__ import annotations

import contextlib
import io
import sys
import tempfile
from pathlib import Path

from matplotlib.figure import Figure

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path += [str(ROOT / "python")]

from acklab.plot.palette import SLOTS  # noqa: E402

UPLINKS = {"1Mbps": ("1 Mb/s up", "orange", "o"), "10Mbps": ("10 Mb/s up", "blue", "s")}


def measured() -> dict[str, list[tuple[str, float, float, float]]]:
    """Uplink -> setting, goodput in Mb/s, share of the uplink in per cent, repair in ms: the page's own program, twice."""
    page = (ROOT / "docs" / "howto" / "quic.md").read_text()
    scenario = page.split("```toml\n", 1)[1].split("```", 1)[0]
    program = page.split("```python\n", 1)[1].split("```", 1)[0]
    found = {}
    for rate in UPLINKS:
        with tempfile.TemporaryDirectory() as name, contextlib.chdir(name):
            Path("quic.toml").write_text(scenario.replace("1Mbps", rate))
            printed = io.StringIO()
            with contextlib.redirect_stdout(printed):
                exec(compile(program, "quic.md", "exec"), {})
        rows = []
        for line in printed.getvalue().splitlines()[1:]:
            words = line[24:].split()
            rows.append((line[:24].strip(), float(words[0]), float(words[2].rstrip("%")), float(words[5])))
        found[rate] = rows
    return found


def main() -> None:
    """Three panels, a row for each setting."""
    found = measured()
    figure = Figure(figsize=(11, 4.2), layout="constrained")
    panels = figure.subplots(1, 3, sharey=True)
    titles = [("goodput", "Mb/s", 50), ("ACKs' share of the uplink", "%", 105), ("from a loss to its repair", "ms, median", 260)]
    names = [row[0] for row in found["1Mbps"]]
    for axes, column, (title, unit, most) in zip(panels, (1, 2, 3), titles, strict=True):
        for offset, (rate, (label, slot, marker)) in zip((-0.12, 0.12), UPLINKS.items(), strict=True):
            values = [row[column] for row in found[rate]]
            axes.plot(values, [at + offset for at in range(len(names))], marker, color=SLOTS[slot]["light"], label=label, markersize=7)
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
