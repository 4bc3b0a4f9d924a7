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
    """Number of full segments."""
    bytes: str | None = None
    """Number of payload bytes."""
    uniform: Sequence[str] | None = None
    """Payload bytes, drawn for each transfer uniformly between two bounds."""


AnySize = Size | Literal["unlimited"]
"""How much a flow sends.

- "unlimited": No end: the flow sends until the run ends.
"""


@dataclass(kw_only=True, repr=False)
class Repeat(Part):
    """A transfer that starts again, each time on a new connection."""

    times: int
    """Transfers in all."""
    think: str | None = None
    """Pause between the end of a transfer and the start of the next; default "0s"."""
    think_to: str | None = None
    """Longest pause. Each pause is drawn uniformly from `think` to `think_to`. If left out, each is `think`."""


Pauses = Literal["pareto", "tcplib"]
"""Distribution of the pauses between keystrokes.

- "pareto": Pareto of shape 0.9 from 0.12 s, cut at 50 s: 15 % exceed a second, the mean is 1.1 s.
- "tcplib": Measured quantiles of ns-2's tcplib source: the mean is 1.1 s, the longest pause 210 s.
"""


@dataclass(kw_only=True, repr=False)
class Telnet(Part):
    """A person who types (ledger allman1998.m.telnet)."""

    kind: Literal["telnet"] = "telnet"
    mean: str | None = None
    """Mean of exponentially distributed pauses."""
    pauses: Pauses | None = None
    """Without `mean`: distribution of the pauses; default `pareto`."""
    write: str | None = None
    """Payload bytes of each write; default one full segment."""


@dataclass(kw_only=True, repr=False)
class Writes(Part):
    """A program that writes as much again and again; the flow completes with the last write."""

    kind: Literal["writes"] = "writes"
    times: int
    """How many."""
    every: str
    """From one write to the next."""
    write: str
    """Payload bytes of each write."""


First = Literal["on", "off"]
"""The first period of an on-off source.

- "on": On: it begins to send.
- "off": Off: it begins with a pause.
"""


Spans = Literal["constant", "exponential"]
"""Lengths of the on and off periods of a source.

- "constant": Constant.
- "exponential": Exponentially distributed, with the given mean.
"""


@dataclass(kw_only=True, repr=False)
class Udp(Part):
    """Datagrams without acknowledgments (UDP; ledger smartacking.m.onoff_udp)."""

    kind: Literal["udp"] = "udp"
    rate: str
    """Sending rate during an on period, with headers."""
    packet: int | None = None
    """Size of a datagram on the wire, with headers; default 1000."""
    first: First | None = None
    """The first period; default "on"."""
    off: str | None = None
    """Length of an off period, or its mean; 0s has none; default "0s"."""
    on: str | None = None
    """Length of an on period, or its mean; default "5s"."""
    spans: Spans | None = None
    """Distribution of the lengths of on and off periods; default "constant"."""


Source = Telnet | Writes | Udp
"""An application that decides when data is sent."""


@dataclass(kw_only=True, repr=False)
class Flow(Part):
    """A transfer, or several that are alike."""

    _keys: ClassVar[dict[str, str]] = {"from_": "from"}

    name: str | None = None
    """Unique name. If left out: `flow0`, `flow1`, ... by place in the file. Several flows are called name0, name1, ...
    """
    from_: str
    """Node of the sender."""
    to: str
    """Node of the receiver."""
    start: str | None = None
    """When the (first) transfer starts; default "0s"."""
    size: AnySize | Mapping[str, Any] | None = None
    """How much is sent; default "unlimited"."""
    count: int | None = None
    """Number of flows that this table describes; default 1."""
    dscp: int | None = None
    """DiffServ code point of its packets, from 0 to 63: a CAKE queue sorts them by it; default 0."""
    receiver: Receiver | Mapping[str, Any] | None = None
    """The receiver's stack, and rules that override it."""
    repeat: Repeat | Mapping[str, Any] | None = None
    """Repetition of the transfer after it has finished."""
    sender: Sender | Mapping[str, Any] | None = None
    """The sender's stack, and rules that override it."""
    source: Source | Mapping[str, Any] | None = None
    """Application that writes at random times. `size` is then ignored."""
    stagger: str | None = None
    """Time between the starts of two of them: the k-th starts at start + k * stagger; default "0s"."""


When = Literal["flows-complete"]
"""Condition on which a run may end.

- "flows-complete": Every flow has finished.
"""


@dataclass(kw_only=True, repr=False)
class Stop(Part):
    """When the run ends: `{ when = "flows-complete", at_most = "1000s" }` or `{ at = "60s" }`."""

    at: str | None = None
    """Instant at which the run ends, whether or not flows have finished."""
    at_most: str | None = None
    """Latest end of a run that waits for its flows."""
    when: When | None = None
    """Condition on which the run ends."""


@dataclass(kw_only=True, repr=False)
class Record(Part):
    """What a run records besides its summary."""

    queue: bool | None = None
    """Each queue's length at each change; default false."""
    packets: bool | None = None
    """Every packet event on every link; default false."""
    series: bool | None = None
    """The senders' state at each change; default false."""


@dataclass(kw_only=True, repr=False)
class Scenario(Part):
    """A network experiment: links, flows over them, and when to stop."""

    _keys: ClassVar[dict[str, str]] = {"stacks": "stack", "links": "link", "wlans": "wlan", "flows": "flow"}

    stacks: Mapping[str, Stack | Mapping[str, Any]] | None = None
    """Stacks derived from others by overriding rules, by name."""
    title: str | None = None
    """Title of the experiment, for people; default ""."""
    seed: int | None = None
    """Seed of every random stream, together with the name of the component that draws from it; default 1."""
    stop: Stop | Mapping[str, Any] | None = None
    """When the run ends. If left out: when every flow has finished, at 1000 s at the latest."""
    topology: Topology | Mapping[str, Any] | None = None
    """A common network, which expands to links. They come before those of the file."""
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
