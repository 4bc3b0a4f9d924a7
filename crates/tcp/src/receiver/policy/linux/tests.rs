//! Each rule, worked out by hand. The clock ticks every 4 ms, as kernels with HZ = 250 do.

use acklab_packet::Time;

use super::{Linux, LinuxRules, MemoryRules};
use crate::receiver::policy::{AckPolicy, Arrival, Emission};

const MSS: u32 = 1000;

fn t(secs: f64) -> Time {
    Time::from_secs(secs)
}

fn rules() -> LinuxRules {
    LinuxRules {
        quick: 16,
        window: 45,
        buffer: 45,
        autotune: false,
        least: t(0.04),
        timer: t(0.2),
        tick: t(0.004),
        sack_delay: t(0.001),
        sack_share: 0.05,
        sack_slack: t(1e-4),
        sack_most: 44,
        low_water: 1,
        read_size: u32::MAX,
        memory: MemoryRules { memory: 0, most: 0, pieces: [1; 2], growth: None },
    }
}

/// A policy and what its receiver would tell it.
struct Bench {
    policy: Linux,
    next: u64,
    /// The number of the newest ACK that the sender has.
    echo: u32,
}

impl Bench {
    /// After a handshake of 20 ms.
    fn new(rules: LinuxRules) -> Bench {
        let mut bench = Bench { policy: Linux::new(rules), next: 1, echo: 1 };
        let syn = Arrival { syn: true, in_order: true, len: 1, rcv_nxt: 1, ..Arrival::default() };
        assert_eq!(bench.tell(&syn), Emission::Now);
        bench
    }

    /// After it, and the quick ACKs; the last segment came at 0.02.
    fn settled(rules: LinuxRules) -> Bench {
        let mut bench = Bench::new(LinuxRules { quick: 0, ..rules });
        while bench.next < 1 + 10 * u64::from(MSS) {
            bench.data(0.02);
        }
        bench
    }

    fn tell(&mut self, arrival: &Arrival) -> Emission {
        let emission = self.policy.on_segment(arrival);
        if emission == Emission::Now {
            self.policy.on_ack_sent(arrival.now);
        }
        emission
    }

    fn next(&mut self, now: f64, len: u32) -> Arrival {
        let seq = self.next;
        self.next += u64::from(len);
        let (rcv_nxt, echo) = (self.next, self.echo);
        Arrival { in_order: true, now: t(now), seq, len, rcv_nxt, echo, ..Arrival::default() }
    }

    /// The next segment in order.
    fn data(&mut self, now: f64) -> Emission {
        let arrival = self.next(now, MSS);
        self.tell(&arrival)
    }

    /// A segment `ahead` segments above the one expected.
    fn beyond(&mut self, now: f64, ahead: u64) -> Emission {
        let seq = self.next + ahead * u64::from(MSS);
        self.tell(&Arrival { now: t(now), seq, len: MSS, rcv_nxt: self.next, gap: true, ..Arrival::default() })
    }

    /// The first segment, once more.
    fn again(&mut self, now: f64) -> Emission {
        let rcv_nxt = self.next;
        self.tell(&Arrival { duplicate: true, now: t(now), seq: 1, len: MSS, rcv_nxt, ..Arrival::default() })
    }

    /// How many of the next `segments` are acknowledged at once before the first that is not.
    fn quick(&mut self, now: f64, segments: u32) -> u32 {
        (0..segments).take_while(|_| self.data(now) == Emission::Now).count() as u32
    }
}

fn ticks(count: u32) -> Emission {
    Emission::At(t(f64::from(count) * 0.004))
}

#[test]
fn the_first_segments_are_acknowledged_one_by_one_then_every_second() {
    let mut bench = Bench::new(rules());
    assert_eq!(bench.quick(0.02, 40), 16, "half of 45, but at most 16");
    assert_eq!([0.02; 5].map(|now| bench.data(now) == Emission::Now), [true, false, true, false, true]);
    // Half the window is what counts where that is less, and two where there is hardly any.
    for (window, quick) in [(13, 6), (2, 1), (1, 2)] {
        let mut bench = Bench::new(LinuxRules { window, buffer: window, ..rules() });
        assert_eq!(bench.quick(0.02, 40), quick, "{window} segments");
    }
    assert_eq!(Bench::new(LinuxRules { quick: 3, ..rules() }).quick(0.02, 40), 3);
}

