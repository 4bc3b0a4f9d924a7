//! ACK policies: when a receiver acknowledges.
//!
//! A policy processes each arriving segment, each ACK that left, and its timer. It answers with an [`Emission`]. It sends
//! nothing itself, so the same policy runs inside a receiver and beside one.
//!
//! To add one: a file here with its rule, a line in [`Policy`]'s list below, and its parameters as a variant of
//! [`AckPolicyKind`]. A program's own policy needs neither ([`Policy::Custom`]).

mod acc;
mod acc_delivered;
mod acc_ns2;
mod daass;
mod delayed;
mod divide;
mod every;
mod linux;
mod observed;
mod optimistic;
mod periodic;
mod quic;
mod requested;
mod restore;
mod smart;
mod spoof;

pub use acc::Acc;
pub use acc_delivered::AccDelivered;
pub use acc_ns2::AccNs2;
pub use daass::{Daass, Guess};
pub use delayed::Delayed;
pub use divide::{Divide, Division};
pub use every::Every;
pub use linux::{Linux, LinuxRules, MemoryRules};
pub use observed::Observed;
pub use optimistic::Optimistic;
pub use periodic::Periodic;
pub use quic::{Quic, QuicRules};
pub use requested::Requested;
pub use restore::Restore;
pub use smart::{Alpha, AlphaRules, Smart, SmartRules};
pub use spoof::Spoof;

use std::fmt::Debug;

#[cfg(doc)]
use acklab_packet::Segment;
use acklab_packet::{Phase, Seq, Time};
use dyn_clone::DynClone;

use crate::rules::{AckPolicyKind, EstimateKind, PieceOrder, PieceParts, ReceiverRules, RttSource};

/// A segment as a policy sees it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Arrival {
    /// In order, and nothing forbids delaying its ACK: it closes no gap, repeats nothing, is no SYN or FIN.
    pub in_order: bool,
    /// After it, something above a gap is still waiting.
    pub gap: bool,
    /// Nothing in it was new.
    pub duplicate: bool,
    /// Sequence units it carries.
    pub len: u32,
    /// Further segments that the receiver's host has merged with it (GRO); `len` counts them all.
    pub merged: u32,
    /// Units of the first of the merged segments; only the last may be shorter. 0 if none are merged.
    pub piece: u32,
    /// The sender's phase, as far as it is known.
    pub phase: Phase,
    /// It opens the connection.
    pub syn: bool,
    /// Its first unit.
    pub seq: Seq,
    /// The next unit expected in order, now that it is reassembled.
    pub rcv_nxt: Seq,
    /// The newest ACK that its sender had received, in 32 bits ([`Segment`]).
    pub echo: u32,
    /// The sender's window in segments, or what it may have outstanding (`carry_allowance`); 0 if the segment does not carry it.
    pub window: f32,
    /// The sender's smoothed round trip in seconds, or its count of duplicate ACKs (`carry_allowance`); 0 if the segment does not carry
    /// it.
    pub srtt: f32,
    /// One of the receiver's ACKs had reached its sender with a congestion mark.
    pub ack_marked: bool,
    /// Its sender asks for one ACK every so many segments; 0 asks for an ACK of this one at once.
    pub requested: Option<u8>,
    /// Its sender had no more to send after it, and said so (PSH); not known of the simulator's segments.
    pub push: bool,
    /// Its sender understands congestion marks.
    pub ect: bool,
    /// A queue marked it.
    pub ce: bool,
    /// Its sender has answered a congestion mark.
    pub cwr: bool,
    /// Departure from its sender.
    pub sent: Time,
    /// The time.
    pub now: Time,
}

impl Arrival {
    /// Units of a segment as its sender sent it, whatever was merged (`gso_size`).
    #[inline]
    pub fn sent_len(&self) -> u32 {
        if self.merged > 0 { self.piece } else { self.len }
    }
}

/// A policy's request to send.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Emission {
    /// An ACK at once.
    Now,
    /// An ACK at this time at the latest; an earlier deadline stands.
    By(Time),
    /// An ACK at this time; whatever deadline stood before.
    At(Time),
    /// A keep-alive of this number at once, and then what [`AckPolicy::on_probe_sent`] wants.
    Probe(u32),
    /// Nothing for now.
    Nothing,
    /// An ACK at once, in pieces that each cover a part of what it newly covers.
    ///
    /// Sent whole where there is nothing new, and while a gap is open: the pieces of such an ACK would be duplicates, or
    /// partial ACKs to a sender in recovery.
    Pieces(Pieces),
    /// An ACK at this time at the latest, which then reports what arrives until it leaves.
    Gather(Time),
    /// The same; whatever deadline stood before.
    Regather(Time),
    /// An ACK at once that reports the runs above a gap to which something was added last, as they now are.
    Ranges {
        /// The timestamp it echoes instead of the usual one.
        echo: Option<Time>,
        /// Gaps in packet numbers for which it has room to take, whichever of the data's it can report.
        gaps: Option<u32>,
        /// Packets that follow it and bring nothing new about what arrived: window updates.
        more: u32,
    },
    /// An ACK at once, and so many copies of it.
    Repeated(u32),
    /// An ACK at once, of so many units beyond the highest received, and to be woken at `again` unless more comes.
    Ahead {
        /// Units that have not come.
        units: u64,
        /// The timer is set to this, whatever it was set to before.
        again: Option<Time>,
        /// The ACK is of packet numbers, and echoes this.
        echo: Option<Time>,
    },
}

