"""Links, what stands on them, and common networks in a few words; field for field the scenario file.

Units are texts: rates ``"1.5Mbps"``, times ``"45ms"``, sizes ``"200kB"`` (1 kB = 1000 B, 1 KiB = 1024 B).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from ._part import Part


@dataclass(kw_only=True, repr=False)
class Queue(Part):
    """A link's buffer; exactly one of its four limits must be given."""

    kind: Literal["drop-tail"] = "drop-tail"
    """The discipline."""
    packets: int | None = None
    """Whole capacity in packets, the one in service included (ns-2's queue limit)."""
    waiting: int | None = None
    """Packets that may wait, the one in service not counted."""
    bytes: str | None = None
    """Whole capacity in bytes, the packet in service included."""
    waiting_bytes: str | None = None
    """Bytes that may wait, the packet in service not counted."""


@dataclass(kw_only=True, repr=False)
class Loss(Part):
    """A link direction's losses; exactly one of ``rate`` and ``list`` must be given."""

    rate: float | None = None
    """Probability with which each packet is lost, 0 to 1."""
    list: Sequence[int] | None = None
    """The packets lost, counted from 0 over what the model sees."""
    where: Literal["before-queue", "after-queue"] | None = None
    """Before the queue (the default), or after transmission."""
    only: Literal["data", "payload", "acks"] | None = None
    """Which packets the model sees and counts; left out: all."""
    seed: int | None = None
    """Draw as ns-2 does after ``seed N``, instead of from the run's own stream."""


@dataclass(kw_only=True, repr=False)
class Back(Part):
    """What differs in a link's return direction; rate, delay and queue default to the forward direction's."""

    rate: str | None = None
    delay: str | None = None
    queue: Queue | Mapping[str, Any] | None = None
    loss: Loss | Mapping[str, Any] | None = None


@dataclass(kw_only=True, repr=False)
class Pipe(Part):
    """A link without its ends."""

    rate: str
    """Serialisation rate, such as ``"1.5Mbps"``."""
    delay: str
    """Propagation delay, such as ``"45ms"``."""
    queue: Queue | Mapping[str, Any] | None = None
    """Left out: drop-tail, 1000 packets."""
    loss: Loss | Mapping[str, Any] | None = None
    """Losses in the forward direction."""
    back: Back | Mapping[str, Any] | None = None
    """What differs in the return direction."""


@dataclass(kw_only=True, repr=False)
class _Ends(Part):
    between: tuple[str, str] | Sequence[str]
    """The nodes, which exist by being named; the forward direction is from the first to the second."""


@dataclass(kw_only=True, repr=False)
class Link(Pipe, _Ends):
    """A duplex link between two nodes."""


@dataclass(kw_only=True, repr=False)
class Direction(Part):
    """One direction of a link."""

    rate: str
    """Serialisation rate."""
    delay: str
    """Propagation delay."""
    queue: Queue | Mapping[str, Any] | None = None
    """Left out: drop-tail, 1000 packets."""
    loss: Loss | Mapping[str, Any] | None = None
    """Losses of this direction."""


@dataclass(kw_only=True, repr=False)
class Dumbbell(Part):
    """Senders S0, S1 ... and receivers R0, R1 ... on the two sides of one bottleneck, G1 to G2."""

    kind: Literal["dumbbell"] = "dumbbell"
    pairs: int | None = None
    """Senders, and receivers; left out: 1."""
    bottleneck: Pipe | Mapping[str, Any]
    """The link G1 to G2."""
    access: Pipe | Mapping[str, Any]
    """The links Sk to G1, and G2 to Rk."""
    access_right: Pipe | Mapping[str, Any] | None = None
    """The links G2 to Rk, where they differ."""


@dataclass(kw_only=True, repr=False)
class ParkingLot(Part):
    """A chain of routers G0, G1 ... crossed as a whole from S to R, and hop k alone from Xk to Yk."""

    kind: Literal["parking-lot"] = "parking-lot"
    hops: int
    """Links of the chain."""
    hop: Pipe | Mapping[str, Any]
    """The links Gk to Gk+1."""
    access: Pipe | Mapping[str, Any]
    """The links of the hosts."""


@dataclass(kw_only=True, repr=False)
class Asymmetric(Part):
    """A server S, an access router A, and a client C whose access link is faster down than up."""

    kind: Literal["asymmetric"] = "asymmetric"
    down: Direction | Mapping[str, Any]
    """The direction A to C."""
    up: Back | Mapping[str, Any]
    """The direction C to A; delay and queue are those of ``down`` where left out."""
    server: Pipe | Mapping[str, Any]
    """The link S to A."""


Topology = Dumbbell | ParkingLot | Asymmetric
"""A shorthand for links, which come before those of the scenario."""
