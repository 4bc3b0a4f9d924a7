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
    """RFC 1122 section 4.2.3.2: every `segments`-th, or when `timer` runs out."""

    policy: Literal["delayed"] = "delayed"
    timer: str | None = None
    """Longest delay of an ACK; "0.1s" where left out."""
    segments: int | None = None
    """In-order segments an ACK may cover; 2 where left out."""
    heartbeat: bool | None = None
    """A free-running timer (BSD) instead of one started by the first segment held; false where left out."""
    phase: str | None = None
    """Instant of the heartbeat's first beat; "0s" where left out."""


PhaseSource = Literal["oracle", "option", "shared", "heuristic"]
"""How a receiver learns whether the sender is in slow start.

- "oracle": The driver knows, and tells at each segment's arrival: what the paper's simulator did.
- "option": Each segment says so, as of when it was sent.
- "shared": One flag for all flows of the simulation, which the driver owns: every growth of any sender's window sets it
  to that sender's phase. Until the first it says congestion avoidance.
- "heuristic": It guesses from what arrives and from the ACKs it sends.
"""


@dataclass(kw_only=True, repr=False)
class Daass(Part):
    """Each segment at once while the sender is in slow start, else delayed (Allman 1998, DAASS)."""

    policy: Literal["daass"] = "daass"
    window: int | None = None
    """For `heuristic`: the window the receiver advertises, at which slow start ends at the latest, in segments;
    4294967295 where left out.
    """
    timer: str | None = None
    """Longest delay of an ACK outside slow start; "0.1s" where left out."""
    segments: int | None = None
    """In-order segments an ACK may cover outside slow start; 2 where left out."""
    phase: PhaseSource
    """How the receiver knows the sender's phase."""
    silence: str | None = None
    """For `heuristic`: a silence this long before a gap is filled means that the sender timed out; "0.5s" where left
    out.
    """


PieceOrder = Literal["rising", "falling"]
"""Which piece of a divided ACK leaves first.

- "rising": The one that covers least.
- "falling": The whole ACK; the others then tell the sender nothing.
"""


PieceParts = Literal["equal", "bytes"]
"""What the pieces of a divided ACK cover.

- "equal": Equal parts, rounded to whole bytes.
- "bytes": A byte each, and the last piece all the rest.
"""


DivideWhen = Literal["always", "slow-start", "congestion-avoidance"]
"""In which phase of the sender ACKs are divided.

- "always": In both.
- "slow-start": In slow start only.
- "congestion-avoidance": In congestion avoidance only.
"""


@dataclass(kw_only=True, repr=False)
class Divide(Part):
    """The ACK that is due leaves in pieces (ACK division); duplicate ACKs and those of a filled gap stay whole.
    `segments = 1` is the paper's method I, 2 its method II. The sender must count bytes for a segment's ACK to have
    pieces at all.
    """

    policy: Literal["divide"] = "divide"
    start: str | None = None
    """Division begins at this instant; "0s" where left out."""
    window: int | None = None
    """For `heuristic`: the window the receiver advertises, at which slow start ends at the latest, in segments;
    4294967295 where left out.
    """
    timer: str | None = None
    """Longest delay of an ACK, where it may cover several segments; "0.1s" where left out."""
    segments: int | None = None
    """In-order segments an ACK may cover; 1 where left out."""
    burst: int | None = None
    """In-order segments whose ACKs are divided from then on; 0 is no end; 0 where left out."""
    order: PieceOrder | None = None
    """Which piece leaves first; "rising" where left out."""
    parts: PieceParts | None = None
    """What the pieces cover; "equal" where left out."""
    phase: PhaseSource | None = None
    """How the receiver knows the sender's phase; "oracle" where left out."""
    pieces: int
    """Pieces an ACK is divided into; fewer if it covers fewer bytes."""
    silence: str | None = None
    """For `heuristic`: a silence this long before a gap is filled means that the sender timed out; "0.5s" where left
    out.
    """
    spacing: str | None = None
    """Pause between a piece and the next; 0s is back to back; "0s" where left out."""
    when: DivideWhen | None = None
    """In which phase of the sender; "always" where left out."""


