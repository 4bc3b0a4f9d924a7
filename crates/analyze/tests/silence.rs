//! What a capture does not show is not said: data that it lacks, two series of numbers, marks nobody negotiated, a proxy's distance,
//! a handshake's late answer, spans below a tick of its clock.

mod common;

use acklab_analyze::ConnectionRow;
use common::talk::{ACK, CWR, ECE, FIN, SYN, Talk, UNIT};
use common::{Frame, analysed, frames, rows, run};

fn only(frames: &[Frame]) -> ConnectionRow {
    let mut found = rows(frames);
    assert_eq!(found.len(), 1, "{found:?}");
    found.swap_remove(0)
}

/// A receiver near by that acknowledges every second segment.
fn every_second() -> Talk {
    Talk::opened(20, 20_000, (0, 0)).acked_by([2; 200])
}

fn is_data((_, length, _): &Frame) -> bool {
    *length > 40
}

#[test]
fn acknowledged_data_that_the_capture_lacks_are_counted() {
    let whole = every_second();
    let row = only(&whole.frames);
    assert_eq!((row.lacking_bytes, row.policy.as_str()), (0, "delayed"), "{row:?}");
    // A few are said, and what the rest shows stands.
    let kept = |every: usize, of: usize| -> Vec<Frame> {
        let data = whole.frames.iter().scan(0, |n, frame| {
            *n += usize::from(is_data(frame));
            Some((*n, frame))
        });
        data.filter(|(n, frame)| !is_data(frame) || n % of >= every).map(|(_, frame)| frame.clone()).collect()
    };
    let row = only(&kept(1, 40));
    assert_eq!((row.lacking_bytes, row.policy.as_str()), (10_000, "delayed"), "{row:?}");
    assert!(row.goodput_bps.is_some());
    // Four of five, and nothing stands; a gap that ACKs cover is lacking as much as what lies beyond the highest number.
    let row = only(&kept(4, 5));
    assert_eq!((row.lacking_bytes, row.acked_bytes), (320_000, 400_000));
    assert_eq!((row.policy.as_str(), row.goodput_bps, row.bottleneck_bps), ("undecided", None, None), "{row:?}");
    assert_eq!((row.policy_why.as_str(), row.policy_evidence, row.policy_of), ("lacks-data", 320_000, 400_000));
}

/// Packets that a capture swapped, and data that pass after their ACK, are there.
#[test]
fn what_passes_late_is_not_lacking() {
    let mut swapped = every_second().frames;
    for place in (10..590).step_by(30) {
        let ack = (place..).find(|&at| !is_data(&swapped[at])).unwrap();
        swapped.swap(ack, ack - 1);
    }
    assert_eq!(only(&swapped).lacking_bytes, 0);
}

#[test]
fn both_sides_of_a_device_that_rewrites_numbers_tell_one_thing() {
    let inside = every_second().frames;
    let beside = |shift_data: u32, shift_acks: u32| -> Vec<Frame> {
        let add = |data: &mut [u8], by: u32| {
            let number = u32::from_be_bytes(data[..4].try_into().unwrap()).wrapping_add(by);
            data[..4].copy_from_slice(&number.to_be_bytes());
        };
        let both = inside.iter().skip(3).flat_map(|(time, length, data)| {
            let mut other = data.clone();
            let (own, answered) = if data[15] == 1 { (shift_data, shift_acks) } else { (shift_acks, shift_data) };
            add(&mut other[24..], own);
            add(&mut other[28..], answered);
            [(*time, *length, data.clone()), (time + 30_000, *length, other)]
        });
        both.collect()
    };
    for (data, acks) in [(900_000_000, 0), (900_000_000, 2_500_000_000), (0, 1_700_000_000)] {
        let row = &rows(&beside(data, acks))[0];
        assert_eq!((row.policy.as_str(), row.vantage.as_str()), ("undecided", "unknown"), "{row:?}");
        assert!(row.series_returns > Some(100) && row.limit_why == "two-series", "{row:?}");
        let numbers = [row.goodput_bps, row.bottleneck_bps, row.rtt_min_s, row.delay_min_s, row.path_rtt_min_s];
        assert_eq!(numbers, [None; 5]);
    }
    assert!(only(&every_second().frames).goodput_bps.is_some());
}

/// S asks for ECN and R agrees, or does not; then some ACKs have the bit.
fn marked(flags: (u8, u8), echoes: u32, marks: bool, handshake: bool) -> ConnectionRow {
    let mut talk = Talk::opened(20, 20_000, flags);
    for number in 0..100 {
        talk.data(1);
        let of_mark = number % 10 == 0;
        if marks && of_mark {
            talk.frames.last_mut().unwrap().2[1] = 3;
        }
        let echo = number < echoes && (!marks || number % 10 < 3);
        talk.flagged_ack(20, if echo { ECE } else { 0 });
    }
    only(&talk.frames[if handshake { 0 } else { 3 }..])
}

#[test]
fn a_mark_is_echoed_where_that_was_negotiated() {
    let told = |row: ConnectionRow| (row.ecn, row.ece, row.ce);
    assert_eq!(told(marked((0, 0), 1, false, true)), ("none".to_owned(), 1, 0));
    assert_eq!(told(marked((ECE | CWR, 0), 3, false, true)), ("none".to_owned(), 3, 0));
    let reflected = marked((ECE | CWR, ECE | CWR), 3, false, true);
    assert!(reflected.options.is_empty() && reflected.ecn == "none");
    let agreed = marked((ECE | CWR, ECE), 1, true, true);
    assert_eq!((agreed.options.as_str(), agreed.ece, agreed.ce), ("ecn", 1, 10));
    assert_eq!(told(marked((0, 0), 1, false, false)), ("unknown".to_owned(), 1, 0));
    assert_eq!(told(marked((ECE | CWR, ECE), 100, true, false)), ("unknown".to_owned(), 30, 10));
}

