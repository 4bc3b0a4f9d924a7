"""What senders and receivers may choose between. One to one with the scenario file.

Units are texts: rates ``"1.5Mbps"``, times ``"45ms"``, sizes ``"200kB"`` (1 kB = 1000 B, 1 KiB = 1024 B). What is
left at None is left out of the file, so the simulator's default holds.

Written by tools/builder.py from the JSON Schema (``make builder``); changes belong in the Rust types.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from .. import own
from ._part import Part


@dataclass(kw_only=True, repr=False)
class Every(Part):
    """Each arriving segment at once."""

    policy: Literal["every"] = "every"


@dataclass(kw_only=True, repr=False)
class Delayed(Part):
    """Every `segments`-th segment, or when `timer` expires (RFC 1122 section 4.2.3.2)."""

    policy: Literal["delayed"] = "delayed"
    timer: str | None = None
    """Longest delay of an ACK; default "0.1s"."""
    segments: int | None = None
    """In-order segments that an ACK may cover; default 2."""
    heartbeat: bool | None = None
    """Whether the timer runs freely (BSD). Otherwise the first segment held starts it; default false."""
    phase: str | None = None
    """Instant of the heartbeat's first beat; default "0s"."""


PhaseSource = Literal["oracle", "option", "shared", "heuristic"]
"""How a receiver knows whether the sender is in slow start.

- "oracle": The driver knows the phase at each segment's arrival, as in the paper's simulator.
- "option": Each segment carries the phase in which it was sent.
- "shared": One flag for all flows of the simulation: each growth of any sender's window sets it to that sender's phase.
  It begins as congestion avoidance.
- "heuristic": The receiver infers the phase from arriving segments and its own ACKs.
"""


@dataclass(kw_only=True, repr=False)
class Daass(Part):
    """Each segment at once while the sender is in slow start, else delayed (DAASS, Allman 1998)."""

    policy: Literal["daass"] = "daass"
    window: int | None = None
    """For `heuristic`: the advertised window in segments, at which slow start ends at the latest; default 4294967295.
    """
    timer: str | None = None
    """Longest delay of an ACK outside slow start; default "0.1s"."""
    segments: int | None = None
    """In-order segments that an ACK may cover outside slow start; default 2."""
    phase: PhaseSource | None = None
    """How the receiver knows the sender's phase; default "oracle"."""
    silence: str | None = None
    """For `heuristic`: time without arrivals before a gap is filled that indicates a timeout of the sender; default
    "0.5s".
    """


PieceOrder = Literal["rising", "falling"]
"""Which piece of a divided ACK leaves first.

- "rising": The piece that covers least.
- "falling": The whole ACK, so that the other pieces acknowledge nothing new.
"""


PieceParts = Literal["equal", "bytes"]
"""What the pieces of a divided ACK cover.

- "equal": Equal parts, rounded to whole bytes.
- "bytes": One byte each, and the last piece the rest.
"""


DivideWhen = Literal["always", "slow-start", "congestion-avoidance"]
"""In which phase of the sender ACKs are divided.

- "always": In both.
- "slow-start": In slow start only.
- "congestion-avoidance": In congestion avoidance only.
"""


@dataclass(kw_only=True, repr=False)
class Divide(Part):
    """ACK division: an ACK leaves in pieces. Duplicate ACKs, and ACKs of a filled gap, stay whole. `segments = 1` is
    method I of the paper, 2 its method II. The sender must count bytes (`sequence = "bytes"`), or an ACK of a segment
    has no pieces.
    """

    policy: Literal["divide"] = "divide"
    start: str | None = None
    """Instant at which division begins; default "0s"."""
    window: int | None = None
    """For `heuristic`: the advertised window in segments, at which slow start ends at the latest; default 4294967295.
    """
    timer: str | None = None
    """Longest delay of an ACK that may cover several segments; default "0.1s"."""
    segments: int | None = None
    """In-order segments that an ACK may cover; default 1."""
    burst: int | None = None
    """In-order segments whose ACKs are divided from then on; 0 is no limit; default 0."""
    order: PieceOrder | None = None
    """Which piece leaves first; default "rising"."""
    parts: PieceParts | None = None
    """What the pieces cover; default "equal"."""
    phase: PhaseSource | None = None
    """How the receiver knows the sender's phase; default "oracle"."""
    pieces: int | None = None
    """Pieces into which an ACK is divided; fewer if it covers fewer bytes; default 2."""
    silence: str | None = None
    """For `heuristic`: time without arrivals before a gap is filled that indicates a timeout of the sender; default
    "0.5s".
    """
    spacing: str | None = None
    """Pause between two pieces; 0s is back to back; default "0s"."""
    when: DivideWhen | None = None
    """In which phase of the sender ACKs are divided; default "always"."""


