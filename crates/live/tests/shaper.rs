//! The shaper at the receiver's edge, beside a real receiver that acknowledges every segment.

mod made;

use acklab_live::edge::{Edge, EdgeCounts, MAX_HELD, Seen};
use acklab_live::packet::WirePacket;
use acklab_packet::Time;
use acklab_tcp::rules::{AckPolicyKind, ReceiverRules, Stack};
use made::{Says, Talk, checksums_hold};

const MSS: u32 = 1000;

fn t(secs: f64) -> Time {
    Time::from_secs(secs)
}

/// A shaper, the connection, and what has left.
struct Bench {
    edge: Edge,
    talk: Talk,
    out: Vec<WirePacket>,
}

impl Bench {
    fn new(policy: &str) -> Bench {
        let ack: AckPolicyKind = serde_json::from_str(policy).expect("a policy");
        let (talk, [syn, answer]) = Talk::open();
        let mut bench =
            Bench { edge: Edge::new(&ReceiverRules { ack, ..Stack::Rfc.receiver() }), talk, out: Vec::new() };
        bench.edge.arrives(&Seen::of(&syn).unwrap(), t(0.0), &mut bench.out);
        bench.edge.leaves(answer, t(0.0), &mut bench.out);
        assert_eq!(bench.sent(), [1], "the SYN's answer passes");
        bench
    }

    /// The numbers that left since the last call; every checksum is right.
    fn sent(&mut self) -> Vec<u64> {
        assert!(self.out.iter().all(checksums_hold));
        self.out.drain(..).map(|packet| packet.ack()).collect()
    }

    /// The k-th segment arrives.
    fn segment(&mut self, k: u32, now: f64) {
        let seen = Seen::of(&self.talk.data(1 + k * MSS, MSS as usize)).unwrap();
        self.edge.arrives(&seen, t(now), &mut self.out);
    }

    /// The real receiver acknowledges `k` segments.
    fn real_ack(&mut self, k: u32, says: Says, now: f64) {
        let ack = self.talk.ack(1 + k * MSS, says);
        self.edge.leaves(ack, t(now), &mut self.out);
    }

    /// Segments arrive in order, each acknowledged at once; what left after each.
    fn course(&mut self, segments: u32) -> Vec<Vec<u64>> {
        let step = |k: u32| {
            let now = 0.1 + 0.001 * f64::from(k);
            self.segment(k, now);
            self.real_ack(k + 1, Says::default(), now + 1e-5);
            self.sent()
        };
        (0..segments).map(step).collect()
    }
}

