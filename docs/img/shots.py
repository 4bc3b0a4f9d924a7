"""Photographs every kind of page, at a desktop's and a telephone's width, light and dark: `make shots`.

Pages and pictures are in acklab-out/shots, and contact.png has them side by side: whoever changes a page sees all of them. Needs Chromium,
and root for the live page.
"""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

from PIL import Image, ImageDraw

ROOT = Path(__file__).resolve().parents[2]
OUT = ROOT / "acklab-out" / "shots"
sys.path.append(str(ROOT / "tests" / "python" / "report"))

import browser  # noqa: E402

CAPTURE = "examples/captures/linux-receiver.pcap"
#: A transfer that is long enough for a what-if, and its capture.
LONG = ["run", "examples/t1.toml", "--set", 'flow.0.size={bytes="2MB"}', "--capture", "S->G@S"]
LONG_CAPTURE = OUT / "captured" / "S-G@S.pcapng"
#: Page -> the command that makes it, without --out, and its file.
PAGES = {
    "run": ("run examples/allman1998.toml", "report.html"),
    "compare": ("compare examples/access/dsl.toml --cases examples/access/filters.toml --set stop.at=10s", "comparison.html"),
    "sweep": ("sweep examples/queue.toml", "sweep.html"),
    "tune": ("tune examples/access/tune.toml", "tune.html"),
    "infer": ("infer examples/infer/sender.toml", "infer.html"),
    "analyze": (f"analyze {CAPTURE}", "analysis.html"),
    "fit": (f"fit {CAPTURE}", "fit.html"),
    "what-if": (f"fit {LONG_CAPTURE} --what-if flow.0.receiver.ack=every", "fit.html"),
    "qlog": ("analyze examples/captures/quic-go.sqlog.gz", "analysis.html"),
    "live": ("run --live examples/live.toml", "report.html"),
    "paper": ("reproduce veno --quick", "veno.html"),
    "index": ("reproduce veno --quick", "index.html"),
    "demo": ("demo", "demo/report.html"),
}  # fmt: skip
#: Picture -> width, height of the first screen, dark.
SCREENS = {"desktop": (1280, 800, False), "phone": (390, 844, False), "dark": (1280, 800, True), "phone-dark": (390, 844, True)}  # fmt: skip
#: True once all charts are there: those over time say so themselves.
DRAWN = "document.readyState === 'complete' && (!document.getElementById('viewer') || 'readyMs' in document.documentElement.dataset)"
#: Pixels of a picture's width in the contact sheet, and how much of its height is there.
WIDTH, TALL = 320, 900


def make(names: list[str]) -> None:
    """Runs the commands whose pages are not there yet."""
    if "what-if" in names and not LONG_CAPTURE.exists():
        acklab(LONG, LONG_CAPTURE.parent)
    for name in names:
        command, file = PAGES[name]
        if not (OUT / name / file).exists():
            acklab(command.split(), OUT / name)


def acklab(words: list[str], out: Path) -> None:
    """Runs a command, which writes to a directory."""
    program = Path(sys.executable).with_name("acklab")
    subprocess.run([program, *words, "--out", out], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)


def photograph(names: list[str]) -> None:
    """Takes the pictures, with one browser a screen."""
    for screen, (width, height, dark) in SCREENS.items():
        with browser.Browser(width, height, dark=dark, touch=width < 700) as chromium:
            for name in names:
                chromium("Page.navigate", url=(OUT / name / PAGES[name][1]).as_uri())
                while not chromium.js(DRAWN):
                    time.sleep(0.1)
                chromium.picture(OUT / f"{name}-{screen}.png")


def contact(names: list[str]) -> Path:
    """Puts all pictures into one, a row a page."""
    sheet = Image.new("RGB", (len(SCREENS) * WIDTH, len(names) * TALL), "white")
    for row, name in enumerate(names):
        for column, screen in enumerate(SCREENS):
            picture = Image.open(OUT / f"{name}-{screen}.png").convert("RGB")
            picture = picture.resize((WIDTH - 8, round(picture.height * (WIDTH - 8) / picture.width)))
            sheet.paste(picture.crop((0, 0, WIDTH - 8, TALL - 24)), (column * WIDTH, row * TALL + 20))
        ImageDraw.Draw(sheet).text((4, row * TALL + 4), f"{name}: {PAGES[name][0]}", fill="black")
    sheet.save(OUT / "contact.png", optimize=True)
    return OUT / "contact.png"


if __name__ == "__main__":
    chosen = sys.argv[1:] or list(PAGES)
    make(chosen)
    photograph(chosen)
    print(contact(chosen))
