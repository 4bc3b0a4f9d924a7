//! Segments that a receiving host has merged (GRO): one arrival to its TCP.

use acklab_packet::{AckNotice, Body, Packet};

/// A packet at its destination, and whether the host has merged it with the next.
pub type Arrived = (Packet, bool);

/// A run of merged segments.
#[derive(Clone, Copy, Debug)]
pub struct Merged {
    /// The first with the units of all: its header is the one that is left.
    pub packet: Packet,
    /// How many others were merged with it.
    pub further: u32,
    /// Units of the first.
    pub piece: u32,
}

impl Merged {
    /// `run` with the packet that follows; without a run, one that begins.
    pub fn after(run: Option<Merged>, packet: Packet) -> Merged {
        let Body::Data(next) = packet.body else { return run.unwrap_or(Merged { packet, further: 0, piece: 0 }) };
        let Some(mut run) = run else { return Merged { packet, further: 0, piece: next.len } };
        if let Body::Data(first) = &mut run.packet.body {
            first.len += next.len;
            first.tail = next.tail;
            first.retransmit |= next.retransmit;
            first.notice = if next.notice == AckNotice::default() { first.notice } else { next.notice };
        }
        run.further += 1;
        run
    }
}

#[cfg(test)]
mod tests {
    use acklab_packet::{Segment, Tail, Time};

    use super::*;

    #[test]
    fn the_first_header_stays_and_the_units_of_all_are_in_it() {
        let packet = |seq: u64, len: u32, tail: Tail| {
            let segment = Segment { seq, len, tail, ts_val: Time::from_secs(seq as f64), ..Segment::default() };
            Packet { flow: 3, size: len + 40, connection: 0, place: 2, body: Body::Data(segment) }
        };
        let parts = [packet(1000, 1448, Tail::Open), packet(2448, 1448, Tail::Open), packet(3896, 10, Tail::Last)];
        let run = parts.into_iter().fold(None, |run, packet| Some(Merged::after(run, packet))).expect("a run");
        let whole =
            Segment { len: 2906, tail: Tail::Last, ts_val: Time::from_secs(1000.0), seq: 1000, ..Segment::default() };
        assert_eq!((run.packet.body, run.further, run.piece), (Body::Data(whole), 2, 1448));
    }
}
