//! What passing packets tell of a flow, seen at both edges of the path.

use acklab_packet::Time;
use acklab_path::Carried;
use acklab_path::queue::Removal;
use acklab_tcp::receiver::Reassembly;

use crate::header::flag;
use crate::packet::WirePacket;

/// What travels from the sender to the receiver.
#[derive(Clone, Debug, Default)]
pub struct Outgoing {
    /// When the first segment with payload left.
    pub first_data: Option<Time>,
    /// Segments that took sequence numbers.
    pub segments_sent: u64,
    /// Those that open the connection.
    pub syns_sent: u64,
    /// Those with nothing that had not been sent.
    pub retransmits: u64,
    /// One past the highest number sent.
    highest: u64,
    /// One past the payload, once a FIN says where it ends.
    payload_end: Option<u64>,
    received: Reassembly,
    /// When the receiver's in-order payload last grew.
    pub last_progress: Option<Time>,
}

impl Outgoing {
    /// A packet left the sender.
    pub fn leaves(&mut self, packet: &WirePacket, now: Time) {
        let units = packet.units();
        if units == 0 {
            return;
        }
        let end = packet.seq() + u64::from(units);
        self.segments_sent += 1;
        let syn = packet.header().has(flag::SYN);
        self.syns_sent += u64::from(syn);
        if self.highest >= end {
            self.retransmits += 1;
        }
        self.highest = self.highest.max(end);
        if packet.has_payload() {
            self.first_data.get_or_insert(now);
        }
        if packet.header().has(flag::FIN) {
            self.payload_end = Some(end - 1);
        }
    }

    /// A packet reached the receiver.
    pub fn arrives(&mut self, packet: &WirePacket, now: Time) {
        let Some(segment) = packet.segment() else { return };
        let before = self.received.rcv_nxt;
        self.received.insert(&segment);
        if packet.has_payload() && self.received.rcv_nxt > before {
            self.last_progress = Some(now);
        }
    }

    /// One past the last payload byte's number, as far as it is known from a FIN.
    pub fn payload_end(&self) -> Option<u64> {
        self.payload_end
    }
}

/// What travels back.
#[derive(Clone, Debug, Default)]
pub struct Returning {
    /// ACKs that entered the path; the answer to the SYN is one.
    pub acks_sent: u64,
    /// ACKs that reached the sender.
    pub acks_received: u64,
    /// ACKs lost in queues and loss models.
    pub acks_dropped: u64,
    /// ACKs removed by filters.
    pub acks_filtered: u64,
    /// The highest number acknowledged to the sender.
    pub acked: u64,
    /// When that passed `goal`.
    pub finished: Option<Time>,
    /// One past the last payload byte, where the flow has an end.
    goal: Option<u64>,
}

impl Returning {
    /// Of a flow with so many payload bytes.
    pub fn new(payload: Option<u64>) -> Returning {
        // The SYN has number 0.
        Returning { goal: payload.map(|bytes| bytes + 1), ..Returning::default() }
    }

    /// An ACK enters the path.
    pub fn leaves(&mut self, packet: &WirePacket) {
        self.acks_sent += u64::from(packet.is_ack());
    }

    /// A packet of the receiver's reached the sender.
    pub fn arrives(&mut self, packet: &WirePacket, now: Time) {
        self.acks_received += u64::from(packet.is_ack());
        self.acked = self.acked.max(packet.ack());
        if self.finished.is_none() && self.goal.is_some_and(|goal| self.acked >= goal) {
            self.finished = Some(now);
        }
    }

    /// A packet will not arrive.
    pub fn gone(&mut self, packet: &WirePacket, reason: Removal) {
        if packet.is_ack() {
            match reason {
                Removal::Filtered => self.acks_filtered += 1,
                Removal::Full | Removal::Early | Removal::Lost => self.acks_dropped += 1,
            }
        }
    }

    /// Payload bytes acknowledged, of those sent up to `end` (one past the last payload byte).
    pub fn bytes(&self, end: Option<u64>) -> u64 {
        let acked = self.goal.or(end).map_or(self.acked, |end| self.acked.min(end));
        acked.saturating_sub(1)
    }
}