/// Division of an ACK.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pieces {
    /// Number of pieces; fewer if the ACK newly covers fewer units.
    pub count: u32,
    /// Share that each covers.
    pub parts: PieceParts,
    /// Which goes first.
    pub order: PieceOrder,
    /// Pause between one and the next; zero is back to back.
    pub spacing: Time,
}

/// A rule for when to acknowledge.
pub trait AckPolicy: Debug + Send + Sync + DynClone {
    /// A segment arrived and is reassembled.
    fn on_segment(&mut self, arrival: &Arrival) -> Emission;
    /// The deadline of an earlier [`Emission::By`] has come.
    fn on_timer(&mut self, _: Time) -> Emission {
        Emission::Now
    }
    /// An ACK left; it covers everything that had arrived.
    fn on_ack_sent(&mut self, _: Time) {}
    /// The keep-alive asked for with [`Emission::Probe`] left.
    fn on_probe_sent(&mut self, _: Time) -> Emission {
        Emission::Nothing
    }
    /// The sender has answered the keep-alive of this number.
    fn on_reply(&mut self, _: u32, _: Time) {}
    /// The window that an ACK would tell that leaves now, in sequence units, and the shift of the header's number; none if it tells none.
    fn window(&self) -> Option<(u64, u8)> {
        None
    }
    /// Its estimate of the sender's window, in segments, if it has one.
    fn window_estimate(&self, _: Time) -> Option<f64> {
        None
    }
    /// True if an ACK waits that is to report segments above a gap.
    fn holds_blocks(&self) -> bool {
        false
    }
}

dyn_clone::clone_trait_object!(AckPolicy);

/// The enum that dispatches to every policy, and how each is made from its parameters.
macro_rules! policies {
    ($($name:ident($kept:ty) from $pattern:pat => $make:expr;)+) => {
        /// The policies. Those that keep more than a few numbers are boxed, so that a flow is no larger for them.
        #[derive(Clone, Debug)]
        #[allow(missing_docs)]
        pub enum Policy {
            $($name($kept),)+
            Observed(Box<Observed>),
            /// A program's own.
            Custom(Box<dyn AckPolicy>),
        }

        impl Policy {
            /// The policy a scenario names.
            pub fn new(kind: &AckPolicyKind) -> Policy {
                match *kind {
                    $($pattern => Policy::$name($make),)+
                    // A stand-in for what the program supplies; a run does not begin without that.
                    AckPolicyKind::Python { .. } => Policy::Every(Every),
                }
            }
        }

        /// Calls the same method on whichever policy it is.
        macro_rules! each {
            ($self:expr, $policy:ident => $call:expr) => {
                match $self {
                    $(Policy::$name($policy) => $call,)+
                    Policy::Observed($policy) => $call,
                    Policy::Custom($policy) => $call,
                }
            };
        }
    };
}

