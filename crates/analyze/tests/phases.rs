//! Each phase of a receiver is judged by its own ACKs, and its evidence contradicts no policy.

mod common;
#[path = "../examples/fuzz_capture/consistent.rs"]
mod consistent;
#[allow(dead_code)]
#[path = "../examples/fuzz_capture/mutate.rs"]
mod mutate;

use acklab_analyze::ConnectionRow;
use common::rows;
use common::talk::Talk;
use consistent::consistent;
use mutate::Rng;

/// The row of a receiver, near by, whose ACKs cover these numbers of segments.
fn seen(numbers: impl IntoIterator<Item = u32>) -> ConnectionRow {
    let row = rows(&Talk::opened(20, 20_000, (0, 0)).acked_by(numbers).frames).swap_remove(0);
    assert!(consistent(&row), "{row:?}");
    row
}

#[test]
fn three_exceptions_are_no_phase() {
    // 45 of 48 ACKs cover one segment; the others lie within the quick phase.
    let row = seen((1..=48).map(|k| if k % 16 == 0 { 2 } else { 1 }));
    assert_eq!((row.policy.as_str(), row.ack_every), ("every", Some(1)), "{row:?}");
    assert_eq!((row.policy_evidence, row.policy_of), (45, 48));
    // And one of the singles waits, so that four ACKs are not quick.
    let mut talk = Talk::opened(20, 20_000, (0, 0)).acked_by([[1].repeat(20), vec![2, 2]].concat());
    talk.data(1);
    talk.ack(40_000);
    let row = rows(&talk.acked_by([[1].repeat(24), vec![2]].concat()).frames).swap_remove(0);
    assert_eq!((row.acks_of_one, row.plain_acks, row.policy.as_str()), (45, 48, "every"), "{row:?}");
    // One in six: quick runs between, and never two of two segments in a row.
    let row = seen((1..=600).map(|k| if k % 6 == 0 { 2 } else { 1 }));
    assert!(["every", "varying", "undecided"].contains(&row.policy.as_str()), "{row:?}");
    // Pairs of exceptions among singles.
    let row = seen((1..=600).map(|k| if k % 16 < 2 { 2 } else { 1 }));
    assert!(["every", "varying", "undecided"].contains(&row.policy.as_str()), "{row:?}");
}

#[test]
fn a_phase_has_to_be_long_enough() {
    let then = |twos: usize| seen([[1].repeat(20), [2].repeat(twos)].concat());
    let (few, enough) = (then(8), then(12));
    assert_eq!(few.policy, "undecided", "{few:?}");
    let evidence = |row: &ConnectionRow| (row.policy_why.clone(), row.policy_evidence, row.policy_of);
    assert_eq!((evidence(&few), few.quick_segments), (("few-outside-quick".to_owned(), 8, 12), Some(20)));
    assert_eq!((enough.policy.as_str(), enough.ack_every), ("quick-then-delayed", Some(2)), "{enough:?}");
    assert_eq!(evidence(&enough), (String::new(), 12, 12));
    // Behind a quick phase something else than a rule.
    let row = seen([[1].repeat(20), [2, 3, 5, 2, 4].repeat(6)].concat());
    assert_eq!(row.policy, "varying", "{row:?}");
    assert_eq!((row.policy_evidence, row.policy_of), (12, 30));
}

/// A packet of 32 segments for each ACK: their number is the sender's.
#[test]
fn one_number_is_not_called_none() {
    let mut talk = Talk::opened(20, 20_000, (0, 0));
    let mss = [2, 4, 0x03, 0xe8]; // 1000
    for place in [0, 1] {
        let (_, length, data) = &mut talk.frames[place];
        data.extend(mss);
        *length += 4;
        data[3] += 4;
        data[32] += 0x10;
    }
    for number in 0..60_u32 {
        let start = talk.first.0 + 32_000 * number;
        talk.wait_us(3000);
        talk.packet(true, (start, talk.first.1), common::talk::ACK, 32_000, 0);
        talk.wait_us(20);
        talk.packet(false, (talk.first.1, start + 32_000), common::talk::ACK, 0, 0);
    }
    let row = &rows(&talk.frames)[0];
    assert_eq!((row.acks_of_more, row.policy.as_str()), (60, "undecided"), "{row:?}");
    assert_eq!((row.policy_why.as_str(), row.policy_evidence, row.policy_of), ("as-it-comes", 60, 60));
    assert!(consistent(row));
}

/// Receivers that mix numbers at random, in phases at random.
#[test]
fn evidence_contradicts_no_policy() {
    let mut draw = Rng::new(7);
    let mut names = std::collections::BTreeMap::<String, u32>::new();
    for _ in 0..400 {
        let mut numbers = Vec::new();
        for _ in 0..1 + draw.below(4) {
            let (usual, other) = (1 + draw.below(6) as u32, 1 + draw.below(9) as u32);
            let of_ten = draw.below(11);
            let one = |draw: &mut Rng| if draw.below(10) < of_ten { usual } else { other };
            let length = 3 + draw.below(60);
            numbers.extend((0..length).map(|_| one(&mut draw)));
        }
        *names.entry(seen(numbers).policy).or_default() += 1;
    }
    for name in ["every", "delayed", "varying", "undecided"] {
        assert!(names.contains_key(name), "{names:?}");
    }
}

/// Singles with others strewn in at random, up to two in five, are no delayed receiver.
#[test]
fn chance_makes_no_phases() {
    let mut draw = Rng::new(3);
    for of_hundred in [3, 6, 10, 15, 20, 30, 40] {
        for _ in 0..20 {
            let numbers: Vec<u32> = (0..400).map(|_| if draw.below(100) < of_hundred { 2 } else { 1 }).collect();
            let row = seen(numbers);
            assert!(["every", "varying", "undecided"].contains(&row.policy.as_str()), "{of_hundred} %: {row:?}");
        }
    }
}
