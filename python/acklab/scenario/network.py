"""Links, what stands on them, and common networks in a few words. One to one with the scenario file.

Units are texts: rates ``"1.5Mbps"``, times ``"45ms"``, sizes ``"200kB"`` (1 kB = 1000 B, 1 KiB = 1024 B). What is
left at None is left out of the file, so the simulator's default holds.

Written by tools/builder.py from the JSON Schema (``make builder``); changes belong in the Rust types.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from ._part import Part


@dataclass(kw_only=True, repr=False)
class DropTail(Part):
    """First in, first out; an arrival that finds no room is dropped. At most one limit; `packets = 1000` without any.
    """

    kind: Literal["drop-tail"] = "drop-tail"
    bytes: str | None = None
    """Whole capacity in bytes, the packet in service included."""
    packets: int | None = None
    """Whole capacity in packets, the one in service included (ns-2's `queue-limit`; 1 admits nothing, as in ns-2)."""
    waiting: int | None = None
    """Packets that may wait, the one in service not counted."""
    waiting_bytes: str | None = None
    """Bytes that may wait, the packet in service not counted."""


@dataclass(kw_only=True, repr=False)
class Red(Part):
    """Random early detection."""

    kind: Literal["red"] = "red"
    seed: int | None = None
    """Draws as ns-2 does after `seed N` instead of from the run's named stream."""
    count_bytes: bool | None = None
    """Whether the queue is measured in bytes, in units of `mean_packet`; false where left out."""
    ecn: bool | None = None
    """Whether packets that can be marked are marked instead of dropped early; false where left out."""
    gentle: bool | None = None
    """Whether the drop probability rises from `max_p` to 1 between `max` and twice `max`; false where left out."""
    max: float | None = None
    """Average queue at which everything is dropped, or, when gentle, at which the drop probability is `max_p`; 21.0
    where left out.
    """
    max_p: float | None = None
    """Drop probability at `max`; 0.1 where left out."""
    mean_packet: str | None = None
    """Size of a typical packet: ages the average while the link is idle, and is the unit of byte mode; "1000B" where
    left out.
    """
    min: float | None = None
    """Average queue at which dropping begins; 7.0 where left out."""
    packets: int | None = None
    """Whole capacity in packets, the one in service included; 41 where left out."""
    skip: int | None = None
    """With `seed`: draws that others have taken before the first of this queue; 0 where left out."""
    wait: bool | None = None
    """Whether a drop waits until 1/p packets have passed since the last one, which spaces drops more evenly; true where
    left out.
    """
    weigh_bytes: bool | None = None
    """Whether a large packet is more likely to be dropped than a small one; false where left out."""
    weight: float | None = None
    """Weight of a new length in the average; 0.002 where left out."""


Queue = DropTail | Red
"""A queue and its discipline, as written under `queue`."""


LossTarget = Literal["data", "payload", "acks"]
"""Which packets a loss model sees.

- "data": Segments, SYN and FIN included.
- "payload": Segments that carry payload.
- "acks": ACKs.
"""


LossPlace = Literal["before-queue", "after-queue"]
"""Where on a link packets are lost.

- "before-queue": Before the queue: a lost packet uses neither buffer nor bandwidth (ns-2's `lossmodel`).
- "after-queue": After transmission: a lost packet has used both.
"""


@dataclass(kw_only=True, repr=False)
class Loss(Part):
    """Losses of one link direction, as written under `loss`. Exactly one of `rate` and `list` must be given."""

    seed: int | None = None
    """Draws as ns-2 does after `seed N` (all six words of MRG32k3a equal N) instead of from the run's named stream."""
    rate: float | None = None
    """Each packet is lost with this probability, independently; 0 to 1."""
    list: Sequence[int] | None = None
    """The packets lost, counted from 0 over what the model sees."""
    only: LossTarget | None = None
    """Which packets the model sees and counts; all when left out."""
    where: LossPlace | None = None
    """Before the queue or after transmission; "before-queue" where left out."""


@dataclass(kw_only=True, repr=False)
class Back(Part):
    """The return direction of a link; what is left out is as forward, except losses."""

    rate: str | None = None
    """Serialisation rate."""
    delay: str | None = None
    """Propagation delay."""
    queue: Queue | Mapping[str, Any] | None = None
    """Queue before the transmitter."""
    loss: Loss | Mapping[str, Any] | None = None
    """Losses of the return direction."""


@dataclass(kw_only=True, repr=False)
class Link(Part):
    """A duplex link."""

    between: Sequence[str]
    """The two nodes; the forward direction is from the first to the second."""
    rate: str
    """Serialisation rate."""
    delay: str
    """Propagation delay."""
    queue: Queue | Mapping[str, Any] | None = None
    """Queue before the transmitter; drop-tail with 1000 packets where left out."""
    loss: Loss | Mapping[str, Any] | None = None
    """Losses of the forward direction."""
    back: Back | Mapping[str, Any] | None = None
    """In what the return direction differs."""


@dataclass(kw_only=True, repr=False)
class Pipe(Part):
    """A link without its ends."""

    rate: str
    """Serialisation rate."""
    delay: str
    """Propagation delay."""
    queue: Queue | Mapping[str, Any] | None = None
    """Queue before the transmitter; drop-tail with 1000 packets where left out."""
    loss: Loss | Mapping[str, Any] | None = None
    """Losses of the forward direction."""
    back: Back | Mapping[str, Any] | None = None
    """In what the return direction differs."""


@dataclass(kw_only=True, repr=False)
class Dumbbell(Part):
    """Senders S0, S1, ... and receivers R0, R1, ... on the two sides of one bottleneck, G1 to G2."""

    kind: Literal["dumbbell"] = "dumbbell"
    pairs: int | None = None
    """Senders, and receivers; 1 where left out."""
    access: Pipe | Mapping[str, Any]
    """The links Sk to G1, and G2 to Rk."""
    access_right: Pipe | Mapping[str, Any] | None = None
    """The links G2 to Rk, where they differ."""
    bottleneck: Pipe | Mapping[str, Any]
    """The link G1 to G2."""


@dataclass(kw_only=True, repr=False)
class ParkingLot(Part):
    """A chain of routers G0, G1, ... crossed as a whole from S to R, and hop by hop from Xk to Yk."""

    kind: Literal["parking-lot"] = "parking-lot"
    hops: int
    """Links of the chain."""
    access: Pipe | Mapping[str, Any]
    """The links of the hosts."""
    hop: Pipe | Mapping[str, Any]
    """The links Gk to Gk+1."""


@dataclass(kw_only=True, repr=False)
class Direction(Part):
    """One direction of a link."""

    rate: str
    """Serialisation rate."""
    delay: str
    """Propagation delay."""
    queue: Queue | Mapping[str, Any] | None = None
    """Queue before the transmitter; drop-tail with 1000 packets where left out."""
    loss: Loss | Mapping[str, Any] | None = None
    """Losses of this direction."""


@dataclass(kw_only=True, repr=False)
class Asymmetric(Part):
    """A server S, an access router A, and a client C whose access link is faster down than up."""

    kind: Literal["asymmetric"] = "asymmetric"
    down: Direction | Mapping[str, Any]
    """The direction A to C."""
    server: Pipe | Mapping[str, Any]
    """The link S to A."""
    up: Back | Mapping[str, Any]
    """The direction C to A; delay and queue are those of `down` where left out."""


Topology = Dumbbell | ParkingLot | Asymmetric
"""A network in a few words."""
