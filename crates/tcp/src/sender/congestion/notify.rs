//! What the congestion control is told: its ACK and departure events, and when something else than the network limits the rate.

use acklab_packet::{Ack, Time};

use super::super::Core;
use super::super::flight::losses::Losses;
use super::super::flight::rate::RateSample;
use super::super::recovery::Report;
use super::control::{AckEvent, CongestionControl, Control, Departure, Needs, Window};
use crate::rules::{Controls, RttSamples};

impl Core {
    /// The ACK event of the congestion control.
    #[inline(never)]
    pub(in crate::sender) fn notify_control(&mut self, ack: &Ack, report: &Report, now: Time) {
        let una = self.seq.una;
        if let Some(flight) = &mut self.extras.flight {
            // A recovery that judges each segment has taken it in already.
            flight.acknowledge(ack.ack, now, |_| {});
        }
        let sample = self.rate_sample(ack, report, now);
        self.tell_losses(now);
        let news = ack.ack >= una || report.delivered > 0;
        // A control in Linux's form begins when the handshake is over (`tcp_init_transfer`).
        if !news || (self.rules.controls == Controls::Linux && self.seq.shaking_hands()) {
            return;
        }
        let timed = self.extras.flight.as_mut().and_then(|flight| flight.round_trip.take());
        let exact = self.rules.recovery.rtt_samples() == RttSamples::Segments;
        let rtt = if exact { timed } else { report.rtt };
        let event = AckEvent {
            ack: ack.ack,
            snd_max: self.seq.max,
            acked: ack.ack.saturating_sub(una) as f64,
            newly_delivered: report.delivered as f64,
            newly_sacked: report.sacked as f64,
            newly_lost: (report.lost + report.lost_between) as f64,
            ce_count: self.ce_count(ack, report.delivered),
            in_flight: report.in_flight as f64,
            rtt: sample.map_or(rtt, |sample| sample.rtt),
            state: self.cc.state_at(una),
            next_state: report.state,
            cwnd_limited: self.rate().is_some_and(|rate| rate.losses.as_ref().is_some_and(Losses::limited)),
            rate: sample,
        };
        self.cc.on_ack(&event, &self.seq, self.timer.smoothed, now);
        let limits = self.cc.control.limits_itself();
        self.limit_rate(limits, report.in_flight);
    }

    /// Deliveries that an ACK shows, for a control that needs them.
    fn rate_sample(&mut self, ack: &Ack, report: &Report, now: Time) -> Option<RateSample> {
        let echo = (ack.ack > self.seq.una && self.rules.timestamps).then(|| (now - ack.ts_ecr).secs());
        let sample = self.rate()?.sample(now, echo, report.lost_ever);
        let segments = |units| self.seq.segments(units);
        Some(RateSample {
            prior_in_flight: segments(report.prior_in_flight),
            in_flight: segments(report.in_flight),
            lost: segments(report.lost),
            lost_ever: segments(report.lost_ever),
            wait: self.extras.pacer.wait(now),
            ..sample
        })
    }

    /// Tells a control that needs losses of the segments that were found lost since it was last told.
    pub(in crate::sender) fn tell_losses(&mut self, now: Time) {
        let Some(rate) = self.rate() else { return };
        let delivered = rate.delivered();
        let Some(found) = rate.losses.as_mut().map(|losses| losses.take(delivered)) else { return };
        for lost in &found {
            self.with_control(now, |control, window| control.on_lost(lost, window));
        }
    }

    /// Lets the control move the window.
    pub(super) fn with_control(&mut self, now: Time, act: impl FnOnce(&mut Control, &mut Window)) {
        let mut window = self.cc.seen(&self.seq, self.timer.smoothed, now);
        act(&mut self.cc.control, &mut window);
        self.cc.take(&window);
    }

    /// Signals a control in Linux's form that nothing is missing or sent again on its way (`open`), or no longer so
    /// (`tcp_set_ca_state`).
    pub(in crate::sender) fn note_order(&mut self, open: bool, now: Time) {
        self.with_control(now, |control, _| control.on_open(open));
    }

    /// A segment with data, of `units`, has left: the departure event of the congestion control, and the pace it sets.
    #[inline(never)]
    pub(in crate::sender) fn note_departure(&mut self, units: u64, idle: bool, now: Time) {
        let limits = self.rate().map(|rate| (rate.app_limited(), rate.min_rtt()));
        let (app_limited, min_rtt) = limits.unwrap_or((false, f64::INFINITY));
        let departure = Departure { idle, app_limited, min_rtt };
        self.note_window();
        self.with_control(now, |control, window| control.on_sent(&departure, window));
        if let Some(rate) = self.cc.control.pacing_rate().filter(|_| limits.is_some()) {
            let count = self.counters.segments_sent - u64::from(self.counters.syns_sent);
            self.extras.pacer.departed(count, units as f64 / f64::from(self.seq.mss), rate, now);
        }
    }

    /// Notes whether the window lets no other segment go, for a control that needs losses.
    fn note_window(&mut self) {
        let (cwnd, mss) = (self.cc.cwnd, u64::from(self.seq.mss));
        let Some(flight) = self.extras.flight.as_mut().filter(|_| self.needs == Needs::Losses) else { return };
        let in_flight = flight.in_flight();
        let Some(rate) = &mut flight.rate else { return };
        let delivered = rate.delivered();
        if let Some(losses) = &mut rate.losses {
            losses.note_window((in_flight + mss) as f64 > cwnd, in_flight.div_ceil(mss), delivered);
        }
    }

    /// The application is about to write. For a while it counts as the limit of delivery rates, under three conditions. There
    /// was nothing to send. The window had room beyond the `in_flight` units. Nothing was `lost`.
    pub(in crate::sender) fn note_pause(&mut self, in_flight: u64, lost: u64) {
        let dry =
            lost == 0 && self.seq.limit - self.seq.max < u64::from(self.seq.mss) && (in_flight as f64) < self.cc.cwnd;
        self.limit_rate(dry, in_flight);
    }

    /// If something else than the network limits the rate, it does so until the `in_flight` units are delivered.
    fn limit_rate(&mut self, limits: bool, in_flight: u64) {
        let segments = self.seq.segments(in_flight);
        if let Some(rate) = self.rate().filter(|_| limits) {
            rate.limit_by_application(segments);
        }
    }

    /// Units that an ACK delivers with a mark.
    fn ce_count(&self, ack: &Ack, delivered: u64) -> f64 {
        match &self.extras.feedback {
            Some(feedback) if !feedback.answers() => feedback.told,
            _ if ack.ece => delivered as f64,
            _ => 0.0,
        }
    }
}
