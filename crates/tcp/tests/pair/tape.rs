//! A wire that keeps what an endpoint asks of it, for tests.

use acklab_packet::{Ack, Probe, Segment, Time};
use acklab_tcp::receiver::ReceiverWire;
use acklab_tcp::sender::SenderWire;

/// Packets of kind `P` that an endpoint sent, and its timers; a test drains them between two calls.
#[derive(Clone, Debug, Default)]
pub struct Tape<P> {
    pub sent: Vec<P>,
    /// Bytes on the wire of each.
    pub sizes: Vec<u32>,
    /// Keep-alives, or the answers to them.
    pub probes: Vec<Probe>,
    pub timer: Option<Time>,
    pub pacer: Option<Time>,
}

impl SenderWire for Tape<Segment> {
    fn send(&mut self, segment: Segment, wire_bytes: u32) {
        self.sent.push(segment);
        self.sizes.push(wire_bytes);
    }
    fn answer(&mut self, reply: Probe, _wire_bytes: u32) {
        self.probes.push(reply);
    }
    fn arm(&mut self, at: Time) {
        self.timer = Some(at);
    }
    fn disarm(&mut self) {
        self.timer = None;
    }
    fn arm_pacer(&mut self, at: Time) {
        self.pacer = Some(at);
    }
}

impl ReceiverWire for Tape<Ack> {
    fn send(&mut self, ack: Ack, wire_bytes: u32) {
        self.sent.push(ack);
        self.sizes.push(wire_bytes);
    }
    fn probe(&mut self, probe: Probe, _wire_bytes: u32) {
        self.probes.push(probe);
    }
    fn arm(&mut self, at: Time) {
        self.timer = Some(at);
    }
    fn disarm(&mut self) {
        self.timer = None;
    }
}
