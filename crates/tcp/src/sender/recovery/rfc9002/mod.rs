//! Loss detection and congestion control of QUIC (RFC 9002). Each transmission has a number. One is lost when one with a
//! number higher by three has arrived. It is also lost when any later one has arrived and it is old. A probe timeout sends,
//! and reduces no window.
//!
//! There are two differences from a QUIC endpoint. Data has sequence numbers, so if a piece is sent twice, only the later
//! packet counts as in flight. An ACK names three ranges besides the cumulative number.

mod round_trip;

use acklab_packet::{Ack, Seq, Time};

use super::super::congestion::CaState;
use super::super::congestion::undo::Sign;
use super::super::flight::Sent;
use super::super::{CLOCK, Core, View};
use super::{Answer, Before, Counts, Data, Event, Finding, LossRecovery, Next, Report, Sends, Timers, Voids};
use round_trip::RoundTrip;

/// `kTimeThreshold` (section 6.1.2) and `kPersistentCongestionThreshold` (section 7.6.1).
const TIME_THRESHOLD: f64 = 9.0 / 8.0;
const PERSISTENT: f64 = 3.0;
/// `kMinimumWindow`, in datagrams (section 7.2).
const MIN_WINDOW: f64 = 2.0;
/// `kGranularity`, in seconds.
const GRANULARITY: f64 = 0.001;

/// State of a QUIC sender's recovery.
#[derive(Clone, Debug, Default)]
pub(in crate::sender) struct Rfc9002 {
    round_trip: RoundTrip,
    /// The highest number known to have arrived, and the next to be sent when a round trip was first known.
    largest: Option<u64>,
    first_sample: Option<u64>,
    /// Start of the last recovery period (section 7.3.2).
    recovery_start: Option<Time>,
    /// `snd_max` when a mark last began one.
    marked_at: Seq,
    /// Time at which the time threshold makes the next packet lost.
    loss_time: Option<Time>,
    /// Probe timeouts in a row.
    pto_count: u32,
    judged: Judged,
    /// Units ever found lost when last reported.
    reported_lost: u64,
}

/// What the ACK just judged shows. In sequence units.
#[derive(Clone, Debug, Default)]
struct Judged {
    /// Covered and reported for the first time, and what of that counts for the window.
    covered: u64,
    sacked: u64,
    counts: u64,
    losses: Losses,
    /// True if the handshake was not over.
    shaking: bool,
    /// Before it: in flight, and ever found lost.
    in_flight: u64,
    lost_ever: u64,
}

/// Lost packets, as the numbers go up.
#[derive(Clone, Debug, Default)]
struct Losses {
    newest: Option<Sent>,
    /// Send time of the first of consecutive losses, which no arrival interrupts.
    row: Option<Time>,
    /// The longest time between the first and the last of consecutive losses, in seconds.
    longest: f64,
}

impl Losses {
    /// One more; `counts`: it left after the round trip was first known (section 7.6.2).
    fn add(&mut self, sent: Sent, counts: bool) {
        if self.newest.is_none_or(|last| sent.number > last.number + 1) {
            self.row = None;
        }
        self.newest = Some(sent);
        if counts {
            let first = *self.row.get_or_insert(sent.at);
            self.longest = self.longest.max((sent.at - first).secs());
        }
    }
}

impl Rfc9002 {
    /// The probe timeout without its backoff (section 6.2.1): the timer's rules, and `max_ack_delay` after the handshake.
    fn pto(core: &Core) -> f64 {
        let delay = if core.seq.shaking_hands() { 0.0 } else { core.rules.recovery.max_ack_delay().secs() };
        core.timer.rto.timeout() + delay
    }

