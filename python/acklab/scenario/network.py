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

Step = str | Literal["0bps"]
"""A rate that may be zero.

- "0bps": Nothing is served.
"""


@dataclass(kw_only=True, repr=False)
class Table(Part):
    """Rates from given times on."""

    kind: Literal["table"] = "table"
    every: str | None = None
    """The table begins again after so long: from 1 ms, later than the last row. Left out, the last rate stays."""
    rows: Sequence[Sequence[str | Step]]
    """Rows of a time and the rate from then on, such as `["2s", "1.5Mbps"]`: the first at `"0s"`, each later than the
    one before. `"0bps"` serves nothing.
    """


@dataclass(kw_only=True, repr=False)
class Mahimahi(Part):
    """Opportunities to deliver 1,500 bytes at given milliseconds (a Mahimahi trace)."""

    kind: Literal["mahimahi"] = "mahimahi"
    milliseconds: Sequence[int]
    """When there is an opportunity, in milliseconds: whole numbers that do not fall, from 0 to a day. The trace begins
    again at the last of them, which must be above 0.
    """


@dataclass(kw_only=True, repr=False)
class TokenBucket(Part):
    """Bursts at one rate, the mean at another (a token bucket, as `tc`'s tbf)."""

    kind: Literal["token-bucket"] = "token-bucket"
    burst: str
    """Bytes that it holds, and holds at first; at least 1 B. A larger packet waits until as many have come."""
    mean: str
    """Rate at which the bucket fills: from 1 bps, at most `peak`."""
    peak: str
    """Rate of the link behind it."""


Requests = Literal["packet", "burst", "continuous"]
"""What a request asks for.

- "packet": One packet (DOCSIS 1.0, or 1.1 to 2.0 with concatenation off).
- "burst": All that waits, at most `burst` bytes; one request at a time (concatenation and fragmentation, DOCSIS 1.1 to
  2.0).
- "continuous": All that waits and was not requested; several at a time (continuous concatenation, DOCSIS 3.0 and 3.1).
"""


@dataclass(kw_only=True, repr=False)
class Docsis(Part):
    """A cable modem's upstream: requests, MAPs and grants (DOCSIS)."""

    kind: Literal["docsis"] = "docsis"
    rate: str
    """Rate that full grants add up to: the service's."""
    backoff: int | None = None
    """Requests wait for a random number of opportunities, from 0 to 2 to this power, less 1 (Data Backoff Start); 0 to
    15; default 0.
    """
    burst: str | None = None
    """The most that one grant covers, and one request before DOCSIS 3.0 (Maximum Concatenated Burst); at least 64 B.
    Left out, a grant covers what `rate` carries in an interval.
    """
    channel: str | None = None
    """Rate of a burst: the channel's, at least `rate`. Left out, `rate`."""
    map_advance: str | None = None
    """From a request to the begin of the first interval whose MAP can answer it: the way of the request, the CMTS, the
    MAP's way, and the modem; 0 s to 1 s; default "0.004s".
    """
    map_interval: str | None = None
    """Time that a MAP describes; 200 us to 100 ms. Every interval begins with requests and has at most one grant;
    default "0.002s".
    """
    opportunities: int | None = None
    """Opportunities for requests in an interval, evenly spaced; 1 to 100; default 1."""
    piggyback: bool | None = None
    """Whether a burst carries a request for what remains; default true."""
    proactive: str | None = None
    """Rate granted without requests, in each interval (proactive grant service); at most `rate`."""
    requests: Requests | None = None
    """What a request asks for; default "continuous"."""


@dataclass(kw_only=True, repr=False)
class Lte(Part):
    """LTE's uplink: scheduling requests, grants, HARQ."""

    kind: Literal["lte"] = "lte"
    rate: str
    """Rate that a full transport block in each subframe carries, before blocks that are sent again."""
    attempts: int | None = None
    """How often a block is sent at most; the last always succeeds; 1 to 28; default 4."""
    bler: float | None = None
    """Probability that a transport block is not decoded; from 0, below 1; default 0.1."""
    first: str | None = None
    """What a scheduling request is granted, before the base station knows how much waits; at least 1 B; default "100B".
    """
    sr_period: str | None = None
    """Time between opportunities for a scheduling request: whole milliseconds from 1 ms to 80 ms; default "0.01s"."""


@dataclass(kw_only=True, repr=False)
class Nr(Part):
    """5G NR's uplink: scheduling requests, grants, HARQ, and a pattern of slots."""

    kind: Literal["nr"] = "nr"
    rate: str
    """Rate that a full transport block in each slot for data up carries, before blocks that are sent again."""
    attempts: int | None = None
    """How often a block is sent at most; the last always succeeds; 1 to 28; default 4."""
    bler: float | None = None
    """Probability that a transport block is not decoded; from 0, below 1; default 0.1."""
    decode: int | None = None
    """Slots for which the base station decodes, 0 to 64; default 2."""
    first: str | None = None
    """What a scheduling request is granted, before the base station knows how much waits; at least 1 B; default "100B".
    """
    k2: int | None = None
    """Slots from a grant to its block at least (K2), 0 to 32; default 2."""
    numerology: int | None = None
    """A slot lasts 1 ms divided by 2 to this power; 0 to 4; default 1."""
    pattern: str | None = None
    """What the slots are for, over and over: `D` down, `S` special (it can grant), `U` up; or `F` for both (FDD). It
    has a `U` and one that can grant, or is `F`; at most 80 letters; default "DDDSU".
    """
    sr_period: int | None = None
    """Slots between opportunities for a scheduling request, 1 to 640; each goes in the next slot for data up; default
    10.
    """


