//! Tests of the flight record.

use super::*;

pub fn at(secs: f64) -> Time {
    Time::from_secs(secs)
}

/// Ten segments of 10 units, sent at 0, 1, ... 9.
pub fn ten() -> Flight {
    let mut flight = Flight::empty(10, None);
    (0..10).for_each(|n| flight.sent(10 * n, 10 * n + 10, n == 0, at(n as f64)));
    flight
}

#[test]
fn edges_of_blocks_and_acks_split_segments() {
    let mut flight = ten();
    let mut told = Vec::new();
    flight.report(25, 40, at(9.0), |sent| told.push((sent.start, sent.end)));
    assert_eq!((told.as_slice(), flight.sacked), (&[(25, 30), (30, 40)][..], 2));
    told.clear();
    flight.acknowledge(28, at(9.0), |sent| told.push((sent.start, sent.end)));
    assert_eq!((told.as_slice(), flight.sacked), (&[(0, 10), (10, 20), (20, 25)][..], 2), "28..30 and 30..40 remain");
    flight.acknowledge(100, at(9.0), |_| {});
    assert_eq!((flight.sacked, flight.lost, flight.last()), (0, 0, None));
}

#[test]
fn the_newest_whole_segment_that_an_ack_covers_gives_the_round_trip() {
    let mut flight = ten();
    flight.acknowledge(25, at(10.0), |_| {});
    assert_eq!(flight.round_trip.take(), Some(9.0), "a piece of the third gives none");
    flight.acknowledge(25, at(10.5), |_| {});
    assert_eq!(flight.round_trip.take(), None, "nor does a duplicate");
    flight.stop_timing();
    flight.sent(100, 110, false, at(11.0));
    flight.acknowledge(100, at(12.0), |_| {});
    assert_eq!(flight.round_trip.take(), None, "nor does what was out at a loss");
    flight.acknowledge(110, at(13.0), |_| {});
    assert_eq!(flight.round_trip.take(), Some(2.0));
}

#[test]
fn lost_is_what_left_before_what_arrived_and_is_due() {
    let mut flight = ten();
    flight.report(50, 60, at(0.0), |_| {});
    // Segment 5 left at 5; after a round trip of 4 and a margin of 1, at 9.5, those of 4 and before are due.
    assert_eq!((flight.detect((at(5.0), 60), at(5.0), at(9.0), 0.0), flight.lost), (None, 50));
    assert_eq!(flight.next_lost().map(|sent| sent.start), Some(0));
    flight.sent(0, 10, false, at(9.0));
    assert_eq!((flight.lost, flight.next_lost().map(|sent| sent.start)), (40, Some(10)));
    // Sent again, it is lost again when something sent later has arrived.
    flight.sent(100, 110, false, at(9.5));
    flight.report(100, 110, at(0.0), |_| {});
    let again = flight.detect((at(9.5), 110), at(5.0), at(13.5), 0.0);
    assert_eq!((again, flight.lost), (Some(at(14.0)), 70), "6, 7 and 8 are due, 9 and 0 are not yet");
    flight.detect((at(9.5), 110), at(5.0), at(14.0), 0.0);
    assert_eq!((flight.lost, flight.next_lost().map(|sent| sent.start)), (90, Some(0)));
}

#[test]
fn by_number_three_or_a_delay_is_lost() {
    let mut flight = ten();
    flight.report(50, 60, at(0.0), |_| {});
    let mut told = Vec::new();
    let again = flight.overtaken((5, 3), (at(4.0), at(6.5), 0.0), |sent| told.push(sent.number));
    assert_eq!((told.as_slice(), again), (&[0, 1, 2][..], Some(at(7.0))), "3 left at 3");
    assert_eq!(flight.overtaken((5, 3), (at(4.0), at(7.0), 0.0), |_| {}), Some(at(8.0)));
    assert_eq!((flight.lost, flight.oldest().map(|sent| sent.number)), (40, Some(4)));
    // Sent again it has another number.
    flight.sent(0, 10, false, at(7.5));
    flight.report(0, 10, at(0.0), |sent| told.push(sent.number));
    assert_eq!(told.last(), Some(&10));
    assert_eq!(flight.overtaken((10, 3), (at(4.0), at(7.5), 0.0), |sent| told.push(sent.number)), Some(at(12.0)));
    assert_eq!((told[4..].to_vec(), flight.oldest().map(|sent| sent.number)), (vec![4, 6, 7], Some(8)));
}

#[test]
fn a_timeout_marks_the_first_and_what_is_due() {
    let mut flight = ten();
    flight.report(10, 20, at(0.0), |_| {});
    flight.mark_on_timeout(at(5.0), at(8.0));
    assert_eq!(flight.lost, 30, "0, 2 and 3");
    let mut fresh = Flight::empty(10, None);
    fresh.sent(0, 10, false, at(7.9));
    fresh.mark_on_timeout(at(5.0), at(8.0));
    assert_eq!(fresh.lost, 10, "the first whatever its age");
}

#[test]
fn what_a_block_has_reported_is_reported_once_however_blocks_overlap() {
    let mut flight = ten();
    let mut told = Vec::new();
    for (start, end) in [(20, 40), (60, 80), (20, 40), (25, 45), (15, 90), (5, 100), (33, 66)] {
        flight.report(start, end, at(9.0), |sent| told.push((sent.start, sent.end)));
    }
    let first = [(20, 30), (30, 40), (60, 70), (70, 80)];
    let then = [(40, 45), (15, 20), (45, 50), (50, 60), (80, 90), (5, 10), (10, 15), (90, 100)];
    assert_eq!(told, [&first[..], &then].concat());
    assert_eq!((flight.reported, flight.highest, flight.sacked), (95, 100, 12));
}
