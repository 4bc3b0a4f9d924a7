"""The path, what thins its ACKs, the rules, and every parameter with its reason."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

from acklab.reproduce.paper import Parameter, Study

Table = dict[str, Any]


@dataclass(frozen=True)
class Thinner:
    """What removes ACKs."""

    name: str
    ack: Table = field(default_factory=lambda: {"policy": "delayed", "segments": 2, "timer": "40ms"})
    tells: bool = True
    """Whether marks are acknowledged at once (RFC 9768 section 3.2.2.5.1)."""
    stages: tuple[Table, ...] = ()
    """On the ACKs' way."""
    arrivals: tuple[Table, ...] = ()
    """At the receiving host."""
    queue: Table | None = None
    """Of the ACKs' link."""
    up: str = "100Mbps"


def _thin(every: int, blind: bool) -> tuple[Table, ...]:
    return ({"kind": "thin", "every": every, "hold": "10ms", "blind": blind},)


STRETCH: Table = {"policy": "delayed", "segments": 40, "timer": "40ms"}
THINNERS = {
    "delayed": Thinner("delayed ACKs"),
    "aware": Thinner("1 of 16, reads flags", stages=_thin(16, False)),
    "thin4": Thinner("1 of 4, blind", stages=_thin(4, True)),
    "thin16": Thinner("1 of 16, blind", stages=_thin(16, True)),
    "cake": Thinner("CAKE's filter, 0.3 Mb/s", queue={"kind": "cake", "ack_filter": "on"}, up="300kbps"),
    "gro": Thinner("GRO, 2 ms", arrivals=({"kind": "gro", "coalesce": "2ms"},)),
    "stretch": Thinner("stretch 40, marks wait", ack=STRETCH, tells=False),
    "told": Thinner("stretch 40, marks at once", ack=STRETCH),
}
"""What thins ACKs, by short names."""

RULES = {"rfc9768": "RFC 9768", "linux": "Linux before", "linux-thinned": "Linux after"}
"""Rules for an ambiguous counter, by their names in a scenario."""
OPTIONS = {"off": "ACE only", "always": "option"}
MARKS = (0.001, 0.01, 0.05, 0.1, 0.25, 0.5)
"""Shares of marked segments."""
WINDOW = 160
SECONDS = 4


def scenario(thinner: str, rule: str, option: str, seed: int, control: Table, path: Table) -> str:
    """A run's text: one endless download over a link that `path` completes."""
    kind = THINNERS[thinner]
    back: Table = {"rate": kind.up, "stages": list(kind.stages)}
    if kind.queue:
        back["queue"] = kind.queue
    stages = [*path.get("stages", ()), *kind.arrivals]
    link = {"between": ["S", "R"], "rate": "100Mbps", "delay": "10ms", **path, "stages": stages, "back": back}
    tells = {} if kind.tells else {"change_acks": "off", "marked_acks": 0}
    flow = {
        "name": "down",
        "from": "S",
        "to": "R",
        "size": "unlimited",
        "sender": {"stack": "rfc", "accurate_ecn": True, "ace": rule, **control},
        "receiver": {"stack": "rfc", "ack": kind.ack, "accecn_option": option, **tells},
    }
    return json.dumps({"seed": seed, "stop": {"at": f"{SECONDS}s"}, "link": [link], "flow": [flow]})


PARAMETERS = (
    Parameter("link", "100 Mb/s, 10 ms each way", "inferred", "an access link; only packets an ACK matter"),
    Parameter(
        "window",
        f"{WINDOW} segments",
        "inferred",
        "a round trip of the link; a window that marks do not move keeps the load equal",
    ),
    Parameter("marks", "0.1 to 50 %", "inferred", "from a classic queue to one that marks at a step"),
    Parameter(
        "independent marks", "each segment by itself", "inferred", "marks in bursts would come with more in one ACK"
    ),
    Parameter(
        "uplink of CAKE",
        "0.3 Mb/s",
        "inferred",
        "a fifteenth of what the ACKs would take: ACKs wait, so that the filter works",
    ),
    Parameter("GRO", "an interrupt 2 ms after the first packet", "inferred", "about 16 segments a poll at 100 Mb/s"),
)

STUDY = Study(
    id="marks2026",
    title="How well do senders count marks when ACKs are thinned?",
    citation="A study of acklab's own; no paper's claims are judged here",
    about="With accurate ECN (RFC 9768) an ACK carries a counter of three bits. Receivers, hosts and queues on the way remove ACKs. "
    "The study compares the marks that came with those that the sender counts, by three rules and with or without the option.",
    sections={"1": "Counts of a window that nothing moves"},
    parameters=PARAMETERS,
)
