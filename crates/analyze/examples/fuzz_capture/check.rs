//! What must hold for all bytes, and the loop that tries some.

use std::panic::{AssertUnwindSafe, catch_unwind};

use acklab_analyze::{Analysis, ConnectionRow, POLICIES};
use acklab_capture::{ReadError, Reader};

use super::consistent::consistent;
use super::corpus::{gzip, seeds};
use super::mutate::{Rng, mutate, mutate_packets};

/// The state of a search.
pub struct Fuzz {
    rng: Rng,
    corpus: Vec<Vec<u8>>,
    /// Files tried.
    pub files: u64,
    /// Those that were captures, and had packets.
    pub good: u64,
}

impl Fuzz {
    pub fn new(seed: u64) -> Fuzz {
        Fuzz { rng: Rng::new(seed), corpus: seeds(), files: 0, good: 0 }
    }

    /// Tries a mutated capture; now and then also packed, so that what is wrong is inside.
    pub fn step(&mut self) {
        let one = self.rng.pick(&self.corpus).clone();
        let other = self.rng.pick(&self.corpus).clone();
        let packets = if self.rng.below(2) == 0 { mutate_packets(&one, &mut self.rng) } else { None };
        let mut mutant = packets.unwrap_or_else(|| mutate(&one, &other, &mut self.rng));
        if self.rng.below(8) == 0 {
            mutant = gzip(&mutant);
        }
        self.files += 1;
        match catch_unwind(AssertUnwindSafe(|| holds(&mutant))) {
            Ok(Ok(good)) => self.good += u64::from(good),
            Ok(Err(why)) => panic!("{why}: {mutant:02x?}"),
            Err(_) => panic!("a panic: {mutant:02x?}"),
        }
    }
}

/// Whether `bytes` are a capture with packets, or what does not hold for them.
pub fn holds(bytes: &[u8]) -> Result<bool, String> {
    let (lean, rich) = (analysed(bytes, Analysis::default()), analysed(bytes, Analysis::with_packets()));
    let (lean, rich) = match (lean, rich) {
        (Ok(lean), Ok(rich)) => (lean, rich),
        (Err(lean), Err(rich)) if lean.to_string() == rich.to_string() => return well_said(&lean.to_string()),
        _ => return Err("it is a capture once, and once it is none".to_owned()),
    };
    let census = lean.census();
    let parts =
        [census.tcp, census.unfollowed, census.not_ip, census.not_tcp, census.fragments, census.cut, census.malformed];
    ensure(parts.iter().sum::<u64>() == census.packets + census.reassembled && census == rich.census(), || {
        format!("{census:?}")
    })?;
    // A packet is remembered as a segment, the end of what is complete, a gap and a timestamp; as several while it waits.
    let most = 4 * census.tcp as usize + 1024 * lean.connections().len();
    ensure(lean.remembered() <= most, || format!("{} remembered, of {most}", lean.remembered()))?;
    let rows = lean.connections();
    ensure(rows == rich.connections(), || "rows differ with packets kept".to_owned())?;
    for row in &rows {
        ensure(sound(row), || format!("{row:?}"))?;
    }
    let Some(packets) = rich.packets() else { return Err("no packets were kept".to_owned()) };
    let (acks, segments) = (&packets.acks, &packets.segments);
    // In the order of the file, in which another connection's packet may be earlier.
    let same = |of: [u64; 2], times: [f64; 2]| of[0] != of[1] || times[0] <= times[1];
    let ordered = acks
        .windows(2)
        .all(|pair| same([0, 1].map(|at| pair[at].connection), [0, 1].map(|at| pair[at].time_s)))
        && segments.windows(2).all(|pair| same([0, 1].map(|at| pair[at].connection), [0, 1].map(|at| pair[at].time_s)));
    ensure(ordered && acks.len() as u64 <= census.tcp && segments.len() as u64 <= census.tcp, || "tables".to_owned())?;
    Ok(census.packets > 0)
}

fn analysed(bytes: &[u8], mut analysis: Analysis) -> Result<Analysis, ReadError> {
    analysis.read(&mut Reader::new(bytes)?, |_| true)?;
    Ok(analysis)
}

fn well_said(error: &str) -> Result<bool, String> {
    ensure(!error.is_empty() && error.lines().count() == 1 && error.len() < 300, || format!("badly said: {error}"))?;
    Ok(false)
}

fn ensure(holds: bool, why: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(why()) }
}

/// Parts are no more than the whole, times are times, and words are words.
fn sound(row: &ConnectionRow) -> bool {
    let times = [row.delay_min_s, row.delay_median_s, row.delay_p95_s, row.delay_max_s];
    let trips = [row.rtt_min_s, row.rtt_mean_s, row.rtt_max_s];
    let rates = [row.sender_rtt_min_s, row.goodput_bps, row.bytes_per_ack, row.segments_per_ack, row.timer_s];
    let bottleneck = [row.bottleneck_low_bps, row.bottleneck_bps, row.bottleneck_high_bps];
    let least = |value: &f64| value.is_finite() && *value >= 0.0;
    let known = times.iter().chain(&trips).chain(&rates).chain(&bottleneck).flatten().chain([&row.duration_s]);
    let rising =
        |times: &[Option<f64>]| times.windows(2).all(|pair| pair[0] <= pair[1].map(|time| time * (1.0 + 1e-9)));
    known.into_iter().all(least)
        && rising(&times)
        && rising(&trips)
        && rising(&bottleneck)
        && row.resent + row.late + row.offloaded.min(row.data_packets) <= 2 * row.data_packets
        && row.resent + row.late <= row.data_packets
        && row.resent_bytes <= row.bytes
        && row.new_acks <= row.acks
        && row.pure_acks <= row.acks
        && row.acks_of_one + row.acks_of_two + row.acks_of_more == row.plain_acks
        && row.plain_acks <= row.new_acks
        && row.held_acks <= Some(row.plain_acks)
        && row.optimistic_acks <= Some(row.acks_of_unseen)
        && row.rtt_stamped <= row.rtt_samples
        && row.lacking_bytes <= row.acked_bytes + 2
        && POLICIES.contains(&row.policy.as_str())
        && consistent(row)
}
