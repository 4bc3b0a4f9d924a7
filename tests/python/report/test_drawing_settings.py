"""Charts are the same whatever the user's matplotlibrc says, and say nothing on the terminal."""

from __future__ import annotations

import subprocess
import sys
import warnings
from pathlib import Path

import matplotlib
import matplotlib.figure
import pytest
import synthetic

from acklab.figures import draw
from acklab.figures.charts import Axis, Dot, DotPanel, Dots, Line, Lines, Panel
from acklab.plot import mpl
from acklab.plot.style import Powers

THEIRS = {
    "text.usetex": True, "text.parse_math": True, "font.family": ["cursive"], "font.size": 31, "axes.facecolor": "red",
    "figure.facecolor": "#123456", "figure.dpi": 31, "savefig.dpi": 33, "savefig.bbox": "tight", "savefig.transparent": True,
    "axes.grid": True, "axes.spines.left": False, "lines.linewidth": 9, "lines.linestyle": ":", "axes.unicode_minus": False,
    "axes.formatter.use_locale": True, "axes.formatter.use_mathtext": True, "svg.fonttype": "path", "svg.hashsalt": "theirs",
    "svg.image_inline": False, "path.sketch": (1, 100, 2), "legend.frameon": True, "xtick.top": True, "figure.autolayout": True,
    "image.cmap": "jet", "axes.titlelocation": "right", "path.simplify": False, "xtick.minor.visible": True,
}  # fmt: skip

CHARTS = [
    Lines("l", "", [Panel("$t$", Axis("x", log=True), Axis("y", log=True), [Line("$a", [1, 2, 300], [0.01, 2, 3], "blue"), Line("_b", [1, 2, 3], [4, 5, 6], "red")])]),
    Dots("d", "", ["名前 $x^2$", 300 * "x"], [DotPanel("$\\frac{", [Dot(0, 1.0, (0.5, 2.0), "blue"), Dot(1, 2.0, (0.5, 2.5), "red")])], [("_k", "blue"), ("l", "red")]),
]  # fmt: skip


def drawn(folder: Path) -> list[bytes]:
    folder.mkdir()
    found = [draw.save(chart, folder / f"{chart.name}.png").svg.encode() for chart in CHARTS]
    run = synthetic.run("$x^2$ 名前", segments=20)
    files = mpl.save_all([run, {**run, "label": "_other"}], folder)
    return found + [path.read_bytes() for path in sorted({*files, *folder.glob("*.png")})]


def test_no_setting_of_the_user_shows(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", message="Glyph")  # which drawing() itself keeps from the terminal
        ours = drawn(tmp_path / "ours")
        with matplotlib.rc_context(THEIRS):
            theirs = drawn(tmp_path / "theirs")
    assert ours == theirs
    assert capfd.readouterr() == ("", "")


def test_texts_stand_as_they_are(tmp_path: Path) -> None:
    lines, dots = (draw.save(chart).svg for chart in CHARTS)
    assert ">$t$</text>" in lines and ">$a</text>" in lines and "> _b</text>" in lines
    assert ">10²</text>" in lines and ">10⁻²</text>" in lines
    assert ">名前 $x^2$</text>" in dots and ">$\\frac{</text>" in dots
    [file] = [
        path for path in mpl.save_all(synthetic.run(flows=2, segments=9), tmp_path, ["svg"]) if path.stem == "cwnd"
    ]
    assert "DejaVu Sans" in file.read_text()


def test_a_matplotlibrc_breaks_nothing(tmp_path: Path) -> None:
    (tmp_path / "matplotlibrc").write_text("text.usetex: True\nfont.family: cursive\naxes.facecolor: red\n")
    (tmp_path / "s.toml").write_text(
        'stop = { when = "flows-complete" }\nlink = [{ between = ["S", "R"], rate = "1Mbps", delay = "1ms" }]\n'
        'flow = [{ name = "名", from = "S", to = "R", size = { segments = 5 } }]\n'
    )
    command = [Path(sys.executable).with_name("acklab"), "run", "s.toml", "--out", "o"]
    told = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False)
    assert (told.returncode, told.stderr) == (0, "")


@pytest.mark.parametrize(("value", "label"), [(100.0, "10²"), (0.001, "10⁻³"), (1.0, "10⁰")])
def test_powers(value: float, label: str) -> None:
    axes = matplotlib.figure.Figure().subplots()
    axes.set(xscale="log", xlim=(1e-4, 1e4))
    axes.xaxis.set_major_formatter(Powers())
    assert axes.xaxis.get_major_formatter()(value) == label
