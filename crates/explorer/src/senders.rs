//! A sender's window and round-trip samples, as `python/acklab/plot/prep/series.py` and `rtt.py` prepare them.

use acklab_sim::outcome::{SenderState, SeriesRow};

/// A slow-start threshold above this counts as not set.
const FAR: f64 = (1_u64 << 30) as f64;

/// The window at each change: time, cwnd, ssthresh (NaN where not set), flight, 1 + state.
pub(crate) const WINDOW: [&str; 5] = ["time_s", "cwnd_segments", "ssthresh_segments", "flight_segments", "state"];
/// Where it was cut: time, 0 for a timeout and 1 for a fast retransmit, cwnd after it.
pub(crate) const CUTS: [&str; 3] = ["time_s", "event", "cwnd_segments"];
/// Round-trip samples: time, sample, timer after it.
pub(crate) const RTT: [&str; 3] = ["time_s", "rtt_ms", "rto_ms"];

/// The last row of each instant.
fn lasting(rows: &[SeriesRow]) -> Vec<&SeriesRow> {
    let ends = |i: usize| rows.get(i + 1).is_none_or(|next| next.time_s != rows[i].time_s);
    rows.iter().enumerate().filter(|&(i, _)| ends(i)).map(|(_, row)| row).collect()
}

pub(crate) fn window(rows: &[SeriesRow]) -> Vec<[f64; 5]> {
    let threshold = |ssthresh: f64| if ssthresh > FAR { f64::NAN } else { ssthresh };
    let row = |row: &&SeriesRow| {
        let state = f64::from(1 + row.state as u8);
        [row.time_s, row.cwnd_segments, threshold(row.ssthresh_segments), row.flight_segments, state]
    };
    lasting(rows).iter().map(row).collect()
}

pub(crate) fn rtt(rows: &[SeriesRow]) -> Vec<[f64; 3]> {
    let samples = rows.iter().filter(|row| !row.rtt_s.is_nan());
    samples.map(|row| [row.time_s, row.rtt_s * 1e3, row.rto_s * 1e3]).collect()
}

/// Timeouts and beginnings of recoveries.
///
/// At a timeout the window falls to one segment outside recovery. If it was one segment already, the timer backs off, or nothing
/// is sent for as long as the timer. Tahoe's fast retransmit looks the same. The sender's count of timeouts decides how
/// many of these rows are timeouts: first those with a longer timer, then those after the longest silence.
pub(crate) fn cuts(rows: &[SeriesRow], timeouts: u64) -> Vec<[f64; 3]> {
    let rows = lasting(rows);
    let one = |row: &SeriesRow| row.cwnd_segments <= 1.0 && row.state != SenderState::Recovery;
    // For each row that may be a timeout, how likely it is one.
    let sure = |i: usize| {
        let (before, row) = (rows[i - 1], rows[i]);
        let silence = row.time_s - before.time_s;
        let backed_off = row.rtt_s.is_nan() && row.rto_s >= 1.5 * before.rto_s;
        let waited = row.rtt_s.is_nan() && silence >= 0.95 * before.rto_s;
        let maybe = one(row) && (before.cwnd_segments > 1.0 || backed_off || waited);
        maybe.then_some((i, silence + if backed_off { 1e9 } else { 0.0 }))
    };
    let mut candidates: Vec<(usize, f64)> = (1..rows.len()).filter_map(sure).collect();
    candidates.sort_by(|a, b| b.1.total_cmp(&a.1));
    candidates.truncate(usize::try_from(timeouts).unwrap_or(usize::MAX));
    let mut timed_out = vec![false; rows.len()];
    candidates.iter().for_each(|&(i, _)| timed_out[i] = true);
    let event = |i: usize| {
        let before = i.checked_sub(1).map(|i| rows[i]);
        let began =
            rows[i].state == SenderState::Recovery && before.is_none_or(|before| before.state != SenderState::Recovery);
        let fell = one(rows[i]) && before.is_some_and(|before| before.cwnd_segments > 1.0);
        let event = if timed_out[i] { 0.0 } else { 1.0 };
        (timed_out[i] || began || fell).then_some([rows[i].time_s, event, rows[i].cwnd_segments])
    };
    (0..rows.len()).filter_map(event).collect()
}
