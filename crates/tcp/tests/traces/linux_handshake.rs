//! A lost handshake in Linux, worked on paper from `tcp_retransmit_timer`, `tcp_init_transfer` and `tcp_try_undo_spurious_syn`, and from
//! `reqsk_timer_handler` and `tcp_check_req` for the receiver. All clocks are exact.

use std::sync::Arc;

use acklab_packet::{Ack, Segment, Time};
use acklab_tcp::rules::{AckPolicyKind, ReceiverRules, SenderRules, Stack, Variants, named};
use acklab_tcp::sender::{Sender, Supply};

use crate::receiver_table::{self, Numbers};
use crate::sender_table::follow;
use crate::tape::Tape;

fn linux() -> SenderRules {
    let linux = Stack::Linux.sender();
    SenderRules { packet: 1012, recovery: linux.recovery.with("tick", Time::ZERO), ..linux }
}

/// One timeout of the SYN leaves all ten segments, and ssthresh.
#[test]
fn the_first_timeout_of_a_syn_leaves_the_initial_window() {
    let sender = follow(
        linux(),
        Supply::Segments(40),
        "
        at   | event      | sends | cwnd  | timer
        0    | start      | syn   | 1000  | 1
        1    | timeout    | syn*  | 1000  | 2
        1.04 | ack 0 ts 1 | 0-9   | 10000 |
    ",
    );
    assert_eq!(sender.core().cc.ssthresh, Stack::Linux.sender().window.units(1000, 1000) as f64);
    assert_eq!(sender.counters().timeouts, 1);
}

/// After two the window is one segment, in slow start; if the answer echoes the first SYN, it was late, and the window is whole.
#[test]
fn the_second_timeout_of_a_syn_takes_the_initial_window_unless_the_answer_was_late() {
    let head = "
        at   | event       | sends | cwnd  | timer
        0    | start       | syn   | 1000  | 1
        1    | timeout     | syn*  | 1000  | 2
        2    | timeout     | syn*  | 1000  | 3
    ";
    for end in
        ["2.04 | ack 0 ts 2  | 0 | 1000 |\n 2.08 | ack 1 ts 2.04 | 1 2 | 2000 |", "2.04 | ack 0 ts 0 | 0-9 | 10000 |"]
    {
        follow(linux(), Supply::Segments(40), &format!("{head}{end}\n"));
    }
}

/// A repeated answer is no duplicate ACK: it only brings a bare ACK.
#[test]
fn a_repeated_answer_to_the_syn_says_nothing() {
    let mut sender = Sender::new(Arc::new(linux()), Supply::Segments(40));
    let mut tape = Tape::<Segment>::default();
    sender.start(Time::ZERO, &mut tape);
    let answer = Ack { ack: 1, syn: true, ..Ack::default() };
    for (ms, bare) in [(40, 1), (60, 2), (61, 3), (62, 4), (63, 5)] {
        sender.on_ack(&answer, Time::from_secs(f64::from(ms) / 1e3), &mut tape);
        assert_eq!((tape.sent.len(), tape.probes.len()), (11, bare));
    }
    assert_eq!(sender.core().cc.dupacks, 0);
}

fn receiver() -> ReceiverRules {
    let delayed = named::<AckPolicyKind>("delayed").with("timer", "40ms");
    let linux = Stack::Linux.receiver();
    ReceiverRules { ack: delayed, syn_answer: linux.syn_answer.with("tick", Time::ZERO), ..linux }
}

/// The answer goes again after 1 s and then 2 s. A repeated SYN is answered at once, with the first one's timestamp, and the wait begins
/// again. Data ends it.
#[test]
fn the_answer_to_a_syn_is_repeated_until_data_comes() {
    let numbers = Numbers { mss: 1000, syn: true, fin_after: None };
    receiver_table::follow(
        receiver(),
        numbers,
        "
        at   | event     | acks | echo | timer
        0.02 | syn ts 0  | 0    | 0    | 1.02
        1.02 | timer     | 0    | 0    | 3.02
        1.04 | syn ts 1  | 0    | 0    | 3.04
        3.04 | timer     | 0    | 0    | 7.04
        3.1  | 0 ts 3.08 |      |      | 3.14
        3.14 | timer     | 1    | 3.08 | off
    ",
    );
}

/// Five times at most: the waits are 1, 2, 4, 8 and 16 s.
#[test]
fn the_answer_to_a_syn_is_repeated_five_times() {
    let numbers = Numbers { mss: 1000, syn: true, fin_after: None };
    receiver_table::follow(
        receiver(),
        numbers,
        "
        at | event | acks | timer
        0  | syn   | 0    | 1
        1  | timer | 0    | 3
        3  | timer | 0    | 7
        7  | timer | 0    | 15
        15 | timer | 0    | 31
        31 | timer | 0    | off
    ",
    );
}