#[test]
fn every_segment_has_its_ack() {
    let mut bench = Bench::new(r#"{"policy": "every"}"#);
    assert_eq!(bench.course(3), [[1001], [2001], [3001]]);
    assert_eq!(bench.edge.counts(), EdgeCounts { offered: 3, untouched: 1, ..EdgeCounts::default() });
}

#[test]
fn delayed_acks_cover_two_and_the_timer_sends_the_last() {
    let mut bench = Bench::new(r#"{"policy": "delayed", "timer": "100ms"}"#);
    assert_eq!(bench.course(5), [vec![], vec![2001], vec![], vec![4001], vec![]]);
    let due = bench.edge.next().unwrap();
    assert!((due.secs() - 0.204).abs() < 1e-9, "100 ms after the fifth arrived");
    bench.edge.wake(due, &mut bench.out);
    assert_eq!(bench.sent(), [5001]);
    assert_eq!((bench.edge.next(), bench.edge.counts().thinned), (None, 2));
}

/// A real sender numbers no packets, whatever the scenario's sender does.
#[test]
fn quic_acks_go_by_sequence_numbers() {
    let mut bench = Bench::new(r#"{"policy": "quic", "packet_numbers": true}"#);
    assert_eq!(bench.course(4), [vec![], vec![2001], vec![], vec![4001]]);
}

#[test]
fn stretched_acks_cover_eight() {
    let mut bench = Bench::new(r#"{"policy": "delayed", "segments": 8, "timer": "200ms"}"#);
    let sent: Vec<u64> = bench.course(24).concat();
    assert_eq!(sent, [8001, 16001, 24001]);
}

#[test]
fn divided_acks_have_every_number_and_right_checksums() {
    let mut bench = Bench::new(r#"{"policy": "divide", "pieces": 4}"#);
    bench.segment(0, 0.1);
    bench.real_ack(1, Says::default(), 0.1);
    assert!(bench.out.iter().all(checksums_hold));
    assert_eq!(bench.sent(), [251, 501, 751, 1001]);
    assert_eq!(bench.edge.counts().made, 3);
}

#[test]
fn an_ack_that_comes_after_the_decision_leaves_as_it_comes() {
    let mut bench = Bench::new(r#"{"policy": "every"}"#);
    bench.segment(0, 0.1);
    bench.segment(1, 0.1);
    assert!(bench.sent().is_empty(), "nothing that the real receiver has not said");
    bench.real_ack(2, Says::default(), 0.1001);
    assert_eq!(bench.sent(), [1001, 2001]);
}

#[test]
fn a_hole_is_answered_by_the_real_receiver_alone() {
    let mut bench = Bench::new(r#"{"policy": "delayed", "timer": "100ms"}"#);
    bench.segment(0, 0.1);
    bench.real_ack(1, Says::default(), 0.1);
    assert!(bench.sent().is_empty());
    for k in 2..5 {
        let now = 0.1 + 0.001 * f64::from(k);
        bench.segment(k, now);
        let sack = Some((1 + 2 * MSS, 1 + (k + 1) * MSS));
        bench.real_ack(1, Says { sack, window: k as u16, ..Says::default() }, now);
    }
    // As a receiver with delayed ACKs: the first duplicate acknowledges what was held.
    let sacks: Vec<_> = bench.out.iter().map(|packet| (packet.ack(), packet.header().sacks)).collect();
    assert_eq!(sacks, [(1001, 1), (1001, 1), (1001, 1)]);
    bench.sent();
    bench.segment(1, 0.2);
    bench.real_ack(5, Says::default(), 0.2);
    assert_eq!(bench.sent(), [5001], "what fills the hole is acknowledged at once");
    bench.edge.wake(t(9.0), &mut bench.out);
    assert!(bench.sent().is_empty());
}

#[test]
fn what_is_no_plain_news_passes_at_once() {
    let stretch = r#"{"policy": "delayed", "segments": 100, "timer": "10s"}"#;
    let mut bench = Bench::new(stretch);
    bench.segment(0, 0.1);
    bench.real_ack(1, Says::default(), 0.1);
    assert!(bench.sent().is_empty());
    bench.real_ack(1, Says { window: 9, ..Says::default() }, 0.11);
    assert_eq!(bench.sent(), [1001], "a duplicate or a window update");
    bench.segment(1, 0.12);
    bench.real_ack(2, Says { ece: true, ..Says::default() }, 0.12);
    assert_eq!(bench.sent(), [2001], "the first that echoes a mark");
    bench.segment(2, 0.13);
    bench.real_ack(3, Says { ece: true, ..Says::default() }, 0.13);
    assert!(bench.sent().is_empty(), "the second is no news");
    bench.segment(3, 0.14);
    bench.real_ack(4, Says { ece: true, sack: Some((5001, 6001)), ..Says::default() }, 0.14);
    assert_eq!(bench.sent(), [4001], "SACK blocks, though it advances");
}

#[test]
fn no_ack_waits_for_ever() {
    let mut bench = Bench::new(r#"{"policy": "every"}"#);
    // The shaper never heard of the segment: the policy has no timer, and yet the ACK goes.
    bench.real_ack(1, Says::default(), 1.0);
    assert!(bench.sent().is_empty());
    let due = bench.edge.next().unwrap();
    assert_eq!(due, t(1.0) + MAX_HELD);
    bench.edge.wake(due, &mut bench.out);
    assert_eq!((bench.sent(), bench.edge.counts().flushed, bench.edge.next()), (vec![1001], 1, None));
}

#[test]
fn the_last_ack_is_never_lost_whatever_the_policy() {
    for policy in [
        r#"{"policy": "every"}"#,
        r#"{"policy": "delayed", "timer": "40ms"}"#,
        r#"{"policy": "delayed", "segments": 1000, "timer": "300ms"}"#,
        r#"{"policy": "daass", "phase": "heuristic"}"#,
        r#"{"policy": "divide", "pieces": 7, "spacing": "1ms"}"#,
        r#"{"policy": "divide", "pieces": 3, "order": "falling"}"#,
        r#"{"policy": "periodic", "rtt": "timestamps"}"#,
        r#"{"policy": "smart", "rtt": "timestamps"}"#,
    ] {
        for segments in 1..40 {
            let mut bench = Bench::new(policy);
            let mut sent: Vec<u64> = bench.course(segments).concat();
            let mut wakes = 0;
            while let Some(due) = bench.edge.next() {
                bench.edge.wake(due, &mut bench.out);
                sent.extend(bench.sent());
                wakes += 1;
                assert!(wakes < 1000, "{policy} sleeps badly");
            }
            let all = 1 + u64::from(segments) * u64::from(MSS);
            assert_eq!(sent.iter().max(), Some(&all), "{policy}, {segments} segments: {sent:?}");
        }
    }
}