@dataclass(kw_only=True, repr=False)
class Pon(Part):
    """A passive optical network's upstream: reports and allocations (GPON, XG-PON)."""

    kind: Literal["pon"] = "pon"
    rate: str
    """Rate that full allocations add up to: the service's."""
    cycle: str | None = None
    """Time between reports, and between the OLT's decisions: whole frames of 125 us, to 20 ms; default "0.001s"."""
    fixed: str | None = None
    """Rate allocated without a report, in each frame (fixed bandwidth); at most `rate`."""
    line: str | None = None
    """Rate of a burst, at least `rate`: 1.24416 Gb/s in GPON, 2.48832 Gb/s in XG-PON; default "1244160000bps"."""
    response: str | None = None
    """From a report to the first frame that can answer it, at least; the answer begins with a cycle; 0 s to 100 ms;
    default "0.0005s".
    """


VaryingRate = Table | Mahimahi | TokenBucket | Docsis | Lte | Nr | Pon
"""A rate that varies."""


Rate = str | VaryingRate | Mapping[str, Any]
"""A link's rate, as written under `rate`."""


DropPolicy = Literal["tail", "front", "longest-front", "fastest-oldest", "tail-when-filtering"]
"""Which packet goes when there is no room.

- "tail": The arrival.
- "front": The packet in front.
- "longest-front": The oldest packet of the connection with most waiting.
- "fastest-oldest": The oldest packet of the connection whose packets leave at the highest rate, of those with any
  waiting.
- "tail-when-filtering": `longest-front` while the filter does not filter, `tail` while it does.
"""


FilterOlder = Literal["position", "number"]
"""Which waiting ACKs of its connection are older than an arrival.

- "position": All: they came before it.
- "number": Those with a smaller number, as in ns-2: duplicates of it stay.
"""


FilterPlace = Literal["tail", "slot"]
"""Where an arriving ACK is put whose elders were erased.

- "tail": At the queue's end, like any arrival.
- "slot": Where the oldest of those erased was.
"""


@dataclass(kw_only=True, repr=False)
class StaticFilter(Part):
    """Erases a connection's oldest waiting ACKs until no more than `threshold` wait."""

    kind: Literal["static"] = "static"
    conservative: bool | None = None
    """Whether ACKs with news of their own are left alone: duplicates, SACK blocks, timestamps, ECN echoes; default
    false.
    """
    older: FilterOlder | None = None
    """Which waiting ACKs are older than the arrival; default "position"."""
    place: FilterPlace | None = None
    """Where an ACK is put whose elders were erased; `slot` needs `threshold` 1; default "tail"."""
    room_first: bool | None = None
    """Whether an arrival that finds the queue full is refused before anything is erased, as in ns-2; default false."""
    threshold: int
    """ACKs of one connection that may wait; 1 leaves only the newest. The one being transmitted does not wait."""


FilterRate = Literal["tsw", "presence", "presence-literal"]
"""How a link's use is estimated.

- "tsw": The rate at which packets leave over a sliding window of time, against the link's rate.
- "presence": The share of time during which packets wait: needs no rate of the link.
- "presence-literal": The paper's listing of the same, which counts events: above any share at once.
"""


FilterPer = Literal["link", "connection"]
"""Whose use decides.

- "link": All connections' together.
- "connection": Each connection's own, against its fair share of the link; needs `rate` `tsw`.
"""


@dataclass(kw_only=True, repr=False)
class DelayedFilter(Part):
    """Erases a connection's waiting ACKs, but only while the link, or the connection's share of it, is used up."""

    kind: Literal["delayed"] = "delayed"
    rate: FilterRate | None = None
    """How use is estimated; default "tsw"."""
    window: str | None = None
    """Window of the estimator, about a round trip; default "0.2s"."""
    conservative: bool | None = None
    """Whether ACKs with news of their own are left alone: duplicates, SACK blocks, timestamps, ECN echoes; default
    false.
    """
    floor: float | None = None
    """Per connection: one without waiting packets is active until its rate is below this share of the link; default
    0.01.
    """
    older: FilterOlder | None = None
    """Which waiting ACKs are older than the arrival; default "position"."""
    per: FilterPer | None = None
    """Whose use decides; default "link"."""
    place: FilterPlace | None = None
    """Where an ACK is put whose elders were erased; default "tail"."""
    release: float | None = None
    """Filtering ends below this share; as `share` when left out."""
    share: float | None = None
    """Filtering begins when this share is reached: of the link, or, per connection, when a connection's rate exceeds
    this share of the link divided by the number of active connections. 0.9 of the link, 1 per connection; at 1 a
    connection alone on the link is hardly ever filtered.
    """


@dataclass(kw_only=True, repr=False)
class CakeFilter(Part):
    """As the CAKE queue discipline does: erases one ACK an arrival, and none whose news would be lost."""

    kind: Literal["cake"] = "cake"
    aggressive: bool | None = None
    """Whether one ACK may go with none like it behind it (CAKE's `ack-filter-aggressive`); default false."""


Filter = StaticFilter | DelayedFilter | CakeFilter
"""An ACK filter, as written under `filter`."""


Scheduler = Literal["fifo", "round-robin", "acks-first"]
"""Which waiting packet is next.

- "fifo": The first to come.
- "round-robin": One packet of each connection in turn, whatever its size. A connection that comes back is last in turn.
- "acks-first": Plain ACKs before everything else (RFC 3449 section 5.4.1).
"""