@dataclass(kw_only=True, repr=False)
class Spoof(Part):
    """An attack: copies of each ACK of in-order data inflate the window of a sender in fast recovery."""

    policy: Literal["spoof"] = "spoof"
    duplicates: int | None = None
    """Copies of each ACK; default 10."""


@dataclass(kw_only=True, repr=False)
class Optimistic(Part):
    """An attack: ACKs of data that has not arrived. What was lost is then never sent again."""

    policy: Literal["optimistic"] = "optimistic"
    timer: str | None = None
    """Time without arrivals after which an ACK covers exactly what arrived; default "0.1s"."""
    ahead: int | None = None
    """Segments beyond the highest received that an ACK covers, as soon as twice as many have arrived; default 8."""


@dataclass(kw_only=True, repr=False)
class Restore(Part):
    """Divided ACKs after a wireless loss, until the sender's window is as large as before it; or after a handover,
    until the window reaches a target. Segments carry the sender's window (`tell_window`).
    """

    policy: Literal["restore"] = "restore"
    start: str | None = None
    """When the handover happens; default "0s"."""
    pieces: int | None = None
    """Pieces into which an ACK is divided; default 8."""
    share: float | None = None
    """A loss counts as wireless if the round trip lies in this lower share of its range; default 0.5."""
    target: int | None = None
    """After a handover: the window to reach, in segments. 0 is none: windows are restored after losses instead; default
    0.
    """


LossNotice = Literal["tick", "third-duplicate"]
"""When the estimate of the window processes a third duplicate ACK (ledger smartacking.fig1.dup3).

- "tick": At the end of the round trip in which it was sent.
- "third-duplicate": When it is sent.
"""


WindowSource = Literal["estimate", "sender"]
"""How a receiver knows the sender's window.

- "estimate": It estimates the window (ledger smartacking.m.estimate_cwnd).
- "sender": Each segment carries the window.
"""


WindowStart = Literal["count", "tick"]
"""How a receiver recognises the first segment of a window (ledger smartacking.m.isat).

- "count": It is beyond what the window allowed at the start of the last one.
- "tick": It is the first to arrive in a round trip.
"""


RttSource = Literal["probe", "timestamps", "fixed", "sender"]
"""How a receiver that sends no data knows the round trip (ledger smartacking.m.rtt).

- "probe": By a keep-alive every `interval`, the first with the first segment (the paper).
- "timestamps": By timestamps: segments echo the newest ACK that had arrived (RFC 7323).
- "fixed": By the first keep-alive only (ledger smartacking.m.fixed_rtt).
- "sender": Each segment carries the sender's smoothed round trip.
"""


@dataclass(kw_only=True, repr=False)
class Smart(Part):
    """Smartacking: each segment at once while the bottleneck has room, else as late as keeps it busy (ledger
    smartacking.m.core).
    """

    policy: Literal["smart"] = "smart"
    loss: LossNotice | None = None
    """When a third duplicate ACK counts; default "tick"."""
    window: WindowSource | None = None
    """How the receiver knows the sender's window; default "estimate"."""
    timer: str | None = None
    """Longest delay of an ACK; default "0.2s"."""
    extended: bool | None = None
    """Whether the share of the round trip that is subtracted from a delay adapts (alpha, beta, gamma; ledger
    smartacking.m.extended); default false.
    """
    first: WindowStart | None = None
    """How the receiver recognises the first segment of a window; default "count"."""
    initial: int | None = None
    """The sender's assumed initial window, in segments; default 1."""
    interval: str | None = None
    """Time between keep-alives; default "1s"."""
    rtt: RttSource | None = None
    """How the receiver knows the round trip; default "probe"."""


@dataclass(kw_only=True, repr=False)
class Periodic(Part):
    """An ACK once `segments` have arrived and RTT/`beta` has passed since the last one: max(L segments, RTTmin/beta),
    as in TACK (Li and others 2020).
    """

    policy: Literal["periodic"] = "periodic"
    timer: str | None = None
    """Longest delay of an ACK; default "0.2s"."""
    segments: int | None = None
    """L: least in-order segments that an ACK covers, unless `timer` expires; default 2."""
    beta: float | None = None
    """ACKs in a round trip where segments arrive faster; default 4.0."""
    interval: str | None = None
    """Time between keep-alives; default "1s"."""
    rtt: RttSource | None = None
    """How the receiver knows the round trip, of which it takes the minimum; default "probe"."""


