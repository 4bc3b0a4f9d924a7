//! A rate that follows a table: a packet is in service until the rate's integral has reached its bits.

use acklab_packet::{Rate, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Server, ServerParams, Taken};
use crate::random::Random;
use crate::values::{Checked, Wrong, must, quoted};

/// A rate that may be zero.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub enum Step {
    /// Nothing is served.
    #[serde(rename = "0bps")]
    Nothing,
    /// A rate.
    #[serde(untagged)]
    Rate(Rate),
}

impl Step {
    /// In bits per second.
    fn bps(self) -> f64 {
        if let Step::Rate(rate) = self { rate.bps() } else { 0.0 }
    }
}

/// Rates from given times on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TableSpec {
    /// Rows of a time and the rate from then on, such as `["2s", "1.5Mbps"]`: the first at `"0s"`, each later than the one
    /// before. `"0bps"` serves nothing.
    pub rows: Vec<(Time, Step)>,
    /// The table begins again after so long: from 1 ms, later than the last row. Left out, the last rate stays.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub every: Option<Time>,
}

impl ServerParams for TableSpec {
    /// The largest.
    fn rate(&self) -> Rate {
        Rate::from_bps(self.rows.iter().map(|row| row.1.bps()).fold(0.0, f64::max))
    }

    fn check(&mut self) -> Checked {
        let rows = |allowed: bool, what: &str| {
            let row = |row: &(Time, Step)| format!("[\"{}\", \"{}\"]", row.0, Rate::from_bps(row.1.bps()));
            let rows = || self.rows.iter().map(row).collect::<Vec<_>>().join(", ");
            if allowed { Ok(()) } else { Err(Wrong::at("rows", what).given(format_args!("[{}]", rows()))) }
        };
        let times = || self.rows.iter().map(|row| row.0.secs());
        let rises = times().next() == Some(0.0) && times().is_sorted_by(|one, two| one < two);
        rows(rises, "must begin at 0s, each later than the one before")?;
        let good = |bps: f64| bps == 0.0 || (1.0..=1e15).contains(&bps);
        let all = self.rows.iter().all(|row| good(row.1.bps()));
        rows(all, "must have rates of 0bps, or from 1bps to 1e6Gbps")?;
        let (last, stays) = self.rows.last().map_or((0.0, 0.0), |row| (row.0.secs(), row.1.bps()));
        let Some(every) = self.every else {
            return rows(stays > 0.0, "must end with a rate above 0bps, or repeat by `every`");
        };
        let later = every.secs() >= 0.001 && every.secs() > last;
        must(later, "every", "must be at least 1ms, and later than the last row", quoted(every))?;
        rows(self.rate().bps() > 0.0, "must have a rate above 0bps")
    }
}

/// Bits that are nothing but a rounding.
const ROUNDING: f64 = 1e-6;

/// A server whose rate follows a table.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    rows: Vec<(Time, Step)>,
    every: Option<Time>,
    /// The row in force, and how often the table has begun again.
    row: usize,
    cycle: f64,
    busy: f64,
}

impl Table {
    /// The server that `spec` describes.
    pub fn new(spec: &TableSpec, _: impl FnOnce() -> Random) -> Table {
        Table { rows: spec.rows.clone(), every: spec.every, row: 0, cycle: 0.0, busy: 0.0 }
    }

    /// When the rate changes next.
    fn change(&self) -> f64 {
        let begun = self.cycle * self.every.map_or(0.0, Time::secs);
        match (self.rows.get(self.row + 1), self.every) {
            (Some((since, _)), _) => begun + since.secs(),
            (None, Some(every)) => begun + every.secs(),
            (None, None) => f64::INFINITY,
        }
    }

    /// The next row is in force.
    fn advance(&mut self) {
        self.row += 1;
        if self.row == self.rows.len() {
            (self.row, self.cycle) = (0, self.cycle + 1.0);
        }
    }
}