@dataclass(kw_only=True, repr=False)
class DropTail(Part):
    """A limited buffer; unless told otherwise first in, first out, and an arrival that finds no room is dropped. At
    most one limit; `packets = 1000` without any.
    """

    kind: Literal["drop-tail"] = "drop-tail"
    bytes: str | None = None
    """Whole capacity in bytes, the packet in service included."""
    drop: DropPolicy | None = None
    """Which packet goes when there is no room."""
    filter: Filter | Mapping[str, Any] | None = None
    """Which waiting ACKs an arriving one erases; none when left out."""
    packets: int | None = None
    """Whole capacity in packets, the one in service included (ns-2's `queue-limit`; 1 admits nothing, as in ns-2)."""
    scheduler: Scheduler | None = None
    """Which waiting packet is next."""
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
    """Whether the queue is measured in bytes, in units of `mean_packet`; default false."""
    ecn: bool | None = None
    """Whether packets that can be marked are marked instead of dropped early; default false."""
    gentle: bool | None = None
    """Whether the drop probability rises from `max_p` to 1 between `max` and twice `max`; default false."""
    max: float | None = None
    """Average queue at which everything is dropped, or, when gentle, at which the drop probability is `max_p`; default
    21.0.
    """
    max_p: float | None = None
    """Drop probability at `max`; default 0.1."""
    mean_packet: str | None = None
    """Size of a typical packet: ages the average while the link is idle, and is the unit of byte mode; default "1000B".
    """
    min: float | None = None
    """Average queue at which dropping begins; default 7.0."""
    packets: int | None = None
    """Whole capacity in packets, the one in service included; default 41."""
    scheduler: Scheduler | None = None
    """Which waiting packet is next; the average is of all, whoever is served."""
    skip: int | None = None
    """With `seed`: draws that others have taken before the first of this queue; default 0."""
    wait: bool | None = None
    """Whether a drop waits until 1/p packets have passed since the last one, which spaces drops more evenly; default
    true.
    """
    weigh_bytes: bool | None = None
    """Whether a large packet is more likely to be dropped than a small one; default false."""
    weight: float | None = None
    """Weight of a new length in the average; default 0.002."""


Law = Literal["rfc8289", "linux"]
"""How the times between drops are computed.

- "rfc8289": The interval by the square root of the drops (RFC 8289 section 5.3).
- "linux": As Linux does: times in units of 1.024 us, and one step of Newton's method for the root, in 16 bits. After
  the first drop the second follows in half an interval, where the RFC waits 0.71 of one.
"""


@dataclass(kw_only=True, repr=False)
class Codel(Part):
    """Drops by how long packets have waited (CoDel, RFC 8289)."""

    kind: Literal["codel"] = "codel"
    ce_threshold: str | None = None
    """Packets that have waited longer are marked, too; none when left out."""
    ecn: bool | None = None
    """Whether packets that can be marked are marked instead of dropped (as Linux does); default false."""
    interval: str | None = None
    """How long every packet must have waited `target` or longer before one is dropped: about the longest round trip;
    from 1 ms to 100 s; default "0.1s".
    """
    law: Law | None = None
    """How the times between drops are computed."""
    max_packet: str | None = None
    """A queue of so many bytes or fewer is never dropped from: the size of the largest packet; at least 1 B; default
    "1500B".
    """
    packets: int | None = None
    """Whole capacity in packets, the one in service included; at least 2; default 1000."""
    target: str | None = None
    """Waiting time that the queue may keep up: more than 0, at most `interval`; default "0.005s"."""


@dataclass(kw_only=True, repr=False)
class FqCodel(Part):
    """A queue for each hash of a connection, with CoDel in each (FQ-CoDel, RFC 8290)."""

    kind: Literal["fq-codel"] = "fq-codel"
    ce_threshold: str | None = None
    """Packets that have waited longer are marked, too; none when left out."""
    drop_batch: int | None = None
    """Packets dropped at once when there is no room, at most half of the bytes of the queue with most; at least 1;
    default 64.
    """
    ecn: bool | None = None
    """Whether packets that can be marked are marked instead of dropped; default true."""
    flows: int | None = None
    """Queues, from 1 to 65,536; default 1024."""
    interval: str | None = None
    """How long every packet of a queue must have waited `target` or longer before one is dropped; from 1 ms to 100 s;
    default "0.1s".
    """
    law: Law | None = None
    """How the times between drops are computed, and what a new queue is that is found empty: old by RFC 8290 section
    4.2, in Linux only if there are old ones; default "rfc8289".
    """
    max_packet: str | None = None
    """If so many bytes or fewer wait in all, nothing is dropped; at least 1 B; default "1500B"."""
    memory: str | None = None
    """Memory that packets may take, counted as Linux does: 832 B for a packet up to 192 B, 2304 B for one of 1500 B;
    default "33554432B".
    """
    quantum: str | None = None
    """Bytes that a queue may send in its turn, from 1 B to 1 MiB; default "1514B"."""
    target: str | None = None
    """Waiting time that a queue may keep up: more than 0, at most `interval`; default "0.005s"."""
    waiting: int | None = None
    """Packets that may wait, the one in service not counted; at least 1. One more, and the queue with most bytes is
    dropped from; default 10240.
    """