@dataclass(kw_only=True, repr=False)
class Linux(Part):
    """Linux 6: quick ACKs first, then every second full segment, with an adaptive timer and compressed SACKs."""

    policy: Literal["linux"] = "linux"
    window: int | None = None
    """Window with which the receiver opens, in segments: 65,160 bytes in segments of 1448. Half as many quick ACKs
    begin it; default 45.
    """
    timer: str | None = None
    """Longest delay of an ACK, less a tick. The socket option `TCP_DELACK_MAX_US` (6.15) sets a shorter one; default
    "0.2s".
    """
    autotune: bool | None = None
    """Whether the buffer grows with what is read in a round trip; default true."""
    buffer: int | None = None
    """Segments for which the receiver's buffer first has room: 131,072 bytes, of which a segment takes 2304. Until then
    each arriving segment opens the window by two and is acknowledged at once. At least `window`; default 57.
    """
    least: str | None = None
    """Shortest delay of an ACK that waits; at most `timer`; default "0.04s"."""
    low_water: int | None = None
    """Sequence units for which the application waits before it reads; 1 reads at once; default 1."""
    quick: int | None = None
    """Most quick ACKs in a row; default 16."""
    sack_delay: str | None = None
    """Longest delay of a SACK after the third duplicate (`tcp_comp_sack_delay_ns`); `sack_share` of the round trip if
    that is less. 0s does not compress; default "0.001s".
    """
    sack_most: int | None = None
    """Segments above a gap that one such SACK may answer (`tcp_comp_sack_nr`); default 44."""
    sack_share: float | None = None
    """Share of the round trip that such a SACK waits (`tcp_comp_sack_rtt_percent` / 100): 0.05 up to 6.18, 0.33 from
    6.19; default 0.05.
    """
    sack_slack: str | None = None
    """Time by which the kernel lets such a SACK be late (`tcp_comp_sack_slack_ns`): 100us up to 6.18, 10us from 6.19;
    default "0.0001s".
    """
    tick: str | None = None
    """The kernel's clock (1/HZ), in which the timer and gaps between segments are counted; 0s counts them exactly;
    default "0.004s".
    """


@dataclass(kw_only=True, repr=False)
class Quic(Part):
    """QUIC (RFC 9000 section 13.2), and what its sender can request (ACK_FREQUENCY, draft-ietf-quic-ack-frequency)."""

    policy: Literal["quic"] = "quic"
    segments: int | None = None
    """Packets that an ACK may cover: the extension's Ack-Eliciting Threshold plus one; default 2."""
    max_ack_delay: str | None = None
    """Longest delay of an ACK; default "0.025s"."""
    packet_numbers: bool | None = None
    """Whether the policy reads packet numbers, which no retransmission repeats. Only for a sender with `recovery =
    "rfc9002"`, where it is true if left out; default false.
    """
    reordering: int | None = None
    """Reordering Threshold: packets received after a missing one that cause an ACK at once. 1 acknowledges every packet
    that is out of order at once; 0 never; default 1.
    """
    rtt_share: float | None = None
    """Share of its smoothed round trip that the sender requests as the longest delay, at most `max_ack_delay`; 0
    requests none; default 0.0.
    """


@dataclass(kw_only=True, repr=False)
class Acc(Part):
    """ACK congestion control: an ACK every d segments. A RED queue with `ecn` can mark its ACKs. The sender echoes a
    mark on its next segment, which doubles d, at most once a round trip. A round trip without a mark reduces d by one.
    """

    policy: Literal["acc"] = "acc"
    timer: str | None = None
    """Longest delay of an ACK; default "0.1s"."""
    d_max: int | None = None
    """Most segments that an ACK covers, at most half the sender's window; default 16."""


@dataclass(kw_only=True, repr=False)
class PythonPolicy(Part):
    """A policy in Python that the program passes to the run (`acklab.AckPolicy`)."""

    policy: Literal["python"] = "python"
    name: str
    """Its name among those that are passed."""
    parameters: Mapping[str, Any] | None = None
    """Keyword arguments of its constructor; default {}."""