@dataclass(kw_only=True, repr=False)
class Spoof(Part):
    """An attack: each ACK of in-order data is repeated, which inflates the window of a sender in fast recovery."""

    policy: Literal["spoof"] = "spoof"
    duplicates: int | None = None
    """Copies of each ACK; 10 where left out."""


@dataclass(kw_only=True, repr=False)
class Optimistic(Part):
    """An attack: data is acknowledged before it arrives; what was lost is never sent again."""

    policy: Literal["optimistic"] = "optimistic"
    timer: str | None = None
    """When nothing comes for so long, an ACK of exactly what came; "0.1s" where left out."""
    ahead: int | None = None
    """Segments beyond the highest received that an ACK covers, once twice as many have come; 8 where left out."""


@dataclass(kw_only=True, repr=False)
class Restore(Part):
    """Divided ACKs until the sender's window, told by its segments, is back where it was before a wireless loss, or has
    reached a target after a handover.
    """

    policy: Literal["restore"] = "restore"
    start: str | None = None
    """When the handover is; "0s" where left out."""
    pieces: int | None = None
    """Pieces an ACK is divided into; 8 where left out."""
    share: float | None = None
    """A loss counts as wireless if the round trip lies in this lower share of its range; 0.5 where left out."""
    target: int | None = None
    """After a handover: the window to reach, in segments; 0 is none, and losses are made good instead; 0 where left
    out.
    """


LossNotice = Literal["tick", "third-duplicate"]
"""When the estimate of the window takes note of a third duplicate ACK (ledger smartacking.fig1.dup3).

- "tick": When the round trip ends in which it was sent.
- "third-duplicate": As it is sent.
"""


WindowSource = Literal["estimate", "sender"]
"""How a receiver knows the sender's window.

- "estimate": It estimates it (ledger smartacking.m.estimate_cwnd).
- "sender": Each segment says what it is.
"""


WindowStart = Literal["count", "tick"]
"""How a receiver recognises the first segment of a window (ledger smartacking.m.isat).

- "count": By counting: it is beyond what the window allowed when the last one began.
- "tick": It is the first to arrive in a round trip.
"""


RttSource = Literal["probe", "timestamps", "fixed", "sender"]
"""How a receiver that sends no data knows the round trip (ledger smartacking.m.rtt).

- "probe": It sends a keep-alive every `interval`, as the paper has it; the first with the first segment.
- "timestamps": It remembers when it sent each ACK, and segments echo the newest that had come (RFC 7323).
- "fixed": The first keep-alive's answer, for ever (ledger smartacking.m.fixed_rtt).
- "sender": Each segment says what the sender's smoothed round trip is.
"""


@dataclass(kw_only=True, repr=False)
class Smart(Part):
    """Smartacking: each segment at once while the bottleneck has room, else as late as keeps it busy (ledger
    smartacking.m.core).
    """

    policy: Literal["smart"] = "smart"
    loss: LossNotice | None = None
    """When a third duplicate ACK counts; "tick" where left out."""
    window: WindowSource | None = None
    """How the sender's window is known; "estimate" where left out."""
    timer: str | None = None
    """Longest delay of an ACK; "0.2s" where left out."""
    extended: bool | None = None
    """Whether the share of the round trip taken off a delay adapts (alpha, beta, gamma; ledger smartacking.m.extended);
    false where left out.
    """
    first: WindowStart | None = None
    """How the first segment of a window is recognised; "count" where left out."""
    initial: int | None = None
    """The window with which the sender is presumed to begin, in segments; 1 where left out."""
    interval: str | None = None
    """Time between keep-alives; "1s" where left out."""
    rtt: RttSource | None = None
    """How the round trip is known; "probe" where left out."""


