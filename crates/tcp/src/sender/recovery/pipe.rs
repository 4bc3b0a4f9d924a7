//! The send loop of recoveries that go by what is outstanding ("pipe", RFC 6675 section 5, and what others call so).

use acklab_packet::{Seq, Time};

use super::super::{Core, SenderWire};

/// The segment to send next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Next {
    pub seq: Seq,
    pub len: u64,
    /// True if it is the one at SND.NXT, which then moves past it.
    pub in_order: bool,
    /// End of the window, if the rule `skip` may leave this segment out and send the one after it.
    pub skip_within: Option<Seq>,
}

impl Next {
    /// Units `seq .. seq + len` again.
    pub fn again(seq: Seq, len: u64) -> Next {
        Next { seq, len, in_order: false, skip_within: None }
    }

    /// The `len` units at SND.NXT.
    pub fn in_order(core: &Core, len: u64) -> Next {
        Next { seq: core.seq.nxt, len, in_order: true, skip_within: None }
    }

    /// New data, if there is any and the receiver's window takes it.
    pub fn new_data(core: &Core) -> Option<Next> {
        core.seq.new_data().map(|len| Next::in_order(core, u64::from(len)))
    }

    /// One past its last unit.
    pub fn end(&self) -> Seq {
        self.seq + self.len
    }
}

/// A recovery that sends while the window has room for more than is outstanding.
pub(super) trait ByPipe {
    /// The next segment, if the window has room for it and there is one.
    fn next(&mut self, core: &mut Core) -> Option<Next>;

    /// It has left.
    fn sent<W: SenderWire>(&mut self, _core: &mut Core, _sent: &Next, _now: Time, _wire: &mut W) {}

    /// Sends one segment, whatever the window and the pacer say.
    fn send_one<W: SenderWire>(&mut self, core: &mut Core, next: &Next, now: Time, wire: &mut W) {
        core.transmit(next.seq, next.len as u32, now, wire);
        if next.in_order {
            core.seq.go_to(next.end());
        }
        self.sent(core, next, now, wire);
    }

    /// Sends as many segments as window, pacer and the rule `max_burst` allow. Returns whether one was in order.
    fn send<W: SenderWire>(&mut self, core: &mut Core, now: Time, wire: &mut W) -> bool {
        let (mut count, mut in_order) = (0, false);
        while let Some(mut next) = self.next(core) {
            if !core.may_send_now(next.in_order, now, wire) {
                break;
            }
            if next.in_order {
                next.len = core.within_burst(next.len);
            }
            if let (Some(edge), Some(skip)) = (next.skip_within, &mut core.extras.skip) {
                skip.leave_out(&mut core.seq, next.len as u32, edge);
                next.seq = core.seq.nxt;
            }
            self.send_one(core, &next, now, wire);
            in_order |= next.in_order;
            count += 1;
            if count == core.rules.max_burst {
                break;
            }
        }
        in_order
    }
}