AckPolicy = Every | Delayed | Daass | Divide | Spoof | Optimistic | Restore | Smart | Periodic | Linux | Quic | Acc | PythonPolicy | own.PolicyClass | Literal[
    "every",
    "delayed",
    "daass",
    "divide",
    "spoof",
    "optimistic",
    "restore",
    "smart",
    "periodic",
    "linux",
    "quic",
    "acc",
]
"""ACK policy: when the receiver acknowledges.

- "every": `{ policy = "every" }`.
- "delayed": `{ policy = "delayed" }`.
- "daass": `{ policy = "daass" }`.
- "divide": `{ policy = "divide" }`.
- "spoof": `{ policy = "spoof" }`.
- "optimistic": `{ policy = "optimistic" }`.
- "restore": `{ policy = "restore" }`.
- "smart": `{ policy = "smart" }`.
- "periodic": `{ policy = "periodic" }`.
- "linux": `{ policy = "linux" }`.
- "quic": `{ policy = "quic" }`.
- "acc": `{ policy = "acc" }`.
"""


@dataclass(kw_only=True, repr=False)
class AckCounting(Part):
    """One segment, whatever it covers (RFC 2581)."""

    kind: Literal["ack-counting"] = "ack-counting"


@dataclass(kw_only=True, repr=False)
class Rfc5681(Part):
    """What it newly covers, at most one segment in slow start (RFC 5681 equation 2)."""

    kind: Literal["rfc5681"] = "rfc5681"


Growth = Literal["whole", "steps", "all-then-one"]
"""How byte counting applies an increment of k segments.

- "whole": In one step, by the law that holds before the ACK, even past ssthresh. It gives Table 1 of Allman 1998.
- "steps": In steps of a segment, each by the law that holds before it.
- "all-then-one": In slow start in one step. In congestion avoidance k - 1 segments in one step, then one, as when the
  increment is added to a sender that grows by one segment itself (docs/oracle).
"""


@dataclass(kw_only=True, repr=False)
class Ubc(Part):
    """All it newly covers: unlimited byte counting (Allman 1998)."""

    kind: Literal["ubc"] = "ubc"
    growth: Growth | None = None
    """How the increment is applied; default "whole"."""


@dataclass(kw_only=True, repr=False)
class Lbc(Part):
    """What it newly covers, at most `limit` segments: limited byte counting (Allman 1998)."""

    kind: Literal["lbc"] = "lbc"
    growth: Growth | None = None
    """How the increment is applied; default "whole"."""
    limit: float | None = None
    """Most segments that an ACK is worth; default 2.0."""


@dataclass(kw_only=True, repr=False)
class Abc(Part):
    """Appropriate byte counting (RFC 3465)."""

    kind: Literal["abc"] = "abc"
    limit: float | None = None
    """L: most segments that an ACK is worth in slow start. In a slow start after a timeout, it is 1; default 2.0."""


@dataclass(kw_only=True, repr=False)
class Sabc(Part):
    """Scaled appropriate byte counting: RFC 3465 with a larger L, which also holds after a timeout. The paper does not
    define it; this is our reading (ledger smartacking.m.sabc).
    """

    kind: Literal["sabc"] = "sabc"
    limit: float | None = None
    """L, usually above 2; default 4.0."""


@dataclass(kw_only=True, repr=False)
class FullSegments(Part):
    """One segment for each segment it completes, nothing for a piece of a segment (Linux)."""

    kind: Literal["full-segments"] = "full-segments"


@dataclass(kw_only=True, repr=False)
class Counter(Part):
    """One segment in slow start; in congestion avoidance, one segment for a window of ACKs and one ACK (Linux before it
    counted what ACKs cover).
    """

    kind: Literal["counter"] = "counter"


@dataclass(kw_only=True, repr=False)
class SegmentCounter(Part):
    """One segment for each segment it completes. In congestion avoidance these are counted, and each window of them
    makes one segment (Linux). CUBIC takes them uncounted.
    """

    kind: Literal["segment-counter"] = "segment-counter"


Credit = AckCounting | Rfc5681 | Ubc | Lbc | Abc | Sabc | FullSegments | Counter | SegmentCounter | Literal[
    "ack-counting",
    "rfc5681",
    "ubc",
    "lbc",
    "abc",
    "sabc",
    "full-segments",
    "counter",
    "segment-counter",
]
"""Credit: what an ACK of new data is worth.

- "ack-counting": `{ kind = "ack-counting" }`.
- "rfc5681": `{ kind = "rfc5681" }`.
- "ubc": `{ kind = "ubc" }`.
- "lbc": `{ kind = "lbc" }`.
- "abc": `{ kind = "abc" }`.
- "sabc": `{ kind = "sabc" }`.
- "full-segments": `{ kind = "full-segments" }`.
- "counter": `{ kind = "counter" }`.
- "segment-counter": `{ kind = "segment-counter" }`.
"""


