"""Writes crates/path/tests/medium/saturation.csv: what the model of acklab_studies.dcf says of saturated stations."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from acklab_studies.dcf import BIANCHI, DOT11B, saturation

STATIONS = (1, 2, 3, 5, 8, 12, 20, 30, 50)
CASES = {
    "bianchi-basic": BIANCHI,
    "bianchi-rts": replace(BIANCHI, rts=True),
    "802.11b-basic": DOT11B,
    "802.11b-rts": replace(DOT11B, rts=True),
}


def table() -> str:
    """The file's text."""
    rows = [f"{name},{n},{saturation(n, channel):.1f}" for name, channel in CASES.items() for n in STATIONS]
    return "\n".join(["case,stations,model_bps", *rows, ""])


if __name__ == "__main__":
    path = Path(__file__).resolve().parent.parent / "crates/path/tests/medium/saturation.csv"
    path.write_text(table(), encoding="utf-8")