@dataclass(kw_only=True, repr=False)
class Pie(Part):
    """Drops arrivals with a probability that a controller of the delay sets (PIE, RFC 8033)."""

    kind: Literal["pie"] = "pie"
    alpha: float | None = None
    """Weight of the delay's distance from `target`, per second; from 0 to 100; default 0.125."""
    beta: float | None = None
    """Weight of the delay's change, per second; from 0 to 100; default 1.25."""
    burst: str | None = None
    """How long nothing is dropped after the queue was empty and the probability 0; default "0.15s"."""
    byte_mode: bool | None = None
    """Whether a small packet is less likely to be dropped than a large one; default false."""
    ecn: bool | None = None
    """Whether packets that can be marked are marked instead of dropped; default false."""
    mark_below: float | None = None
    """With `ecn`: above this probability packets are dropped all the same; from 0 to 1; default 0.1."""
    max_p: float | None = None
    """Bound of the probability; more than 0, at most 256. Linux has none below 256; default 1.0."""
    max_packet: str | None = None
    """While less than two packets of this size wait, nothing is dropped; also the unit of `byte_mode`; at least 1 B;
    default "1500B".
    """
    packets: int | None = None
    """Whole capacity in packets, the one in service included; at least 2; default 1000."""
    target: str | None = None
    """Delay that the controller aims at; more than 0; default "0.015s"."""
    update: str | None = None
    """Time between two updates of the probability; from 1 ms to 10 s; default "0.015s"."""


@dataclass(kw_only=True, repr=False)
class DocsisPie(Part):
    """PIE of a cable modem, which knows the delay from its shaper (DOCSIS-PIE, RFC 8034)."""

    kind: Literal["docsis-pie"] = "docsis-pie"
    buffer: str
    """Bytes that may wait, the packet in service not counted; at least 1 B. Below a third of them nothing is dropped at
    first.
    """
    burst: str | None = None
    """Maximum Traffic Burst: bytes that may leave at `peak` after a pause. None when left out. Where the link is a
    token bucket, its `mean` and `burst` are to be the same.
    """
    mean: str | None = None
    """Maximum Sustained Traffic Rate, from 1 bps; the link's rate when left out."""
    peak: str | None = None
    """Peak Traffic Rate, from `mean`; the link's rate when left out."""
    target: str | None = None
    """Delay that the controller aims at: more than 0, at most 100 s; default "0.01s"."""


@dataclass(kw_only=True, repr=False)
class DualPi2(Part):
    """A queue for senders that answer many marks, one for the others, and one controller for both (DualPI2, RFC 9332).
    """

    kind: Literal["dual-pi2"] = "dual-pi2"
    alpha: float | None = None
    """Weight of the delay's distance from `target`, per second; from 0 to 100; default 0.16."""
    beta: float | None = None
    """Weight of the delay's change, per second; from 0 to 100; default 3.2."""
    classic_share: float | None = None
    """Percent of the link that the other packets have at least, while both wait; from 0 to 100; default 10.0."""
    code_points: Sequence[int] | None = None
    """Code points of flows (their `dscp`) that share the low latency queue, unmarked; such as 45, non-queue-building
    flows.
    """
    coupling: float | None = None
    """Marks of low latency packets for each unit of the controller's probability; from 1 to 255. The others are dropped
    or marked with its square; default 2.0.
    """
    max_packet: str | None = None
    """While fewer than two packets of this size wait, the controller drops and marks nothing; at least 1 B; default
    "1514B".
    """
    step: str | None = None
    """A low latency packet that waited longer is marked; at most 100 s; default "0.001s"."""
    target: str | None = None
    """Delay that the controller aims at; more than 0, at most 100 s; default "0.015s"."""
    update: str | None = None
    """Time between two updates of the probability; from 1 ms to 10 s; default "0.016s"."""
    waiting: int | None = None
    """Packets that may wait in both queues together; at least 1; default 10000."""


@dataclass(kw_only=True, repr=False)
class FqPie(Part):
    """A queue for each hash of a connection, with PIE in each (FQ-PIE, as in Linux)."""

    kind: Literal["fq-pie"] = "fq-pie"
    alpha: float | None = None
    """Weight of the delay's distance from `target`, per second; from 0 to 100; default 0.125."""
    beta: float | None = None
    """Weight of the delay's change, per second; from 0 to 100; default 1.25."""
    burst: str | None = None
    """How long nothing is dropped after the queue was empty and the probability 0; default "0.15s"."""
    byte_mode: bool | None = None
    """Whether a small packet is less likely to be dropped than a large one; default false."""
    ecn: bool | None = None
    """Whether packets that can be marked are marked instead of dropped; default false."""
    flows: int | None = None
    """Queues, from 1 to 65,536; default 1024."""
    mark_below: float | None = None
    """With `ecn`: above this probability packets are dropped all the same; from 0 to 1; default 0.1."""
    max_p: float | None = None
    """Bound of the probability; more than 0, at most 256. Linux has none below 256; default 1.0."""
    max_packet: str | None = None
    """While less than two packets of this size wait, nothing is dropped; also the unit of `byte_mode`; at least 1 B;
    default "1500B".
    """
    quantum: str | None = None
    """Bytes that a queue may send in its turn, from 1 B to 1 MiB; default "1514B"."""
    target: str | None = None
    """Delay that the controller aims at; more than 0; default "0.015s"."""
    update: str | None = None
    """Time between two updates of the probability; from 1 ms to 10 s; default "0.015s"."""
    waiting: int | None = None
    """Packets that may wait, the one in service not counted; at least 1. An arrival that finds so many is dropped;
    default 10240.
    """