@dataclass(kw_only=True, repr=False)
class RenoRecovery(Part):
    """Fast recovery that ends with the first ACK of new data (RFC 2581)."""

    kind: Literal["reno"] = "reno"
    inflate_when_blocked: bool | None = None
    """Whether a duplicate ACK inflates the window even when fast retransmit was blocked (early Reno); default false."""
    inflation_limit: bool | None = None
    """Whether inflation is limited to what was outstanding when recovery began, as a defence against spoofed ACKs;
    default false.
    """


PartialAckTimer = Literal["first", "each"]
"""Which partial ACKs restart NewReno's retransmission timer (RFC 6582 section 4).

- "first": Only the first of a recovery ("impatient").
- "each": Each ("slow but steady").
"""


@dataclass(kw_only=True, repr=False)
class NewrenoRecovery(Part):
    """Fast recovery that lasts until `recover` is acknowledged (RFC 6582)."""

    kind: Literal["newreno"] = "newreno"
    inflate_when_blocked: bool | None = None
    """Whether a duplicate ACK inflates the window even when fast retransmit was blocked (early Reno); default false."""
    inflation_limit: bool | None = None
    """Whether inflation is limited to what was outstanding when recovery began, as a defence against spoofed ACKs;
    default false.
    """
    partial_ack_timer: PartialAckTimer | None = None
    """Which partial ACKs restart the retransmission timer; default "first"."""
    partial_deflation: bool | None = None
    """Whether a partial ACK deflates the window (RFC 6582 section 3.2 step 3); default true."""


SackPartial = Literal["pipe-twice", "two-segments", "two-segments-past-end"]
"""What a partial ACK does in the SACK recovery of Fall and Floyd.

- "pipe-twice": It reduces `pipe` by two segments, so that recovery is never slower than slow start.
- "two-segments": It sends two segments, whatever `pipe` is.
- "two-segments-past-end": The same, even past the end of the data, as in ns-2, which then acknowledges more than there
  was to send.
"""


@dataclass(kw_only=True, repr=False)
class SackRecovery(Part):
    """SACK with a `pipe` count (Fall and Floyd 1996)."""

    kind: Literal["sack"] = "sack"
    partial: SackPartial | None = None
    """What a partial ACK does; default "pipe-twice"."""


RecoveryWindow = Literal["at-once", "prr-crb", "prr-ssrb", "prr", "prr-linux"]
"""How the window falls to ssthresh in a recovery.

- "at-once": At once. Only the first hole is sent until so little is in flight.
- "prr-crb": By proportional rate reduction. Below ssthresh, no more is sent than was delivered (PRR-CRB, RFC 6937).
- "prr-ssrb": By proportional rate reduction. Below ssthresh, each ACK sends one segment more, as in slow start (PRR-
  SSRB, RFC 6937).
- "prr": By proportional rate reduction. Below ssthresh, an ACK sends one segment more only if it acknowledges new data
  and shows no further loss (RFC 9937).
- "prr-linux": Linux's proportional rate reduction: RFC 9937 in whole segments, with shares of cwnd instead of what was
  in flight.
"""


Frto = Literal["off", "rfc5682", "linux"]
"""How a timeout is tested for being spurious: new data is sent after the first retransmission (F-RTO, RFC 5682).

- "off": Not at all.
- "rfc5682": The second ACK decides (RFC 5682 section 3, with SACK).
- "linux": The first ACK decides if it acknowledges more than the retransmission (Linux).
"""


Undo = Literal["off", "timestamps", "dsack", "both"]
"""Which evidence shows that a reduction was needless, so that cwnd and ssthresh are restored.

- "off": None: reductions are never undone.
- "timestamps": An ACK of new data that echoes a timestamp from before the first retransmission (Eifel, RFC 3522). It
  needs `timestamps`.
- "dsack": DSACKs of every retransmission (RFC 3708). They need the receiver's `dsack`.
- "both": Either of the two (Linux).
"""


