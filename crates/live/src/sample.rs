//! What a kernel tells of a connection (`TCP_INFO`).

use serde::{Deserialize, Serialize};

/// Bytes asked for: what kernels fill in at present, and some more.
pub const BYTES: usize = 256;

/// An ssthresh that says there is none.
const NO_SSTHRESH: u32 = 0x7fff_ffff;

/// A connection's state at an instant.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct Sample {
    pub time_s: f64,
    /// Index of the flow.
    pub flow: u32,
    pub cwnd_segments: f64,
    /// None before the first reduction.
    pub ssthresh_segments: Option<f64>,
    /// Outstanding, less what was reported or presumed lost, and what of it was sent again.
    pub flight_segments: f64,
    /// Smoothed.
    pub srtt_s: Option<f64>,
    /// The least in the kernel's window of minutes.
    pub min_rtt_s: Option<f64>,
    pub rto_s: f64,
    pub retransmits: u64,
    /// Segments that are known to have arrived.
    pub delivered_segments: u64,
    /// Timeouts so far; older kernels do not tell.
    pub timeouts: Option<u64>,
    pub state: State,
}

/// Which rule governs the sender's window.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[allow(missing_docs)]
pub enum State {
    SlowStart,
    CongestionAvoidance,
    Recovery,
    Loss,
}

acklab_table::words!(State: "slow-start", "congestion-avoidance", "recovery", "loss");

/// Reads what `getsockopt(TCP_INFO)` filled in: `struct tcp_info` of linux/tcp.h, whose fields never move. `None` if a kernel
/// tells less than Linux 4.18 does.
pub fn read(info: &[u8], flow: u32, time_s: f64) -> Option<Sample> {
    let number = |at: usize| Some(u32::from_ne_bytes(info.get(at..at + 4)?.try_into().ok()?));
    let micros = |at: usize| Some(f64::from(number(at)?) / 1e6);
    let (unacked, sacked, lost, retrans) = (number(24)?, number(28)?, number(32)?, number(36)?);
    let (ssthresh, cwnd) = (number(76)?, number(80)?);
    let flight = unacked.saturating_add(retrans).saturating_sub(sacked.saturating_add(lost));
    let total_rto = info.get(240..242).and_then(|bytes| bytes.try_into().ok()).map(u16::from_ne_bytes);
    let state = match info.get(1)? {
        3 => State::Recovery,
        4 => State::Loss,
        _ if cwnd < ssthresh => State::SlowStart,
        _ => State::CongestionAvoidance,
    };
    let min_rtt = number(148)?;
    Some(Sample {
        time_s,
        flow,
        cwnd_segments: f64::from(cwnd),
        ssthresh_segments: (ssthresh < NO_SSTHRESH).then_some(f64::from(ssthresh)),
        flight_segments: f64::from(flight),
        srtt_s: micros(68).filter(|&rtt| rtt > 0.0),
        min_rtt_s: (min_rtt != u32::MAX && min_rtt > 0).then_some(f64::from(min_rtt) / 1e6),
        rto_s: micros(8)?,
        retransmits: u64::from(number(100)?),
        delivered_segments: u64::from(number(192)?),
        timeouts: total_rto.map(u64::from),
        state,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_stand_where_linux_puts_them() {
        let mut info = [0_u8; BYTES];
        let mut put = |at: usize, value: u32| info[at..at + 4].copy_from_slice(&value.to_ne_bytes());
        for (at, value) in
            [(8, 300_000), (24, 20), (28, 5), (32, 3), (36, 2), (68, 100_500), (76, NO_SSTHRESH), (80, 22)]
        {
            put(at, value);
        }
        put(100, 7);
        put(148, 100_100);
        put(192, 1234);
        info[240] = 3;
        let sample = read(&info, 1, 2.0).unwrap();
        assert_eq!((sample.cwnd_segments, sample.ssthresh_segments, sample.flight_segments), (22.0, None, 14.0));
        assert_eq!((sample.srtt_s, sample.min_rtt_s, sample.rto_s), (Some(0.1005), Some(0.1001), 0.3));
        assert_eq!((sample.retransmits, sample.delivered_segments, sample.state), (7, 1234, State::SlowStart));
        if cfg!(target_endian = "little") {
            assert_eq!(sample.timeouts, Some(3));
        }
        assert_eq!(read(&info[..196], 1, 2.0).unwrap().timeouts, None, "an older kernel");
        assert_eq!(read(&info[..100], 1, 2.0), None);
    }
}