#[test]
fn a_segment_that_opens_the_window_takes_no_quick_ack() {
    // From 45 to 56 by twos, where one of 57 is not read yet: six segments.
    assert_eq!(Bench::new(LinuxRules { buffer: 57, ..rules() }).quick(0.02, 40), 16 + 6);
    // A round trip in which more was read than before makes room for more.
    let tuned = LinuxRules { buffer: 57, autotune: true, ..rules() };
    for (rules, more) in [(LinuxRules { autotune: false, ..tuned }, false), (tuned, true)] {
        let mut bench = Bench::new(rules);
        bench.quick(0.02, 40);
        let _ = [0.03; 30].map(|now| bench.data(now));
        assert_eq!(bench.quick(0.05, 40) > 20, more);
    }
}

#[test]
fn quick_acks_end_where_a_program_that_sleeps_leaves_half_the_buffer() {
    let mut bench = Bench::new(LinuxRules { low_water: 60_000, window: 30, buffer: 30, ..rules() });
    assert_eq!(bench.quick(0.02, 40), 15);
    let mut bench = Bench::new(LinuxRules { low_water: 60_000, window: 30, buffer: 30, ..rules() });
    let _ = [0.02; 12].map(|now| bench.data(now));
    assert_eq!(bench.again(0.02), Emission::Now);
    assert_eq!(bench.quick(0.02, 40), 4, "the sixteenth that waits is more than half of thirty");
}

#[test]
fn what_is_nothing_new_or_comes_after_a_long_silence_makes_it_quick_again() {
    let mut bench = Bench::settled(rules());
    bench.policy.rules.quick = 16;
    assert_eq!(bench.again(0.02), Emission::Now);
    assert_eq!(bench.quick(0.02, 40), 15, "the duplicate's was the first of sixteen");
    bench.data(0.02);
    // The retransmission timeout is 20 ms and 200 ms: 55 ticks.
    assert_eq!(bench.quick(0.02 + 0.216, 40), 0);
    bench.data(0.24);
    assert_eq!(bench.quick(0.24 + 0.228, 40), 16);
}

#[test]
fn what_waits_above_a_gap_is_nothing_that_came_again() {
    let mut bench = Bench::settled(rules());
    bench.policy.rules.quick = 16;
    let copy =
        Arrival { duplicate: true, gap: true, now: t(0.02), len: MSS, rcv_nxt: bench.next, ..Arrival::default() };
    let seq = bench.next + u64::from(MSS);
    let sent: Vec<_> = (0..4).map(|_| bench.tell(&Arrival { seq, ..copy }) == Emission::Now).collect();
    assert_eq!(sent, [true, true, true, false]);
}

#[test]
fn how_long_a_segment_is_held_follows_the_time_between_segments() {
    let mut bench = Bench::settled(rules());
    // At 20 ms the clock has ticked 5 times; ten ticks later, and one to be sure.
    assert_eq!(bench.data(0.021), ticks(16));
    assert_eq!(bench.data(0.025), Emission::Now);
    // 28 ms later: half of 10 and 7 are 12 ticks; but the round trip is only 20 ms, and then 40 ms are the most.
    assert_eq!(bench.data(0.053), ticks(13 + 10 + 1));
    bench.policy.handshake = Some(0.3);
    bench.data(0.054);
    assert_eq!(bench.data(0.082), ticks(20 + 12 + 1), "half of 11 and 7");
    bench.data(0.082);
    assert_eq!(bench.data(0.083), ticks(20 + 10 + 1), "half of 11 and half of 10");
    bench.data(0.083);
    assert_eq!(bench.data(0.084), ticks(21 + 10 + 1));
}

