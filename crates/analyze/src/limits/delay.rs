//! Delay of one way, by the timestamps of its sender, and the least delays of a round trip.
//!
//! A timestamp (RFC 7323) tells when its packet was sent, by a clock with an unknown start. So it shows by how much a packet was
//! later than the quickest: it waited in a queue, or for a grant. An application or a receiver that waits changes nothing in it.

use crate::numbers::span_s;
use crate::thresholds::{CLOCK_DRIFT, CLOCK_S, CLOCK_TICK_S, JITTER_SHARE, QUEUE_ACKS_S, QUEUE_S};

/// Sender's clock, as the packets of one way show it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Clock {
    first: Option<(u32, i64)>,
    /// Least seconds of its full segments on the way, from an unknown start, and when; and of any packets.
    least: Option<(f64, i64)>,
    light: Option<f64>,
}

impl Clock {
    /// A packet passes at `now`: seconds beyond the least of the `full` ones, at most a tick too many. None while the clock is not
    /// known to tick in milliseconds.
    pub fn on_stamp(&mut self, stamp: u32, full: bool, now: i64) -> Option<f64> {
        let (first, start) = *self.first.get_or_insert((stamp, now));
        let passed = span_s(start, now);
        let told = CLOCK_TICK_S * f64::from(stamp.wrapping_sub(first) as i32);
        let trip = passed - told;
        lower(&mut self.light, trip);
        if full && self.least.is_none_or(|(least, _)| trip < least) {
            self.least = Some((trip, now));
        }
        let (least, at) = self.least?;
        // A sender that slow start makes twice as fast as the path fills a queue: then half as many ticks pass as there are.
        let ticks = passed >= CLOCK_S && (0.4..=1.5).contains(&(told / passed));
        ticks.then(|| (trip - least - CLOCK_DRIFT * span_s(at, now)).max(0.0))
    }

    /// Seconds by which a full segment takes longer than the lightest packet: its transmission.
    pub fn transmission(&self) -> f64 {
        self.least.zip(self.light).map_or(0.0, |((full, _), light)| full - light)
    }
}

/// Where a queue stood through a round trip.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stands {
    /// On the way of the data; or, without timestamps, of the data or their ACKs.
    Data,
    /// On the way of the ACKs alone.
    Acks,
    /// On neither.
    Nowhere,
}

/// Least seconds beyond the least of a round trip, in four parts: data and ACKs, before and behind the capture point.
#[derive(Clone, Copy, Debug, Default)]
pub struct Delays {
    data_before: Option<f64>,
    data_behind: Option<f64>,
    acks_before: Option<f64>,
    acks_behind: Option<f64>,
    /// Segments of the ACK that tells `data_behind`.
    burst: u64,
}

impl Delays {
    /// Data came here so late.
    pub fn on_data(&mut self, late: f64) {
        lower(&mut self.data_before, late - CLOCK_TICK_S);
    }

    /// An ACK did.
    pub fn on_ack(&mut self, late: f64) {
        lower(&mut self.acks_before, late - CLOCK_TICK_S);
    }

    /// From here to the receiver and back it took so long, of the last of so many segments; the ACK came from there so late, if that is known.
    pub fn on_receiver(&mut self, excess: f64, late: Option<f64>, segments: u64) {
        let data = excess - late.unwrap_or(0.0);
        if self.data_behind.is_none_or(|least| data < least) {
            (self.data_behind, self.burst) = (Some(data), segments);
        }
    }

    /// The same to the sender and back, with data.
    pub fn on_sender(&mut self, excess: f64, late: Option<f64>) {
        let part = if late.is_some() { &mut self.acks_behind } else { &mut self.data_before };
        lower(part, excess - late.unwrap_or(0.0));
    }

    /// None if nothing was timed. A wait of the data that is a tenth of the ACKs' may be an error of those. Segments are `spacing` seconds apart in the mean.
    /// Segments that one ACK releases leave together: the last waits for the others, without a queue.
    pub fn stands(&self, spacing: f64) -> Option<Stands> {
        let parts = [self.data_before, self.data_behind, self.acks_before, self.acks_behind];
        parts.iter().flatten().next()?;
        let [data, acks] =
            [&parts[..2], &parts[2..]].map(|two| two.iter().flatten().map(|part| part.max(0.0)).sum::<f64>());
        let together = spacing * self.burst.saturating_sub(1).max(1) as f64;
        Some(match (data > QUEUE_S.max(together).max(JITTER_SHARE * acks), acks > QUEUE_ACKS_S.max(spacing)) {
            (true, _) => Stands::Data,
            (false, true) => Stands::Acks,
            (false, false) => Stands::Nowhere,
        })
    }
}

fn lower(least: &mut Option<f64>, value: f64) {
    *least = Some(least.map_or(value, |least| least.min(value)));
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lateness of a packet every 10 ms, by a clock of `ticks` a second. From the 50th on they are 30 ms late.
    fn told(ticks: f64) -> Vec<Option<f64>> {
        let mut clock = Clock::default();
        let packet = |k: u32| (f64::from(k) * 0.010, if k >= 50 { 0.030 } else { 0.0 });
        let stamp = |at: f64| 0xffff_fff0_u32.wrapping_add((at * ticks) as u32);
        (0..100).map(packet).map(|(at, late)| clock.on_stamp(stamp(at), true, ((at + late) * 1e9) as i64)).collect()
    }

    #[test]
    fn a_clock_of_milliseconds_tells_the_wait() {
        let late = told(1000.0);
        assert!(late[..20].iter().all(Option::is_none) && late[30] < Some(0.0011));
        assert!(late[50..].iter().all(|late| (0.0298..0.0311).contains(&late.unwrap())), "{late:?}");
        assert!(
            told(100.0).iter().chain(&told(250.0)).chain(&told(1e6)).all(Option::is_none),
            "other clocks tell nothing"
        );
    }

    #[test]
    fn a_queue_of_acks_is_none_of_data() {
        let mut delays = Delays::default();
        assert_eq!(delays.stands(0.0), None);
        delays.on_data(0.0005);
        delays.on_ack(0.180);
        delays.on_receiver(0.190, Some(0.180), 2);
        assert_eq!(delays.stands(0.0), Some(Stands::Acks));
        let mut blind = Delays::default();
        blind.on_receiver(0.180, None, 2);
        assert_eq!(blind.stands(0.0), Some(Stands::Data));
        assert_eq!(blind.stands(0.2), Some(Stands::Nowhere), "a segment waits for the one before");
        blind.on_receiver(0.150, None, 8);
        assert_eq!(blind.stands(0.03), Some(Stands::Nowhere), "and the last of eight for seven");
        assert_eq!(blind.stands(0.02), Some(Stands::Data), "but not so long");
    }
}