@dataclass(kw_only=True, repr=False)
class Cobalt(Part):
    """Drops by how long packets have waited, and more when the queue overflows (COBALT: CoDel and BLUE)."""

    kind: Literal["cobalt"] = "cobalt"
    ecn: bool | None = None
    """Whether packets that can be marked are marked instead of dropped. BLUE drops all the same; default false."""
    interval: str | None = None
    """Time between the first two drops: about the longest round trip; from 1 ms to 100 s; default "0.1s"."""
    packets: int | None = None
    """Whole capacity in packets, the one in service included; at least 2; default 1000."""
    target: str | None = None
    """Waiting time that the queue may keep up: more than 0, at most `interval`; default "0.005s"."""


@dataclass(kw_only=True, repr=False)
class FqCobalt(Part):
    """A queue for each hash of a connection, with COBALT in each (FQ-COBALT)."""

    kind: Literal["fq-cobalt"] = "fq-cobalt"
    drop_batch: int | None = None
    """Packets dropped at once when there is no room, at most half of the bytes of the queue with most; at least 1;
    default 64.
    """
    ecn: bool | None = None
    """Whether packets that can be marked are marked instead of dropped. BLUE drops all the same; default true."""
    flows: int | None = None
    """Queues, from 1 to 65,536; default 1024."""
    interval: str | None = None
    """Time between the first two drops of a queue: about the longest round trip; from 1 ms to 100 s; default "0.1s"."""
    memory: str | None = None
    """Memory that packets may take, counted as Linux does: 832 B for a packet up to 192 B, 2304 B for one of 1500 B;
    default "33554432B".
    """
    quantum: str | None = None
    """Bytes that a queue may send in its turn, from 1 B to 1 MiB; default "1514B"."""
    target: str | None = None
    """Waiting time that a queue may keep up: more than 0, at most `interval`; default "0.005s"."""
    waiting: int | None = None
    """Packets that may wait, the one in service not counted; at least 1. One more, and the queue with most bytes is
    dropped from; default 10240.
    """


AckFiltering = Literal["off", "on", "aggressive"]
"""Which ACKs are erased.

- "off": None.
- "on": One of three that say the same: see `kind = "cake"` under `filter`.
- "aggressive": One of two.
"""


Cells = Literal["none", "atm", "ptm"]
"""Cells in which the imitated link carries packets.

- "none": None.
- "atm": ATM: 48 bytes in 53, the last cell padded (ADSL).
- "ptm": PTM: one byte more for each 64 or part of them (VDSL2).
"""


Isolation = Literal["flows", "dual-srchost", "dual-dsthost", "triple-isolate"]
"""Between whom bandwidth is shared evenly.

- "flows": Flows.
- "dual-srchost": Source hosts, then flows.
- "dual-dsthost": Destination hosts, then flows.
- "triple-isolate": Hosts of either side, whichever has more flows, then flows.
"""


TinMode = Literal["besteffort", "diffserv3", "diffserv4"]
"""Into which tins packets are sorted.

- "besteffort": All in one.
- "diffserv3": Best effort; bulk (CS1, LE); voice (CS7, CS6, EF, VA, TOS4).
- "diffserv4": Best effort; bulk (CS1, LE); video (AF4x, AF3x, AF2x, CS3, CS2, TOS4); voice (CS7 to CS4, EF, VA).
"""


@dataclass(kw_only=True, repr=False)
class Cake(Part):
    """A shaper, tins, fairness between hosts and flows, COBALT and an ACK filter (CAKE, as in Linux)."""

    kind: Literal["cake"] = "cake"
    ack_filter: AckFiltering | None = None
    """Which ACKs are erased; default "off"."""
    bandwidth: str | None = None
    """Rate of the shaper, from 1 kbps; none when left out. Where it is below the link's rate, packets wait here and not
    behind.
    """
    cells: Cells | None = None
    """Cells in which the shaper's link carries packets; default "none"."""
    isolation: Isolation | None = None
    """Between whom bandwidth is shared evenly; default "triple-isolate"."""
    max_packet: str | None = None
    """Size of the largest packet, from 1 B: no packet is dropped that waited shorter than four of them take; default
    "1500B".
    """
    memory: str | None = None
    """Memory that packets may take, counted as Linux does. When left out: 15,360,000 B, or, with a `bandwidth`, four
    times what it carries in an `rtt`, if that is less, and at least 4 MiB.
    """
    mpu: str | None = None
    """Least size of a packet in the shaper's account, its overhead included; at most 256 B; default "0B"."""
    overhead: int | None = None
    """Bytes that the shaper adds to each packet, from -64 to 256; default 0."""
    rtt: str | None = None
    """The usual round trip: COBALT's interval, twenty times its target; from 1 ms to 100 s; default "0.1s"."""
    tins: TinMode | None = None
    """Into which tins packets are sorted; default "diffserv3"."""


@dataclass(kw_only=True, repr=False)
class Policer(Part):
    """Drops what exceeds a token bucket."""

    kind: Literal["policer"] = "policer"
    burst: str
    """Bytes for which there are tokens at most, and at first; at least 1 B."""
    mean: str
    """Rate at which tokens come, from 1 bps."""
    packets: int | None = None
    """Whole capacity of the queue behind it in packets, the one in service included; at least 2; default 1000."""


Queue = DropTail | Red | Codel | FqCodel | Pie | DocsisPie | DualPi2 | FqPie | Cobalt | FqCobalt | Cake | Policer
"""A queue and its discipline, as written under `queue`."""


Stay = float | str
"""The mean length of a stay in a state."""