@dataclass(kw_only=True, repr=False)
class Periodic(Part):
    """An ACK once `segments` have come and RTT/`beta` has passed since the last one, as TACK has it (Li and others
    2020): max(L segments, RTTmin/beta).
    """

    policy: Literal["periodic"] = "periodic"
    timer: str | None = None
    """Longest delay of an ACK; "0.2s" where left out."""
    segments: int | None = None
    """Least in-order segments an ACK covers, unless `timer` runs out: L; 2 where left out."""
    beta: float | None = None
    """ACKs in a round trip where segments come faster; 4.0 where left out."""
    interval: str | None = None
    """Time between keep-alives; "1s" where left out."""
    rtt: RttSource | None = None
    """How the round trip is known; the least one counts; "probe" where left out."""


@dataclass(kw_only=True, repr=False)
class Linux(Part):
    """As Linux 6 acknowledges bulk data: quick ACKs first, then every second full segment, a timer that adapts, and
    compressed SACKs.
    """

    policy: Literal["linux"] = "linux"
    window: int | None = None
    """Window with which the receiver opens, in segments; half as many quick ACKs begin it; 45 where left out."""
    timer: str | None = None
    """Longest, less a tick; "0.2s" where left out."""
    autotune: bool | None = None
    """Whether the buffer grows with what is read in a round trip; true where left out."""
    buffer: int | None = None
    """Segments that the receiver's buffer has room for at first. Up to there the window opens, by two segments with
    each that comes; such a segment is acknowledged at once; 57 where left out.
    """
    least: str | None = None
    """Least time a segment is held; "0.04s" where left out."""
    low_water: int | None = None
    """Sequence units for which the application waits before it reads; 1 reads at once; 1 where left out."""
    quick: int | None = None
    """Most quick ACKs in a row; 16 where left out."""
    sack_delay: str | None = None
    """Longest delay of a SACK beyond the third duplicate; 5% of the round trip if that is less. 0s does not compress;
    "0.001s" where left out.
    """
    sack_most: int | None = None
    """Segments above a gap that one such SACK may answer; 44 where left out."""
    tick: str | None = None
    """The kernel's clock (1/HZ), in which the timer and gaps between segments are counted; 0s counts them exactly;
    "0.004s" where left out.
    """


@dataclass(kw_only=True, repr=False)
class Quic(Part):
    """As QUIC acknowledges (RFC 9000 section 13.2), and what its sender can ask for (ACK_FREQUENCY, draft-ietf-quic-
    ack-frequency).
    """

    policy: Literal["quic"] = "quic"
    segments: int | None = None
    """Packets an ACK may cover. The extension's Ack-Eliciting Threshold is one less; 2 where left out."""
    max_ack_delay: str | None = None
    """Longest delay of an ACK; "0.025s" where left out."""
    reordering: int | None = None
    """Packets by which one must have been overtaken for an ACK at once (Reordering Threshold); 0 never. With 1, any
    packet that comes out of order has one; 1 where left out.
    """
    rtt_share: float | None = None
    """The sender asks for this share of its smoothed round trip as the longest delay, `max_ack_delay` at most; 0 asks
    for none; 0.0 where left out.
    """


@dataclass(kw_only=True, repr=False)
class Acc(Part):
    """ACK congestion control: an ACK every d segments. Its ACKs can be marked by a RED queue with `ecn`; the sender
    tells of a mark on its next segment, which doubles d, once a round trip at most. A round trip without takes one off.
    """

    policy: Literal["acc"] = "acc"
    timer: str | None = None
    """The ACK's longest delay; "0.1s" where left out."""
    d_max: int | None = None
    """Most segments an ACK covers; half the sender's window if that is less; 16 where left out."""


@dataclass(kw_only=True, repr=False)
class PythonPolicy(Part):
    """A policy in Python that the program passes to the run (`acklab.AckPolicy`)."""

    policy: Literal["python"] = "python"
    name: str
    """Its name among those that are passed."""
    parameters: Mapping[str, Any] | None = None
    """Keyword arguments of its constructor; {} where left out."""


AckPolicy = (
    Every
    | Delayed
    | Daass
    | Divide
    | Spoof
    | Optimistic
    | Restore
    | Smart
    | Periodic
    | Linux
    | Quic
    | Acc
    | PythonPolicy
    | own.PolicyClass
)
"""When the receiver acknowledges."""