/// tshark's rule: any segment but SYN, FIN and RST.
#[test]
fn every_segment_may_close_the_window() {
    let mut talk = Talk::opened(20, 20_000, (0, 0)).acked_by([2; 20]);
    let (s, r) = (talk.first.0 + UNIT * talk.sent, talk.first.1);
    for (flags, payload) in [(ACK, 0), (ACK, 500), (ACK | FIN, 0), (ACK | SYN, 0)] {
        talk.wait_us(500);
        talk.framed(false, (r, s), flags, payload, 0, 0);
    }
    let rows = rows(&talk.frames);
    assert_eq!(rows[0].zero_window, 2);
}

#[test]
fn near_a_proxy_nothing_is_said_of_the_receiver() {
    // The far end answers the SYN after 120 ms; something near acknowledges the data.
    let mut talk = Talk::opened(120_000, 100, (0, 0));
    for _ in 0..60 {
        talk.data(2);
        talk.ack(50);
    }
    let row = only(&talk.frames);
    assert!(row.split_answer_s.is_some_and(|secs| (secs - 0.12).abs() < 1e-6), "{row:?}");
    assert_eq!((row.vantage.as_str(), row.path_rtt_min_s, row.handshake_rtt_s), ("unknown", None, None));
}

/// S ends the handshake 300 ms late, and answers R's data within 4 ms.
#[test]
fn a_late_end_of_the_handshake_is_no_path() {
    let mut talk = Talk::opened(3000, 300_000, (0, 0)).asked(40, 3003);
    let alone = only(&talk.frames);
    assert_eq!(alone.vantage, "unknown", "{alone:?}");
    assert!((alone.receiver_rtt_at_most, alone.sender_rtt_at_most) == (false, true), "{alone:?}");
    assert!(alone.sender_rtt_min_s > Some(0.29) && alone.receiver_rtt_min_s < Some(0.0031), "{alone:?}");
    let (s, r) = (talk.first.0 + UNIT * talk.sent, talk.first.1);
    for number in 0..40 {
        talk.wait_us(5001);
        talk.packet(false, (r + 500 * number, s), ACK, 500, 0);
        talk.wait_us(4001 + i64::from(number % 7));
        talk.packet(true, (s, r + 500 * (number + 1)), ACK, 0, 0);
    }
    let found = rows(&talk.frames);
    assert_eq!((found[0].handshake_rtt_s, found[0].vantage.as_str()), (None, "unknown"), "{found:?}");
    assert!(found[0].sender_rtt_min_s.is_none() && found[0].late_ack_s.is_some_and(|secs| (secs - 0.3).abs() < 1e-6));
    assert!(found[1].rtt_max_s.is_some_and(|secs| secs < 0.0041), "{:?}", found[1].rtt_max_s);
    assert_eq!((found[1].handshake_rtt_s, found[1].path_rtt_min_s), (None, None), "{found:?}");
}

/// The same transfer by clocks of 1 µs, 10 ms and 1 s.
#[test]
fn a_coarse_clock_is_named_and_its_spans_are_not_believed() {
    let (scenario, outcome) = run(r#"
        link = [{ between = ["S", "R"], rate = "5Mbps", delay = "21.3ms" }]
        flow = [{ from = "S", to = "R", size = { segments = 4000 }, sender = { packet = 1000 },
                  receiver = { ack = { policy = "delayed", timer = "40ms" } } }]
        record = { packets = true }
    "#);
    let fine = frames(&common::file(&scenario, &outcome, acklab_tap::Format::PcapNg, "S->R@R"));
    let by = |tick_ns: i64| {
        let coarse: Vec<Frame> =
            fine.iter().map(|(at, size, data)| (at / tick_ns * tick_ns, *size, data.clone())).collect();
        let analysis = analysed(101, &coarse);
        (analysis.census().resolution_ns, analysis.connections().swap_remove(0))
    };
    let (resolution, row) = by(1000);
    assert_eq!(resolution, None);
    assert!(row.delay_min_s.is_some() && row.rtt_min_s.is_some() && row.timeouts.is_some(), "{row:?}");
    for tick_ns in [10_000_000, 1_000_000_000] {
        let (resolution, row) = by(tick_ns);
        assert_eq!(resolution, Some(tick_ns as u64));
        assert_eq!(
            [row.delay_median_s, row.rtt_min_s, row.handshake_rtt_s, row.timer_s, row.bottleneck_bps],
            [None; 5]
        );
        assert_eq!((row.vantage.as_str(), row.held_acks, row.quick_segments), ("unknown", None, None), "{row:?}");
        assert_eq!((row.policy.as_str(), row.ack_every), ("delayed", Some(2)), "how many is no matter of time");
        assert_eq!(row.policy_why, "coarse-clock");
        // Eight seconds are 800 ticks of the one clock, and 8 of the other.
        assert_eq!(row.goodput_bps.is_some(), tick_ns < 1_000_000_000, "{row:?}");
    }
}