#[test]
fn a_timer_that_runs_out_doubles_it_up_to_the_round_trip_and_the_limit() {
    for (rtt, most) in [(0.02, 10), (0.09, 23), (1.0, 49)] {
        let mut bench = Bench::settled(rules());
        bench.policy.handshake = Some(rtt);
        let mut now = 0.1;
        for hold in [10, 20, 40, 80].map(|hold: u32| hold.min(most)) {
            let came = (now / 0.004 + 1e-6) as u32;
            let Emission::At(due) = bench.data(now) else { panic!("at once") };
            assert!((due.secs() - f64::from(came + hold + 1) * 0.004).abs() < 1e-9, "{rtt}: {due}, not {hold} ticks");
            assert_eq!(bench.policy.on_timer(due), Emission::Now);
            bench.policy.on_ack_sent(due);
            now = due.secs() + 0.15;
        }
    }
    // Without ticks the limit is itself, and nothing is rounded.
    let mut bench = Bench::settled(LinuxRules { tick: Time::ZERO, ..rules() });
    (bench.policy.handshake, bench.policy.hold) = (Some(1.0), Some(0.9));
    assert_eq!(bench.data(0.5), Emission::At(t(0.7).min(t(0.5) + t(0.2))));
}

#[test]
fn a_timer_about_to_run_out_is_not_waited_for() {
    let mut bench = Bench::settled(rules());
    // Short segments, which a program that sleeps leaves to the timer.
    bench.policy.rules.low_water = 60_000;
    let mut short = |now: f64| {
        let arrival = bench.next(now, 100);
        bench.tell(&arrival)
    };
    assert_eq!(short(0.021), ticks(16));
    assert_eq!(short(0.041), ticks(16), "an earlier deadline stands");
    assert_eq!(short(0.053), Emission::Now, "two ticks of ten are left");
}

#[test]
fn a_program_that_reads_a_short_or_pushed_segment_lets_an_ack_go() {
    let mut bench = Bench::settled(rules());
    let short = bench.next(0.021, 100);
    assert_eq!(bench.tell(&short), Emission::Now);
    let pushed = Arrival { push: true, ..bench.next(0.022, MSS) };
    assert_eq!(bench.tell(&pushed), Emission::Now);
    bench.policy.rules.low_water = 60_000;
    let short = bench.next(0.021, 100);
    assert!(matches!(bench.tell(&short), Emission::At(_)), "it sleeps");
    // Two alike of a new size may be full ones.
    let mut bench = Bench::settled(rules());
    let smaller = [(); 3].map(|()| {
        let arrival = bench.next(0.021, 600);
        bench.tell(&arrival) == Emission::Now
    });
    assert_eq!(smaller, [true, false, true], "short; perhaps full; the second full one");
}

#[test]
fn three_duplicates_leave_at_once_and_the_rest_share_an_ack() {
    let mut bench = Bench::settled(rules());
    bench.policy.rtt = Some(0.01);
    assert_eq!([1, 2, 3].map(|k| bench.beyond(0.1, k)), [Emission::Now; 3]);
    // A twentieth of 10 ms, and the slack.
    let due = t(0.1) + t(0.05 * 0.01 + 0.0001);
    assert_eq!(bench.beyond(0.1, 4), Emission::At(due));
    assert_eq!(bench.beyond(0.1002, 5), Emission::At(due));
    assert_eq!(bench.policy.on_timer(due), Emission::Now);
    bench.policy.on_ack_sent(due);
    bench.policy.rtt = Some(1.0);
    assert_eq!(bench.beyond(0.11, 6), Emission::At(t(0.11) + t(0.001 + 0.0001)), "20 ms it is not: at most 1 ms");
    for k in 7..=49 {
        assert!(matches!(bench.beyond(0.11, k), Emission::At(_)), "{k}");
    }
    assert_eq!(bench.beyond(0.11, 50), Emission::Now, "44 are enough for one");
    // A gap that closes, in part or whole, is told at once, and then three duplicates again.
    let part = Arrival { gap: true, ..bench.next(0.12, MSS) };
    assert_eq!(bench.tell(&part), Emission::Now);
    assert_eq!([51, 52].map(|k| bench.beyond(0.12, k)), [Emission::Now; 2]);
    assert!(matches!(bench.beyond(0.12, 53), Emission::At(_)));
    let whole = Arrival { in_order: false, rcv_nxt: bench.next + 60_000, ..bench.next(0.12, MSS) };
    assert_eq!(bench.tell(&whole), Emission::Now);
}