@dataclass(kw_only=True, repr=False)
class GilbertElliott(Part):
    """A path that is now good, now bad, and loses with a probability of either state (Gilbert, Elliott). Its stays are
    counted in packets, or in time: then the losses do not depend on the load.
    """

    bad: Stay
    """Mean stay in the bad state, in the same unit."""
    good: Stay
    """Mean stay in the good state: a number of packets, or a time such as `"2s"`."""
    loss_bad: float | None = None
    """Loss probability in the bad state; default 1.0."""
    loss_good: float | None = None
    """Loss probability in the good state; default 0.0."""


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
    """Losses of one link direction, as written under `loss`. Exactly one of `rate`, `gilbert_elliott` and `list` must
    be given.
    """

    seed: int | None = None
    """Draws as ns-2 does after `seed N` (all six words of MRG32k3a equal N) instead of from the run's named stream."""
    rate: float | None = None
    """Each packet is lost with this probability, independently; 0 to 1."""
    gilbert_elliott: GilbertElliott | Mapping[str, Any] | None = None
    """Losses in bursts, by a path that is now good, now bad."""
    list: Sequence[int] | None = None
    """The packets lost, counted from 0 over what the model sees."""
    only: LossTarget | None = None
    """Which packets the model sees and counts; all when left out."""
    where: LossPlace | None = None
    """Before the queue or after transmission; default "before-queue"."""


Repair = Literal["none", "request"]
"""What mends a context after a loss on the wire.

- "none": The next ACK that goes with its whole header anyway (RFC 1144).
- "request": The far end asks for a whole header at the first ACK it cannot read (as in RFC 2507).
"""


@dataclass(kw_only=True, repr=False)
class HeaderCompression(Part):
    """Pure ACKs take a few bytes on this link's wire (RFC 1144)."""

    kind: Literal["header-compression"] = "header-compression"
    size: str | None = None
    """What a compressed pure ACK takes on the wire: 3 to 5 bytes with RFC 1144; default "5B"."""
    repair: Repair | None = None
    """What mends a context after a loss on the wire."""
    slots: int | None = None
    """Connections whose headers both ends remember, the latest used; any other begins with a whole header; default 16.
    """


@dataclass(kw_only=True, repr=False)
class AckReconstruction(Part):
    """An ACK for many segments becomes ACKs for few, spaced in time (RFC 3449 section 5.3.1)."""

    kind: Literal["ack-reconstruction"] = "ack-reconstruction"
    most: int | None = None
    """Most ACKs made of one; the step grows where these are too few; default 64."""
    spacing: str | None = None
    """Time from one ACK to the next; from the ACKs' own arrivals where left out."""
    step: int | None = None
    """Sequence units from one ACK to the next: segments or bytes, as the flow counts; default 2."""


@dataclass(kw_only=True, repr=False)
class Rbscp(Part):
    """Each ACK that acknowledges something new is split (ledger divack.m.rbscp)."""

    kind: Literal["rbscp"] = "rbscp"
    pieces: int | None = None
    """ACKs that go on for each that comes; default 4."""


@dataclass(kw_only=True, repr=False)
class Spack(Part):
    """A base station splits the ACK of what a timeout has retransmitted (ledger divack.m.spack)."""

    kind: Literal["spack"] = "spack"
    timer: str | None = None
    """The station's replica of the sender's timer: how long without progress means a timeout. The sender's least RTO;
    default "1s".
    """
    pieces: int | None = None
    """ACKs that go on for the one after a timeout; default 8."""


@dataclass(kw_only=True, repr=False)
class Reorder(Part):
    """Some packets are held back, and others overtake them."""

    kind: Literal["reorder"] = "reorder"
    rate: float | None = None
    """Each packet is held back with this probability, independently; 0 to 1."""
    by: str
    """For how long a packet is held back, at most."""
    list: Sequence[int] | None = None
    """The packets held back, counted from 0 over what the stage sees."""
    only: LossTarget | None = None
    """Which packets the stage sees and counts; all when left out. Others pass."""
    overtaken: int | None = None
    """A packet leaves earlier, right behind the last of so many that have passed it."""


DelayDistribution = Literal["uniform", "exponential", "pareto"]
"""A distribution of delays.

- "uniform": From nothing to twice the mean.
- "exponential": Exponential.
- "pareto": With a heavy tail, of infinite variance: Pareto's of the second kind, shape 2. One in a hundred exceeds nine
  means.
"""


DelayOrder = Literal["kept", "free"]
"""In which order delayed packets leave.

- "kept": As they came.
- "free": As their delays have it.
"""


@dataclass(kw_only=True, repr=False)
class Jitter(Part):
    """Every packet is delayed by a time of its own."""

    kind: Literal["jitter"] = "jitter"
    distribution: DelayDistribution | None = None
    """How the times are distributed."""
    mean: str
    """Their mean, before `most` cuts them."""
    most: str | None = None
    """The longest; a longer one drawn is cut to it."""
    only: LossTarget | None = None
    """Which packets are delayed; all when left out. Others pass."""
    order: DelayOrder | None = None
    """Whether packets may overtake each other."""


@dataclass(kw_only=True, repr=False)
class Duplicate(Part):
    """Some packets arrive twice."""

    kind: Literal["duplicate"] = "duplicate"
    rate: float | None = None
    """Each packet is doubled with this probability, independently; 0 to 1."""
    after: str | None = None
    """How long after the packet its copy leaves; right behind it when left out."""
    list: Sequence[int] | None = None
    """The packets doubled, counted from 0 over what the stage sees."""
    only: LossTarget | None = None
    """Which packets the stage sees and counts; all when left out. Others pass."""