policies! {
    Acc(Box<Acc>) from AckPolicyKind::Acc { d_max, timer } => Box::new(Acc::new(d_max, timer));
    AccNs2(Box<AccNs2>) from AckPolicyKind::AccNs2 { d_max, timer } => Box::new(AccNs2::new(d_max, timer));
    AccDelivered(Box<AccDelivered>) from AckPolicyKind::AccDelivered { window_share, timer } =>
        Box::new(AccDelivered::new(window_share, timer));
    Linux(Box<Linux>) from AckPolicyKind::Linux {
        quick, window, buffer, autotune, memory, most_memory, segment_memory, second_memory, growth, least, timer, tick, sack_delay, sack_share,
        sack_slack, sack_most, low_water, read_size
    } => Box::new(Linux::new(LinuxRules {
        quick, window, buffer, autotune, least, timer, tick, sack_delay, sack_share, sack_slack, sack_most, low_water, read_size,
        memory: MemoryRules { memory, most: most_memory.max(memory), pieces: [segment_memory, if second_memory > 0 { second_memory } else { segment_memory }], growth: autotune.then_some(growth) },
    }));
    Every(Every) from AckPolicyKind::Every {} => Every;
    Delayed(Delayed) from AckPolicyKind::Delayed { timer, segments, heartbeat, phase } => Delayed::new(timer, segments, heartbeat, phase);
    Smart(Smart) from AckPolicyKind::Smart {
        timer, rtt, interval, window, initial, extended, loss, first, first_probe, replies, limit, decrease, beta, gamma, early_steps
    } => Smart::new(SmartRules {
        timer, rtt, interval, window, initial, extended, loss, first, first_probe, replies, limit, decrease,
        alpha: AlphaRules { beta, gamma, early_steps },
    });
    Periodic(Periodic) from AckPolicyKind::Periodic { beta, segments, timer, rtt, interval } => Periodic::new(beta, segments, timer, rtt, interval);
    Quic(Box<Quic>) from AckPolicyKind::Quic {
        segments, max_ack_delay, reordering, rtt_share, first, later, marks, stream_update, connection_update, updates_apart, tick, ahead, ..
    } => Box::new(Quic::new(QuicRules {
        segments, max_ack_delay, reordering, rtt_share, first, later, marks, tick, ahead,
        updates: [stream_update, connection_update],
        updates_apart,
    }));
    Requested(Box<Requested>) from AckPolicyKind::Requested { timer, segments, most } => Box::new(Requested::new(timer, segments, most));
    Daass(Box<Daass>) from AckPolicyKind::Daass { phase, timer, segments, window, silence } =>
        Box::new(Daass::new(phase, timer, segments, window, silence));
    Divide(Box<Divide>) from AckPolicyKind::Divide {
        pieces, segments, timer, when, phase, window, silence, start, burst, parts, order, spacing
    } => Box::new(Divide::new(
        Pieces { count: pieces, parts, order, spacing },
        segments,
        timer,
        Division { when, phase, guess: (window, silence), start, burst },
    ));
    Spoof(Spoof) from AckPolicyKind::Spoof { duplicates } => Spoof { duplicates };
    Optimistic(Optimistic) from AckPolicyKind::Optimistic { ahead, timer } => Optimistic::new(ahead, timer);
    Restore(Box<Restore>) from AckPolicyKind::Restore { pieces, target, start, share } => Box::new(Restore::new(
        Pieces { count: pieces, parts: PieceParts::Equal, order: PieceOrder::Rising, spacing: Time::ZERO },
        share,
        target,
        start,
    ));
}

impl Policy {
    /// The policy of a receiver with these rules.
    pub fn of(rules: &ReceiverRules) -> Policy {
        let mut policy = Policy::new(&rules.ack);
        match (&mut policy, &rules.ack) {
            (Policy::Linux(linux), _) if !rules.sack => linux.without_sack(),
            (Policy::Quic(quic), AckPolicyKind::Quic { packet_numbers: true, .. }) => quic.goes_by_numbers(),
            _ => {}
        }
        policy
    }

    /// The same with an estimator beside it, if the rules ask for one and it has none.
    pub(super) fn observed(self, rules: &ReceiverRules) -> Policy {
        let (source, initial) = match rules.estimate {
            _ if matches!(self, Policy::Smart(_)) => return self,
            EstimateKind::Off {} => return self,
            EstimateKind::Timestamps { initial, limit } => (RttSource::Timestamps, (initial, limit)),
            EstimateKind::Probe { initial, limit } => (RttSource::Probe, (initial, limit)),
        };
        Policy::Observed(Box::new(Observed::new(self, source, initial)))
    }

    /// Asks what a segment is to have; `arrival` describes it, and only what the policy reads is worked out.
    #[inline(never)]
    pub fn consult(&mut self, arrival: impl Fn() -> Arrival) -> Emission {
        each!(self, policy => policy.on_segment(&arrival()))
    }
}

impl AckPolicy for Policy {
    #[inline]
    fn on_segment(&mut self, arrival: &Arrival) -> Emission {
        self.consult(|| *arrival)
    }

    #[inline]
    fn on_timer(&mut self, now: Time) -> Emission {
        each!(self, policy => policy.on_timer(now))
    }

    // Part of each ACK's path.
    #[inline(always)]
    fn on_ack_sent(&mut self, now: Time) {
        each!(self, policy => policy.on_ack_sent(now));
    }

    fn on_probe_sent(&mut self, now: Time) -> Emission {
        each!(self, policy => policy.on_probe_sent(now))
    }

    fn on_reply(&mut self, number: u32, now: Time) {
        each!(self, policy => policy.on_reply(number, now));
    }

    fn window(&self) -> Option<(u64, u8)> {
        each!(self, policy => policy.window())
    }

    fn window_estimate(&self, now: Time) -> Option<f64> {
        each!(self, policy => policy.window_estimate(now))
    }

    fn holds_blocks(&self) -> bool {
        each!(self, policy => policy.holds_blocks())
    }
}