@dataclass(kw_only=True, repr=False)
class Rfc6675Recovery(Part):
    """SACK with a computed pipe (RFC 6675)."""

    kind: Literal["rfc6675"] = "rfc6675"
    window: RecoveryWindow | None = None
    """How the window falls to ssthresh; default "at-once"."""
    frto: Frto | None = None
    """How a timeout is tested for being spurious; default "off"."""
    undo: Undo | None = None
    """Which evidence undoes a needless reduction; default "off"."""


FackWindow = Literal["at-once", "rate-halving", "prr-crb", "prr-ssrb", "prr", "prr-linux"]
"""How the window falls to ssthresh in a recovery with forward acknowledgment.

- "at-once": At once. Only the first hole is sent until so little is in flight.
- "rate-halving": By one segment for two ACKs (rate halving; Linux before PRR).
- "prr-crb": By PRR-CRB (RFC 6937).
- "prr-ssrb": By PRR-SSRB (RFC 6937).
- "prr": By RFC 9937's proportional rate reduction.
- "prr-linux": By Linux's proportional rate reduction.
"""


@dataclass(kw_only=True, repr=False)
class FackRecovery(Part):
    """SACK with forward acknowledgment, which detects lost retransmissions (Mathis and Mahdavi 1996; Linux before
    RACK).
    """

    kind: Literal["fack"] = "fack"
    window: FackWindow | None = None
    """How the window falls to ssthresh; default "at-once"."""
    duplicates_restart_timer: bool | None = None
    """Whether duplicate ACKs restart the retransmission timer, as in ns-2's TCP/Linux. RFC 6298 restarts it for new
    data only; default false.
    """
    undo: Undo | None = None
    """Which evidence undoes a needless reduction; default "off"."""


Reordering = Literal["rfc8985", "linux"]
"""How a sender with RACK measures reordering, and what follows from it.

- "rfc8985": It is seen or not. Each round trip with a DSACK widens the time that RACK waits (RFC 8985 section 6.2).
- "linux": It has a degree, in segments. Above `dup_thresh`, reported segments grow the window, too. DSACKs widen the
  time that RACK waits only after reordering. A late segment undoes a recovery once no retransmission is on its way
  (Linux).
"""


@dataclass(kw_only=True, repr=False)
class RackRecovery(Part):
    """RACK-TLP: losses found by time, and probes for lost tails (RFC 8985)."""

    kind: Literal["rack"] = "rack"
    window: RecoveryWindow | None = None
    """How the window falls to ssthresh; default "at-once"."""
    frto: Frto | None = None
    """How a timeout is tested for being spurious; default "off"."""
    phase: str | None = None
    """Phase of that tick: the host's age at time 0, modulo `tick`; default "0s"."""
    reordering: Reordering | None = None
    """How reordering is measured, and what follows from it; default "rfc8985"."""
    tick: str | None = None
    """Tick (1/HZ) by which its three timers are set, as in Linux; 0s sets them exactly, as in RFC 8985; default "0s".
    """
    undo: Undo | None = None
    """Which evidence undoes a needless reduction; default "off"."""


@dataclass(kw_only=True, repr=False)
class Rfc9002Recovery(Part):
    """QUIC's loss detection and probes, in which no timeout reduces the window (RFC 9002)."""

    kind: Literal["rfc9002"] = "rfc9002"
    max_ack_delay: str | None = None
    """Longest time for which the receiver may hold an ACK (RFC 9002 section 5.3). If left out, that of policy `quic`;
    default "0.025s".
    """
    packet_numbers: bool | None = None
    """Whether segments carry packet numbers, and ACKs the time for which the largest was held. Only for a receiver with
    policy `quic`, where it is true if left out; default false.
    """


Recovery = RenoRecovery | NewrenoRecovery | SackRecovery | Rfc6675Recovery | FackRecovery | RackRecovery | Rfc9002Recovery | Literal[
    "tahoe",
    "reno",
    "newreno",
    "sack",
    "rfc6675",
    "fack",
    "rack",
    "rfc9002",
]
"""Loss recovery: how a sender finds and repairs losses.

- "tahoe": `{ kind = "tahoe" }`.
- "reno": `{ kind = "reno" }`.
- "newreno": `{ kind = "newreno" }`.
- "sack": `{ kind = "sack" }`.
- "rfc6675": `{ kind = "rfc6675" }`.
- "fack": `{ kind = "fack" }`.
- "rack": `{ kind = "rack" }`.
- "rfc9002": `{ kind = "rfc9002" }`.
"""


