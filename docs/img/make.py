"""Makes the pictures of the documentation by running what the pages show: `python docs/img/make.py`.

The other programs of this directory draw the others.

Needs Chromium. The report is photographed at a width of 1280 dots, from its top to below the queues.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from PIL import Image

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path += [str(ROOT / "tests" / "docs"), str(ROOT / "tests" / "python" / "report")]

import browser  # noqa: E402
import pages  # noqa: E402


def main() -> None:
    """Runs what the pages show, and keeps what it draws."""
    with tempfile.TemporaryDirectory() as scratch:
        directory = Path(scratch)
        pages.prepare(directory)
        pages.try_page(ROOT / "docs" / "overview.md", directory)
        report(directory / "acklab-out" / "reno-sack" / "report.html", HERE / "report.png")
        pages.try_page(ROOT / "docs" / "howto" / "cwnd.md", directory)
        keep(Image.open(directory / "cwnd.png"), HERE / "cwnd.png")
        access(directory)
        for name in STUDIES:
            study(directory, name)
        tuned(directory)
        inferred(directory)


def tuned(directory: Path) -> None:
    """The chart of the search for an ACK policy."""
    subprocess.run(
        [
            Path(sys.executable).with_name("acklab"),
            "tune",
            "examples/access/tune.toml",
            "--charts",
            "png",
            "--out",
            "tuned",
        ],
        cwd=directory,
        check=True,
    )
    keep(Image.open(directory / "tuned" / "paths.png"), HERE / "tune.png")


def inferred(directory: Path) -> None:
    """The chart of the inference of a sender."""
    subprocess.run(
        [
            Path(sys.executable).with_name("acklab"),
            "infer",
            "examples/infer/sender.toml",
            "--charts",
            "png",
            "--out",
            "inferred",
        ],
        cwd=directory,
        check=True,
    )
    keep(Image.open(directory / "inferred" / "values.png"), HERE / "infer.png")


#: The charts of a study, and the pictures that they are.
STUDIES = {
    "paths2026": {"paths": "paths-2026", "sparse": "paths-2026-sparse", "senders": "paths-2026-senders"},
    "sacks2026": {"acks": "sacks-2026-acks", "time": "sacks-2026-time"},
    "requests2026": {"downloads-1MB-bdp": "requests-2026", "downloads-1MB-shallow": "requests-2026-shallow"},
    "marks2026": {"counts": "marks-2026"},
    "controls2026": {"pairs": "controls-2026"},
}


def study(directory: Path, name: str) -> None:
    """The charts of a study, of its full run."""
    subprocess.run(
        [Path(sys.executable).with_name("acklab"), "reproduce", name, "--charts", "png", "--out", "study"],
        cwd=directory,
        check=True,
    )
    for chart, picture in STUDIES[name].items():
        keep(Image.open(directory / "study" / name / "figures" / f"{chart}.png"), HERE / f"{picture}.png")


def access(directory: Path) -> None:
    """The charts of the access links' comparisons."""
    for link in ("dsl", "lte", "cable", "satellite"):
        files = [
            f"examples/access/{link}.toml",
            "--cases",
            "examples/access/filters.toml",
            "--charts",
            "png",
            "--out",
            link,
        ]
        subprocess.run([Path(sys.executable).with_name("acklab"), "compare", *files], cwd=directory, check=True)
        keep(Image.open(directory / link / "comparison.png"), HERE / f"access-{link}.png")


def report(page: Path, to: Path) -> None:
    """A picture of a report's upper part."""
    whole = to.with_suffix(".whole.png")
    with browser.Browser(width=1280) as chromium:
        chromium.open(page)
        heading = "[...document.querySelectorAll('h2')].find(it => it.textContent === 'Congestion window')"
        end = chromium.js(f"{heading}.closest('.card').getBoundingClientRect().top + scrollY")
        chromium.picture(whole)
    keep(Image.open(whole).crop((0, 0, 1280, round(end))), to)
    os.remove(whole)


def keep(picture: Image.Image, to: Path) -> None:
    """Writes a picture with few enough colours to be small, and enough to look the same."""
    few = picture.convert("RGB").quantize(256, method=Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE)
    few.save(to, optimize=True)
    print(f"{to.relative_to(ROOT)}: {picture.width} x {picture.height}, {to.stat().st_size // 1000} kB")


if __name__ == "__main__":
    main()
