#!/usr/bin/env python3
"""The grid (`cases.csv`) and what quinn makes of it (`quinn.csv`, `windows.csv`).

make_data.py            writes them anew; builds the program first, which needs cargo and the registry
make_data.py --check    compares instead
"""

import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
HEAD = "name,rate_bps,delay_ms,queue,back_bps,back_queue,bytes,lose,segments,max_ack_delay_ms,reordering"

# Rate, one-way delay, packets that may wait or be served; the same of the way back.
PATHS = {
    # Nothing is lost: the queue holds whatever slow start sends.
    "roomy": (20_000_000, 20, 5000, 20_000_000, 5000),
    # Slow start overshoots a queue of a product of rate and delay.
    "shallow": (20_000_000, 20, 80, 20_000_000, 5000),
    # A narrow way back: 65 bytes an ACK, of which it carries 192 in a second.
    "narrow": (20_000_000, 20, 80, 100_000, 50),
    # A long way.
    "long": (20_000_000, 150, 600, 2_000_000, 200),
}
# What a sender asks for: packets an ACK may cover, longest delay in ms, reordering threshold.
ASKED = [("", "", ""), (2, 25, 1), (5, 25, 1), (10, 25, 1), (10, 25, 3), (10, 25, 0), (40, 25, 3), (1000, 10, 3)]
# One packet, a second of the same window, a row of them, the last one; of 2000 there are about 1714.
LOSSES = {"": "", "-one": "300", "-two": "300 330", "-row": "300 301 302 303 304", "-tail": "1713"}


def cases():
    for path, (rate, delay, queue, back, back_queue) in PATHS.items():
        for segments, delay_ms, reordering in ASKED:
            for loss, numbers in LOSSES.items():
                if loss and path != "roomy":
                    continue
                asked = f"{segments}-{delay_ms}-{reordering}" if segments else "plain"
                name = f"{path}{loss}-{asked}"
                size = 10_000_000 if path == "long" else 2_000_000
                yield f"{name},{rate},{delay},{queue},{back},{back_queue},{size},{numbers},{segments},{delay_ms},{reordering}"


def main():
    grid = "\n".join([HEAD, *cases()]) + "\n"
    run = ["cargo", "run", "--release", "--quiet", "--manifest-path", str(HERE / "Cargo.toml"), "--"]
    made = {"cases.csv": grid}
    for name, flags in (("quinn.csv", []), ("windows.csv", ["--windows"])):
        kept = (
            grid
            if name == "quinn.csv"
            else "\n".join(line for line in grid.splitlines() if line == HEAD or "-one-" in line) + "\n"
        )
        made[name] = subprocess.run([*run, *flags], input=kept, text=True, capture_output=True, check=True).stdout
    if "--check" in sys.argv[1:]:
        differing = [name for name, text in made.items() if (HERE / name).read_text() != text]
        sys.exit(f"other than committed: {', '.join(differing)}" if differing else 0)
    for name, text in made.items():
        (HERE / name).write_text(text)


if __name__ == "__main__":
    main()