SlowStart = Literal["standard", "hystart++"]
"""How the initial slow start ends.

- "standard": With the first loss or mark, or at the initial ssthresh (RFC 5681 section 3.1).
- "hystart++": Also when the round trip grows: growth falls to a quarter, and slow start ends after five such rounds
  unless the round trip has fallen again (HyStart++, RFC 9406).
"""


@dataclass(kw_only=True, repr=False)
class Reno(Part):
    """Slow start, additive increase, halving (RFC 5681)."""

    kind: Literal["reno"] = "reno"
    slow_start: SlowStart | None = None
    """How the initial slow start ends; default "standard"."""


VenoBase = Literal["since-loss", "ever"]
"""Since when Veno takes the minimum round trip.

- "since-loss": Since the last loss (the paper). A queue that other flows keep full then soon counts as part of the
  path.
- "ever": Since the beginning (kernels).
"""


VenoEstimate = Literal["per-rtt", "per-ack"]
"""How often Veno judges its backlog.

- "per-rtt": Once a round trip, when the segment tagged for it is acknowledged (the paper).
- "per-ack": With every round-trip sample (kernels).
"""


VenoFirstLoss = Literal["half", "by-flag"]
"""What a loss does before Veno has judged its backlog.

- "half": It halves the window, as in Reno (the paper leaves start-up as in Reno; ledger veno.m.state_estimate).
- "by-flag": It reduces the window by a fifth, since no backlog was seen.
"""


@dataclass(kw_only=True, repr=False)
class Veno(Part):
    """Veno: additive increase at half the pace while more than `beta` segments are backlogged. A loss with at most
    `alpha` segments backlogged reduces the window by a fifth instead of half (Fu and Liew 2003).
    """

    kind: Literal["veno"] = "veno"
    alpha: float | None = None
    """Backlog in segments up to which a loss counts as random; default 1.0."""
    base_rtt: VenoBase | None = None
    """Since when the minimum round trip is taken; default "since-loss"."""
    beta: float | None = None
    """Backlog in segments above which only every other ACK grows the window; default 3.0."""
    clock: str | None = None
    """Granularity of the clock that times segments, at most 1s; `"0s"` is exact; default "0.001s"."""
    estimate: VenoEstimate | None = None
    """How often the backlog is judged; default "per-rtt"."""
    first_loss: VenoFirstLoss | None = None
    """What a loss before the first judgement does; default "half"."""
    slow_start: SlowStart | None = None
    """How the initial slow start ends; default "standard"."""


CubicSlowStart = Literal["standard", "hystart++", "hystart"]
"""How the initial slow start of CUBIC ends.

- "standard": With the first loss or mark, or at the initial ssthresh (RFC 5681 section 3.1).
- "hystart++": Also when the round trip grows (HyStart++, RFC 9406).
- "hystart": Also when a train of ACKs lasts half a round trip, or when the round trip has grown by an eighth (HyStart,
  Ha and Rhee 2011; Linux).
"""


@dataclass(kw_only=True, repr=False)
class Cubic(Part):
    """CUBIC (RFC 9438)."""

    kind: Literal["cubic"] = "cubic"
    alpha_rises: bool | None = None
    """Whether that Reno grows by a whole segment a round trip above the last maximum (section 4.3). Otherwise it always
    grows by 3 (1 - beta) / (1 + beta) of a segment (Linux); default true.
    """
    beta: float | None = None
    """Share of the window that a loss leaves; default 0.7."""
    c: float | None = None
    """C: aggressiveness in segments per second cubed; default 0.4."""
    fast_convergence: bool | None = None
    """Whether a loss below the last maximum lowers the next maximum (section 4.7); default true."""
    reno_friendly: bool | None = None
    """Whether the window is at least that of Reno (section 4.3); default true."""
    seek: float | None = None
    """Least growth in a round trip, as a share of the window, before the first loss (Linux has 0.05); default 0.0."""
    slow_start: CubicSlowStart | None = None
    """How the initial slow start ends; default "standard"."""


@dataclass(kw_only=True, repr=False)
class Westwood(Part):
    """Westwood+: after a loss the window is the rate of ACKs times the minimum round trip (Grieco and Mascolo 2004)."""

    kind: Literal["westwood"] = "westwood"
    gain: float | None = None
    """Weight of the past in the filtered rate; default 0.9."""
    slow_start: SlowStart | None = None
    """How the initial slow start ends; default "standard"."""


VegasPace = Literal["every-rtt", "second-rtt"]
"""How often Vegas changes its window.

- "every-rtt": Every round trip (the paper).
- "second-rtt": In effect every second round trip: the window moves to one more or less than it was a round trip ago
  (kernels).
"""


