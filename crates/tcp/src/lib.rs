//! The two endpoints of a TCP conversation, as state machines that own no socket, no clock and no thread.
//!
//! Every call takes the time and a *wire*, the few things an endpoint asks of its driver: send this, wake me then.
//! Nothing here knows who drives: the simulator in virtual time, a test, or a real network.
//!
//! Where to look:
//! * what a receiver does with a segment: [`receiver`]; **when it acknowledges**: [`receiver::policy`], one file a policy;
//! * what an ACK is worth: [`sender::credit`]; what credit and losses do to `cwnd`: [`sender::control`];
//! * what is presumed lost and may be sent again: `sender/recovery`; the retransmission timer: [`sender::rtt`];
//! * the many small rules in which stacks differ: [`rules`], one table a stack.
//!
//! ```
//! use acklab_packet::{Ack, Probe, Segment, Time};
//! use acklab_tcp::{rules::Stack, sender::{Sender, SenderWire, Supply}};
//! use std::sync::Arc;
//!
//! #[derive(Default)]
//! struct Tape(Vec<Segment>);
//! impl SenderWire for Tape {
//!     fn send(&mut self, segment: Segment, _wire_bytes: u32) { self.0.push(segment) }
//!     fn answer(&mut self, _reply: Probe, _wire_bytes: u32) {}
//!     fn arm(&mut self, _at: Time) {}
//!     fn disarm(&mut self) {}
//!     fn arm_pacer(&mut self, _at: Time) {}
//! }
//!
//! let mut tape = Tape::default();
//! let mut sender = Sender::new(Arc::new(Stack::Ns2In1998.sender()), Supply::Segments(10));
//! sender.start(Time::ZERO, &mut tape);
//! assert_eq!(tape.0.len(), 1); // initial window of one segment
//!
//! let ack = Ack { ack: 1, ..Ack::default() };
//! sender.on_ack(&ack, Time::from_secs(0.1), &mut tape);
//! assert_eq!(tape.0.len(), 3); // slow start: one ACK, two segments
//! ```

pub mod receiver;
pub mod rules;
pub mod sender;
mod wheel;
