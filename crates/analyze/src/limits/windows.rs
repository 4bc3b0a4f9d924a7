//! The receiver's windows that stopped the sender.

/// The least and the most of some windows, in bytes.
type Range = Option<(u64, u64)>;

/// The windows of one direction.
#[derive(Clone, Copy, Debug, Default)]
pub struct Windows {
    /// When the last data left.
    allowed: u64,
    /// Those that stopped the sender in the present round.
    round: Range,
    /// Those of rounds whose limit they were: least and most bytes.
    pub limiting: Range,
}

impl Windows {
    /// Data leave, and the window lets so much be outstanding.
    pub fn on_departure(&mut self, allowed: u64) {
        self.allowed = allowed;
    }

    /// The sender waited; `stopped`: for this window.
    pub fn on_wait(&mut self, stopped: bool) {
        if stopped {
            self.round = join(self.round, Some((self.allowed, self.allowed)));
        }
    }

    /// A round ends; its windows count unless something else was its limit.
    pub fn decide(&mut self, count: bool) {
        let round = self.round.take();
        if count {
            self.limiting = join(self.limiting, round);
        }
    }
}

fn join(one: Range, other: Range) -> Range {
    match (one, other) {
        (Some(one), Some(other)) => Some((one.0.min(other.0), one.1.max(other.1))),
        _ => one.or(other),
    }
}
