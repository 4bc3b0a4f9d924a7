//! The printed tables of RFC 6937 section 3.1 and RFC 9937 section 8, number by number.
//!
//! Twenty segments are out and ssthresh becomes ten. Each column of a table is one ACK: its window and what is in flight before
//! anything is sent for it, and how many segments are. RFC 6937 prints `pipe` where RFC 9937 has `inflight`.

use std::sync::Arc;

use acklab_packet::{Ack, SackBlocks, Time};
use acklab_tcp::rules::{FackWindow, RecoveryKind, RecoveryWindow, SenderRules, Sequence, Variants, named};
use acklab_tcp::sender::{Sender, Supply};

use crate::sender_table::rfc;
use crate::tape::Tape;

/// For each ACK: cwnd, in flight before sending, segments sent.
type Column = (u64, u64, usize);

/// Whether the two segments of Limited Transmit count when the window is halved.
#[derive(Clone, Copy, PartialEq)]
enum Limited {
    /// No: "MUST NOT include" (RFC 5681 section 3.2 step 2). Twenty are halved.
    Apart,
    /// Yes, as RFC 6937's numbers want it: 22 are out from the start, and halved.
    Included,
}

/// The columns of a sender of which the first `lost` segments are lost, from the third ACK on where `Included`.
///
/// The ACKs of the first flight come at 0.1 s, those of the two segments of Limited Transmit at 0.2 s, and then, for a single loss,
/// the cumulative one.
fn columns(recovery: RecoveryKind, limited: Limited, lost: u64) -> Vec<Column> {
    let (initial_window, limited_transmit) = if limited == Limited::Apart { (20.0, true) } else { (22.0, false) };
    let rules = SenderRules { sequence: Sequence::Segments {}, recovery, initial_window, limited_transmit, ..rfc() };
    let (mut sender, mut tape) = (Sender::new(Arc::new(rules), Supply::Segments(100)), Tape::default());
    sender.start(Time::ZERO, &mut tape);
    tape.sent.clear();
    let last_ack = match limited {
        Limited::Apart if lost == 1 => 22,
        _ => 19,
    };
    let mut out = Vec::new();
    for last in lost..=last_ack {
        let mut sack = SackBlocks::default();
        let covered = if last == 22 { 22 } else { 0 };
        if covered == 0 {
            sack.push(0, lost, last + 1);
        }
        let at = if last < 20 { 0.1 } else { 0.2 } + 0.0001 * last as f64;
        sender.on_ack(&Ack { ack: covered, sack, ..Ack::default() }, Time::from_secs(at), &mut tape);
        let sent = std::mem::take(&mut tape.sent).len();
        // Outside a recovery, what is out and not reported.
        let reported = if covered == 0 { last + 1 - lost } else { 0 };
        let flight = sender.pipe().unwrap_or(sender.core().seq.flight_size() - reported);
        out.push((sender.core().cc.cwnd as u64, flight - sent as u64, sent));
    }
    if limited == Limited::Included { out.split_off(2) } else { out }
}

/// A printed table: three rows of numbers.
fn printed(cwnd: &str, flight: &str, sent: &str) -> Vec<Column> {
    let numbers = |row: &str| row.split_whitespace().map(|n| n.parse::<u64>().expect("a number")).collect::<Vec<_>>();
    let (cwnd, flight, sent) = (numbers(cwnd), numbers(flight), numbers(sent));
    assert!(cwnd.len() == flight.len() && flight.len() == sent.len());
    cwnd.into_iter().zip(flight).zip(sent).map(|((c, f), s)| (c, f, s as usize)).collect()
}

fn rfc6675(window: RecoveryWindow) -> RecoveryKind {
    named::<RecoveryKind>("rfc6675").with("window", window)
}

/// What leaves, from rows without a window.
fn flight_and_sent(columns: &[Column]) -> Vec<(u64, usize)> {
    columns.iter().map(|&(_, flight, sent)| (flight, sent)).collect()
}

/// RFC 9937 Figure 1, upper part.
#[test]
fn rfc_9937_figure_1_rfc_6675() {
    let figure = printed(
        "20 20 10 10 10 10 10 10 10 10 10 10 10 10 10 10 10 10 10 10 10 10",
        "19 19 18 18 17 16 15 14 13 12 11 10  9  9  9  9  9  9  9  9  9  9",
        " 1  1  1  0  0  0  0  0  0  0  0  0  1  1  1  1  1  1  1  1  1  1",
    );
    assert_eq!(columns(rfc6675(RecoveryWindow::AtOnce), Limited::Apart, 1), figure);
}