    /// Takes in what the ACK covers and reports. Returns the round trip.
    fn take_in(&mut self, core: &mut View, ack: &Ack, now: Time) -> Option<Time> {
        let told = core.rules.recovery.packet_numbers().then_some(ack.ts_ecr);
        let (una, mut newest, mut units) = (core.seq.una, None::<Sent>, [0; 2]);
        let (start, mut counts) = (self.recovery_start, 0);
        core.flight_mut().take_in(ack, una, now, |sent, covered| {
            units[usize::from(!covered)] += sent.end - sent.start;
            // What was declared lost and comes after all, or an earlier packet with the same data, is no longer tracked.
            let earlier = told.is_some_and(|told| told.secs() + CLOCK < sent.at.secs());
            if sent.lost || earlier {
                return;
            }
            if newest.is_none_or(|newest| sent.number > newest.number) {
                newest = Some(*sent);
            }
            // Packets of a recovery period do not grow the window (section 7.3.2).
            counts += if start.is_none_or(|start| sent.at > start) { sent.end - sent.start } else { 0 };
        });
        (self.judged.covered, self.judged.sacked, self.judged.counts) = (units[0], units[1], counts);
        let sent = newest.filter(|sent| self.largest.is_none_or(|largest| sent.number > largest))?;
        self.largest = Some(sent.number);
        // Without numbers in ACKs it is unknown which copy has arrived (Karn).
        if told.is_none() && sent.resent {
            return None;
        }
        let held = told.map_or(Time::ZERO, |told| told - sent.at);
        self.first_sample.get_or_insert(core.flight().count);
        Some(self.round_trip.sample(now - sent.at, held, core.rules.recovery.max_ack_delay()))
    }

    /// Declares lost what is (section 6.1).
    fn declare_lost(&mut self, core: &mut View, now: Time) -> Losses {
        let mut losses = Losses::default();
        let Some(largest) = self.largest else { return losses };
        let rtt = self.round_trip.latest().max(core.smoothed_rtt().unwrap_or(0.0));
        let delay = Time::from_secs((TIME_THRESHOLD * rtt).max(GRANULARITY));
        let (threshold, first) = (u64::from(core.rules.dup_thresh), self.first_sample);
        let note = |sent: &Sent| losses.add(*sent, first.is_some_and(|first| sent.number >= first));
        self.loss_time = core.flight_mut().overtaken((largest, threshold), (delay, now, CLOCK), note);
        losses
    }

    /// Returns true if these losses begin a recovery period: the newest left after the last one began.
    fn begins(&self, losses: &Losses) -> bool {
        losses.newest.is_some_and(|newest| self.recovery_start.is_none_or(|start| newest.at > start))
    }

    /// Answers losses (section 7), then sends what is lost, then new data, while the window has room (bytes in flight, always) and the
    /// pacer lets.
    fn reduce(&mut self, core: &Core, losses: &Losses, by_ack: bool, now: Time) -> Answer {
        let period = self.begins(losses);
        self.recovery_start = if period { Some(now) } else { self.recovery_start };
        let persistent = by_ack && losses.longest > PERSISTENT * Rfc9002::pto(core) && !core.control_owns_window();
        if persistent {
            // Section 7.6.2: slow start from the minimum window.
            self.recovery_start = None;
        }
        Answer { event: Event::Quic { period, persistent, least: MIN_WINDOW }, ..Answer::send(SENDS) }
    }

    /// The first segment of `sent` again, under a number of its own.
    fn again(core: &Core, sent: &Sent) -> Next {
        Next::again(sent.start, u64::from(core.seq.len_at(sent.start)).min(sent.end - sent.start))
    }
}

/// Lost segments leave, then new data.
const SENDS: Sends = Sends::ByPipe { from_end: true, refills: false };

impl LossRecovery for Rfc9002 {
    fn judge(&mut self, core: &mut View, ack: &Ack, _: Sign, now: Time) -> Finding {
        (self.judged.in_flight, self.judged.lost_ever) = (core.flight().in_flight(), core.flight().lost_ever);
        let round_trip = self.take_in(core, ack, now).map(|elapsed| (elapsed, 0));
        if self.judged.covered + self.judged.sacked > 0 {
            self.pto_count = 0;
        }
        Finding { round_trip, ..Finding::default() }
    }

    fn find_losses(&mut self, core: &mut View, _: &Ack, now: Time) {
        self.judged.losses = self.declare_lost(core, now);
    }