@dataclass(kw_only=True, repr=False)
class Pause(Part):
    """The path stands still for a while."""

    kind: Literal["pause"] = "pause"
    at: Sequence[str]
    """When pauses begin."""
    length: str
    """How long each of them lasts."""


@dataclass(kw_only=True, repr=False)
class Gro(Part):
    """A host merges the segments that it receives between two polls (GRO)."""

    kind: Literal["gro"] = "gro"
    segments: int | None = None
    """Most segments in a run; any number if left out."""
    budget: int | None = None
    """Packets that one poll takes (NAPI's weight); runs end after so many; default 64."""
    bytes: int | None = None
    """A run stays below so many bytes, one header included (`gro_max_size`); default 65536."""
    coalesce: str | None = None
    """Time from a packet's arrival to the interrupt (`ethtool -C rx-usecs`); 0s interrupts for each packet; default
    "0.00005s".
    """
    flush_timeout: str | None = None
    """Time for which runs are held beyond a poll (`gro_flush_timeout`); 0s holds none."""
    frames: int | None = None
    """Packets that cause an interrupt at once (`ethtool -C rx-frames`); 0 is no such number."""
    timestamps: str | None = None
    """Clock of the senders' timestamps: segments of two ticks are not merged (TSval, RFC 7323). 0s: no timestamps;
    default "0.001s".
    """


@dataclass(kw_only=True, repr=False)
class Thin(Part):
    """Of a connection's ACKs every n-th passes (RFC 3449 section 5.2.1)."""

    kind: Literal["thin"] = "thin"
    every: int
    """Of so many ACKs in a row that tell nothing but a higher number, the last passes."""
    hold: str
    """Time after which an ACK that is held back goes on, counted from the first that was held back since one passed."""


Stage = HeaderCompression | AckReconstruction | Rbscp | Spack | Reorder | Jitter | Duplicate | Pause | Gro | Thin
"""A stage, as written in the list `stages`."""


@dataclass(kw_only=True, repr=False)
class Back(Part):
    """The return direction of a link; what is left out is as forward, except losses and stages."""

    rate: Rate | None = None
    """Serialisation rate."""
    delay: str | None = None
    """Propagation delay."""
    queue: Queue | Mapping[str, Any] | None = None
    """Queue before the transmitter."""
    loss: Loss | Mapping[str, Any] | None = None
    """Losses of the return direction."""
    crossings: int | None = None
    """How often a packet passes it."""
    stages: Sequence[Stage | Mapping[str, Any]] | None = None
    """What stands at its far end, in the order in which packets pass it, and header compression over its wire; default
    [].
    """


@dataclass(kw_only=True, repr=False)
class Link(Part):
    """A duplex link."""

    between: Sequence[str]
    """The two nodes; the forward direction is from the first to the second."""
    rate: Rate
    """Serialisation rate."""
    delay: str
    """Propagation delay."""
    queue: Queue | Mapping[str, Any] | None = None
    """Queue before the transmitter; drop-tail with 1000 packets where left out."""
    loss: Loss | Mapping[str, Any] | None = None
    """Losses of the forward direction."""
    back: Back | Mapping[str, Any] | None = None
    """In what the return direction differs."""
    crossings: int | None = None
    """How often a packet passes loss model, queue, transmitter and delay before it moves on: 2 as a pipe of dummynet
    that matches a forwarded packet coming in and going out, where both passes share queue and transmitter; default 1.
    """
    stages: Sequence[Stage | Mapping[str, Any]] | None = None
    """What stands at the forward direction's far end, in the order in which packets pass it, and header compression
    over its wire; default [].
    """


Phy = Literal["802.11b", "802.11n", "802.11ac", "802.11ax"]
"""A set of defaults.

- "802.11b": High-rate direct sequence at 2.4 GHz: 11 Mb/s, basic rate 2 Mb/s, slots of 20 us, windows from 31.
- "802.11n": OFDM at 5 GHz with aggregates and block ACKs: 65 Mb/s (one stream, 20 MHz), basic rate 24 Mb/s, slots of 9
  us, windows from 15. Of 802.11e's classes of access there is one, with DIFS.
- "802.11ac": Wi-Fi 5: as 802.11n, with 866.7 Mb/s (VHT: 80 MHz, two streams, MCS 9, short guard interval) and
  aggregates of up to 1 MB.
- "802.11ax": Wi-Fi 6: as 802.11n, with 1201 Mb/s (HE: 80 MHz, two streams, MCS 11, guard interval 0.8 us), aggregates
  of up to 4 MB, and block ACKs for 256 frames. Without OFDMA and without the packet extension.
"""


Preamble = Literal["long", "short"]
"""802.11b's preambles.

- "long": Preamble and PLCP header take 192 us.
- "short": They take 96 us.
"""


