//! Applications that write at regular or random times.
//!
//! Keystrokes of telnet follow the tcplib library of measured traffic in the papers' simulators: [`Pauses::Tcplib`]
//! draws from quantiles of what ns-2 does. Its pauses are close to a Pareto distribution (Paxson and Floyd 1995: shape
//! 0.9 for the body), which is [`Pauses::Pareto`]. The scale here is such that 15 % of the pauses exceed one second, as
//! they report. Pauses are cut at 50 s, which puts the mean at 1.1 s.

use acklab_packet::{Bytes, Time};
use acklab_path::random::Random;

use crate::datagrams::Datagrams;
use crate::tcplib::{PERCENTILES, TAIL};
use acklab_scenario::spec::{FlowSpec, Pauses, Source};

/// Pareto shape of keystroke pauses, their least value in seconds, and where they are cut.
const SHAPE: f64 = 0.9;
const LEAST: f64 = 0.1215;
const LONGEST: f64 = 50.0;

/// One application at work.
#[derive(Clone, Debug, PartialEq)]
pub enum Application {
    /// It writes to a connection, without an end.
    Writer(Writer),
    /// It writes to a connection.
    Schedule(Schedule),
    /// It writes to a connection what a list says.
    List(List),
    /// It sends datagrams, and has no connection.
    Datagrams(Datagrams),
}

impl Application {
    /// An application of that kind with its own stream of draws.
    pub fn new(table: &FlowSpec, random: Random) -> Option<Application> {
        let unit = if table.sender.sequence.in_bytes() { 1 } else { u64::from(table.sender.packet) };
        Some(match table.source.as_ref()? {
            &Source::Telnet { mean, pauses, write } => {
                Application::Writer(Writer { mean, pauses: pauses.unwrap_or(Pauses::Pareto), write, random })
            }
            Source::Listed(spec) => Application::List(List::new(&spec.writes, unit)),
            Source::Writes(spec) => Application::Schedule(Schedule {
                units: spec.write.get().div_ceil(unit),
                every: spec.every,
                left: spec.times,
            }),
            Source::Udp(spec) => Application::Datagrams(Datagrams::new(spec.clone(), random)),
        })
    }

    /// When the first of listed writes is due, from the flow's start.
    pub fn listed(&self) -> Option<Time> {
        if let Application::List(list) = self { list.due() } else { None }
    }

    /// Whether there is nothing more to come.
    pub fn ended(&self) -> bool {
        match self {
            Application::Schedule(schedule) => schedule.left == 0,
            Application::List(list) => list.writes.is_empty(),
            Application::Writer(_) | Application::Datagrams(_) => false,
        }
    }
}

/// Equal writes at equal intervals.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Schedule {
    /// Sequence units of each.
    pub units: u64,
    /// From one to the next.
    pub every: Time,
    /// Writes to come.
    pub left: u32,
}

/// Writes at listed times.
#[derive(Clone, Debug, PartialEq)]
pub struct List {
    /// Time from the flow's start and sequence units of the writes to come, the last one first.
    writes: Vec<(Time, u64)>,
}

impl List {
    fn new(writes: &[(Time, Bytes)], unit: u64) -> List {
        List { writes: writes.iter().rev().map(|&(time, bytes)| (time, bytes.get().div_ceil(unit))).collect() }
    }

    /// When the next write is due, from the flow's start.
    pub fn due(&self) -> Option<Time> {
        self.writes.last().map(|write| write.0)
    }

    /// Units of the write that is due; 0 after the last one.
    pub fn take(&mut self) -> u64 {
        self.writes.pop().map_or(0, |write| write.1)
    }
}

/// A user who types.
#[derive(Clone, Debug, PartialEq)]
pub struct Writer {
    mean: Option<Time>,
    pauses: Pauses,
    write: Option<Bytes>,
    random: Random,
}

impl Writer {
    /// The pause before the next write.
    pub fn gap(&mut self) -> Time {
        let u = self.random.uniform();
        // libm in Rust, not the system's: its last digit must be the same everywhere.
        Time::from_secs(match (self.mean, self.pauses) {
            (Some(mean), _) => -mean.secs() * libm::log(u),
            (None, Pauses::Pareto) => (LEAST * libm::pow(u, -1.0 / SHAPE)).min(LONGEST),
            (None, Pauses::Tcplib) if u < 0.99 => between(&PERCENTILES, 100.0 * u),
            (None, Pauses::Tcplib) => between(&TAIL, 10_000.0 * (u - 0.99)),
        })
    }

    /// Sequence units of a write, where a full segment has `mss`.
    pub fn units(&self, mss: u32) -> u64 {
        match self.write {
            Some(bytes) if mss > 1 => bytes.get(),
            _ => u64::from(mss),
        }
    }
}

/// A point of a curve given at 0, 1, 2, ...: on the line between its neighbours.
fn between(curve: &[f64], at: f64) -> f64 {
    let below = (at as usize).min(curve.len() - 2);
    curve[below] + (at - below as f64) * (curve[below + 1] - curve[below])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gaps(mean: Option<Time>, pauses: Option<Pauses>) -> Vec<f64> {
        let pauses = pauses.unwrap_or(Pauses::Pareto);
        let mut writer = Writer { mean, pauses, write: None, random: Random::named(1, "telnet") };
        (0..100_000).map(|_| writer.gap().secs()).collect()
    }

    #[test]
    fn pauses_have_the_stated_shape() {
        let gaps = gaps(None, None);
        let share = |limit: f64| gaps.iter().filter(|&&gap| gap > limit).count() as f64 / gaps.len() as f64;
        assert!((share(1.0) - 0.15).abs() < 0.005, "{}", share(1.0));
        let mean = gaps.iter().sum::<f64>() / gaps.len() as f64;
        assert!((1.0..1.2).contains(&mean), "{mean}");
    }

    #[test]
    fn pauses_of_tcplib_have_its_quantiles_and_mean() {
        let mut gaps = gaps(None, Some(Pauses::Tcplib));
        gaps.sort_by(f64::total_cmp);
        let mean = gaps.iter().sum::<f64>() / gaps.len() as f64;
        // ns-2's, over 364,758 pauses: 1.088 s.
        assert!((1.04..1.14).contains(&mean), "{mean}");
        for (share, low, high) in [(0.5, 0.234, 0.240), (0.9, 1.53, 1.62), (0.99, 15.0, 21.0), (0.999, 59.5, 66.0)] {
            let quantile = gaps[(share * gaps.len() as f64) as usize];
            assert!((low..high).contains(&quantile), "{share}: {quantile}");
        }
        assert!(gaps[0] >= PERCENTILES[0] && gaps[gaps.len() - 1] <= TAIL[100]);
    }

    #[test]
    fn exponential_pauses_have_their_mean() {
        let gaps = gaps(Some(Time::from_secs(0.8)), None);
        let mean = gaps.iter().sum::<f64>() / gaps.len() as f64;
        assert!((mean - 0.8).abs() < 0.01, "{mean}");
    }
}