@dataclass(kw_only=True, repr=False)
class AckCounting(Part):
    """One segment, whatever it covers (RFC 2581)."""

    kind: Literal["ack-counting"] = "ack-counting"


@dataclass(kw_only=True, repr=False)
class Rfc5681(Part):
    """What it newly covers, at most one segment in slow start (RFC 5681 equation 2)."""

    kind: Literal["rfc5681"] = "rfc5681"


Growth = Literal["whole", "steps", "all-then-one"]
"""How byte counting applies an ACK's increment of k segments.

- "whole": In one piece, by the law that held before the ACK, even past ssthresh: what gives the paper's Table 1.
- "steps": Segment by segment, each by the law that holds when its turn comes.
- "all-then-one": In slow start in one piece; in congestion avoidance k - 1 segments in one piece, then one: what
  remains when the increment is added to a sender that grows by one segment itself (the oracle's hook on ns-2).
"""


@dataclass(kw_only=True, repr=False)
class Ubc(Part):
    """All it newly covers (Allman 1998, unlimited byte counting)."""

    kind: Literal["ubc"] = "ubc"
    growth: Growth | None = None
    """How the increment is applied; "whole" where left out."""


@dataclass(kw_only=True, repr=False)
class Lbc(Part):
    """What it newly covers, at most `limit` segments (Allman 1998, limited byte counting)."""

    kind: Literal["lbc"] = "lbc"
    growth: Growth | None = None
    """How the increment is applied; "whole" where left out."""
    limit: float | None = None
    """Most segments an ACK is worth; 2.0 where left out."""


@dataclass(kw_only=True, repr=False)
class Abc(Part):
    """Appropriate byte counting (RFC 3465)."""

    kind: Literal["abc"] = "abc"
    limit: float | None = None
    """L: most segments an ACK is worth in slow start; one in a slow start that follows a timeout; 2.0 where left out.
    """


@dataclass(kw_only=True, repr=False)
class Sabc(Part):
    """Scaled appropriate byte counting: RFC 3465 with a larger L that also holds after a timeout (our reading; the
    paper that uses it does not define it, ledger smartacking.m.sabc).
    """

    kind: Literal["sabc"] = "sabc"
    limit: float | None = None
    """L, usually above 2; 4.0 where left out."""


@dataclass(kw_only=True, repr=False)
class FullSegments(Part):
    """One segment for each segment it completes; a piece of a segment is worth nothing (as Linux counts)."""

    kind: Literal["full-segments"] = "full-segments"


@dataclass(kw_only=True, repr=False)
class Counter(Part):
    """One segment an ACK in slow start; in congestion avoidance one for each window of ACKs and one ACK, as Linux's
    counter had it before it counted what ACKs cover.
    """

    kind: Literal["counter"] = "counter"


@dataclass(kw_only=True, repr=False)
class SegmentCounter(Part):
    """One segment for each segment it completes; in congestion avoidance these are counted, and each window of them
    makes exactly one (Linux), where an increment for each ACK makes a little less. CUBIC, which has a pace of its own,
    gets them uncounted.
    """

    kind: Literal["segment-counter"] = "segment-counter"


Credit = AckCounting | Rfc5681 | Ubc | Lbc | Abc | Sabc | FullSegments | Counter | SegmentCounter
"""What an arriving ACK is worth."""


Recovery = Literal["tahoe", "reno", "newreno", "sack", "rfc6675", "fack", "rack", "rfc9002"]
"""How losses are repaired.

- "tahoe": Fast retransmit, then slow start (Jacobson 1988).
- "reno": Fast recovery that ends with the first new ACK (RFC 2581).
- "newreno": Fast recovery that lasts until `recover` is acknowledged (RFC 6582).
- "sack": SACK with a `pipe` count (Fall and Floyd 1996).
- "rfc6675": SACK with a computed pipe (RFC 6675).
- "fack": SACK by forward acknowledgment, which notices lost retransmissions (Mathis and Mahdavi 1996; Linux before
  RACK).
- "rack": The same pipe, with losses found by time and tails probed (RACK-TLP, RFC 8985).
- "rfc9002": Loss detection and probes of QUIC, which never reduce the window by a timeout (RFC 9002).
"""


