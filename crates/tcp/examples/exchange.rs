//! A transfer over 10 ms each way and nothing else: how long it takes, and how many ACKs it needs. `exchange [SEGMENTS]`.

use std::{collections::VecDeque, sync::Arc};

use acklab_packet::{Ack, Probe, Segment, Time};
use acklab_tcp::receiver::{Receiver, ReceiverWire};
use acklab_tcp::{rules::Stack, sender::Sender, sender::SenderWire, sender::Supply};

/// What is on its way, with when it arrives, and the two timers.
#[derive(Default)]
struct Wire {
    now: Time,
    data: VecDeque<(Time, Segment)>,
    acks: VecDeque<(Time, Ack)>,
    timeout: Option<Time>,
    delayed: Option<Time>,
}

impl SenderWire for Wire {
    fn send(&mut self, segment: Segment, _: u32) {
        self.data.push_back((self.now + Time::from_secs(0.01), segment));
    }
    fn answer(&mut self, _: Probe, _: u32) {}
    fn arm(&mut self, at: Time) {
        self.timeout = Some(at);
    }
    fn disarm(&mut self) {
        self.timeout = None;
    }
    fn arm_pacer(&mut self, _: Time) {}
}

impl ReceiverWire for Wire {
    fn send(&mut self, ack: Ack, _: u32) {
        self.acks.push_back((self.now + Time::from_secs(0.01), ack));
    }
    fn probe(&mut self, _: Probe, _: u32) {}
    fn arm(&mut self, at: Time) {
        self.delayed = Some(at);
    }
    fn disarm(&mut self) {
        self.delayed = None;
    }
}

/// When the last ACK arrived, in seconds, and how many were sent.
fn transfer(segments: u64) -> (f64, u64) {
    let mut sender = Sender::new(Arc::new(Stack::Rfc.sender()), Supply::Segments(segments));
    let (mut receiver, mut wire) = (Receiver::new(Arc::new(Stack::Rfc.receiver())), Wire::default());
    sender.start(Time::ZERO, &mut wire);
    loop {
        let [data, ack] = [wire.data.front().map(|one| one.0), wire.acks.front().map(|one| one.0)];
        let Some(now) = [data, ack, wire.timeout, wire.delayed].into_iter().flatten().min() else { break };
        wire.now = now;
        if data == Some(now) {
            let (_, segment) = wire.data.pop_front().expect("it was at the front");
            receiver.on_segment(&segment, now, &mut wire);
        } else if ack == Some(now) {
            let (_, ack) = wire.acks.pop_front().expect("it was at the front");
            sender.on_ack(&ack, now, &mut wire);
        } else if wire.timeout.take_if(|at| *at == now).is_some() {
            sender.on_timeout(now, &mut wire);
        } else {
            wire.delayed = None;
            receiver.on_timer(now, &mut wire);
        }
    }
    (wire.now.secs(), receiver.counters().acks_sent)
}

fn main() {
    let segments = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap_or(100);
    let (seconds, acks) = transfer(segments);
    println!("{segments} segments: {seconds:.3} s, {acks} ACKs");
}

#[test]
fn slow_start_takes_about_five_round_trips() {
    // Ten segments, then 15, 22 and so on with an ACK for two segments: 100 need five flights of 20 ms.
    let (seconds, acks) = transfer(100);
    assert!((seconds - 0.1).abs() < 0.021, "{seconds}");
    assert!((50..=54).contains(&acks), "{acks}");
}