@dataclass(kw_only=True, repr=False)
class Vegas(Part):
    """Vegas: keeps between `alpha` and `beta` segments backlogged (Brakmo, O'Malley and Peterson 1994)."""

    kind: Literal["vegas"] = "vegas"
    alpha: float | None = None
    """Backlog in segments below which the window grows; at most `beta`; default 2.0."""
    beta: float | None = None
    """Backlog in segments above which the window shrinks; default 4.0."""
    gamma: float | None = None
    """Backlog in segments that ends slow start; default 1.0."""
    pace: VegasPace | None = None
    """How often the window changes; default "every-rtt"."""


@dataclass(kw_only=True, repr=False)
class Dctcp(Part):
    """DCTCP: a mark reduces the window by half the share of bytes that were marked lately (RFC 8257). It needs ACKs
    that echo each mark (`echo_each_mark`), and queues that mark early.
    """

    kind: Literal["dctcp"] = "dctcp"
    gain: float | None = None
    """g: weight of the newest window in that share; default 0.0625."""
    slow_start: SlowStart | None = None
    """How the initial slow start ends; default "standard"."""


@dataclass(kw_only=True, repr=False)
class Bbr(Part):
    """BBR version 1, as in Linux: sends at the largest delivery rate of ten round trips, with about twice the product
    of that rate and the minimum round trip of ten seconds in flight (Cardwell and others 2016). It needs `recovery =
    "rack"`, paces by itself, and reads neither `credit` nor the recovery's `window`.
    """

    kind: Literal["bbr"] = "bbr"


@dataclass(kw_only=True, repr=False)
class PythonControl(Part):
    """A control in Python that the program passes to the run (`acklab.CongestionControl`)."""

    kind: Literal["python"] = "python"
    name: str
    """Its name among those that are passed."""
    parameters: Mapping[str, Any] | None = None
    """Keyword arguments of its constructor; default {}."""


Control = Reno | Veno | Cubic | Westwood | Vegas | Dctcp | Bbr | PythonControl | own.ControlClass | Literal[
    "reno",
    "veno",
    "cubic",
    "westwood",
    "vegas",
    "dctcp",
    "bbr",
]
"""Congestion control: what credit, round trips and losses do to cwnd and ssthresh.

- "reno": `{ kind = "reno" }`.
- "veno": `{ kind = "veno" }`.
- "cubic": `{ kind = "cubic" }`.
- "westwood": `{ kind = "westwood" }`.
- "vegas": `{ kind = "vegas" }`.
- "dctcp": `{ kind = "dctcp" }`.
- "bbr": `{ kind = "bbr" }`.
"""


Halving = Literal["precise", "integer", "flight-size", "cwnd"]
"""Which quantity a loss halves.

- "precise": The window in use, as a real number. cwnd becomes the half, ssthresh its integer part (ns-2.35).
- "integer": The window in use, in whole units (ns-1 and early ns-2).
- "flight-size": FlightSize without the segments of Limited Transmit. cwnd becomes ssthresh (RFC 5681 equation 4).
- "cwnd": cwnd, used or not, in whole segments. cwnd becomes ssthresh (Linux).
"""


IdleRestart = Literal["timer", "timer-keeps-window", "rfc5681", "linux", "off"]
"""What happens to the window of an idle connection.

- "timer": The retransmission timer keeps running. If it expires with nothing outstanding, slow start begins again
  (ns-2).
- "timer-keeps-window": The timer keeps running, and its expiry leaves cwnd (ns-2 with `slow_start_restart_` off).
- "rfc5681": After an idle RTO, cwnd is at most the initial window (RFC 5681 section 4.1).
- "linux": After each idle RTO, cwnd is halved, to the initial window at the least; ssthresh remembers three quarters of
  it (RFC 2861 section 3.2; Linux's `tcp_cwnd_restart`).
- "off": Nothing.
"""


RecoveryExit = Literal["keep", "min-flight", "rfc6582"]
"""The window at the end of a fast recovery.

- "keep": cwnd stays as it is, and the ACK that ends the recovery grows it (ns-2).
- "min-flight": NewReno: min(ssthresh, FlightSize + 1 segment), and the ACK grows it (ns-2's `exit_recovery_fix_`).
- "rfc6582": NewReno: min(ssthresh, max(FlightSize, SMSS) + SMSS). In every recovery, the ACK does not grow it (RFC 6582
  section 3.2 step 3).
"""
