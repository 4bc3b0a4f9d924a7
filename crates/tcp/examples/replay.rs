//! When a named receiver acknowledges the packets of a recorded QUIC download: `replay quic-go < arrivals`.
//!
//! A line has the arrival in microseconds, the packet's number, and its bytes. Each ACK's time in microseconds is printed. Packets are encrypted,
//! so a number is the place among the departures: one that the sender leaves out is not seen. Bytes count as read when they arrive.

use std::io::{BufRead, stdin};
use std::sync::Arc;

use acklab_packet::{Ack, Probe, Segment, Time};
use acklab_tcp::receiver::{Receiver, ReceiverWire};
use acklab_tcp::rules::{AckPolicyKind, ReceiverRules, Stack, Variants};

#[derive(Default)]
struct Wire {
    now: Time,
    due: Option<Time>,
}

impl ReceiverWire for Wire {
    fn send(&mut self, _: Ack, _: u32) {
        println!("{:.0}", self.now.secs() * 1e6);
    }
    fn probe(&mut self, _: Probe, _: u32) {}
    fn arm(&mut self, at: Time) {
        self.due = Some(at);
    }
    fn disarm(&mut self) {
        self.due = None;
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let name = std::env::args().nth(1).unwrap_or_else(|| "quic".to_owned());
    let ack: AckPolicyKind = serde_json::from_str(&serde_json::to_string(&name)?)?;
    let rules = ReceiverRules { ack: ack.with("packet_numbers", true), ..Stack::Quic.receiver() };
    let (mut receiver, mut wire, mut read) = (Receiver::new(Arc::new(rules)), Wire::default(), 0);
    for line in stdin().lock().lines() {
        let line = line?;
        let fields: Vec<u64> = line.split_whitespace().map(str::parse).collect::<Result<_, _>>()?;
        let &[micros, number, bytes] = fields.as_slice() else {
            return Err(format!("{line}: needs three numbers").into());
        };
        let now = Time::from_secs(micros as f64 * 1e-6);
        while let Some(due) = wire.due.filter(|due| *due <= now) {
            (wire.now, wire.due) = (due, None);
            receiver.on_timer(due, &mut wire);
        }
        wire.now = now;
        let segment = Segment { seq: read, len: bytes as u32, echo: number as u32, ..Segment::default() };
        receiver.on_segment(&segment, now, &mut wire);
        read += bytes;
    }
    Ok(())
}