/// RFC 9937 Figure 1, lower part. At ACK 19 what is in flight is ssthresh, 10, so that section 6.2 takes the branch of the bounds:
/// SndCnt is at most ssthresh - inflight = 0. The figure sends one, by the other branch: ceil (17 10 / 20) - 8. What is in flight for ACK
/// 20 is one more for it. All else agrees.
#[test]
fn rfc_9937_figure_1_prr() {
    let mut figure = printed(
        "20 20 19 18 18 17 17 16 16 15 15 14 14 13 13 12 12 11 11 10 10 10",
        "19 19 18 18 17 17 16 16 15 15 14 14 13 13 12 12 11 11 10 10  9  9",
        " 1  1  1  0  1  0  1  0  1  0  1  0  1  0  1  0  1  0  1  0  1  1",
    );
    assert_eq!(figure[18..20], [(11, 10, 1), (10, 10, 0)], "as printed");
    figure[18..20].copy_from_slice(&[(10, 10, 0), (10, 9, 1)]);
    assert_eq!(columns(rfc6675(RecoveryWindow::Prr), Limited::Apart, 1), figure);
}

/// RFC 9937 Figure 2: both parts.
#[test]
fn rfc_9937_figure_2() {
    let at_once = printed("20 20 10 10 10", "19 19 4 9 9", "1 1 6 1 1");
    assert_eq!(columns(rfc6675(RecoveryWindow::AtOnce), Limited::Apart, 15), at_once);
    let prr = printed("20 20 5 5 5", "19 19 4 4 4", "1 1 1 1 1");
    assert_eq!(columns(rfc6675(RecoveryWindow::Prr), Limited::Apart, 15), prr);
}

/// RFC 6937, one loss, RFC 6675: a window of 11 is half of 22. The text has ssthresh 10, and RFC 5681 halves 20.
#[test]
fn rfc_6937_one_loss_rfc_6675() {
    let table = printed(
        "11 11 11 11 11 11 11 11 11 11 11 11 11 11 11 11 11",
        "18 18 17 16 15 14 13 12 11 10 10 10 10 10 10 10 10",
        " 1  0  0  0  0  0  0  0  0  1  1  1  1  1  1  1  1",
    );
    assert_eq!(columns(rfc6675(RecoveryWindow::AtOnce), Limited::Included, 1), table);
}

/// RFC 6937, one loss, rate halving. FACK's window falls at once, and what may leave is halved; so no window is compared.
#[test]
fn rfc_6937_one_loss_rate_halving() {
    let halving = named::<RecoveryKind>("fack").with("window", FackWindow::RateHalving);
    let none = "0 ".repeat(19);
    let table = printed(
        &none,
        "19 19 18 18 17 17 16 16 15 15 14 14 13 13 12 12 11 11 10",
        " 1  1  1  0  1  0  1  0  1  0  1  0  1  0  1  0  1  0  1",
    );
    assert_eq!(flight_and_sent(&columns(halving, Limited::Apart, 1)[..19]), flight_and_sent(&table));
}

/// RFC 6937, one loss, PRR with ssthresh 11 and RecoverFS 22. Every segment leaves at the ACK that is printed. The row of `pipe` is the
/// right one, shifted by an ACK from the fourth on: 18 is printed three times, where a segment a report leaves the network.
#[test]
fn rfc_6937_one_loss_prr() {
    let (flight, sent) =
        ("18 18 18 17 17 16 16 15 15 14 14 13 13 12 12 11 10", " 1  0  1  0  1  0  1  0  1  0  1  0  1  0  0  1  1");
    let table = printed(flight, flight, sent);
    for window in [RecoveryWindow::PrrCrb, RecoveryWindow::PrrSsrb] {
        let run = columns(rfc6675(window), Limited::Included, 1);
        let sent = |rows: &[Column]| rows.iter().map(|row| row.2).collect::<Vec<_>>();
        assert_eq!(sent(&run), sent(&table), "{window:?}");
        let flight = |rows: &[Column]| rows.iter().map(|row| row.1).collect::<Vec<_>>();
        assert_eq!([&[18], &flight(&run)[..16]].concat(), flight(&table), "{window:?}: one ACK later");
    }
}

/// RFC 6937, fifteen losses.
#[test]
fn rfc_6937_fifteen_losses() {
    let at_once = printed("11 11 11", "4 10 10", "7 1 1");
    assert_eq!(columns(rfc6675(RecoveryWindow::AtOnce), Limited::Included, 15), at_once);
    for limited in [Limited::Apart, Limited::Included] {
        let third = if limited == Limited::Apart { 2 } else { 0 };
        for (window, flight, sent) in
            [(RecoveryWindow::PrrCrb, "4 4 4", "1 1 1"), (RecoveryWindow::PrrSsrb, "4 5 6", "2 2 2")]
        {
            let run = columns(rfc6675(window), limited, 15);
            assert_eq!(flight_and_sent(&run[third..]), flight_and_sent(&printed(flight, flight, sent)), "{window:?}");
        }
    }
}