impl Server for Table {
    fn take(&mut self, bytes: u32, now: Time) -> Taken {
        if let Some(every) = self.every
            && now.secs() >= (self.cycle + 1.0) * every.secs()
        {
            // One cycle early: rounding must not skip a row.
            let cycle = ((now.secs() / every.secs()).floor() - 1.0).max(self.cycle);
            (self.row, self.cycle) = if cycle > self.cycle { (0, cycle) } else { (self.row, self.cycle) };
        }
        while self.change() <= now.secs() {
            self.advance();
        }
        let (mut bits, mut lasts, mut from) = (8.0 * f64::from(bytes), 0.0, now.secs());
        loop {
            let (rate, change) = (self.rows[self.row].1.bps(), self.change());
            let span = change - from;
            // A rounding must not leave a part of a bit for after a pause.
            if rate > 0.0 && bits <= rate * span + ROUNDING {
                lasts += bits / rate;
                self.busy += lasts;
                return Time::from_secs(lasts).into();
            }
            bits -= rate * span;
            lasts += span;
            from = change;
            self.advance();
        }
    }

    fn busy(&self, _: u64) -> f64 {
        self.busy
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(bps: f64) -> Step {
        if bps > 0.0 { Step::Rate(Rate::from_bps(bps)) } else { Step::Nothing }
    }

    fn table(rows: &[(f64, f64)], every: Option<f64>) -> Table {
        let rows = rows.iter().map(|&(since, bps)| (Time::from_secs(since), step(bps))).collect();
        let mut spec = TableSpec { rows, every: every.map(Time::from_secs) };
        assert_eq!(spec.check(), Ok(()));
        Table::new(&spec, || Random::stream(0))
    }

    fn ends(table: &mut Table, bytes: u32, now: f64) -> f64 {
        let now = Time::from_secs(now);
        ((now + table.take(bytes, now).lasts).secs() * 1e6).round() / 1e6
    }

    /// 1000 bytes are 8000 bits: 8 ms at 1 Mb/s, 4 ms at 2 Mb/s.
    #[test]
    fn a_packet_is_served_by_the_integral_of_the_rate() {
        let mut table = table(&[(0.0, 1e6), (1.0, 2e6), (2.0, 0.0), (3.0, 1e6)], None);
        assert_eq!(ends(&mut table, 1000, 0.5), 0.508);
        // 2 ms at 1 Mb/s are 2000 bits, the other 6000 take 3 ms.
        assert_eq!(ends(&mut table, 1000, 0.998), 1.003);
        // Two of four milliseconds before the pause, and the other 4000 bits after it at half the rate.
        assert_eq!(ends(&mut table, 1000, 1.998), 3.004);
        assert_eq!(ends(&mut table, 1000, 3.004), 3.012);
        assert!((table.busy(4000) - (0.008 + 0.005 + 1.006 + 0.008)).abs() < 1e-9);
    }

    #[test]
    fn it_begins_again() {
        let mut table = table(&[(0.0, 1e6), (0.010, 0.0)], Some(0.020));
        // Ten of every twenty milliseconds serve: 10,000 bits a cycle.
        assert_eq!(ends(&mut table, 2500, 0.0), 0.020 + 0.010);
        assert_eq!(ends(&mut table, 1000, 0.030), 0.048);
        assert_eq!(ends(&mut table, 1000, 1000.005), 1000.023);
    }

    #[test]
    fn what_is_no_table_is_refused() {
        let wrong = |rows: &[(f64, f64)], every: Option<f64>| {
            let rows = rows.iter().map(|&(since, bps)| (Time::from_secs(since), step(bps))).collect();
            TableSpec { rows, every: every.map(Time::from_secs) }.check().err().map_or(String::new(), |wrong| wrong.key)
        };
        assert_eq!(wrong(&[], None), "rows");
        assert_eq!(wrong(&[(1.0, 1e6)], None), "rows");
        assert_eq!(wrong(&[(0.0, 1e6), (1.0, 1e6), (1.0, 1e6)], None), "rows");
        assert_eq!(wrong(&[(0.0, 0.5)], None), "rows");
        assert_eq!(wrong(&[(0.0, 1e6), (1.0, 0.0)], None), "rows");
        assert_eq!(wrong(&[(0.0, 0.0)], Some(1.0)), "rows");
        assert_eq!(wrong(&[(0.0, 1e6), (1.0, 0.0)], Some(1.0)), "every");
        assert_eq!(wrong(&[(0.0, 1e6), (1.0, 0.0)], Some(1.5)), "");
    }
}