@dataclass(kw_only=True, repr=False)
class Reno(Part):
    """Slow start, additive increase, halving (RFC 5681)."""

    kind: Literal["reno"] = "reno"


VenoBase = Literal["since-loss", "ever"]
"""Since when Veno takes the least round trip, by which it judges its backlog.

- "since-loss": The last loss (the paper): a queue that others keep full is soon taken for the path.
- "ever": The beginning (kernels).
"""


VenoEstimate = Literal["per-rtt", "per-ack"]
"""How often Veno judges its backlog.

- "per-rtt": Once a round trip, when the segment tagged for it is acknowledged (the paper).
- "per-ack": With every round-trip sample (kernels).
"""


VenoFirstLoss = Literal["half", "by-flag"]
"""What Veno does about a loss before its backlog was ever judged.

- "half": As Reno: half (the paper leaves start-up as Reno's; ledger veno.m.state_estimate).
- "by-flag": By its flag, which says that no backlog was seen: four fifths.
"""


@dataclass(kw_only=True, repr=False)
class Veno(Part):
    """Veno: additive increase at half the pace while more than `beta` segments are backlogged, and a loss that comes
    with no more than `alpha` backlogged takes a fifth of the window instead of half (Fu and Liew 2003).
    """

    kind: Literal["veno"] = "veno"
    alpha: float | None = None
    """Backlog in segments up to which a loss counts as random; 1.0 where left out."""
    base_rtt: VenoBase | None = None
    """Since when the least round trip is taken; "since-loss" where left out."""
    beta: float | None = None
    """Backlog in segments above which only every other ACK grows the window; 3.0 where left out."""
    clock: str | None = None
    """Granularity of the clock that times segments; `"0s"` is exact; "0.001s" where left out."""
    estimate: VenoEstimate | None = None
    """How often the backlog is judged; "per-rtt" where left out."""
    first_loss: VenoFirstLoss | None = None
    """What a loss before the first judgement does; "half" where left out."""


@dataclass(kw_only=True, repr=False)
class Cubic(Part):
    """CUBIC (RFC 9438)."""

    kind: Literal["cubic"] = "cubic"
    alpha_rises: bool | None = None
    """Whether the Reno it keeps up with grows by a whole segment a round trip once it is back at the last maximum
    (section 4.3), or at 3 (1 - beta) / (1 + beta) of one for ever (Linux); true where left out.
    """
    beta: float | None = None
    """What a loss leaves of the window; 0.7 where left out."""
    c: float | None = None
    """C: aggressiveness in segments per second cubed; 0.4 where left out."""
    fast_convergence: bool | None = None
    """Whether a flow that lost before it was back at its last maximum lowers the next one (section 4.7); true where
    left out.
    """
    reno_friendly: bool | None = None
    """Whether it is at least as fast as Reno would be (section 4.3); true where left out."""
    seek: float | None = None
    """Least growth in a round trip, as a share of the window, while no loss has shown a maximum (Linux has 0.05); 0.0
    where left out.
    """


@dataclass(kw_only=True, repr=False)
class Westwood(Part):
    """Westwood+: after a loss the window is the rate of ACKs times the least round trip (Grieco and Mascolo 2004)."""

    kind: Literal["westwood"] = "westwood"
    gain: float | None = None
    """Weight of the past in the filtered rate; 0.9 where left out."""


VegasPace = Literal["every-rtt", "second-rtt"]
"""How often Vegas moves its window.

- "every-rtt": Every round trip (the paper).
- "second-rtt": In effect every second one: the window is moved toward one more or less than what it was a round trip
  ago (kernels).
"""


