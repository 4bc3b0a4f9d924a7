//! Growth of the payload that a receiver has in order, as `python/acklab/plot/prep/packets.py` counts it.

use std::collections::BTreeMap;

/// Time, and bytes in order from then on.
pub(crate) const PROGRESS: [&str; 2] = ["time_s", "bytes"];

/// From arrivals `(time, first unit, units)`.
pub(crate) fn progress(mut arrivals: Vec<(f64, u64, u64)>, unit_bytes: u32) -> Vec<[f64; 2]> {
    arrivals.sort_by(|a, b| a.0.total_cmp(&b.0));
    let Some(first) = arrivals.iter().map(|arrival| arrival.1).min() else { return Vec::new() };
    let mut next = first;
    // Segments above a hole: first unit -> one past the last.
    let mut waiting: BTreeMap<u64, u64> = BTreeMap::new();
    let mut rows: Vec<[f64; 2]> = Vec::new();
    for (time, seq, len) in arrivals {
        if seq > next {
            let end = waiting.entry(seq).or_default();
            *end = (*end).max(seq + len);
            continue;
        }
        if seq + len <= next {
            continue;
        }
        next = seq + len;
        while let Some(piece) = waiting.first_entry().filter(|piece| *piece.key() <= next) {
            next = next.max(piece.remove());
        }
        let bytes = ((next - first) * u64::from(unit_bytes)) as f64;
        match rows.last_mut() {
            Some(last) if last[0] == time => last[1] = bytes,
            _ => rows.push([time, bytes]),
        }
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_repaired_hole_lets_all_behind_it_count_at_once() {
        let arrivals = vec![(1.0, 1, 10), (2.0, 21, 10), (3.0, 31, 5), (4.0, 11, 10), (4.0, 36, 1), (5.0, 1, 10)];
        assert_eq!(progress(arrivals, 2), [[1.0, 20.0], [4.0, 72.0]]);
    }
}
