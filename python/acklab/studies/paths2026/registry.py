"""The study's entry, to which the parts add their figures."""

from __future__ import annotations

from ...reproduce.paper import Study
from .setting import PARAMETERS

STUDY = Study(
    id="paths2026",
    title="Which ACK strategy on the paths of 2026?",
    citation="A study of acklab's own; no paper's claims are judged here",
    about="Downloads over fibre, Wi-Fi, LTE and a geostationary satellite under SACK recovery (RFC 6675) with Reno's and CUBIC's window, "
    "and seven ways to acknowledge them. Somebody on the same access sends a small request every 20 ms or so: its round trip "
    "is the latency under load.",
    sections={"1": "Seven mechanisms side by side", "2": "An ACK for every k segments", "3": "A sender with HyStart++ and RACK-TLP"},
    parameters=PARAMETERS,
)