    fn report(&mut self, core: &Core, ack: &Ack) -> Report {
        let (judged, una) = (&self.judged, ack.ack.max(core.seq.una));
        let lost_ever = core.flight().lost_ever;
        Report {
            delivered: judged.covered + judged.sacked,
            sacked: judged.sacked,
            lost: lost_ever - judged.lost_ever,
            lost_between: judged.lost_ever - std::mem::replace(&mut self.reported_lost, lost_ever),
            lost_ever,
            prior_in_flight: judged.in_flight,
            in_flight: core.flight().in_flight(),
            state: if self.begins(&judged.losses) { CaState::Recovery } else { core.cc.state_at(una) },
            rtt: None,
        }
    }

    fn count(&mut self, core: &Core, ack: &Ack, now: Time) -> Counts {
        self.judged.shaking = core.seq.shaking_hands();
        let mut before = Before::default();
        if core.cc.state == CaState::Cwr && core.cc.recover == core.seq.max && core.cc.recover != self.marked_at {
            // A mark has just begun a recovery period (section 7.1).
            (self.recovery_start, self.marked_at) = (Some(now), core.cc.recover);
            before.keep = Some(MIN_WINDOW);
        }
        Counts::As(before, if ack.ack > core.seq.una { Data::Quic } else { Data::None })
    }

    #[inline(always)]
    fn react(&mut self, core: &mut View, ack: &Ack, _: Data, _: u64, now: Time) -> Answer {
        let judged = std::mem::take(&mut self.judged);
        let begins = self.begins(&judged.losses);
        let answer = self.reduce(core, &judged.losses, true, now);
        let marked = ack.ece && core.rules.ecn;
        let grows = judged.counts > 0 && !begins && !marked && !judged.shaking;
        Answer { grows: grows.then_some((judged.counts, judged.counts)), in_use: true, ..answer }
    }

    /// The time threshold, or the probe timeout (section 6.2.4): two packets, whatever the window says. In the handshake there is one
    /// to send.
    fn on_early_timer(&mut self, core: &mut View, now: Time) -> Option<Answer> {
        if self.loss_time.take_if(|at| at.secs() <= now.secs() + CLOCK).is_some() {
            let losses = self.declare_lost(core, now);
            return Some(self.reduce(core, &losses, false, now));
        }
        if core.seq.una == core.seq.max {
            return Some(Answer::default());
        }
        self.pto_count += 1;
        Some(Answer::send(Sends::Probes(if core.seq.shaking_hands() { 1 } else { 2 })))
    }

    /// Returns a lost segment, else new data, else the one that has waited longest.
    fn probe(&mut self, core: &mut View, now: Time) -> Option<Next> {
        let lost = core.flight_mut().next_lost();
        let new = if lost.is_some() || core.seq.shaking_hands() { None } else { Next::new_data(core) };
        let old = lost.or_else(|| core.flight_mut().oldest()).filter(|sent| sent.lost || sent.at < now);
        new.or_else(|| Some(Self::again(core, &old?)))
    }

    fn next(&mut self, core: &mut View) -> Option<Next> {
        if core.flight().in_flight() + u64::from(core.seq.mss) > core.cc.cwnd as u64 {
            return None;
        }
        let lost = core.flight_mut().next_lost();
        lost.map(|sent| Self::again(core, &sent)).or_else(|| Next::new_data(core))
    }

    fn has_timers(&self) -> bool {
        true
    }

    /// The timer (section 6.2.1, appendix A.8): the time threshold's instant, else the probe timeout after the last packet.
    fn set_timers(&mut self, core: &Core, _: Timers, now: Time) -> Option<Time> {
        if core.seq.una == core.seq.max {
            return None;
        }
        let backoff = f64::from(2_u32.saturating_pow(self.pto_count));
        let pto = (Rfc9002::pto(core) * backoff).min(core.rules.max_rto.secs());
        let due = self.loss_time.unwrap_or(core.timer.last_sent + Time::from_secs(pto));
        Some(due.max(now))
    }

    fn pipe(&self, core: &Core) -> Option<u64> {
        Some(core.flight().in_flight())
    }

    fn outstanding(&self, core: &Core) -> (u64, u64) {
        (core.flight().in_flight(), core.flight().lost)
    }

    /// No timeout voids anything.
    fn before_timeout(&mut self, _: &Core) -> Voids {
        Voids::default()
    }

    fn resume(&mut self, _: &mut View, _: Time) -> Answer {
        Answer::send(SENDS)
    }
}
