//! The flow with most bytes of all tins: a heap that is built when the buffer is first full (sch_cake.c).
//!
//! Of flows with as many bytes the heap's history decides, so it is the same heap as in Linux, with places for eight tins.

use super::places::QUEUES;

/// Tins that the heap has places for.
const TINS: usize = 8;
/// A heap is given up after so many departures without a query.
const KEPT: u16 = u16::MAX;

/// The heap. A flow is a number: its place in its tin times eight, and its tin.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Fattest {
    heap: Vec<u16>,
    place: Vec<u16>,
    /// Departures for which it is still kept up to date.
    kept: u16,
}

/// A flow's number.
pub fn number(tin: usize, flow: usize) -> u16 {
    (flow * TINS + tin) as u16
}

/// A number's tin and flow.
pub fn flow_of(number: u16) -> (usize, usize) {
    (usize::from(number) % TINS, usize::from(number) / TINS)
}

impl Fattest {
    fn swap(&mut self, one: usize, two: usize) {
        self.heap.swap(one, two);
        for at in [one, two] {
            self.place[usize::from(self.heap[at])] = at as u16;
        }
    }

    /// Linux compares the children of every level with the bytes that moved up on the first level. So a flow sinks by
    /// one level in most cases, and the heap's top is not always the flow with most bytes. It is the same here.
    fn down(&mut self, mut at: usize, bytes: &impl Fn(u16) -> u64) {
        let mut most = bytes(self.heap[at]);
        loop {
            let mut larger = at;
            for child in [2 * at + 1, 2 * at + 2] {
                if let Some(held) = self.heap.get(child).map(|&flow| bytes(flow)).filter(|&held| held > most) {
                    (larger, most) = (child, held);
                }
            }
            if larger == at {
                return;
            }
            self.swap(at, larger);
            at = larger;
        }
    }

    /// The flow with most bytes.
    pub fn top(&mut self, bytes: impl Fn(u16) -> u64) -> u16 {
        if self.heap.is_empty() {
            self.heap = (0..(TINS * QUEUES) as u16).collect();
            self.place.clone_from(&self.heap);
        }
        if self.kept == 0 {
            (0..self.heap.len() / 2).rev().for_each(|at| self.down(at, &bytes));
        }
        self.kept = KEPT;
        self.heap[0]
    }

    /// A flow has more bytes.
    pub fn grown(&mut self, flow: u16, bytes: impl Fn(u16) -> u64) {
        if self.kept == 0 {
            return;
        }
        let mut at = usize::from(self.place[usize::from(flow)]);
        while at > 0 && bytes(flow) > bytes(self.heap[(at - 1) / 2]) {
            self.swap(at, (at - 1) / 2);
            at = (at - 1) / 2;
        }
    }

    /// A flow has fewer bytes.
    pub fn shrunk(&mut self, flow: u16, bytes: impl Fn(u16) -> u64) {
        if self.kept > 0 {
            self.down(usize::from(self.place[usize::from(flow)]), &bytes);
        }
    }

    /// A packet departed.
    pub fn departed(&mut self) {
        self.kept = self.kept.saturating_sub(1);
    }
}
