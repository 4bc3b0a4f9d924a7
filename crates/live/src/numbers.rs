//! Numbers of a connection in 64 bits: counted from its start, so that they never wrap.

use crate::header::{Header, flag};

/// A 32-bit number that moves by less than half its range between two readings.
#[derive(Clone, Copy, Debug)]
struct Unwrapped {
    /// What the newest reading said, on the wire and in 64 bits.
    wire: u32,
    number: u64,
}

impl Unwrapped {
    fn new(wire: u32, number: u64) -> Unwrapped {
        Unwrapped { wire, number }
    }

    /// `wire` in 64 bits; 0 for what lies before the start.
    fn read(&self, wire: u32) -> u64 {
        let step = i64::from(wire.wrapping_sub(self.wire) as i32);
        self.number.saturating_add_signed(step)
    }

    /// The same, and remembers it if it is the newest.
    fn advance(&mut self, wire: u32) -> u64 {
        let number = self.read(wire);
        if number > self.number {
            *self = Unwrapped { wire, number };
        }
        number
    }
}

/// Where timestamps begin: far from zero, which stands for none.
const FIRST_STAMP: u64 = 1 << 32;

/// One direction of one flow's connection, as its packets pass.
#[derive(Clone, Debug, Default)]
pub struct Numbers {
    /// The sender's first sequence number, and how many SYNs with another have been seen before.
    opened_with: Option<u32>,
    generation: u16,
    seq: Option<Unwrapped>,
    ack: Option<Unwrapped>,
    stamps: [Option<Unwrapped>; 2],
}

/// What a packet says, in 64 bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Numbered {
    /// Which of the flow's successive connections.
    pub generation: u16,
    /// A SYN has 0, so data begin at 1.
    pub seq: u64,
    /// 1 acknowledges the SYN; 0 without the flag.
    pub ack: u64,
    /// TSval and TSecr as numbers that grow; zeros without.
    pub timestamps: (u64, u64),
}

impl Numbers {
    /// Numbers a packet that passes.
    pub fn read(&mut self, header: &Header) -> Numbered {
        if header.has(flag::SYN) && self.opened_with != Some(header.seq) {
            let generation = self.generation + u16::from(self.opened_with.is_some());
            *self = Numbers { opened_with: Some(header.seq), generation, ..Numbers::default() };
            self.seq = Some(Unwrapped::new(header.seq, 0));
        }
        let seq = self.seq.get_or_insert(Unwrapped::new(header.seq, 1)).advance(header.seq);
        let ack = if header.has(flag::ACK) {
            // The first thing acknowledged is the other side's SYN.
            self.ack.get_or_insert(Unwrapped::new(header.ack, 1)).advance(header.ack)
        } else {
            0
        };
        let stamp =
            |kept: &mut Option<Unwrapped>, wire| kept.get_or_insert(Unwrapped::new(wire, FIRST_STAMP)).advance(wire);
        let timestamps = header.timestamps.map_or((0, 0), |(value, echo)| {
            // The echo of nothing yet is no stamp.
            let echo = if echo == 0 && self.stamps[1].is_none() { 0 } else { stamp(&mut self.stamps[1], echo) };
            (stamp(&mut self.stamps[0], value), echo)
        });
        Numbered { generation: self.generation, seq, ack, timestamps }
    }

    /// An acknowledged edge of a SACK block in 64 bits.
    pub fn edge(&self, wire: u32) -> u64 {
        self.ack.map_or(0, |ack| ack.read(wire))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_count_from_the_syn_and_survive_the_wrap() {
        let mut numbers = Numbers::default();
        let isn = u32::MAX - 5;
        let syn = Header { seq: isn, flags: flag::SYN, ..Header::default() };
        assert_eq!(numbers.read(&syn).seq, 0);
        assert_eq!(numbers.read(&syn), Numbered::default(), "a repeated SYN is no new connection");
        let data = |k: u32| Header { seq: isn.wrapping_add(k), flags: flag::ACK, ack: 77, ..Header::default() };
        assert_eq!(numbers.read(&data(1)), Numbered { seq: 1, ack: 1, ..Numbered::default() });
        assert_eq!(numbers.read(&data(1001)).seq, 1001);
        let mut number = 1001_u64;
        for _ in 0..10 {
            number += 1 << 30;
            assert_eq!(numbers.read(&data(number as u32)).seq, number, "past the wrap of 32 bits");
        }
        assert_eq!(numbers.read(&data((number - 5000) as u32)).seq, number - 5000, "an old one stays old");
    }

    #[test]
    fn another_first_number_is_another_connection() {
        let mut numbers = Numbers::default();
        let syn = |seq| Header { seq, flags: flag::SYN, ..Header::default() };
        assert_eq!(numbers.read(&syn(7)).generation, 0);
        assert_eq!(numbers.read(&syn(7)).generation, 0);
        assert_eq!(numbers.read(&syn(8)), Numbered { generation: 1, ..Numbered::default() });
    }

    #[test]
    fn acks_and_sack_edges_share_a_scale() {
        let mut numbers = Numbers::default();
        let answer = Header { ack: 10, flags: flag::SYN | flag::ACK, ..Header::default() };
        assert_eq!(numbers.read(&answer).ack, 1);
        assert_eq!(numbers.edge(1009), 1000);
        assert_eq!(numbers.edge(9), 0);
    }
}
