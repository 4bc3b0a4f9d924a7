"""Writes crates/path/tests/medium/saturation.csv: what the model of acklab.models.dcf says of saturated stations."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from acklab.models.dcf import BIANCHI, Channel, saturation

STATIONS = (1, 2, 3, 5, 8, 12, 20, 30, 50)
#: 802.11b as its defaults are, packets of 1500 bytes; EIFS after collisions, attempts come to an end.
B = Channel(
    payload=1500,
    header=36,
    rate=11e6,
    basic_rate=2e6,
    plcp=192e-6,
    slot=20e-6,
    sifs=10e-6,
    difs=50e-6,
    propagation=1e-6,
    after_collision=364e-6,
    stages=5,
    attempts=7,
)
CASES = {
    "bianchi-basic": BIANCHI,
    "bianchi-rts": replace(BIANCHI, rts=True),
    "802.11b-basic": B,
    "802.11b-rts": replace(B, rts=True),
}


def table() -> str:
    """The file's text."""
    rows = [f"{name},{n},{saturation(n, channel):.1f}" for name, channel in CASES.items() for n in STATIONS]
    return "\n".join(["case,stations,model_bps", *rows, ""])


if __name__ == "__main__":
    path = Path(__file__).resolve().parent.parent / "crates/path/tests/medium/saturation.csv"
    path.write_text(table(), encoding="utf-8")
