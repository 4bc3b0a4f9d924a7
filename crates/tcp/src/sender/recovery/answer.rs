//! Answers of a recovery: values, which the sender applies (`answers.rs`).

use acklab_packet::{Seq, Time};

use super::super::Core;
use super::super::congestion::prr::{Delivered, Follow};

/// Signs of an ACK, before any window moves.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(in crate::sender) struct Finding {
    /// The last reduction was spurious. The recovery has forgotten what it believed lost; the sender undoes the reduction.
    pub spurious: bool,
    /// The last reduction was right, and is not to be undone.
    pub justified: bool,
    /// A round trip for the timer that an ACK without new data gives, and the units that were outstanding.
    pub round_trip: Option<(Time, u64)>,
}

/// The count of an ACK.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::sender) enum Counts {
    /// As one of new data with nothing missing: the window grows, and what it then allows leaves. Nothing else is asked.
    Ordinary,
    /// As `data`, after what else it shows.
    As(Before, Data),
}

impl Counts {
    /// As `data` alone.
    pub fn of(data: Data) -> Counts {
        Counts::As(Before::default(), data)
    }
}

/// Changes of the windows before an ACK's new data counts.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(in crate::sender) struct Before {
    /// A probe of the tail has repaired a loss (RFC 8985 section 7.4.2).
    pub probe_repaired: bool,
    /// The segments outstanding at a timeout are sent again in order.
    pub goes_back: bool,
    /// The window has at most, or at least, that many segments.
    pub limit: Option<f64>,
    pub keep: Option<f64>,
}

/// New data that an ACK covers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::sender) enum Data {
    /// None.
    None,
    /// None; the timer starts again all the same.
    Restarts,
    /// Outside a recovery.
    New,
    /// The end of a fast recovery in Reno, and in NewReno, if one is on.
    EndsReno,
    EndsNewReno,
    /// A partial ACK of NewReno; `restarts`: with it the timer.
    Partial {
        restarts: bool,
        deflation: Deflation,
    },
    /// Within a recovery: it moves SND.UNA, for `Moves` without the timer.
    Within,
    Moves,
    /// The end of a recovery, which is forgotten.
    Forgets,
    /// Within a recovery that goes by what is outstanding, or ending it, or outside; `elapsed` stands for the timestamp's round trip.
    ByPipe {
        elapsed: Option<Time>,
    },
    /// In QUIC, which measures round trips and grows by itself.
    Quic,
}

/// Units that a partial ACK takes off the inflated window.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::sender) enum Deflation {
    All,
    Acked,
}

/// Reaction to an ACK or a timer, in the order in which it is applied.
#[derive(Clone, Debug, Default, PartialEq)]
pub(in crate::sender) struct Answer {
    /// One more duplicate ACK counts.
    pub duplicate: bool,
    pub event: Event,
    /// Segments that leave whatever window and pacer say.
    pub first: [Option<Next>; 2],
    /// For a control in Linux's form: all is in order, or no longer.
    pub order: Option<bool>,
    /// Units that grow the window: covered, and counted for credit. `in_use`: if the window is.
    pub grows: Option<(u64, u64)>,
    pub in_use: bool,
    pub inflation: Option<Inflation>,
    /// The timer starts again without its backoff.
    pub restarts: bool,
    /// Limited Transmit (RFC 3042).
    pub limited: bool,
    /// New data is to find out whether a timeout was spurious. If there is some, nothing else leaves.
    pub asks: bool,
    pub sends: Sends,
}

impl Answer {
    /// Nothing but departures.
    #[inline(always)]
    pub fn send(sends: Sends) -> Answer {
        Answer { sends, ..Answer::default() }
    }
}

/// Change of the windows.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(in crate::sender) enum Event {
    #[default]
    None,
    /// After a timeout the window opens beside the units that are not lost (`tcp_enter_loss`).
    Opens { beside: u64 },
    /// The recovery is over.
    Ends,
    /// A recovery begins. If `slow_start`, that does so again, too (Tahoe).
    Begins { slow_start: bool },
    /// The same with proportional rate reduction, after the end of the last recovery if it `ends`.
    BeginsWith { ends: bool, begin: Begin, follow: Option<Follow> },
    /// Within a recovery.
    Follows(Follow),
    /// A mark reduces the window over a round trip.
    SpreadsMark(Follow),
    /// Losses in QUIC: a recovery period begins, and they show persistent congestion. The window then has `least` segments.
    Quic { period: bool, persistent: bool, least: f64 },
}

/// The beginning of a recovery.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(in crate::sender) struct Begin {
    /// Deliveries of the ACK, for proportional rate reduction.
    pub delivery: Delivered,
    /// The window falls to ssthresh even if the control left it higher.
    pub falls: bool,
    /// A reduction that a mark began continues.
    pub continues: bool,
}

/// Units that duplicate ACKs add to the window.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::sender) enum Inflation {
    /// It is that of the duplicates that begin a recovery.
    Threshold,
    /// That many units more.
    By(u64),
}

/// Segments that leave.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::sender) enum Sends {
    #[default]
    Nothing,
    /// In order from SND.NXT, as the window allows, at most that many (0: no limit).
    Window(u32),
    /// Those that the recovery names. `from_end`: new data comes next. `refills`: the program then writes more.
    ByPipe { from_end: bool, refills: bool },
    /// One probe of the tail (RFC 8985 section 7.3).
    TailProbe,
    /// Probes at a probe timeout (RFC 9002 section 6.2.4).
    Probes(u32),
}

/// The segment to send next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::sender) struct Next {
    pub seq: Seq,
    pub len: u64,
    /// True if it is the one at SND.NXT, which then moves past it.
    pub in_order: bool,
    /// True if SND.NXT moves past it though it is another.
    pub passes: bool,
    /// True if Limited Transmit sends it.
    pub limited: bool,
    /// True if it has a whole RTO from now on.
    pub restarts: bool,
    /// End of the window, if the rule `skip` may leave this segment out and send the one after it.
    pub skip_within: Option<Seq>,
}

impl Next {
    /// Units `seq .. seq + len` again.
    pub fn again(seq: Seq, len: u64) -> Next {
        Next { seq, len, ..Next::default() }
    }

    /// The first outstanding segment again.
    pub fn first(core: &Core) -> Next {
        Next::again(core.seq.una, core.seq.len_at(core.seq.una).into())
    }

    /// No segment: SND.NXT moves to `seq`.
    pub fn skip_to(seq: Seq) -> Next {
        Next { seq, in_order: true, ..Next::default() }
    }

    /// The `len` units at SND.NXT.
    pub fn in_order(core: &Core, len: u64) -> Next {
        Next { seq: core.seq.nxt, len, in_order: true, ..Next::default() }
    }

    /// New data, if there is any and the receiver's window takes it.
    pub fn new_data(core: &Core) -> Option<Next> {
        core.seq.new_data().map(|len| Next::in_order(core, u64::from(len)))
    }

    /// One past its last unit.
    pub fn end(&self) -> Seq {
        self.seq + self.len
    }
}

/// State that a timeout makes void before it reduces the window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::sender) struct Voids {
    /// The count of duplicates.
    pub duplicates: bool,
    /// Another recovery of what is outstanding now.
    pub recovery: bool,
}

/// Effects of an event on the timers of a recovery that has its own.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::sender) struct Timers {
    /// The retransmission timer was set, or stopped.
    pub rto: Option<Option<Time>>,
    /// A segment in order left.
    pub sent: bool,
    /// The cumulative ACK advanced.
    pub advanced: bool,
}
