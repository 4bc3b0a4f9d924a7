"""Flows, and the scenario that holds them. One to one with the scenario file.

Units are texts: rates ``"1.5Mbps"``, times ``"45ms"``, sizes ``"200kB"`` (1 kB = 1000 B, 1 KiB = 1024 B). What is
left at None is left out of the file, so the simulator's default holds.

Written by tools/builder.py from the JSON Schema (``make builder``); changes belong in the Rust types.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from . import _toml
from ._part import Part
from .network import Link, Topology, Wlan
from .rules import Receiver, Sender, Stack


@dataclass(kw_only=True, repr=False)
class Size(Part):
    """How much a flow sends. Exactly one must be given."""

    segments: int | None = None
    """That many full segments."""
    bytes: str | None = None
    """That many payload bytes."""
    uniform: Sequence[str] | None = None
    """Payload bytes drawn anew for each transfer, uniformly between two ends."""


AnySize = Size | Literal["unlimited"]
"""How much a flow sends.

- "unlimited": Until the run ends.
"""


@dataclass(kw_only=True, repr=False)
class Repeat(Part):
    """A transfer that starts again, each time on a new connection."""

    times: int
    """Transfers in all."""
    think: str | None = None
    """Pause between the end of one and the start of the next; "0s" where left out."""
    think_to: str | None = None
    """Longest pause: each is drawn uniformly from `think` to here. Left out, all are `think`."""


Pauses = Literal["pareto", "tcplib"]
"""Pauses between keystrokes, as measured of people.

- "pareto": Pareto of shape 0.9 from 0.12 s, cut at 50 s: 15 % exceed a second, the mean is 1.1 s.
- "tcplib": What ns-2's tcplib source does: its quantiles, as measured; the mean is 1.1 s, the longest 210 s.
"""


@dataclass(kw_only=True, repr=False)
class Telnet(Part):
    """Somebody typing (ledger allman1998.m.telnet)."""

    kind: Literal["telnet"] = "telnet"
    mean: str | None = None
    """Mean of exponentially distributed pauses."""
    pauses: Pauses | None = None
    """Without `mean`: how pauses are distributed; left out, `pareto`."""
    write: str | None = None
    """Payload bytes of each write; left out, one full segment."""


First = Literal["on", "off"]
"""How an on-off source begins.

- "on": Sending.
- "off": Silent.
"""


Spans = Literal["constant", "exponential"]
"""Lengths of the spans of an on-off source.

- "constant": Always as given.
- "exponential": Drawn anew, with the given mean.
"""


@dataclass(kw_only=True, repr=False)
class Udp(Part):
    """Datagrams that nobody acknowledges (UDP; ledger smartacking.m.onoff_udp)."""

    kind: Literal["udp"] = "udp"
    rate: str
    """Rate while it is on, headers included."""
    packet: int | None = None
    """Bytes of a datagram on the wire, headers included; 1000 where left out."""
    first: First | None = None
    """Which comes first; "on" where left out."""
    off: str | None = None
    """How long it is off; 0s is never; "0s" where left out."""
    on: str | None = None
    """How long it is on; "5s" where left out."""
    spans: Spans | None = None
    """Whether these spans are the same each time; "constant" where left out."""


Source = Telnet | Udp
"""An application that sends by itself."""


@dataclass(kw_only=True, repr=False)
class Flow(Part):
    """A transfer, or several alike."""

    _keys: ClassVar[dict[str, str]] = {"from_": "from"}

    name: str | None = None
    """Unique; `flow0`, `flow1`, ... by place in the file where left out. Several are called name0, name1, ..."""
    from_: str
    """Node of the sender."""
    to: str
    """Node of the receiver."""
    start: str | None = None
    """When the (first) transfer starts; "0s" where left out."""
    size: AnySize | Mapping[str, Any] | None = None
    """How much is sent; "unlimited" where left out."""
    count: int | None = None
    """For how many flows this table stands; 1 where left out."""
    receiver: Receiver | Mapping[str, Any] | None = None
    """The receiver's stack, and rules that override it."""
    repeat: Repeat | Mapping[str, Any] | None = None
    """Whether the transfer starts again after it has finished."""
    sender: Sender | Mapping[str, Any] | None = None
    """The sender's stack, and rules that override it."""
    source: Source | Mapping[str, Any] | None = None
    """An application that writes now and then; `size` then plays no part."""
    stagger: str | None = None
    """The k-th of several starts at start + k * stagger; "0s" where left out."""


When = Literal["flows-complete"]
"""What a run may wait for.

- "flows-complete": Every flow has finished.
"""


@dataclass(kw_only=True, repr=False)
class Stop(Part):
    """When the run ends: `{ when = "flows-complete", at_most = "1000s" }` or `{ at = "60s" }`."""

    at: str | None = None
    """At this instant, whatever the flows do."""
    at_most: str | None = None
    """Latest end of a run that waits for its flows."""
    when: When | None = None
    """As soon as this is so."""


@dataclass(kw_only=True, repr=False)
class Record(Part):
    """What a run records besides its summary."""

    queue: bool | None = None
    """Each queue's length at each change; false where left out."""
    packets: bool | None = None
    """Every packet event on every link; false where left out."""
    series: bool | None = None
    """The senders' state at each change; false where left out."""


@dataclass(kw_only=True, repr=False)
class Scenario(Part):
    """A network experiment: links, flows over them, and when to stop."""

    _keys: ClassVar[dict[str, str]] = {"stacks": "stack", "links": "link", "wlans": "wlan", "flows": "flow"}

    stacks: Mapping[str, Stack | Mapping[str, Any]] | None = None
    """Stacks derived from others by overriding rules, by name."""
    title: str | None = None
    """What the experiment is, for people; "" where left out."""
    seed: int | None = None
    """Names every random stream, together with the component that draws from it; 1 where left out."""
    stop: Stop | Mapping[str, Any] | None = None
    """When the run ends; once every flow has finished, and at 1000 s in any case, where left out."""
    topology: Topology | Mapping[str, Any] | None = None
    """A whole network in a few words; expands to links, which come before those of the file."""
    links: Sequence[Link | Mapping[str, Any]] | None = None
    """The network: duplex links."""
    wlans: Sequence[Wlan | Mapping[str, Any]] | None = None
    """802.11 networks; their links come after the others."""
    flows: Sequence[Flow | Mapping[str, Any]] | None = None
    """The transfers."""
    record: Record | Mapping[str, Any] | None = None
    """What is recorded besides the summary."""

    def to_toml(self) -> str:
        """The scenario file's text.

        Raises:
            TypeError: a value is of a kind a scenario file does not have.
        """
        return _toml.dumps(self.to_dict())
