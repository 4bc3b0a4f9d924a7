//! Conversations worked out on paper, step by step, and followed by the machines.
//!
//! Each test is a table: what arrives at which instant, what must be sent for it, and what the window and the timer
//! must then be. The numbers were derived from the text that the comment cites, not from the code.
//! `sender_table.rs` and `receiver_table.rs` say how a table reads.

mod controls;
mod division;
mod fack;
mod frto;
mod hystart;
mod linux_delivery;
mod linux_handshake;
mod linux_reordering;
mod linux_sack;
mod linux_timer;
mod ns2;
mod pipe;
mod prr;
mod receiver_table;
mod rfc1122;
mod rfc2018;
mod rfc2525;
mod rfc2883;
mod rfc3042;
mod rfc5681;
mod rfc6298;
mod rfc6582;
mod rfc6675;
mod rfc7323;
mod rfc8257;
mod rfc8511;
mod rfc8985;
mod rfc9000;
mod rfc9002;
mod rfc9406;
mod rfc9438;
mod rfc9768;
mod rfc9937;
mod segmentation;
mod sender_table;
mod smartacking;
#[path = "../pair/tape.rs"]
mod tape;
mod undo;
mod validation;
mod veno;
