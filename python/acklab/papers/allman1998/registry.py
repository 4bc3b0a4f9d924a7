"""The paper's entry, to which the sections add their figures and claims."""

from __future__ import annotations

from importlib import resources

from ...reproduce._toml import loads
from ...reproduce.paper import Paper
from .setting import PARAMETERS

_NS2 = loads(resources.files(__package__).joinpath("ns2.toml").read_text(encoding="utf-8"))

PAPER = Paper(
    id="allman1998",
    title="On the Generation and Use of TCP Acknowledgments",
    citation="Mark Allman, ACM Computer Communication Review 28(5), October 1998",
    about="When should a receiver acknowledge, and what should the sender make of it? One transfer over a T1, then 50 to "
    "500 competing ones, then somebody typing.",
    sections={
        "2": "Congestion control and acknowledgments",
        "3": "One transfer",
        "4": "Competing transfers",
        "5": "Telnet",
        "6": "Conclusions",
    },
    parameters=PARAMETERS,
    ns2={f"allman1998.{claim}": value for claim, value in _NS2["value"].items()},
    ns2_numbers={f"allman1998.{claim}": value for claim, value in _NS2.get("number", {}).items()},
)