#[test]
fn a_sack_waits_for_its_share_of_the_round_trip_and_the_slack() {
    // As 6.19 does: a third of 0.6 ms and 10 us; of 10 ms it is 1 ms at most.
    let mut bench = Bench::settled(LinuxRules { sack_share: 0.33, sack_slack: t(1e-5), ..rules() });
    for (from, rtt, waits) in [(1, 0.0006, 0.33 * 0.0006 + 1e-5), (5, 0.01, 0.001 + 1e-5)] {
        bench.policy.rtt = Some(rtt);
        bench.policy.duplicates = (0, 0);
        assert_eq!([0, 1, 2].map(|k| bench.beyond(0.1, from + k)), [Emission::Now; 3]);
        let due = t(0.1) + t(waits);
        assert_eq!(bench.beyond(0.1, from + 3), Emission::At(due), "{rtt}");
        assert_eq!(bench.policy.on_timer(due), Emission::Now);
        bench.policy.on_ack_sent(due);
    }
}

#[test]
fn what_gro_merged_is_one_arrival_of_many_full_segments() {
    let mut bench = Bench::settled(rules());
    let mut merged = |now: f64, further: u32, last: u32| {
        let arrival = bench.next(now, further * MSS + last);
        bench.tell(&Arrival { merged: further, piece: if further > 0 { MSS } else { 0 }, ..arrival })
    };
    // More than one full segment (`__tcp_ack_snd_check`), though the last is short; the size of a full one stays.
    assert_eq!(merged(0.021, 1, 1), Emission::Now);
    assert_eq!(merged(0.022, 43, MSS), Emission::Now);
    assert!(matches!(merged(0.023, 0, MSS), Emission::At(_)));
    assert_eq!(merged(0.024, 0, MSS), Emission::Now);
    assert_eq!((bench.policy.full, bench.policy.largest), (MSS, MSS));
}

#[test]
fn without_sack_or_compression_every_duplicate_leaves_at_once() {
    let mut deaf = Bench::settled(rules());
    deaf.policy.without_sack();
    let mut off = Bench::settled(LinuxRules { sack_most: 0, ..rules() });
    for k in 1..9 {
        assert_eq!([deaf.beyond(0.1, k), off.beyond(0.1, k)], [Emission::Now; 2]);
    }
}

#[test]
fn a_congestion_mark_makes_it_quick_for_two() {
    let mut bench = Bench::settled(rules());
    bench.policy.rules.quick = 16;
    let mut data = |ect: bool, ce: bool, cwr: bool| {
        let arrival = Arrival { ect, ce, cwr, ..bench.next(0.021, MSS) };
        bench.tell(&arrival) == Emission::Now
    };
    assert_eq!([data(true, false, false), data(true, false, false)], [false, true]);
    assert_eq!([data(true, true, false), data(true, true, false), data(true, true, false)], [true, true, false]);
    assert!(data(true, true, false), "the second of two; more marks of a row are none");
    assert!(data(true, false, true), "the sender has reduced its window");
    assert_eq!([data(true, true, false), data(true, false, false), data(true, false, false)], [true, true, false]);
    assert!(data(false, false, false), "unmarked among markable ones: probably sent again");
}

#[test]
fn a_shorter_round_trip_counts_at_once_and_a_longer_one_by_an_eighth() {
    let mut bench = Bench::settled(rules());
    assert_eq!((bench.policy.handshake, bench.policy.rtt), (Some(0.02), Some(0.02)));
    let mut timed = |sent: f64, came: f64| {
        bench.policy.round_trip.on_ack(bench.next as u32, t(sent));
        bench.echo = bench.next as u32;
        bench.data(came);
        bench.policy.rtt.unwrap()
    };
    assert!((timed(0.03, 0.04) - 0.01).abs() < 1e-9);
    assert!((timed(0.04, 0.068) - (0.875 * 0.01 + 0.125 * 0.028)).abs() < 1e-9);
    assert_eq!(bench.policy.handshake, Some(0.02), "a receiver that sends nothing keeps the first for its timers");
}

#[test]
fn where_the_sender_counts_segments_one_unit_is_a_full_segment() {
    let mut policy = Linux::new(rules());
    let arrival = |seq: u64| Arrival { in_order: true, seq, len: 1, rcv_nxt: seq + 1, ..Arrival::default() };
    let sent: Vec<_> = (0..20)
        .map(|seq| {
            let emission = policy.on_segment(&arrival(seq));
            if emission == Emission::Now {
                policy.on_ack_sent(Time::ZERO);
            }
            emission == Emission::Now
        })
        .collect();
    assert_eq!(sent.iter().take_while(|now| **now).count(), 16);
    assert_eq!(sent[16..], [false, true, false, true]);
}
