//! SACK blocks of a Linux receiver that holds ACKs above a gap (`tcp_sack_new_ofo_skb` in net/ipv4/tcp_input.c), worked on paper.

use acklab_tcp::rules::{AckPolicyKind, ReceiverRules, Stack, named};

use crate::receiver_table::{PLAIN, follow};

/// A Linux receiver without quick ACKs, whose window does not grow. No round trip is known, so that an ACK waits for the slack of its timer
/// alone, 0.1 ms.
fn linux() -> ReceiverRules {
    let mut ack = named::<AckPolicyKind>("linux");
    if let AckPolicyKind::Linux { quick, window, buffer, memory, autotune, .. } = &mut ack {
        (*quick, *window, *buffer, *memory, *autotune) = (0, 64, 64, 0, false);
    }
    ReceiverRules { ack, ..Stack::Linux.receiver() }
}

/// Segments 1, 6 and 9 are lost. The first three above the gap are answered at once. The ACK that then waits reports blocks as they are when it
/// leaves, and it leaves before a third block is begun.
#[test]
fn blocks_grow_while_an_ack_waits_and_a_third_lets_it_go() {
    follow(
        linux(),
        PLAIN,
        "
        at     | event | acks                  | timer
        0      | 0     | 1                     | off
        1      | 2     | 1 sack 2              | off
        1      | 3     | 1 sack 2-3            | off
        1      | 4     | 1 sack 2-4            | off
        1      | 5     |                       | 1.0001
        1      | 7     |                       | 1.0001
        1      | 8     |                       | 1.0001
        1      | 10    | 1 sack 7-8 2-5        | 1.0001
        1      | 11    |                       | 1.0001
        1.0001 | timer | 1 sack 10-11 7-8 2-5  | off
        2      | 6     |                       | 2.0001
        2.0001 | timer | 1 sack 2-8 10-11      | off
    ",
    );
}