@dataclass(kw_only=True, repr=False)
class Vegas(Part):
    """Vegas: keeps between `alpha` and `beta` segments backlogged (Brakmo, O'Malley and Peterson 1994)."""

    kind: Literal["vegas"] = "vegas"
    alpha: float | None = None
    """Backlog in segments below which the window grows; 2.0 where left out."""
    beta: float | None = None
    """Backlog in segments above which it shrinks; 4.0 where left out."""
    gamma: float | None = None
    """Backlog in segments that ends slow start; 1.0 where left out."""
    pace: VegasPace | None = None
    """How often the window moves; "every-rtt" where left out."""


@dataclass(kw_only=True, repr=False)
class Dctcp(Part):
    """DCTCP: a mark takes half the share of bytes that were marked of late off the window (RFC 8257). It wants ACKs
    that echo each mark (`echo_each_mark`) and queues that mark early.
    """

    kind: Literal["dctcp"] = "dctcp"
    gain: float | None = None
    """g: weight of the newest window in that share; 0.0625 where left out."""


@dataclass(kw_only=True, repr=False)
class Bbr(Part):
    """BBR, version 1, as Linux has it: sends at the largest rate at which segments were delivered in ten round trips,
    with about twice the product of that and the least round trip of ten seconds in flight (Cardwell and others 2016).
    It paces by itself and goes with `recovery = "rack"`; what an ACK is worth, and how a recovery reduces the window,
    it does not ask.
    """

    kind: Literal["bbr"] = "bbr"


@dataclass(kw_only=True, repr=False)
class PythonControl(Part):
    """A control in Python that the program passes to the run (`acklab.CongestionControl`)."""

    kind: Literal["python"] = "python"
    name: str
    """Its name among those that are passed."""
    parameters: Mapping[str, Any] | None = None
    """Keyword arguments of its constructor; {} where left out."""


Control = Reno | Veno | Cubic | Westwood | Vegas | Dctcp | Bbr | PythonControl | own.ControlClass | Literal[
    "reno",
    "veno",
    "cubic",
    "westwood",
    "vegas",
    "dctcp",
    "bbr",
]
"""Congestion control: what credit, round trips and losses do to cwnd and ssthresh. A word alone stands for its
parameters' defaults.

- "reno": `{ kind = "reno" }`.
- "veno": `{ kind = "veno" }`.
- "cubic": `{ kind = "cubic" }`.
- "westwood": `{ kind = "westwood" }`.
- "vegas": `{ kind = "vegas" }`.
- "dctcp": `{ kind = "dctcp" }`.
- "bbr": `{ kind = "bbr" }`.
"""


Halving = Literal["precise", "integer", "flight-size", "cwnd"]
"""What is halved on loss.

- "precise": The window in use, as a real number; cwnd becomes the half, ssthresh its floor (ns-2.35).
- "integer": The window in use, in whole units (ns-1 and early ns-2).
- "flight-size": FlightSize without Limited Transmit's segments; cwnd becomes ssthresh (RFC 5681 equation 4).
- "cwnd": cwnd, whether or not it was in use, in whole segments; cwnd becomes ssthresh (Linux).
"""


IdleRestart = Literal["timer", "timer-keeps-window", "rfc5681", "off"]
"""What an idle connection does to its window.

- "timer": The retransmission timer stays armed and restarts slow start when it fires on nothing outstanding (ns-2).
- "timer-keeps-window": The same timer, without touching cwnd (ns-2 with `slow_start_restart_` off).
- "rfc5681": cwnd is at most the initial window after an idle RTO (RFC 5681 section 4.1).
- "off": Nothing.
"""


RecoveryExit = Literal["keep", "min-flight", "rfc6582"]
"""The window with which NewReno leaves recovery.

- "keep": cwnd stays at half, and the full ACK is credited like any other (ns-2's default).
- "min-flight": min(ssthresh, units in flight + 1 segment), then credited (ns-2's `exit_recovery_fix_`).
- "rfc6582": min(ssthresh, max(FlightSize, SMSS) + SMSS), without credit (RFC 6582 section 3.2 step 3).
"""