@dataclass(kw_only=True, repr=False)
class Dcf(Part):
    """Parameters as written in a scenario; what is left out is `phy`'s default, given as 802.11b / n / ac / ax, or as
    802.11b / others.
    """

    phy: Phy | None = None
    """Which standard's numbers hold where nothing else is said; default "802.11b"."""
    rate: str | None = None
    """Rate of data frames; 11 Mb/s / 65 Mb/s / 866.7 Mb/s / 1201 Mb/s."""
    ack_timeout: str | None = None
    """How long after its frame a sender without answer still waits for one before DIFS begins; EIFS less DIFS, so that
    after a collision of equal frames everybody's slots begin together. Also for CTS.
    """
    aggregate: str | None = None
    """Most bytes of an aggregate (A-MPDU); 0 B (frames travel alone) / 65535 B / 1048575 B / 4194303 B."""
    aggregate_frames: int | None = None
    """Most frames of an aggregate, and of what a block ACK covers; 64, with 802.11ax 256."""
    aggregate_time: str | None = None
    """Longest aggregate in time; 5.484 ms."""
    always_backoff: bool | None = None
    """Whether a station whose medium has been idle for DIFS still draws a backoff, and waits for it after another DIFS,
    as ns-2 does; false: it begins at once, as in the standard.
    """
    basic_plcp: str | None = None
    """Preamble and PLCP header of RTS, CTS and ACKs; 192 us / 20 us."""
    basic_rate: str | None = None
    """Rate of RTS, CTS and ACKs; 2 Mb/s / 24 Mb/s."""
    busy_slot_counts: bool | None = None
    """Whether a slot in which others transmit counts as one of the backoff, as in Bianchi's model; false, as in the
    standard.
    """
    cw_max: int | None = None
    """Largest: each failure makes 2 cw + 1 of it up to this; 1023."""
    cw_min: int | None = None
    """First contention window: backoffs are drawn from 0 to it; 31 / 15."""
    difs: str | None = None
    """Idle time before slots count; SIFS and two slots."""
    eifs: str | None = None
    """The same after frames that could not be understood, for who did not send them; SIFS, an ACK at the lowest rate (1
    Mb/s / 6 Mb/s), and DIFS. As much as DIFS switches it off.
    """
    frame_loss: float | None = None
    """Chance that a data frame arrives broken, each frame of an aggregate by itself; 0."""
    header: str | None = None
    """What the MAC adds to a packet: header, FCS, LLC and SNAP; 36 B / 38 B."""
    long_retries: int | None = None
    """Attempts to send a frame that needs an RTS; 4. 0: without end."""
    plcp: str | None = None
    """Preamble and PLCP header of data frames; 192 us / 36 us / 44 us / 50.4 us."""
    preamble: Preamble | None = None
    """802.11b's preamble; long. Sets `plcp` and `basic_plcp`."""
    propagation: str | None = None
    """From one station to any other; 1 us."""
    rts_threshold: str | None = None
    """Frames of more bytes than this, MAC header included, are announced by RTS and CTS; none where left out."""
    sense: str | None = None
    """How long a transmission goes unnoticed: who begins earlier than this after another collides with it. A slot: that
    is what slots are made for. 0 s: only who begins at the same time.
    """
    short_retries: int | None = None
    """Attempts to send an RTS, or a frame without one, before the packet is dropped; 7. 0: without end."""
    sifs: str | None = None
    """Pause before CTS, data after CTS, and ACK; 10 us / 16 us."""
    slot: str | None = None
    """Slot of the backoff; 20 us / 9 us."""
    symbol: str | None = None
    """A symbol, to whole numbers of which data frames are rounded up; 0 s (not rounded) / 4 us / 3.6 us / 13.6 us.
    Control frames of others than 802.11b have symbols of 4 us.
    """


@dataclass(kw_only=True, repr=False)
class Wlan(Part):
    """An 802.11 network: a link between the access point and each station, all on one medium."""

    name: str | None = None
    """Unique; `wlan0`, `wlan1`, ... by place in the file where left out. It names the stations' random streams."""
    ap: str
    """Node of the access point; forward is from it."""
    stations: Sequence[str]
    """Nodes of the stations."""
    queue: Queue | Mapping[str, Any] | None = None
    """Interface queue of each station; drop-tail with room for 50 waiting packets where left out."""
    ap_queue: Queue | Mapping[str, Any] | None = None
    """The access point's, one for all stations; as `queue` where left out."""
    mac: Dcf | Mapping[str, Any] | None = None
    """Rates, times and rules of the medium; default {"phy": "802.11b"}."""


@dataclass(kw_only=True, repr=False)
class Pipe(Part):
    """A link without its ends."""

    rate: Rate
    """Serialisation rate."""
    delay: str
    """Propagation delay."""
    queue: Queue | Mapping[str, Any] | None = None
    """Queue before the transmitter; drop-tail with 1000 packets where left out."""
    loss: Loss | Mapping[str, Any] | None = None
    """Losses of the forward direction."""
    back: Back | Mapping[str, Any] | None = None
    """In what the return direction differs."""
    crossings: int | None = None
    """How often a packet passes it before it moves on (see a link's own key); default 1."""
    stages: Sequence[Stage | Mapping[str, Any]] | None = None
    """What stands at the forward direction's far end, in the order in which packets pass it, and header compression
    over its wire; default [].
    """


@dataclass(kw_only=True, repr=False)
class Dumbbell(Part):
    """Senders S0, S1, ... and receivers R0, R1, ... on the two sides of one bottleneck, G1 to G2."""

    kind: Literal["dumbbell"] = "dumbbell"
    pairs: int | None = None
    """Senders, and receivers; default 1."""
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

    rate: Rate
    """Serialisation rate."""
    delay: str
    """Propagation delay."""
    queue: Queue | Mapping[str, Any] | None = None
    """Queue before the transmitter; drop-tail with 1000 packets where left out."""
    loss: Loss | Mapping[str, Any] | None = None
    """Losses of this direction."""
    stages: Sequence[Stage | Mapping[str, Any]] | None = None
    """What stands at its far end, in the order in which packets pass it, and header compression over its wire; default
    [].
    """


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
