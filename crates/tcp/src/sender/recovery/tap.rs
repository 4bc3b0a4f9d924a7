//! The wire of a recovery that has timers of its own.

use acklab_packet::{Probe, Segment, Time};

use super::super::SenderWire;

/// The wire, whose timer waits until it is known which is due first.
pub(super) struct Tap<'a, W> {
    pub wire: &'a mut W,
    pub rto: Option<Time>,
}

impl<W: SenderWire> SenderWire for Tap<'_, W> {
    fn send(&mut self, segment: Segment, wire_bytes: u32) {
        self.wire.send(segment, wire_bytes);
    }
    fn answer(&mut self, reply: Probe, wire_bytes: u32) {
        self.wire.answer(reply, wire_bytes);
    }
    fn arm(&mut self, at: Time) {
        self.rto = Some(at);
    }
    fn disarm(&mut self) {
        self.rto = None;
    }
    fn arm_pacer(&mut self, at: Time) {
        self.wire.arm_pacer(at);
    }
}
