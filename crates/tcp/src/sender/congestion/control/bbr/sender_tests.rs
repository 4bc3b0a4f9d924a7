//! A sender with BBR: its pace, its window, and when its application limits it.

use acklab_packet::{Ack, Probe, Segment, Time};

use crate::rules::{ControlKind, SenderRules, Stack};
use crate::sender::{Sender, SenderWire, Supply};

/// Segments that left, and the time at which the pacer is to wake.
#[derive(Default)]
struct Wire {
    sent: Vec<Segment>,
    pacer: Option<Time>,
}

impl SenderWire for Wire {
    fn send(&mut self, segment: Segment, _wire_bytes: u32) {
        self.sent.push(segment);
    }
    fn answer(&mut self, _reply: Probe, _wire_bytes: u32) {}
    fn arm(&mut self, _at: Time) {}
    fn disarm(&mut self) {}
    fn arm_pacer(&mut self, at: Time) {
        self.pacer = Some(at);
    }
}

fn at(secs: f64) -> Time {
    Time::from_secs(secs)
}

/// A connection that was opened at 0 and answered after 100 ms, with so many segments to send.
fn open(segments: u64) -> (Sender, Wire) {
    let rules = SenderRules { control: ControlKind::Bbr {}, ..Stack::Linux.sender() };
    let (mut sender, mut wire) = (Sender::new(rules.into(), Supply::Bytes(segments * 1448)), Wire::default());
    sender.start(at(0.0), &mut wire);
    sender.on_ack(&Ack { ack: 1, ts_ecr: at(0.0), ..Ack::default() }, at(0.1), &mut wire);
    (sender, wire)
}

fn limited(sender: &Sender) -> bool {
    sender.core().flight().rate.as_ref().unwrap().app_limited()
}

#[test]
fn after_ten_segments_each_waits_for_its_turn() {
    let (mut sender, mut wire) = open(100);
    assert_eq!((wire.sent.len(), wire.pacer), (1 + 10, None));
    // More segments may leave now. The first leaves at once, because it is late. The next leaves half a turn later. The rate
    // is 10 segments in 100 ms, times 2/ln 2, less a hundredth.
    sender.on_ack(&Ack { ack: 1 + 2 * 1448, ts_ecr: at(0.1), ..Ack::default() }, at(0.2), &mut wire);
    assert_eq!(wire.sent.len(), 1 + 11);
    let turn = 1.0 / (100.0 * 739.0 / 256.0 * 0.99);
    let next = wire.pacer.unwrap();
    assert!(((next - at(0.2)).secs() - turn / 2.0).abs() < 1e-9, "{next:?}");
    sender.on_pacer(next, &mut wire);
    let after = wire.pacer.unwrap();
    assert_eq!(wire.sent.len(), 1 + 12);
    assert!(((after - next).secs() - turn).abs() < 1e-9, "{after:?}");
}

#[test]
fn a_writer_that_lets_the_window_run_dry_limits_the_rate() {
    let (mut sender, mut wire) = open(4);
    assert!(!limited(&sender));
    sender.write(1448, at(0.15), &mut wire);
    assert!(limited(&sender), "four of ten were out, and there was nothing to send");
    // Until those four are delivered; the fifth, which left since, still counts as limited.
    sender.on_ack(&Ack { ack: 1 + 4 * 1448, ts_ecr: at(0.1), ..Ack::default() }, at(0.2), &mut wire);
    assert!(limited(&sender));
    sender.on_ack(&Ack { ack: 1 + 5 * 1448, ts_ecr: at(0.15), ..Ack::default() }, at(0.25), &mut wire);
    assert!(!limited(&sender));
}

#[test]
fn a_full_window_is_no_writers_doing() {
    // All ten that the window holds are out when there is nothing more to send.
    let (mut sender, mut wire) = open(10);
    sender.write(1448, at(0.15), &mut wire);
    assert!(!limited(&sender));
}

#[test]
fn a_timeout_leaves_room_for_one_segment_beside_what_is_not_lost() {
    let (mut sender, mut wire) = open(100);
    let (sent, ssthresh) = (wire.sent.len(), sender.core().cc.ssthresh);
    // The probe of a tail, then the timeout: everything that left a round trip ago is lost.
    sender.on_timeout(at(0.4), &mut wire);
    assert_eq!(wire.sent.len(), sent + 1);
    sender.on_timeout(at(0.8), &mut wire);
    assert_eq!((sender.counters().timeouts, wire.sent.len()), (1, sent + 2));
    assert_eq!(sender.view().cwnd, 1.0);
    assert!((sender.core().cc.ssthresh - ssthresh).abs() < 1448.0, "as it was, in whole segments");
}
