//! Buffers that are written as times, counted in bytes.

use std::fmt::Display;

use acklab_packet::Rate;
use acklab_path::Buffer;
use acklab_path::spec::QueueSpec;

use super::error::Problem;

/// Most bytes of a buffer: what a size may be, too.
const MOST: u64 = 9_000_000_000_000_000;

/// The buffers of a queue in bytes: a time is counted at `rate`, if there is one rate at all.
pub(super) fn count(queue: &mut QueueSpec, path: impl Display, rate: Option<Rate>) -> Result<(), Problem> {
    for (name, buffer) in queue.buffers() {
        let Buffer::Time(time) = *buffer else { continue };
        let wrong = |what: &str| Err(Problem::at(format_args!("{path}.{name}"), what).given_text(time));
        let Some(rate) = rate else {
            return wrong("must be a size such as \"200kB\": a wireless medium has no rate by which a time is counted");
        };
        // No rate in the messages: what the return direction takes over is wrong once.
        match buffer.at(rate).get() {
            0 => return wrong("must be at least the time that the link needs for a byte"),
            bytes if bytes > MOST => return wrong("must be at most 9 PB at the link's rate"),
            bytes => *buffer = Buffer::bytes(bytes),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::parse_toml;

    /// 40 ms at 1 Mb/s are 5,000 bytes. A direction counts its own rate, a token bucket its mean, grants what they carry, and a table its
    /// largest rate.
    #[test]
    fn a_buffer_in_time_is_counted_at_the_rate_of_its_direction() {
        let buffers = |link: &str| {
            let text = format!(
                "stop.at = '1s'\n[[link]]\nbetween = ['S', 'R']\ndelay = '1ms'\n{link}\n[[flow]]\nfrom = 'S'\nto = 'R'\n"
            );
            let mut scenario = parse_toml(&text, "t").unwrap();
            let [there, back] = scenario.links.as_mut_slice() else { panic!("{:?}", scenario.links) };
            [there, back].map(|link| link.queue.buffers().map(|(_, buffer)| buffer.to_string()).collect::<String>())
        };
        let plain = "queue = { kind = 'drop-tail', bytes = '40ms' }";
        assert_eq!(buffers(&format!("rate = '1Mbps'\n{plain}\nback = {{ rate = '500kbps' }}")), ["5000B", "2500B"]);
        for (rate, bytes) in [
            ("{ kind = 'token-bucket', mean = '1Mbps', burst = '9kB', peak = '1Gbps' }", "5000B"),
            ("{ kind = 'docsis', rate = '1Mbps', channel = '100Mbps' }", "5000B"),
            ("{ kind = 'pon', rate = '1Mbps', line = '1.24416Gbps' }", "5000B"),
            ("{ kind = 'table', rows = [['0s', '2Mbps'], ['1s', '0bps']], every = '2s' }", "10000B"),
        ] {
            assert_eq!(buffers(&format!("rate = {rate}\n{plain}")), [bytes, bytes], "{rate}");
        }
        let pie = "queue = { kind = 'docsis-pie', buffer = '40ms' }";
        assert_eq!(buffers(&format!("rate = '1Mbps'\n{pie}")), ["5000B", "5000B"]);
        let waiting = "queue = { kind = 'drop-tail', waiting_bytes = '40ms' }";
        assert_eq!(buffers(&format!("rate = '8kbps'\n{waiting}")), ["40B", "40B"]);
    }
}
